"""Single points beside the grid of a study: what runs, what tables, figures, fits and claims make of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed import LocalCluster

from engine.errors import InputError
from engine.study import Study, figures
from engine.study import run as run_study
from engine.study.claims import HOLDS
from engine.study.figures import draw
from engine.study.grid import Grid
from engine.study.report import StudyResult
from engine.study.running import Missing, check, estimate
from engine.study.schedule import room
from engine.study.series import lines, matching, values_of
from tests.study.studies import tiny

LINES = {"discs.arrangement": "lines", "discs.volume_fraction": 0.01, "velocities.distribution": "rest"}
POINTS: list[dict[str, Any]] = [
    {"name": "lines", "set": LINES | {"discs.count": 60, "box.size": 12.0}, "seeds": 1, "keep": True},
    {"name": "block", "set": LINES | {"discs.arrangement": "block", "discs.count": 64, "discs.volume_fraction": 0.19}},
]
FIGURE = {"y": "box_counting", "points": ["lines", "block"], "log": "xy"}
FIT = {"y": "box_counting", "points": ["lines", "block"], "between": [0.3, 6.0]}
CLAIM = {"says": "Lines have one dimension", "y": "fractal_dimension", "points": ["lines"], "expect": 1, "within": 0.2}
WITH: dict[str, Any] = {
    "point": POINTS,
    "figure": [FIGURE, {"y": "contacts_relative", "x": "discs.count"}],
    "fit": [FIT],
    "claim": [CLAIM],
}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    """A study of four points of the grid with three seeds, and two points beside it with one and three."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "_SUFFIXES", ("svg",))  # nothing looks at the other formats here
        return run_study(tiny(**WITH), workers=0, out=tmp_path_factory.mktemp("single") / "out")


def test_single_points_come_after_the_grid_with_their_own_seeds() -> None:
    grid = Grid(tiny(**WITH))
    assert [point.name for point in grid.points] == ["", "", "", "", "lines", "block"]
    assert len(list(grid.runs())) == len(grid) == 4 * 3 + 1 + 3
    assert [run.seed for run in grid.runs() if run.point.name == "lines"] == [3]
    assert [run.seed for run in grid.runs() if run.point.name == "block"] == [3, 4, 5]
    scenario = grid.scenario_at(grid.points[4])
    assert (scenario.discs.arrangement, scenario.discs.count, scenario.box.size) == ("lines", 60, 12.0)
    assert scenario.discs.volume_fraction == 0.01  # set here, though it is varied in the grid


def test_a_point_may_have_more_seeds_than_the_grid() -> None:
    grid = Grid(tiny(point=[{"name": "more", "seeds": 5}]))
    assert [run.seed for run in grid.runs() if run.point.name] == [3, 4, 5, 6, 7]
    assert len(list(grid.runs())) == len(grid) == 4 * 3 + 5


def test_tables_have_their_names_and_what_they_set(result: StudyResult) -> None:
    runs = result.runs
    assert list(runs.columns[:5]) == ["point", "name", "discs.volume_fraction", "discs.count", "discs.arrangement"]
    assert list(runs["name"]) == [""] * 12 + ["lines"] + ["block"] * 3
    assert list(runs["discs.arrangement"].unique()) == ["lattice", "lines", "block"]
    assert runs["box.size"].isna().sum() == 15
    assert runs["box.size"].max() == 12.0
    summary = result.summary()
    counted = summary[(summary["name"] == "block") & (summary["quantity"] == "contacts_relative")]
    assert counted[["n", "error"]].to_numpy().tolist() == [[3, 0.0]]
    assert (result.folder / "summary.csv").read_text().startswith("point,name,discs.volume_fraction,discs.count,")
    assert set(result.curves("box_counting")["name"]) == {"", "lines", "block"}


def test_the_grid_knows_nothing_of_them(result: StudyResult) -> None:
    """Lines, differences and averages are of the grid alone."""
    grid = result.grid
    assert [point.number for point in matching(grid, {})] == [0, 1, 2, 3]
    (line,) = lines(result.summary(), grid, "contacts_relative", "discs.count")
    assert line.x.tolist() == [16.0, 36.0]
    assert line.points == ((0, 2), (1, 3))


def test_a_figure_has_a_curve_for_each_with_its_law(result: StudyResult) -> None:
    drawn = draw(result, result.study.figure[0])
    axes = drawn.axes[0]
    names = [text.get_text() for text in drawn.legends[0].get_texts()]
    assert [name.split(":")[0] for name in names] == ["lines", "block"]
    slope = float(re.findall(r"exponent (−?[0-9.]+)", names[0])[0].replace("−", "-"))
    found = values_of(result.summary(), "fractal_dimension")[4][0]
    assert -slope == pytest.approx(found, abs=0.005)  # the same boxes, the same straight line
    curve = result.curves("box_counting")
    of_lines = curve[curve["name"] == "lines"]
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), of_lines["y"])
    page = (result.folder / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 1  # the one that is kept
    assert "13 of" not in page
    assert "16 of 16 runs: 4 points, 3 seeds each, and 2 single points." in page
    assert '<td class="of">block</td>' in page


def test_a_claim_about_one(result: StudyResult) -> None:
    (verdict,) = result.verdicts
    assert verdict.verdict == HOLDS
    assert verdict.because.endswith("expected 1 within 0.2 (lines)")


def test_workers_and_a_second_call_give_the_same_bits(
    result: StudyResult, tmp_path: Path, cluster: LocalCluster
) -> None:
    other = run_study(tiny(**WITH), scheduler=cluster.scheduler_address, out=tmp_path / "other")
    beside = ["status", "error", "stop_reason", "seconds", "host"]
    assert other.runs.drop(columns=beside).equals(result.runs.drop(columns=beside))
    assert other.curves().equals(result.curves())
    assert list(Missing(other.grid, other.store)) == []
    more = run_study(tiny(**WITH | {"seeds": {"first": 3, "count": 4}}), workers=0, out=tmp_path / "other")
    assert len(more.runs) == 4 * 4 + 1 + 4


def test_single_points_count_in_the_estimate() -> None:
    grid, without = Grid(tiny(**WITH)), Grid(tiny())
    found = estimate(grid)
    assert (found.runs, found.points) == (16, 6)
    assert found.seconds > 0.0
    assert room(grid, 16, False) - room(without, 16, False) == 60 * 30  # one state of 60 discs is kept


def test_a_study_with_single_points_is_read_as_it_was_written() -> None:
    study = tiny(**WITH)
    assert Study.from_values(study.to_values()) == study
    nested = tiny(**WITH | {"point": [POINTS[0] | {"set": {"discs": {"count": 60}}}, POINTS[1]]})
    assert nested.point[0].set == {"discs.count": 60}


BAD: list[tuple[dict[str, Any], str]] = [
    ({"point": [{"set": {}}]}, "point[1].name is missing"),
    ({"point": [{"name": ""}]}, "point needs a name"),
    ({"point": [{"name": "a"}, {"name": "a"}]}, "there are two points a; each needs its own name"),
    ({"point": [{"name": "a", "sett": {}}]}, "point[1].sett is not a key of a study; did you mean set? point[1] has"),
    ({"point": [{"name": "a", "keep": "final"}]}, "point[1].keep must be true or false"),
    ({"point": [{"name": "a", "set": {"discs.count": -3}}]}, "not -3 (at the point a)"),
    ({"point": [{"name": "a", "set": {"discs.volume_fraction": 0.9}}]}, "(at the point a)"),
    ({"point": [{"name": "a", "set": {"system": "jamming"}}]}, "a study is about one system"),
    ({"figure": [FIGURE]}, "figure[1].points: there is no point lines beside the grid; there are none"),
    ({"point": POINTS, "figure": [FIGURE | {"points": ["line"]}]}, "there is no point line beside the grid; there are"),
    ({"point": POINTS, "figure": [FIGURE | {"x": "discs.count"}]}, "figure with points shows a curve, so it takes"),
    ({"point": POINTS, "figure": [FIGURE | {"y": "contacts_relative"}]}, "must be one of measure.curves where it has"),
    ({"point": POINTS, "fit": [FIT | {"at": {"discs.count": 16}}]}, "fit with points is for a curve, so it takes"),
    ({"point": POINTS, "claim": [CLAIM | {"at": {"discs.count": 16}}]}, "claim about points needs expect, and takes"),
]


@pytest.mark.parametrize(("changes", "sentence"), BAD)
def test_mistakes_in_single_points_are_reported_in_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        check(Grid(tiny(**changes)))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_law_through_mean_curves_of_the_grid() -> None:
    at = {"discs.volume_fraction": 0.2}
    figure = {"y": "box_counting", "by": "discs.count", "at": at, "log": "xy"}
    fit = {"y": "box_counting", "by": "discs.count", "at": at, "between": [1.0, 3.0]}
    result = run_study(tiny(figure=[figure], fit=[fit]), workers=0)
    names = [text.get_text() for text in draw(result, result.study.figure[0]).legends[0].get_texts()]
    assert [name.split(" exponent")[0] for name in names] == ["16:", "36:"]
    with pytest.raises(InputError, match=r"fit\[1\].y must be one of measure.curves where it has no x"):
        check(Grid(tiny(fit=[{"y": "contacts_relative"}])))


def test_a_figure_of_differences_is_what_the_claim_says() -> None:
    compared = {"y": "contacts_relative", "key": "discs.volume_fraction", "base": 0.1}
    claim = compared | {"says": "They are alike", "below": 0.5}
    figure = compared | {"x": "discs.count"}
    by = {"x": "discs.count", "by": "discs.volume_fraction"}
    each = {"y": "contacts_relative"} | by
    result = run_study(tiny(figure=[figure, each, compared | by], claim=[claim]), workers=0)
    drawn = draw(result, result.study.figure[0]).axes[0]
    assert drawn.get_ylabel().endswith(", relative difference")
    runs = result.runs.pivot_table("contacts_relative", "seed", ["discs.volume_fraction", "discs.count"])
    wanted = ((runs[0.2] - runs[0.1]).mean() / runs[0.1].mean()).to_numpy()
    np.testing.assert_allclose(drawn.lines[0].get_ydata(), wanted)
    of_each = draw(result, result.study.figure[1]).axes[0]
    difference = draw(result, result.study.figure[2]).axes[0]
    assert difference.lines[0].get_color() == of_each.lines[3].get_color()  # of V_f = 0.2 in both, after caps and bars
    for bad in ({"x": ""}, {"base": None}, {"key": ""}):
        with pytest.raises(InputError, match="figure of differences needs x, key and base"):
            tiny(figure=[figure | bad])
    with pytest.raises(InputError, match=r"figure\[1\] is about discs.spread, which is not varied"):
        check(Grid(tiny(figure=[figure | {"key": "discs.spread"}])))
