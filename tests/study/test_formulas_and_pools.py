"""Curves of the literature, claims that are held against them, and exponents pooled over runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.analysis.packing import power_law
from engine.errors import InputError
from engine.study import Study
from engine.study.claims import FAILS, HOLDS, Verdict, judge
from engine.study.figures import check_figures
from engine.study.grid import Grid
from engine.study.laws import FORMULAS, curves_of, pool
from engine.study.model import Claim, Pool
from engine.study.tables import summary
from tests.reference.theory import SPHERES_Z
from tests.study.studies import tiny

PHI = np.array([0.01, 0.1, 0.3, 0.5])
AXES = [{"key": "discs.volume_fraction", "values": PHI.tolist()}, {"key": "discs.count", "values": [16, 36]}]


SPHERES = {"base": {"dimensions": 3}}
BOTH = {"vary": [*AXES, {"key": "dimensions", "values": [2, 3]}]}


def law(name: str, x: float, dimensions: int = 2) -> float:
    """One value of a formula."""
    return float(FORMULAS[name][dimensions].at(np.array([x]))[0])


def test_the_formulas_agree_with_what_is_known() -> None:
    assert law("henderson", 0.3) == pytest.approx(2.0634, rel=3e-4)  # 0.02 % high
    assert law("virial-series", 0.3) == pytest.approx(2.0634, rel=1e-3)
    assert law("virial-series", 1e-4) - 1.0 - 2e-4 == pytest.approx(0.782004 * 4e-8, rel=1e-3)
    assert law("enskog-rate", 0.3) == pytest.approx(2.40016, rel=1e-3)
    assert law("enskog-rate", 0.5) == pytest.approx(7.0103, rel=1e-3)
    assert law("luding", 0.65) == pytest.approx(8.408, rel=1e-3)
    assert law("haff-after-20", 0.95) == pytest.approx(math.exp(-0.975))
    # the measured pairs of rate and pressure of shared/spec/stable-event-detection.md
    for rate, z in ((2.40016, 2.0634), (7.0103, 4.107), (16.719, 8.408)):
        assert law("z-of-rate", rate) == pytest.approx(z, abs=1.5e-3)


def test_the_formulas_of_spheres_agree_with_what_is_known() -> None:
    """Kolafa, Labík and Malijevský 2004."""
    for phi, z in SPHERES_Z:
        assert law("kolafa", phi, 3) == pytest.approx(z, rel=7e-4)
        assert law("carnahan-starling", phi, 3) == pytest.approx(z, rel=3e-3)
        near = 2e-5 if phi < 0.15 else 1e-3 if phi < 0.35 else 0.07
        assert law("virial-series", phi, 3) == pytest.approx(z, rel=near)
        rate = 6.0 / math.sqrt(math.pi) * (z - 1.0)  # the virial theorem in space
        assert law("z-of-rate", rate, 3) == pytest.approx(z, rel=1e-12)
        assert law("enskog-rate", phi, 3) == pytest.approx(rate, rel=1e-3)
    assert law("haff-after-20", 0.95, 3) == pytest.approx(math.exp(-0.65))  # (1 - ε²) / 3 for each collision
    assert law("haff-after-20", 1.0, 3) == 1.0


def judged(values: Any, base: dict[str, Any] | None = None, **claim: Any) -> Verdict:
    """What is said of a claim about runs whose quantity is ``values(phi)``."""
    grid = Grid(tiny(vary=AXES, seeds={"count": 4}, base=base or {}))
    rows = [
        {"point": p.number, **p.values, "seed": s, "y": values(p.values["discs.volume_fraction"]), "status": "done"}
        for p in grid.points
        for s in grid.seeds
    ]
    runs = pd.DataFrame(rows)
    return judge(Claim(says="So", y="y", **claim), runs, summary(runs, grid), grid)


def test_a_claim_about_a_formula() -> None:
    wanted = {"x": "discs.volume_fraction", "formula": "henderson", "below": 0.01}
    found = judged(lambda phi: law("henderson", phi) * (1.02 if phi == 0.5 else 1.001), **wanted)
    assert found.verdict == FAILS
    assert "at most 2.000 %" in found.because or "at most 2 %" in found.because
    assert "V_f = 0.5" in found.because
    near = judged(lambda phi: law("henderson", phi) * (1.02 if phi == 0.5 else 1.001), between=[0.0, 0.4], **wanted)
    assert near.verdict == HOLDS
    assert "over 3 points" in near.because


def test_a_claim_about_spheres_is_held_against_their_law() -> None:
    wanted = {"x": "discs.volume_fraction", "formula": "enskog-rate", "below": 1e-6, "base": {"dimensions": 3}}
    found = judged(lambda phi: law("enskog-rate", phi, 3), **wanted)
    assert (found.verdict, "over 4 points" in found.because) == (HOLDS, True)
    assert judged(lambda phi: law("enskog-rate", phi, 2), **wanted).verdict == FAILS


def test_a_figure_of_discs_and_spheres_has_a_law_for_each() -> None:
    grid = Grid(tiny(**BOTH))
    at_03 = np.array([0.3])
    both = [float(one.at(at_03)[0]) for one in curves_of("virial-series", grid, {})]
    assert both == pytest.approx([2.0634, 3.98382], rel=1e-3)
    (spheres,) = curves_of("kolafa", grid, {"dimensions": 3})
    assert spheres.at(at_03)[0] == pytest.approx(3.98382, rel=1e-3)
    figure = {"y": "contacts_relative", "x": "discs.volume_fraction", "formulas": ["z-of-rate"], "by": "dimensions"}
    check_figures(Grid(tiny(**BOTH, figure=[figure, figure | {"formulas": ["kolafa"], "at": {"dimensions": 3}}])))


def of_formula(name: str, **more: Any) -> dict[str, Any]:
    """Tables of a study with a figure and a claim about a formula."""
    both = {"y": "contacts_relative", "x": "discs.volume_fraction", **more}
    return {"figure": [both | {"formulas": [name]}], "claim": [both | {"says": "", "formula": name, "below": 0.1}]}


@pytest.mark.parametrize(
    ("tables", "name", "at", "message"),
    [
        (SPHERES, "henderson", {}, "which is for discs, but these points have spheres; for spheres there are carnahan"),
        ({}, "kolafa", {}, "which is for spheres, but these points have discs; for discs there are henderson"),
        (BOTH, "henderson", {}, "is henderson, which is for discs, but these points have spheres"),
        (BOTH, "kolafa", {"dimensions": 2}, "is kolafa, which is for spheres, but these points have discs"),
        (BOTH, "enskog-rate", {}, "means of discs and spheres together; at = { dimensions = 2 }"),
    ],
)
@pytest.mark.parametrize("part", ["figure", "claim"])
def test_a_law_of_the_plane_is_refused_for_spheres(
    tables: dict[str, Any], name: str, at: dict[str, Any], message: str, part: str
) -> None:
    with pytest.raises(InputError) as caught:
        check_figures(Grid(tiny(**({"vary": AXES} | tables), **{part: of_formula(name, at=at)[part]})))
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{part}[1].formula")


def test_a_claim_about_a_part_of_the_points() -> None:
    wanted = {"x": "discs.volume_fraction", "expect": 1.0, "within": 0.01}
    assert judged(lambda phi: 1.0 if phi < 0.2 else 3.0, **wanted).verdict == FAILS
    found = judged(lambda phi: 1.0 if phi < 0.2 else 3.0, between=[0.0, 0.2], **wanted)
    assert found.verdict == HOLDS
    assert "at 4 of 4 points" in found.because


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"figure": [{"y": "fractal_dimension", "x": "discs.count", "formulas": ["carnahan"]}]}, "henderson"),
        ({"figure": [{"y": "box_counting", "formulas": ["henderson"]}]}, "needs x"),
        ({"claim": [{"says": "", "y": "fractal_dimension", "formula": "henderson"}]}, "needs x, and below"),
        (
            {"claim": [{"says": "", "y": "fractal_dimension", "x": "discs.count", "formula": "no", "below": 1}]},
            "must be one of henderson",
        ),
        ({"claim": [{"says": "", "y": "y", "expect": 1, "within": 1, "between": [0, 1]}]}, "between needs x"),
        ({"pool": [{"title": "", "exponent": "fractal_dimension", "count": "n"}]}, "needs n among measure.quantities"),
        ({"pool": [{"title": "", "exponent": "a", "count": "b", "largest": "box.size"}]}, "which is not varied"),
        ({"pool": [{"title": "", "exponent": "a", "count": "b", "by": "box.size"}]}, "box.size, which is not varied"),
    ],
)
def test_impossible_formulas_and_pools_are_refused(table: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_figures(Grid(Study.from_values(dict(tiny(**table).to_values()))))
    assert message in str(caught.value)


def test_a_pooled_exponent_is_that_of_all_values_together() -> None:
    grid = Grid(tiny(vary=AXES, seeds={"count": 6}))
    rng = np.random.default_rng(2)
    rows, together = [], []
    for point in grid.points:
        for seed in grid.seeds:
            values = rng.random(int(rng.integers(80, 200))) ** (1.0 / 1.4)  # P(x) ~ x^0.4
            one = power_law(values, 0.5)
            together.append(values)
            rows.append({"point": point.number, "seed": seed, "status": "done", "e": one.exponent, "n": one.count})
    rows[0] |= {"e": math.nan, "n": math.nan}  # too few values for a fit
    (found,) = pool(Pool(title="", exponent="e", count="n"), pd.DataFrame(rows), grid)
    plain = power_law(np.concatenate(together[1:]), 0.5)
    assert (found.exponent, found.error) == (pytest.approx(plain.exponent), pytest.approx(plain.error, rel=0.3))
    assert found.error >= plain.error * (1.0 - 1e-12)
    assert (found.values, found.runs) == (plain.count, len(rows) - 1)
    lines = pool(Pool(title="", exponent="e", count="n", by="discs.count"), pd.DataFrame(rows), grid)
    assert [one.of for one in lines] == [16, 36]
    assert sum(one.values for one in lines) == plain.count


def test_a_pool_of_runs_that_differ_has_their_error_and_says_whether_it_decides() -> None:
    grid = Grid(tiny(vary=AXES, seeds={"count": 6}))
    rows = pd.DataFrame(
        [
            {"point": point.number, "seed": seed, "status": "done", "e": 0.2 if seed % 2 else 0.6, "n": 10_000}
            for point in grid.points
            for seed in grid.seeds
        ]
    )
    (found,) = pool(Pool(title="", exponent="e", count="n"), rows, grid)
    # the six seeds, for at each of them all points have the same; 1 / √n alone is 0.003
    assert found.error == pytest.approx(0.2 / math.sqrt(len(grid.seeds)), rel=0.1)
    (wider,) = pool(Pool(title="", exponent="e", count="n", systematic=0.3), rows, grid)
    assert wider.error == pytest.approx(math.hypot(found.error, 0.3))
    (part,) = pool(Pool(title="", exponent="e", count="n", largest="discs.count"), rows, grid)
    biggest = max(point.values["discs.count"] for point in grid.points)
    assert part.runs == len(grid.seeds) * sum(point.values["discs.count"] == biggest for point in grid.points)
    assert (found.verdict(None), found.verdict(found.exponent)) == ("", "agrees")
    assert found.verdict(found.exponent + 2.1 * found.error) == "differs"
    assert wider.verdict(0.4) == "not decided: error too large"


def test_a_pool_without_values_says_nothing() -> None:
    grid = Grid(tiny())
    rows = pd.DataFrame([{"point": 0, "seed": 3, "status": "done", "e": math.nan, "n": math.nan}])
    (found,) = pool(Pool(title="", exponent="e", count="n"), rows, grid)
    assert (found.values, found.runs) == (0, 0)
    assert math.isnan(found.exponent)
