"""The button that opens and closes a part of a panel."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QSizePolicy, QToolButton, QWidget

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
