"""A player that a timer of the window drives."""

from __future__ import annotations

from time import perf_counter

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from aggviewer.session.past.player import Player

_TICK_MS = 16  # between two looks at the clock


class PlayerTimer(QTimer):
    """Drives a `Player` while it plays.

    Signals: ``due(now)``: the clock goes on, and whoever shows the player calls `advance`; ``playing_changed(bool)``.
    """

    due = pyqtSignal(float)
    playing_changed = pyqtSignal(bool)

    def __init__(self, player: Player, parent: QObject) -> None:
        super().__init__(parent)
        self._player = player
        self.setInterval(_TICK_MS)
        self.timeout.connect(lambda: self.due.emit(perf_counter()))

    def play(self, playing: bool) -> None:
        """Play from now on, or pause."""
        if playing:
            self._player.start(perf_counter())
            self.start()
        else:
            self._player.hold()
            self.stop()
        self.playing_changed.emit(playing)

    def advance(self, now: float) -> None:
        """Play on to the time `now` of the clock, and stop at the end."""
        self._player.tick(now)
        if not self._player.playing:
            self.play(False)
