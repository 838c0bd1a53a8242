"""The menu of a plot: its range, the scales of its axes, and ways to copy and export it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from PyQt6.QtCore import pyqtBoundSignal
from PyQt6.QtGui import QActionGroup
from PyQt6.QtWidgets import QMenu

from aggviewer.plots.body import PlotBody
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import RunStyle
from aggviewer.plots.view import AXIS_NAMES, PlotView


@dataclass(frozen=True)
class PlotExtra:
    """What a part of the window adds to plots, in `PlotsPanel.extras`.

    Parameters
    ----------
    note : gives what follows the definition of a plot, rich text; "" for nothing.
    entries : gives the entries for the menu of a plot: text, tool tip, what it does. They need data in the plot.
    """

    note: Callable[[Plot], str]
    entries: Callable[[Any], Iterable[tuple[str, str, Callable[[], object]]]]


class HasMenu(Protocol):
    """The interface of a plot in a window for its menu."""

    plot: Plot
    runs: tuple[RunStyle, ...]
    keep_asked: pyqtBoundSignal
    alone_asked: pyqtBoundSignal
    copy_asked: pyqtBoundSignal
    save_asked: pyqtBoundSignal
    extras: Sequence[PlotExtra]

    @property
    def title(self) -> str: ...

    @property
    def views(self) -> tuple[PlotView, ...]: ...

    @property
    def body(self) -> PlotBody: ...


def plot_menu(plot: HasMenu, place: int) -> QMenu:
    """The menu of the view at `place`, with the currently possible entries. It is deleted when closed."""
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

    add("Show all data\tA", "Let the range follow the data again", partial(plot.body.lock_range, place, False))
    add(
        "Set range…",
        "Type the limits of the axes",
        partial(plot.body.ask_range, place),
        enabled=not empty,
    )
    lock = add(
        "Keep this range",
        "Keep this range for later runs and after a restart",
        lambda: plot.body.lock_range(place, not view.locked),
        enabled=not empty,
    )
    lock.setCheckable(True)
    lock.setChecked(view.locked)
    menu.addSeparator()
    for axis, name in enumerate(AXIS_NAMES):
        _add_scales(menu, plot, place, axis, name)
    menu.addSeparator()
    add("Copy data", "Copy what is drawn as CSV, with names and units", plot.copy_asked.emit, enabled=not empty)
    add(
        "Export plot…",
        "Export this plot as SVG, PDF or PNG, with its data as CSV",
        plot.save_asked.emit,
        enabled=not empty,
    )
    add(
        "Keep as reference",
        "These curves stay visible during later runs",
        plot.keep_asked.emit,
        enabled=not empty,
    )
    for extra in plot.extras:
        for text, tip, run in extra.entries(plot):
            add(text, tip, run, enabled=not empty)
    add("Only this plot, or all", "Show only this plot, or all plots again", plot.alone_asked.emit)
    menu.addSeparator()
    add("Reset", "Restore the default scales, range and fit", plot.body.reset, enabled=plot.body.changed)
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
            action.setToolTip("No value in this plot is above 0")
        action.triggered.connect(partial(_choose, plot, place, axis, logarithmic))
    if not view.scalable:
        scales.setEnabled(False)
        action = scales.menuAction()
        assert action is not None
        action.setToolTip("The scale of this plot is fixed")


def _choose(plot: HasMenu, place: int, axis: int, logarithmic: bool, _checked: bool = True) -> None:
    plot.body.choose_logarithmic(place, axis, logarithmic)
