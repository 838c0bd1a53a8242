"""The switch above a plot that can show one packing or all."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QSizePolicy, QToolButton, QWidget


class PoolButton(QToolButton):
    """A switch with a text for where there is room and a shorter one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._long = self._short = ""
        self.setCheckable(True)
        self.setProperty("switch", True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_texts(self, text: str, short: str) -> None:
        """What it says, at length and in short."""
        if (text, short) != (self._long, self._short):
            self._long, self._short = text, short
            self.setAccessibleName(text)
            self._fit()
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Room for the long text."""
        return self._hint(self._long)

    def minimumSizeHint(self) -> QSize:
        """Room for the short one."""
        return self._hint(self._short)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Say as much as there is room for."""
        self._fit()
        super().resizeEvent(event)

    def _fit(self) -> None:
        self.setText(self._long if self.width() >= self._hint(self._long).width() else self._short)

    def _hint(self, text: str) -> QSize:
        metrics, flag = self.fontMetrics(), Qt.TextFlag.TextShowMnemonic
        more = metrics.size(flag, text).width() - metrics.size(flag, self.text()).width()
        return super().sizeHint() + QSize(more, 0)
