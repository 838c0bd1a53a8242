"""Editors for the values of a scenario. Each shows a value and emits the user's edits."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from aggviewer.style.numbers import number_from
from aggviewer.widgets import file_dialogs
from aggviewer.widgets.buttons import icon
from aggviewer.widgets.entry_line import EntryLine
from aggviewer.widgets.lists import ElidingCombo
from aggviewer.widgets.number_edit import NumberEdit, ValueSlider, number_text
from engine.errors import InputError, typed_path
from engine.files import formats
from engine.scenario import FieldDescription
from engine.scenario.section import as_tuple

_NEW_SEEDS = 1_000_000  # short enough to be read out; any seed can be typed
_FAR = 1e300  # the scenario checks the upper limit
_NAMES = ("x", "y", "z")
_AROUND_CHOICE = 36  # pixels beside the words in a box of choices
_AROUND_TEXT = 16  # the same in a line of text
_LONG_NUMBER, _LONG_SIZES = "1000000", ("15.25 × 15.25", "automatic: 100.0")  # of which all digits are seen
_ALL_DIGITS, _SIDE_DIGITS = 12, 4  # of one side, and of several, which have the same room
_TWO_SIDES = "write the two sides as 50 x 40"


@dataclass(frozen=True)
class Control:
    """How a value is presented.

    Parameters
    ----------
    step : step of a number.
    slider : the range covered by a slider, None for no slider.
    log : make step and slider logarithmic even if the description of the key does not ask for it.
    choices : the choices offered; empty for all.
    """

    step: float = 1.0
    slider: tuple[float, float] | None = None
    log: bool = False
    choices: tuple[str, ...] = ()


class Editor(QWidget):
    """Base class. `edited` carries the new value, valid or not; `set_value` emits nothing."""

    edited = pyqtSignal(object)
    entered = pyqtSignal()
    """Enter was pressed, and the entry was not rejected at once."""

    focus_widget: QWidget
    """The widget that gets the focus when the name of the row is clicked."""

    slider: ValueSlider | None = None
    """The slider; None for an editor without one."""

    def set_value(self, value: Any) -> None:
        """Show `value`."""
        raise NotImplementedError

    def commit(self) -> None:
        """Accept what is being typed in any of its fields."""
        for edit in self.findChildren(NumberEdit):
            edit.commit()

    @property
    def entries(self) -> list[NumberEdit | EntryLine]:
        """The text fields of the editor."""
        return [*self.findChildren(NumberEdit), *self.findChildren(EntryLine)]

    @property
    def hint(self) -> str:
        """If the entry cannot be read: how to write it; else ""."""
        return next((edit.hint for edit in self.findChildren(NumberEdit) if edit.hint), "")

    def set_suggestion(self, value: float) -> None:
        """Suggest a start value, in editors that support it."""

    def begin_again(self) -> None:
        """Give the keyboard focus to the first field and select its text."""
        for entry in self.entries[:1]:
            entry.setFocus()
            entry.selectAll()

    def whole_width(self) -> int:
        """The width at which nothing is cut off; 0 if any width will do."""
        return 0

    def lay_across(self) -> None:
        """Place all parts side by side, for wide places."""
        layout = self.layout()
        if isinstance(layout, QBoxLayout):
            layout.setDirection(QBoxLayout.Direction.LeftToRight)
            layout.setSpacing(8)

    def _column(self, *widgets: QWidget) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        for widget in widgets:
            layout.addWidget(widget)

    def _row(self, first: QWidget, second: QWidget) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(first, 1)
        layout.addWidget(second)


class NumberEditor(Editor):
    """Editor for a number, with a slider if `control` asks for one."""

    def __init__(self, field: FieldDescription, control: Control) -> None:
        super().__init__()
        integer = field.kind == "integer"
        low = field.minimum if field.minimum is not None else -1e300
        high = field.maximum if field.maximum is not None else 1e300
        # a step must not end on a bound that is itself refused
        low = low + control.step if field.open_minimum else low
        high = high - control.step if field.open_maximum else high
        log = field.log or control.log
        self.edit = NumberEdit(integer, low, high, control.step, log, field.unit)
        self.slider = ValueSlider(integer, *control.slider, control.step, log) if control.slider else None
        self.focus_widget = self.edit
        self.edit.edited.connect(self._typed)
        self.edit.entered.connect(self.entered)
        if self.slider is None:
            self._column(self.edit)
        else:
            self.slider.dragged.connect(self._dragged)
            self.slider.setAccessibleName(f"{field.label} slider")
            self._column(self.edit, self.slider)

    def whole_width(self) -> int:
        """The width of a long number, including frame and arrows."""
        return self.edit.fontMetrics().horizontalAdvance(_LONG_NUMBER) + _AROUND_CHOICE

    def set_value(self, value: Any) -> None:
        """Show `value`."""
        self.edit.set_value(value)
        if self.slider is not None:
            self.slider.set_value(value)

    def _typed(self, value: Any) -> None:
        if self.slider is not None:
            self.slider.set_value(value)
        self.edited.emit(value)

    def _dragged(self, value: Any) -> None:
        self.edit.set_value(value)
        self.edited.emit(value)


class ChoiceEditor(Editor):
    """Editor for a choice. `values` are those to choose from."""

    def __init__(self, field: FieldDescription, control: Control) -> None:
        super().__init__()
        self.combo = ElidingCombo()
        # as wide as the column, not the longest choice; the open list shows all of it
        self.combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.combo.setMinimumContentsLength(4)
        self.combo.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.values: tuple[Any, ...] = control.choices or tuple(field.choices)  # a combo box would make lists of tuples
        self.combo.addItems([field.choices[value] for value in self.values])
        opened = self.combo.view()
        assert opened is not None
        opened.setMinimumWidth(opened.sizeHintForColumn(0) + 16)
        self.combo.activated.connect(lambda index: self.edited.emit(self.values[index]))
        self.focus_widget = self.combo
        self._column(self.combo)

    def whole_width(self) -> int:
        """The width of the longest choice, including frame and arrow."""
        words = self.combo.fontMetrics()
        longest = max(words.horizontalAdvance(self.combo.itemText(k)) for k in range(self.combo.count()))
        return longest + _AROUND_CHOICE

    def set_value(self, value: Any) -> None:
        """Show `value`."""
        chosen = as_tuple(value)
        self.combo.setCurrentIndex(self.values.index(chosen) if chosen in self.values else -1)

    @property
    def value(self) -> Any:
        """The value that is shown; None if it is none of the choices."""
        index = self.combo.currentIndex()
        return self.values[index] if index >= 0 else None


class TextEditor(Editor):
    """Base class: a line of text, read when Enter is pressed or the line loses the focus."""

    def __init__(self, placeholder: str) -> None:
        super().__init__()
        self.line = EntryLine()
        self.line.setPlaceholderText(placeholder)
        self.line.editingFinished.connect(self.commit)
        self.line.entered.connect(self.entered)
        self.focus_widget = self.line
        self._value: Any = None

    def set_value(self, value: Any) -> None:
        """Show `value`, but keep a text that is being typed or was rejected."""
        if value == self._value and (self.line.isModified() or self.line.refused):
            return
        self._value = value
        self.line.setText(self._text(value))

    def commit(self) -> None:
        """Accept the text being typed."""
        self._take(self._read(self.line.text()))

    def _take(self, value: Any) -> None:
        self.line.setModified(False)
        if value != self._value:
            self._value = value
            self.edited.emit(value)

    def _text(self, value: Any) -> str:
        """The text for a value."""
        raise NotImplementedError

    def _read(self, text: str) -> Any:
        """The text as a value, valid or not."""
        raise NotImplementedError


def sides_text(sides: Sequence[float], digits: int = _ALL_DIGITS) -> str:
    """The sides of a box, "100 × 25"; equal ones are given once."""
    return " × ".join(number_text(side, digits) for side in (sides if len(set(sides)) > 1 else sides[:1]))


class SizeEditor(TextEditor):
    """Editor for the box size: one side, all sides as ``50 x 40``, or empty for an automatic size."""

    def __init__(self) -> None:
        super().__init__("automatic")
        self._hint = ""
        self.line.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._column(self.line)

    def whole_width(self) -> int:
        """The width of two sides or of the automatic size, including the frame."""
        letters = self.line.fontMetrics()
        return max(map(letters.horizontalAdvance, _LONG_SIZES)) + _AROUND_TEXT

    def set_automatic(self, text: str) -> None:
        """Show, in the empty field, the size that is chosen automatically."""
        self.line.setPlaceholderText(text)

    def set_value(self, value: Any) -> None:
        """Show `value`; the tool tip has all digits of several sides."""
        if value != self._value:
            self._hint = ""
            self.line.setToolTip(sides_text(value) if isinstance(value, tuple) else "")
        super().set_value(value)

    def _text(self, value: Any) -> str:
        if not isinstance(value, tuple):
            return "" if value is None else number_text(value)
        return sides_text(value, _SIDE_DIGITS if len(set(value)) > 1 else _ALL_DIGITS)

    def _read(self, text: str) -> Any:
        self._hint = ""
        whole = text.strip().lower()
        if whole == self._text(self._value):
            return self._value  # with all its digits
        plain = whole.strip("[]()")
        if plain in ("", "auto", "automatic"):
            return None
        parts = [part.strip() for part in plain.replace("×", "x").replace(";", "x").split("x") if part.strip()]
        if any(part.split()[1:] for part in parts) or (plain != whole and len(parts) == 1 and "," in plain):
            self._hint = _TWO_SIDES  # refuse 100 200 and [50,40]: they could be read as one number
            return whole
        try:
            sides = tuple(self._side_of(part) for part in parts)
        except InputError as error:
            self._hint = str(error) if any(sign.isdigit() for sign in whole) else ""
            return whole
        return sides[0] if len(sides) == 1 else sides

    def _side_of(self, text: str) -> float:
        """The side that is typed; one that is shown as before keeps all its digits."""
        before = self._value if isinstance(self._value, tuple) else ()
        shown = {number_text(side, _SIDE_DIGITS): side for side in before}
        return shown[text] if text in shown else float(number_from(text))

    @property
    def hint(self) -> str:
        """If the entry cannot be read: how to write a size; else an empty text."""
        return self._hint


class FileEditor(TextEditor):
    """Editor for the path of a state file, typed or chosen."""

    def __init__(self) -> None:
        super().__init__("choose a file")
        self.button = QToolButton()
        self.button.setText("…")
        self.button.setToolTip("Choose a file")
        self.button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.button.clicked.connect(self.choose)
        self.line.textChanged.connect(self.line.setToolTip)  # shows a long path in full
        self._value = ""
        self._row(self.line, self.button)

    def choose(self) -> None:
        """Ask for a file. The engine reports files with an unsupported ending."""
        endings = " ".join(f"*{suffix}" for suffix in formats.readable())
        try:
            folder = typed_path(self._value).parent
        except InputError:
            folder = Path.home()
        path = file_dialogs.ask_open(self, folder, "State file", f"States ({endings});;All files (*)")
        if path is not None:
            self.line.setText(str(path))
            self._take(str(path))

    def _text(self, value: Any) -> str:
        return str(value)

    def _read(self, text: str) -> Any:
        return text.strip()


class SeedEditor(Editor):
    """Editor for a seed, with a button for a new random seed."""

    def __init__(self, field: FieldDescription) -> None:
        super().__init__()
        self.edit = NumberEdit(True, float(field.minimum or 0), float(field.maximum or 0), 1.0)
        self.button = QToolButton()
        self.button.setIconSize(QSize(16, 16))
        self.button.setIcon(icon("mdi6.dice-5-outline"))
        self.button.setToolTip("New seed")
        self.button.setAccessibleName("New seed")
        self.button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.edit.edited.connect(self.edited)
        self.edit.entered.connect(self.entered)
        self.button.clicked.connect(self.throw)
        self.focus_widget = self.edit
        self._row(self.edit, self.button)

    def set_value(self, value: Any) -> None:
        """Show `value`."""
        self.edit.set_value(value)

    def throw(self) -> None:
        """Choose a new random seed."""
        seed = self.edit.value
        while seed == self.edit.value:
            seed = secrets.randbelow(_NEW_SEEDS)
        self.edit.set_value(seed)
        self.edited.emit(seed)


def _box(text: str) -> QCheckBox:
    box = QCheckBox(text)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return box


class SwitchEditor(Editor):
    """Editor for a switch."""

    def __init__(self) -> None:
        super().__init__()
        self.box = _box("On")
        self.box.clicked.connect(lambda on: self.edited.emit(on))
        self.focus_widget = self.box
        self._column(self.box)

    def set_value(self, value: Any) -> None:
        """Show `value`."""
        self.box.setChecked(value is True)


class StepEditor(Editor):
    """Editor for a number or the one word that can stand for it, such as the time step: adaptive, or a number with a
    slider (empty while it is adaptive)."""

    def __init__(self, field: FieldDescription, control: Control) -> None:
        super().__init__()
        ((self._word, text),) = field.choices.items()
        self.box = _box(text)
        self.number = NumberEditor(field, control)
        self.number.edit.setAccessibleName(f"{field.label} fixed")
        self._fixed: float | None = None  # the last number
        self._suggestion = 1.0
        self.box.clicked.connect(self._ticked)
        self.number.edited.connect(self.edited)
        self.number.entered.connect(self.entered)
        self.focus_widget = self.box
        self._column(self.box, self.number)

    def set_value(self, value: Any) -> None:
        """Show `value`."""
        is_word = value == self._word
        if isinstance(value, int | float):
            self._fixed = value
        self.box.setChecked(is_word)
        # emptied before it is disabled: a field that loses the focus commits what stands in it
        self.number.set_value(None if is_word else value)
        self.number.setEnabled(not is_word)

    def set_suggestion(self, value: float) -> None:
        """Set the number with which it starts where the word is taken back."""
        self._suggestion = value

    def _ticked(self, is_word: bool) -> None:
        self.edited.emit(self._word if is_word else self._suggestion if self._fixed is None else self._fixed)


class VectorEditor(Editor):
    """Editor for a vector with as many components as its default: x above y and z, to fit a narrow panel. Editing one
    changes the whole vector."""

    def __init__(self, field: FieldDescription, control: Control) -> None:
        super().__init__()
        self._value: tuple[Any, ...] = tuple(field.default)
        names = _NAMES[: len(self._value)]
        self.edits = tuple(NumberEdit(False, -_FAR, _FAR, control.step, False, field.unit) for _ in names)
        self.names = tuple(QLabel(name) for name in names)
        self.focus_widget = self.edits[0]
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (name, label, edit) in enumerate(zip(names, self.names, self.edits, strict=True)):
            label.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
            label.setBuddy(edit)
            label.setProperty("quiet", True)
            edit.setAccessibleName(f"{field.label} {name}")
            edit.edited.connect(lambda value, place=row: self._take(place, value))
            edit.entered.connect(self.entered)
            grid.addWidget(label, row, 0)
            grid.addWidget(edit, row, 1)

    def set_value(self, value: Any) -> None:
        """Show `value`."""
        zeros = (0.0,) * (len(self.edits) - len(value))  # no gravity is two zeros in any box
        self._value = (*value, *zeros)[: len(self.edits)]
        for edit, part in zip(self.edits, self._value, strict=True):
            edit.set_value(part)

    def _take(self, place: int, value: Any) -> None:
        given = float(value) if isinstance(value, int) else value
        self._value = (*self._value[:place], given, *self._value[place + 1 :])
        self.edited.emit(self._value)
