"""Brings the mode inside one step together with the rest of the window."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtWidgets import QWidget

from aggviewer.session import Session, Status
from aggviewer.session.load.tracing import NO_STEPS, TracedStep
from aggviewer.window.bridge import SessionBridge
from aggviewer.window.canvases.canvases import Pictures
from aggviewer.window.step_view.mode import InsideStep, reason_against
from engine.scenario import Scenario
from engine.system import method_of

_STEPPING = "time-stepping"


class LookingInside:
    """Switches the mode on and off. While it is on, its bar stands in the place of the transport.

    on_change(on) : the usual frames are to be held back, or may come again.
    """

    def __init__(
        self,
        window: QWidget,
        session: Session,
        pictures: Pictures,
        bridge: SessionBridge,
        on_change: Callable[[bool], None],
    ) -> None:
        self._session = session
        self._pictures = pictures
        self._on_change = on_change
        self._methods: tuple[str, ...] = ()
        self.mode = InsideStep(pictures.first, self._ask, self._left, window)
        bridge.step_traced.connect(self._show)
        bridge.step_refused.connect(self.mode.refuse)
        bridge.lanes_changed.connect(self._on_lanes)
        bridge.system_changed.connect(lambda _system: self.leave())
        bridge.state_changed.connect(self._on_state)

    @property
    def on(self) -> bool:
        """True while a step is looked into."""
        return self.mode.active

    def reason_against(self, status: Status) -> str:
        """Why there is no step to look into, empty where there is one."""
        reasons = [reason_against(lane.method, lane.clusters) for lane in status.lanes]
        return "" if "" in reasons else next((text for text in reasons if text != NO_STEPS), NO_STEPS)

    def toggle(self) -> None:
        """In or out."""
        if self.on:
            self.mode.leave()
            return
        status = self._session.status()
        if not self.reason_against(status):
            lane = next(k for k, lane in enumerate(status.lanes) if lane.method == _STEPPING)
            self._methods = tuple(lane.method for lane in status.lanes)  # the word of them may still be under way
            self._on_change(True)
            self.mode.enter(self._pictures.canvases[min(lane, len(self._pictures.canvases) - 1)])

    def leave(self) -> None:
        """Out, if it is on."""
        self.mode.leave()

    def _ask(self, time: float | None) -> None:
        self._session.trace_step(collision=True, onward=time is not None)

    def _show(self, step: TracedStep) -> None:
        self.mode.show(step.story)

    def _left(self) -> None:
        self._on_change(False)
        self._session.refresh()

    def _on_lanes(self, scenarios: tuple[Scenario, ...]) -> None:
        """A coefficient may be tuned in the mode, and the next step shows what it does."""
        methods = tuple(method_of(scenario) for scenario in scenarios)
        if methods != self._methods:
            self._methods = methods
            self.leave()

    def _on_state(self, state: str) -> None:
        if state != "paused":
            self.leave()
