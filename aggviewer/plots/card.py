"""A plot in a window: its head, its panes, and the user's choices. GUI thread only."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from numpy.typing import NDArray
from PyQt6.QtCore import QEvent, pyqtSignal
from PyQt6.QtGui import QContextMenuEvent, QEnterEvent, QFont, QHideEvent, QResizeEvent, QShowEvent
from PyQt6.QtWidgets import QApplication, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from aggviewer.plots.body import PlotBody, PlotExtra, plot_menu
from aggviewer.plots.contents import PlotContents, series_of
from aggviewer.plots.drawing import PlotDrawing, PlotSeries, together
from aggviewer.plots.fit_range import FitRange
from aggviewer.plots.fits import Fits, Range, fit_all
from aggviewer.plots.head import PlotHead
from aggviewer.plots.page import PagePane
from aggviewer.plots.plot import Plot
from aggviewer.plots.run_drawings import RunDrawings
from aggviewer.plots.runs import Curves, Reference, RunStyle
from aggviewer.plots.view import PlotView
from aggviewer.session.data import Analysis
from aggviewer.style.theme import LIGHT, Colors, tabular
from aggviewer.widgets.buttons import icon

_LARGE = 1.25  # size of the type in an enlarged plot, relative to the others


class PlotCard(QWidget):
    """A plot with fold button, name, definition, panes and menu.

    States measured while it is not visible are kept and drawn when it becomes visible. A plot that is folded at first
    consists only of its head until it is opened or its contents are needed (`make`).

    Parameters
    ----------
    plot : the declaration of the plot.
    number : of the plot, which is its key on the keyboard.
    extras : what other parts of the window add to its definition and its menu.
    later : whether only the head is made now; `make` makes the rest.
    """

    enlarge_asked = pyqtSignal()
    """The user wants to see this plot large, or all plots again."""
    place_asked = pyqtSignal(float, float)
    """The user wants to see a place, in the coordinates of the discs."""
    layer_asked = pyqtSignal(object, object, bool)
    """The mouse is over a point with a `PointLayer`: the layer, its value, and whether it was clicked."""
    keep_asked = pyqtSignal()
    """The user wants to keep the present curves as a reference."""
    copy_asked = pyqtSignal()
    """The user wants to copy the data as a table."""
    save_asked = pyqtSignal()
    """The user wants to export the plot."""
    fit_chosen = pyqtSignal()
    """The user has changed the fit range."""
    look_chosen = pyqtSignal()
    """The user has chosen other scales, or a range to keep."""
    average_chosen = pyqtSignal(bool)
    """The user wants to see averages over the run, or single states."""
    again_asked = pyqtSignal()
    """The user wants the averages to begin again."""
    body_made = pyqtSignal()
    """The part below the head has been made."""
    seen_changed = pyqtSignal()
    """The plot has become visible or invisible: see `seen`."""
    choice_made = pyqtSignal(str, object)
    """A choice for all plots of the system has changed: its name and value. The panel passes it on to `take_choice`."""

    def __init__(self, plot: Plot, number: int, extras: Sequence[PlotExtra] = (), *, later: bool = False) -> None:
        super().__init__()
        self.plot, self.extras = plot, extras
        self.number = number
        self._body: PlotBody | None = None
        self.theme: Colors = LIGHT
        self.runs: tuple[RunStyle, ...] = ()
        self.references: Sequence[tuple[Reference, Curves]] = ()
        """The references drawn beside the runs."""
        self._runs = RunDrawings(plot)
        self._given_look: object = None  # the initial settings of the plot
        self._given_fit: Range | None = None
        self._found = Fits(plot.power_fit)
        self._reference_series: list[tuple[int, PlotSeries]] = []
        self._question: tuple[PlotSeries, ...] = ()
        self._stale = False  # whether the display is older than the drawings
        self._enlarged = False
        self._times: dict[int, float] = {}  # of the picture of each run

        fitted = bool(plot.power_fit.slopes)
        definition = plot.definition + plot.about_errors + "".join(extra.note(plot) for extra in extras)
        self.head = PlotHead(
            self,
            plot.title,
            definition,
            number,
            fitted=fitted,
            choices=plot.choices,
            short=plot.short,
            averages=bool(plot.averaged),
        )
        self.head.average.clicked.connect(self.average_chosen)
        self.head.again.clicked.connect(self.again_asked)
        self.head.fold.toggled.connect(self._fold)
        self.head.follow.clicked.connect(lambda: self.view.follow())
        self.head.fit.toggled.connect(self._show_fit)
        self.head.keep.clicked.connect(self.keep_asked)
        self.head.enlarge.clicked.connect(self.enlarge_asked)
        for name, switch in self.head.switches.items():
            switch.clicked.connect(lambda on, name=name: self.choice_made.emit(name, on))
        self.where_button: QToolButton | None = None
        if plot.place_tip:
            self.where_button = self.head.add_button(plot.place_tip)
            self.where_button.setAccessibleName("Show where")
            self.where_button.clicked.connect(self.show_where)
            self.where_button.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addLayout(self.head)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        if plot.folded_at_first:
            self.head.fold.setChecked(False)
        elif later:
            self._column.addStretch(1)  # space for the part below the head
        else:
            self.make()
        self._count()
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus)

    @property
    def title(self) -> str:
        """The title of the plot."""
        return self.plot.title

    def key(self) -> str:
        """The name of the plot in commands and files of lessons."""
        return self.plot.key()

    @property
    def has_body(self) -> bool:
        """Whether the part below the head has been made."""
        return self._body is not None

    def make(self) -> None:
        """Make the part below the head if it does not exist yet; reading `view` does so too.

        This takes about 20 ms: the panel makes visible plots one by one, with time for the rest of the window in
        between.
        """
        if self._body is not None:
            return
        self._body = body = PlotBody(self.plot, self)
        if self._enlarged:
            body.setFont(self.font())  # with a style sheet, new widgets do not take it from their parent
        body.fits.changed.connect(self._fit_anew)
        body.fits.settled.connect(self.fit_chosen)
        body.look_chosen.connect(self._compose)
        body.look_chosen.connect(self.look_chosen)
        body.message.linkActivated.connect(self.show_where)
        for place, view in enumerate(body.views):
            view.describe = lambda series, index: self.contents.words_at(series, index)
            view.picked.connect(self._show_place)
            view.pointed.connect(lambda series, index: self._show_layer(series, index, clicked=False))
            view.following_changed.connect(lambda on: self.head.follow.setVisible(not on))
            view.menu_asked.connect(lambda at, place=place: plot_menu(self, place).popup(at))
        if not self.head.fold.isChecked():
            body.hide()
        if self._column.count() > 1:
            self._column.takeAt(1)
        self._column.addWidget(body, 1)
        self.body_made.emit()
        with_keys: tuple[QWidget, ...] = (self.head.enlarge, *body.fits.edits, body.fits.reset_button, *body.views)
        for before, after in pairwise(with_keys):
            QWidget.setTabOrder(before, after)
        if self.runs:  # the panel has set its look long ago
            self.set_theme(self.theme)
            self.take_look(self._given_look)
            self.choose_fit(self._given_fit)
            self.show_references(self.references)
            self._draw_stale()
        self._compose()

    @property
    def view(self) -> PlotView:
        """The first pane."""
        return self.views[0]

    @property
    def views(self) -> tuple[PlotView, ...]:
        """All panes, the upper one first."""
        return self.body.views

    @property
    def fits(self) -> FitRange:
        """The row with the limits of the fit range, and the band."""
        return self.body.fits

    @property
    def body(self) -> PlotBody:
        """The part below the head."""
        self.make()
        assert self._body is not None
        return self._body

    @property
    def drawings(self) -> Sequence[PlotDrawing | None]:
        """The drawing of each run."""
        return self._runs.drawings

    @property
    def found(self) -> Fits:
        """The power laws that were fitted to the curves in the plot."""
        return self._found

    @property
    def seen(self) -> bool:
        """Whether the plot is on the screen and not folded."""
        return self.isVisible() and self.head.fold.isChecked()

    @property
    def shows_data(self) -> bool:
        """Whether it shows data, or would if it were visible."""
        return self.has_body and any(map(self._runs.has_data, range(len(self.runs))))

    def enterEvent(self, event: QEnterEvent | None) -> None:
        """Show the icons for the pointer."""
        super().enterEvent(event)
        self.head.reveal(True)

    def leaveEvent(self, event: QEvent | None) -> None:
        """Hide the icons, unless the plot has the keyboard focus."""
        super().leaveEvent(event)
        self._on_focus(None, QApplication.focusWidget())

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Show the icons for the keyboard."""
        self.head.reveal(self.underMouse() or (now is not None and self.isAncestorOf(now)))

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """Show the menu, also from the head."""
        if event is not None:
            plot_menu(self, 0).popup(event.globalPos())
            event.accept()

    # the user's choices

    def choose_fit(self, chosen: Range | None) -> None:
        """Set the fit range, None for the default one."""
        self._given_fit = chosen
        if self.has_body:
            self.fits.choose(chosen)

    def take_choice(self, name: str, value: Any) -> None:
        """Apply a choice that was made in a plot of the same system: see `choice_made`."""
        if name in self._runs.choices and self._runs.choices[name] != value:
            self._runs.choices[name] = value
            self.head.switches[name].setChecked(value)
            self._prepare_anew()

    @property
    def averaging(self) -> bool:
        """Whether it shows averages over the run."""
        return self._runs.averaging

    def show_averages(self, on: bool) -> None:
        """Show averages over the run, or single states."""
        if on != self.averaging and self.plot.averaged:
            self._runs.averaging = on
            self._prepare_anew()
            self._tell_averages()

    def _tell_averages(self) -> None:
        self.head.set_averages(self.averaging, self._runs.about_averages if self.averaging else "")

    def choices(self) -> dict[str, Any]:
        """The present values of this plot's choices, by name."""
        return dict(self._runs.choices)

    def set_logarithmic(self, place: int, axis: int, logarithmic: bool) -> None:
        """Show an axis, 0 for x and 1 for y, of the pane at `place` on a logarithmic scale or a linear one. All panes
        of a plot have the same scale of x."""
        self.body.set_logarithmic(place, axis, logarithmic)
        self._compose()

    def take_look(self, look: object) -> None:
        """Apply what `PlotBody.look` returned; None for the defaults. Invalid values are ignored."""
        self._given_look = look
        if self._body is not None:
            self._body.take_look(look)
            self._compose()

    # for the panel

    def set_runs(self, runs: Sequence[RunStyle], sources: Sequence[int | None]) -> None:
        """Set the runs to draw; `sources` gives the earlier run whose data each of them keeps, None for no data."""
        self.runs = tuple(runs)
        self._runs.set_runs(sources)
        self._count()
        if self.has_body:
            self._keep_room()
            self._changed()

    def offer(self, analysis: Analysis, run: int = 0) -> bool:
        """Offer a measured state. True if it should be drawn now: the plot is visible, and all it needs has been
        measured. Otherwise the state is kept for later."""
        due = self.has_body and self.seen and self._runs.measured(analysis)
        if due:
            self._runs.waiting.pop(run, None)
        else:
            self._runs.waiting[run] = analysis
        return due

    def prepared(self, analysis: Analysis, run: int = 0) -> PlotDrawing | None:
        """The result of `Plot.prepare` for a measured state. If that fails it is None, and the plot says why."""
        return self._runs.prepared(analysis, run, self._chosen_fit)

    @property
    def _chosen_fit(self) -> Range | None:
        return self._given_fit if self._body is None else self._body.fits.chosen

    def set_data(self, drawing: PlotDrawing | None, run: int = 0) -> None:
        """Set the drawing of a run, shown now or when the plot becomes visible; None removes it."""
        self.make()
        self._runs.drawings[run] = drawing
        self._count()
        self._changed(now=drawing is None)

    def show_time(self, time: float, run: int) -> None:
        """The picture of a run shows this time: the plot says its own if it differs."""
        self._times[run] = time
        if self.seen:
            self._show_moment()

    def _show_moment(self) -> None:
        if self.averaging:
            self._tell_averages()
        self.head.set_moment(self._runs.moments, late=self._runs.differ_from(self._times))

    def forget(self, run: int) -> None:
        """Remove the drawing of a run and its waiting state."""
        self._runs.forget(run)
        if self.has_body:
            self.set_data(None, run)

    def begin(self, run: int) -> None:
        """Forget the drawing of a run, whose next states have other discs."""
        self.forget(run)
        for view in self.views if self.has_body else ():
            if not view.locked:
                view.follow()

    def set_enlarged(self, enlarged: bool) -> None:
        """Set whether the plot is shown large, in larger type."""
        if enlarged != self._enlarged:
            self._enlarged = enlarged
            font = QFont()
            if enlarged:
                font.setPointSizeF(round(_LARGE * self.font().pointSizeF(), 1))
            for widget in (self, self._body):
                if widget is not None:
                    widget.setFont(font)
            self.head.set_enlarged(enlarged, self.theme)

    def set_theme(self, theme: Colors) -> None:
        """Apply the theme to head and plot."""
        self.theme = theme
        self.head.set_theme(theme)
        if self.where_button is not None:
            self.where_button.setIcon(icon("mdi6.crosshairs", theme.muted))
        if self._body is not None:
            self._body.set_theme(theme)
            self._changed()

    def show_references(self, references: Sequence[tuple[Reference, Curves]]) -> None:
        """Draw exactly these references beside the runs."""
        self.references = references
        self._reference_series = list(series_of(self.plot, references))
        if self.has_body:
            self._compose()

    def kept_curves(self, run: int) -> Curves:
        """The curves of a run that a reference keeps: all that are drawn."""
        self.draw_all()
        return self.contents.kept_curves(run)

    def show_question(self, question: Sequence[PlotSeries]) -> None:
        """Draw the series of a lesson's question, or none."""
        self._question = tuple(question)
        self._compose()

    def table(self) -> dict[str, NDArray[Any]]:
        """All data, and the `values`, as columns: heading with unit to values (n,)."""
        self.draw_all()
        return self.contents.table()

    @property
    def contents(self) -> PlotContents:
        """The present contents of the plot."""
        said, straight = self.fits.shows_results, all(self.view.logarithmic)
        runs, drawings, kept = self.runs, self.drawings, self.references
        return PlotContents(
            self.plot,
            runs,
            drawings,
            self._found,
            said,
            straight,
            kept,
            self._reference_series,
            self._question,
            self._runs.origins,
        )

    # states that arrive while the plot is not visible

    def draw_all(self) -> None:
        """Draw the waiting states, measuring what is missing."""
        self.make()
        self._draw_waiting(dict(self._runs.waiting))

    @property
    def waits(self) -> bool:
        """Whether the newest state of a run can only be drawn once it is measured."""
        return self._runs.waits

    def draw_known(self) -> None:
        """Draw the waiting states that have been measured."""
        self.make()
        self._draw_waiting(self._runs.measured_waiting)

    def _draw_waiting(self, states: Mapping[int, Analysis]) -> None:
        """Draw these states and what has been prepared but not drawn."""
        for run, analysis in sorted(states.items()):
            del self._runs.waiting[run]
            self.set_data(self.prepared(analysis, run), run)
        if self._stale:
            self._compose()

    def _draw_stale(self) -> None:
        """Draw what is known if the plot is visible; the rest follows when it has been measured."""
        if self.has_body and self.seen:
            self.draw_known()

    def _prepare_anew(self) -> None:
        """Prepare the same states again after a change of choice or range."""
        if self.has_body:
            self._runs.prepare_anew(self._chosen_fit)
            self._count()
            self._changed()

    def _changed(self, *, now: bool = False) -> None:
        """Update the display: at once if it is visible, else when it becomes visible."""
        self._stale = True
        if now or self.seen:
            self._compose()
        else:
            self._found = fit_all(self.plot.power_fit, self.drawings, self._chosen_fit)

    # what is shown

    def _compose(self) -> None:
        """Update all panes from the drawings of the runs."""
        self._stale = False
        if not self.has_body:
            return
        self._found = fit_all(self.plot.power_fit, self.drawings, self.fits.chosen)
        self.fits.show_found(self._found, any_data=self.shows_data)
        without = "" if self.shows_data else self._runs.why_empty or self._words_without_data
        self._show_moment()
        empty = self._runs.problem or without
        if self.view.empty_text != empty:
            self.view.set_empty(empty)
        shown, contents = self.shows_data, self.contents
        for place, view in enumerate(self.views):
            if place:
                view.setVisible(shown)
            bounds = contents.bounds(place)
            if bounds:
                view.set_bounds(together(bounds))
            view.show_series(list(contents.series(place, self.theme)))
            view.set_value(contents.numbers(place, self.theme))
        self.head.keep.setEnabled(shown)
        self._show_messages()

    @property
    def _words_without_data(self) -> str:
        return self.plot.text_without_data(self.runs, self._runs.choices)

    def page(self, colors: Colors, *, numbers: bool = True) -> list[PagePane]:
        """The present panes for paper, in these colours; the corner also has what is around the plot in the window: the
        fit range and the names of references. numbers : whether the corner is shown."""
        contents, band = self.contents, self.fits.band_shown
        return [
            PagePane(
                view.axes,
                view.logarithmic,
                view.ends,
                list(contents.series(place, colors)),
                contents.numbers(place, colors, around=True, band=band) if numbers else "",
                self._found.range if place == 0 and band else None,
            )
            for place, view in enumerate(self.views)
            if place == 0 or self.shows_data
        ]

    def _show_place(self, series: Hashable, index: int) -> None:
        """A point was clicked; if it has a place among the discs, show that place."""
        found = self.contents.place_at(series, index)
        if found is not None:
            self.place_asked.emit(*found)
        self._show_layer(series, index, clicked=True)

    def _show_layer(self, series: Hashable, index: int, *, clicked: bool) -> None:
        """The mouse is over a point or has clicked it; the picture may show what the point means."""
        layer = self.contents.layer_of(series)
        if layer is not None:
            self.layer_asked.emit(layer, layer.values[index], clicked)

    def _show_messages(self) -> None:
        messages = [one.message if one is not None else None for one in self.contents.drawings]
        self.body.message.show_messages(messages, self.runs, self.theme)
        if self.where_button is not None:
            in_plane = all(run.dimensions == 2 for run in self.runs)
            self.where_button.setVisible(self.shows_data and in_plane)
            self.where_button.setEnabled(self.contents.place_of_message() is not None)

    def show_where(self) -> None:
        """Ask the window to show the place that the message of the plot is about."""
        found = self.contents.place_of_message()
        if found is not None:
            self.place_asked.emit(*found)

    def _count(self) -> None:
        """Show the counts of the choices, for each run, on the buttons."""
        for choice in self.plot.choices:
            text = self._runs.counted(choice.name)
            self.head.switches[choice.name].set_texts(choice.text.format(text), choice.short.format(text))

    # inside

    def _fit_anew(self) -> None:
        """Refit after a change of the fit range."""
        if self.plot.reads_fit:
            self._prepare_anew()
        self._compose()

    def _fold(self, shown: bool) -> None:
        if shown or self.has_body:
            self.body.setVisible(shown)
        vertical = QSizePolicy.Policy.Expanding if shown else QSizePolicy.Policy.Fixed
        self.setSizePolicy(QSizePolicy.Policy.Preferred, vertical)
        self._on_focus(None, QApplication.focusWidget())
        self._draw_stale()
        self.seen_changed.emit()

    def _show_fit(self, shown: bool) -> None:
        self.fits.setVisible(shown)
        self._on_focus(None, QApplication.focusWidget())
        self._compose()

    def showEvent(self, event: QShowEvent | None) -> None:
        """Draw the waiting states."""
        super().showEvent(event)
        self._draw_stale()
        self.seen_changed.emit()

    def hideEvent(self, event: QHideEvent | None) -> None:
        """The plot is no longer visible."""
        super().hideEvent(event)
        self.seen_changed.emit()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Reserve more lines for the message of a narrower plot."""
        super().resizeEvent(event)
        if self.has_body:
            self._keep_room()

    def changeEvent(self, event: QEvent | None) -> None:
        """Reserve more space for large type."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange and self.has_body:
            self.body.message.setFont(tabular(self.font()))
            self._keep_room()

    def _keep_room(self) -> None:
        """Reserve space for messages, so that the panes stay where they are when a message grows longer."""
        self.body.keep_room(self.runs, self.width())
