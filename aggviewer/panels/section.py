"""A part of the inspector that folds."""

from __future__ import annotations

from PyQt6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from aggviewer.panels.fold_button import FoldButton


class Section(QWidget):
    """A head and rows below it, 8 pixels apart."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = FoldButton(title)
        self.body = QWidget()
        self._rows = QVBoxLayout(self.body)
        self._rows.setContentsMargins(0, 4, 0, 0)
        self._rows.setSpacing(8)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self.body)
        self.head.toggled.connect(self.body.setVisible)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def add(self, row: QWidget) -> None:
        """One more row."""
        self._rows.addWidget(row)

    def open(self) -> None:
        """Show the rows."""
        self.head.setChecked(True)
