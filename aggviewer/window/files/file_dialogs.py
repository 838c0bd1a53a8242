"""The dialogs: which file, which size, what is this program."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

from PyQt6.QtCore import QProcess, Qt
from PyQt6.QtGui import QFontDatabase, QGuiApplication
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QMessageBox,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from aggviewer.session.saved.session_file import SUFFIX
from engine.files import formats

SAVE_FILTER = "Scenario (*.toml)"
_LARGEST = 16384


def open_filter() -> str:
    """What can be opened, as file dialogs want it."""
    states = " ".join(f"*{suffix}" for suffix in formats.readable())
    return (
        f"All that can be opened (*{SUFFIX} *.toml {states});;Sessions (*{SUFFIX});;Scenarios (*.toml);;"
        f"States and recordings ({states});;All files (*)"
    )


def state_filter() -> str:
    """The formats in which a state can be saved."""
    found = [format for format in formats.known() if format.writes is not None]
    return ";;".join(f"{format.label} (*{(format.written_as or format.suffixes)[0]})" for format in found)


def recording_filter() -> str:
    """The formats in which a run can be recorded."""
    found = [format for format in formats.known() if format.records is not None]
    return ";;".join(f"{format.name} (*{format.suffixes[0]})" for format in found)


def ask_open(parent: QWidget, folder: Path) -> Path | None:
    """The file to open, None when the person thinks better of it."""
    name, _ = QFileDialog.getOpenFileName(parent, "Open a scenario, a state or a recording", str(folder), open_filter())
    return Path(name) if name else None


def ask_save(parent: QWidget, proposal: Path, title: str, name_filter: str) -> Path | None:
    """Where to save; the extension of `proposal` is added where it is missing."""
    name, _ = QFileDialog.getSaveFileName(parent, title, str(proposal), name_filter)
    if not name:
        return None
    path = Path(name)
    return path if path.suffix else path.with_suffix(proposal.suffix)


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
