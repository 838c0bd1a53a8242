"""What a study may say, and the sentence for whatever it may not."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.study import Study, bundled, load_study
from engine.study.figures import check_figures
from engine.study.grid import Grid
from engine.study.model import ValueRange
from engine.study.source import with_changes, with_scale
from tests.study.studies import TINY, tiny

VARY = {"key": "discs.count", "values": [16]}
FIGURE = {"y": "contacts_relative", "x": "discs.count"}
CLAIM = {"says": "It is so", "y": "contacts_relative"}

BAD: list[tuple[dict[str, Any], str]] = [
    ({"format": 2}, "format must be 1"),
    ({"titel": "x"}, "titel is not a key of a study; did you mean title? A study has format, title"),
    ({"title": 3}, "title must be a string, not 3"),
    ({"scenario": "nowhere"}, "nowhere is neither a file nor a bundled scenario"),
    ({"base": {"discs.cuont": 3}}, "discs.cuont is not a key of a scenario; did you mean discs.count?"),
    ({"base": {"velocities.speed": -1.0}}, "velocities.speed must be a number from 0"),
    ({"base": {"seed": 3}}, "seed cannot be set or varied"),
    (
        {"base": {"system": "hard-discs", "dimensions": 3, "hard_discs.plates": 3}},
        "hard_discs.plates must be 0 when dimensions = 3",
    ),
    ({"base": {"discs.count": 3}}, "discs.count is in [base] and also varied"),
    ({"vary": [3]}, "vary[1] must be a table, not 3"),
    ({"vary": [{"values": [1]}]}, "vary[1]: vary needs either key or keys"),
    ({"vary": [{"key": "discs.count"}]}, "vary of discs.count needs either values, at least one, or a range"),
    ({"vary": [VARY | {"keys": ["discs.spread"]}]}, "vary needs either key or keys"),
    ({"vary": [VARY | {"step": 3}]}, "vary[1].step is not a key of a study; vary[1] has key, keys, values"),
    ({"vary": [VARY, VARY]}, "discs.count is varied twice"),
    ({"vary": [VARY | {"values": [16, 16]}]}, "vary of discs.count has 16 twice"),
    ({"vary": [VARY | {"values": [16.5]}]}, "discs.count must be a whole number from 1 to 10000000, not 16.5"),
    ({"vary": [VARY | {"names": ["a", "b"]}]}, "needs a different name for each of its values"),
    ({"vary": [VARY, {"key": "system", "values": ["aggregation", "jamming"]}]}, "a study is about one system"),
    ({"vary": [VARY, {"keys": ["discs.spread", "discs.radii"], "values": [[1.0]]}]}, "needs 2 numbers or strings"),
    ({"vary": [{"key": "discs.count", "range": {"from": 1, "to": 9}}]}, "vary[1].range.steps is missing"),
    ({"vary": [{"key": "discs.count", "range": {"from": 1, "to": 9, "steps": 1}}]}, "steps must be at least 2"),
    ({"vary": [{"key": "discs.count", "range": {"from": 0, "to": 9, "steps": 3, "log": True}}]}, "above 0 if log"),
    ({"vary": [{"key": "discs.count", "range": {"from": 0, "to": 9, "steps": 3, "square": True}}]}, "at least 1"),
    ({"vary": [{"key": "discs.count", "range": {"from": 1, "to": 9, "steps": 3, "lin": 1}}]}, "has from, to, steps"),
    ({"vary": [{"key": "discs.radii", "range": {"from": 1, "to": 9, "steps": 3}}]}, "discs.radii takes no range"),
    ({"vary": [VARY, {"key": "discs.volume_fraction", "values": [0.2, 0.9]}]}, "(where discs.count = 16, discs.volu"),
    ({"skip": [{}]}, "skip[1]: skip needs at, or x with between"),
    ({"skip": [{"x": "discs.count"}]}, "skip[1]: skip needs both x and between"),
    ({"skip": [{"at": {"velocities.speed": 1.0}}]}, "skip[1] is about velocities.speed, which is not varied"),
    ({"skip": [{"x": "discs.count", "between": [0, 1e9]}]}, "skip leaves no point of the grid"),
    ({"seeds": {"count": 0}}, "seeds.count must be at least 1, not 0"),
    ({"seeds": {"first": 2**63 - 1, "count": 2}}, "seeds.first + seeds.count must be at most"),
    (
        {"seeds": {"count": 10_000_000}},
        "a study has at most 10\u2009000\u2009000 runs, and these are 40\u2009000\u2009000",
    ),
    ({"stop": {"until_time": -1.0}}, "stop.until_time must be a number of at least 0, not -1"),
    ({"stop": {"until_clusters": 0}}, "stop.until_clusters must be a whole number of at least 1, not 0"),
    ({"stop": {"until_tmie": 1.0}}, "did you mean until_time? stop has until_time"),
    (
        {"base": {"system": "hard-discs"}, "measure": {}},
        "set an end with stop.until_time, stop.until_events or stop.max_wall",
    ),
    (
        {"base": {"system": "hard-discs"}, "stop": {"until_clusters": 3}},
        "stop.until_clusters is only for discs that stick",
    ),
    ({"measure": {"quantities": ["contacts_relativ"]}}, "did you mean contacts_relative"),
    ({"measure": {"quantities": ["temperature"]}}, "temperature is not a quantity of a run of ballistic aggregation"),
    ({"measure": {"quantities": ["contacts_histogram"]}}, "contacts_histogram is not a single number"),
    ({"measure": {"quantities": ["events.collide"]}}, "events.collide is not a quantity: events has merge"),
    ({"measure": {"curves": ["contacts_relative"]}}, "contacts_relative is not a curve"),
    ({"measure": {"curves": ["history.radius"]}}, "there are history.clusters, history.kinetic_energy"),
    (
        {
            "base": {"system": "hard-discs"},
            "stop": {"until_time": 1.0},
            "measure": {"quantities": ["fractal_dimension"]},
        },
        "fractal_dimension has no meaning for hard discs",
    ),
    ({"figure": [{"x": "discs.count"}]}, "figure[1].y is missing"),
    ({"figure": [FIGURE | {"y": "aspect_ratio"}]}, "figure[1].y must be one of measure.quantities, not aspect_ratio"),
    ({"figure": [FIGURE | {"x": "discs.spread"}]}, "figure[1].x must be a key that is varied"),
    ({"figure": [{"y": "pair_distribution"}]}, "figure[1].y must be one of measure.curves where it has no x"),
    ({"figure": [FIGURE | {"log": "z"}]}, "figure[1].log must be"),
    ({"claim": [CLAIM]}, "claim needs one of expect, trend, exponent, key or formula"),
    ({"claim": [CLAIM | {"expect": 0.5}]}, "claim with expect needs within"),
    ({"claim": [CLAIM | {"trend": "falls"}]}, "claim about a trend or an exponent needs x"),
    ({"claim": [CLAIM | {"key": "discs.count"}]}, "claim with key needs base"),
    ({"vary": VARY}, "vary must be a list of tables: write [[vary]], with two brackets"),
    ({"vary": [{"key": "discs.count", "range": [1, 9, 3]}]}, "range must be a table such as { from = 1, to = 9, steps"),
    ({"measure": {"quantities": ["N_c"]}}, "N_c is not a quantity of a run of ballistic aggregation; did you mean con"),
    ({"figure": [FIGURE | {"reference": [1, 2]}]}, "figure[1].reference[1] must be a pair [x, y], not 1"),
    ({"fit": [FIGURE | {"law": "powerlaw"}]}, "'linear' or 'constant', not \"powerlaw\""),
    ({"scales": {"quick": 3}}, "scales.quick must be a table, not 3"),
]


@pytest.mark.parametrize(("changes", "sentence"), BAD)
def test_mistakes_in_a_study_are_reported_in_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    from engine.study.running import check

    with pytest.raises(InputError) as caught:
        check(Grid(tiny(**changes)))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_keys_with_dots_need_no_quotes() -> None:
    quoted = tiny(base={"velocities.speed": 2.0, "aggregation.method": "time-stepping"})
    assert tiny(base={"velocities": {"speed": 2.0}, "aggregation": {"method": "time-stepping"}}) == quoted
    wanted = {"from": 16, "to": 64, "steps": 3}
    nested = with_changes(TINY, {"seeds": {"count": 4}, "vary": {"discs": {"count": wanted}}})
    assert nested == with_changes(TINY, {"seeds.count": 4, "vary.discs.count": wanted})
    with pytest.raises(InputError, match=r"seeds is a table of a study: set one of seeds.first, seeds.count"):
        with_changes(TINY, {"seeds": 4})
    with pytest.raises(InputError, match=r"vary.discs.count must be a list of values or a range"):
        with_changes(TINY, {"vary.discs.count": 4})


def test_a_scenario_is_no_study() -> None:
    with pytest.raises(InputError, match=r"lattice-100 is a scenario, not a study; a study of it begins with"):
        load_study("lattice-100")


def test_a_study_is_read_back_as_it_was_written() -> None:
    for name in bundled():
        study = load_study(name)
        assert Study.from_values(study.to_values()) == study
        Grid(study)  # its scenario is there and is not refused anywhere


def test_keys_are_set_where_they_belong() -> None:
    changes = {"seeds.count": 7, "discs.spread": 0.5, "vary.discs.count": [25], "stop.until_clusters": 2}
    study = Study.from_values(with_changes(TINY, changes))
    assert study.seeds.count == 7
    assert study.base == {"discs.spread": 0.5}
    assert study.vary[1].values == (25,)
    assert study.stop.until_clusters == 2
    assert TINY["seeds"]["count"] == 3  # the original is as it was
    with pytest.raises(InputError, match=r"set vary.discs.count to a list of values"):
        with_changes(TINY, {"discs.count": 9})


def test_a_scale_is_what_the_study_says_of_it() -> None:
    values = TINY | {"scales": {"quick": {"seeds.count": 1}}}
    assert Study.from_values(with_scale(values, "quick")).seeds.count == 1
    assert Study.from_values(with_scale(values, "standard")).seeds.count == 3
    with pytest.raises(InputError, match=r"--scale must be one of standard, quick, not full"):
        with_scale(values, "full")


@given(
    start=st.floats(1.0, 1e4), ratio=st.floats(1.001, 1e3), steps=st.integers(2, 50), log=st.booleans(),
    square=st.booleans(), whole=st.booleans(),
)  # fmt: skip
def test_a_range_goes_from_its_start_to_its_end(
    start: float, ratio: float, steps: int, log: bool, square: bool, whole: bool
) -> None:
    found = ValueRange(**{"from": start, "to": start * ratio, "steps": steps, "log": log, "square": square}).values(
        whole
    )
    assert list(found) == sorted(set(found))
    assert 1 <= len(found) <= steps
    if square:
        assert all(math.isqrt(round(value)) ** 2 == value for value in found)
    elif whole:
        assert all(isinstance(value, int) for value in found)
    else:
        assert (found[0], found[-1]) == (start, start * ratio)


def test_the_grid_has_every_combination_once_and_the_seeds_change_slowest() -> None:
    grid = Grid(tiny())
    assert [point.values for point in grid.points] == [
        {"discs.volume_fraction": fraction, "discs.count": count} for fraction in (0.1, 0.2) for count in (16, 36)
    ]
    runs = list(grid.runs())
    assert len(runs) == len(grid) == 12
    assert [run.seed for run in runs[:5]] == [3, 3, 3, 3, 4]
    check_figures(grid)


def test_points_that_are_skipped_are_not_in_the_grid() -> None:
    fractions = {"key": "discs.volume_fraction", "values": [0.1, 0.2]}
    counts = {"key": "discs.count", "values": [16, 36, 64]}
    skip = [{"at": {"discs.volume_fraction": 0.2}, "x": "discs.count", "between": [30, 1e9]}]
    grid = Grid(tiny(vary=[fractions, counts], skip=skip))
    found = [(one.number, *one.values.values()) for one in grid.points]
    assert found == [(0, 0.1, 16), (1, 0.1, 36), (2, 0.1, 64), (3, 0.2, 16)]
    assert grid.places == ((0, 0), (0, 1), (0, 2), (1, 0))
    assert len(grid) == 4 * grid.study.seeds.count
    assert sum(1 for _ in grid.runs()) == len(grid)


def test_values_that_remain_keep_their_names() -> None:
    axis = {"key": "discs.count", "values": [16, 36, 64], "names": ["few", "some", "many"]}
    for values, names in (([64, 16], ("many", "few")), ([16, 25], ())):
        study = Study.from_values(with_changes(TINY | {"vary": [axis]}, {"vary.discs.count": values}))
        assert study.vary[0].names == names
