"""Indicators: numbers, curves and distributions measured in a state, such as the fractal dimension.

The indicators of the program's own systems are listed in `engine.analysis`. Those that plug-ins register here are
measured for every system, if a state has the data that they need: by ``aggviewer run``, by ``aggviewer analyse`` and by
`engine.analysis.measure`. Importing this module loads no compiled kernels.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from math import nan
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.guarding import line_of, missing
from engine.registry import Registry


class Measurable(Protocol):
    """A state that can be measured: `engine.analysis.Sample`.

    Attributes
    ----------
    asked : the names of the indicators that are measured together: a state may compute at once what several need.
    """

    asked: frozenset[str]

    @property
    def joins(self) -> bool:
        """Whether its discs can join clusters."""
        ...

    @property
    def dimensions(self) -> int:
        """2 for discs, 3 for spheres."""
        ...


ANY = (2, 3)
"""Both numbers of dimensions."""

_log = logging.getLogger(__name__)

PARTS = ("velocities", "masses", "cluster", "spin", "images", "start", "start_velocities", "packing")
"""What a state may lack, so that an indicator can need it."""

Problems = dict[str, str]
"""Why indicators have no value though they should have one: a sentence by the name of the indicator."""


def plain(value: Any) -> Any:
    """A value ready for JSON: arrays become lists and dataclasses become dictionaries; others stay as they are."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return value


def as_number(value: Any) -> Any:
    """A number as it is; None for curves and distributions, which do not fit into a line of text."""
    return value if isinstance(value, int | float) else None


def unsaid(value: Any) -> None:
    """Always None: for indicators that are not shown as a line of text."""
    return


@dataclass(frozen=True)
class Averaging:
    """How an indicator is averaged over the states of a run, by `engine.analysis.averages`.

    Parameters
    ----------
    parts : the names of the numbers and arrays in a value that are averaged, such as ``q`` or ``means.q``; "" for the
        value itself.
    grid : the name of the places (K,) or edges (K + 1,) of the averaged arrays; "" if they have none.
    absent : what an array has beyond its end in a state in which it is shorter; nan to leave that state out there.
    error : the name of the array in a value that holds the standard errors of the first part, "" for none.
    between : for a quantity that compares a state with an earlier one: gives it for a later and an earlier
        `engine.analysis.sample.EarlierState`. It is averaged over all pairs of states that are a time apart.
    """

    parts: tuple[str, ...] = ("",)
    grid: str = ""
    absent: float = nan
    error: str = ""
    between: Callable[[Any, Any], float | None] | None = None


_PLAIN = Averaging()


@dataclass(frozen=True)
class IndicatorPlot:
    """How the window shows an indicator whose values are curves or histograms: as a plot of every system.

    Parameters
    ----------
    x, y : labels of the axes, with symbol and unit; they may have gaps for discs or spheres (`engine.words`).
    kind : how points (x, y) are drawn; a histogram, whose x has one number more, always has steps.
    x_log, y_log : whether an axis is logarithmic.
    definition : what is plotted, one or two sentences for a tool tip.
    """

    x: str
    y: str
    kind: Literal["line", "points", "bars"] = "line"
    x_log: bool = False
    y_log: bool = False
    definition: str = ""


@dataclass(frozen=True, eq=False)
class MeasuredCurve:
    """A value that a plot shows: x and y (K,), or a histogram y (K,) with the edges x (K + 1,) of its bins."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]


@dataclass(frozen=True)
class Indicator:
    """A quantity measured in a state.

    Parameters
    ----------
    name : its key in JSON and in the result of `engine.analysis.measure`.
    label, symbol, unit : for people; the label may have gaps for discs or spheres (`engine.words`), and the unit is ""
        for a pure number.
    measure : computes the value from an `engine.analysis.Sample`; None if it is not defined for this state.
    to_json : converts a value (never None) for JSON.
    in_words : the number or text for a line in the terminal, from the result of `to_json`; None for no line.
    needs : the attributes of a sample that it needs, of `PARTS`. It is left out where one is None.
    of_clusters : whether it is defined only where discs can join clusters; elsewhere its value is None.
    since_start : whether it compares the state with that at the start, which a run keeps for it then; its value is None
        if the start is not known.
    dimensions : of 2 and 3, those in which it is defined; elsewhere its value is None. None: nobody has said, so it is
        measured in the plane, and its value in space is None with a problem that asks for this.
    in_history : whether it is a number that is also recorded over time: a column of ``series.csv``, a plot in the
        window.
    plot : the axes of the plot that shows it. `measure` then gives two arrays: x and y of points (K,) each, or the
        edges of bins (K + 1,) and what is in them (K,).
    origin : the plug-in that has added it, "" for none.
    averaging : how it is averaged over the states of a run: by default numbers and arrays are. None: it is not.
    """

    name: str
    label: str
    measure: Callable[[Any], Any]
    symbol: str = ""
    unit: str = ""
    to_json: Callable[[Any], Any] = plain
    in_words: Callable[[Any], Any] = as_number
    needs: tuple[str, ...] = ()
    of_clusters: bool = False
    since_start: bool = False
    dimensions: tuple[int, ...] | None = None
    in_history: bool = False
    plot: IndicatorPlot | None = None
    origin: str = ""
    averaging: Averaging | None = _PLAIN

    @property
    def averaged(self) -> Averaging | None:
        """How it is averaged: as `averaging` says, by default the y of a curve for a plot."""
        return Averaging(("y",), "x") if self.plot and self.averaging is _PLAIN else self.averaging

    def defined(self, sample: Measurable) -> bool:
        """Whether it has a meaning for discs of this kind. InputError if it does not say so for spheres."""
        if not sample.joins and self.of_clusters:
            return False
        if self.dimensions is None and sample.dimensions != 2:
            raise InputError(
                "it does not say whether it is defined for spheres: give it dimensions=(2, 3) if it is, else "
                "dimensions=(2,)"
            )
        return self.dimensions is None or sample.dimensions in self.dimensions

    def value(self, sample: Measurable) -> Any:
        """The value of the indicator, None if it has no meaning for discs of this kind. Raises what `measure` and
        `defined` raise."""
        found = self.measure(sample) if self.defined(sample) else None
        if found is None or not (self.in_history or self.plot):
            return found
        return self._number(found) if self.in_history else self._curve(found)

    def _number(self, found: Any) -> float | int:
        if np.ndim(found) or np.asarray(found).dtype.kind not in "biuf":
            raise self._wrong(f"{_in_short(found)} instead of a number, which a column of the history needs")
        if not np.isfinite(found):
            raise self._wrong(f"{float(found)}; return None where there is no number")
        return plain(found) + 0  # type: ignore[no-any-return]  # True counts as 1

    def _curve(self, found: Any) -> MeasuredCurve:
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise self._wrong(f"{_in_short(found)} instead of two arrays, x and y, which a plot needs")
        x, y = map(np.asarray, found)
        if (
            {x.ndim, y.ndim} != {1}
            or len(x) not in (len(y), len(y) + 1)
            or not {x.dtype.kind, y.dtype.kind} <= {*"biuf"}
        ):
            raise self._wrong(
                f"{_in_short(x)} and {_in_short(y)}; a plot needs x and y of the same length, or one edge more than y"
            )
        return MeasuredCurve(x.astype(np.float64), y.astype(np.float64))

    def _wrong(self, what: str) -> InputError:
        return InputError(f"it gives {what}{line_of(self.measure)}")

    def json_of(self, value: Any) -> Any:
        """A value for JSON, None for None. Raises what `to_json` raises, and TypeError if JSON cannot hold it."""
        found = None if value is None else self.to_json(value)
        if self.name not in BUILT_IN:
            json.dumps(found, default=float)
        return found

    def possible(self, sample: Measurable) -> bool:
        """Whether a sample has all that this indicator needs."""
        return all(getattr(sample, part) is not None for part in self.needs)


BUILT_IN = (
    *("contacts_relative", "contacts_histogram", "pair_distribution", "box_counting", "fractal_dimension"),
    *("fractal_fit", "minimum_cover", "minimum_cover_dimension", "minimum_cover_fit", "mesh_matters"),
    *("aspect_ratio", "orientation", "cluster_sizes", "cluster_size_distribution"),
    *("structure_factor", "radial_profile", "height_profile", "cluster_profile"),
    *("cluster_masses", "voronoi_cells", "bond_orders"),
    *("velocity_correlation", "velocity_autocorrelation", "rotational_share", "angular_momentum"),
    *("volume_fraction", "pair_correlation", "contact_compressibility", "contact_value", "contact_value_error"),
    *("speeds", "fluctuations", "mean_square_displacement", "packing"),
)
"""The names of the indicators in `engine.analysis`, to check plug-ins without importing its kernels."""


def _in_short(value: Any) -> str:
    """A value of the wrong kind, in a few words."""
    kind = f" of {value.dtype}" if isinstance(value, np.ndarray) else ""
    return f"an array{kind} of shape {np.shape(value)}" if kind else f"a value of the type {type(value).__name__}"


def _fits(indicator: Indicator, others: Sequence[Indicator]) -> None:
    if indicator.name in (*BUILT_IN, *(known.name for known in others)):
        raise InputError(f"there is an indicator {indicator.name} already")
    if indicator.dimensions not in (None, (2,), (3,), ANY):
        raise InputError(
            f"the indicator {indicator.name} has dimensions={indicator.dimensions}; it must be (2,), (3,) or (2, 3)"
        )
    if indicator.plot is not None and indicator.in_history:
        raise InputError(
            f"the indicator {indicator.name} has a plot and in_history; one is a curve, the other a number"
        )
    for part in indicator.needs:
        if part not in PARTS:
            raise InputError(f"the indicator {indicator.name} needs {part}; it can need {', '.join(PARTS)}")


INDICATORS: Registry[Indicator] = Registry(_fits)
"""Those that were added to the ones in `engine.analysis`."""


def register(indicator: Indicator) -> Indicator:
    """Add an indicator to those of every system, and return it. Raises InputError for a name that is taken."""
    return INDICATORS.add(indicator)


def registered() -> tuple[Indicator, ...]:
    """The indicators that `register` has added, in order."""
    return INDICATORS.parts


def recorded() -> tuple[Indicator, ...]:
    """Those of them that are columns of the history."""
    return tuple(one for one in INDICATORS.parts if one.in_history)


def measure(sample: Measurable, indicators: Iterable[Indicator], problems: Problems | None = None) -> dict[str, Any]:
    """Measure a sample: the values of these indicators by name.

    Indicators that need what the sample lacks are left out. The value is None if an indicator is not defined.

    problems : gets a sentence for each indicator that raises an exception; its value is None. Without it, the exception
        is raised.
    """
    possible = [indicator for indicator in indicators if indicator.possible(sample)]
    sample.asked = frozenset(indicator.name for indicator in possible)
    return {one.name: _attempt(one, one.value, sample, problems) for one in possible}


def as_json(
    values: dict[str, Any], indicators: Iterable[Indicator], problems: Problems | None = None
) -> dict[str, Any]:
    """The result of `measure`, ready for JSON. problems : as of `measure`."""
    known = {indicator.name: indicator for indicator in indicators}
    return {name: _attempt(known[name], known[name].json_of, value, problems) for name, value in values.items()}


def _attempt(indicator: Indicator, step: Callable[[Any], Any], given: Any, problems: Problems | None) -> Any:
    """The result of a step for an indicator; None if it fails, and `problems` gets a sentence about that."""
    try:
        return step(given)
    except (Exception, SystemExit) as error:  # exit() in a plug-in too
        if problems is None:
            raise
        if not indicator.origin:  # one of the program's own: a fault of the program, which a bug report needs
            _log.error("the indicator %s failed", indicator.name, exc_info=error)
        problems[indicator.name] = missing("indicator", indicator.name, indicator.origin, error)
        return None


def in_words(
    values: dict[str, Any], indicators: Iterable[Indicator], problems: Problems | None = None
) -> list[tuple[str, Any]]:
    """Lines for people from the result of `as_json`: label with symbol and unit, and value. problems : as of
    `measure`."""
    found = []
    for indicator in indicators:
        value = values.get(indicator.name)
        text = None if value is None else _attempt(indicator, indicator.in_words, value, problems)
        if text is not None:
            label = f"{indicator.label} {indicator.symbol}".rstrip()
            found.append((f"{label} [{indicator.unit}]" if indicator.unit else label, text))
    return found
