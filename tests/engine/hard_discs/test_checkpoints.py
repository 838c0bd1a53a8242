"""A checkpoint of a gas that comes from a file: what ran passes, what was changed is refused or harmless."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from engine import InputError, check_checkpoint
from engine.hard_discs import discs as d
from engine.hard_discs.saved import STRETCHES
from engine.hard_discs.simulation import HardDiscGas
from tests.builders.states import gas
from tests.engine.hard_discs.test_gas import EVERY_KIND, KINDS
from tests.session.saved_scenarios import assert_the_same


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_what_ran_passes(kind):
    simulation = gas(**EVERY_KIND[kind])
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


def times(field, factor):
    """Multiply one field of all records."""
    return lambda array: put(field, factor * array[field], slice(None))(array)


def only(place, value):
    """Change one entry of a plain array."""
    return lambda array: array.__setitem__(place, value)


BACKWARDS = np.array([(1.0, 1.0, 0.0, 0.0), (0.5, 0.9, 0.0, 0.0)], STRETCHES.dtype)

CHANGES = {
    "partner": ("entry", put("what", 10_000, 3), "what of entry"),
    "rows": ("state", put("rows", 1 << 20), "rows of state"),
    "place": ("motion", put("x", np.nan), "x of motion"),
    "speed": ("motion", put("vx", 1e300), "vx of motion"),
    "newest": ("newest", put("one", 1 << 30), "one of newest"),
    "an energy of the history": ("log", put("kinetic_energy", np.inf), "kinetic_energy of log"),
    "a small radius": ("radii", only(0, 1e-13), "a radius"),
    "a large radius": ("radii", only(0, 4.0), "fit into the box"),
    "grown": ("state", put("radius_factor", 3.0), "fit into the box"),
    "growing": ("state", put("growing", 1), "growth is not that of its scenario"),
    "growth": ("state", put("growth_rate", 1e-3), "growth does not fit"),
    "pressure of growth": ("state", put("z_check", 7), "growth does not fit"),
    "order": ("original", lambda a: a.__setitem__(0, a[1]), "names one disc twice"),
    "time ahead": ("motion", put("time", 1e9), "time of a disc"),
    "reference": ("place", put("x", 1e6), "a reference point"),
    "history backwards": ("log", put("time", 1e9), "history is not in order"),
    "clock": ("clock", only(0, 1e9), "time does not fit"),
    "held": ("motion", put("flags", d.HELD_X), "held by a wall"),
    "past event": ("entry", put("event", 0.0), "in the past"),
    "renewal before the event": ("motion", put("renewal", 0.0), "again before its event"),
    "a wall of a periodic box": ("entry", put("what", d.WALL_LEFT), "a wall that is not there"),
    "itself": ("entry", put("what", 3, 3), "meets itself"),
    "no kind": ("entry", put("what", d.NOTHING, slice(None)), "no known kind"),
    "bin width": ("state", put("bins_per_time", 1e300), "calendar"),
    "far": ("motion", put("x", 1e12), "not in its shell"),
    "no event": ("entry", put("event", np.inf, slice(None)), "again before its event"),
    "late event": ("entry", times("event", 3.0), "again before its event"),
}


@cache
def saved(kind):
    """A run of this kind at 3000 events."""
    simulation = gas(**KINDS[kind])
    simulation.advance(max_events=3000)
    return simulation.checkpoint()


def spoiled(kind, *changes):
    """`saved` with arrays changed in place, or replaced where a change gives another one."""
    checkpoint = saved(kind).own_copy()
    for name, alter in changes:
        new = alter(checkpoint.arrays[name])
        checkpoint.arrays[name] = new if isinstance(new, np.ndarray) and new.ndim else checkpoint.arrays[name]
    return checkpoint


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_changed_is_refused(change):
    name, alter, words = CHANGES[change]
    check_checkpoint(saved("elastic"))
    with pytest.raises(InputError, match=f"damaged: .*{words}"):
        check_checkpoint(spoiled("elastic", (name, alter)))


NEVER_AGAIN = ("motion", put("renewal", np.inf, slice(None)))
TOGETHER = {
    "rate of growth": ("growing", "growth does not fit", ("state", times("growth_rate", 1.1))),
    "gravity": ("falling", "gravity in a periodic box", ("state", put("periodic", 1))),
    "a short history": ("elastic", "history is out of range", ("log", lambda a: a[:1])),
    "no stretches": ("elastic", "no stretches", ("stretches", lambda a: a[:0].copy())),
    "stretches backwards": ("elastic", "not in order", ("stretches", lambda a: BACKWARDS)),
    "two collapses": ("elastic", "a collapse", ("collapse_time", lambda a: np.zeros(2))),
    "no event at all": (
        *("elastic", "nothing ever happens", NEVER_AGAIN),
        *(("entry", put("event", np.inf, slice(None))), ("state", put("epoch_end", np.inf))),
    ),
    "late events": (
        *("elastic", "leaves its shell", NEVER_AGAIN),
        ("entry", times("event", 3.0)),
    ),
    "late events of what falls": (
        *("falling", "leaves its shell", NEVER_AGAIN),
        ("entry", times("event", 30.0)),
    ),
}


@pytest.mark.parametrize("change", TOGETHER)
def test_what_was_changed_in_several_places_is_refused(change):
    kind, words, *changes = TOGETHER[change]
    check_checkpoint(saved(kind))
    with pytest.raises(InputError, match=f"damaged: .*{words}"):
        check_checkpoint(spoiled(kind, *changes))


def as_in_0_2(checkpoint):
    """With the fields and arrays that files of version 0.2.0 have too, full of nonsense."""
    wide = checkpoint.own_copy()
    for name, dtype in (("motion", d.MOTION), ("entry", d.ENTRY), ("place", d.PLACE), ("state", d.STATE)):
        array = wide.arrays[name]
        wide.arrays[name] = np.full(array.shape, 1e9, np.float64).astype(
            [(field, dtype[field]) for field in dtype.names]
        )
        for field in array.dtype.names:
            wide.arrays[name][field] = array[field]
    wide.arrays["log"] = np.resize(wide.arrays["log"], d.MOST_ROWS)
    wide.arrays["lists"] = np.full(7, 1 << 30)
    flags = wide.arrays["motion"]["flags"]
    flags[: len(flags) // 2] |= d.EDGE | d.NEAR_WALLS | 7 << d.LEVEL_BIT
    return wide


@pytest.mark.parametrize("kind", ["elastic", "falling", "growing", "polydisperse"])
def test_what_is_not_declared_is_not_read(kind):
    """It is made anew: whatever a file says of it, the run goes on as if nothing had been changed."""
    wide = as_in_0_2(saved(kind))
    check_checkpoint(wide)
    again, wanted = HardDiscGas.from_checkpoint(wide), gas(**KINDS[kind])
    wanted.advance(max_events=3000)
    for events in (10, 20_000):
        again.advance(max_events=events)
        wanted.advance(max_events=events)
        assert_the_same(again, wanted)
    assert "lists" not in again.checkpoint().arrays


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
    for _ in range(200):
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
    assert refused > 25
