"""A row of buttons, one of which is selected."""

from __future__ import annotations

from collections.abc import Mapping

from PyQt6.QtCore import QEvent, Qt, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QPushButton, QWidget

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
