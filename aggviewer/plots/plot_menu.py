"""The menu of a plot: its range, the scales of its axes, what can be taken away of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from math import isfinite
from typing import Any, Protocol

from PyQt6.QtCore import pyqtBoundSignal
from PyQt6.QtGui import QActionGroup
from PyQt6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QHBoxLayout, QLabel, QMenu, QWidget

from aggviewer.plots.drawing import Bounds
from aggviewer.plots.over_seeds import SEEDS, offers_seeds
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import RunStyle
from aggviewer.plots.view import PlotView
from aggviewer.widgets.form_dialog import FormDialog
from aggviewer.widgets.number_edit import NumberEdit

_AXES = ("Horizontal axis", "Vertical axis")
_WIDTH = 110  # pixels of a field
_AROUND = 10  # pixels above and below the text of a field
_DIGITS = 6
_TAGS = re.compile(r"<[^>]*>")
_LARGEST = 1e300


class HasMenu(Protocol):
    """What the menu needs of a plot in a window."""

    plot: Plot
    runs: tuple[RunStyle, ...]
    keep_asked: pyqtBoundSignal
    alone_asked: pyqtBoundSignal
    copy_asked: pyqtBoundSignal
    save_asked: pyqtBoundSignal
    seeds_asked: pyqtBoundSignal

    @property
    def title(self) -> str: ...

    @property
    def views(self) -> tuple[PlotView, ...]: ...

    def choose_logarithmic(self, place: int, axis: int, logarithmic: bool) -> None: ...

    def ask_range(self, place: int) -> None: ...

    def lock_range(self, place: int, locked: bool) -> None: ...

    def reset_look(self) -> None: ...

    @property
    def changed(self) -> bool: ...


def plot_menu(plot: HasMenu, place: int) -> QMenu:
    """The menu of the view at `place`, with what is possible now. It is gone when it is closed."""
    view = plot.views[place]
    empty = bool(plot.views[0].empty_text)
    menu = QMenu(view)
    menu.setToolTipsVisible(True)
    menu.setAccessibleName(f"Menu of the plot {plot.title}")
    menu.aboutToHide.connect(menu.deleteLater)

    def add(text: str, tip: str, run: Callable[[], object], *, enabled: bool = True) -> Any:
        action = menu.addAction(text)
        assert action is not None
        action.setToolTip(tip)
        action.setEnabled(enabled)
        action.triggered.connect(lambda: run())
        return action

    add("Show all data\tA", "Back to the range that follows the data", partial(plot.lock_range, place, False))
    add(
        "Set range…",
        "Type from where to where the axes reach",
        partial(plot.ask_range, place),
        enabled=not empty,
    )
    lock = add(
        "Keep this range",
        "The range stays as it is, also in the following runs and at the next start",
        lambda: plot.lock_range(place, not view.locked),
        enabled=not empty,
    )
    lock.setCheckable(True)
    lock.setChecked(view.locked)
    menu.addSeparator()
    for axis, name in enumerate(_AXES):
        _add_scales(menu, plot, place, axis, name)
    menu.addSeparator()
    add("Copy data", "What is drawn, as CSV with names and units", plot.copy_asked.emit, enabled=not empty)
    add("Export plot…", "This plot as SVG, PDF or PNG, with its data as CSV", plot.save_asked.emit, enabled=not empty)
    add(
        "Keep as reference",
        "These curves stay here for the following runs",
        plot.keep_asked.emit,
        enabled=not empty,
    )
    for run, style in enumerate(plot.runs if offers_seeds(plot.plot) else ()):
        of = f": {style.name}" if len(plot.runs) > 1 else ""
        add(
            f"Mean of {SEEDS} seeds{of}",
            "Run this scenario with several seeds up to this state, and show the mean with its standard error",
            partial(plot.seeds_asked.emit, run),
            enabled=not empty,
        )
    add("Alone, or all again", "Show this plot alone; again, all of them", plot.alone_asked.emit)
    menu.addSeparator()
    add("Reset", "Scales, range and fit as the plot has them by itself", plot.reset_look, enabled=plot.changed)
    return menu


def _add_scales(menu: QMenu, plot: HasMenu, place: int, axis: int, name: str) -> None:
    view = plot.views[place]
    scales = menu.addMenu(name)
    assert scales is not None
    scales.setToolTipsVisible(True)
    group = QActionGroup(scales)
    for text, logarithmic in (("Linear", False), ("Logarithmic", True)):
        action = scales.addAction(text)
        assert action is not None
        action.setCheckable(True)
        action.setChecked(view.logarithmic[axis] == logarithmic)
        group.addAction(action)
        if logarithmic and not view.can_be_logarithmic(axis):
            action.setEnabled(False)
            action.setToolTip("No value here is above 0")
        action.triggered.connect(partial(_choose, plot, place, axis, logarithmic))
    if not view.scalable:
        scales.setEnabled(False)
        action = scales.menuAction()
        assert action is not None
        action.setToolTip("This plot has one scale only")


def _choose(plot: HasMenu, place: int, axis: int, logarithmic: bool, _checked: bool = True) -> None:
    plot.choose_logarithmic(place, axis, logarithmic)


class RangeDialog(FormDialog):
    """From where to where the axes of a plot reach."""

    def __init__(self, view: PlotView, title: str, parent: QWidget | None = None) -> None:
        super().__init__(f"Range of {title}", QDialogButtonBox.StandardButton.Ok, parent)
        self._scales = view.scales
        self.edits: list[NumberEdit] = []
        labels = [_TAGS.sub("", text) for text in (view.axes.x, view.axes.y)]
        ends = view.ends
        for axis, (label, name) in enumerate(zip(labels, _AXES, strict=True)):
            row = QHBoxLayout()
            row.setSpacing(8)
            scale = view.scales[axis]
            for end, word in enumerate(("from", "to")):
                edit = NumberEdit(False, -_LARGEST, _LARGEST, 1.0, log=scale.logarithmic)
                edit.setFixedWidth(_WIDTH)
                edit.setMinimumHeight(edit.fontMetrics().height() + _AROUND)
                edit.setAccessibleName(f"{name} {word}")
                edit.set_value(float(f"{ends[2 * axis + end]:.{_DIGITS}g}"))
                edit.edited.connect(self._check)
                self.edits.append(edit)
                row.addWidget(edit)
                if not end:
                    row.addWidget(QLabel("to"))
            row.addStretch(1)
            self.rows.addRow(label or name, row)
        self.keep = QCheckBox("Also in the following runs")
        self.keep.setToolTip("The range stays until all data are shown again (A)")
        self.keep.setChecked(True)
        self.rows.addRow("Keep", self.keep)
        self._check()

    @property
    def ends(self) -> Bounds | None:
        """The quantities that are typed: x from and to, y from and to; None where they are no range."""
        values = [edit.value for edit in self.edits]
        if not all(isinstance(value, int | float) and isfinite(value) for value in values):
            return None
        x0, x1, y0, y1 = (float(value) for value in values)
        return None if wrong_ends((x0, x1, y0, y1), self._scales) else (x0, x1, y0, y1)

    def _check(self, _value: object = None) -> None:
        values = [edit.value for edit in self.edits]
        hint = next((edit.hint for edit in self.edits if edit.hint), "")
        words = f"{hint}." if hint else "Each end must be a number."
        if all(isinstance(value, int | float) and isfinite(value) for value in values):
            words = wrong_ends(tuple(float(value) for value in values), self._scales)
        self.show_problem(words)


def wrong_ends(ends: Any, scales: Any) -> str:
    """Why these numbers are no range on these scales; "" where they are one. ends : x from and to, y from and to."""
    for axis, (name, scale) in enumerate(zip(_AXES, scales, strict=True)):
        low, high = ends[2 * axis : 2 * axis + 2]
        if not low < high:
            return f"{name}: the first end is below the second."
        if scale.logarithmic and not low > 0.0:
            return f"{name}: both ends of a logarithmic axis are above 0."
        if not high - low > 1e-12 * max(abs(low), abs(high)):
            return f"{name}: the ends are too close to each other."
    return ""


def ask_range(view: PlotView, title: str, parent: QWidget) -> tuple[Bounds, bool] | None:
    """Ask a person for a range, and whether it is kept; None where they leave it."""
    dialog = RangeDialog(view, title, parent)
    if dialog.exec() == QDialog.DialogCode.Accepted and dialog.ends is not None:
        return dialog.ends, dialog.keep.isChecked()
    return None


def read_ends(plain: object, view: PlotView) -> Bounds | None:
    """A range that was kept as plain numbers; None for what is none on the scales of this view."""
    if not (isinstance(plain, list) and len(plain) == 4):
        return None
    if not all(isinstance(end, int | float) and isfinite(end) for end in plain):
        return None
    x0, x1, y0, y1 = (float(end) for end in plain)
    return None if wrong_ends((x0, x1, y0, y1), view.scales) else (x0, x1, y0, y1)
