"""From the session's threads to the GUI thread: small facts only, never frames."""

from __future__ import annotations

from PyQt6.QtCore import QObject, pyqtSignal

from aggviewer.session import Notice, Session, SystemInfo


class SessionBridge(QObject):
    """The session's signals again as Qt signals: emitted on any thread, they are queued to the receiver's own."""

    notice = pyqtSignal(object)
    state_changed = pyqtSignal(str)
    scenario_changed = pyqtSignal(object)
    system_changed = pyqtSignal(object)
    lanes_changed = pyqtSignal(object)
    step_traced = pyqtSignal(object)
    step_refused = pyqtSignal(str)
    resumed = pyqtSignal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        session.notices.sent.connect(self._on_notice)
        session.state_changed.connect(self._on_state)
        session.scenario_changed.connect(self._on_scenario)
        session.system_changed.connect(self._on_system)
        session.lanes_changed.connect(self._on_lanes)
        session.step_traced.connect(self._on_step)
        session.step_refused.connect(self._on_no_step)
        session.resumed.connect(self._on_resumed)

    def close(self) -> None:
        """Stop listening."""
        session = self._session
        session.notices.sent.disconnect(self._on_notice)
        session.state_changed.disconnect(self._on_state)
        session.scenario_changed.disconnect(self._on_scenario)
        session.system_changed.disconnect(self._on_system)
        session.lanes_changed.disconnect(self._on_lanes)
        session.step_traced.disconnect(self._on_step)
        session.step_refused.disconnect(self._on_no_step)
        session.resumed.disconnect(self._on_resumed)

    def _on_notice(self, notice: Notice) -> None:
        self.notice.emit(notice)

    def _on_state(self, state: str) -> None:
        self.state_changed.emit(state)

    def _on_scenario(self, scenario: object) -> None:
        self.scenario_changed.emit(scenario)

    def _on_system(self, system: SystemInfo) -> None:
        self.system_changed.emit(system)

    def _on_lanes(self, scenarios: object) -> None:
        self.lanes_changed.emit(scenarios)

    def _on_step(self, step: object) -> None:
        self.step_traced.emit(step)

    def _on_no_step(self, reason: str) -> None:
        self.step_refused.emit(reason)

    def _on_resumed(self, state: object) -> None:
        self.resumed.emit(state)
