"""Initial states: arrangements, radii, velocities, and the states that are refused."""

from __future__ import annotations

import math
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import engine
from engine.arrangements.regular import lattice_shape
from engine.errors import InputError
from engine.initial import draw_velocities, initial_state, validate_state
from engine.scenario import Scenario
from engine.state import InitialState


def state_of(**changes: Any) -> InitialState:
    return initial_state(Scenario().with_values({key.replace("__", "."): value for key, value in changes.items()}))


def gaps(state: InitialState) -> np.ndarray:
    """(|X_i - X_j| - R_i - R_j) / (R_i + R_j) of all pairs, plainly."""
    i, j = np.triu_indices(len(state.radii), 1)
    d = state.positions[i] - state.positions[j]
    if state.periodic:
        d -= state.box * np.round(d / state.box)
    reach = state.radii[i] + state.radii[j]
    return (np.sqrt((d * d).sum(axis=1)) - reach) / reach


def is_inside(state: InitialState) -> bool:
    edge = 0.0 if state.periodic else state.radii[:, None]
    return bool((state.positions >= edge).all() and (state.positions <= state.box - edge).all())


def volume_fraction(state: InitialState) -> float:
    unit, dimensions = (math.pi, 2) if len(state.box) == 2 else (4.0 / 3.0 * math.pi, 3)
    return unit * float((state.radii**dimensions).sum()) / float(state.box.prod())


def test_default_lattice_has_spacing_one() -> None:
    state = state_of()
    assert state.box.tolist() == [50.0, 50.0]
    expected = np.stack(np.meshgrid(np.arange(50) + 0.5, np.arange(50) + 0.5), axis=-1).reshape(-1, 2)
    assert np.array_equal(state.positions, expected)
    assert np.allclose(state.radii, math.sqrt(0.2 / math.pi), rtol=1e-15)
    assert np.array_equal(state.masses, np.ones(2500))
    assert np.array_equal(state.cluster, np.arange(2500))
    assert not state.periodic


@given(st.integers(1, 300), st.floats(0.05, 20.0), st.booleans())
def test_lattices_of_any_count_and_box_do_not_overlap(count: int, ratio: float, periodic: bool) -> None:
    box = np.array([ratio, 1.0])
    columns, rows = lattice_shape(count, box)
    assert columns * rows >= count
    spacing = min(ratio / columns, 1.0 / rows)
    fraction = 0.95 * count * math.pi * (spacing / 2.0) ** 2 / ratio
    boundary = "periodic" if periodic else "walls"
    state = state_of(
        discs__count=count, box__size=[ratio, 1.0], discs__volume_fraction=fraction, box__boundary=boundary
    )
    assert is_inside(state)
    assert count == 1 or gaps(state).min() > 0.0
    assert volume_fraction(state) == pytest.approx(fraction, rel=1e-12)


def test_a_lattice_up_to_touching() -> None:
    assert gaps(state_of(discs__count=25, discs__volume_fraction=math.pi / 4)).min() > -1e-12
    with pytest.raises(InputError, match=r"at most 0\.785.*π/4") as caught:
        state_of(discs__volume_fraction=0.79)
    assert caught.value.key == "discs.volume_fraction"


def test_a_lattice_of_unequal_discs_says_what_fits() -> None:
    with pytest.raises(InputError, match="largest discs would touch") as caught:
        state_of(discs__radii="bidisperse", discs__spread=3.0, discs__volume_fraction=0.5)
    limit = float(str(caught.value).split("at most ")[1].split()[0])
    state = state_of(discs__radii="bidisperse", discs__spread=3.0, discs__volume_fraction=limit)
    assert gaps(state).min() > -1e-12


@pytest.mark.parametrize("boundary", ["walls", "periodic"])
@pytest.mark.parametrize(
    ("fraction", "radii", "spread"),
    [
        (0.05, "equal", 0.0),
        (0.45, "equal", 0.0),
        (0.6, "equal", 0.0),
        (0.75, "equal", 0.0),
        (0.8, "equal", 0.0),
        (0.3, "bidisperse", 4.0),
        (0.75, "bidisperse", 1.4),
        (0.6, "uniform", 1.0),
        (0.4, "lognormal", 0.5),
        (0.7, "lognormal", 0.3),
    ],
)
def test_random_discs_do_not_overlap(boundary: str, fraction: float, radii: str, spread: float) -> None:
    state = state_of(
        discs__arrangement="random",
        discs__count=300,
        discs__volume_fraction=fraction,
        discs__radii=radii,
        discs__spread=spread,
        box__boundary=boundary,
    )
    assert gaps(state).min() >= 0.0
    assert is_inside(state)
    assert volume_fraction(state) == pytest.approx(fraction, rel=1e-12)


SPHERES = {"system": "hard-discs", "dimensions": 3, "discs__arrangement": "random"}


@pytest.mark.parametrize("boundary", ["walls", "periodic"])
@pytest.mark.parametrize(
    ("fraction", "values"),
    [
        (0.05, {}),
        (0.3, {"box__size": [9.0, 4.0, 8.0]}),
        (0.5, {}),
        (0.55, {}),
        (0.2, {"discs__radii": "bidisperse", "discs__spread": 4.0}),
        (0.5, {"discs__radii": "bidisperse", "discs__spread": 1.4}),
        (0.4, {"discs__radii": "lognormal", "discs__spread": 0.3}),
    ],
)
def test_random_spheres_do_not_overlap(boundary: str, fraction: float, values: dict[str, Any]) -> None:
    given = SPHERES | values | {"discs__count": 288, "discs__volume_fraction": fraction, "box__boundary": boundary}
    state = state_of(**given)
    assert state.positions.shape == (288, 3)
    assert gaps(state).min() >= 0.0
    assert is_inside(state)
    assert volume_fraction(state) == pytest.approx(fraction, rel=1e-12)
    assert np.array_equal(state_of(**given).positions, state.positions)


def test_random_spheres_above_the_limit_are_refused() -> None:
    with pytest.raises(InputError, match=r"must be at most 0\.6 .* \(it jams near 0\.64\), not 0\.65") as caught:
        state_of(**SPHERES, discs__volume_fraction=0.65)
    assert caught.value.key == "discs.volume_fraction"


@given(st.integers(1, 12), st.integers(0, 1000), st.booleans(), st.sampled_from([0.1, 0.3, 0.5, 0.6]))
def test_few_random_discs_fit_or_are_refused(count: int, seed: int, periodic: bool, fraction: float) -> None:
    try:
        state = state_of(
            discs__arrangement="random",
            discs__count=count,
            discs__volume_fraction=fraction,
            box__boundary="periodic" if periodic else "walls",
            seed=seed,
        )
    except InputError:
        assert fraction > 0.3
        return
    assert is_inside(state)
    assert count == 1 or gaps(state).min() >= 0.0


@pytest.mark.parametrize("dimensions", [2, 3])
def test_random_discs_are_spread_evenly(dimensions: int) -> None:
    state = state_of(
        system="hard-discs",
        dimensions=dimensions,
        discs__arrangement="random",
        discs__count=4000,
        discs__volume_fraction=0.01,
        box__boundary="periodic",
    )
    for axis in range(dimensions):
        assert stats.kstest(state.positions[:, axis] / state.box[axis], "uniform").pvalue > 1e-3


def test_random_discs_above_the_limit_are_refused() -> None:
    with pytest.raises(InputError, match=r"at most 0\.8 for a random arrangement"):
        state_of(discs__arrangement="random", discs__volume_fraction=0.82)
    with pytest.raises(InputError, match="wider than the box"):
        state_of(discs__arrangement="random", discs__count=1, discs__volume_fraction=0.7, box__size=[10.0, 1.0])
    with pytest.raises(InputError, match="no random arrangement without overlaps was found for N = 2"):
        state_of(discs__arrangement="random", discs__count=2, discs__volume_fraction=0.6)


def test_radii_follow_their_distribution() -> None:
    two = state_of(discs__count=1000, discs__arrangement="random", discs__radii="bidisperse", discs__spread=1.5)
    small, large = np.unique(two.radii)
    assert large / small == pytest.approx(1.5)
    assert (two.radii == large).sum() == 500
    even = state_of(discs__count=4000, discs__arrangement="random", discs__radii="uniform", discs__spread=0.8)
    relative = even.radii / even.radii.mean()
    assert stats.kstest(relative, "uniform", args=(0.6, 0.8)).pvalue > 1e-3
    log = state_of(discs__count=4000, discs__arrangement="random", discs__radii="lognormal", discs__spread=0.3)
    assert log.radii.std() / log.radii.mean() == pytest.approx(0.3, rel=0.08)
    assert stats.shapiro(np.log(log.radii)).pvalue > 1e-3
    for state in (two, even, log):
        assert volume_fraction(state) == pytest.approx(0.2, rel=1e-12)
        assert state.masses.mean() == pytest.approx(1.0)
        assert np.allclose(state.masses / state.radii**2, state.masses[0] / state.radii[0] ** 2)


def test_velocities_follow_their_distribution() -> None:
    circle = state_of(velocities__speed=2.0).velocities
    assert np.allclose(np.hypot(*circle.T), 2.0)
    angle = np.arctan2(circle[:, 1], circle[:, 0]) / (2 * np.pi) + 0.5
    assert stats.kstest(angle, "uniform").pvalue > 1e-3
    square = state_of(velocities__distribution="square", velocities__speed=3.0).velocities
    for axis in range(2):
        assert stats.kstest(square[:, axis], "uniform", args=(-1.5, 3.0)).pvalue > 1e-3
    assert not state_of(velocities__distribution="rest").velocities.any()


def test_maxwell_gives_every_size_the_same_temperature() -> None:
    state = state_of(
        discs__count=4000,
        discs__arrangement="random",
        discs__radii="bidisperse",
        discs__spread=2.0,
        velocities__distribution="maxwell",
        velocities__speed=1.5,
    )
    scaled = state.velocities * np.sqrt(state.masses)[:, None]
    assert stats.kstest(scaled.ravel(), "norm", args=(0.0, 1.5)).pvalue > 1e-3
    heavy = state.masses > state.masses.mean()
    temperature = [float((scaled[part] ** 2).mean()) for part in (heavy, ~heavy)]
    assert temperature[0] == pytest.approx(temperature[1], rel=0.1)


@pytest.mark.parametrize("fraction", [0.2, 0.6])
def test_the_same_scenario_gives_the_same_bits(fraction: float) -> None:
    one, two = (
        state_of(
            discs__arrangement="random",
            discs__volume_fraction=fraction,
            discs__count=200,
            discs__radii="uniform",
            discs__spread=0.5,
            seed=5,
        )
        for _ in range(2)
    )
    for field in dataclass_fields(InitialState):
        assert np.array_equal(getattr(one, field.name), getattr(two, field.name))
    other = state_of(discs__arrangement="random", discs__volume_fraction=fraction, discs__count=200, seed=6)
    assert not np.array_equal(one.positions, other.positions)


def test_one_stream_of_random_numbers_does_not_move_another() -> None:
    base = {"discs__arrangement": "random", "discs__count": 200}
    one = state_of(**base)
    maxwell = state_of(**base, velocities__distribution="maxwell")
    assert np.array_equal(one.positions, maxwell.positions)
    lattice = state_of(discs__count=200)
    assert np.array_equal(one.velocities, lattice.velocities)
    wide = state_of(**base, discs__radii="uniform", discs__spread=0.2)
    assert np.array_equal(one.velocities, wide.velocities)


def good() -> InitialState:
    return state_of(discs__count=16)


def change(name: str, index: Any, value: float) -> InitialState:
    state = good()
    array = getattr(state, name).copy()
    array[index] = value
    return replace(state, **{name: array})


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (lambda: change("positions", (3, 0), math.nan), "position of disc 3 is not a finite number"),
        (lambda: change("velocities", (3, 0), math.inf), "velocity of disc 3"),
        (lambda: change("radii", 2, -0.1), "radius of disc 2 must be above 0, not -0.1"),
        (lambda: change("radii", 2, 0.0), "radius of disc 2"),
        (lambda: change("masses", 1, -1.0), "mass of disc 1"),
        (lambda: change("box", 0, math.nan), "sides of the box"),
        (lambda: change("positions", (0, 0), 0.1), "disc 0 at .* is not inside the box of 4 x 4"),
        (lambda: change("positions", (5, 0), 0.6), "discs 4 and 5 overlap by"),
        (lambda: change("radii", slice(None), 3.0), "the largest disc is wider than the box"),
        (lambda: replace(good(), radii=np.zeros(0)), "at least one disc"),
        (
            lambda: replace(good(), masses=np.ones(3)),
            "do not fit together: masses is of shape",
        ),
    ],
)
def test_states_that_cannot_start_are_refused(state: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        validate_state(state())


def test_overlap_is_seen_across_a_periodic_edge() -> None:
    state = replace(good(), periodic=True)
    state.positions[3] = [3.9, 0.1]
    state.positions[12] = [3.9, 3.9]
    with pytest.raises(InputError, match="discs 3 and 12 overlap"):
        validate_state(state)
    validate_state(replace(state, cluster=np.where(np.arange(16) == 12, 3, np.arange(16)).astype(np.int32)))


def test_spheres_that_overlap_are_called_spheres() -> None:
    state = initial_state(Scenario().with_values({"dimensions": 3, "discs.count": 8}))
    state.positions[5] = state.positions[2]
    with pytest.raises(InputError, match=r"^spheres 2 and 5 overlap"):
        validate_state(state)


def test_an_overlap_of_rounding_is_no_overlap() -> None:
    state = good()
    state.positions[1] = state.positions[0] + [2.0 * state.radii[0] * (1.0 - 1e-10), 0.0]
    validate_state(state)
    state.positions[1, 0] -= 1e-8
    with pytest.raises(InputError, match="discs 0 and 1 overlap"):
        validate_state(state)


def test_hard_discs_in_a_periodic_box_start_without_momentum() -> None:
    gas = {"system": "hard-discs", "box.boundary": "periodic", "discs.radii": "bidisperse", "discs.spread": 1.4}
    state = initial_state(Scenario().with_values({"discs.count": 400, **gas, "velocities.distribution": "maxwell"}))
    assert np.abs((state.masses[:, None] * state.velocities).sum(axis=0)).max() < 1e-12
    walls = initial_state(Scenario().with_values({"discs.count": 400, "system": "hard-discs"}))
    assert np.abs((walls.masses[:, None] * walls.velocities).sum(axis=0)).max() > 1.0


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("boundary", ["walls", "periodic"])
@pytest.mark.parametrize(("distribution", "mean"), [("circle", None), ("square", 1.0 / 12.0), ("maxwell", 1.0)])
def test_the_temperature_at_the_start_is_exact_if_asked_for(
    distribution: str, mean: float | None, boundary: str, dimensions: int
) -> None:
    values = {
        "system": "hard-discs",
        "dimensions": dimensions,
        "box.boundary": boundary,
        "discs.count": 50,
        "discs.volume_fraction": 0.05,
        "discs.radii": "lognormal",
        "discs.spread": 0.3,
        "velocities.distribution": distribution,
        "velocities.speed": 3.0,
    }
    scenario = Scenario().with_values(values | {"velocities.exact": True})
    state = initial_state(scenario)
    measured = engine.create(scenario).measures()
    assert measured.temperature == pytest.approx((mean or 1.0 / dimensions) * 9.0 * state.masses.mean(), rel=1e-12)
    drawn = initial_state(Scenario().with_values(values)).velocities
    factors = state.velocities / drawn
    assert factors == pytest.approx(factors[0, 0], rel=1e-9)
    if (distribution, boundary) != ("circle", "walls"):  # of equal speeds it is exact already
        assert abs(factors[0, 0] - 1.0) > 1e-6


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("distribution", ["circle", "square", "maxwell"])
def test_drawn_velocities_have_no_direction_of_their_own(distribution: str, dimensions: int) -> None:
    """Second moments are alike along all axes and vanish between them; where a direction is any, the part of z/|v| on
    both sides of the equator is even in space, and that of the angle in the plane."""
    values = {"dimensions": dimensions, "velocities.distribution": distribution, "velocities.speed": 2.0}
    scenario = Scenario().with_values(values)
    count = 20_000
    drawn = draw_velocities(scenario, np.ones(count), np.random.default_rng(5))
    assert drawn.shape == (count, dimensions)
    tensor = dimensions * drawn.T @ drawn / np.square(drawn).sum()
    np.testing.assert_allclose(tensor, np.eye(dimensions), atol=4.0 * np.sqrt(2.0 / count))
    np.testing.assert_allclose(drawn.mean(axis=0), 0.0, atol=4.0 * drawn.std() / np.sqrt(count))
    if distribution == "square":
        return
    way = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    for axis in range(dimensions):
        if dimensions == 3:  # Archimedes: a sphere has the same area between any two planes of the same distance
            assert stats.kstest(way[:, axis], "uniform", args=(-1.0, 2.0)).pvalue > 1e-3
        else:
            assert stats.kstest(np.arccos(way[:, axis]) / np.pi, "uniform").pvalue > 1e-3
