"""From the session's threads to the GUI thread: small facts only, never frames."""

from __future__ import annotations

from PyQt6.QtCore import QObject, pyqtSignal

from aggviewer.session import Session


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
    history_changed = pyqtSignal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._links = [
            (session.notices.sent, self.notice.emit),
            (session.state_changed, self.state_changed.emit),
            (session.scenario_changed, self.scenario_changed.emit),
            (session.system_changed, self.system_changed.emit),
            (session.lanes_changed, self.lanes_changed.emit),
            (session.step_traced, self.step_traced.emit),
            (session.step_refused, self.step_refused.emit),
            (session.resumed, self.resumed.emit),
            (session.history.changed, self.history_changed.emit),
        ]
        for told, pass_on in self._links:
            told.connect(pass_on, check_nargs=False, on_ref_error="ignore")  # signals of Qt cannot be held weakly

    def close(self) -> None:
        """Stop listening."""
        for told, pass_on in self._links:
            told.disconnect(pass_on)
