"""Settings of the picture in small windows over it: the list of layers (switch and opacity of each, and why a layer
draws nothing now), and the editor of the colour scale (limits, logarithmic or not, steps, colour map)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from PyQt6.QtCore import QPoint, QSignalBlocker, Qt, QTimer
from PyQt6.QtGui import QHideEvent
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from aggviewer.canvas import colors
from aggviewer.canvas.layers.layer import Layer, Style
from aggviewer.canvas.layers.registry import switches
from aggviewer.canvas.slab import THINNEST
from aggviewer.document.view import ColorScale, scale_problem
from aggviewer.session.coloring import Coloring
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.form_dialog import Form
from aggviewer.widgets.number_edit import NumberEdit
from aggviewer.widgets.part import Context, Part
from aggviewer.widgets.popup import Popup
from aggviewer.window.canvases import Canvases
from aggviewer.window.view import COLORMAPS, OVERLAYS
from engine.words import body_names

_REFRESH_MS = 250
_SLIDER = 96  # pixels
_STEP = 5  # percent
_MARGIN = 16  # pixels to the corner of the picture
_NOTE = "wraps around the box"  # room for words such as these
_PLANES = {  # of the slab, by their place in `ViewModel.slab`
    1: ("Cut from the front", "Hides this fraction of the box at the front; spheres are cut open"),
    0: ("Cut from the back", "Hides this fraction of the box at the back"),
}
_THINNEST = round(100 * THINNEST)  # percent of the depth


def _set_silently(slider: QSlider, value: int) -> None:
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
            on = layer.switched_on(self._view)
            switch.setChecked(on)
            action = self._commands.action(layer.command_id)
            there = action.isVisible() and action.isEnabled()
            words = layer.says(canvas.scene.data(name), style) if on and there else ""
            if not there:
                words = "in the plane only" if action.isVisible() else "nothing to draw"
            switch.setEnabled(there)
            switch.setToolTip(action.toolTip())
            note.setText(words)
            slider.setEnabled(on and there)
            _set_silently(slider, round(100.0 * layer.opacity_in(self._view)))
            slider.setToolTip(f"{slider.value()} %")

        self._slab.setVisible(canvas.scene.dimensions > 2)
        for end, (slider, share) in self._planes.items():
            percent = round(100.0 * (1.0 - self._view.slab[1] if end else self._view.slab[0]))
            _set_silently(slider, percent)
            share.setText(f"{percent} %")
        for name, switch in self._switches.items():
            switch.setChecked(getattr(self._view, name))
            switch.setText(body_names(canvas.scene.dimensions).fill(OVERLAYS[name]))

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
            "Choose what is drawn over the {discs}: contacts, cells, hulls, tracks, arrows, legend, scale bar",
            "mdi6.layers-outline",
            menu=Place("View", 2, 0),
            words="overlays show hide",
            bar=Place("right", 1, 0),
            short="Layers",
        )

    def _open(self) -> None:
        canvas = self._canvases.first
        self.open_at(canvas.mapToGlobal(QPoint(canvas.width() - _MARGIN, _MARGIN)))


STEPS = (0, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16)
"""The numbers of colour steps offered; 0 is a smooth scale."""

_FIELD = 132  # pixels
_FAR = 1e300  # the scale checks the limits
_CYCLIC = ("cmocean:phase", "colorcet:CET_C6", "matplotlib:twilight")


class ScaleEditor(Popup, Part):
    """A form for the present colour scale. Changes show at once.

    Its picture, `Canvases.explaining`, knows the present scale; the view keeps what is chosen.
    """

    def __init__(self, context: Context) -> None:
        super().__init__("scaleEditor", "Scale of the colours", context.window)
        self._view, self._canvases = context.document.view, context[Canvases]
        self._canvases.scale_asked.connect(lambda place: self.open_at(place.toPoint()))
        self._field = ""
        form = Form(self)
        form.setContentsMargins(16, 12, 16, 16)
        self.title = QLabel()
        self.title.setProperty("heading", True)
        form.addRow(self.title)
        self.low, self.high = (NumberEdit(False, -_FAR, _FAR, None) for _ in range(2))
        for edit, name in ((self.low, "Lower end"), (self.high, "Upper end")):
            edit.setFixedWidth(_FIELD)
            edit.setAccessibleName(name)
            edit.setButtonSymbols(NumberEdit.ButtonSymbols.NoButtons)
            edit.edited.connect(self._apply)
        form.addRow("From", self.low)
        form.addRow("To", self.high)
        self.log = QCheckBox("Logarithmic")
        self.log.clicked.connect(self._apply)
        form.addRow("", self.log)
        self.steps, self.colormap = QComboBox(), QComboBox()
        for box, name in ((self.steps, "Colours"), (self.colormap, "Colour map")):
            box.setFixedWidth(_FIELD)
            box.setAccessibleName(name)
            box.activated.connect(self._apply)
            form.addRow(name, box)
        self.problem = QLabel()
        self.problem.setObjectName("scaleProblem")
        self.problem.setWordWrap(True)
        self.problem.hide()
        form.addRow(self.problem)
        self.reset = QPushButton("Automatic")
        self.reset.setToolTip("Choose limits, steps and colour map automatically")
        self.reset.clicked.connect(self._reset)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.reset)
        form.addRow(foot)

    def open_at(self, corner: QPoint, *, below: bool = False) -> None:
        """Show the present scale."""
        self._show(self._canvases.explaining.scene.coloring)
        super().open_at(corner, below=below)
        self.low.setFocus()
        self.low.selectAll()

    def refusal(self) -> str:
        """Why no colour scale can be edited now; "" if one can."""
        scene = self._canvases.explaining.scene
        if scene.shown and not scene.coloring.measures:
            return f"{scene.coloring.label} shows categories and has no numerical scale"
        return "" if scene.shown else "There are no {discs} yet"

    def _show(self, coloring: Coloring) -> None:
        self._field = coloring.by
        chosen = self._view.scales.get(coloring.by, ColorScale())
        scene = self._canvases.explaining.scene
        shown = colors.coloring_in_view(scene, self._view)
        self.title.setText(body_names(scene.dimensions).fill(coloring.title))
        for edit, own, now in zip((self.low, self.high), (chosen.low, chosen.high), shown.limits, strict=True):
            edit.set_value(own)
            line = edit.lineEdit()
            assert line is not None
            line.setPlaceholderText(f"{now:.4g}")
            edit.setToolTip("Leave empty to set it automatically")
        self.log.setChecked(shown.log)
        self.log.setEnabled(not coloring.cyclic)
        self.steps.clear()
        for number in STEPS:
            self.steps.addItem(f"{number} steps" if number else "Smooth", number)
        if coloring.whole:
            self.steps.insertItem(0, "One per value", None)
        wanted = chosen.steps if chosen.steps is not None or coloring.whole else 0
        self.steps.setCurrentIndex(max(self.steps.findData(wanted), 0))
        self.colormap.clear()
        self.colormap.addItem("Default", "")
        for name in _CYCLIC if coloring.cyclic else COLORMAPS:
            self.colormap.addItem(name.split(":")[-1], name)
        self.colormap.setCurrentIndex(max(self.colormap.findData(chosen.colormap), 0))
        self.reset.setEnabled(coloring.by in self._view.scales)
        self._complain("")

    def _apply(self, _value: object = None) -> None:
        coloring = self._canvases.explaining.scene.coloring
        if coloring.by != self._field:  # something else has been chosen to colour by meanwhile
            return
        ends: list[Any] = []
        for edit in (self.low, self.high):
            number = edit.value
            if isinstance(number, str) and number:
                self._complain(edit.hint or f"{number} is not a number")
                return
            ends.append(None if number in (None, "") else float(number))
        steps = self.steps.currentData()
        log = self.log.isChecked()
        try:
            chosen = ColorScale(
                low=ends[0],
                high=ends[1],
                log=None if log == coloring.log else log,
                steps=None if steps == 0 and not coloring.whole else steps,
                colormap=self.colormap.currentData(),
            )
        except ValueError as error:
            self._complain(scale_problem(error))
            return
        others = {name: scale for name, scale in self._view.scales.items() if name != self._field}
        if chosen != ColorScale():
            others[self._field] = chosen
        if others != self._view.scales:
            self._view.scales = others
        self._show(coloring)

    def _reset(self) -> None:
        self._view.scales = {name: scale for name, scale in self._view.scales.items() if name != self._field}
        self._show(self._canvases.explaining.scene.coloring)

    def _complain(self, words: str) -> None:
        self.problem.setText(words)
        self.problem.setVisible(bool(words))
        for edit in (self.low, self.high):
            edit.refused = bool(words)
        if self.isVisible():
            self.adjustSize()

    def commands(self) -> Iterator[Command]:
        """The button that opens the editor, above the legend."""
        yield Command(
            "view.color_scale",
            "Scale of the colours…",
            self._open,
            ("U",),
            "Set limits, steps and colour map. You can also click the legend",
            menu=Place("View", 2, 3),
            reason=self.refusal,
        )

    def _open(self) -> None:
        canvas = self._canvases.explaining
        self.open_at(canvas.mapToGlobal(canvas.scale_corner().toPoint()))
