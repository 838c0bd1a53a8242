"""The sets of figure 9 as starting states: exact positions, any count, no overlaps, their fractal dimension, a run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import engine
from engine.analysis import analyse
from engine.arrangements.table import ARRANGEMENTS
from engine.errors import InputError
from engine.initial import initial_state
from engine.scenario import Scenario, load_scenario, scenario_keys
from engine.state import InitialState
from engine.words import body_names

SIERPINSKI = math.log(3) / math.log(2)
SETS = {name: one for name, one in ARRANGEMENTS.items() if one.aggregated}
BUNDLED = {"lines-900": 1.0, "block-900": 2.0, "sierpinski-729": SIERPINSKI}
"""Bundled scenarios with the dimension of their sets."""


def scenario_of(arrangement: str, **changes: Any) -> Scenario:
    changes = {"discs__volume_fraction": 1e-4, "box__size": 120.0, "velocities__distribution": "rest"} | changes
    values = {key.replace("__", "."): value for key, value in changes.items()}
    return Scenario().with_values({"discs.arrangement": arrangement} | values)


def state_of(arrangement: str, **changes: Any) -> InitialState:
    return initial_state(scenario_of(arrangement, **changes))


def gaps(state: InitialState) -> NDArray[np.float64]:
    """(|X_i - X_j| - R_i - R_j) / (R_i + R_j) of all pairs, plainly."""
    i, j = np.triu_indices(len(state.radii), 1)
    reach = state.radii[i] + state.radii[j]
    return np.asarray((np.hypot(*(state.positions[i] - state.positions[j]).T) - reach) / reach)


def limit_of(arrangement: str, **changes: Any) -> float:
    """The largest volume fraction that is allowed, from the sentence that refuses a larger one."""
    with pytest.raises(InputError, match=r"discs\.volume_fraction must be at most .* not 0\.9") as caught:
        state_of(arrangement, discs__volume_fraction=0.9, **changes)
    assert caught.value.key == "discs.volume_fraction"
    return float(str(caught.value).split("at most ")[1].split()[0])


def test_three_lines_are_spread_from_wall_to_wall() -> None:
    state = state_of("lines", discs__count=7, box__size=[6.0, 3.0])
    expected = [[1.0, 0.5], [3.0, 0.5], [5.0, 0.5], [1.5, 1.5], [4.5, 1.5], [1.5, 2.5], [4.5, 2.5]]
    np.testing.assert_allclose(state.positions, expected, rtol=1e-15)


def test_a_block_stands_in_the_corner_and_touches() -> None:
    state = state_of("block", discs__count=7, box__size=10.0, discs__volume_fraction=7 * math.pi * 0.25 / 100.0)
    expected = [[0.5, 0.5], [1.5, 0.5], [2.5, 0.5], [0.5, 1.5], [1.5, 1.5], [2.5, 1.5], [0.5, 2.5]]
    np.testing.assert_allclose(state.positions, expected, rtol=1e-14)


@pytest.mark.parametrize("size", [[10.0, 1.0], [1.0, 10.0]])
def test_a_block_in_a_narrow_box_is_as_long_as_it_must_be(size: list[float]) -> None:
    fraction = 16 * math.pi * 0.25**2 / 10.0  # discs of radius 0.25: two side by side
    state = state_of("block", discs__count=16, box__size=size, discs__volume_fraction=fraction)
    assert sorted(np.ptp(state.positions, axis=0)) == pytest.approx([0.5, 3.5])


def triangles(corner: NDArray[np.float64], side: float, generations: int) -> list[tuple[NDArray[np.float64], float]]:
    """Lower left corners and sides of the smallest triangles, by the definition."""
    if generations == 0:
        return [(corner, side)]
    half = side / 2.0
    corners = [corner, corner + np.array([half, 0.0]), corner + np.array([half, half * math.sqrt(3.0)]) * 0.5]
    return [found for one in corners for found in triangles(one, half, generations - 1)]


@pytest.mark.parametrize("generations", [0, 1, 2, 4])
def test_a_sierpinski_triangle_is_that_of_the_definition(generations: int) -> None:
    state = state_of("sierpinski", discs__count=3**generations, box__size=16.0)
    wanted = np.array([corner + side / 2.0 for corner, side in triangles(np.zeros(2), 16.0, generations)])
    np.testing.assert_allclose(state.positions, wanted, rtol=1e-13)


@given(st.integers(1, 400))
def test_a_sierpinski_triangle_of_any_count_leaves_no_triangle_of_the_generation_before_empty(count: int) -> None:
    """3^g triangles hold N >= 3^g discs, at most three each."""
    positions = state_of("sierpinski", discs__count=count, box__size=1.0).positions
    generations = 0
    while 3 ** (generations + 1) <= count:
        generations += 1
    side = 1.0 / 2**generations
    held = []
    for corner, _ in triangles(np.zeros(2), 1.0, generations):
        x, y = (positions - corner).T
        held.append(int(((x > 0.0) & (x < side) & (y > 0.0) & (y < side * math.sqrt(0.75) + 1e-9)).sum()))
    assert min(held) >= 1
    assert len(np.unique(positions, axis=0)) == count


@given(st.sampled_from(sorted(SETS)), st.integers(1, 300), st.floats(0.1, 10.0), st.sampled_from(["walls", "periodic"]))
def test_any_count_fits_into_any_box_up_to_a_limit_that_is_said(
    arrangement: str, count: int, ratio: float, boundary: str
) -> None:
    at = {"discs__count": count, "box__size": [ratio, 1.0], "box__boundary": boundary}
    limit = limit_of(arrangement, **at)
    state = state_of(arrangement, **at, discs__volume_fraction=limit)
    edge = state.radii[:, None] * (1.0 - 1e-12)
    assert (state.positions >= edge).all()
    assert (state.positions <= state.box - edge).all()
    assert count == 1 or gaps(state).min() > -1e-12
    assert math.pi * (state.radii**2).sum() / state.box.prod() == pytest.approx(limit, rel=1e-12)


@pytest.mark.parametrize("arrangement", sorted(SETS))
def test_the_largest_of_unequal_discs_fit_too(arrangement: str) -> None:
    at = {"discs__count": 100, "discs__radii": "uniform", "discs__spread": 1.0}
    state = state_of(arrangement, **at, discs__volume_fraction=limit_of(arrangement, **at))
    assert gaps(state).min() > -1e-12


@pytest.mark.parametrize(("arrangement", "fraction"), [("lines", "0.0007065"), ("sierpinski", "0.02996")])
def test_small_limits_have_four_digits(arrangement: str, fraction: str) -> None:
    with pytest.raises(InputError, match=f"at most {fraction} for"):
        state_of(arrangement, discs__count=10_000, discs__volume_fraction=0.2)


@pytest.mark.parametrize("name", BUNDLED)
@pytest.mark.parametrize("method", ["event-driven", "time-stepping"])
def test_a_run_ends_at_once_with_what_is_known_of_the_set(name: str, method: str) -> None:
    simulation = engine.create(load_scenario(name).with_values({"aggregation.method": method}))
    progress = simulation.advance(until_time=100.0)
    frame = simulation.settled()
    assert progress.finished
    assert (frame.clusters, frame.time) == (1, 0.0)
    found = analyse(frame.positions, simulation.radii, simulation.box, periodic=False, cluster=frame.cluster)
    assert found.fractal_dimension == pytest.approx(BUNDLED[name], abs=0.07)
    assert found.aspect_ratio is not None


@pytest.mark.parametrize("arrangement", sorted(SETS))
def test_discs_that_do_not_join_are_no_cluster(arrangement: str) -> None:
    assert (state_of(arrangement, discs__count=50).cluster == 0).all()
    state = state_of(arrangement, discs__count=50, system="hard-discs")
    assert state.cluster.tolist() == list(range(50))
    simulation = engine.create(scenario_of(arrangement, discs__count=50, system="hard-discs"))
    simulation.advance(until_time=10.0)
    assert np.array_equal(simulation.frame().positions, state.positions)


def test_the_key_of_the_scenario_names_every_arrangement() -> None:
    for dimensions in (2, 3):
        described = scenario_keys(dimensions)["discs.arrangement"]
        there = [name for name, one in ARRANGEMENTS.items() if dimensions in one.dimensions]
        assert list(described.choices) == [*there, "file"]
        for one in ARRANGEMENTS.values():
            assert f'"{one.name}"' in described.allowed
            assert body_names(dimensions).fill(one.says) in described.tooltip
    with pytest.raises(InputError, match=r'must be "lattice", "square", .* "sierpinski" or "file", not "fern"'):
        Scenario().with_values({"discs.arrangement": "fern"})
