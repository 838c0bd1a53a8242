"""The bar below the picture: run, step, restart, time, playback speed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import inf
from typing import Literal

from PyQt6.QtCore import QSignalBlocker, Qt
from PyQt6.QtWidgets import QMenu, QToolButton

from aggviewer.document.model import field_events
from aggviewer.document.window import DEFAULT_SPEED, Limit
from aggviewer.session import Shown, Status
from aggviewer.session.commands.beginning import StartFromShown
from aggviewer.style import numbers
from aggviewer.systems.base import RunningSystem, new_start
from aggviewer.systems.registry import view_of
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part
from aggviewer.widgets.transport import PaceRange, Transport
from aggviewer.window.refresher import Refresher
from aggviewer.window.settings import WindowSettings
from aggviewer.window.stage import Stage
from engine.system import Clock
from engine.words import count

SLOWEST, FASTEST = 0.01, 1000.0
"""Ends of the speed slider, simulation time per second."""

_BUTTONS = ("run.step_back", "run.step_frame", "run.step_event", "run.restart", "run.new_seed")
_PLAYING = ("run.backwards", "run.loop")  # for recordings; the first also for the past of a run
_GRADES: dict[Limit, str] = {"frames": "run.fastest", "none": "run.no_limit"}  # without a pace
_SEEDS = 1_000_000  # new seeds are below this, to be short enough to read out
_BUILT = "The run is still being built"
_TIP = (
    "Drag to look back. Run replays up to the present, then continues the simulation.\n"
    "← steps back one frame. Orange ticks: large clusters merged, or you moved a disc."
)
_TIP_COUNTED = (
    "Drag to look back at earlier {0}s. Run replays up to the present, then continues the simulation.\n"
    "← steps back one {0}."
)
_WHY_NOT = {
    "empty": "There is no run yet",
    "loading": _BUILT,
    "compiling": _BUILT,
    "finished": "The run has ended. Restart it to run again",
    "failed": "The run has failed. Restart it to run again",
}
"""Why *Run* is disabled, by state of the session."""
_PRESENT = "You are already at the present"
_NO_PAST = "This run has no earlier frames yet"
_NO_SEED = "A recording has no seed"
_NO_LOOP = "Only recordings can loop"
LEAVE_OUT = (
    "speed word",
    "run.new_seed",
    "words",  # beside the icons that lead back to the present
    "value",  # of the speed, which is also in the slider's tool tip
    "long slider",
    "run.step_frame",
    "run word",
    "run.restart",
    "run.fastest",
)
"""The parts that the bar hides when there is little room, in this order. Everything is also in the menus or shown
elsewhere."""


class RunTransport(Transport, Part):
    """The transport of the run: shows its state and sends commands to the session."""

    def __init__(self, context: Context) -> None:
        self._clock = numbers.TIME  # what time and speed count
        super().__init__(PaceRange(SLOWEST, FASTEST, DEFAULT_SPEED, self._pace_text), ("Run", "Pause"), LEAVE_OUT)
        self._session = session = context.session
        self._running_system = context[RunningSystem]
        self._commands = commands = context.commands
        self._settings = settings = context[WindowSettings]
        session.set_memory(settings.memory << 20)
        self._replay = self._looks_back = False
        self._state = "empty"
        self._document, self._paces = context.document, context.document.pace
        commands.add(*self._own_commands())  # added here because the buttons below need them
        self.timeline.log = settings.log_time
        settings.changed.connect(self._on_setting)
        self.asked.connect(session.look_at)
        self.timeline.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.timeline.addAction(commands.action("run.log_time"))
        self.run_asked.connect(lambda: commands.run(self._run_command))
        self.add_left({name: commands.button(name) for name in (*_BUTTONS, *_PLAYING)})
        self.past_buttons = {name: commands.button(name) for name in ("run.live", "run.start_here")}
        self.add_left(self.past_buttons)
        self.worded += (self.buttons["run.step_event"], *self.past_buttons.values())
        self.fastest = self._fastest_button()
        self.add_right({"run.fastest": self.fastest})
        self.pace_changed.connect(self._on_pace)
        self.set_state("empty")
        self._count(self._clock)
        self.set_time(0.0)
        context.listen(session.state_changed, self.set_state)
        for event in field_events(self._paces).values():
            context.listen(event, lambda _value: self._show_pace())
        self._show_pace()
        context[Refresher].frame_shown.connect(self._on_frame)
        context[Refresher].status_found.connect(self.show_status)
        context[Stage].add_below(self)

    def _fastest_button(self) -> QToolButton:
        """The button for running without a set pace; its menu offers both ways."""
        button = self._commands.button("run.fastest")
        grades = QMenu(button)
        grades.setToolTipsVisible(True)
        for name in _GRADES.values():
            grades.addAction(self._commands.action(name))
        button.setMenu(grades)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        return button

    def _own_commands(self) -> Iterator[Command]:
        """Commands to run, step and look back, and for speed."""
        session = self._session
        yield Command(
            "run.toggle",
            "Run or pause",
            session.toggle,
            ("Space",),
            icon="mdi6.play-pause",
            menu=Place("Run", 1, 1),
            reason=lambda: "" if self._can_run else self._why_not(),
            words="start play stop",
        )
        yield Command(
            "run.step_event",
            "Single event",
            session.step_event,
            ("Right",),
            "Pause and go to the next merge or wall reflection",
            "mdi6.skip-next-outline",
            menu=Place("Run", 1, 2),
            reason=lambda: "" if self._can_step else self._why_not(),
        )
        yield Command(
            "run.step_frame",
            "Single frame",
            session.step_frame,
            ("Shift+Right", "."),
            "Pause and go forward one frame of simulation time",
            "mdi6.step-forward",
            menu=Place("Run", 1, 3),
            available=lambda: self._running_system.offers("frames"),
            reason=lambda: "" if self._can_step else self._why_not(),
        )
        yield Command(
            "run.restart",
            "Restart",
            lambda: session.restart(),
            ("R",),
            "Start the run again with the same seed",
            "mdi6.restart",
            menu=Place("Run", 2, 1),
            reason=lambda: "" if self._there or self._ended else self._why_not(),
            words="reset again",
        )
        yield Command(
            "run.new_seed",
            "Restart with a new seed",
            lambda: session.restart(random.randrange(_SEEDS)),
            ("Shift+R",),
            "Start the run again with different random numbers",
            "mdi6.dice-multiple-outline",
            menu=Place("Run", 2, 2),
            reason=self._why_no_seed,
            words="reset random again",
        )
        yield from self._past_commands()
        yield from self._speed_commands()

    def _past_commands(self) -> Iterator[Command]:
        session = self._session
        yield Command(
            "run.step_back",
            "Back one frame",
            session.step_back,
            ("Left",),
            "Pause and go back one frame",
            "mdi6.step-backward",
            menu=Place("Run", 4, 1),
            reason=self._why_no_past,
        )
        yield Command(
            "run.live",
            "To the present",
            lambda: session.look_at(inf),
            ("End",),
            "Return to the present state of the run",
            "mdi6.page-last",
            menu=Place("Run", 4, 2),
            short="Live",
            reason=lambda: self._why_no_past() or ("" if self._replay or self._looks_back else _PRESENT),
        )
        yield Command(
            "run.start_here",
            "Start from here",
            lambda: session.give(StartFromShown(new_start(session.status()))),
            ("N",),
            "Start a new simulation from the {discs} shown",
            "mdi6.source-branch",
            menu=Place("Run", 4, 3),
            short="Start here",
        )
        yield Command(
            "run.backwards",
            "Play backwards",
            lambda: session.play(backwards=not self._plays("backwards")),
            ("B",),
            "Play the recording or the run so far backwards. Press again to play forwards",
            "mdi6.rewind-outline",
            checked=lambda: self._plays("backwards"),
            menu=Place("Run", 4, 4),
            reason=self._why_no_past,
            words="reverse rewind",
        )
        yield Command(
            "run.loop",
            "Loop",
            lambda: session.play(loop=not self._plays("loop")),
            ("L",),
            "Play the recording again and again",
            "mdi6.repeat",
            checked=lambda: self._plays("loop"),
            menu=Place("Run", 4, 5),
            reason=lambda: "" if self._replay else _NO_LOOP,
            words="repeat",
        )
        yield Command(
            "run.log_time",
            "Logarithmic timeline",
            self._toggle_log_time,
            tooltip="Give the first moments of a run more room on the timeline",
            checked=lambda: self.timeline.log,
            words="log scale time",
        )

    def _speed_commands(self) -> Iterator[Command]:
        yield Command(
            "run.slower",
            "Slower",
            lambda: self.change_speed(0.5),
            ("-",),
            "Halve the playback speed",
            menu=Place("Run", 6, 1),
        )
        yield Command(
            "run.faster",
            "Faster",
            lambda: self.change_speed(2.0),
            ("+", "="),
            "Double the playback speed",
            menu=Place("Run", 6, 2),
        )
        yield Command(
            "run.fastest",
            "Fast",
            lambda: self._toggle("frames"),
            ("A",),
            "Run as fast as possible, showing every frame",
            "mdi6.fast-forward",
            checked=lambda: self._paces.limit == "frames",
            menu=Place("Run", 6, 3),
        )
        yield Command(
            "run.no_limit",
            "No limit",
            lambda: self._toggle("none"),
            ("Shift+A",),
            "Run as fast as the engine can, skipping frames. A small run ends at once; drag the timeline to look back",
            "mdi6.chevron-triple-right",
            checked=lambda: self._paces.limit == "none",
            menu=Place("Run", 6, 4),
        )

    def _plays(self, how: Literal["backwards", "loop"]) -> bool:
        """Whether a recording, or the past of a run, is played in this way."""
        timeline = self._session.status().timeline
        if timeline is None:
            return False
        return timeline.backwards if how == "backwards" else timeline.loop

    def _on_setting(self, name: str) -> None:
        if name == "log_time":
            self.timeline.log = self._settings.log_time
        elif name == "memory":
            self._session.set_memory(self._settings.memory << 20)

    def _toggle_log_time(self) -> None:
        self._settings.log_time = not self._settings.log_time

    # what is shown

    def _count(self, clock: Clock) -> None:
        """Set the units of time and speed, which are iterations for some systems."""
        self._clock = clock
        step = self._commands.action("run.step_event")
        step.setIconText(clock.name.capitalize() if clock.counts else "Event")
        per_second = f"{clock.name}s per second" if clock.counts else "simulation time per second"
        tip = f"Playback speed: {per_second}, 0.01 to {count(1000)}.\n"
        tip += f"Double-click to reset it to {DEFAULT_SPEED:g} per second."
        self.describe_pace(f"Playback speed, {per_second}", tip)
        self.timeline.setToolTip(_TIP_COUNTED.format(clock.name) if clock.counts else _TIP)
        self.time.make_room_for(numbers.moment(99_999 if clock.counts else 1e10, clock))
        unit = "" if clock.counts else f" {clock.symbol}, in the scenario's unit of time"
        self.time.setToolTip(numbers.clock_tip(clock) + unit)
        self._show_pace()
        self._give_place()
        self.measure()

    def _on_frame(self, lane: int, shown: Shown) -> None:
        if lane == 0:
            clock = view_of(shown.disc_set.scenario.system).clock
            if clock != self._clock:  # with the frame, not with a status: that of a paused run is told after its frame
                self._count(clock)
            self.set_time(shown.frame.time)

    def set_time(self, time: float) -> None:
        """Show the simulation time, or the count used instead."""
        self.show_position(numbers.moment(time, self._clock))
        self.timeline.show_moment(time)

    def show_status(self, status: Status) -> None:
        """Show the available times, and whether they belong to a recording, a run's past or its present."""
        self.timeline.show_timeline(status.timeline, view_of(status.system).clock)
        replay, looks_back = status.plays_recording, status.past is not None
        if (replay, looks_back) != (self._replay, self._looks_back):
            self._replay, self._looks_back = replay, looks_back
            self._give_place()
            self.set_state(status.state)

    def _give_place(self) -> None:
        """Show those buttons that can be used now."""
        usual = not (self._replay or self._looks_back)
        has_place = {
            "run.step_frame": usual and not self._clock.counts,
            "run.new_seed": usual,
            "run.backwards": not usual,
            "run.loop": self._replay,
            "run.live": self._looks_back,
            "run.start_here": not usual,
        }
        self.leave_no_place(frozenset(name for name, place in has_place.items() if not place))

    def set_state(self, state: str) -> None:
        """Show the state of the session."""
        self._state = state
        self.set_playing(state == "running", "Restart" if self._run_command == "run.restart" else "")
        self.run_button.setEnabled(self._can_run or self._ended)
        self.run_button.setToolTip(self._commands.action(self._run_command).toolTip())

    @property
    def _run_command(self) -> str:
        """What the button does: once the run has ended, restart it."""
        return "run.restart" if self._ended and not self._can_run else "run.toggle"

    @property
    def _there(self) -> bool:
        return self._state in ("running", "paused")

    @property
    def _ended(self) -> bool:
        return self._state in ("finished", "failed")

    @property
    def _can_step(self) -> bool:
        return self._there or self._looks_back

    @property
    def _can_run(self) -> bool:
        return self._can_step or (self._replay and self._state == "finished")

    def _why_not(self) -> str:
        """Why *Run* is disabled now."""
        return _WHY_NOT.get(self._state, "")

    def _why_no_seed(self) -> str:
        if self._there or self._ended:
            return _NO_SEED if self._replay else ""
        return self._why_not()

    def _why_no_past(self) -> str:
        """Why there is nothing to look back at; "" if there is something."""
        if not self._there and self._state != "finished":
            return self._why_not()
        timeline = self._session.status().timeline
        return "" if timeline is not None and timeline.begin < timeline.end else _NO_PAST

    # speed

    def _toggle(self, limit: Limit) -> None:
        """Play without a set pace; called again, at the pace of the slider."""
        self._paces.limit = "speed" if self._paces.limit == limit else limit

    def change_speed(self, factor: float) -> None:
        """Multiply the pace by `factor`."""
        with self._document.together("faster" if factor > 1.0 else "slower"):
            self._paces.limit = "speed"
            self._paces.speed = min(max(self._paces.speed * factor, SLOWEST), FASTEST)

    def _on_pace(self, value: float) -> None:
        self._paces.speed = value

    def _pace_text(self, value: float) -> str:
        return numbers.pace(value, self._clock)

    def _show_pace(self) -> None:
        """Show the pace of the document, within the range of the slider."""
        limit = self._paces.limit
        with QSignalBlocker(self.speed):
            self.speed.number = min(max(self._paces.speed, SLOWEST), FASTEST)
        self.speed.setEnabled(limit == "speed")
        self.fastest.setDefaultAction(self._commands.action(_GRADES["frames" if limit == "speed" else limit]))
        self.show_pace({"speed": self._pace_text(self._paces.speed), "frames": "fast", "none": "no limit"}[limit])
