"""A field and a slider for a number."""

from __future__ import annotations

from math import floor, isfinite, isnan, log10
from typing import Any

from PyQt6.QtCore import QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent, QValidator
from PyQt6.QtWidgets import QAbstractSpinBox, QSlider, QWidget

from aggviewer.style.theme import tabular

_POSITIONS = 1000  # of a logarithmic slider
_LARGEST = 10**300  # larger integers stay text, since they may be too large for a float
_BESIDE_TEXT = 4  # pixels of margin left and right of a line of text
_AROUND_TEXT = 8  # pixels of frame and margins above and below the text of a field


def number_text(value: Any) -> str:
    """The text of a value in a field, with up to 12 significant digits; "" for None."""
    if value is None:
        return ""
    return f"{value:.12g}".replace("e-0", "e-") if isinstance(value, float) else str(value)


def read_number(text: str, integer: bool) -> int | float | str:
    """The number in a text such as 2500, 1e5, 10^5, 10 000 or 0,2.

    A text that is not a number is returned as it is, so that the scenario refuses it with its own message.
    """
    plain = "".join(text.split()).replace("_", "").replace("10^", "1e")
    if not integer:
        plain = plain.replace(",", ".")
    try:
        whole = int(plain)
        return whole if abs(whole) < _LARGEST else text.strip()
    except ValueError:
        pass
    try:
        value = float(plain)
    except ValueError:
        return text.strip()
    return int(value) if integer and isfinite(value) and value == floor(value) else value


def round_digits(value: float, digits: int) -> float:
    """A value rounded to a number of significant digits."""
    return round(value, digits - 1 - floor(log10(abs(value)))) if value else 0.0


class NumberEdit(QAbstractSpinBox):
    """A spin box for integers of any size and for real numbers.

    It accepts any text, and the scenario checks it. The unit is shown while the field is not being edited, where there
    is room for all of it beside the number.

    Parameters
    ----------
    integer : whether values are integers.
    low, high : the limits of steps; other values may be typed.
    step : the size of a step.
    log : whether a step goes to the next number that is 1, 2 or 5 times a power of ten.
    unit : shown after the number, "" for none.

    Signals: ``edited(object)`` with an int, a float or a text that is not a number; ``entered()`` after it, for Enter.
    """

    edited = pyqtSignal(object)
    entered = pyqtSignal()

    def __init__(
        self,
        integer: bool,
        low: float,
        high: float,
        step: float,
        log: bool = False,
        unit: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        line = self.lineEdit()
        assert line is not None
        self._line = line
        self._integer, self._low, self._high, self._step, self._log, self._unit = integer, low, high, step, log, unit
        self._value: Any = 0
        self.setFont(tabular())
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setMinimumWidth(72)
        self._line.editingFinished.connect(self.commit)

    @property
    def value(self) -> Any:
        """The value that was committed or set last."""
        return self._value

    def set_value(self, value: Any) -> None:
        """Show a value, None as an empty field, without a signal.

        A text that is being typed stays if the value is the same as before.
        """
        if value == self._value and self._line.isModified():
            return
        self._value = value
        self._write()

    def _write(self) -> None:
        text = number_text(self._value)
        if self._unit and self._value is not None and not self._edited:
            whole = f"{text} {self._unit}"
            if self._line.fontMetrics().horizontalAdvance(whole) + _BESIDE_TEXT <= self._line.width():
                text = whole
        if self._line.text() != text:
            self._line.setText(text)

    @property
    def _edited(self) -> bool:
        return self._line.hasFocus() or self.hasFocus()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Show or hide the unit, as there is room for it."""
        super().resizeEvent(event)
        if not self._edited:
            self._write()

    def commit(self) -> None:
        """Take what is typed as the value, as Enter and leaving the field do."""
        text = self._line.text()
        if self._unit:
            text = text.strip().removesuffix(self._unit)
        value = read_number(text, self._integer)
        self._line.setModified(False)
        if value != self._value and not (value == "" and self._value is None):
            self._value = value
            self.edited.emit(value)

    def stepBy(self, steps: int) -> None:
        """Take what is typed as the value, and go `steps` steps up (or down) within the limits."""
        self.commit()
        if not isinstance(self._value, int | float) or isnan(self._value):
            return
        value = float(self._value)
        for _ in range(abs(steps)):
            value = self._next(value, 1 if steps > 0 else -1)
        number: int | float = round(value) if self._integer else value
        if number != self._value:
            self._value = number
            self._write()
            self._line.selectAll()
            self.edited.emit(number)

    def _next(self, value: float, direction: int) -> float:
        if not self._low <= value <= self._high:  # a value was typed outside: the first step goes to the limit
            return min(max(value, self._low), self._high)
        if self._log and value > 0:
            ladder = [m * 10.0 ** (floor(log10(value)) + d) for d in (-1, 0, 1) for m in (1, 2, 5)]
            beyond = [v for v in ladder if (v - value) * direction > 1e-9 * value]
            found = min(beyond) if direction > 0 else max(beyond)
        else:
            found = round((value + direction * self._step) / self._step) * self._step
            found = round_digits(found, 12)
        return min(max(found, self._low), self._high)

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:
        """The directions in which a step is possible."""
        flags = QAbstractSpinBox.StepEnabledFlag.StepNone
        if isinstance(self._value, int | float):
            if self._value < self._high:
                flags |= QAbstractSpinBox.StepEnabledFlag.StepUpEnabled
            if self._value > self._low:
                flags |= QAbstractSpinBox.StepEnabledFlag.StepDownEnabled
        return flags

    def validate(self, text: str | None, position: int) -> tuple[QValidator.State, str, int]:
        """Accept any text: the scenario checks it."""
        return QValidator.State.Acceptable, text or "", position

    def sizeHint(self) -> QSize:
        """At least as high as a line of text."""
        return self._as_high_as_a_line(super().sizeHint())

    def minimumSizeHint(self) -> QSize:
        """At least as high as a line of text."""
        return self._as_high_as_a_line(super().minimumSizeHint())

    def _as_high_as_a_line(self, hint: QSize) -> QSize:
        """A size with enough height: some styles cut off letters that reach below the line."""
        return QSize(hint.width(), max(hint.height(), self.fontMetrics().height() + _AROUND_TEXT))

    def focusInEvent(self, event: QFocusEvent | None) -> None:
        """Show the number without its unit, and select it."""
        super().focusInEvent(event)
        self._write()
        QTimer.singleShot(0, self._line.selectAll)  # after the click that gave the focus has set the cursor

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        """Take what is typed as the value, and show the unit again."""
        super().focusOutEvent(event)
        self.commit()
        self._write()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Take what is typed as the value when Enter is pressed."""
        super().keyPressEvent(event)
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.commit()
            self._line.selectAll()
            self.entered.emit()


class ValueSlider(QSlider):
    """A slider from `low` to `high`, linear in steps, or logarithmic with two significant digits.

    Signal: ``dragged(object)`` with an int or a float, when mouse or keys move it.
    """

    dragged = pyqtSignal(object)

    def __init__(
        self,
        integer: bool,
        low: float,
        high: float,
        step: float,
        log: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._integer, self._low, self._high, self._step, self._log = integer, low, high, step, log
        steps = _POSITIONS if log else round((high - low) / step)
        self.setRange(0, steps)
        self.setPageStep(max(1, steps // 10))
        self.setSingleStep(max(1, steps // 100))
        self.valueChanged.connect(self._moved)

    def set_value(self, value: Any) -> None:
        """Move to the position nearest to a value, without a signal. Ignores a value that is not a finite number."""
        if not isinstance(value, int | float) or not isfinite(value):
            return
        inside = min(max(float(value), self._low), self._high)
        if self._log:
            share = log10(inside / self._low) / log10(self._high / self._low)
        else:
            share = (inside - self._low) / (self._high - self._low)
        blocked = self.blockSignals(True)
        self.setValue(round(share * self.maximum()))
        self.blockSignals(blocked)

    def _moved(self, position: int) -> None:
        share = position / self.maximum()
        if self._log:
            value = round_digits(self._low * (self._high / self._low) ** share, 2)
        else:
            value = round_digits(self._low + position * self._step, 12)
        self.dragged.emit(round(value) if self._integer else value)
