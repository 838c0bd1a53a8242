"""A plot with its head: fold, name, definition, show all, alone. The base of all plots."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QContextMenuEvent, QHideEvent, QShowEvent
from PyQt6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from aggviewer.plots.drawn import NOTHING, Drawn, Mark, blank, leaves
from aggviewer.plots.error_bars import ErrorBars, Errors
from aggviewer.plots.fit_range import FitRange
from aggviewer.plots.head import PlotHead
from aggviewer.plots.live_numbers import live_numbers
from aggviewer.plots.look import PlotLook
from aggviewer.plots.over_seeds import with_note
from aggviewer.plots.pens import Pens
from aggviewer.plots.plot_menu import plot_menu
from aggviewer.plots.reference_curves import ReferenceCurves
from aggviewer.plots.reference_list import reference_colour
from aggviewer.plots.references import Curves, Points, Reference
from aggviewer.plots.runs import Look, RunStyle, looks
from aggviewer.plots.scaled import ScaledLine
from aggviewer.plots.slopes import PowerFit, Range
from aggviewer.plots.study_curves import StudyCurve
from aggviewer.plots.table import Column, Curve, as_table, drawn_points
from aggviewer.plots.view import Axes, PlotView, together
from aggviewer.session.data import Analysis
from aggviewer.session.notices import log
from aggviewer.style.formulas import with_subscripts
from aggviewer.style.theme import LIGHT, Colors

_BROKEN_FIT = (4.0, 2.0)


class Plot(Pens, PlotLook):
    """A plot: what it is called and shows, what it draws of a measured state, and how.

    A plot is a subclass that a system's view names (`SystemView.plots`); its number, which is its key, follows from
    its place there. States that are measured while it cannot be seen are kept, and drawn when it can. One that is
    folded at first consists of its head until somebody looks at it or asks for what it draws (`make`). A subclass has

    - the texts and columns below, `axes`, and `indicators`;
    - `prepare`, which takes what it draws from an analysis: numbers only, no Qt;
    - `_new_items`: a NamedTuple of what one run consists of; `_style` and `_draw` for them;
    - `_set_up` where it has more: widgets, or what belongs to no run (`_add_frame`).
    """

    alone_asked = pyqtSignal()
    place_asked = pyqtSignal(float, float)
    """The person wants to see a place, in the coordinates of the discs."""
    keep_asked = pyqtSignal()
    """The person wants what is drawn now to be kept as a reference."""
    copy_asked = pyqtSignal()
    """The person wants what is drawn in the clipboard, as a table."""
    save_asked = pyqtSignal()
    """The person wants the plot as a file."""
    seeds_asked = pyqtSignal(int)
    """*Mean of 8 seeds* was chosen for the run with this number."""
    fit_chosen = pyqtSignal()
    """The person has chosen another range of the fits."""
    seen_changed = pyqtSignal()
    """The plot has come into view, or is seen no more: see `seen`."""
    choice_made = pyqtSignal(str, object)
    """A choice that all plots of the system follow: its name and value. The panel passes it on to `take_choice`."""

    name = ""
    """In menus; the title where it is empty."""
    definition = ""
    """What is plotted, with the equation: rich text for a tool tip, formulas between dollar signs."""
    empty_text = ""
    """What it will show, while there are no data."""
    axes = Axes("", "")
    indicators: ClassVar[frozenset[str] | None] = None
    """The names of the indicators that `prepare` reads: they are measured while the plot is seen. None for all."""
    columns: ClassVar[Mapping[str, tuple[Column, Column]]] = {}
    """What the items of a run show: name of the field of `_new_items` to x and y."""
    frame_columns: ClassVar[Mapping[str, tuple[Column, Column]]] = {}
    """The same for what belongs to no run: names of attributes."""
    study_curves: ClassVar[Mapping[str, StudyCurve]] = {}
    """Which curve of a study each field of `_new_items` can show, as a reference."""
    study_numbers: ClassVar[tuple[str, ...]] = ()
    """Numbers of a run that *Mean of 8 seeds* in the menu averages, besides the exponents of `power_fit`."""
    marks: ClassVar[Mapping[str, Mark]] = {}
    """What stands before the symbols of the live numbers."""
    power_fit: ClassVar[PowerFit] = PowerFit()
    """Which curves are fitted by a power of x, over a range that the person can drag."""
    stretch = 1
    """Share of the height of the panel, beside that of the others."""
    folded_at_first = False
    """For one that the panel has no room for."""

    @classmethod
    def key(cls) -> str:
        """Its name in files: ``pair_distribution`` for a PairDistributionPlot."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__.removesuffix("Plot")).lower()

    @classmethod
    def prepare(cls, analysis: Analysis) -> Any:
        """What is drawn of a measured state, None where there is nothing. Numbers and words only."""
        raise NotImplementedError

    @classmethod
    def has_place(cls, runs: Sequence[RunStyle]) -> bool:
        """Whether it is shown among the others while these runs are; alone it always can be."""
        return True

    _views: tuple[PlotView, ...]
    _fits: FitRange
    _body: QWidget
    _content: QVBoxLayout

    def __init__(self, number: int, parent: QWidget | None = None, *, later: bool = False) -> None:
        """later : only the head is made now, whoever asks for more calls `make`."""
        super().__init__(parent)
        self.number = number
        self.theme: Colors = LIGHT
        self.runs: tuple[RunStyle, ...] = ()
        self.dotted: list[pg.InfiniteLine] = []
        """Lines at a value that means something, such as 1 or close packing."""
        self._offered: dict[int, Analysis] = {}  # of each run: the state that is to be drawn, if somebody looks
        self._items: list[Any] = []
        self._frame: list[Any] = []
        self._data: list[Any] = []
        self._drawn: list[Drawn | None] = []
        self._stale: set[int] = set()
        self._problems: dict[int, str] = {}  # of runs whose states cannot be prepared
        self._bars: list[dict[str, ErrorBars]] = []  # of each run, by field
        self._given_fit: Range | None = None
        self._given_references: Sequence[tuple[Reference, Curves]] = ()
        self.reference_curves = ReferenceCurves(type(self).__name__, self.columns, self._view_of)
        self._at_length = False

        self.head = PlotHead(self, self.title, with_note(self), number, fitted=bool(self.power_fit.slopes))
        self.head.fold.toggled.connect(self._fold)
        self.head.follow.clicked.connect(lambda: self.view.follow())
        self.head.fit.toggled.connect(self._show_fit)
        self.head.keep.clicked.connect(self.keep_asked)
        self.head.alone.clicked.connect(self.alone_asked)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addLayout(self.head)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        if self.folded_at_first:
            self.head.fold.setChecked(False)
        elif later:
            self._column.addStretch(1)  # room for what comes below the head
        else:
            self.make()
        self.set_alone(False)

    def make(self) -> None:
        """Make what is below the head, if it is not there yet; to ask for `view` or `items` does so too.

        It takes some 20 ms: the panel has the plots that are seen made one after the other, with time for the rest of
        the window between two.
        """
        if self.made:
            return
        self.made = True
        view = PlotView(self.axes)
        self._views = (view,)
        across = next(iter(self.columns.values()))[0].name if self.columns else ""
        self._fits = fits = FitRange(self.power_fit, view, self.title, across)
        fits.setParent(self)
        fits.changed.connect(self._compose)
        fits.settled.connect(self.fit_chosen)
        self._body = QWidget()
        self._content = QVBoxLayout(self._body)
        self._content.setContentsMargins(0, 0, 0, 0)
        self._content.setSpacing(0)
        self._content.addWidget(view, 1)
        if self.power_fit.slopes:
            self._content.insertWidget(0, fits)
        if not self.head.fold.isChecked():
            self._body.hide()
        if self._column.count() > 1:
            self._column.takeAt(1)
        self._column.addWidget(self._body, 1)
        view.setAccessibleName(self.title)
        view.describe = self._describe
        view.following_changed.connect(lambda on: self.head.follow.setVisible(not on))
        self._set_up()
        for place, one in enumerate(self.views):
            one.menu_asked.connect(lambda at, place=place: plot_menu(self, place).popup(at))
            one.unscaled = (fits.band,) if one is view else ()
        view.set_empty(self.empty_text)
        with_keys: tuple[QWidget, ...] = (self.head.alone, *fits.edits, fits.reset_button, *self.views)
        for before, after in pairwise(with_keys):
            QWidget.setTabOrder(before, after)
        if self.runs:  # the panel has said long ago how it looks
            self._begin_runs([None] * len(self.runs))
            self.set_theme(self.theme)
            self.take_look(self._given_look)
            self.choose_fit(self._given_fit)
            self.show_references(self._given_references)
            self._draw_stale()
        else:
            self._compose()

    @property
    def view(self) -> PlotView:
        """The drawing area, or the first one."""
        return self.views[0]

    @property
    def views(self) -> tuple[PlotView, ...]:
        """All drawing areas, the upper one first."""
        self.make()
        return self._views

    @property
    def fits(self) -> FitRange:
        """The fits, and the row with the ends of their range."""
        self.make()
        return self._fits

    @property
    def items(self) -> list[Any]:
        """What each run consists of: see `_new_items`."""
        self.make()
        return self._items

    @property
    def body(self) -> QWidget:
        """All below the head."""
        self.make()
        return self._body

    @property
    def content(self) -> QVBoxLayout:
        """What is in the body."""
        self.make()
        return self._content

    @property
    def seen(self) -> bool:
        """Whether somebody can look at what it draws."""
        return self.isVisible() and self.head.fold.isChecked()

    @property
    def shows_data(self) -> bool:
        """Whether there is something to be seen in it, or would be if it were in view."""
        return self.made and not self.view.empty_text

    def _set_up(self) -> None:
        """Whatever a plot has beside its view."""

    def choose_fit(self, chosen: Range | None) -> None:
        """Fit over this range from now on, None for the usual one."""
        self._given_fit = chosen
        if self.made:
            self.fits.choose(chosen)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """The menu, also from the head."""
        if event is not None:
            plot_menu(self, 0).popup(event.globalPos())
            event.accept()

    # for the panel

    def set_runs(self, runs: Sequence[RunStyle], sources: Sequence[int | None]) -> None:
        """The runs to be drawn; `sources` says whose data each of them goes on with, None for those of none."""
        self.runs = tuple(runs)
        offered, self._offered = self._offered, {}
        for run, source in enumerate(sources):
            if source is not None and source in offered:
                self._offered[run] = offered[source]
        if not self.made:
            return
        if list(sources) != list(range(len(self.items))):
            self._begin_runs(sources)
        self._restyle()

    def _begin_runs(self, sources: Sequence[int | None]) -> None:
        """Items for each run; see `set_runs`."""
        for part, item in self._leaves():
            self._view_of(part).removeItem(item)
        self._data = [None if source is None else self._data[source] for source in sources]
        self._drawn = [None] * len(sources)
        self._problems.clear()
        for bars in self._bars:
            for name, bar in bars.items():
                self._view_of(name).removeItem(bar)
        self._bars = [{} for _ in sources]
        self.fits.set_runs(len(sources))
        self._items = [self._new_items() for _ in sources]
        for part, item in self._leaves():
            self._view_of(part).addItem(item)
            blank(item)

    def offer(self, analysis: Analysis, run: int = 0) -> bool:
        """A state as it was measured. True where the plot is made and seen, and all that it draws has been measured:
        then it is to be drawn now. Else it is kept for when it is asked for."""
        due = self.made and self.seen and analysis.has(self.indicators)
        if due:
            self._offered.pop(run, None)
        else:
            self._offered[run] = analysis
        return due

    def prepared(self, analysis: Analysis, run: int = 0) -> Any:
        """What `prepare` makes of a measured state. Where that fails it is None, and the plot says why."""
        try:
            data = self.prepare(analysis)
        except Exception as error:  # of a plug-in, too: the other plots go on
            words = f"{self.title} cannot be drawn: {type(error).__name__}: {error}"
            if self._problems.get(run) != words:  # states are measured several times a second
                log.exception("%s cannot be drawn", self.title)
            self._problems[run] = words
            return None
        self._problems.pop(run, None)
        return data

    def set_data(self, data: Any, run: int = 0) -> None:
        """Draw `data` of a run, now or when the plot comes into view; None takes away what was drawn."""
        self.make()
        self._data[run] = data
        if data is None or self.view.isVisible():
            self._update(run)
        else:
            self._stale.add(run)

    def forget(self, run: int) -> None:
        """Take away what is drawn of a run, and what waits to be."""
        self._offered.pop(run, None)
        if self.made:
            self.set_data(None, run)

    def begin(self, run: int) -> None:
        """The next states of a run are of other discs."""
        self.forget(run)
        for view in self.views if self.made else ():
            if not view.locked:
                view.follow()

    def set_alone(self, alone: bool) -> None:
        """Whether the plot is the only one shown."""
        self.head.set_alone(alone, self.theme)
        if alone:
            self.head.fold.setChecked(True)

    def set_theme(self, theme: Colors) -> None:
        """Colours of head and plot."""
        self.theme = theme
        self.head.set_theme(theme)
        if self.made:
            for view in self.views:
                view.set_theme(theme)
            self._restyle()

    def show_references(self, references: Sequence[tuple[Reference, Curves]]) -> None:
        """Draw these beside the runs, and no others."""
        self._given_references = references
        if not self.made:
            return
        self.reference_curves.show(references)
        self.reference_curves.style(self.theme, self.view.devicePixelRatioF())
        self._compose()

    def kept_curves(self, run: int) -> Curves:
        """What a reference keeps of a run: every curve that is drawn."""
        self.draw_all()
        if self._drawn[run] is None:
            return {}
        items = self.items[run]._asdict()
        return {name: Points(*self._quantities(items[name])) for name in self.columns}

    def say_all(self, at_length: bool) -> None:
        """Whether the corner also has what stands around the plot in the window: the range of the fits and the names
        of references. For a picture that is taken away."""
        self._at_length = at_length
        self._compose()

    def take_choice(self, name: str, value: Any) -> None:
        """A plot of the same system has had a choice made: see `choice_made`."""

    def choices(self) -> dict[str, Any]:
        """The choices that this plot offers, as they are made now: name to value, see `choice_made`."""
        return {}

    def table(self) -> dict[str, NDArray[np.float64]]:
        """All that is drawn, and the `values`, as columns: heading with unit to values (n,)."""
        self.draw_all()
        return as_table(self._curves()) | self.values()

    def values(self) -> dict[str, NDArray[np.float64]]:
        """What a table has beside curves: numbers of the fits, standard errors; heading with unit to values (n,)."""
        names = self._names_in_tables()
        found = self.fits.numbers(self.columns, names)
        for drawn, run in zip(self._drawn, names, strict=True):
            for name, errors in ({} if drawn is None else drawn.errors).items():
                up = self.columns[name][1]
                of = f" ({run})" if run else ""
                found[f"{up.name}, standard error{of} [{up.unit}]"] = errors.error
        return found | (self.reference_curves.standard_errors() if any(one is not None for one in self._drawn) else {})

    def _names_in_tables(self) -> list[str]:
        """Of the runs, empty for a single one."""
        return [run.name if len(self.runs) > 1 else "" for run in self.runs]

    def _curves(self) -> list[Curve]:
        names = self._names_in_tables()
        parts = [
            (columns, getattr(items, field), name)
            for items, name in zip(self.items, names, strict=True)
            for field, columns in self.columns.items()
        ]
        parts += [(columns, getattr(self, name), "") for name, columns in self.frame_columns.items()]
        curves = [Curve(*columns, run, *self._quantities(item)) for columns, item, run in parts]
        curves += self.fits.curves(self.columns, names)
        return [*curves, *self.reference_curves.curves(names)]

    def _quantities(self, item: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """x and y that an item of this plot shows."""
        view = item.getViewWidget() or self.view
        return drawn_points(item, view.logarithmic)

    # for the subclasses

    def _add_frame(self, *items: Any, view: PlotView | None = None) -> None:
        """What belongs to no run, shown while something is drawn. view : where, the plot's first one for None."""
        for item in items:
            item.hide()
            (view or self.view).addItem(item)
            self._frame.append(item)

    def _dotted_line(self, at: float, angle: float = 0.0, view: PlotView | None = None) -> pg.InfiniteLine:
        """A dotted line of the frame; angle : 0 for a level one, 90 for an upright one."""
        line = ScaledLine(at, angle)
        self.dotted.append(line)
        self._add_frame(line, view=view)
        return line

    def _new_items(self) -> Any:
        """A NamedTuple of what one run consists of: items of pyqtgraph, or lists and dicts of them."""
        raise NotImplementedError

    def _view_of(self, field: str) -> PlotView:
        """Where a field of `_new_items` is drawn."""
        return self.view

    def _style_frame(self, theme: Colors) -> None:
        """Colours of what belongs to no run."""
        pen = self._pen(theme.muted, 1.0)
        pen.setStyle(Qt.PenStyle.DotLine)
        for line in self.dotted:
            line.setPen(pen)

    def _style(self, items: Any, look: Look, theme: Colors) -> None:
        raise NotImplementedError

    def _draw(self, items: Any, data: Any) -> Drawn | None:
        """Draw one run; None where there is nothing to be seen yet."""
        raise NotImplementedError

    def _frame_is_shown(self) -> bool:
        """Whether what belongs to no run is worth a look."""
        return any(one is not None for one in self._drawn)

    def _compose(self) -> None:
        """Bring what belongs to all runs together in line with what is drawn."""
        drawn = [one for one in self._drawn if one is not None]
        empty = next(iter(self._problems.values()), "" if drawn else self.empty_text)
        if self.view.empty_text != empty:
            self.view.set_empty(empty)
        clicks = [np.zeros(len(one.x), bool) if one.clickable is None else one.clickable for one in drawn]
        self.view.set_points(
            np.concatenate([NOTHING, *(one.x for one in drawn)]),
            np.concatenate([NOTHING, *(one.y for one in drawn)]),
            np.concatenate(clicks) if clicks else None,
        )
        self.view.set_value(self._value())
        bounds = [one.bounds for one in drawn if one.bounds is not None]
        if bounds:
            self.view.set_bounds(together([*bounds, *self.reference_curves.bounds(self.view)]))
        self.fits.show_in(bool(drawn))
        self.head.keep.setEnabled(bool(drawn))
        self.reference_curves.set_visible(bool(drawn))
        shown = self._frame_is_shown()
        for item in self._frame:
            item.setVisible(shown)

    # inside

    def _value(self) -> str:
        """The numbers of all runs, and what stands around the plot where all is to be said; see `live_numbers`."""
        drawn = [one for one in self._drawn if one is not None]
        short = len(self.runs) > 1
        told = [
            {} if one is None else {**one.values, **self.fits.values(run, short=short)}
            for run, one in enumerate(self._drawn)
        ]
        lines = live_numbers(told, self.runs, self.theme, self.marks)
        lines = lines or [next((one.note for one in drawn if one.note), "")]
        return "<br>".join(line for line in (*lines, *(self._around() if drawn and self._at_length else ())) if line)

    def _around(self) -> Iterator[str]:
        """What stands around the plot in the window: range of the fits, names of references."""
        if self.fits.range is not None and self.fits.band.isVisible():
            across = with_subscripts(next(iter(self.columns.values()))[0].name)
            yield f"fit over {across} = {self.fits.range_in_words()}"
        for one in self.reference_curves.names():
            yield f'<span style="color:{reference_colour(one.slot, self.theme)}">━</span> {escape(one.name)}'

    def _locate(self, index: int) -> tuple[int, int]:
        """The run that a point belongs to, and which of its points it is."""
        for run, one in enumerate(self._drawn):
            count = 0 if one is None else len(one.x)
            if index < count:
                return run, index
            index -= count
        raise IndexError(index)

    def _describe(self, index: int) -> str:
        run, point = self._locate(index)
        drawn = self._drawn[run]
        assert drawn is not None
        words = drawn.describe(point)
        return words if len(self.runs) == 1 else f"{escape(self.runs[run].name)}: {words}"

    def _leaves(self) -> Iterator[tuple[str, Any]]:
        """Every item of all runs, with its field."""
        for items in self.items:
            yield from leaves(items)

    def _restyle(self) -> None:
        self._style_frame(self.theme)
        for items, look in zip(self.items, looks(self.runs, self.theme), strict=True):
            self._style(items, look, self.theme)
        pens = [self._law_pen(look, 1, _BROKEN_FIT if look.broken else ()) for look in looks(self.runs, self.theme)]
        self.fits.set_look(self.theme, pens)
        self.reference_curves.style(self.theme, self.view.devicePixelRatioF())
        self._stale = {run for run, data in enumerate(self._data) if data is not None}
        if self.view.isVisible():
            self._draw_stale()
        else:
            self._compose()

    def _update(self, *runs: int) -> None:
        for run in runs:
            data = self._data[run]
            self._stale.discard(run)
            self._drawn[run] = None if data is None else self._draw(self.items[run], data)
            drawn = self._drawn[run]
            if drawn is None:
                for _, item in leaves(self.items[run]):
                    blank(item)
            self.fits.take(run, self.items[run] if drawn is not None and drawn.fitted else None)
            self._draw_bars(run, {} if drawn is None else drawn.errors)
        self._compose()

    def _draw_bars(self, run: int, errors: Mapping[str, Errors]) -> None:
        """The standard errors of a run, in its colour."""
        bars = self._bars[run]
        for name in errors.keys() - bars.keys():
            bars[name] = ErrorBars()
            self._view_of(name).addItem(bars[name])
        pen = self._law_pen(looks(self.runs, self.theme)[run], 1.0)
        for name, bar in bars.items():
            bar.draw(errors.get(name))
            bar.setOpts(pen=pen)

    def draw_all(self) -> None:
        """Draw what has come while it could not be seen; what it needs of that is measured, if it is not yet."""
        self.make()
        self._draw_offered(dict(self._offered))

    @property
    def waits(self) -> bool:
        """Whether there is a state of which something that it draws has not been measured yet."""
        return any(not analysis.has(self.indicators) for analysis in self._offered.values())

    def draw_known(self) -> None:
        """Draw what has come while it could not be seen and has been measured."""
        self.make()
        self._draw_offered({run: one for run, one in self._offered.items() if one.has(self.indicators)})

    def _draw_offered(self, states: Mapping[int, Analysis]) -> None:
        """Draw these states, and what has been prepared and not drawn."""
        for run, analysis in sorted(states.items()):
            del self._offered[run]
            self.set_data(self.prepared(analysis, run), run)
        self._update(*sorted(self._stale))

    def _draw_stale(self) -> None:
        """The same where it is made and seen: whoever measures comes to the rest."""
        if self.made and self.seen:
            self.draw_known()

    def _fold(self, shown: bool) -> None:
        if shown or self.made:
            self.body.setVisible(shown)
        vertical = QSizePolicy.Policy.Expanding if shown else QSizePolicy.Policy.Fixed
        self.setSizePolicy(QSizePolicy.Policy.Preferred, vertical)
        self._draw_stale()
        self.seen_changed.emit()

    def _show_fit(self, shown: bool) -> None:
        self.fits.setVisible(shown)
        self._compose()

    def showEvent(self, event: QShowEvent | None) -> None:
        """Draw what has come while it could not be seen."""
        super().showEvent(event)
        self._draw_stale()
        self.seen_changed.emit()

    def hideEvent(self, event: QHideEvent | None) -> None:
        """Nobody looks at it any more."""
        super().hideEvent(event)
        self.seen_changed.emit()
