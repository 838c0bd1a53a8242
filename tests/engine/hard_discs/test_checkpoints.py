"""A checkpoint of a gas that comes from a file: what ran passes, what was changed is refused or harmless."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from engine import InputError, check_checkpoint
from engine.hard_discs import discs as d
from engine.hard_discs.simulation import HardDiscGas
from tests.builders.states import gas
from tests.engine.hard_discs.test_gas import KINDS
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


def put(field, value, place=0):
    """Change one field of one record, or of those of a slice."""

    def change(array):
        array[field][place] = value

    return change


CHANGES = {
    "partner": ("entry", put("what", 10_000, 3)),
    "rows": ("state", put("rows", 1 << 20)),
    "place": ("motion", put("x", np.nan)),
    "far": ("motion", put("x", 1e12)),
    "speed": ("motion", put("vx", 1e300)),
    "event": ("entry", put("event", 1e300)),
    "order": ("original", lambda a: a.__setitem__(0, a[1])),
    "newest": ("newest", put("one", 1 << 30)),
    "past event": ("entry", put("event", 0.0)),
    "late event": ("entry", lambda a: a["event"].__imul__(3.0)),
    "renewal before the event": ("motion", put("renewal", 0.0)),
    "no event": ("entry", put("event", np.inf, slice(None))),
    "growth": ("state", put("growth_rate", 1e-3)),
    "grown": ("state", put("radius_factor", 3.0)),
    "bin width": ("state", put("bins_per_time", 1e300)),
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


COUNTS = (
    *("count", "equal_masses", "listed", "epoch_length", "gravity", "level_count", "bin", "bin_mask", "queued"),
    *("blocks_used", "free_block", "blocks_free", "waiting_used", "free_waiting", "waiting_free"),
    *("coming_at", "coming_end", "coming_size", "late_count", "late_size"),
)
LENGTHS = ("shell_radius", "list_pad", "largest_radius", "reach_slack", "list_factor", "half_x", "half_y")
SETTINGS = ("first_fraction", "restitution", "wall_restitution", "contact_time", "gx", "gy", "final_factor")
MADE_ANEW = {
    **{name: ("state", put(name, 1 << 40)) for name in COUNTS},
    **{name: ("state", put(name, 1e20)) for name in (*LENGTHS, *SETTINGS)},
    "radius": ("motion", put("radius", 1e20)),
    "rounded radius": ("place", put("radius", 1e20)),
    "level": ("motion", put("flags", 7 << d.LEVEL_BIT)),
    "edge": ("motion", put("flags", d.EDGE | d.NEAR_WALLS)),
}


AFTER = 10, 20_000


@cache
def undisturbed(kind):
    """A run at 3000 events, and the same one a little and much later, for all tests that go on from there."""
    runs = [gas(**KINDS[kind]) for _ in range(1 + len(AFTER))]
    for number, run in enumerate(runs):
        for events in (3000, *AFTER)[: number + 1]:
            run.advance(max_events=events)
    return runs[0], runs[1:]


@pytest.mark.parametrize("kind", ["elastic", "falling", "growing", "polydisperse"])
@pytest.mark.parametrize("change", MADE_ANEW)
def test_what_follows_from_other_numbers_is_made_anew(kind, change):
    """Whatever a file says of them, the run goes on as if nothing had been changed."""
    begun, later = undisturbed(kind)
    checkpoint = begun.checkpoint()
    name, alter = MADE_ANEW[change]
    alter(checkpoint.arrays[name])
    check_checkpoint(checkpoint)
    again = HardDiscGas.from_checkpoint(checkpoint)
    for events, wanted in zip(AFTER, later, strict=True):
        again.advance(max_events=events)
        assert_the_same(again, wanted)


def test_files_may_hold_arrays_that_are_made_anew_and_they_are_ignored():
    simulation = gas()
    simulation.advance(max_events=3000)
    checkpoint = simulation.checkpoint()
    for name in d.REBUILT:
        assert name not in checkpoint.arrays
        checkpoint.arrays[name] = np.full(7, 1 << 30)
    check_checkpoint(checkpoint)
    again = HardDiscGas.from_checkpoint(checkpoint)
    for each in (simulation, again):
        each.advance(max_events=20_000)
    assert_the_same(again, simulation)


def test_arrays_of_another_shape_or_missing_ones_are_refused():
    checkpoint = gas().checkpoint()
    for name in list(checkpoint.arrays):
        whole = checkpoint.arrays[name]
        another = whole.astype(np.complex128) if whole.dtype.names is None else whole.view(np.uint8)
        for bad in (whole[:-1], another, None):
            checkpoint.arrays[name] = bad
            if bad is None:
                del checkpoint.arrays[name]
            if name not in ("collapse_time", "collapse_discs") or bad is None or bad.dtype != whole.dtype:
                with pytest.raises(InputError, match="damaged"):
                    check_checkpoint(checkpoint)
            checkpoint.arrays[name] = whole
    check_checkpoint(checkpoint)


DAMAGED = ["motion", "entry", "place", "state", "state"]


def test_random_bytes_are_refused_or_run():
    """Single values at random places replaced by telling ones: what passes has to run to the end of its slice."""
    rng = np.random.default_rng(5)
    simulation = gas(count=60, box__boundary="walls", hard_discs__gravity=(0.0, -0.2))
    simulation.advance(max_events=500)
    refused = 0
    for _ in range(400):
        checkpoint = simulation.checkpoint()
        name = str(rng.choice(DAMAGED))
        array = checkpoint.arrays[name]
        if array.dtype.names is not None:
            array = array[rng.choice(array.dtype.names)]
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
