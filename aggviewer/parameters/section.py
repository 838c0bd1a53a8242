"""Folding parts of the inspector: a section, and a line that replaces unused settings."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QLayout, QSizePolicy, QVBoxLayout, QWidget

from aggviewer.parameters.layout import ADVANCED, Aside
from aggviewer.widgets.buttons import FoldButton

_INDENT = 14  # of the note, as of the names of the rows


class FoldingSection(QWidget):
    """A heading, an optional note, and rows 8 pixels apart. *Advanced* is folded at first."""

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
        self.note.setProperty("quiet", True)
        self.note.hide()
        self._rows.addWidget(self.note)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.head)
        self._column.addWidget(self.body)
        self._bare = False
        self.head.toggled.connect(self._show_body)
        self.head.setChecked(title != ADVANCED)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def add(self, row: QWidget) -> None:
        """Add a row."""
        self._rows.addWidget(row)

    @property
    def layouts(self) -> tuple[QLayout, QLayout]:
        """The layouts of the section and of its rows."""
        return self._column, self._rows

    def set_note(self, text: str) -> None:
        """Show a note above the rows; "" removes it."""
        self.note.setText(text)
        self.note.setVisible(bool(text) and not self._bare)

    def set_bare(self, bare: bool) -> None:
        """Show only the rows, without heading and note, or return to the usual state."""
        if bare != self._bare:
            self._bare = bare
            self.head.setVisible(not bare)
            self.set_note(self.note.text())
            self._show_body()

    def _show_body(self) -> None:
        self.body.setVisible(self._bare or self.head.isChecked())

    def open(self) -> None:
        """Show the rows."""
        self.head.setChecked(True)


class AsideLine(QWidget):
    """A line such as ``▸ Time stepping   11 settings`` that opens into a heading with these settings."""

    toggled = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = Aside()
        self.head = FoldButton("")
        self.words = QLabel()
        self.words.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.head)
        self.words.setProperty("quiet", True)
        row.addWidget(self.words, 1)
        self.head.setChecked(False)
        self.head.toggled.connect(lambda _on: self.toggled.emit())
        self.hide()

    @property
    def opened(self) -> bool:
        """Whether the settings are visible."""
        return self.head.isChecked()

    def open(self) -> None:
        """Show the settings."""
        self.head.setChecked(True)

    def show_content(self, content: Aside) -> None:
        """Represent these settings; hidden if there are none."""
        self.content = content
        self.head.set_title(content.name)
        count = len(content.keys)
        self.words.setText(f"{count} settings")
        tip = f"{content.name}: {count} settings, used only with the method {content.used_by}"
        for widget in (self.head, self.words):
            widget.setToolTip(tip)
