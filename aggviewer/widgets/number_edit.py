"""Fields for numbers, and sliders. Numbers are typed and shown the same way in every locale; see docs/numbers.md.

The owner of a `NumberEdit` checks its entries; a `NumberField` checks its own. Qt's spin boxes are not used, since
they depend on the locale."""

from __future__ import annotations

from math import floor, inf, isfinite, isnan, log10
from typing import Any

from PyQt6.QtCore import QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QResizeEvent, QValidator
from PyQt6.QtWidgets import QAbstractSpinBox, QSlider, QWidget

from aggviewer.style.numbers import next_round, number_from, number_text, read_number
from aggviewer.style.theme import tabular
from aggviewer.widgets.entry_line import Bubble
from engine.errors import InputError

__all__ = ["NumberEdit", "NumberField", "ValueSlider", "number_text", "read_number", "round_digits"]

_POSITIONS = 1000  # of a logarithmic slider
_BESIDE_TEXT = 4  # pixels of margin left and right of a line of text
_USUAL = "0.000000"
_BESIDE_NUMBER = 36  # pixels for margins and arrows beside a number


def round_digits(value: float, digits: int) -> float:
    """A value rounded to a number of significant digits."""
    return round(value, digits - 1 - floor(log10(abs(value)))) if value else 0.0


class NumberEdit(QAbstractSpinBox):
    """A spin box for integers of any size and for real numbers.

    It accepts any text; its owner checks the value. The unit is shown while the field is not being edited, if all of it
    fits beside the number.

    Parameters
    ----------
    integer : whether values are integers.
    low, high : the limits of steps; other values may be typed.
    step : the size of a step; None for a tenth of the largest power of ten in the value.
    log : whether a step goes to the next number that is 1, 2 or 5 times a power of ten.
    unit : shown after the number, "" for none.
    digits : significant digits shown. The value keeps all its digits until another one is typed.

    Attributes
    ----------
    refused : whether the last entry was refused; set by the owner. Enter then leaves the focus in the field, with the
        text selected, and the text stays until another one is typed or the field is left.
    hint : why the text is not a number and how to write it; "" for a number, and for a text without any digit.

    Signals: ``edited(object)`` with an int, a float or a text that is not a number; ``entered()`` after it, when Enter
    was pressed and the entry was accepted.
    """

    edited = pyqtSignal(object)
    entered = pyqtSignal()

    def __init__(
        self,
        integer: bool,
        low: float,
        high: float,
        step: float | None,
        log: bool = False,
        unit: str = "",
        parent: QWidget | None = None,
        digits: int = 12,
    ) -> None:
        super().__init__(parent)
        line = self.lineEdit()
        assert line is not None
        self._line = line
        self._integer, self._low, self._high, self._step, self._log, self._unit = integer, low, high, step, log, unit
        self._digits = digits
        self._value: Any = 0
        self._taken: Any = 0  # the last value that was not refused
        self.refused = False
        self.hint = ""
        self.setFont(tabular())
        self.setInputMethodHints(Qt.InputMethodHint.ImhFormattedNumbersOnly)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setMinimumWidth(72)
        self._line.editingFinished.connect(self.commit)

    @property
    def value(self) -> Any:
        """The value that was committed or set last."""
        return self._value

    def set_value(self, value: Any) -> None:
        """Show a value, None as an empty field, without a signal.

        A text that is being typed stays if the value is the same as before, or if the text was refused.
        """
        if value == self._value and self._line.isModified():
            return
        changed, self._value = value != self._value, value
        if self.refused and changed:
            if self._edited:
                self._taken = value
                return
            self.refused = False
        if changed:
            self.hint = ""
        if not self.refused:
            self._taken = value
        self._write()

    def text_of(self, value: Any) -> str:
        """What the field shows for a value, without the unit."""
        return number_text(value, self._digits)

    def _write(self) -> None:
        text = self.text_of(self._value)
        if self._unit and self._value is not None and not self._edited:
            whole = f"{text} {self._unit}"
            if self._line.fontMetrics().horizontalAdvance(whole) + _BESIDE_TEXT <= self._line.width():
                text = whole
        if self._line.text() != text:
            self._line.setText(text)
            if not self._edited:
                self._line.setCursorPosition(0)  # of a number that is too long the first digits are seen

    @property
    def _edited(self) -> bool:
        return self._line.hasFocus() or self.hasFocus()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Show or hide the unit, as there is room for it."""
        super().resizeEvent(event)
        if not self._edited and not self.refused:
            self._write()

    def commit(self) -> None:
        """Take what is typed as the value, as Enter and leaving the field do."""
        self._line.setModified(False)
        value = self._read()
        if self.refused or (value != self._value and not (value == "" and self._value is None)):
            self._take(value)

    def _read(self) -> Any:
        """The number that is typed; the value itself, with all its digits, if the text is unchanged; else the text."""
        text = self._line.text().strip()
        plain = text.removesuffix(self._unit).strip() if self._unit else text
        self.hint = ""
        if plain == self.text_of(self._value):
            return self._value
        try:
            return number_from(text, self._integer, self._unit)
        except InputError as error:
            self.hint = str(error) if any(sign.isdigit() for sign in text) else ""
            return plain

    def _take(self, value: Any) -> None:
        """Set the value and let the owner check it."""
        self._value = value
        self.refused = isinstance(value, str) and value != ""
        self.edited.emit(value)
        if not self.refused:
            self._taken = self._value

    def show_last_value(self) -> None:
        """Show the last value that was not refused, as Esc does; it is entered when the field is left."""
        self._line.setText(self.text_of(self._taken))

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
            self._line.setText(self.text_of(number))
            self._take(number)
            self._line.selectAll()

    def _next(self, value: float, direction: int) -> float:
        if not self._low <= value <= self._high:  # a value was typed outside: the first step goes to the limit
            return min(max(value, self._low), self._high)
        if self._log and value > 0:
            found = next_round(value, direction)
        else:
            step = self._step if self._step is not None else _tenth(value * (1.0 + 1e-9 * direction))
            found = round((value + direction * step) / step) * step
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
        """Accept any text: it is checked when it is entered."""
        return QValidator.State.Acceptable, text or "", position

    def sizeHint(self) -> QSize:
        """As high as other fields: the style sheet says how high that is at most."""
        return super().sizeHint().boundedTo(self.maximumSize())

    def minimumSizeHint(self) -> QSize:
        """As high as other fields."""
        return super().minimumSizeHint().boundedTo(self.maximumSize())

    def focusInEvent(self, event: QFocusEvent | None) -> None:
        """Show the number without its unit, and select it."""
        super().focusInEvent(event)
        if not self.refused:
            self._write()
        QTimer.singleShot(0, self._line.selectAll)  # after the click that gave the focus has set the cursor

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        """Take what is typed as the value, and show the unit again."""
        super().focusOutEvent(event)
        self.commit()
        if not self.refused:
            self._write()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Enter the value when Enter is pressed; if it is refused, Enter does nothing else."""
        super().keyPressEvent(event)
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.commit()
            self._line.selectAll()
            if not self.refused:
                self.entered.emit()
            if self.refused:  # set by a slot of edited
                event.accept()


class NumberField(NumberEdit):
    """A field for a number from `low` to `high`, for dialogs and bars. Other entries are refused, with the reason below
    the field, and `value` stays the last valid one, an int or a float.

    Parameters
    ----------
    name : a few words for the tool tip and for screen readers.
    tracking : whether a valid number counts while it is typed; else only on Enter or when the field is left.

    For the others see `NumberEdit`; numbers outside the limits are refused.

    Signals: ``edited(object)`` with the number.
    """

    def __init__(
        self,
        integer: bool,
        low: float,
        high: float,
        step: float | None = 1.0,
        log: bool = False,
        unit: str = "",
        parent: QWidget | None = None,
        digits: int = 12,
        *,
        name: str = "",
        tracking: bool = True,
    ) -> None:
        super().__init__(integer, low, high, step, log, unit, parent, digits)
        self._name = name
        self._before: Any = 0  # the value before the present entry
        self._bubble = Bubble(self)
        self.setAccessibleName(name)
        if tracking:
            self._line.textEdited.connect(self._track)
        self.set_limits(low, high)
        self.set_value(self._value)  # shows it

    @property
    def low(self) -> float:
        """The smallest number allowed."""
        return self._low

    @property
    def high(self) -> float:
        """The largest number allowed."""
        return self._high

    def set_limits(self, low: float, high: float) -> None:
        """Set the limits. A value beyond them moves to the nearer limit, with the signal."""
        self._low, self._high = low, high
        self.setToolTip(f"{self._name}, {self._between}" if self._name else self._between.capitalize())
        self.updateGeometry()
        if not low <= self._value <= high:
            value = min(max(self._value, low), high)
            self.set_value(value)
            self.edited.emit(value)

    def set_step(self, step: float | None) -> None:
        """Set the size of a step."""
        self._step = step

    def set_value(self, value: Any) -> None:
        """Show a number within the limits, without a signal. A text that is being typed stays if it is the same."""
        self._show_refusal("")
        self._before = min(max(self._number(value), self._low), self._high)
        super().set_value(self._before)

    def _number(self, value: float) -> int | float:
        return int(value) if self._integer else float(value)

    @property
    def _between(self) -> str:
        return f"{self.text_of(self._low)} to {self.text_of(self._high)}"

    def _good(self, value: Any) -> int | float | None:
        """The value, if it is within the limits as shown; else None."""
        if not isinstance(value, int | float) or value != value or value in (-inf, inf):
            return None
        for limit in (self._low, self._high):
            if self.text_of(self._number(value)) == self.text_of(self._number(limit)):
                return self._number(limit)
        return self._number(value) if self._low <= value <= self._high else None

    def _take(self, value: Any) -> None:
        good = self._good(value)
        if good is None:
            number = "a whole number" if self._integer else "a number"
            self._show_refusal(self.hint or f"enter {number} from {self._between}")
            self._set_and_emit(self._before)
        else:
            self._show_refusal("")
            self._set_and_emit(good)

    def _show_refusal(self, why: str) -> None:
        """Show why the text is refused; "" removes the message."""
        self.refused = bool(why)
        if why:
            self._bubble.lie_over(self.window() or self)
        self._bubble.show_message(f"{why[:1].upper()}{why[1:]}." if why else "")

    def _track(self, _text: str) -> None:
        """Use a valid number while it is typed; an unfinished one gives no message."""
        good = self._good(self._read())
        if good is not None:
            self._show_refusal("")
            self._set_and_emit(good)

    def _set_and_emit(self, value: int | float) -> None:
        if value != self._value:
            self._value = self._taken = value
            self.edited.emit(value)

    def commit(self) -> None:
        """Enter what is typed, as Enter and leaving the field do; a refused entry does not change the value."""
        super().commit()
        if not self.refused:
            self._before = self._value

    def sizeHint(self) -> QSize:
        """Wide enough for usual numbers and its limits, with the unit."""
        return self._wide(super().sizeHint(), self._unit)

    def minimumSizeHint(self) -> QSize:
        """Wide enough for usual numbers and its limits."""
        return self._wide(super().minimumSizeHint(), "")

    def _wide(self, hint: QSize, unit: str) -> QSize:
        usual = [] if self._integer else [_USUAL]
        texts = (f"{text} {unit}" for text in (self.text_of(self._low), self.text_of(self._high), *usual))
        width = max(self._line.fontMetrics().horizontalAdvance(text) for text in texts) + _BESIDE_NUMBER
        return QSize(max(hint.width(), width), hint.height())


def entries_taken(form: QWidget) -> bool:
    """Enter what is typed in all visible fields of a form; False if one refuses it: that field gets the focus."""
    for field in form.findChildren(NumberField):
        if field.isEnabled() and field.isVisibleTo(form):
            field.commit()
            if field.refused:
                field.setFocus()
                field.selectAll()
                return False
    return True


def _tenth(value: float) -> float:
    """A tenth of the largest power of ten in a value; a hundredth for 0."""
    return float(10.0 ** (floor(log10(abs(value))) - 1)) if value else 0.01


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
