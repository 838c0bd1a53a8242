"""States for the tests of the engine, made without its own arrangements; and what tests of aggregation share."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import reject
from hypothesis import strategies as st

from engine.boundary import Periodic
from engine.hard_discs.simulation import HardDiscGas
from engine.initial import initial_state
from engine.scenario import Scenario
from engine.simulation import Checkpoint
from engine.state import InitialState, masses_of, nth_root, volume_fraction
from tests.reference.images import shortest

FRACTION = "aggregation.time_stepping.fraction"
STEP = "aggregation.time_stepping.step"
CLUSTERS = "aggregation.time_stepping.clusters"


def random_state(
    rng: np.random.Generator,
    count: int,
    *,
    periodic: Periodic | bool,
    fraction: float = 0.2,
    spread: float = 0.0,
    box: tuple[float, ...] = (1.0, 1.0),
    joined: int = 0,
    free_masses: bool = False,
) -> InitialState:
    """Discs, or spheres in a box of three sides, dropped one by one where there is room; `joined` neighbouring pairs
    start as one cluster."""
    radii = 1.0 + spread * rng.uniform(-1.0, 1.0, count)
    radii = np.sort(radii)[::-1]
    sides = np.array(box)
    radii *= nth_root(fraction / volume_fraction(radii, sides), len(sides))
    around = Periodic.of(periodic, len(box))
    room = bool((2.0 * radii[0] < sides)[list(around.walls)].all())
    tries = 200_000 if count > 100 else 20_000
    positions = dropped(rng, radii, sides, around, tries) if room else np.empty((0, len(sides)))
    if len(positions) < count:
        reject()  # dropping discs makes no state so dense: hypothesis tries another one
    if len(box) > 2:
        velocities = rng.normal(size=(count, len(box)))
    else:
        angle = rng.uniform(0, 2 * np.pi, count)
        velocities = np.stack([np.cos(angle), np.sin(angle)], axis=1) * rng.uniform(0.2, 1.5, (count, 1))
    masses = rng.uniform(0.1, 3.0, count) if free_masses else masses_of(radii, len(box))
    cluster = np.arange(count, dtype=np.int32)
    for k in range(min(joined, count // 2)):
        cluster[2 * k + 1] = cluster[2 * k]
        mean = (masses[2 * k] * velocities[2 * k] + masses[2 * k + 1] * velocities[2 * k + 1]) / (
            masses[2 * k] + masses[2 * k + 1]
        )
        velocities[2 * k] = velocities[2 * k + 1] = mean
    return InitialState(positions, velocities, radii, masses, cluster, sides, periodic)


def dropped(rng, radii, box, periodic, tries):
    """Places of discs dropped one by one where there is room, (K, 2): as many as find one in so many tries."""
    positions = np.empty((len(radii), len(box)))
    placed = 0
    for _ in range(tries):
        if placed == len(radii):
            break
        r = radii[placed]
        margin = np.where(periodic, 0.0, r)
        x = rng.uniform(margin, box - margin)
        d = shortest(positions[:placed] - x, box, periodic)
        if (np.sqrt((d**2).sum(axis=1)) > radii[:placed] + r).all():
            positions[placed] = x
            placed += 1
    return positions[:placed]


def almost_touching(seed=6) -> InitialState:
    """A square lattice of 49 discs in a periodic box, with gaps of 1e-7."""
    x = np.arange(7) + 0.5
    state = random_state(np.random.default_rng(seed), 49, periodic=True, fraction=0.01)
    state.positions[:] = np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2)
    state.radii[:] = 0.5 * (1 - 1e-7)
    state.box[:] = 7
    return state


def discs(positions, velocities, radii, box, *, periodic=False, masses=None, cluster=None) -> InitialState:
    """A state written out by hand."""
    n = len(positions)
    return InitialState(
        np.array(positions, float).reshape(n, 2),
        np.array(velocities, float).reshape(n, 2),
        np.broadcast_to(np.array(radii, float), n).copy(),
        np.ones(n) if masses is None else np.array(masses, float),
        np.arange(n, dtype=np.int32) if cluster is None else np.array(cluster, np.int32),
        np.broadcast_to(np.array(box, float), 2).copy(),
        periodic,
    )


def gas(count=200, fraction=0.4, **values) -> HardDiscGas:
    """Hard discs in a periodic box with Maxwell's velocities; keys of the scenario with __ in the place of a dot."""
    base = {
        "system": "hard-discs",
        "discs.count": count,
        "discs.volume_fraction": fraction,
        "box.boundary": "periodic",
        "velocities.distribution": "maxwell",
    }
    scenario = Scenario().with_values(base | {key.replace("__", "."): value for key, value in values.items()})
    return HardDiscGas(scenario, initial_state(scenario))


def bouncing(state: InitialState, **settings) -> HardDiscGas:
    """Hard discs that start from a state, with these keys of the table [hard_discs]."""
    values = {"system": "hard-discs", "dimensions": len(state.box), "box.boundary": state.periodic.boundary}
    return HardDiscGas(Scenario().with_values(values | {f"hard_discs.{k}": v for k, v in settings.items()}), state)


def stepping(**values) -> Scenario:
    """A scenario of the time-stepping method."""
    return Scenario().with_values({"aggregation.method": "time-stepping", **values})


def link_overlaps(simulation, pairs):
    """φ of pairs (K, 2) at the last whole step, in units of ((R_i + R_j) / 2)²."""
    state = simulation.state()
    d = state.positions[pairs[:, 0]] - state.positions[pairs[:, 1]]
    d -= np.where(state.periodic, state.box * np.round(d / state.box), 0.0)
    sigma = state.radii[pairs].sum(axis=1)
    return 4 * (sigma**2 - (d**2).sum(axis=1)) / sigma**2


def same_bits(one, two) -> None:
    """Two simulations show the same state, bit for bit."""
    a, b = one.frame(), two.frame()
    assert a.time == b.time
    for name in ("positions", "velocities", "cluster"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def random_states(fewest: int, most: int, *, spheres: bool = False) -> st.SearchStrategy[InitialState]:
    """States of discs as `random_state` makes them, in boxes of two widths, periodic or with walls along each axis,
    and of spheres where these are wanted."""
    return st.builds(
        lambda seed, count, periodic, spread, fraction, joined, box: random_state(
            np.random.default_rng(seed),
            count,
            periodic=Periodic(periodic[: len(box)]),
            spread=spread,
            fraction=fraction,
            joined=joined,
            box=box,
            free_masses=bool(seed % 2),
        ),
        st.integers(0, 2**32),
        st.integers(fewest, most),
        st.tuples(st.booleans(), st.booleans(), st.booleans()),
        st.sampled_from([0.0, 0.3, 0.8]),
        st.floats(0.01, 0.3),
        st.integers(0, 10),
        st.sampled_from([(1.0, 1.0), (2.5, 1.0)] + [(1.0, 2.0, 1.0)] * spheres),
    )


def through_a_file(kept: Checkpoint) -> Checkpoint:
    """A checkpoint as it comes back from a file: plain arrays and text, nothing that could be code."""
    buffer = io.BytesIO()
    np.savez(buffer, **kept.arrays)
    buffer.seek(0)
    with np.load(buffer, allow_pickle=False) as arrays:
        return Checkpoint(kept.system, kept.method, kept.scenario, dict(arrays))


def checked_run(simulation, state, most_overlap):
    """Advance through seven times from 0 to 3 and check what every run of aggregation keeps; yields the frames."""
    time, clusters, energy = 0.0, len(np.unique(state.cluster)), np.inf
    for until in np.linspace(0.0, 3.0, 7):
        progress = simulation.advance(float(until))
        frame = simulation.frame()
        assert progress.time >= time
        assert progress.clusters <= clusters
        assert progress.clusters == len(np.unique(frame.cluster))
        assert frame.kinetic_energy <= energy * (1 + 1e-14)
        summed = 0.5 * (state.masses * (frame.velocities**2).sum(axis=1)).sum()
        assert frame.kinetic_energy == pytest.approx(summed, rel=1e-11, abs=1e-13)
        kept = simulation.invariants()
        assert kept["momentum_error"] < 1e-14
        assert kept["max_overlap"] < most_overlap
        yield frame
        time, clusters, energy = progress.time, progress.clusters, frame.kinetic_energy
