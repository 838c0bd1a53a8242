"""One row of the parameters panel: mark, name and editor of a scenario key, and its error message; and the scenario
being edited: the running one plus unapplied changes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
from PyQt6.QtCore import QEvent, QObject, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QContextMenuEvent, QFont, QFontMetrics, QMouseEvent
from PyQt6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QToolButton, QWidget

from aggviewer.parameters.editors import (
    ChoiceEditor,
    Control,
    Editor,
    FileEditor,
    NumberEditor,
    SeedEditor,
    SizeEditor,
    StepEditor,
    SwitchEditor,
    VectorEditor,
)
from aggviewer.parameters.kinds_editor import KindsEditor
from aggviewer.parameters.layout import SPIN
from aggviewer.style.formulas import symbol_html
from aggviewer.widgets.entry_line import Bubble
from aggviewer.widgets.labels import set_tip
from aggviewer.widgets.number_edit import number_text
from engine.arrangements.table import ARRANGEMENTS
from engine.scenario import FieldDescription, Scenario, scenario_keys

MARK_WIDTH = 14
_GAP = 12


def default_text(field: FieldDescription) -> str:
    """The default value of a field as text."""
    if field.kind == "choice":
        return field.choices.get(field.default, str(field.default))
    if field.kind == "switch":
        return "on" if field.default else "off"
    if field.default is None:
        return "automatic"
    return number_text(field.default) if field.default not in ("", ()) else "none"


def make_editor(field: FieldDescription, control: Control) -> Editor:
    """Create the editor for a key."""
    if field.key == "seed":
        return SeedEditor(field)
    if field.kind in ("integer", "number"):
        return NumberEditor(field, control)
    if field.kind == "choice":
        return ChoiceEditor(field, control)
    if field.kind == "switch":
        return SwitchEditor()
    if field.kind == "step":
        return StepEditor(field, control)
    if field.kind == "pair":
        return VectorEditor(field, control)
    if field.kind == "size":
        return SizeEditor()
    if field.kind == "text":
        return FileEditor()
    if field.kind == "kinds":
        return KindsEditor()
    raise NotImplementedError(f"no editor for {field.kind}")


class FieldRow(QWidget):
    """Emits `edited(key, value)`, `reset_asked(key)`, `entered`, and `menu_asked(key, place)` on a right-click.

    A mark before the name shows that the value is not the default; click it, or double-click the name, to reset. A bold
    name is a change not yet applied.
    """

    edited = pyqtSignal(str, object)
    reset_asked = pyqtSignal(str)
    entered = pyqtSignal()
    menu_asked = pyqtSignal(str, QPoint)

    def __init__(
        self, field: FieldDescription, control: Control, live: bool = False, parent: QWidget | None = None
    ) -> None:
        """live : whether changes take effect during the run."""
        super().__init__(parent)
        self.field = field
        self.editor: Editor = make_editor(field, control)
        self.label = QLabel(self._name(" "))
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setWordWrap(True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.label.setBuddy(self.editor.focus_widget)
        self.label.installEventFilter(self)
        self.mark = QToolButton()
        self.mark.setObjectName("changedMark")
        self.mark.setText("•")
        self.mark.setFixedWidth(MARK_WIDTH)
        self.mark.setAutoRaise(True)
        self.mark.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.mark.setToolTip(f"Reset to {default_text(field)}")
        policy = self.mark.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        policy.setVerticalPolicy(QSizePolicy.Policy.Fixed)
        self.mark.setSizePolicy(policy)
        self.message = Bubble(self)
        self._entries = self.editor.entries

        self._live, self.inert = live, ""
        self.say_as(field)

        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(0)
        grid.setVerticalSpacing(2)
        grid.addWidget(self.mark, 0, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.label, 0, 1)
        grid.addWidget(self.editor, 0, 2)
        grid.setColumnStretch(2, 1)
        self._grid, self._below = grid, False
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.editor.edited.connect(lambda value: self.edited.emit(field.key, value))
        self.editor.entered.connect(self.entered)
        self.mark.clicked.connect(lambda: self.reset_asked.emit(field.key))

    def say_as(self, field: FieldDescription) -> None:
        """Take name and tip from the description of its key, which are other ones in a box of other dimensions."""
        self.field = field
        self._tip = (
            f"<p>{escape(field.tooltip)}</p><p>Allowed: {escape(field.allowed)}. Default: "
            f"{escape(default_text(field))}; double-click the name to reset it."
            f" {'A change takes effect at once.' if self._live else 'A change restarts the run.'}</p>"
        )
        self.label.setText(self._name(" "))
        self._say_whether_inert()
        self.mark.setAccessibleName(f"Reset {field.label}")
        self.editor.focus_widget.setAccessibleName(field.label)

    def least_label_width(self) -> int:
        """The width of the name, bold and wrapped between words, including the gap after it."""
        return max(self._bold_width(word) for word in self.field.label.split()) + _GAP

    def whole_label_width(self) -> int:
        """The width of the name, bold and on one line with its symbol, including the gap after it."""
        return self._bold_width(f"{self.field.label} {self.field.symbol}") + _GAP

    def set_widths(self, width: int, whole: int) -> None:
        """Set a common width for names so that editors align; an editor too wide to stand beside its name moves below
        it. whole : width of the row. If possible, a symbol is kept on one line with the last word."""
        needed = max(self.editor.whole_width(), self.editor.minimumSizeHint().width())
        below = needed > whole - MARK_WIDTH - width
        if below != self._below:
            self._below = below
            if below:
                self._grid.addWidget(self.label, 0, 1, 1, 2)
                self._grid.addWidget(self.editor, 1, 1, 1, 2)
            else:
                self._grid.addWidget(self.label, 0, 1)
                self._grid.addWidget(self.editor, 0, 2)
        if below:
            width = max(width, whole - MARK_WIDTH)
        if width == self.label.minimumWidth() == self.label.maximumWidth():
            return
        self.label.setFixedWidth(width)
        last = f"{self.field.label.split()[-1]} {self.field.symbol}"
        self.label.setText(self._name("&nbsp;" if self._bold_width(last) + _GAP <= width else " "))
        # the name stands on the line of the editor's text
        height = self.editor.focus_widget.sizeHint().height()
        top = max(0, (height - self.label.fontMetrics().height()) // 2)
        self.label.setContentsMargins(0, top, _GAP, 0)
        self.mark.setFixedHeight(height)

    def show_value(self, value: Any, changed: bool) -> None:
        """Show the value, and whether it differs from the running scenario."""
        self.editor.set_value(value)
        self.mark.setVisible(value != self.field.default)
        if self.label.font().bold() != changed:
            font = QFont()  # of which only the weight is kept, and the size follows the type of the window
            font.setBold(changed)
            self.label.setFont(font)

    def in_words(self, message: str) -> str:
        """Why the value is rejected: how to write it if it cannot be read, else `message`."""
        hint = self.editor.hint
        return f"{hint[:1].upper()}{hint[1:]}" if hint else in_words(message)

    def set_inert(self, reason: str) -> None:
        """Grey out the row, with the reason why it has no effect; "" enables it."""
        if reason != self.inert:
            self.inert = reason
            self._say_whether_inert()

    def _say_whether_inert(self) -> None:
        reason = self.inert
        tip = f"<p><b>{escape(reason)}</b></p>{self._tip}" if reason else self._tip
        for widget in (self.label, self.editor):
            set_tip(widget, tip)
            widget.setEnabled(not reason)
        self.mark.setEnabled(not reason)

    def _name(self, space: str) -> str:
        """The label and symbol with this space between them."""
        symbol = f"{space}{symbol_html(self.field.symbol)}" if self.field.symbol else ""
        return f"{escape(self.field.label)}{symbol}"

    def _bold_width(self, words: str) -> int:
        font = self.label.font()
        font.setBold(True)
        return QFontMetrics(font).horizontalAdvance(words)

    def show_message(self, text: str) -> None:
        """Show why the value is rejected; "" removes the message."""
        for entry in self._entries:
            entry.refused = bool(text)
        self.message.show_message(text.replace("/", "/\u200b").replace("\\", "\\\u200b"))  # paths may be broken there

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """Open the menu of the key. Text fields have their own menu."""
        if event is not None:
            self.menu_asked.emit(self.field.key, event.globalPos())
            event.accept()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Reset the value when the name is double-clicked."""
        double = event is not None and event.type() == QEvent.Type.MouseButtonDblClick
        if watched is self.label and self.label.isEnabled() and double and isinstance(event, QMouseEvent):
            self.reset_asked.emit(self.field.key)
            return True
        return super().eventFilter(watched, event)


# each distribution gets this spread when chosen, because the number has another meaning for each
_SPREADS = {"bidisperse": 1.4, "uniform": 0.5, "lognormal": 0.2}


class Draft:
    """Unapplied changes to the running scenario.

    base : the running scenario; changes : dotted key to value, only values that differ. They may be invalid;
    `Scenario.with_values` checks them.
    """

    def __init__(self, base: Scenario) -> None:
        self.base = base
        self.changes: dict[str, Any] = {}

    def value(self, key: str) -> Any:
        """The value of a dotted key."""
        return self.changes[key] if key in self.changes else self.base.value(key)

    def set(self, key: str, value: Any) -> None:
        """Set a key, and adapt other keys that depend on it."""
        self._set_one(key, value)
        if key == "discs.radii" and value in _SPREADS:
            self._set_one("discs.spread", _SPREADS[value] if value != self.base.discs.radii else self.base.discs.spread)
        if key == "discs.arrangement" and value != "file" and self.value("velocities.distribution") == "file":
            self._set_one("velocities.distribution", scenario_keys()["velocities.distribution"].default)
        if key in ("discs.arrangement", "discs.count"):
            self._fill_lattice()

    def _fill_lattice(self) -> None:
        """Change the number of discs to the nearest one that fills the crystal, if that is the arrangement."""
        arrangement = ARRANGEMENTS.get(self.value("discs.arrangement"))
        count, size = self.value("discs.count"), self.value("box.size")
        if arrangement is None or arrangement.crystal is None or not isinstance(count, int) or count < 1:
            return
        (dimensions,) = arrangement.dimensions
        sides = None if size is None else np.resize(np.asarray(size, np.float64), dimensions)  # one number for all
        if fitting := arrangement.crystal.fitting(count, sides):
            self._set_one("discs.count", min(fitting, key=lambda one: abs(one - count)))

    def _set_one(self, key: str, value: Any) -> None:
        if _same(value, self.base.value(key)):
            self.changes.pop(key, None)
        else:
            self.changes[key] = value

    def rebase(self, base: Scenario) -> None:
        """Set a new running scenario, and drop changes that it already contains."""
        changes, self.base, self.changes = self.changes, base, {}
        for key, value in changes.items():
            self._set_one(key, value)


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) and isinstance(a, str) == isinstance(b, str)


def relevant(values: Mapping[str, Any], *, turns: bool) -> dict[str, bool]:
    """Which keys have an effect, given the values of the choices, or have to be changed. A key that is missing always
    has an effect. turns : whether bodies turn."""
    from_file = values["discs.arrangement"] == "file"
    return {
        "discs.count": not from_file,
        "discs.file": from_file,
        "discs.fix_overlaps": from_file,
        "discs.radii": not from_file and not values["discs.kinds"],
        "discs.spread": not from_file and values["discs.radii"] != "equal",
        "discs.kinds": not from_file and values["discs.radii"] == "equal",
        "velocities.speed": values["velocities.distribution"] not in ("file", "rest"),
        "velocities.exact": values["velocities.distribution"] not in ("file", "rest"),
        SPIN: turns or values[SPIN] != 0.0,
    }


def in_words(message: str) -> str:
    """A message with dotted keys replaced by their labels, and without command-line options."""

    def name(match: re.Match[str]) -> str:
        label = scenario_keys()[match.group()].label
        return label if match.start() == 0 else label[0].lower() + label[1:]

    return _dotted_keys().sub(name, re.sub(r" \(--[a-z-]+\)", "", message))


def keys_in(message: str) -> list[str]:
    """The dotted keys mentioned in a message."""
    return _dotted_keys().findall(message)


def _dotted_keys() -> re.Pattern[str]:
    keys = "|".join(re.escape(key) for key in sorted(scenario_keys(), key=len, reverse=True) if "." in key)
    return re.compile(rf"\b({keys})\b")
