"""Buttons: one that opens and closes a part of a panel, and a row of which one is selected."""

from __future__ import annotations

from collections.abc import Mapping

from PyQt6.QtCore import QEvent, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QWidget

_LETTERS = 12  # least number of visible letters of a long name


class FoldButton(QToolButton):
    """A bold name with an arrow; the part is open while the button is checked.

    Space and Enter press it like any button. A long name is shortened with an ellipsis if there is little room.
    """

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = title
        self.setText(title)
        self.setAccessibleName(title)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setCheckable(True)
        self.setChecked(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(12, 12))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        font = self.font()
        font.setBold(True)
        self.setFont(font)
        self.toggled.connect(self._turn)
        self._turn(True)

    def set_title(self, title: str) -> None:
        """Change the name."""
        self._title = title
        self.setText(title)
        self.setAccessibleName(title)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """The size needed for the whole name."""
        return self._hint(self._title)

    def minimumSizeHint(self) -> QSize:
        """The size needed for the start of the name."""
        beginning = self._title if len(self._title) <= _LETTERS else self._title[:_LETTERS] + "…"
        return self._hint(beginning)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Show as much of the name as fits."""
        super().resizeEvent(event)
        room = self.width() - self._hint("").width()
        self.setText(self.fontMetrics().elidedText(self._title, Qt.TextElideMode.ElideRight, room))

    def _hint(self, text: str) -> QSize:
        metrics, flag = self.fontMetrics(), Qt.TextFlag.TextShowMnemonic
        more = metrics.size(flag, text).width() - metrics.size(flag, self.text()).width()
        return super().sizeHint() + QSize(more, 0)

    def _turn(self, opened: bool) -> None:
        self.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)


_AROUND = 4  # characters beside the words of a button


class SegmentRow(QWidget):
    """One button per choice; the selected one is filled.

    Signal: ``chosen(name)`` when the user clicks one.
    """

    chosen = pyqtSignal(str)

    def __init__(self, tips: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(2)
        self.buttons: dict[str, QPushButton] = {}
        self.set_choices(tips or {})

    def set_choices(self, tips: Mapping[str, str]) -> None:
        """Set the choices: the text and tool tip of each button."""
        if list(tips) == list(self.buttons):
            return
        for button in self.buttons.values():
            button.hide()
            button.deleteLater()
        self.buttons = {name: self._button(name, tip) for name, tip in tips.items()}

    def _button(self, name: str, tip: str) -> QPushButton:
        button = QPushButton(name)
        button.setProperty("segment", True)
        button.setCheckable(True)
        button.setToolTip(tip)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click does not move the keyboard focus
        button.setFont(self.font())  # a new widget inherits its parent's font only without a style sheet
        button.clicked.connect(lambda: self._choose(name))
        button.setMinimumWidth(1)  # buttons share the width in proportion to their text
        self._row.addWidget(button, len(name) + _AROUND)
        return button

    def _choose(self, name: str) -> None:
        self.set_current(name)
        self.chosen.emit(name)

    def set_current(self, name: str) -> None:
        """Set the selected one; clicking it again does not deselect it."""
        for other, button in self.buttons.items():
            button.setChecked(other == name)

    def changeEvent(self, event: QEvent | None) -> None:
        """Follow changes of the font, such as in presenter mode."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange:
            for button in self.buttons.values():
                button.setFont(self.font())
