"""Help: the command palette, the sheet of keys, and information about the program."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import metadata

from PyQt6.QtCore import QProcess, Qt
from PyQt6.QtGui import QFontDatabase
from PyQt6.QtWidgets import QDialogButtonBox, QMessageBox, QPlainTextEdit, QWidget

from aggviewer.widgets.clipboard import copy_text
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.form_dialog import FittingDialog
from aggviewer.widgets.part import Context, Part
from aggviewer.window.commands.key_sheet import KeySheet
from aggviewer.window.commands.palette import CommandPalette
from engine.plugins import known


class HelpCommands(Part):
    """The palette, the sheet of keys, and the dialogs of the Help menu."""

    def __init__(self, context: Context) -> None:
        self._commands, self._window = context.commands, context.window
        self._palette = CommandPalette(self._commands, self._window)

    def commands(self) -> Iterator[Command]:
        """The commands of the Help menu."""
        yield Command(
            "help.palette",
            "Commands…",
            self._palette.open,
            ("Ctrl+Shift+P",),
            "Find a command by its name",
            menu=Place("Help", 1, 1),
        )
        yield Command(
            "help.keys",
            "Keys",
            lambda: KeySheet(self._commands, self._window).open(),
            ("?", "F1"),
            "All keyboard shortcuts on one sheet",
            menu=Place("Help", 1, 2),
            words="shortcuts keyboard manual",
        )
        yield Command(
            "help.system",
            "System information…",
            lambda: SystemInformation(self._window).open(),
            tooltip="Versions, graphics and folders, for a bug report",
            menu=Place("Help", 2, 2),
        )
        yield Command("help.about", "About aggviewer…", lambda: show_about(self._window), menu=Place("Help", 2, 3))


class SystemInformation(FittingDialog):
    """The output of ``aggviewer doctor``, ready to copy into a bug report."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("System information", parent)
        self.text = QPlainTextEdit("Collecting …")
        self.text.setReadOnly(True)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        if copy is not None:
            copy.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        self.column.addWidget(self.text)
        self.add_foot(buttons)
        self.resize(640, 480)
        self._process = QProcess(self)
        self._process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(lambda _error: self.text.setPlainText(self._process.errorString()))
        self._process.start(sys.executable, ["-m", "aggviewer", "doctor"])

    def done(self, result: int) -> None:
        """Stop waiting for information that is no longer needed."""
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.blockSignals(True)
            self._process.kill()
            self._process.waitForFinished(1000)
        super().done(result)

    def _on_finished(self) -> None:
        told = bytes(self._process.readAll().data()).decode("utf-8", "replace").strip()
        here = [f"  {plug_in.name}  {plug_in.words}" for plug_in in known()]  # what another process does not know
        self.text.setPlainText("\n".join([told, "plug_ins of this window", *(here or ["  none"])]))

    def _copy(self) -> None:
        copy_text(self.text.toPlainText())


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
        "<p>Simulates hard discs that collide and stick, bounce or jam.</p>"
        "<p>Free software under the GNU General Public License, version 3 or later.</p>"
    )
    box.setStandardButtons(QMessageBox.StandardButton.Close)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
