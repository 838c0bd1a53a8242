"""A real session is given commands at random, and whenever it is at rest all that it says of its run is compared with
the engine alone: with the run that its script makes, and with the session file that it saves."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from aggviewer.document.view import ColorScale, ViewModel, fields_of
from aggviewer.document.window import PaceModel
from aggviewer.session import Notice, Session
from aggviewer.session.commands.changes import Throw
from aggviewer.session.log import Log, repeatable, script
from aggviewer.session.saved.session_file import read_session
from aggviewer.systems.registry import view_of
from engine.frame import Frame
from engine.scenario import Scenario
from engine.simulation import Stride
from engine.system import system, throws
from tests.session.driving import real_session, settle, until

METHOD, STEP = "aggregation.method", "aggregation.time_stepping"

DISCS = Scenario.from_values({"seed": 3, "discs": {"count": 64}, "box": {"boundary": "walls"}})
GAS = DISCS.with_values({"system": "hard-discs", "discs.volume_fraction": 0.3, "velocities.distribution": "maxwell"})
PACKING = DISCS.with_values(
    {
        "system": "jamming", "box.boundary": "periodic", "discs.count": 32, "discs.arrangement": "random",
        "discs.volume_fraction": 0.7, "discs.radii": "bidisperse", "discs.spread": 1.4,
    }
)  # fmt: skip

SETTINGS: dict[str, dict[str, tuple[Any, ...]]] = {
    "aggregation": {
        METHOD: ("event-driven", "time-stepping"),
        f"{STEP}.clusters": ("rigid", "deformable"),
        f"{STEP}.fraction": (0.25, 0.5),
        "aggregation.damping.alpha": (0.1, 0.2),
    },
    "hard-discs": {
        "hard_discs.restitution": (1.0, 0.9, 0.7),
        "hard_discs.wall_restitution": (1.0, 0.8),
        "hard_discs.gravity": ((0.0, 0.0), (0.0, -1.0), (0.5, -0.5)),
    },
    "jamming": {},
}
"""What may change while a system runs, and values of it; two runs of a comparison differ by one of them."""


class Hand:
    """Somebody who does this and that with a session, always the same for the same seed.

    done : what was done, for when something is wrong.
    """

    def __init__(self, session: Session, seed: int, folder: Path) -> None:
        self.session = session
        self.folder = folder
        self.done: list[str] = []
        self._random = random.Random(seed)
        self._wrong: list[str] = []
        self._pictures: dict[int, Frame] = {}
        session.notices.sent.connect(self._hear)

    def _hear(self, notice: Notice) -> None:
        words = f"{notice.title} {notice.text} {notice.details}"
        if notice.title == "The command failed" or "Traceback" in words or "pydantic" in words:
            self._wrong.append(words)

    def act(self) -> None:
        """Give one command, and wait until it has been carried out."""
        kind = self._random.choice(self._kinds())
        self.done.append(kind.__name__.strip("_"))
        kind()
        settle(self.session)
        assert not self._wrong, self._wrong

    def _kinds(self) -> list[Callable[[], None]]:
        usual = [
            self._step,
            self._frame,
            self._run,
            self._run,
            self._set,
            self._set,
            self._back,
            self._look,
            self._pace,
        ]
        return [*usual, self._throw, self._compare, self._undo, self._redo, self._again, self._another, self._seen]

    def _note(self, *what: object) -> None:
        self.done[-1] += f" {', '.join(str(one) for one in what)}"

    @property
    def settings(self) -> dict[str, tuple[Any, ...]]:
        """What may be set now."""
        return SETTINGS[self.session.status().system]

    # commands

    def _step(self) -> None:
        for _ in range(self._random.randint(1, 6)):
            self.session.step_event()

    def _frame(self) -> None:
        for _ in range(self._random.randint(1, 3)):
            self.session.step_frame()

    def _run(self) -> None:
        """Until the run is held by itself, where it does not end before."""
        status = self.session.status()
        further = 2.0 if status.system == "jamming" else self._random.uniform(0.05, 0.6)
        if self._random.random() < 0.7:
            goal = Stride(time=status.time + further)
        else:
            goal = Stride(events=sum(status.events.get(name, 0) for name in ("merge", "collision", "wall")) + 20)
        self._note(goal)
        self.session.hold_at(goal)
        self.session.run()
        settle(self.session)
        until(lambda: self.session.status().state in ("paused", "finished"))
        self.session.hold_at(None)

    def _set(self) -> None:
        if self.settings:
            key = self._random.choice(sorted(self.settings))
            value, lane = self._random.choice(self.settings[key]), self._random.choice((0, 0, 1))
            self._note(key, value, lane)
            self.session.set_parameter(key, value, lane)

    def _back(self) -> None:
        for _ in range(self._random.randint(1, 4)):
            self.session.step_back()

    def _look(self) -> None:
        timeline = self.session.status().timeline
        if timeline is not None:
            self.session.look_at(self._random.uniform(timeline.begin, timeline.end))

    def _pace(self) -> None:
        speed, every_frame = self._random.choice(((inf, False), (inf, True), (50.0, False)))
        self._note(speed, every_frame)
        self.session.set_speed(speed, every_frame=every_frame)

    def _throw(self) -> None:
        if throws(system(self.session.status().system)) is not None:
            place, velocity = ((self._random.uniform(-3.0, 6.0), self._random.uniform(-3.0, 6.0)) for _ in range(2))
            disc, moved = self._random.randint(0, 8), self._random.choice((None, place))
            throw = Throw(disc, moved, velocity, lane=self._random.choice((0, 0, 1)))
            self._note(throw)
            self.session.give(throw)

    def _compare(self) -> None:
        if len(self.session.status().lanes) > 1 or not self.settings:
            self.session.compare(None)
            return
        key = self._random.choice(sorted(self.settings))
        value, from_start = self._random.choice(self.settings[key]), self._random.random() < 0.3
        self._note(key, value, from_start)
        self.session.compare({key: value}, from_start=from_start)

    def _undo(self) -> None:
        self.session.history.undo()

    def _redo(self) -> None:
        self.session.history.redo()

    def _again(self) -> None:
        self.session.restart(self._random.choice((None, self._random.randint(1, 9))))

    def _another(self) -> None:
        scenario = self._random.choice((DISCS, DISCS, GAS, GAS, PACKING)).with_values(
            {"seed": self._random.randint(1, 9)}
        )
        self._note(scenario.system, scenario.seed)
        self.session.load(scenario, run=False)

    def _seen(self) -> None:
        """Another colour, scale, layer or background; a click on a disc."""
        view = self.session.view
        view.color_by = self._random.choice([field.name for field in fields_of(self.session.status().system)])
        view.layers = tuple(self._random.sample(("forces", "hulls", "velocities"), self._random.randint(0, 3)))
        view.background = self._random.choice(("dark", "#102030"))
        view.scales = {"speed": ColorScale(low=self._random.random(), log=True, steps=4)}

    # what is compared

    def check(self) -> None:
        """Hold the session, and compare."""
        self.session.pause()
        settle(self.session)
        until(lambda: self.session.status().state in ("paused", "finished"))
        self.done.append("check")
        first = engine.restore(self.session.checkpoint())
        status = self.session.status()
        assert (first.time, first.frame().clusters) == (status.lanes[0].time, status.lanes[0].clusters)
        if status.past is None:
            # the clock of iterations may be a part of one further than the frame; a second lane may have ended early
            frame = first.frame()
            times = [frame.time, *(lane.time for lane in status.lanes[1:])]
            until(lambda: all(self._picture(lane).time == time for lane, time in enumerate(times)))
            alike(self._picture(0), frame)
        log = self.session.log
        if repeatable(log):
            alike(made_by_script(log, first.time).frame(), first.frame())
        self._saved(first.frame())

    def _picture(self, lane: int) -> Frame:
        """The newest frame of a lane; a frame that was taken is not given a second time."""
        newest = self.session.publishers.latest_frame(lane)
        if newest is not None:
            self._pictures[lane] = newest.frame
        return self._pictures[lane]

    def _saved(self, frame: Frame) -> None:
        """A saved session holds all that there is, and opens as it was."""
        path, session = self.folder / "saved.aggsession", self.session
        path.unlink(missing_ok=True)
        session.save_session(path)
        settle(session)
        assert not self._wrong, self._wrong
        state = read_session(path)
        assert (len(state.lanes), state.time) == (len(session.status().lanes), session.status().lanes[0].time)
        pace = state.document.part(PaceModel)
        assert (state.document.part(ViewModel), pace.requested_speed, pace.every_frame) == (
            session.view,
            session.status().speed,
            session.status().every_frame,
        )
        alike(engine.restore(state.lanes[0]).frame(), frame)
        with real_session(measuring_view_of=view_of) as other:
            other.resume(state)
            settle(other)
            assert len(other.status().lanes) == len(state.lanes)
            opened = other.publishers.latest_frame(0)
            alike(opened.frame, frame)


def made_by_script(log: Log, time: float) -> Any:
    """The simulation that *Copy as Python* describes; its picture is left out."""
    text, _, _ = script(log, time).partition("axes = ")
    names: dict[str, Any] = {}
    exec(compile(text, "<script>", "exec"), names)
    return names["simulation"]


def alike(one: Frame, other: Frame) -> None:
    """The same state, bit for bit."""
    assert one.time == other.time
    assert one.clusters == other.clusters
    assert np.array_equal(one.positions, other.positions)
    assert np.array_equal(one.velocities, other.velocities)
    assert np.array_equal(one.cluster, other.cluster)


@contextmanager
def told(hand: Hand) -> Iterator[None]:
    """What fails is told with all that was done before."""
    try:
        yield
    except Exception as error:
        error.add_note("after: " + "; ".join(hand.done))
        raise


def try_out(scenario: Scenario, seed: int, rounds: int, folder: Path) -> None:
    """Some commands and a look, so many times."""
    with real_session(scenario, measuring_view_of=view_of) as session:
        hand = Hand(session, seed, folder)
        with told(hand):
            for number in range(rounds):
                for _ in range(1 + (seed + number) % 4):
                    hand.act()
                hand.check()


BEGINNINGS = {"aggregation": DISCS, "gas": GAS, "packing": PACKING}


@pytest.mark.parametrize("name", BEGINNINGS)
def test_whatever_is_done_a_session_tells_what_the_engine_does(name: str, tmp_path: Path) -> None:
    try_out(BEGINNINGS[name], 1, 6, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("name", BEGINNINGS)
def test_the_same_for_longer(name: str, seed: int, tmp_path: Path) -> None:
    try_out(BEGINNINGS[name], seed, 60, tmp_path)
