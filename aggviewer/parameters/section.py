"""A part of the inspector that folds."""

from __future__ import annotations

from PyQt6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from aggviewer.style.theme import Colors
from aggviewer.widgets.fold_button import FoldButton

_INDENT = 14  # of the note, as of the names of the rows


class Section(QWidget):
    """A head, rows below it, 8 pixels apart, and a note over them where there is something to say."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = FoldButton(title)
        self.body = QWidget()
        self._rows = QVBoxLayout(self.body)
        self._rows.setContentsMargins(0, 4, 0, 0)
        self._rows.setSpacing(8)
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setContentsMargins(_INDENT, 0, 0, 0)
        self.note.hide()
        self._rows.addWidget(self.note)
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

    def set_note(self, text: str) -> None:
        """A quiet line over the rows; empty takes it away."""
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def set_theme(self, theme: Colors) -> None:
        """Colour of the note."""
        self.note.setStyleSheet(f"color: {theme.muted};")

    def open(self) -> None:
        """Show the rows."""
        self.head.setChecked(True)
