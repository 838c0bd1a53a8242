"""Fields shared by the export and film dialogs: a size in pixels, and overlays."""

from __future__ import annotations

from PyQt6.QtCore import QSignalBlocker, pyqtSignal
from PyQt6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from aggviewer.canvas.picture import Over
from aggviewer.widgets.number_edit import NumberField

AS_IN_WINDOW, OTHER = "As in the window", "Other"
PRESETS: dict[str, tuple[int, int]] = {
    "HD, 1280 × 720": (1280, 720),
    "Full HD, 1920 × 1080": (1920, 1080),
    "4K, 3840 × 2160": (3840, 2160),
    "Square, 1080 × 1080": (1080, 1080),
    "Square, 2160 × 2160": (2160, 2160),
    "8K, 7680 × 4320": (7680, 4320),
}
_SMALLEST = 16


class SizeFields(QWidget):
    """A choice of sizes, and width and height in pixels; ``changed`` when the size changes."""

    changed = pyqtSignal()

    def __init__(self, window_size: tuple[int, int], chosen: tuple[int, int] | None, largest: int) -> None:
        """window_size : of the picture on the screen; chosen : the initial size, None for the window's."""
        super().__init__()
        self._sizes = {AS_IN_WINDOW: window_size} | {
            name: size for name, size in PRESETS.items() if max(size) <= largest
        }
        self.presets = QComboBox()
        self.presets.addItems([*self._sizes, OTHER])
        self.presets.setAccessibleName("Size")
        self.width_field, self.height_field = self._pixels("Width", largest), self._pixels("Height", largest)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.width_field, 1)
        row.addWidget(QLabel("×"))
        row.addWidget(self.height_field, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.presets)
        column.addLayout(row)
        self.value = chosen or window_size
        self.presets.currentTextChanged.connect(self._on_preset)
        for field in (self.width_field, self.height_field):
            field.edited.connect(self._on_pixels)

    @property
    def value(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return int(self.width_field.value), int(self.height_field.value)

    @value.setter
    def value(self, size: tuple[int, int]) -> None:
        for field, pixels in zip((self.width_field, self.height_field), size, strict=True):
            field.set_value(pixels)
        self._name_it()

    @property
    def to_keep(self) -> tuple[int, int] | None:
        """The size to remember, None for the window's."""
        return None if self.presets.currentText() == AS_IN_WINDOW else self.value

    def round_to(self, even: bool) -> None:
        """Allow only even numbers, as films require, or any."""
        for field in (self.width_field, self.height_field):
            field.set_step(2 if even else 1)
        if even and any(side % 2 for side in self.value):
            kept = self.presets.currentText()
            self.value = (self.value[0] // 2 * 2, self.value[1] // 2 * 2)
            with QSignalBlocker(self.presets):
                self.presets.setCurrentText(kept)
            self.changed.emit()

    def _pixels(self, name: str, largest: int) -> NumberField:
        return NumberField(True, _SMALLEST, largest, unit="px", name=f"{name} in pixels")

    def _name_it(self) -> None:
        names = [name for name, size in self._sizes.items() if size == self.value]
        with QSignalBlocker(self.presets):
            self.presets.setCurrentText(names[0] if names else OTHER)

    def _on_preset(self, name: str) -> None:
        if name != OTHER:
            self.value = self._sizes[name]
            with QSignalBlocker(self.presets):
                self.presets.setCurrentText(name)  # of two names for one size the one that was chosen
            self.changed.emit()

    def _on_pixels(self, _pixels: object) -> None:
        self._name_it()
        self.changed.emit()


class OverFields(QWidget):
    """Check boxes for overlays in two columns; ``changed`` when one is ticked or unticked."""

    changed = pyqtSignal()

    def __init__(self, over: Over) -> None:
        super().__init__()
        self.legend = self._box("Legend", over.legend)
        self.scale_bar = self._box("Scale bar", over.scale_bar)
        self.time = self._box("Time", over.time)
        self.box = self._box("Box", over.box)
        self.selection = self._box("Selection", over.selection)
        self.selection.setToolTip("Rings around the selected discs")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        for index, box in enumerate((self.legend, self.scale_bar, self.time, self.box, self.selection)):
            grid.addWidget(box, index // 2, index % 2)
        grid.setColumnStretch(2, 1)

    @property
    def value(self) -> Over:
        """The ticked overlays."""
        return Over(
            legend=self.legend.isChecked(),
            scale_bar=self.scale_bar.isChecked(),
            time=self.time.isChecked(),
            box=self.box.isChecked(),
            selection=self.selection.isChecked(),
        )

    def _box(self, text: str, on: bool) -> QCheckBox:
        box = QCheckBox(text)
        box.setChecked(on)
        box.toggled.connect(lambda _on: self.changed.emit())
        return box
