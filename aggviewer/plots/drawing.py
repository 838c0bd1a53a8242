"""What a plot shows of a measured state: series of quantities in one pane or two. Plain data: no Qt and no colours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NO_VALUES: Floats = np.empty(0)

Bounds = tuple[float, float, float, float]
"""x from and to, y from and to, as quantities; ends on a logarithmic axis are above 0."""


class PlotQuantity(NamedTuple):
    """What an axis or a column of a table shows. name : its symbol in plain text, or a word; unit : "1" for none."""

    name: str
    unit: str = "1"


TIME = PlotQuantity("t", "time")


class Ticks(NamedTuple):
    """Places on an axis with what is written there; lines : further places that have a line alone."""

    labels: Sequence[tuple[float, str]]
    lines: Sequence[float] = ()


@dataclass(frozen=True)
class Axes:
    """The axes of a pane.

    Parameters
    ----------
    x, y : labels with symbol and unit, rich text; an empty x for a pane that stands on one with the same axis.
    x_log, y_log : whether an axis is logarithmic until the person chooses otherwise.
    corner : where the live numbers stand, ``"top left"`` for instance.
    x_ticks, y_ticks : instead of round numbers.
    name : of the pane for assistive software; that of the plot where it is empty.
    least_height, share : pixels that a pane of two needs, and its share of what there is more.
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

    @property
    def logarithmic(self) -> tuple[bool, bool]:
        """Whether x and y are logarithmic."""
        return self.x_log, self.y_log


RoleName = Literal[
    "run", "method", "earlier", "law", "guide", "literature", "failed", "reference", "question", "group", "plain"
]


class Role(NamedTuple):
    """Whose a series is. Every renderer takes colour, width and markers from it (`aggviewer.plots.series_style`).

    Parameters
    ----------
    name : ``run``, what a run shows; ``method``, a part of it that another method has computed; ``earlier``, the same
        at an earlier time; ``law``, a law or a fit beside it, or a second curve; ``guide``, a value that means
        something; ``literature``; ``failed``, points where something went wrong; ``reference``, kept of an earlier run
        or a study; ``question``, what a lesson asks for; ``group``, runs of a study with one value of a parameter;
        ``plain``, in the colour of the text.
    method : of a ``method``, as in a scenario.
    age : of ``earlier``, from 0 for the latest to 1 for the earliest.
    slot : of a ``reference`` or a ``group``, which of the colours it has.
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

Kind = Literal["line", "points", "bars", "steps", "band", "level", "upright"]
Dash = Literal["solid", "dashed", "dotted"]


@dataclass(frozen=True)
class PointLayer:
    """A layer of the picture that shows what a point of a series stands for.

    Parameters
    ----------
    name : of the layer (`aggviewer.canvas.layers`).
    field : of the view, which says what the layer shows.
    values : its value for each point.
    """

    name: str
    field: str
    values: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class PlotSeries:
    """A curve, points, bars or lines. All numbers are quantities, also where an axis is logarithmic.

    Parameters
    ----------
    key : the series with this key is the same one in the next drawing of the plot: renderers update it in place.
    x, y : (K,), nan for a gap; x (K + 1,) for the edges of ``steps``. ``level`` lines stand at the values y and
        ``upright`` ones at the values x.
    kind : ``line``, ``points``, ``bars`` around x, ``steps`` of a histogram, ``band`` from y - error to y + error,
        ``level`` and ``upright`` lines across the pane.
    role : whose it is.
    error : (K,), standard errors of y; nan or 0 for none.
    marker : of points, also of those of a line: ``o s d t t1 star x`` as in pyqtgraph; none for "".
    size : of the markers in pixels.
    hollow : whether markers are rings.
    faint : whether it stands behind others.
    invisible : whether it is there for the mouse, tables and fits alone, since others show it in parts.
    dash : of a line.
    joined : (K,), whether a line continues from each point to the next; None for all that are no gap.
    words : the point of an index in words, rich text; None if the mouse does not read it.
    places : (K, 2), where among the discs each point is: a click on it asks to see that place.
    layer : what shows in the picture what each point stands for: a click on it switches that on.
    clicked : whether a click on a point means something to whoever shows the plot.
    columns : x and y in tables, where the declaration of the plot does not name them.
    labels : what is written at each of the ``level`` or ``upright`` lines.
    shared : whether it belongs to no run: it is shown once, in colours of its own.
    """

    key: str
    x: Floats
    y: Floats
    kind: Kind = "line"
    role: Role = RUN
    error: Floats | None = None
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
        """(K,), x of the points; of steps the middle between the edges."""
        return 0.5 * (self.x[1:] + self.x[:-1]) if len(self.x) == len(self.y) + 1 else self.x


@lru_cache
def level(key: str, y: float, *, dash: Dash = "dotted", label: str = "") -> PlotSeries:
    """A line at a value of y that means something, such as 1."""
    labels = (label,) if label else ()
    return PlotSeries(key, NO_VALUES, np.array([y]), "level", GUIDE, dash=dash, labels=labels, shared=True)


@lru_cache
def upright(key: str, x: float, *, dash: Dash = "dotted") -> PlotSeries:
    """A line at a value of x that means something, such as close packing."""
    return PlotSeries(key, np.array([x]), NO_VALUES, "upright", GUIDE, dash=dash, shared=True)


class LiveNumber(NamedTuple):
    """A number in the corner of a plot, rich text. short : the same where several runs are compared; "" for nothing."""

    text: str
    short: str


Numbers = Mapping[str, str | LiveNumber]
"""Symbol to number, both rich text."""


@dataclass(frozen=True)
class Pane:
    """What one pane shows. bounds : the range that shows all of it; numbers : in its corner."""

    bounds: Bounds | None = None
    numbers: Numbers = field(default_factory=dict)


class TableValues(NamedTuple):
    """A column of a table that is no curve. name : in plain text."""

    name: str
    unit: str
    values: Floats


@dataclass(frozen=True)
class Message:
    """A sentence above the panes.

    Parameters
    ----------
    text : plain text.
    problem : whether something is wrong; then it stands in the colour of errors, with a link to `place`.
    place : among the discs, where there is one that is worth a look.
    rank : of several runs, the place with the largest rank is shown.
    """

    text: str
    problem: bool = False
    place: tuple[float, float] | None = None
    rank: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class PlotDrawing:
    """What a plot shows of one run.

    Parameters
    ----------
    series : from the lowest to the uppermost.
    panes : one for each pane of the plot.
    table : columns beside the curves.
    note : what stands in the corner while no run has a number there.
    fitted : whether the curves follow the law of `Plot.power_fit` at all.
    message : a sentence above the panes.
    counts : how many of what a choice would show there are, by its name.
    """

    series: Sequence[PlotSeries] = ()
    panes: Sequence[Pane] = (Pane(),)
    table: Sequence[TableValues] = ()
    note: str = ""
    fitted: bool = True
    message: Message | None = None
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def has_data(self) -> bool:
        """Whether anything of the run is shown."""
        return any(not one.shared for one in self.series)

    def find(self, key: str) -> PlotSeries | None:
        """The series of a key, None if it is not shown."""
        return next((one for one in self.series if one.key == key), None)

    def __getitem__(self, key: str) -> PlotSeries:
        """The series of a key; KeyError where it is not shown."""
        found = self.find(key)
        if found is None:
            raise KeyError(key)
        return found


def drawing(
    series: Iterable[PlotSeries],
    bounds: Bounds | None = None,
    numbers: Numbers | None = None,
    **more: object,
) -> PlotDrawing:
    """The drawing of a plot with one pane."""
    return PlotDrawing(tuple(series), (Pane(bounds, numbers or {}),), **more)  # type: ignore[arg-type]


def together(bounds: Iterable[Bounds]) -> Bounds:
    """The smallest range that holds all of these; there is one at least."""
    x0, x1, y0, y1 = zip(*bounds, strict=True)
    return min(x0), max(x1), min(y0), max(y1)


def powers(low: float, high: float) -> tuple[float, float]:
    """The ends of a logarithmic axis, given as powers of ten."""
    return 10.0**low, 10.0**high


def decades(left: float, right: float, low: float, high: float) -> Bounds:
    """The range of two logarithmic axes, its ends given as powers of ten."""
    return 10.0**left, 10.0**right, 10.0**low, 10.0**high
