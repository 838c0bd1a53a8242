"""A checkpoint of a gas that comes from a file: what ran passes, what was changed is refused or harmless."""

from __future__ import annotations

import numpy as np
import pytest

from engine import InputError, check_checkpoint
from engine.hard_discs import discs as d
from engine.hard_discs.simulation import HardDiscGas
from tests.engine.test_hard_discs_gas import KINDS, gas
from tests.session.saved_scenarios import assert_the_same


@pytest.mark.parametrize("kind", KINDS)
def test_what_ran_passes(kind):
    simulation = gas(**KINDS[kind])
    check_checkpoint(simulation.checkpoint())
    for events in (1, 100, 3000, 20_000):
        simulation.advance(max_events=events)
        check_checkpoint(simulation.checkpoint())
        simulation.advance(until_time=simulation.time * 1.0001)
        check_checkpoint(simulation.checkpoint())


def test_a_heap_and_a_collapse_pass():
    heap = gas(
        count=100,
        box__boundary="walls",
        hard_discs__gravity=(0.0, -1.0),
        hard_discs__restitution=0.5,
        hard_discs__wall_restitution=0.5,
    )
    progress = heap.advance(until_time=20.0, max_events=2_000_000)
    assert progress.finished
    assert "collapse" in progress.stop_reason
    check_checkpoint(heap.checkpoint())
    collapsed = gas(count=400, fraction=0.3, hard_discs__restitution=0.3)
    assert collapsed.advance(until_time=50.0).finished
    check_checkpoint(collapsed.checkpoint())


CHANGES = {
    "partner": ("ri", lambda a: a.reshape(-1, 8).__setitem__((3, d.WHAT), 10_000)),
    "list start": ("ri", lambda a: a.reshape(-1, 8).__setitem__((3, d.START), 1 << 28)),
    "list length": ("ri", lambda a: a.reshape(-1, 8).__setitem__((3, d.LENGTH), 150)),
    "neighbour": ("pool", lambda a: a.__setitem__(slice(0, 900, 2), 4_000_000_000)),
    "capacity": ("pool", lambda a: a.__setitem__(slice(None), 4_000_000_000)),
    "chain": ("ri", lambda a: a.reshape(-1, 8).__setitem__((slice(None), d.NEXT), 5)),
    "bins": ("bins", lambda a: a.__setitem__(slice(None), 2)),
    "rows": ("si", lambda a: a.__setitem__(d.ROWS, 1 << 20)),
    "cells": ("cell", lambda a: a.__setitem__(slice(None), 7)),
    "circle": ("cell_next", lambda a: a.__setitem__(slice(None), np.arange(len(a)))),
    "place": ("rec", lambda a: a.__setitem__(d.X, np.nan)),
    "far": ("rec", lambda a: a.__setitem__(d.X, 1e12)),
    "speed": ("rec", lambda a: a.__setitem__(d.VX, 1e300)),
    "event": ("rec", lambda a: a.__setitem__(d.EVENT, 1e300)),
    "order": ("original", lambda a: a.__setitem__(0, a[1])),
    "newest": ("ring_pair", lambda a: a.__setitem__(0, 1 << 30)),
    "past event": ("rec", lambda a: a.__setitem__(d.EVENT, 0.0)),
    "late event": ("rec", lambda a: a.reshape(-1, 8)[:, d.EVENT].__imul__(3.0)),
    "no event": ("rec", lambda a: a.reshape(-1, 8).__setitem__((slice(None), d.EVENT), np.inf)),
    "in a bin": ("si", lambda a: a.__setitem__(d.BIN, a[d.BIN] - 1)),
    "growth": ("sf", lambda a: a.__setitem__(d.GAMMA, 1e-3)),
    "grown": ("sf", lambda a: a.__setitem__(d.FACTOR, 3.0)),
    "bin width": ("sf", lambda a: a.__setitem__(d.PER_BIN, 1e300)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_changed_is_refused(change):
    simulation = gas()
    simulation.advance(max_events=3000)
    checkpoint = simulation.checkpoint()
    name, alter = CHANGES[change]
    alter(checkpoint.arrays[name])
    with pytest.raises(InputError, match="damaged"):
        check_checkpoint(checkpoint)


NUMBERS = ("COUNT", "POOL_SIZE", "EQUAL_MASSES", "MASK", "EPOCH_LENGTH", "GRAVITY", "LEVELS")
MADE_ANEW = {
    **{name: ("si", getattr(d, name), 1 << 40) for name in NUMBERS},
    **{
        name: ("sf", getattr(d, name), 1e20)
        for name in ("HALF_X", "HALF_Y", "FRACTION", "RESTITUTION", "WALL_RESTITUTION", "CONTACT_TIME", "GX", "GY")
    },
    **{
        name: ("sf", getattr(d, name), 1e20)
        for name in ("GROWTH_FACTOR", "SHELL_RADIUS", "PAD", "LARGEST", "REACH_SLACK", "LIST_FACTOR")
    },
    "radius": ("rec", d.R, 1e20),
    "level": ("ri", d.FLAGS, 7 << d.LEVEL_BIT),
    "edge": ("ri", d.FLAGS, d.EDGE | d.NEAR_WALLS),
    "mass": ("mass", 0, 1e20),
    "cells a length": ("grid_f", 0, 1e20),
    "columns": ("grid_i", 0, 1 << 40),
    "first cell": ("grid_i", 2, 1 << 40),
}


@pytest.mark.parametrize("kind", ["elastic", "falling", "growing", "polydisperse"])
@pytest.mark.parametrize("change", MADE_ANEW)
def test_what_follows_from_other_numbers_is_made_anew(kind, change):
    """Whatever a file says of them, the run goes on as if nothing had been changed."""
    simulation = gas(**KINDS[kind])
    simulation.advance(max_events=3000)
    checkpoint = simulation.checkpoint()
    name, place, value = MADE_ANEW[change]
    checkpoint.arrays[name][place] = value
    check_checkpoint(checkpoint)
    again = HardDiscGas.from_checkpoint(checkpoint)
    for events in (10, 20_000):
        simulation.advance(max_events=events)
        again.advance(max_events=events)
        assert_the_same(again, simulation)


def test_arrays_of_another_shape_or_missing_ones_are_refused():
    checkpoint = gas().checkpoint()
    for name in list(checkpoint.arrays):
        whole = checkpoint.arrays[name]
        for bad in (whole[:-1], whole.astype(np.complex128), None):
            checkpoint.arrays[name] = bad
            if bad is None:
                del checkpoint.arrays[name]
            if name != "pool" or bad is None or bad.dtype != whole.dtype:
                with pytest.raises(InputError, match="damaged"):
                    check_checkpoint(checkpoint)
            checkpoint.arrays[name] = whole
    check_checkpoint(checkpoint)


def test_random_bytes_are_refused_or_run():
    """Single values at random places replaced by telling ones: what passes has to run to the end of its slice."""
    rng = np.random.default_rng(5)
    simulation = gas(count=60, box__boundary="walls", hard_discs__gravity=(0.0, -0.2))
    simulation.advance(max_events=500)
    refused = 0
    for _ in range(400):
        checkpoint = simulation.checkpoint()
        name = str(rng.choice(["rec", "ri", "ref", "pool", "bins", "heap", "cell", "cell_next", "si", "sf", "grid_i"]))
        array = checkpoint.arrays[name]
        value = rng.choice([-1.0, 0.0, 1.0, 7.0, 1e9, float(rng.integers(100))])
        if array.dtype.kind == "u":
            value = abs(value)
        array[rng.integers(len(array))] = value
        try:
            check_checkpoint(checkpoint)
        except InputError:
            refused += 1
            continue
        HardDiscGas.from_checkpoint(checkpoint).advance(max_events=500, budget=0.05)
    assert refused > 50
