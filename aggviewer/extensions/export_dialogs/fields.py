"""The fields of the export and film dialogs: sizes in pixels, overlays, lists of items to tick and reorder, and a
preview."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from PyQt6.QtCore import QSignalBlocker, QSize, Qt, pyqtBoundSignal, pyqtSignal
from PyQt6.QtGui import QColor, QImage, QKeySequence, QPainter, QPixmap, QResizeEvent, QShortcut
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from aggviewer.canvas.picture import Over
from aggviewer.export.kinds import (
    ChoiceSpec,
    ExportItem,
    FieldSpec,
    ItemsSpec,
    NumberSpec,
    OverlaySpec,
    SizeSpec,
    SwitchSpec,
)
from aggviewer.widgets.lists import TickList
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
        """The size that the next dialog starts with; None for that of the window."""
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
    """Check boxes for overlays in two columns; ``changed`` when one is ticked or unticked.

    missing : names of overlays that the picture never has, which have no box.
    """

    changed = pyqtSignal()

    def __init__(self, over: Over, missing: Sequence[str] = ()) -> None:
        super().__init__()
        self.legend = self._box("Legend", over.legend)
        self.scale_bar = self._box("Scale bar", over.scale_bar)
        self.time = self._box("Time", over.time)
        self.box = self._box("Box", over.box)
        self.axes = self._box("Axes", over.axes)
        self.gravity = self._box("Gravity", over.gravity)
        self.gravity.setToolTip("The arrow g, and the floor in space")
        self.selection = self._box("Selection", over.selection)
        self.selection.setToolTip("Rings around the selected discs")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        rare = {"axes": self.axes, "gravity": self.gravity}
        for name in missing:
            rare.pop(name).hide()
        boxes = (self.legend, self.scale_bar, self.time, self.box, *rare.values(), self.selection)
        for index, box in enumerate(boxes):
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
            axes=self.axes.isChecked(),
            gravity=self.gravity.isChecked(),
            selection=self.selection.isChecked(),
        )

    def _box(self, text: str, on: bool) -> QCheckBox:
        box = QCheckBox(text, self)
        box.setChecked(on)
        box.toggled.connect(lambda _on: self.changed.emit())
        return box


_LINES = (3, 8)  # that are seen at once, at least and at most


class ItemList(TickList):
    """Items with check boxes that can be moved with the mouse or Ctrl+Up and Ctrl+Down; ``changed`` after each change.

    Parameters
    ----------
    title : of the list, for screen readers.
    where : what the items go into, for the tool tip.
    items : the items.
    ticked : keys of the ticked items in order; they come first.
    most : number of visible lines.
    """

    changed = pyqtSignal()

    def __init__(
        self, title: str, where: str, items: Sequence[ExportItem], ticked: Sequence[str], most: int = _LINES[1]
    ) -> None:
        super().__init__(title)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setToolTip(f"Tick what goes into {where}. Drag, or press Ctrl+Up and Ctrl+Down, to change the order")
        first = {key: number for number, key in enumerate(ticked)}
        for one in sorted(items, key=lambda one: first.get(one.key, len(first))):
            item = self.add(one.title, one.key, one.key in first)
            item.setFlags(
                Qt.ItemFlag.ItemIsUserCheckable
                | Qt.ItemFlag.ItemIsEnabled
                | Qt.ItemFlag.ItemIsSelectable
                | Qt.ItemFlag.ItemIsDragEnabled
            )
        self.setSpacing(2)
        self.setCurrentRow(0)
        self.show_lines(min(most, max(_LINES[0], len(items))))
        self.itemChanged.connect(lambda _item: self.changed.emit())
        model = self.model()
        assert model is not None
        model.rowsMoved.connect(lambda *_: self.changed.emit())
        for keys, step in (("Ctrl+Up", -1), ("Ctrl+Down", 1)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(lambda step=step: self.move_line(step))

    @property
    def value(self) -> tuple[str, ...]:
        """The keys of the ticked items in order."""
        return tuple(map(str, self.ticked))

    def mark_empty(self, keys: Collection[str]) -> None:
        """Show that these items have no data yet. They can still be ticked."""
        with QSignalBlocker(self):
            for row in range(self.count()):
                item = self.item(row)
                if item is not None:
                    empty = item.data(Qt.ItemDataRole.UserRole) in keys
                    item.setForeground(self.palette().placeholderText() if empty else self.palette().text())
                    item.setToolTip("No data yet" if empty else "")
        self.viewport().update()  # type: ignore[union-attr]

    def move_line(self, step: int) -> None:
        """Move the current line down by this many lines."""
        row = self.currentRow()
        if 0 <= row + step < self.count():
            item = self.takeItem(row)
            assert item is not None
            self.insertItem(row + step, item)
            self.setCurrentRow(row + step)
            self.changed.emit()


_USUAL, _LEAST = QSize(440, 480), QSize(240, 200)
_AROUND = 16  # pixels that are left free, together
_SQUARE = 8  # pixels
_LIGHT, _DARK = QColor("#ffffff"), QColor("#cccccc")


class Preview(QLabel):
    """An image that fits the available space; ``resized`` when the space changes."""

    resized = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("exportPreview")
        self.setAccessibleName("Preview")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setMinimumSize(_LEAST)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def pixels(self) -> tuple[int, int]:
        """Largest width and height of an image, in screen pixels."""
        ratio = self.devicePixelRatioF()
        size = self.size() - QSize(_AROUND, _AROUND)
        return max(1, round(size.width() * ratio)), max(1, round(size.height() * ratio))

    def show_image(self, image: QImage) -> None:
        """Show an image of at most `pixels`."""
        ground = QImage(image.size(), QImage.Format.Format_RGB32)
        with QPainter(ground) as painter:
            if image.hasAlphaChannel():
                self._chequer(painter, image.size())
            painter.drawImage(0, 0, image)
        ground.setDevicePixelRatio(self.devicePixelRatioF())
        self.setPixmap(QPixmap.fromImage(ground))

    @staticmethod
    def _chequer(painter: QPainter, size: QSize) -> None:
        painter.fillRect(0, 0, size.width(), size.height(), _LIGHT)
        for row in range(-(-size.height() // _SQUARE)):
            for column in range(row % 2, -(-size.width() // _SQUARE), 2):
                painter.fillRect(column * _SQUARE, row * _SQUARE, _SQUARE, _SQUARE, _DARK)

    def sizeHint(self) -> QSize:
        """Qt's hook: does not depend on the image."""
        return _USUAL

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Emit ``resized``, since the image must be drawn for another size."""
        super().resizeEvent(event)
        self.resized.emit()


_OTHER = "Other"


@dataclass(frozen=True)
class FieldEditor:
    """A widget that edits a field. value : returns the value; changed : signal emitted when it changes."""

    widget: QWidget
    value: Callable[[], Any]
    changed: pyqtBoundSignal


@singledispatch
def field_editor(spec: FieldSpec, value: Any) -> FieldEditor:
    """Create the editor for a field with this initial value."""
    raise TypeError(f"there is no editor for a {type(spec).__name__}")


@field_editor.register
def _choice(spec: ChoiceSpec, value: Any) -> FieldEditor:
    box = QComboBox()
    for option, words in spec.options.items():
        box.addItem(words, option)
    box.setCurrentIndex(max(0, box.findData(value)))
    return FieldEditor(box, box.currentData, box.currentIndexChanged)


@field_editor.register
def _switch(spec: SwitchSpec, value: Any) -> FieldEditor:
    box = QCheckBox(spec.words)
    box.setChecked(value)
    return FieldEditor(box, box.isChecked, box.toggled)


@field_editor.register
def _number(spec: NumberSpec, value: Any) -> FieldEditor:
    number = NumberField(spec.integer, *spec.limits, spec.step, unit=spec.unit, name=spec.name)
    number.set_value(value)
    widget = number if not spec.presets else _with_presets(spec, number)
    return FieldEditor(widget, lambda: number.value, number.edited)


def _with_presets(spec: NumberSpec, number: NumberField) -> QWidget:
    """A number field below a box with common values."""
    box = QComboBox()
    box.setAccessibleName(spec.label)
    box.addItems([*spec.presets, _OTHER])

    def name_it(value: float) -> None:
        box.setCurrentText(next((name for name, known in spec.presets.items() if known == value), _OTHER))

    def take(name: str) -> None:
        if name in spec.presets:
            number.set_value(spec.presets[name])
            number.edited.emit(number.value)

    name_it(number.value)
    number.edited.connect(name_it)
    box.textActivated.connect(take)
    both = QWidget()
    column = QVBoxLayout(both)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(8)
    column.addWidget(box)
    column.addWidget(number)
    return both


@field_editor.register
def _size(spec: SizeSpec, value: Any) -> FieldEditor:
    fields = SizeFields(spec.window, value, spec.largest)
    return FieldEditor(fields, lambda: fields.to_keep, fields.changed)


@field_editor.register
def _overlays(spec: OverlaySpec, value: Any) -> FieldEditor:
    fields = OverFields(value, spec.missing)
    return FieldEditor(fields, lambda: fields.value, fields.changed)


@field_editor.register
def _items(spec: ItemsSpec, value: Any) -> FieldEditor:
    items = ItemList(spec.label, spec.where, spec.items, value)
    return FieldEditor(items, lambda: items.value, items.changed)
