"""The bundled studies: each with a tiny grid in this process. No run fails, no figure is empty, some physics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from engine.study import bundled, figures, load_study
from engine.study import run as run_study
from engine.study.claims import FAILS, HOLDS, judge
from engine.study.figures import draw
from engine.study.grid import Grid
from engine.study.model import StudyFigure
from engine.study.report import StudyResult
from engine.study.running import check
from engine.study.series import values_of
from engine.study.tables import summary

pytestmark = pytest.mark.usefixtures("drawn")
METHOD = "vary.aggregation.method, aggregation.time_stepping.fraction"
SEARCH = "vary.aggregation.method, aggregation.event_driven.search, aggregation.time_stepping.fraction"
WHAT = (
    "vary.dimensions, discs.count, discs.volume_fraction, box.boundary, hard_discs.equilibration, hard_discs.gravity, "
    "velocities.distribution, hard_discs.plates"
)
RESTITUTION = "vary.hard_discs.restitution, hard_discs.wall_restitution"
RATIO = "vary.discs.radii, discs.spread, jamming.start, discs.volume_fraction"
WAY = "vary.aggregation.method, aggregation.time_stepping.clusters, aggregation.time_stepping.fraction"
TINY: dict[str, dict[str, Any]] = {
    "degond-2024": {
        METHOD: [["event-driven", 0.5], ["time-stepping", 1.0]],
        "vary.discs.volume_fraction": [0.1, 0.2, 0.3],
        "seeds.count": 1,
    },
    "degond-cost": {SEARCH: [["event-driven", "trees", 0.5], ["event-driven", "all-pairs", 0.5],
                             ["time-stepping", "trees", 0.25], ["time-stepping", "trees", 0.5]],
                    "vary.discs.count": [100, 256, 576, 2500], "seeds.count": 1},
    "rigid-clusters": {WAY: [["event-driven", "deformable", 0.5], ["time-stepping", "rigid", 0.25],
                             ["time-stepping", "deformable", 0.25]],
                       "vary.discs.count": [100, 10000], "seeds.count": 1},
    "haff-cooling": {"discs.count": 1024, "vary.hard_discs.restitution": [0.9, 0.97, 0.99], "seeds.count": 2,
                     "stop.until_events": 40_960},
    "hard-disc-pressure": {"vary.discs.volume_fraction": [0.3, 0.5, 0.65],
                           "hard_discs.equilibration": 20.0, "stop.until_events": 100_000, "seeds.count": 2},
    "jamming-density": {RATIO: [["equal", 0.0, "grown", 0.6], ["bidisperse", 1.4, "placed", 0.8]],
                        "vary.discs.count": [128, 256], "seeds.count": 2},
    "degond-rotation": {"vary.discs.volume_fraction": [0.03, 0.3], "seeds.count": 2},
    "coarsening": {"vary.discs.volume_fraction": [0.05, 0.3], "vary.discs.count": [2500, 10000], "seeds.count": 2},
    "bannerman-2014": {WHAT: [[3, 500, 0.05236, "periodic", 10.0, [0.0, 0.0, 0.0], "maxwell", 0],
                              [3, 500, 0.2618, "periodic", 10.0, [0.0, 0.0, 0.0], "maxwell", 0],
                              [2, 1, 0.01, "walls", 0.0, [0.0, -1.0], "rest", 20_000]],
                       RESTITUTION: [[0.5, 0.5], [0.7, 0.7], [1.0, 1.0]],
                       "stop.until_events": 20_000, "seeds.count": 2},
}  # fmt: skip


QUICK = ("rigid-clusters",)
"""Whose runs take little; the others are run by make soak."""


def test_every_bundled_study_is_tried() -> None:
    assert set(TINY) == set(bundled())


@pytest.mark.parametrize("name", TINY)
def test_names_of_each_are_those_of_a_run_and_its_figures_are_of_what_is_measured(name: str) -> None:
    check(Grid(load_study(name, scale="quick", changes=TINY[name])))


_RESULTS: dict[str, StudyResult] = {}
_DRAWN: dict[str, list[tuple[StudyFigure, Canvas]]] = {}


def tried(name: str, folder: Path) -> StudyResult:
    """The result of a study of `TINY`, run once; `_DRAWN` has the figures of its report."""
    if name not in _RESULTS:
        study = load_study(name, scale="quick", changes=TINY[name])
        drawn: list[tuple[StudyFigure, Canvas]] = []

        def draw_and_keep(result: StudyResult, wanted: StudyFigure) -> Canvas:
            drawn.append((wanted, draw(result, wanted)))
            return drawn[-1][1]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(figures, "draw", draw_and_keep)
            _RESULTS[name] = run_study(study, workers=0, out=folder / name)
        _DRAWN[name] = drawn
    return _RESULTS[name]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the studies of this file are."""
    return tmp_path_factory.mktemp("bundled")


def mean(result: StudyResult, quantity: str, **at: Any) -> float:
    """The mean of a quantity at the first point with these values."""
    means = values_of(result.summary(), quantity)
    return next(
        means[point.number][0]
        for point in result.grid.points
        if all(point.values[key.replace("__", ".")] == wanted for key, wanted in at.items())
    )


@pytest.mark.parametrize("name", [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in TINY])
def test_no_run_fails_and_no_figure_is_empty(name: str, folder: Path) -> None:
    result = tried(name, folder)
    assert list(result.runs.loc[result.runs["status"] == "failed", "error"]) == []
    assert result.complete
    assert [wanted for wanted, _ in _DRAWN[name]] == list(result.study.figure)
    for wanted, canvas in _DRAWN[name]:
        axes = canvas.axes[0]
        assert np.isfinite([*axes.get_xlim(), *axes.get_ylim()]).all()
        y = np.concatenate([np.asarray(line.get_ydata(), np.float64) for line in axes.lines[:1]])
        assert np.isfinite(y).any(), f"{name}: {wanted.title} has no data"
        assert "_" not in axes.get_xlabel().replace("$", "").replace("_{", ""), axes.get_xlabel()
        assert wanted.title
    assert all(claim.source for claim in result.study.claim)
    assert all(one.source for one in result.study.pool)
    page = (folder / name / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/svg+xml") == len(result.study.figure)


@pytest.mark.slow
def test_box_counting_finds_the_dimension_of_the_check_sets(folder: Path) -> None:
    result = tried("degond-2024", folder)
    assert [verdict(result, f"Box counting finds D = {known} for") for known in ("1", "2", "log 3 / log 2")] == (
        [HOLDS] * 3
    )
    found = values_of(result.summary(), "fractal_dimension")
    of_sets = [found[point.number][0] for point in result.grid.beside[:3]]
    assert of_sets == pytest.approx([1.0, 2.0, 1.585], abs=0.1)
    assert of_sets[1] == pytest.approx(2.0, abs=1e-12)
    page = (folder / "degond-2024" / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/png") == 3 + 4  # figures 9 and 12


def verdict(result: StudyResult, beginning: str) -> str:
    """What is said of the claim that begins so."""
    return next(one.verdict for one in result.verdicts if one.claim.says.startswith(beginning))


@pytest.mark.slow
def test_pressure_and_rate_are_those_of_the_literature(folder: Path) -> None:
    result = tried("hard-disc-pressure", folder)
    large = {"discs__count": 1024}
    assert mean(result, "compressibility", discs__volume_fraction=0.3, **large) == pytest.approx(2.0634, rel=0.01)
    assert mean(result, "compressibility", discs__volume_fraction=0.5, **large) == pytest.approx(4.107, rel=0.015)
    small = mean(result, "compressibility", discs__volume_fraction=0.65, discs__count=72)
    assert small == pytest.approx(8.3928, rel=0.01)
    for fraction in (0.3, 0.5):
        at = {"discs__volume_fraction": fraction, "discs__count": 16384}
        rate = mean(result, "reduced_collision_rate", **at)
        assert mean(result, "compressibility", **at) - 1.0 == pytest.approx(np.sqrt(np.pi) / 4.0 * rate, rel=0.005)


def test_rigid_clusters_are_nearer_to_the_exact_contacts(folder: Path) -> None:
    result = tried("rigid-clusters", folder)
    exact = mean(result, "contacts_relative", aggregation__method="event-driven", discs__count=10000)
    way = {"aggregation__method": "time-stepping", "discs__count": 10000}
    rigid, deformable = (
        mean(result, "contacts_relative", aggregation__time_stepping__clusters=one, **way)
        for one in ("rigid", "deformable")
    )
    assert 0.0 < rigid - exact < deformable - exact < 0.01


@pytest.mark.slow
def test_discs_cool_by_haffs_law_until_they_gather(folder: Path) -> None:
    result = tried("haff-cooling", folder)
    assert mean(result, "over_haff_after_20", discs__volume_fraction=0.1, hard_discs__restitution=0.97) == (
        pytest.approx(1.0, abs=0.03)
    )
    assert mean(result, "temperature_over_haff", discs__volume_fraction=0.4, hard_discs__restitution=0.9) > 1.2
    assert mean(result, "clustering_onset", discs__volume_fraction=0.4, hard_discs__restitution=0.9) < 80.0


@pytest.mark.slow
def test_packings_are_isostatic_and_equal_discs_are_not(folder: Path) -> None:
    result = tried("jamming-density", folder)
    at = {"discs__count": 256}
    assert mean(result, "excess_coordination", discs__radii="bidisperse", **at) == pytest.approx(0.0, abs=0.02)
    assert mean(result, "coordination", discs__radii="bidisperse", **at) == pytest.approx(4.0, abs=0.02)
    assert mean(result, "volume_fraction", discs__radii="bidisperse", **at) == pytest.approx(0.84, abs=0.015)
    assert mean(result, "excess_coordination", discs__radii="equal", **at) > 0.1
    assert mean(result, "volume_fraction", discs__radii="equal", **at) > 0.855


@pytest.mark.slow
def test_clusters_grow_about_as_scaling_says(folder: Path) -> None:
    result = tried("coarsening", folder)
    for filled in (0.05, 0.3):
        at = {"discs__volume_fraction": filled, "discs__count": 10000}
        assert 0.8 < mean(result, "coarsening_exponent", **at) < 1.5
        assert mean(result, "mean_cluster_mass", **at) == pytest.approx(200.0)
        assert mean(result, "weighted_cluster_mass", **at) > 300.0


@pytest.mark.slow
def test_clusters_that_turn_are_fractals_too(folder: Path) -> None:
    result = tried("degond-rotation", folder)
    for filled in (0.03, 0.3):
        at = {"discs__volume_fraction": filled, "discs__count": 2500}
        with_it, without = (mean(result, "fractal_dimension", aggregation__rotation=on, **at) for on in (True, False))
        assert 1.3 < with_it < 2.0
        assert with_it == pytest.approx(without, abs=0.15)
        assert with_it != without


@pytest.mark.slow
def test_rounding_leaves_half_of_the_impacts_overlapping(folder: Path) -> None:
    result = tried("bannerman-2014", folder)
    assert mean(result, "overlapping_impacts", discs__volume_fraction=0.2618, hard_discs__restitution=1.0) == (
        pytest.approx(0.5, abs=0.05)
    )
    assert mean(result, "three_body_share", discs__volume_fraction=0.2618, hard_discs__restitution=1.0) < 1e-3


@pytest.mark.slow
def test_naive_detection_halts_on_half_of_the_plates_and_stable_detection_on_none(folder: Path) -> None:
    result = tried("bannerman-2014", folder)
    at = {"discs__count": 1, "hard_discs__restitution": 0.5}
    assert mean(result, "plates.naive.halted", **at) == pytest.approx(0.5, abs=0.01)
    assert mean(result, "plates.naive.events_to_halt", **at) == pytest.approx(30.4, abs=0.5)
    assert mean(result, "plates.stable.halted", **at) == 0.0
    assert mean(result, "plates.stable.at_rest", **at) == 1.0
    elastic = [point.values for point in result.grid.points if point.values["hard_discs.restitution"] == 1.0]
    assert {values["discs.count"] for values in elastic} == {500}  # an elastic ball would bounce forever
    said = {
        one.claim.says: one.verdict for one in result.verdicts if "plates." in one.claim.y or "ball" in one.claim.says
    }
    assert set(said.values()) == {HOLDS}, said


@pytest.mark.slow
def test_the_event_driven_method_costs_less_than_quadratic(folder: Path) -> None:
    result = tried("degond-cost", folder)
    assert (result.runs["wall_s"] > 0.0).all()
    assert mean(result, "contacts_relative", aggregation__method="event-driven") == pytest.approx(0.5, abs=0.05)


@pytest.mark.slow
def test_all_pairs_are_run_for_few_discs_and_end_as_trees_do(folder: Path) -> None:
    result = tried("degond-cost", folder)
    pairs = [p.values for p in result.grid.points if p.values["aggregation.event_driven.search"] == "all-pairs"]
    assert [values["discs.count"] for values in pairs] == [100, 256, 576]
    assert verdict(result, "Both searches") == HOLDS


@pytest.mark.slow
@pytest.mark.parametrize(("exponent", "says"), [(3.0, HOLDS), (2.0, FAILS)])
def test_the_cost_of_all_pairs_is_held_against_its_exponent(folder: Path, exponent: float, says: str) -> None:
    """With times that are made up, as those of a machine with other work say nothing certain."""
    result = tried("degond-cost", folder)
    (claim,) = (one for one in result.study.claim if one.says.startswith("With all pairs"))
    table = result.runs.assign(wall_s=1e-7 * result.runs["discs.count"] ** exponent)
    judged = judge(claim, table, summary(table, result.grid), result.grid)
    assert judged.verdict == says, judged.because
