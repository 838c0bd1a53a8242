"""The gas event by event against all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from engine.boundary import Periodic
from tests.builders.states import bouncing, random_state
from tests.reference.bouncing import bounce

SETTINGS = {
    "elastic": {},
    "granular": {"restitution": 0.8, "wall_restitution": 0.7},
    "growing": {"growth_rate": 0.01, "growth_to_fraction": 0.3},
    "falling": {"gravity": (0.3, -1.0)},
    "falling, granular": {"gravity": (0.0, -1.0), "restitution": 0.9, "wall_restitution": 0.9},
    "falling, growing": {"gravity": (0.0, -0.5), "growth_rate": 0.005},
    "contact time": {"restitution": 0.6, "contact_time": 0.05},
}


def moving(seed, count, periodic, fraction, spread=0.0, masses=False, box=(1.0, 1.0)):
    rng = np.random.default_rng(seed)
    state = random_state(rng, count, periodic=periodic, fraction=fraction, spread=spread, box=box, free_masses=masses)
    state.velocities[:] = rng.normal(size=(count, len(box)))
    return state


def compare(state, events, **settings):
    names = {"growth_rate": "growth"}
    told = {names.get(key, key): value for key, value in settings.items() if key != "growth_to_fraction"}
    want = bounce(state, events, **told)
    simulation = bouncing(state, **settings)
    simulation.advance(max_events=events)
    frame = simulation.frame()
    pairs = np.sort(frame.impacts.pairs, axis=1)
    assert np.array_equal(pairs, np.sort(want.pairs, axis=1))
    assert np.abs(frame.impacts.time - want.times).max() < 1e-6
    delta = frame.positions - want.positions
    delta -= np.where(state.periodic, state.box * np.round(delta / state.box), 0.0)
    assert np.abs(delta).max() < 1e-5
    assert np.abs(frame.velocities - want.velocities).max() < 1e-4


BOTH_EDGES = [(name, periodic) for name in SETTINGS for periodic in (True, False)]
WITH_EDGE = [(name, periodic) for name, periodic in BOTH_EDGES if not (periodic and "gravity" in SETTINGS[name])]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("name", "periodic"), WITH_EDGE)
def test_event_by_event(name, periodic, seed):
    settings = SETTINGS[name]
    state = moving(seed, 9, periodic, 0.15, spread=0.5, masses=True)
    compare(state, 25, **settings)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("periodic", [(1, 0), (0, 1), (1, 0, 0), (0, 1, 1), (1, 0, 1)])
@pytest.mark.parametrize("name", SETTINGS)
def test_event_by_event_with_walls_along_some_axes(name, periodic, seed):
    settings, around = dict(SETTINGS[name]), Periodic(periodic)
    if "growth_rate" in settings and len(around) > 2:
        settings["growth_to_fraction"] = 0.1
    if "gravity" in settings:
        falls = (*settings["gravity"], 0.7)[: len(around)]
        settings["gravity"] = tuple(0.0 if wraps else g for wraps, g in zip(around, falls, strict=True))
    box = (1.4, 1.3, 1.1)[: len(around)]
    state = moving(seed, 9, around, 0.15 if len(box) < 3 else 0.05, spread=0.5, masses=True, box=box)
    compare(state, 25, **settings)


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("count", [2, 3, 5, 20])
def test_few_discs(count, periodic):
    compare(moving(count, count, periodic, 0.04 * count**0.5), 6, restitution=0.95)


def test_one_disc_in_a_box():
    state = moving(1, 1, False, 0.1)
    compare(state, 40)


def test_a_flat_box():
    compare(moving(4, 12, True, 0.2, box=(4.0, 0.6)), 20)


def test_one_disc_much_larger():
    state = moving(5, 14, True, 0.1)
    state.radii[:] = 0.01
    state.radii[0] = 0.18
    compare(keep_apart(state), 20)


def keep_apart(state):
    d = state.positions - state.positions[0]
    d -= state.box * np.round(d / state.box)
    far = np.hypot(d[:, 0], d[:, 1]) > 0.2
    far[0] = True
    for name in ("positions", "velocities", "radii", "masses", "cluster"):
        setattr(state, name, getattr(state, name)[far])
    return state
