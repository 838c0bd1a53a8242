"""`advance` of every simulation: limits that are refused, and Ctrl-C at any moment, after which everything agrees."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import engine
from engine import slices
from engine.aggregation.event_driven import loop as event_driven_loop
from engine.aggregation.time_stepping import loop as stepping_loop
from engine.errors import InputError
from engine.hard_discs import epoch
from engine.hard_discs import loop as gas_loop
from engine.jamming import run as jamming_run
from engine.scenario import Scenario
from engine.simulation import Simulation
from engine.slices import HeldSignals, Limits

JAMMING = {
    "system": "jamming",
    "seed": 5,
    "box.boundary": "periodic",
    "discs.arrangement": "random",
    "discs.count": 64,
    "discs.volume_fraction": 0.7,
    "discs.radii": "bidisperse",
    "discs.spread": 1.4,
}
SYSTEMS: dict[str, dict[str, Any]] = {
    "event-driven": {"discs.count": 400},
    "time-stepping": {"discs.count": 400, "aggregation.method": "time-stepping"},
    "hard-discs": {"system": "hard-discs", "discs.count": 100, "velocities.distribution": "maxwell"},
    "jamming": JAMMING,
    "jamming, grown": JAMMING | {"jamming.start": "grown", "discs.volume_fraction": 0.3},
}


def created(name: str) -> Simulation:
    return engine.create(Scenario().with_values(SYSTEMS[name]))


def same(a: Simulation, b: Simulation) -> None:
    """Two simulations of one scenario are in the same state."""
    one, two = a.frame(), b.frame()
    assert (a.time, one.time, one.clusters) == (b.time, two.time, two.clusters)
    np.testing.assert_array_equal(one.positions, two.positions)
    np.testing.assert_array_equal(one.velocities, two.velocities)
    np.testing.assert_array_equal(a.history().time, b.history().time)


def agrees(simulation: Simulation) -> None:
    """Time, frame and history tell of one moment."""
    frame, history = simulation.frame(), simulation.history()
    assert frame.time == simulation.time
    assert history.time[-1] <= simulation.time
    assert history.clusters[-1] == frame.clusters
    same(simulation, engine.restore(simulation.checkpoint()))


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"until_time": math.nan}, "until_time must be a simulation time, or inf for no limit, not nan"),
        ({"until_time": "10"}, "until_time must be .*, not '10'"),
        ({"until_time": None}, "until_time must be .*, not None"),
        ({"until_time": True}, "until_time must be .*, not True"),
        ({"budget": -0.1}, "budget must be at least 0 seconds, or inf for no limit, not -0.1"),
        ({"budget": "fast"}, "budget must be"),
        ({"until_clusters": 0}, "until_clusters must be a whole number of at least 1, not 0"),
        ({"until_clusters": 1.5}, "until_clusters must be a whole number"),
        ({"max_events": -1}, "max_events must be a whole number of at least 0, or None for no limit, not -1"),
    ],
)
def test_wrong_limits_of_advance_are_refused(name: str, limits: dict[str, Any], words: str) -> None:
    simulation = CREATED[name]
    with pytest.raises(InputError, match=words) as told:
        simulation.advance(**limits)
    assert told.value.key == next(iter(limits))
    assert simulation.time == 0.0


class _Created(dict[str, Simulation]):
    """One simulation of each kind, for tests that do not change it."""

    def __missing__(self, name: str) -> Simulation:
        self[name] = created(name)
        return self[name]


CREATED = _Created()


def test_numbers_of_all_kinds_are_limits() -> None:
    assert Limits.checked(np.float32(0.5), 2, np.int64(3), np.uint8(4)) == Limits(0.5, 2.0, 3, 4)
    assert Limits.checked(10**400, math.inf, 10**30, None) == Limits(math.inf, math.inf, 10**30, None)
    assert Limits.checked(-1, 0, 1, 0) == Limits(-1.0, 0.0, 1, 0)  # a time that is over: nothing happens


def _interrupting(function: Callable[..., Any], call: int) -> Callable[..., Any]:
    """The same function; at the end of its call of this number comes Ctrl-C."""
    calls = 0

    def interrupted(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        found = function(*arguments, **options)
        calls += 1
        if calls == call:
            signal.raise_signal(signal.SIGINT)
        return found

    return interrupted


PLACES = [
    ("event-driven", event_driven_loop, "run", 3),
    ("time-stepping", stepping_loop, "run", 3),
    ("hard-discs", gas_loop, "run", 3),
    ("hard-discs", epoch, "sort_pass", 2),  # in the middle of a rebuild
    ("hard-discs", epoch, "build_lists", 3),
    ("jamming", jamming_run, "build_program", 3),
    ("jamming", jamming_run, "Outcome", 2),  # after the new positions, before the history
    ("jamming, grown", gas_loop, "run", 3),
]


@pytest.mark.parametrize(("name", "module", "function", "call"), PLACES)
def test_ctrl_c_at_any_moment_leaves_one_moment(
    monkeypatch: pytest.MonkeyPatch, name: str, module: Any, function: str, call: int
) -> None:
    simulation, other = created(name), created(name)
    handler = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patched:
        patched.setattr(slices, "LONGEST_SLICE", 1e-9)  # many calls of a kernel, also of few discs
        patched.setattr(module, function, _interrupting(getattr(module, function), call))
        with pytest.raises(KeyboardInterrupt):
            simulation.advance(max_events=100_000)
    assert signal.getsignal(signal.SIGINT) is handler
    agrees(simulation)
    for one in (simulation, other):  # and it goes on as if nothing had been
        happened = one.advance(max_events=0).happened
        one.advance(max_events=100_000 - happened if name == "hard-discs" else None)
    same(simulation, other)


def wait_until_inside(function: str, thread: int) -> None:
    """Wait until a thread is inside a function of this name."""
    names: list[str] = []
    while function not in names:
        time.sleep(1e-3)
        frame = sys._current_frames().get(thread)
        names = [one.name for one in traceback.StackSummary.extract(traceback.walk_stack(frame), lookup_lines=False)]


@pytest.mark.parametrize("name", ["hard-discs", "jamming"])
def test_ctrl_c_from_outside_ends_a_run_without_an_end(name: str) -> None:
    values = SYSTEMS[name] | ({"discs.count": 4096, "discs.volume_fraction": 0.8} if name == "jamming" else {})
    simulation = engine.create(Scenario().with_values(values))
    simulation.advance(max_events=1)
    main = threading.get_ident()

    def send() -> None:
        wait_until_inside("advance", main)
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        simulation.advance()
    sender.join()
    agrees(simulation)


def test_a_handler_that_does_not_raise_lets_the_run_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation, other = created("event-driven"), created("event-driven")
    came: list[int] = []
    monkeypatch.setattr(slices, "LONGEST_SLICE", 1e-9)
    monkeypatch.setattr(event_driven_loop, "run", _interrupting(event_driven_loop.run, 2))
    before = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    try:
        assert simulation.advance().finished
    finally:
        signal.signal(signal.SIGINT, before)
    assert came == [signal.SIGINT]
    other.advance()
    same(simulation, other)


def test_signals_are_held_to_the_end_of_the_block_and_nest() -> None:
    cut = threading.Event()
    seen: list[bool] = []

    def held() -> None:
        with HeldSignals(cut) as outer:
            with HeldSignals() as inner:
                signal.raise_signal(signal.SIGINT)
                seen.extend((inner.waiting, outer.waiting))
            seen.extend((outer.waiting, cut.is_set()))

    with pytest.raises(KeyboardInterrupt):
        held()
    assert seen == [True, False, True, True]
    assert not cut.is_set()


def test_other_threads_have_no_signals_to_hold() -> None:
    ended: list[bool] = []

    def run() -> None:
        ended.append(created("event-driven").advance().finished)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert ended == [True]
