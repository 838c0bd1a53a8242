"""A slider with a logarithmic scale."""

from __future__ import annotations

from math import log10

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QSlider, QWidget

_STEPS = 50  # positions of the slider per decade


class LogSlider(QSlider):
    """A horizontal slider with a logarithmic scale from `low` to `high`, both above 0.

    Double-click to reset to `default`. Signal: ``value_changed(float)``.
    """

    value_changed = pyqtSignal(float)

    def __init__(self, low: float, high: float, default: float, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._default = default
        self.setRange(round(_STEPS * log10(low)), round(_STEPS * log10(high)))
        self.setSingleStep(_STEPS // 10)
        self.setPageStep(_STEPS)
        self.setTickInterval(_STEPS)
        self.number = default
        self.valueChanged.connect(lambda _position: self.value_changed.emit(self.number))

    @property
    def number(self) -> float:
        """The value, rounded to two significant digits."""
        return float(f"{10.0 ** (self.value() / _STEPS):.2g}")

    @number.setter
    def number(self, value: float) -> None:
        self.setValue(round(_STEPS * log10(value)))

    def reset(self) -> None:
        """Go back to the default value."""
        self.number = self._default

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Go back to the default value."""
        self.reset()
