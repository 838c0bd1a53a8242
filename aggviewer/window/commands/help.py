"""Help: the palette, the sheet of keys, what this program is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import metadata

from PyQt6.QtCore import QProcess, Qt
from PyQt6.QtGui import QFontDatabase, QGuiApplication
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QMessageBox, QPlainTextEdit, QVBoxLayout, QWidget

from aggviewer.widgets.command import Command, Place
from aggviewer.window.commands.command_set import CommandSet
from aggviewer.window.commands.key_sheet import KeySheet
from aggviewer.window.commands.palette import CommandPalette


def help_commands(commands: CommandSet, window: QWidget) -> Iterator[Command]:
    """What helps a person to find something; `commands` is what there is to be found."""
    palette = CommandPalette(commands, window)
    yield Command(
        "help.palette",
        "Commands…",
        palette.open,
        ("Ctrl+Shift+P",),
        "Find a command by its name",
        menu=Place("Help", 1, 1),
    )
    yield Command(
        "help.keys",
        "Keys",
        lambda: KeySheet(commands, window).open(),
        ("?", "F1"),
        "All keys at one glance",
        menu=Place("Help", 1, 2),
    )
    yield Command(
        "help.system",
        "System information…",
        lambda: SystemInformation(window).open(),
        tooltip="What a bug report needs",
        menu=Place("Help", 2, 2),
    )
    yield Command("help.about", "About aggviewer…", lambda: show_about(window), menu=Place("Help", 2, 3))


class SystemInformation(QDialog):
    """What ``aggviewer doctor`` says, ready to be copied into a report."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("System information")
        self.text = QPlainTextEdit("Looking around …")
        self.text.setReadOnly(True)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        if copy is not None:
            copy.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.text)
        layout.addWidget(buttons)
        self.resize(640, 480)
        self._process = QProcess(self)
        self._process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(lambda _error: self.text.setPlainText(self._process.errorString()))
        self._process.start(sys.executable, ["-m", "aggviewer", "doctor"])

    def done(self, result: int) -> None:
        """Do not wait for what nobody wants to read any more."""
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.blockSignals(True)
            self._process.kill()
            self._process.waitForFinished(1000)
        super().done(result)

    def _on_finished(self) -> None:
        self.text.setPlainText(bytes(self._process.readAll().data()).decode("utf-8", "replace").strip())

    def _copy(self) -> None:
        clipboard = QGuiApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(self.text.toPlainText())


def show_about(parent: QWidget) -> None:
    """Name, version, purpose, licence."""
    try:
        version = metadata.version("aggviewer")
    except metadata.PackageNotFoundError:
        version = "not installed"
    box = QMessageBox(parent)
    box.setWindowTitle("About aggviewer")
    box.setTextFormat(Qt.TextFormat.RichText)
    box.setText(f"<b>aggviewer</b> {version}")
    box.setInformativeText(
        "<p>Ballistic aggregation of discs, exact and live: discs fly straight, meet, stick and fly on together.</p>"
        "<p>Free software under the GNU General Public License, version 3 or later.</p>"
    )
    box.setStandardButtons(QMessageBox.StandardButton.Close)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
