"""The drawing of a measured state in a plot: series of quantities in one or two panes, their standard errors, and
the same data as a table with named columns. Plain data: no Qt and no colours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import erfc, inf, isinf, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.words import body_names, places_of_error, typeset

NO_VALUES: Floats = np.empty(0)

Bounds = tuple[float, float, float, float]
"""x from and to, y from and to, as quantities; limits on a logarithmic axis are above 0."""


class PlotQuantity(NamedTuple):
    """The quantity of an axis or a table column. name : its symbol in plain text, or a word; unit : "1" for none."""

    name: str
    unit: str = "1"


TIME = PlotQuantity("t", "time")


class Ticks(NamedTuple):
    """Labelled ticks on an axis; lines : further places that only have a grid line."""

    labels: Sequence[tuple[float, str]]
    lines: Sequence[float] = ()


@dataclass(frozen=True)
class Axes:
    """The axes of a pane.

    Parameters
    ----------
    x, y : labels with symbol and unit, rich text; x is empty for a pane above one with the same x axis.
    x_log, y_log : whether an axis is logarithmic by default.
    corner : the corner with the live numbers, such as ``"top left"``.
    x_ticks, y_ticks : instead of round numbers.
    name : of the pane for assistive software; the plot's if empty.
    least_height, share : the least height in pixels of one of two panes, and its share of additional height.
    """

    x: str
    y: str
    x_log: bool = False
    y_log: bool = False
    corner: str = "top left"
    x_ticks: Ticks | None = None
    y_ticks: Ticks | None = None
    name: str = ""
    least_height: int = 112
    share: int = 1

    def about(self, dimensions: int) -> Axes:
        """The same axes with labels about the discs or spheres of such a box."""
        x, y, name = map(body_names(dimensions).fill, (self.x, self.y, self.name))
        return replace(self, x=x, y=y, name=name)

    @property
    def logarithmic(self) -> tuple[bool, bool]:
        """Whether x and y are logarithmic."""
        return self.x_log, self.y_log


RoleName = Literal[
    "run", "method", "earlier", "law", "guide", "literature", "failed", "reference", "question", "group", "plain"
]


class Role(NamedTuple):
    """The role of a series, from which every renderer takes colour, width and markers (`aggviewer.plots.series_items`).

    Parameters
    ----------
    name : ``run``, data of a run; ``method``, a part computed by another method; ``earlier``, the same at an earlier
        time; ``law``, a law or fit, or a second curve; ``guide``, a special value; ``literature``; ``failed``, points
        where something went wrong; ``reference``, kept from an earlier run or a study; ``question``, of a lesson;
        ``group``, runs of a study with one value of a parameter; ``plain``, in the colour of the text.
    method : for ``method``, its name in scenarios.
    age : for ``earlier``, from 0 for the latest to 1 for the earliest.
    slot : for ``reference`` and ``group``, the index of its colour.
    """

    name: RoleName = "run"
    method: str = ""
    age: float = 0.0
    slot: int = 0


RUN = Role()
LAW = Role("law")
GUIDE = Role("guide")
LITERATURE = Role("literature")
FAILED = Role("failed")
QUESTION = Role("question")
PLAIN = Role("plain")

SeriesKind = Literal["line", "points", "bars", "steps", "band", "level", "upright"]
Dash = Literal["solid", "dashed", "dotted"]


@dataclass(frozen=True)
class PointLayer:
    """A layer of the picture that shows what the points of a series mean.

    Parameters
    ----------
    name : of the layer (`aggviewer.canvas.layers`).
    field : the field of the view that controls the layer.
    values : the value of that field for each point.
    """

    name: str
    field: str
    values: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class PlotSeries:
    """A curve, points, bars or lines. All numbers are quantities, even if an axis is logarithmic.

    Parameters
    ----------
    key : identifies the series from drawing to drawing, so that renderers update it in place.
    x, y : (K,), nan for a gap; x (K + 1,) for the edges of ``steps``. ``level`` lines are at the values y and
        ``upright`` ones at the values x.
    kind : ``line``, ``points``, ``bars`` around x, ``steps`` of a histogram, ``band`` from y - error to y + error,
        ``level`` and ``upright`` lines across the pane.
    role : whose it is.
    error : (K,), standard errors of y, for bars and tables; nan or 0 for none.
    interval : the lower and upper ends (K,) of the bars, if these are not y - error and y + error.
    banded : whether the errors are a band around the curve instead of bars.
    marker : of points, also on lines: ``o s d t t1 star x`` as in pyqtgraph; none for "".
    size : of the markers in pixels.
    hollow : whether markers are rings.
    faint : whether it is drawn faintly behind others.
    invisible : whether it is only for the mouse, tables and fits, because other series show its parts.
    dash : of a line.
    joined : (K,), whether the line continues from each point to the next; None for all points without a gap.
    words : describes the point of an index, rich text; None if the mouse does not read it.
    places : (K, 2), the place of each point among the discs, which is shown when the point is clicked.
    layer : the layer that shows in the picture what each point means; a click switches it on.
    clicked : whether clicks on points are reported.
    columns : x and y in tables, if the declaration of the plot does not name them.
    labels : the texts at the ``level`` or ``upright`` lines.
    shared : whether it belongs to no run and is shown once, in its own colours.
    """

    key: str
    x: Floats
    y: Floats
    kind: SeriesKind = "line"
    role: Role = RUN
    error: Floats | None = None
    interval: tuple[Floats, Floats] | None = None
    banded: bool = False
    marker: str = ""
    size: float = 6.0
    hollow: bool = False
    faint: bool = False
    invisible: bool = False
    dash: Dash = "solid"
    joined: NDArray[np.bool_] | None = None
    words: Callable[[int], str] | None = None
    places: Floats | None = None
    layer: PointLayer | None = None
    clicked: bool = False
    columns: tuple[PlotQuantity, PlotQuantity] | None = None
    labels: Sequence[str] = ()
    shared: bool = False

    @property
    def middle(self) -> Floats:
        """(K,), x of the points; for steps, the middle between the edges."""
        return 0.5 * (self.x[1:] + self.x[:-1]) if len(self.x) == len(self.y) + 1 else self.x

    @property
    def band(self) -> PlotSeries:
        """The errors as a band around the curve."""
        return PlotSeries(f"{self.key} band", self.middle, self.y, "band", self.role, self.error, shared=self.shared)

    def bars(self) -> tuple[Floats, Floats, Floats, Floats]:
        """x, lower end, value and upper end (B,) of the bars, or of a band: of the points with an error above 0."""
        error = np.zeros(len(self.y)) if self.error is None else self.error
        x, (low, high) = self.middle, self.interval or (self.y - error, self.y + error)
        seen = np.isfinite(x) & np.isfinite(self.y) & np.isfinite(error) & (error > 0.0)
        return x[seen], low[seen], self.y[seen], high[seen]


@lru_cache
def level(key: str, y: float, *, dash: Dash = "dotted", label: str = "") -> PlotSeries:
    """A horizontal line across the pane at a special value of y, such as 1."""
    labels = (label,) if label else ()
    return PlotSeries(key, NO_VALUES, np.array([y]), "level", GUIDE, dash=dash, labels=labels, shared=True)


@lru_cache
def upright(key: str, x: float, *, dash: Dash = "dotted") -> PlotSeries:
    """A line at a special value of x, such as close packing."""
    return PlotSeries(key, np.array([x]), NO_VALUES, "upright", GUIDE, dash=dash, shared=True)


class LiveNumber(NamedTuple):
    """A number in the corner of a plot, rich text. short : used when several runs are compared; may be ""."""

    text: str
    short: str


NumberTexts = Mapping[str, str | LiveNumber]
"""Symbol to number, both rich text."""


@dataclass(frozen=True)
class Pane:
    """The contents of one pane. bounds : the range that shows all data; numbers : in its corner."""

    bounds: Bounds | None = None
    numbers: NumberTexts = field(default_factory=dict)


class TableValues(NamedTuple):
    """A table column that is not a curve. name : in plain text."""

    name: str
    unit: str
    values: Floats


@dataclass(frozen=True)
class Message:
    """A message above the panes.

    Parameters
    ----------
    text : plain text.
    problem : whether it reports a problem; then it has the colour of errors and a link to `place`.
    place : the place among the discs to show, if any.
    rank : the place with the largest rank among several runs is shown.
    """

    text: str
    problem: bool = False
    place: tuple[float, float] | None = None
    rank: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class PlotDrawing:
    """The drawing of one run in a plot.

    Parameters
    ----------
    series : from bottom to top.
    panes : one for each pane of the plot.
    table : additional columns.
    note : text in the corner of a window while no run has a number there; key : what the marks are, before the note,
        and alone on paper.
    fitted : whether `Plot.power_fit` applies to the curves.
    message : above the panes.
    choice_counts : the number of things that a choice would show, by its name.
    """

    series: Sequence[PlotSeries] = ()
    panes: Sequence[Pane] = (Pane(),)
    table: Sequence[TableValues] = ()
    note: str = ""
    key: str = ""
    fitted: bool = True
    message: Message | None = None
    choice_counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def has_data(self) -> bool:
        """Whether the run has data."""
        return any(not one.shared for one in self.series)

    def find(self, key: str) -> PlotSeries | None:
        """The series of a key, None if it is not shown."""
        return next((one for one in self.series if one.key == key), None)

    def __getitem__(self, key: str) -> PlotSeries:
        """The series of a key; KeyError if it is not shown."""
        found = self.find(key)
        if found is None:
            raise KeyError(key)
        return found


def drawing(
    series: Iterable[PlotSeries],
    bounds: Bounds | None = None,
    numbers: NumberTexts | None = None,
    **more: object,
) -> PlotDrawing:
    """The drawing of a plot with one pane."""
    return PlotDrawing(tuple(series), (Pane(bounds, numbers or {}),), **more)  # type: ignore[arg-type]


def together(bounds: Iterable[Bounds]) -> Bounds:
    """The smallest range that contains all of these (at least one)."""
    x0, x1, y0, y1 = zip(*bounds, strict=True)
    return min(x0), max(x1), min(y0), max(y1)


def powers(low: float, high: float) -> tuple[float, float]:
    """The limits of a logarithmic axis, given as powers of ten."""
    return 10.0**low, 10.0**high


def decades(left: float, right: float, low: float, high: float) -> Bounds:
    """The range of two logarithmic axes, given as powers of ten."""
    return 10.0**left, 10.0**right, 10.0**low, 10.0**high


Columns = Mapping[str, tuple[PlotQuantity, PlotQuantity]]


class TableCurve(NamedTuple):
    """A curve, a set of points or a row of bars. run : the name of its run if there are several; x, y : (K,), or x (K +
    1,) for the edges of a histogram."""

    across: PlotQuantity
    up: PlotQuantity
    run: str
    x: Floats
    y: Floats


def curves_of(drawings: Sequence[PlotDrawing | None], columns: Columns, runs: Sequence[str]) -> list[TableCurve]:
    """The curves named in `columns`: those of the runs, then shared ones, each once.

    runs : their names, empty for a single run.
    """
    found: list[TableCurve] = []
    shared: dict[str, TableCurve] = {}
    for drawing, run in zip(drawings, runs, strict=True):
        for key, (across, up) in columns.items():
            one = None if drawing is None else drawing.find(key)
            if one is not None and one.shared:
                shared.setdefault(key, TableCurve(across, up, "", one.x, one.y))
            elif one is not None:
                found.append(TableCurve(across, up, run, one.x, one.y))
    return [*found, *shared.values()]


def further_curves_of(drawings: Sequence[PlotDrawing | None], runs: Sequence[str]) -> list[TableCurve]:
    """The curves with their own columns, such as those of earlier times."""
    return [
        TableCurve(*one.columns, run, one.x, one.y)
        for drawing, run in zip(drawings, runs, strict=True)
        for one in (() if drawing is None else drawing.series)
        if one.columns is not None
    ]


def errors_of(drawings: Sequence[PlotDrawing | None], columns: Columns, runs: Sequence[str]) -> dict[str, Floats]:
    """The standard errors of the curves: heading with unit to values (n,)."""
    return {
        heading(f"{columns[one.key][1].name} standard error", columns[one.key][1].unit, run): one.error
        for drawing, run in zip(drawings, runs, strict=True)
        for one in (() if drawing is None else drawing.series)
        if one.error is not None and one.key in columns
    }


def columns_of(drawings: Sequence[PlotDrawing | None], runs: Sequence[str]) -> dict[str, Floats]:
    """The additional columns, (K,) each; the name of a run is added inside existing brackets."""
    table: dict[str, Floats] = {}
    for drawing, run in zip(drawings, runs, strict=True):
        for name, unit, values in () if drawing is None else drawing.table:
            if run and name.endswith(")"):
                table[heading(f"{name[:-1]} of {run})", unit, "")] = values
            else:
                table[heading(name, unit, run)] = values
    return table


def as_table(curves: Iterable[TableCurve]) -> dict[str, Floats]:
    """The columns of a table by heading, (K,) each.

    Curves with the same x share its column; otherwise the heading of x names its y. Edges of a histogram become two
    columns, from and to. Raises ValueError if two curves have the same heading.
    """
    table: dict[str, Floats] = {}
    for curve in curves:
        if not len(curve.y):
            continue
        parts = [("", curve.x)]
        if len(curve.x) == len(curve.y) + 1:
            parts = [(" from", curve.x[:-1]), (" to", curve.x[1:])]
        for part, values in parts:
            name = curve.across.name + part
            head = heading(name, curve.across.unit, curve.run)
            if head in table and not np.array_equal(table[head], values):
                head = heading(f"{name} of {curve.up.name}", curve.across.unit, curve.run)
            table[head] = values
        head = heading(curve.up.name, curve.up.unit, curve.run)
        if head in table:
            raise ValueError(f"two columns are called {head!r}")
        table[head] = curve.y
    return table


def heading(name: str, unit: str, run: str) -> str:
    """The heading of a column of a table: ``M/N (TS) [1]``."""
    return f"{name} ({run}) [{unit}]" if run else f"{name} [{unit}]"


_DIGITS = 6  # behind the point, at most
_TAIL = 0.5 * erfc(sqrt(0.5))  # beyond one standard deviation of a normal distribution, on one side


def told(values: Floats, index: int, errors: Floats | None, form: str) -> str:
    """The value of a point, with its standard error if that is known.

    values, errors : (K,); form : of a value without an error, as of `typeset`.
    """
    return number_with(
        None if errors is None else float(errors[index]), float(values[index]), typeset(values[index], form)
    )


def number_with(error: float | None, value: float, alone: str) -> str:
    """A number with its standard error to two digits, such as ``1.79 ± 0.12``; `alone` without one."""
    if error is None or not 10.0**-_DIGITS < error < inf:
        return alone
    places = f".{min(max(places_of_error(error), 0), _DIGITS)}f"
    return f"{typeset(value, places)} ± {typeset(error, places)}"


def of_counts(counts: NDArray[np.float64] | NDArray[np.int64], total: float = inf) -> NDArray[np.float64]:
    """The standard errors √(n (1 - n/N)) of counts n (K,) in bins, for N independent entries; √n if N is infinite, that
    is if the number of entries is random too."""
    n = np.asarray(counts, np.float64)
    return np.sqrt(np.maximum(n * (1.0 - n / total), 0.0))


def interval_of_counts(
    counts: NDArray[np.float64] | NDArray[np.int64], total: float = inf
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lower and upper ends (K,) of the central 68.27 % confidence intervals of counts n (K,) in bins, for N
    independent entries: of Clopper and Pearson; those of Garwood for Poisson counts if N is infinite, that is if the
    number of entries is random too (Gehrels 1986). The lower end is above 0 for every count but 0."""
    from scipy.special import betaincinv, gammaincinv  # takes a tenth of a second to load

    n = np.asarray(counts, np.float64)
    some, rest = np.maximum(n, 1.0), np.maximum(total - n, 1.0)
    if isinf(total):
        low, high = gammaincinv(some, _TAIL), gammaincinv(n + 1.0, 1.0 - _TAIL)
    else:
        low = total * betaincinv(some, total - some + 1.0, _TAIL)
        high = total * betaincinv(n + 1.0, rest, 1.0 - _TAIL)
    return np.where(n > 0.0, low, 0.0), np.where(n < total, high, total)
