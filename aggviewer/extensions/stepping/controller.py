"""Connects the view inside one step with the rest of the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from PyQt6.QtCore import QObject, pyqtSignal

from aggviewer.extensions.stepping.mode import StepMode, reason_against
from aggviewer.extensions.stepping.tracing import NO_STEPS, TracedStep, Tracer, TraceStep
from aggviewer.session import Status
from aggviewer.systems.running import RunningSystem
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part
from aggviewer.window.bars.transport import RunTransport
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.refresher import Refresher
from aggviewer.window.stage.stage import Stage
from engine.scenario import Scenario
from engine.system import method_of

_STEPPING = "time-stepping"


class StepView(QObject, Part):
    """Switches the mode on and off. While it is on, its bar replaces the transport.

    Signals: ``changed(on)`` when it is switched on or off.
    """

    leaves = 30
    changed = pyqtSignal(bool)

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._session = session = context.session
        self._running = context[RunningSystem]
        self._canvases = canvases = context[Canvases]
        self._commands, self._refresher, self._transport = context.commands, context[Refresher], context[RunTransport]
        self._methods: tuple[str, ...] = ()
        self._iterations: int | None = None  # of the step that was looked into last
        self.mode = StepMode(canvases.first, self._ask, self._left, context.window)
        later = context.gui_thread.later
        self._tracer = Tracer(lambda step: later(self._show, step), lambda reason: later(self.mode.refuse, reason))
        context.listen(session.lanes_changed, self._on_lanes)
        context.listen(session.system_changed, lambda _system: self.leave())
        context.listen(session.state_changed, self._on_state)
        context[Stage].add_below(self.mode.bar)
        context.theme.changed.connect(self.mode.bar.plot.set_theme)
        self.mode.bar.plot.set_theme(context.theme.colors)

    def commands(self) -> Iterator[Command]:
        """The command for the mode."""
        yield Command(
            "method.inside",
            "Inside one step",
            self.toggle,
            ("I",),
            "Play the next time step with a collision in slow motion: flight, overlaps, minimisation, new velocities",
            "mdi6.magnify-scan",
            checked=lambda: self.on,
            menu=Place("Method", 3, 1),
            bar=Place("left", 2, 2),
            available=lambda: self._running.offers("inside"),
            reason=lambda: self.reason_against(self._session.status()),
        )

    @property
    def on(self) -> bool:
        """True while a step is shown."""
        return self.mode.active

    def numbers(self) -> Mapping[str, float]:
        """Values for lessons: ``inside.iterations`` of the last step shown, and ``inside.seen``, the share of it played
        so far."""
        told: dict[str, float] = {}
        if self._iterations is not None:
            told["inside.iterations"] = self._iterations
        if self.on and self.mode.story is not None:
            told["inside.seen"] = self.mode.tick / max(1, self.mode.story.last)
        return told

    def reason_against(self, status: Status) -> str:
        """Why no step can be shown; "" if one can."""
        reasons = [reason_against(lane.method, lane.clusters) for lane in status.lanes]
        return "" if "" in reasons else next((text for text in reasons if text != NO_STEPS), NO_STEPS)

    def toggle(self) -> None:
        """Enter or leave the mode."""
        if self.on:
            self.mode.leave()
            return
        status = self._session.status()
        if not self.reason_against(status):
            lane = next(k for k, lane in enumerate(status.lanes) if lane.method == _STEPPING)
            self._methods = tuple(lane.method for lane in status.lanes)  # the message about it may still be queued
            self._switched(True)
            self.mode.enter(self._canvases.canvases[min(lane, len(self._canvases.canvases) - 1)])

    def leave(self) -> None:
        """Leave the mode, if it is on."""
        self.mode.leave()

    def _ask(self, time: float | None) -> None:
        with self._session.undoing.unrecorded():
            self._session.give(TraceStep(self._tracer, collision=True, onward=time is not None))

    def _show(self, step: TracedStep) -> None:
        self._iterations = len(step.story.trace.residual)
        self.mode.show(step.story)

    def ways_back(self) -> Iterator[tuple[bool, Callable[[], object]]]:
        """Leave the mode."""
        yield self.on, self.leave

    def _left(self) -> None:
        self._switched(False)
        self._canvases.first.go_to(self._session.document.run.camera)
        self._session.refresh()

    def _switched(self, on: bool) -> None:
        """Hold back other frames and hide the transport while it is on."""
        self._transport.setHidden(on)
        self._refresher.held = on
        self.changed.emit(on)
        self._commands.update()

    def _on_lanes(self, scenarios: tuple[Scenario, ...]) -> None:
        """Let the user tune a coefficient in the mode; the next step shows its effect."""
        methods = tuple(method_of(scenario) for scenario in scenarios)
        if methods != self._methods:
            self._methods = methods
            self.leave()

    def _on_state(self, state: str) -> None:
        # the message that it ran may have been queued while the user had already paused and opened a step
        if state != "paused" and self._session.status().state != "paused":
            self.leave()

    def give_back(self) -> None:
        """Leave the mode."""
        self.leave()

    def close(self) -> None:
        """Stop playing."""
        self.mode.close()
