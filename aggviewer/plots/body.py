"""The part of a plot below its head: a message, the row for the fits, and its panes with their menu. GUI thread
only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import pairwise
from typing import Any, Protocol

from PyQt6.QtCore import QRect, Qt, pyqtBoundSignal, pyqtSignal
from PyQt6.QtGui import QActionGroup
from PyQt6.QtWidgets import QLabel, QMenu, QSizePolicy, QVBoxLayout, QWidget

from aggviewer.plots.drawing import Message
from aggviewer.plots.fit_range import FitRange, ask_range, read_ends
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import RunStyle, looks
from aggviewer.plots.view import AXIS_NAMES, PlotView
from aggviewer.style.theme import Colors, tabular

_LINK = '<a href="where">Show&nbsp;where</a>'


class MessageLine(QLabel):
    """Text in a space of fixed height, so that plots do not move when it gets longer; a height that depended on the
    width would make all plots request their full height.

    longest : the longest message of a run; the line is never shown if it is empty.
    """

    def __init__(self, longest: str) -> None:
        super().__init__()
        self._longest = longest
        self.setFont(tabular(self.font()))
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setContentsMargins(8, 4, 8, 0)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.hide()

    def hasHeightForWidth(self) -> bool:
        """No."""
        return False

    def show_messages(self, messages: Sequence[Message | None], runs: Sequence[RunStyle], theme: Colors) -> None:
        """Show the message of each run, in the colour of errors if it reports a problem."""
        if not self._longest:
            return
        lines = []
        for run, one, look in zip(runs, messages, looks(runs, theme), strict=True):
            if one is not None:
                words = one.text
                if one.problem:
                    words = f'<span style="color:{theme.error}">{words}</span> {_LINK}'
                lines.append(words if look.alone else f"{look.swatch}&nbsp;{escape(run.name)}: {words}")
        self.setVisible(bool(lines))
        self.setText("<br>".join(lines))

    def keep_room(self, names: Sequence[str], width: int) -> None:
        """Reserve space for the longest message of each run that can have one.

        names : of these runs, "" for a single one; width : of the plot.
        """
        if not self._longest:
            return
        margins = self.contentsMargins()
        room = QRect(0, 0, max(1, width - margins.left() - margins.right()), 1000)
        heads = [f"● {name}: " if name else "" for name in names]
        text = "\n".join(f"{head}{self._longest} Show where" for head in heads)
        needed = self.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, text).height()
        self.setFixedHeight(needed + margins.top() + margins.bottom())


class PlotBody(QWidget):
    """The stacked panes of a plot, and the widgets above them.

    Attributes
    ----------
    views : the panes, the upper one first; the others share its x range, and follow or hold with it.
    fits : the row with the limits of the fit range, and the band.
    message : the message above the panes.
    column : their layout.
    """

    look_chosen = pyqtSignal()
    """The user has changed the scales, or locked a range."""

    def __init__(self, plot: Plot, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plot = plot
        self.views = tuple(PlotView(axes) for axes in plot.all_axes)
        across = next(iter(plot.columns.values()))[0].name if plot.columns else ""
        self.fits = FitRange(plot.power_fit, self.views[0], plot.title, across)
        self.fits.setParent(self)
        self.message = MessageLine(plot.longest_message)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)
        for widget in (self.message, self.fits):
            self.column.addWidget(widget)
        for view in self.views:
            self.column.addWidget(view, view.axes.share)
            view.setAccessibleName(view.axes.name or plot.title)
        for upper, lower in pairwise(self.views):
            lower.getPlotItem().getViewBox().setXLink(upper.getPlotItem().getViewBox())
            for one, other in ((upper, lower), (lower, upper)):
                one.following_changed.connect(lambda on, other=other: other.follow() if on else other.hold())

    def set_theme(self, theme: Colors) -> None:
        """Apply the colours of the theme to panes and fits."""
        for view in self.views:
            view.set_theme(theme)
        self.fits.set_look(theme)

    def keep_room(self, runs: Sequence[RunStyle], width: int) -> None:
        """Reserve space so that the panes do not move when a message gets longer."""
        speaking = [run for run in runs if self._plot.has_place([run])]
        self.message.keep_room([run.name if len(runs) > 1 else "" for run in speaking], width)

    # scales and ranges

    def set_logarithmic(self, place: int, axis: int, logarithmic: bool) -> None:
        """Show an axis, 0 for x and 1 for y, of the pane at `place` on a logarithmic scale or a linear one. All panes
        have the same scale of x."""
        for view in self.views if axis == 0 else (self.views[place],):
            view.set_logarithmic(axis, logarithmic)

    def choose_logarithmic(self, place: int, axis: int, logarithmic: bool) -> None:
        """Set the scale of an axis, as chosen by the user."""
        self.set_logarithmic(place, axis, logarithmic)
        self.look_chosen.emit()

    def ask_range(self, place: int) -> None:
        """Ask the user for the limits of both axes of the pane at `place`."""
        view = self.views[place]
        found = ask_range(view, self._plot.title, self)
        if found is not None:
            view.set_range(found[0], lock=found[1])
            self.look_chosen.emit()

    def lock_range(self, place: int, locked: bool) -> None:
        """Lock the range of the pane at `place`, also for later runs; or follow the data again."""
        view = self.views[place]
        if locked:
            view.set_range(view.ends, lock=True)
        else:
            view.follow()
        self.look_chosen.emit()

    def reset(self) -> None:
        """Restore the default scales, range and fit."""
        self.take_look(None)
        self.fits.reset()
        self.look_chosen.emit()

    def look(self) -> list[dict[str, Any]]:
        """The user's scales and ranges for each pane as plain numbers; empty if there are none."""
        found: list[dict[str, Any]] = []
        for view in self.views:
            one: dict[str, Any] = {"logarithmic": list(view.logarithmic)} if view.unusual else {}
            found.append(one | ({"range": list(view.ends)} if view.locked else {}))
        return found if any(found) else []

    def take_look(self, look: object) -> None:
        """Apply what `look` returned; None for the defaults. Invalid values are ignored."""
        given = look if isinstance(look, list) and len(look) == len(self.views) else [{}] * len(self.views)
        for place, (view, one) in enumerate(zip(self.views, given, strict=True)):
            one = one if isinstance(one, dict) else {}
            logs = one.get("logarithmic")
            if not (isinstance(logs, list) and len(logs) == 2 and all(isinstance(log, bool) for log in logs)):
                logs = list(view.axes.logarithmic)
            for axis, shown in enumerate(logs):
                if shown == view.axes.logarithmic[axis] or view.scalable:
                    self.set_logarithmic(place, axis, shown)
            ends = read_ends(one.get("range"), view)
            if ends is not None:
                view.set_range(ends, lock=True)
            elif view.locked:
                view.follow()

    @property
    def changed(self) -> bool:
        """Whether scales, range or fit differ from the defaults."""
        return bool(self.look()) or self.fits.chosen is not None or not all(view.following for view in self.views)


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
    average_chosen: pyqtBoundSignal
    again_asked: pyqtBoundSignal
    keep_asked: pyqtBoundSignal
    enlarge_asked: pyqtBoundSignal
    copy_asked: pyqtBoundSignal
    save_asked: pyqtBoundSignal
    extras: Sequence[PlotExtra]

    @property
    def title(self) -> str: ...

    @property
    def averaging(self) -> bool: ...

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
    if plot.plot.averaged:
        average = add(
            "Average over the run",
            "Show the average over the run from now on, instead of the present state",
            lambda: plot.average_chosen.emit(not plot.averaging),
        )
        average.setCheckable(True)
        average.setChecked(plot.averaging)
        add("Begin the average again", "Start a new average", plot.again_asked.emit, enabled=plot.averaging)
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
    add("Enlarge, or show all plots", "Show only this plot, beside the picture; or all again", plot.enlarge_asked.emit)
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
