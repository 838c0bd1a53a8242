"""The timer that brings what is new from the session to the window."""

from __future__ import annotations

import time
from collections.abc import Callable

from PyQt6.QtCore import QObject, Qt, QTimer

from aggviewer.canvas import DiscCanvas
from aggviewer.session import Analysis, Session, Shown, Status, SystemInfo

_FASTEST_MS = 16
_SLOWEST_MS = 100
_STATUS_EVERY = 0.2  # seconds: numbers that change faster cannot be read
_PLOTS_EVERY = 0.25  # seconds: four plots take some 50 ms to paint, which the picture has to wait for
_UNDRAWN_PATIENCE = 0.5  # seconds to wait for a frame to be drawn (a hidden window draws none)
_REST = 0.25  # share of a drawing's time that is left to the rest of the window


class Refresher(QObject):
    """Polls the session. No frame is taken before the last one has been drawn, so that drawing sets the pace."""

    def __init__(
        self,
        session: Session,
        canvas: DiscCanvas,
        on_system: Callable[[SystemInfo], None],
        on_analysis: Callable[[Analysis], None],
        on_frame: Callable[[Shown], None],
        on_status: Callable[[Status], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._canvas = canvas
        self._on_system = on_system
        self.on_analysis = on_analysis
        self._on_frame = on_frame
        self._on_status = on_status
        self._system: SystemInfo | None = None
        self._shown: Shown | None = None
        self._analysis: Analysis | None = None  # may be there before the first frame of its system
        self._drawn = -1
        self._given_at = 0.0
        self._status_at = 0.0
        self._plots_at = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_FASTEST_MS)
        self._timer.timeout.connect(self.tick)
        self._timer.start()

    @property
    def shown(self) -> Shown | None:
        """The frame that is on the screen; valid until the next tick."""
        return self._shown

    def stop(self) -> None:
        """Poll no more."""
        self._timer.stop()

    def tick(self) -> None:
        """Take over what is new."""
        now = time.perf_counter()
        if self._canvas_is_free(now):
            self._take_frame(now)
        self._analysis = self._session.latest_analysis() or self._analysis
        is_due = now - self._plots_at >= _PLOTS_EVERY
        if is_due and self._analysis is not None and self._analysis.system is self._system:
            self._plots_at = now
            self.on_analysis(self._analysis)
            self._analysis = None
        if now - self._status_at >= _STATUS_EVERY:
            self._status_at = now
            self._on_status(self._session.status())

    def _canvas_is_free(self, now: float) -> bool:
        if self._drawn < 0:
            return True
        if self._canvas.frames_drawn == self._drawn:
            return now - self._given_at > _UNDRAWN_PATIENCE
        took = 1000.0 * (now - self._given_at)  # milliseconds from the frame given to the tick that found it drawn
        wanted = int(min(max(_FASTEST_MS, _REST * took), _SLOWEST_MS))
        if abs(wanted - self._timer.interval()) > 4:
            self._timer.setInterval(wanted)
        return True

    def _take_frame(self, now: float) -> None:
        self._drawn = -1
        shown = self._session.latest_frame()
        if shown is None:
            return
        self._shown = shown
        if shown.system is not self._system:
            self._system = shown.system
            self._canvas.set_system(shown.system.radii, shown.system.box, shown.system.periodic)
            self._on_system(shown.system)
        self._drawn = self._canvas.frames_drawn
        self._given_at = now
        self._canvas.show_frame(shown.frame.positions, shown.scalar, shown.coloring, shown.frame.time)
        self._on_frame(shown)
