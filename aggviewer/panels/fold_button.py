"""The head of a part that folds."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtWidgets import QToolButton, QWidget

# a checked tool button looks pressed; here the arrow alone says whether the part is open
_STYLE = """
QToolButton { border: 1px solid transparent; border-radius: 3px; background: transparent; padding: 1px 4px 1px 0; }
QToolButton:hover { background: rgba(128, 128, 128, 40); }
QToolButton:focus { border-color: palette(highlight); }
"""


class FoldButton(QToolButton):
    """A bold name with an arrow: checked is open. Space and Enter work as for any button."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(title)
        self.setCheckable(True)
        self.setChecked(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(12, 12))
        self.setStyleSheet(_STYLE)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        font = self.font()
        font.setBold(True)
        self.setFont(font)
        self.toggled.connect(self._turn)
        self._turn(True)

    def _turn(self, opened: bool) -> None:
        self.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)
