"""Play, step and speed of the lesson about the bouncing ball."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QWidget

from aggviewer.style.theme import Colors, tabular
from aggviewer.widgets.log_slider import LogSlider
from aggviewer.widgets.playback_buttons import PlaybackButtons

SLOWEST, FASTEST, USUAL_SPEED = 0.25, 20.0, 1.5
"""Flights per second."""

_TIPS = {
    "play": "Play or pause (Space)",
    "first": "Back to the release (R)",
    "back": "To the event before (←)",
    "forward": "To the next event (→)",
    "last": "To the last event (End)",
}


class BallTransport(QWidget):
    """``moved(str)``: ``play``, ``first``, ``back``, ``forward``, ``last``; ``speed_changed(float)``: flights per s."""

    moved = pyqtSignal(str)
    speed_changed = pyqtSignal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._playback = PlaybackButtons(_TIPS, "mdi6.restart")
        self._playback.moved.connect(self.moved)
        self.buttons = self._playback.buttons
        self.speed = LogSlider(SLOWEST, FASTEST, USUAL_SPEED)
        self.number, self.speed_value = QLabel(), QLabel()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self._playback)
        row.addSpacing(8)
        row.addWidget(self.number)
        row.addStretch(1)
        word = QLabel("Speed")
        word.setBuddy(self.speed)
        row.addWidget(word)
        row.addWidget(self.speed)
        row.addWidget(self.speed_value)
        self.number.setFont(tabular())
        self.speed.setMaximumWidth(120)
        self.speed.setAccessibleName("Speed, flights per second")
        self.speed.setToolTip(
            f"Speed: flights per second, {SLOWEST:g} to {FASTEST:g}. Each flight takes as long as any other,\n"
            "and slows down near the plate. A double click resets it."
        )
        self.speed_value.setFont(tabular())
        self.speed_value.setToolTip(self.speed.toolTip())
        self.speed_value.setFixedWidth(self.fontMetrics().horizontalAdvance("0.25 / s") + 4)
        self.speed_value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.speed.value_changed.connect(self._on_speed)
        self._show_speed()

    def _on_speed(self, speed: float) -> None:
        self._show_speed()
        self.speed_changed.emit(speed)

    def _show_speed(self) -> None:
        self.speed_value.setText(f"{self.speed.number:g} / s")

    def set_playing(self, playing: bool) -> None:
        """Pause on the button while it plays."""
        self._playback.set_playing(playing)

    def set_colors(self, colors: Colors) -> None:
        """Another theme."""
        self._playback.set_colors(colors)

    def show_number(self, number: int, last: int) -> None:
        """Where it is; the ends have no way on."""
        self.number.setText(f"Event {number} of {last}")
        self.buttons["back"].setEnabled(number > 0)
        self.buttons["forward"].setEnabled(number < last)
        self.buttons["last"].setEnabled(number < last)
