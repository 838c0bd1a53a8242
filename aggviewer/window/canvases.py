"""The picture, or two of them side by side with one view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from html import escape

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRect, QSignalBlocker, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QFontMetrics, QResizeEvent
from PyQt6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from aggviewer.canvas import DiscCanvas, create_canvas
from aggviewer.canvas.mouse import Gesture, Tool
from aggviewer.canvas.surface import DrawingTimes
from aggviewer.document.view import ViewModel
from aggviewer.plots.runs import RunStyle, looks
from aggviewer.session import LaneStatus, Shown, Status
from aggviewer.style.formulas import symbol_html
from aggviewer.style.theme import Colors, tabular
from aggviewer.systems.base import Side
from aggviewer.systems.registry import view_of
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.labels import AROUND, ElidedLabel, set_tip
from aggviewer.widgets.number_edit import NumberField
from aggviewer.window.settings import WindowSettings
from engine.scenario import FieldDescription, Scenario, describe

_STEP = 7  # greatest width of the field for the step, in the letter M
_LONGEST = "M = 0000"  # so much of the progress is always shown
_LEAST, _GREATEST = 1e-6, 1e9  # limits of the field for a fixed time step


class LaneHeader(QFrame):
    """Emits `asked(key, value)` when the user chooses another value of a scenario key here."""

    asked = pyqtSignal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("laneHeader")
        self._view = view_of("")
        self._side = Side()
        self._parts = [""]  # parts of the text of the progress, the most important first
        self.swatch = QLabel()
        self.swatch.setFixedSize(4, 24)
        self.method = QComboBox()
        self.method.setAccessibleName("Method of this side")
        self.method.activated.connect(lambda index: self.asked.emit(self._side.choice, self.method.itemData(index)))
        self.symbol = QLabel()
        self.step = NumberField(False, _LEAST, _GREATEST, None, tracking=False)
        self.step.edited.connect(self._on_step)
        self.symbol.setBuddy(self.step)
        self.state = ElidedLabel()
        self.state.setFont(tabular())
        self.state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(8)
        for widget in (self.swatch, self.method, self.symbol, self.step):
            row.addWidget(widget)
        row.addWidget(self.state, 1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_scenario(self, scenario: Scenario) -> None:
        """Show what this side runs."""
        self._view = view_of(scenario.system)
        side, before = self._view.side(scenario), self._side
        self._side = side
        if side.choice:
            if side.choices != before.choices:
                self.method.clear()
                for value, (name, _) in side.choices.items():
                    self.method.addItem(name, value)
                set_tip(self.method, f"<p>{escape(describe(side.choice).tooltip)}</p>")
            self.method.setCurrentIndex(self.method.findData(scenario.value(side.choice)))
        set_tip(self.symbol, f"<p>{escape(side.tip)}</p>" if side.tip else "")
        self.symbol.setText(side.text)
        if side.key:
            self._show_number(describe(side.key), float(scenario.value(side.key)))
        self._make_room()

    def _show_number(self, field: FieldDescription, value: float) -> None:
        """Show the field for the number of this side that can be changed here."""
        with QSignalBlocker(self.step):
            if field.maximum is None:
                self.step.set_limits(_LEAST, _GREATEST)
                self.step.set_step(None)
            else:
                self.step.set_limits((field.minimum or 0.0) + (0.001 if field.open_minimum else 0.0), field.maximum)
                self.step.set_step(0.05)
        self.step.set_value(value)
        self.symbol.setText(symbol_html(field.symbol))
        set_tip(self.step, f"<p>{escape(field.tooltip)}</p>")
        self.step.setAccessibleName(field.label)

    def show_status(self, status: LaneStatus) -> None:
        """Show the progress."""
        parts = [self._view.progress(status)]
        if status.finished:
            parts.append(self._view.ended(status))
        self._parts = ", ".join(parts).split(", ")
        self._tell_state()

    def _tell_state(self) -> None:
        """Show as much of the progress as fits; the tool tip has all of it."""
        whole, advance = ", ".join(self._parts), QFontMetrics(self.state.font()).horizontalAdvance
        fitting = [", ".join(self._parts[:count]) for count in range(1, len(self._parts) + 1)]
        room = self.state.width() - AROUND
        self.state.set_whole_text(next((words for words in reversed(fitting) if advance(words) <= room), fitting[0]))
        self.state.setToolTip(whole)
        self.state.setAccessibleName(whole)

    def set_color(self, color: str) -> None:
        """Set the colour of this side's curves in the plots."""
        self.swatch.setStyleSheet(f"background: {color}; border-radius: 2px;")

    def _make_room(self) -> None:
        """Fit a narrow picture: shorten names, and show the step only in the tool tip."""
        unit = self.fontMetrics().horizontalAdvance("M")
        short = self.width() < _SHORT_NAMES * unit
        for index, (name, abbreviation) in enumerate(self._side.choices.values()):
            self.method.setItemText(index, abbreviation if short else name)
        self.method.setVisible(bool(self._side.choice))
        room = self.width() >= _NO_STEP * unit
        self.step.setVisible(bool(self._side.key) and room)
        self.symbol.setVisible(bool(self._side.key or self._side.text) and room)
        self.state.setMinimumWidth(QFontMetrics(self.state.font()).horizontalAdvance(_LONGEST) + AROUND)
        self.step.setMaximumWidth(_STEP * unit)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Hide what does not fit."""
        super().resizeEvent(event)
        self._make_room()
        self._tell_state()

    def minimumSizeHint(self) -> QSize:
        """The smallest size: as narrow as its picture."""
        return QSize(0, super().minimumSizeHint().height())

    def _on_step(self, value: float) -> None:
        self.asked.emit(self._side.key, value)


GripAt = Callable[[DiscCanvas, QPointF], Gesture | None]
"""See `Canvases.add_grips`."""

_GAP = 2  # pixels between two pictures
_CLOSE = 12.0  # radii from the middle of a close view to its edge
_LEAST_WIDTH = {1: 360, 2: 480}  # pixels, by number of pictures; the panels shrink first


class _Row(QHBoxLayout):
    """One widget, or two of exactly the same width, in which the same box is fitted at the same scale."""

    def setGeometry(self, room: QRect) -> None:
        odd = (room.width() - self.spacing()) % 2 if self.count() > 1 else 0
        super().setGeometry(room.adjusted(0, 0, -odd, 0))


class _Side(QWidget):
    """A header, hidden while there is only one side, and a canvas."""

    def __init__(
        self, parent: QWidget, view: ViewModel, surface: str, measured: Callable[[DrawingTimes], None] | None
    ) -> None:
        super().__init__(parent)
        self.header = LaneHeader(self)
        self.header.hide()
        self.canvas = create_canvas(self, view, surface, measured)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.canvas, 1)


class Canvases(QWidget):
    """One or two canvases. `canvases_changed` when their number changes; `asked(lane, key, value)` when the user
    chooses another method or step above a picture; `hovered(lane, disc)`, `clicked(lane, disc, modifiers)`,
    `region_drawn(lane, outline, modifiers)`, `menu_asked(lane, disc, place)` and `about_to_move(how, number)`, see
    `DiscCanvas`, as `scale_asked` and `has_painted(lane)`; `moved` after every move of the view; `tool_changed` when
    the action of the left button changes."""

    canvases_changed = pyqtSignal()
    asked = pyqtSignal(int, str, object)
    hovered = pyqtSignal(int, int)
    clicked = pyqtSignal(int, int, object)
    region_drawn = pyqtSignal(int, object, object)
    menu_asked = pyqtSignal(int, int, object)
    about_to_move = pyqtSignal(str, int)
    moved = pyqtSignal()
    tool_changed = pyqtSignal()
    scale_asked = pyqtSignal(QPointF)
    has_painted = pyqtSignal(int)

    def __init__(self, parent: QWidget, view: ViewModel, settings: WindowSettings) -> None:
        super().__init__(parent)
        self._view = view
        self._settings = settings
        settings.changed.connect(self._on_setting)
        self._sides: list[_Side] = []
        self._lanes: tuple[LaneStatus, ...] = ()
        self._moving = self._tells_time = False
        self._tool: Tool | None = None
        self._grips: list[GripAt] = []
        self.runs: Sequence[RunStyle] = ()  # their runs, from left to right, as in the plots
        self._row = _Row(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(_GAP)
        self.setMinimumWidth(_LEAST_WIDTH[1])
        self._add()

    @property
    def canvases(self) -> list[DiscCanvas]:
        """The canvases, from left to right."""
        return [side.canvas for side in self._sides]

    @property
    def first(self) -> DiscCanvas:
        """The first canvas, which always exists."""
        return self._sides[0].canvas

    @property
    def explaining(self) -> DiscCanvas:
        """The canvas that shows the legend: the last one."""
        return self._sides[-1].canvas

    @property
    def headers(self) -> list[LaneHeader]:
        """The headers above the canvases, from left to right."""
        return [side.header for side in self._sides]

    @property
    def tool(self) -> Tool | None:
        """The tool of the left button in all canvases; None if a drag moves the picture."""
        return self._tool

    @tool.setter
    def tool(self, tool: Tool | None) -> None:
        if tool is self._tool:
            return
        self._tool = tool
        for canvas in self.canvases:
            canvas.tool = tool
        self.tool_changed.emit()

    def set_time_shown(self, on: bool) -> None:
        """Whether pictures show the time if the view asks for it, because nothing else shows it."""
        self._tells_time = on
        for canvas in self.canvases:
            canvas.set_time_shown(on)

    def add_grips(self, grip: GripAt) -> None:
        """Make things in the pictures draggable: `grip(canvas, at)` returns the gesture for a press at a widget pixel,
        None if there is nothing to drag. Those added later come first: handles lie over the discs."""
        self._grips.insert(0, grip)
        for canvas in self.canvases:
            canvas.grips.insert(0, partial(grip, canvas))

    def commands(self) -> Iterator[Command]:
        """The commands for the view."""
        yield Command(
            "view.fit",
            "Fit the box",
            self.fit,
            ("F",),
            "Show the whole box",
            "mdi6.fit-to-screen-outline",
            menu=Place("View", 1, 1),
            bar=Place("right", 1, 1),
            short="Fit",
            words="zoom reset whole all",
        )

    def _on_setting(self, name: str) -> None:
        """Change the renderer: software takes effect at once, OpenGL at the next start."""
        if name == "surface" and self._settings.surface == "auto":
            # the machine may have another driver now
            self._settings.picture_times, self._settings.software_opengl = None, ""
        elif name == "surface" and self._settings.surface == "painter":
            for canvas in self.canvases:
                canvas.use_painter()

    # what is shown

    def set_scenarios(self, scenarios: Sequence[Scenario]) -> None:
        """Show one picture per scenario."""
        before = len(self._sides)
        while len(self._sides) < len(scenarios):
            self._add()
        while len(self._sides) > max(1, len(scenarios)):
            self._remove()
        for side, scenario in zip(self._sides, scenarios, strict=False):
            side.header.show_scenario(scenario)
            side.header.setVisible(len(scenarios) > 1)
        for side in self._sides:
            side.canvas.explain(colors=side is self._sides[-1], scale=side is self._sides[0])
        if len(self._sides) != before:
            self.setMinimumWidth(_LEAST_WIDTH[len(self._sides)])
            self.canvases_changed.emit()

    def set_runs(self, runs: Sequence[RunStyle], colors: Colors) -> None:
        """Set the styles in which the plots draw the same runs."""
        self.runs = tuple(runs)
        for header, look in zip(self.headers, looks(runs, colors), strict=False):
            header.set_color(look.colour)

    def show_status(self, status: Status, shown: Callable[[int], Shown | None] = lambda lane: None) -> None:
        """Show the progress of each run. shown : returns the frame of a picture."""
        self._lanes = status.lanes
        for number in range(len(self.headers)):
            self.show_moment(number, shown(number))

    def show_moment(self, number: int, shown: Shown | None) -> None:
        """Show the progress of a run, for the frame in its picture."""
        if number >= min(len(self.headers), len(self._lanes)):
            return
        lane = self._lanes[number]
        if shown is not None and shown.disc_set.scenario.system == lane.system:
            lane = replace(lane, time=shown.frame.time, clusters=shown.frame.clusters)
        self.headers[number].show_status(lane)

    def fit(self) -> None:
        """Show the whole box."""
        self.about_to_move.emit("fit", 0)
        self.first.fit()

    def zoom_to(self, *place: float) -> None:
        """Zoom in on the discs around a point."""
        reach = _CLOSE * self.first.scene.mean_radius
        if reach > 0.0:
            self.about_to_move.emit("look", 0)
            self.first.centre_on(np.array(place), 2.0 * reach)

    # pictures for files

    @property
    def ready(self) -> bool:
        """Whether every picture shows something."""
        return all(canvas.ready for canvas in self.canvases)

    def snapshot(self, width: int, height: int, *, transparent: bool = False) -> NDArray[np.uint8]:
        """The present view as (height, width, 4) uint8 RGBA; two pictures share the width. InputError for an impossible
        size."""
        if len(self._sides) == 1 or width < 2 * len(self._sides):
            return self.first.snapshot(width, height, transparent=transparent)
        left = width // 2
        parts = [
            canvas.snapshot(part, height, transparent=transparent)
            for canvas, part in zip(self.canvases, (left, width - left), strict=True)
        ]
        return np.concatenate(parts, axis=1)

    @property
    def pixels(self) -> tuple[int, int]:
        """Size in pixels of the window, which do not depend on the scaling of the screen."""
        return max(1, sum(canvas.width() for canvas in self.canvases)), max(1, self.first.height())

    # for this class only

    def _add(self) -> None:
        settings, lane = self._settings, len(self._sides)
        surface, measured = self.first.surface if lane else settings.surface, None
        if surface == "auto":
            surface = settings.faster_surface
            measured = None if surface else self._keep_times
        side = _Side(self, self._view, surface, measured)
        if side.canvas.software:
            settings.software_opengl = side.canvas.software
        self._sides.append(side)
        self._row.addWidget(side, 1)
        side.header.asked.connect(lambda key, value: self.asked.emit(lane, key, value))
        side.canvas.view_changed.connect(lambda: self._follow(side.canvas))
        side.canvas.about_to_move.connect(self.about_to_move)
        side.canvas.scale_asked.connect(self.scale_asked)
        side.canvas.has_painted.connect(lambda: self.has_painted.emit(lane))
        side.canvas.hovered.connect(lambda disc: self.hovered.emit(lane, disc))
        side.canvas.clicked.connect(lambda disc, how: self.clicked.emit(lane, disc, how))
        side.canvas.region_drawn.connect(lambda outline, how: self.region_drawn.emit(lane, outline, how))
        side.canvas.menu_asked.connect(lambda disc, place: self.menu_asked.emit(lane, disc, place))
        side.canvas.set_time_shown(self._tells_time)
        side.canvas.tool = self._tool
        side.canvas.grips = [partial(grip, side.canvas) for grip in self._grips]
        if lane > 0:
            self._follow(self.first)

    def _keep_times(self, times: DrawingTimes) -> None:
        self._settings.picture_times = times
        if times.faster == "painter":  # the canvas that measured this switches by itself
            for canvas in self.canvases[1:]:
                canvas.use_painter()

    def _remove(self) -> None:
        side = self._sides.pop()
        self._row.removeWidget(side)
        side.hide()
        side.canvas.close()
        side.deleteLater()

    def _follow(self, moved: DiscCanvas) -> None:
        """Show the view of `moved` in the other canvases."""
        if self._moving:
            return
        self._moving = True
        try:
            for canvas in self.canvases:
                if canvas is not moved:
                    canvas.show_as(moved)
        finally:
            self._moving = False
        self.moved.emit()

    def close(self) -> bool:
        """Free the resources of the canvases."""
        for side in self._sides:
            side.canvas.close()
        return super().close()


_SHORT_NAMES, _NO_STEP = 30, 18  # widths, in the letter M, below which names are short and the step is left out
