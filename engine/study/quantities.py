"""Quantities of a run for the tables of a study: numbers by their dotted names in the JSON of ``run``, and curves.

Indicators have no prefix: ``contacts_relative``, ``fractal_fit.prefactor``, ``events.merge``. An entry of a list has
its index as its name: ``contacts_histogram.3``.

The exponent of a curve of a single run is a number too (`slope_of`), which a study averages over seeds; plots of the
window show it as well. The points of one run are correlated, so their scatter about the line gives no valid error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.power_laws import last_decades, power_through
from engine.runs.summary import TIMES, json_value
from engine.study.model import CurveSlope
from engine.system import System

if TYPE_CHECKING:
    from engine.simulation import History

Number = int | float | None

_NOT_MEASURED = ("version", "system", "method", "seed", "stop_reason", "stop_detail", "box", "boundary")
# of the summary: texts, and what stands beside the row or follows from the scenario
_HISTORY = "history."  # begins the name of a curve that is a column of the history over time
_POINTS = 200  # of such a curve


@dataclass(frozen=True)
class CurveQuantity:
    """A quantity of a run that is a curve.

    Parameters
    ----------
    x, y : (K,) float64; nan for no value.
    x_name, y_name : what they are, as in the JSON.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    x_name: str
    y_name: str


def numbers(summary: Mapping[str, Any]) -> dict[str, Number]:
    """All numbers of a summary by their names, those in lists left out; None for what has no value in this run."""
    return dict(_numbers(_lifted(summary), ""))


def chosen(summary: Mapping[str, Any], names: Iterable[str]) -> dict[str, Number]:
    """The numbers with these names; None for those without a value in this run."""
    lifted = _lifted(summary)
    return {name: _number(_found(lifted, name)) for name in names}


def curve(name: str, summary: Mapping[str, Any], history: History) -> CurveQuantity | None:
    """A curve of a run; None if it has no value in this run."""
    if name.startswith(_HISTORY):
        return _of_history(name.removeprefix(_HISTORY), history)
    value = _found(_lifted(summary), name)
    if isinstance(value, list):
        return CurveQuantity(np.arange(len(value), dtype=np.float64), _floats(value), "k", name)
    if not isinstance(value, dict):
        return None
    lists = {key: item for key, item in value.items() if isinstance(item, list)}
    if len(lists) >= 2:
        (x_name, x), (y_name, y) = list(lists.items())[:2]
        at = _floats(x)
        if len(at) == len(y) + 1:  # edges of the bins of a histogram
            at = np.sqrt(at[1:] * at[:-1]) if (at > 0.0).all() and x_name == "edges" else (at[1:] + at[:-1]) / 2.0
        return CurveQuantity(at, _floats(y), x_name, y_name) if len(at) == len(y) else None
    if value and all(_is_number(key) and _number(item) is not None for key, item in value.items()):
        pairs = sorted((float(key), float(item)) for key, item in value.items())
        return CurveQuantity(_floats([a for a, _ in pairs]), _floats([b for _, b in pairs]), "value", "number")
    return None


def measures_time(names: Iterable[str]) -> bool:
    """Whether one of these is a computing time: such runs need a core each."""
    return any(name in TIMES for name in names)


def check_quantities(names: Iterable[str], kind: System, rehearsed: Mapping[str, Any]) -> None:
    """Raise InputError for a quantity that runs of this system do not have. rehearsed : the summary of a small run of
    it."""
    lifted = _lifted(rehearsed)
    known = numbers(rehearsed)
    for name in names:
        root, _, rest = name.partition(".")
        _check_root(name, root, kind, lifted, known)
        value = lifted[root]
        if rest and not _open(lifted, name) and _number(_found(lifted, name)) is None and name not in known:
            raise InputError(f"{name} is not a quantity: {root} has {_names(value)}", "measure.quantities")
        if not rest and isinstance(value, dict | list):
            what = f"its numbers are {_names(value)}" if isinstance(value, dict) else f"{name}.0 is its first number"
            raise InputError(
                f"{name} is not a single number; {what}, or list it in measure.curves", "measure.quantities"
            )
        if isinstance(value, str):
            raise InputError(f"{name} is text, not a number", "measure.quantities")


def check_curves(names: Iterable[str], kind: System, rehearsed: Mapping[str, Any]) -> None:
    """Check names of curves, as `check_quantities` checks those of quantities."""
    lifted = _lifted(rehearsed)
    for name in names:
        if name.startswith(_HISTORY):
            columns = kind.history.columns()
            if name.removeprefix(_HISTORY) not in columns or name == _HISTORY + "time":
                own = ", ".join(_HISTORY + column for column in columns if column != "time")
                raise InputError(f"{name} is not a curve of {kind.title.lower()}; there are {own}", "measure.curves")
            continue
        root = name.partition(".")[0]
        _check_root(name, root, kind, lifted, numbers(rehearsed))
        value = _found(lifted, name)
        if value is None and (_has(lifted, name) or _open(lifted, name)):
            continue  # no value in this small run
        if not isinstance(value, dict | list):
            raise InputError(f"{name} is not a curve; list it in measure.quantities", "measure.curves")


def check_slopes(names: Iterable[str], rehearsed: Mapping[str, Any]) -> None:
    """Raise InputError if a slope has the name of a number of a run."""
    known = numbers(rehearsed)
    for name in names:
        if name in known:
            raise InputError(f"{name} is already the name of a quantity; give the slope another name", "measure.slope")


def named_quantities(kind: System, rehearsed: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of all numbers that runs of this system have. rehearsed : the summary of a small run of it."""
    without = _meaningless(kind)
    return tuple(name for name in numbers(rehearsed) if name.partition(".")[0] not in without)


def _check_root(name: str, root: str, kind: System, lifted: Mapping[str, Any], known: Mapping[str, Number]) -> None:
    if root not in lifted:
        close = [one.name for one in kind.indicators() if one.symbol == name]  # N_c for contacts_relative
        close = close or get_close_matches(name, [*lifted, *known], n=2, cutoff=0.6)
        hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known)}"
        raise InputError(f"{name} is not a quantity of a run of {kind.title.lower()}; {hint}", "measure")
    if root in _meaningless(kind):
        raise InputError(f"{name} has no meaning for {kind.title.lower()}", "measure")


def _meaningless(kind: System) -> set[str]:
    """Names that every summary has, without a value in any run of this system."""
    found = {one.name for one in kind.indicators() if one.of_clusters and not kind.joins}
    if not kind.moves:
        found |= {"momentum_error", "kinetic_energy"}
    return found


def _lifted(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The summary of a run in one table with its indicators. If both have a name, the summary's value counts."""
    own = {key: json_value(value) for key, value in summary.items() if key != "indicators" and key not in _NOT_MEASURED}
    indicators: Mapping[str, Any] = summary.get("indicators") or {}
    return {key: json_value(value) for key, value in indicators.items()} | own


def _numbers(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Number]]:
    for key, value in values.items():
        if isinstance(value, dict):
            if not any(_is_number(one) for one in value):  # else the names are values: sizes of clusters
                yield from _numbers(value, f"{prefix}{key}.")
        elif value is None or isinstance(value, bool | int | float):
            yield prefix + key, _number(value)


def _number(value: Any) -> Number:
    """A number as it is, True and False as 1 and 0; None for anything else."""
    if isinstance(value, bool):
        return int(value)
    return value if isinstance(value, int | float) else None


def _found(values: Any, name: str) -> Any:
    """The value of a dotted name, None if there is none."""
    for part in name.split("."):
        if isinstance(values, list) and part.isdigit() and int(part) < len(values):
            values = values[int(part)]
        else:
            values = values.get(part) if isinstance(values, dict) else None
    return values


def _open(values: Any, name: str) -> bool:
    """Whether a part of a dotted name has no value in this run, so that it is not known what it would hold."""
    parts = name.split(".")
    known = (
        _has(values, ".".join(parts[:k])) and _found(values, ".".join(parts[:k])) is None for k in range(1, len(parts))
    )
    return any(known)


def _has(values: Any, name: str) -> bool:
    """Whether the last part of a dotted name is a key, even one without a value."""
    above, _, last = name.rpartition(".")
    holder = _found(values, above) if above else values
    return isinstance(holder, dict) and last in holder


def _names(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(dict(_numbers(value, ""))) or "no numbers with names"
    return f"the entries 0 to {len(value) - 1}" if isinstance(value, list) else "no parts"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _floats(values: Iterable[Any]) -> NDArray[np.float64]:
    return np.array([math.nan if value is None else float(value) for value in values], np.float64)


def _of_history(column: str, history: History) -> CurveQuantity:
    """A column of the history over time: its first and last entry, and others evenly in the logarithm of time."""
    time, values = history.time, np.asarray(getattr(history, column), np.float64)
    if len(time) > _POINTS:
        after = time[time > 0.0]
        wanted = np.geomspace(after[0], after[-1], _POINTS - 1) if len(after) else time[:1]
        picked = np.unique(np.r_[0, np.searchsorted(time, wanted, side="right") - 1, len(time) - 1])
        time, values = time[picked], values[picked]
    return CurveQuantity(np.array(time, np.float64), np.array(values), "time", column)


def slope_of(curve: CurveQuantity | None, wanted: CurveSlope) -> float | None:
    """The exponent that a study measures from the curve of a run; None if no law can be fitted."""
    if curve is None:
        return None
    within = wanted.between or last_decades(curve.x, wanted.decades or np.inf)
    found = None if within is None else power_through(curve.x, curve.y, within)
    return None if found is None else wanted.sign * found.exponent
