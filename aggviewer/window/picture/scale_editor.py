"""The editor for the colour scale: limits, logarithmic or not, steps, colour map."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PyQt6.QtCore import QPoint
from PyQt6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QPushButton

from aggviewer.canvas import colors
from aggviewer.document.view import ColorScale, scale_problem
from aggviewer.session.publish.coloring import Coloring
from aggviewer.style.numbers import named
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.form_dialog import Form
from aggviewer.widgets.number_edit import NumberEdit
from aggviewer.widgets.part import Context, Part
from aggviewer.widgets.popup import Popup
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.commands.view import COLORMAPS

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
        """Why there is no scale to edit now; "" if there is one."""
        scene = self._canvases.explaining.scene
        if scene.shown and not scene.coloring.measures:
            return f"{scene.coloring.label} shows categories and has no numerical scale"
        return "" if scene.shown else "There are no discs yet"

    def _show(self, coloring: Coloring) -> None:
        self._field = coloring.by
        chosen = self._view.scales.get(coloring.by, ColorScale())
        scene = self._canvases.explaining.scene
        shown = colors.shown(scene, self._view)
        self.title.setText(named(coloring.title, scene.dimensions))
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
        self.colormap.addItem("Same as in the view", "")
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
