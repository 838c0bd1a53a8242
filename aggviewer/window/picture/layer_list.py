"""The list of layers: switch and opacity of each, and why a layer draws nothing now."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PyQt6.QtCore import QPoint, QSignalBlocker, Qt, QTimer
from PyQt6.QtGui import QHideEvent
from PyQt6.QtWidgets import QCheckBox, QGridLayout, QLabel, QSlider, QVBoxLayout, QWidget

from aggviewer.canvas.layers.layer import Layer, Style
from aggviewer.canvas.layers.registry import switches
from aggviewer.style.numbers import named
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part
from aggviewer.widgets.popup import Popup
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.commands.view import OVERLAYS

_REFRESH_MS = 250
_SLIDER = 96  # pixels
_STEP = 5  # percent
_MARGIN = 16  # pixels to the corner of the picture
_NOTE = "goes around the box"  # room for words such as these
_PLANES = {  # of the slab, by their place in `ViewModel.slab`
    1: ("Cut off the front", "Hides what is nearer than this share of the depth; spheres are cut open"),
    0: ("Cut off the back", "Hides what is farther away than this share of the depth"),
}
_THINNEST = 2  # percent of the depth


def _put(slider: QSlider, value: int) -> None:
    """Set a slider without reporting a change."""
    with QSignalBlocker(slider):
        slider.setValue(value)


class LayerList(Popup, Part):
    """One row for each layer, and below them the overlays of the picture, such as the legend, and the slab in space.

    A layer has a row if its command is available.
    """

    def __init__(self, context: Context) -> None:
        super().__init__("layerList", "Layers", context.window)
        self._view, self._canvases, self._commands = context.document.view, context[Canvases], context.commands
        self._rows: dict[str, tuple[Layer, QCheckBox, QLabel, QSlider]] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(_REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        self._switches: dict[str, QCheckBox] = {}  # of what lies over the picture, by the field of the view
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(16)
        self._slab, slab = QWidget(), QGridLayout()
        self._slab.setLayout(slab)
        slab.setContentsMargins(0, 0, 0, 0)
        title = QLabel("Slab")
        title.setProperty("heading", True)
        slab.addWidget(title, 0, 0)
        self._planes = {end: self._plane(slab, end) for end in _PLANES}
        self._grid, self._over = QGridLayout(), QGridLayout()
        for grid in (self._grid, self._over, slab):
            grid.setHorizontalSpacing(16)
            grid.setVerticalSpacing(4)
        column.addLayout(self._grid)
        column.addLayout(self._over)
        column.addWidget(self._slab)
        layers, opacity = QLabel("Layers"), QLabel("Opacity")
        layers.setProperty("heading", True)
        opacity.setProperty("quiet", True)
        self._grid.addWidget(layers, 0, 0)
        self._grid.addWidget(opacity, 0, 2)
        over = QLabel("Over the picture")
        over.setProperty("heading", True)
        self._over.addWidget(over, 0, 0)

    def _add(self, layer: Layer) -> None:
        row = self._grid.rowCount()
        command = layer.command or f"view.show_{layer.name}"
        switch, note, slider = QCheckBox(layer.label), QLabel(), QSlider(Qt.Orientation.Horizontal)
        switch.clicked.connect(partial(self._commands.run, command))
        note.setProperty("quiet", True)
        note.setMinimumWidth(self.fontMetrics().horizontalAdvance(_NOTE))
        slider.setRange(_STEP, 100)
        slider.setSingleStep(_STEP)
        slider.setPageStep(4 * _STEP)
        slider.setFixedWidth(_SLIDER)
        slider.setAccessibleName(f"Opacity of {layer.label.lower()}")
        slider.valueChanged.connect(partial(self._set_opacity, layer))
        self._grid.addWidget(switch, row, 0)
        self._grid.addWidget(note, row, 1)
        self._grid.addWidget(slider, row, 2)
        self._rows[layer.name] = layer, switch, note, slider

    def _plane(self, grid: QGridLayout, end: int) -> tuple[QSlider, QLabel]:
        """A row for a plane of the slab: how much is cut off there, in percent of the depth."""
        (words, tip), row = _PLANES[end], grid.rowCount()
        name, share, slider = QLabel(words), QLabel(), QSlider(Qt.Orientation.Horizontal)
        slider.setRange(0, 100 - _THINNEST)
        slider.setPageStep(10)
        slider.setAccessibleName(words)
        name.setToolTip(tip)
        slider.setToolTip(tip)
        share.setProperty("quiet", True)
        share.setMinimumWidth(self.fontMetrics().horizontalAdvance("100 %"))
        share.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        slider.valueChanged.connect(partial(self._cut, end))
        for column, widget in enumerate((name, slider, share)):
            grid.addWidget(widget, row, column)
        return slider, share

    def _cut(self, end: int, percent: int) -> None:
        back, front = self._view.slab
        thinnest = _THINNEST / 100.0
        if end:
            front = max(1.0 - percent / 100.0, thinnest)
            back = min(back, front - thinnest)
        else:
            back = min(percent / 100.0, 1.0 - thinnest)
            front = max(front, back + thinnest)
        self._view.slab = round(back, 2), round(front, 2)
        self.refresh()

    def _add_switch(self, name: str, text: str) -> None:
        switch = self._switches[name] = QCheckBox(text)
        switch.setToolTip(self._commands.action(f"view.{name}").toolTip())
        switch.clicked.connect(partial(self._commands.run, f"view.{name}"))
        row, column = divmod(len(self._switches) - 1, 2)
        self._over.addWidget(switch, row + 1, column)

    def _fill(self) -> None:
        for name, text in OVERLAYS.items():
            if name not in self._switches:
                self._add_switch(name, text)
        for layer in reversed(switches()):  # the upper ones first
            if layer.name not in self._rows:
                self._add(layer)
        self.refresh()

    def open_at(self, corner: QPoint, *, below: bool = True) -> None:
        """Show it with the present layers."""
        self._fill()
        super().open_at(corner, below=below)
        self._timer.start()

    def hideEvent(self, event: QHideEvent | None) -> None:
        """Stop following the view."""
        self._timer.stop()
        super().hideEvent(event)

    def refresh(self) -> None:
        """Update the rows; called automatically while the list is open."""
        canvas = self._canvases.first
        style = Style(canvas.scene, canvas.camera, self._view)
        for name, (layer, switch, note, slider) in self._rows.items():
            on = layer.shown(self._view)
            switch.setChecked(on)
            action = self._commands.action(layer.command or f"view.show_{name}")
            there = action.isVisible() and action.isEnabled()
            words = layer.says(canvas.scene.data(name), style) if on and there else ""
            if not there:
                words = "in the plane only" if action.isVisible() else "nothing to draw"
            switch.setEnabled(there)
            switch.setToolTip(action.toolTip())
            note.setText(words)
            slider.setEnabled(on and there)
            _put(slider, round(100.0 * layer.opacity_in(self._view)))
            slider.setToolTip(f"{slider.value()} %")

        self._slab.setVisible(canvas.scene.dimensions > 2)
        for end, (slider, share) in self._planes.items():
            percent = round(100.0 * (1.0 - self._view.slab[1] if end else self._view.slab[0]))
            _put(slider, percent)
            share.setText(f"{percent} %")
        for name, switch in self._switches.items():
            switch.setChecked(getattr(self._view, name))
            switch.setText(named(OVERLAYS[name], canvas.scene.dimensions))

    def _set_opacity(self, layer: Layer, percent: int) -> None:
        others = {name: value for name, value in self._view.opacities.items() if name != layer.name}
        own = {} if percent == round(100.0 * layer.opacity) else {layer.name: percent / 100.0}
        self._view.opacities = others | own

    def commands(self) -> Iterator[Command]:
        """The button that opens the list, in the upper right corner of the picture."""
        yield Command(
            "view.layers",
            "Layers…",
            self._open,
            ("Y",),
            "Choose what is drawn over the discs: contacts, cells, hulls, tracks, arrows, legend, scale bar",
            "mdi6.layers-outline",
            menu=Place("View", 2, 0),
            words="overlays show hide",
            bar=Place("right", 1, 0),
            short="Layers",
        )

    def _open(self) -> None:
        canvas = self._canvases.first
        self.open_at(canvas.mapToGlobal(QPoint(canvas.width() - _MARGIN, _MARGIN)))
