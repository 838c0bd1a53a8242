"""The dialogs: which file, which size, what is this program."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

from PyQt6.QtCore import QProcess, Qt
from PyQt6.QtGui import QFontDatabase, QGuiApplication
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QPlainTextEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from aggviewer.session.session_file import SUFFIX
from engine.files import READABLE

_STATES = " ".join(f"*{suffix}" for suffix in READABLE)
OPEN_FILTER = (
    f"All that can be opened (*{SUFFIX} *.toml {_STATES});;Sessions (*{SUFFIX});;Scenarios (*.toml);;"
    f"States and recordings ({_STATES});;All files (*)"
)
SAVE_FILTER = "Scenario (*.toml)"
_LARGEST = 16384

SIZES: dict[str, tuple[int, int] | None] = {
    "As in the window": None,
    "HD, 1280 x 720": (1280, 720),
    "Full HD, 1920 x 1080": (1920, 1080),
    "4K, 3840 x 2160": (3840, 2160),
    "Square, 2160 x 2160": (2160, 2160),
    "8K, 7680 x 4320": (7680, 4320),
}
_OTHER = "Other"


def ask_open(parent: QWidget, folder: Path) -> Path | None:
    """The file to open, None when the person thinks better of it."""
    name, _ = QFileDialog.getOpenFileName(parent, "Open a scenario, a state or a recording", str(folder), OPEN_FILTER)
    return Path(name) if name else None


def ask_save(parent: QWidget, proposal: Path, title: str, name_filter: str) -> Path | None:
    """Where to save; the extension of `proposal` is added where it is missing."""
    name, _ = QFileDialog.getSaveFileName(parent, title, str(proposal), name_filter)
    if not name:
        return None
    path = Path(name)
    return path if path.suffix else path.with_suffix(proposal.suffix)


class SnapshotDialog(QDialog):
    """Size and ground of a snapshot."""

    def __init__(
        self, window_size: tuple[int, int], last: tuple[int, int] | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Snapshot")
        self._window_size = window_size
        self.presets = QComboBox()
        self.presets.addItems([*SIZES, _OTHER])
        self.width_field, self.height_field = self._pixels(), self._pixels()
        self.transparent = QCheckBox("Transparent background")
        form = QFormLayout()
        form.addRow("Size", self.presets)
        row = QHBoxLayout()
        row.addWidget(self.width_field, 1)
        row.addWidget(QLabel("x"))
        row.addWidget(self.height_field, 1)
        form.addRow("Pixels", row)
        form.addRow("", self.transparent)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(16)
        layout.addLayout(form)
        layout.addWidget(buttons)
        names = [name for name, size in SIZES.items() if size == last]
        self.presets.setCurrentText(names[0] if names else _OTHER)
        self._set_pixels(last or window_size)
        self.presets.currentTextChanged.connect(self._on_preset)
        for field in (self.width_field, self.height_field):
            field.valueChanged.connect(self._on_pixels)

    @property
    def size_chosen(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.width_field.value(), self.height_field.value()

    @property
    def size_to_keep(self) -> tuple[int, int] | None:
        """The size for the next time, None for that of the window."""
        return None if self.presets.currentText() == next(iter(SIZES)) else self.size_chosen

    def _pixels(self) -> QSpinBox:
        field = QSpinBox()
        field.setRange(16, _LARGEST)
        field.setSuffix(" px")
        field.setGroupSeparatorShown(False)
        return field

    def _on_preset(self, name: str) -> None:
        if name != _OTHER:
            self._set_pixels(SIZES[name] or self._window_size)

    def _set_pixels(self, size: tuple[int, int]) -> None:
        for field, value in zip((self.width_field, self.height_field), size, strict=True):
            field.blockSignals(True)
            field.setValue(value)
            field.blockSignals(False)

    def _on_pixels(self) -> None:
        self.presets.blockSignals(True)
        self.presets.setCurrentText(_OTHER)
        self.presets.blockSignals(False)


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
