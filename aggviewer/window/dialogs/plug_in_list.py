"""The list of plug-ins in *Preferences*: files that are loaded when the window opens the next time."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from aggviewer.widgets.file_dialogs import FileChooser
from aggviewer.window.settings import WindowSettings

NOTE = (
    "A change takes effect from the next start. A plug-in is a program and can do anything on this computer that you "
    "can: add it only if you wrote it or trust its author."
)
_ROWS = 3


class PlugInList(QWidget):
    """Shows the plug-ins of the settings; files can be added and removed."""

    def __init__(self, settings: WindowSettings, files: FileChooser) -> None:
        super().__init__()
        self._settings, self._files = settings, files
        self.list = QListWidget()
        self.list.setAccessibleName("Plug-ins")
        self.list.setFixedHeight((_ROWS + 1) * self.list.fontMetrics().height())
        self.list.currentRowChanged.connect(lambda row: self.remove.setEnabled(row >= 0))
        self.add, self.remove = QPushButton("Add…"), QPushButton("Remove")
        self.add.clicked.connect(self._add)
        self.remove.clicked.connect(self._remove)
        buttons = QVBoxLayout()
        for button in (self.add, self.remove):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        buttons.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.list, 1)
        row.addLayout(buttons)
        self._show()

    def _show(self) -> None:
        self.list.clear()
        for path in self._settings.plug_ins:
            item = QListWidgetItem(path.name)
            item.setToolTip(str(path))
            item.setData(Qt.ItemDataRole.UserRole, path)
            self.list.addItem(item)
        self.remove.setEnabled(False)

    def _add(self) -> None:
        path = self._files.to_open("plug-in", "Add a plug-in", "Plug-ins (*.py)")
        if path is not None and path.resolve() not in self._settings.plug_ins:
            self._settings.plug_ins = [*self._settings.plug_ins, path.resolve()]
            self._show()

    def _remove(self) -> None:
        chosen: Path = self.list.currentItem().data(Qt.ItemDataRole.UserRole)  # type: ignore[union-attr]
        self._settings.plug_ins = [path for path in self._settings.plug_ins if path != chosen]
        self._show()
