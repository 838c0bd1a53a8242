"""A player with numbered stops, driven by a transport, keys and a timer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike
from PyQt6.QtCore import QObject, Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QWidget

from aggviewer.session.data import Timeline
from aggviewer.session.past.player import Player
from aggviewer.widgets.input_guard import ModeKeys
from aggviewer.widgets.transport import SteppingTransport
from engine.system import Clock

_TICK_MS = 16  # between two ticks


class SteppingPlayer(QObject):
    """Plays stops 0, 1, … controlled by a transport and the keys Space, ←, →, Home and End. The transport shows the
    position.

    Parameters
    ----------
    transport : shows the position and controls the player.
    clock : the unit that the stops count.
    window : where the keys work, while `keys` are on.
    keys : further keys and their actions.
    longest : most seconds that one tick may advance; None for the time of one stop, so that no stop is skipped.

    Attributes
    ----------
    player : the position.
    keys : switches the keys on and off.
    ready : whether the picture is finished; until then playback waits.

    Signal: ``moved`` when the position changes.
    """

    moved = pyqtSignal()

    def __init__(
        self,
        transport: SteppingTransport,
        clock: Clock,
        window: QWidget,
        keys: Mapping[Qt.Key, Callable[[], object]],
        *,
        longest: float | None = None,
    ) -> None:
        super().__init__(window)
        self.player = Player()
        self.ready: Callable[[], bool] = lambda: True
        self._transport, self._clock, self._longest = transport, clock, longest
        self._marks = np.empty(0)
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(lambda: self.advance(perf_counter()))
        steps = {"back": Qt.Key.Key_Left, "forward": Qt.Key.Key_Right, "first": Qt.Key.Key_Home, "last": Qt.Key.Key_End}
        own = {key: lambda name=name: self.move(name) for name, key in steps.items()}
        self.keys = ModeKeys(window, {Qt.Key.Key_Space: self.toggle, **own, **keys})
        transport.moved.connect(self.move)
        transport.asked.connect(lambda position: self.go_to(round(position)))
        transport.pace_changed.connect(self._set_pace)
        self._set_pace(transport.speed.number)

    @property
    def index(self) -> int:
        """The stop at the position, or the last one before it."""
        return self.player.index

    @property
    def playing(self) -> bool:
        """Whether it is playing."""
        return self.player.playing

    def take(self, stops: ArrayLike, marks: ArrayLike = ()) -> None:
        """Set the stops and go to the first; marks : on the line. A single stop cannot be played."""
        self.pause()
        self.player.take(stops)
        self._marks = np.asarray(marks, np.float64)
        self.go_to(0)

    def play(self) -> None:
        """Play from here, if there is something to play."""
        if len(self.player.stops) > 1:
            self.player.start(perf_counter())
            self._timer.start()
            self._transport.set_playing(True)

    def pause(self) -> None:
        """Pause."""
        self.player.hold()
        self._timer.stop()
        self._transport.set_playing(False)

    def toggle(self) -> None:
        """Play or pause; at the end, start again."""
        if self.playing:
            self.pause()
        else:
            if self.player.at_end:
                self.go_to(0)
            self.play()

    def move(self, where: str) -> None:
        """Go ``first``, ``back``, ``forward`` or ``last`` and pause, or ``play`` as `toggle` does."""
        if where == "play":
            self.toggle()
        else:
            before, last = ceil(self.player.position) - 1, float(self.player.stops[-1])
            self.go_to({"first": 0, "back": before, "forward": self.index + 1, "last": last}[where])

    def go_to(self, stop: float) -> None:
        """Go to the nearest existing stop, and pause."""
        self.pause()
        self.player.seek(stop)
        self._show()

    def advance(self, now: float) -> None:
        """Advance to the clock time `now`, and stop at the end."""
        if not self.ready():
            return
        before = self.player.position
        self.player.tick(now)
        if not self.playing:
            self.pause()
        if self.player.position != before:
            self._show()

    def _set_pace(self, pace: float) -> None:
        self.player.pace = pace
        self.player.longest = 1.0 / pace if self._longest is None else self._longest

    def _show(self) -> None:
        player = self.player
        line = Timeline(0.0, float(player.stops[-1]), player.position, self._marks, replay=True)
        self._transport.timeline.show_timeline(line if len(player.stops) > 1 else None, self._clock)
        self._transport.show_ends(at_first=player.position == player.stops[0], at_last=player.at_end)
        self.moved.emit()
