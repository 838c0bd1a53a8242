"""Averages of indicators over the states of a run, with standard errors.

States of a run are correlated, so the scatter of single states says little about the error of their mean. The states
are therefore gathered in blocks of equal length, of which there are 32 to 64: when 64 are full, they are joined in
pairs, and later blocks are twice as long. The error is that of a mean of independent blocks. It is computed for these
blocks, for two and four of them taken together, and for eight long ones; the largest of these errors is given, since
it grows with the length of the blocks until they are longer than the correlation time (Flyvbjerg and Petersen, J. Chem.
Phys. 91, 461, 1989). One block after another is left out (jackknife), so any function of the mean has an error too,
such as a diffusion coefficient. Memory, and time for a state, do not grow with the run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from math import isfinite, nan
from typing import Any, cast

import numpy as np

from engine.analysis.sample import EarlierState, Sample
from engine.arrays import Floats, Longs
from engine.indicators import Averaging, Indicator, Problems, measure, plain

MOST_BLOCKS = 64
LEAST_BLOCKS = 8
"""The fewest blocks, and so the fewest states, from which an error is computed."""

_GROUPS = (1, 2, 4)  # blocks taken together
_GROWS = 1.5  # of the error with the length of the blocks, from which they are called dependent
_STATES = 8  # that are kept at each spacing, to be compared with later ones
_LAGS = 16  # a time between two states is averaged once the run is so many times longer
_BYTES = 2**28  # most memory for kept states
_ROUNDING = 1e-10  # relative error of a quantity that does not change
_UNEVEN = 1e-3  # of the time between states

Replicas = tuple[Floats, ...]
"""For each length of blocks, the means (B, K) without one of its B blocks."""


class Blocks:
    """The values of a quantity with K numbers in state after state, as sums over blocks of equal numbers of states.

    size : K.

    Attributes
    ----------
    states, per_block : the number of states so far, and in a block.
    sums, counts : (64, K), of the values that are not nan.
    """

    def __init__(self, size: int) -> None:
        self.states, self.per_block = 0, 1
        self.sums, self.counts = np.zeros((2, MOST_BLOCKS, size))

    def extend(self, more: int, absent: float = nan) -> None:
        """Append `more` numbers, which had the value `absent` in earlier states; nan for none."""
        had = np.zeros((MOST_BLOCKS, more))
        if isfinite(absent):
            had += np.clip(self.states - np.arange(MOST_BLOCKS) * self.per_block, 0, self.per_block)[:, None]
        self.sums = np.hstack((self.sums, had * (absent if isfinite(absent) else 0.0)))
        self.counts = np.hstack((self.counts, had))

    def add(self, values: Floats) -> None:
        """Add the values (K,) in the next state; nan for none."""
        if self.states == MOST_BLOCKS * self.per_block:
            for kept in (self.sums, self.counts):
                kept[: MOST_BLOCKS // 2] = kept[::2] + kept[1::2]
                kept[MOST_BLOCKS // 2 :] = 0.0
            self.per_block *= 2
        known, at = np.isfinite(values), self.states // self.per_block
        self.sums[at] += np.where(known, values, 0.0)
        self.counts[at] += known
        self.states += 1

    @property
    def mean(self) -> Floats:
        """(K,), over all states; nan where there is no value."""
        return _ratio(self.sums.sum(axis=0), self.counts.sum(axis=0))

    @property
    def replicas(self) -> Replicas:
        """The means without one block, for blocks of each length of which there are at least 8."""
        found: list[Floats] = []
        full = self.states // self.per_block
        for group in sorted({*_GROUPS, full // LEAST_BLOCKS}):
            number = full // group if group else 0
            if number >= LEAST_BLOCKS:
                shape = (number, group, -1)
                sums, counts = (kept[: number * group].reshape(shape).sum(axis=1) for kept in (self.sums, self.counts))
                found.append(_ratio(sums.sum(axis=0) - sums, counts.sum(axis=0) - counts))
        return tuple(found)


def _ratio(sums: Floats, counts: Floats) -> Floats:
    found: Floats = np.divide(sums, counts, out=np.full(sums.shape, nan), where=counts > 0.0)
    return found


def errors_of(replicas: Replicas) -> Floats:
    """The jackknife errors (L, K) of the means for each of the L lengths of blocks."""
    found = []
    for means in replicas:
        number = len(means)
        found.append(np.sqrt((number - 1.0) / number * np.square(means - means.mean(axis=0)).sum(axis=0)))
    return np.array(found)


@dataclass(frozen=True, eq=False)
class OverTime:
    """A quantity that compares two states, averaged over all pairs of states that are a time apart.

    Attributes
    ----------
    time : (K,), ascending, between the states.
    value : (K,).
    """

    time: Floats
    value: Floats


@dataclass(frozen=True, eq=False)
class Average:
    """The mean of an indicator over states.

    Attributes
    ----------
    value : as of one state, but with means; of a quantity that compares two states an `OverTime`.
    errors : the standard errors of its averaged parts by name, a number or (K,); "" is the value itself. Empty for
        fewer than 8 states, nan where an error is not known.
    states : their number.
    first, last : times of the first and the last one.
    settled : False if the errors still grow with the length of the blocks, so that they are too small.
    """

    value: Any
    errors: dict[str, Any]
    states: int
    first: float
    last: float
    settled: bool
    _replicas: dict[str, Replicas] = field(default_factory=dict, repr=False)

    def error(self, part: str = "") -> Any:
        """The standard errors of a part, a number or (K,); None if they are not known."""
        return self.errors.get(part)

    def error_of(self, function: Callable[[Floats], float | None], part: str = "") -> float | None:
        """The standard error of a function of the mean of a part, (K,); None if it is not known."""
        found = []
        for means in self._replicas.get(part, ()):
            values = [function(mean) for mean in means]
            if None in values:
                return None
            found.append(np.array(values, np.float64)[:, None])
        return float(errors_of(tuple(found)).max()) if found else None


class _Earlier:
    """Earlier states at spacings of 1, 2, 4, … states: each new one is compared with those 1 … 8 states ago, 10, 12, 14
    and 16 ago, 20, …, as far as the run is long enough and memory permits."""

    def __init__(self) -> None:
        self._levels: list[deque[EarlierState]] = [deque(maxlen=_STATES)]
        self.lags: list[int] = list(range(1, _STATES + 1))
        self._states = 0

    def pairs(self, moment: EarlierState) -> list[tuple[int, EarlierState]]:
        """The place in `lags` and the earlier state of each pair of a new state, which is kept."""
        found: list[tuple[int, EarlierState]] = []
        number, self._states = self._states, self._states + 1
        self._perhaps_longer(number, moment.nbytes)
        half = _STATES // 2
        for level, kept in enumerate(self._levels):
            if number % 2**level:
                break
            begin, skipped = (0, 0) if level == 0 else (_STATES + (level - 1) * half, half)
            for ago, earlier in enumerate(reversed(kept), 1):
                if ago > skipped:
                    found.append((begin + ago - skipped - 1, earlier))
            kept.append(moment)
        return found

    def _perhaps_longer(self, number: int, nbytes: int) -> None:
        levels, half = len(self._levels), _STATES // 2
        longest = _STATES * 2**levels
        if number >= _LAGS * longest // 2 and nbytes * (_STATES + half * levels) <= _BYTES:
            self._levels.append(deque(maxlen=_STATES))
            self.lags += [ago * 2**levels for ago in range(half + 1, _STATES + 1)]

    @staticmethod
    def fits(moment: EarlierState) -> bool:
        """Whether so many states of this size can be kept."""
        return moment.nbytes * _STATES <= _BYTES


class _Sums:
    """The sums of one indicator, whose arrays may have more places in some states than in others."""

    def __init__(self, how: Averaging) -> None:
        self.how = how
        self._value: Any = None  # the last one
        self._scale = 1.0
        self._rows: dict[int, int] = {}  # place on the grid: number
        self._places: list[float] = []
        self._blocks: dict[str, Blocks] = {}
        self.states = 0
        self.first = self.last = nan

    def add(self, time: float, value: Any) -> None:
        """Add the value in a state; None if there is none."""
        if value is not None and not self._fits(value):
            self.__init__(self.how)  # type: ignore[misc]
        self.first = time if not self.states else self.first
        self.last = time
        self.states += 1
        rows = None if value is None else self._rows_of(value)
        for part in self.how.parts:
            given = None if value is None else _part(value, part)
            numbers = None if given is None else _array(given)
            if self.states == 1 and numbers is not None:
                self._blocks[part] = Blocks(0)
            if part not in self._blocks:  # the first state had no such part
                continue
            blocks = self._blocks[part]
            on_grid = numbers is not None and rows is not None and len(numbers) == len(rows)
            needed = len(self._places) if on_grid else 0 if numbers is None else len(numbers)
            if needed > blocks.sums.shape[1]:
                blocks.extend(needed - blocks.sums.shape[1], self.how.absent)
            values = np.full(blocks.sums.shape[1], nan if numbers is None else self.how.absent)
            if numbers is not None:
                values[rows if on_grid else slice(len(numbers))] = numbers
            blocks.add(values)
        self._value = value if value is not None else self._value

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers."""
        return np.ndim(self._value) == 0 and isinstance(self._value, int | float | np.number)

    def _fits(self, value: Any) -> bool:
        """Whether a value belongs to the same places as those before: at least half of its own are known."""
        grid = self._grid_of(value)
        if grid is None or self._value is None:
            return True
        if len(grid) == len(_array(_part(value, self.how.parts[0]))) + 1:
            before = self._grid_of(self._value)
            return before is not None and np.array_equal(grid, before)
        return sum(key in self._rows for key in self._keys(grid)) >= 0.5 * len(grid)

    def _grid_of(self, value: Any) -> Floats | None:
        return np.asarray(_part(value, self.how.grid), np.float64) if self.how.grid else None

    def _keys(self, grid: Floats) -> list[int]:
        keys: list[int] = np.rint(grid / self._scale * 1e9).astype(np.int64).tolist()
        return keys

    def _rows_of(self, value: Any) -> Longs | None:
        """The numbers of the places of a value's arrays (K,); None if these have none, or edges."""
        grid = self._grid_of(value)
        if grid is None or len(grid) != len(_array(_part(value, self.how.parts[0]))):
            return None
        if not self._places and len(grid):
            self._scale = float(np.abs(grid).max()) or 1.0
        for key, place in zip(self._keys(grid), grid.tolist(), strict=True):
            if key not in self._rows:
                self._rows[key] = len(self._places)
                self._places.append(place)
        return np.array([self._rows[key] for key in self._keys(grid)], np.int64)

    def average(self) -> Average | None:
        """The average so far; None without any value."""
        if self._value is None:
            return None
        order = np.argsort(self._places) if self._places else None
        value, changes, errors = self._value, dict[str, Any](), dict[str, Any]()
        kept: dict[str, Replicas] = {}
        settled = True
        for part, blocks in self._blocks.items():
            single = np.ndim(_part(value, part)) == 0
            on_grid = order is not None and len(order) == blocks.sums.shape[1]
            rows: Any = order if on_grid else slice(None)
            mean = blocks.mean[rows]
            changes[part] = float(mean[0]) if single else mean
            kept[part] = replicas = tuple(one[:, rows] for one in blocks.replicas)
            if replicas:
                each = errors_of(replicas)
                error = np.where(np.isfinite(each[0]), np.nan_to_num(each, nan=0.0).max(axis=0), nan)
                error[error <= _ROUNDING * np.abs(mean)] = 0.0
                errors[part] = float(error[0]) if single else error
                if part == self.how.parts[0]:
                    settled = _settled(each)
        if order is not None:
            changes[self.how.grid] = np.array(self._places)[order]
        if self.how.error and self.how.parts[0] in changes:
            none = np.full(len(changes[self.how.parts[0]]), nan)
            changes[self.how.error] = errors.get(self.how.parts[0], none)
        for part, changed in changes.items():
            value = _changed(value, part, changed)
        return Average(value, errors, self.states, self.first, self.last, settled, kept)


def _settled(errors: Floats) -> bool:
    """Whether errors (L, K) do not grow with the length of the blocks, over all K together."""
    known = np.isfinite(errors).all(axis=0) & (errors[0] > 0.0)
    if len(errors) < len(_GROUPS) or not known.any():
        return True
    return bool(np.sqrt(np.mean(np.square(errors[-1, known] / errors[0, known]))) <= _GROWS)


def _part(value: Any, name: str) -> Any:
    for one in filter(None, name.split(".")):
        value = value[one] if isinstance(value, dict) else getattr(value, one)
    return value


def _array(numbers: Any) -> Floats:
    return np.atleast_1d(np.asarray(numbers, np.float64))


def _changed(value: Any, name: str, part: Any) -> Any:
    """A copy of a value with another part of this name."""
    first, _, rest = name.partition(".")
    if not first:
        return part
    own = {first: _changed(_part(value, first), rest, part)}
    if isinstance(value, dict):
        return value | own
    return cast(Any, value)._replace(**own) if isinstance(value, tuple) else replace(value, **own)


def _can_be_averaged(value: Any, how: Averaging) -> bool:
    if "" not in how.parts:
        return isinstance(value, dict) or is_dataclass(value)
    plain = isinstance(value, int | float | np.ndarray | np.floating | np.integer) and not isinstance(value, bool)
    return plain and np.ndim(value) <= 1


class Averages:
    """Averages of indicators over states of one run, which are added in order of time.

    indicators : those that are averaged, if they can be.

    Attributes
    ----------
    states : the number of states so far.
    first, last : times of the first and the last one, nan before there is one.
    every : the time between them; None if it varies.
    problems : a sentence for each indicator that has failed, or that cannot be averaged, by its name.

    The sums are plain arrays, so an object can be pickled and goes on where it was.
    """

    def __init__(self, indicators: Iterable[Indicator] = ()) -> None:
        self.indicators: tuple[Indicator, ...] = ()
        self.states = 0
        self.first = self.last = nan
        self.every: float | None = None
        self._uneven = 0  # states at other times than others
        self.problems = Problems()
        self._sums: dict[str, _Sums] = {}
        self._earlier: _Earlier | None = None
        self.want(indicators)

    def want(self, indicators: Iterable[Indicator]) -> None:
        """Average these from now on: others are dropped, and new ones begin with the next state."""
        self.indicators = tuple(one for one in indicators if one.averaged is not None)
        names = {one.name for one in self.indicators}
        self.forget([name for name in self._sums if name not in names])

    def forget(self, names: Iterable[str]) -> None:
        """Let the averages of these indicators begin again with the next state."""
        for name in names:
            self._sums.pop(name, None)
            self.problems.pop(name, None)
        if not any(name in self._sums for name in self._compared):
            self._earlier = None

    @property
    def _compared(self) -> dict[str, Averaging]:
        """Of the indicators that compare two states."""
        found = {one.name: one.averaged for one in self.indicators}
        return {name: how for name, how in found.items() if how is not None and how.between is not None}

    def add(self, time: float, sample: Sample) -> dict[str, Any]:
        """Measure a state and add it. Returns the values of its indicators.

        time : of the state, later than those before.
        """
        is_even = self._is_even(time)
        self.first = time if not self.states else self.first
        self.last = time
        single = [one for one in self.indicators if one.name not in self._compared]
        values = measure(sample, single, self.problems)
        for one in single:
            self._add_value(one, time, values.get(one.name))
        if is_even:
            self._compare(time, sample)
        self.states += 1
        return values

    def _is_even(self, time: float) -> bool:
        """Whether a state is as far from the one before as all others; one that is not is permitted, such as the last
        of a recording."""
        if self.states == 1:
            self.every = time - self.first
        if self.states < 2:
            return True
        if self.every is None:
            return False
        wanted = self.first + (self.states - self._uneven) * self.every
        is_even = abs(time - wanted) <= _UNEVEN * self.every
        self._uneven += not is_even
        if self._uneven > 1:
            self.every = None
            for name in self._compared:
                self.problems[name] = "the states are not evenly spaced in time"
                self._sums.pop(name, None)
        return is_even

    def _add_value(self, indicator: Indicator, time: float, value: Any) -> None:
        how = indicator.averaged
        assert how is not None
        if value is not None and not _can_be_averaged(value, how):
            self.problems[indicator.name] = "it is not a number or an array, and does not say how it is averaged"
            return
        if value is not None or indicator.name in self._sums:
            self._sums.setdefault(indicator.name, _Sums(how)).add(time, value)

    def _compare(self, time: float, sample: Sample) -> None:
        """Compare a state with earlier ones."""
        compared = self._compared
        if not compared:
            return
        moment = EarlierState.of(sample)
        if not _Earlier.fits(moment):
            for name in compared:
                self.problems[name] = "earlier states of so many discs would take too much memory"
            return
        if self._earlier is None:
            self._earlier = _Earlier()
        pairs = self._earlier.pairs(moment)
        lags = np.array(self._earlier.lags, np.float64)
        for name, how in compared.items():
            assert how.between is not None
            values = np.full(len(lags), nan)
            for place, earlier in pairs:
                found = how.between(moment, earlier)
                values[place] = nan if found is None else found
            over = replace(how, parts=("value",), grid="time")
            sums = self._sums.setdefault(name, _Sums(over))
            sums.add(time, OverTime(lags, values))

    def average(self, name: str) -> Average | None:
        """The average of an indicator, None if there is none yet."""
        sums = self._sums.get(name)
        found = None if sums is None else sums.average()
        if found is None or not isinstance(found.value, OverTime):
            return found
        there = np.isfinite(found.value.value) & (found.value.time <= found.states / _LAGS)
        if not there.any() or self.every is None:
            return None
        value = OverTime(found.value.time[there] * self.every, found.value.value[there])
        errors = {part: error[there] for part, error in found.errors.items()}
        kept = {part: tuple(one[:, there] for one in replicas) for part, replicas in found._replicas.items()}
        return replace(found, value=value, errors=errors, _replicas=kept)

    def averages(self, *, numbers_only: bool = False) -> dict[str, Average]:
        """The averages of all indicators that have one, by name; perhaps only of those whose values are numbers."""
        wanted = (name for name, sums in self._sums.items() if sums.is_number or not numbers_only)
        found = {name: self.average(name) for name in wanted}
        return {name: one for name, one in found.items() if one is not None}


def in_json(averages: Averages, indicators: Sequence[Indicator]) -> dict[str, Any]:
    """Averages ready for JSON: number and times of the states, and for each indicator its mean `value`, in the form
    that it has for one state, and the `error` of each averaged part under the key that this part has in the value; null
    for an indicator without an average."""
    found: dict[str, Any] = {}
    for one in indicators:
        if one.averaged is None or one not in averages.indicators:
            continue
        average = found[one.name] = averages.average(one.name)
        if average is None:
            continue
        found[one.name] = {
            "value": plain(average.value) if isinstance(average.value, OverTime) else one.json_of(average.value),
            "error": _nested(average.errors),
            "settled": average.settled,
        }
    return {
        "states": averages.states,
        "from": None if not isfinite(averages.first) else averages.first,
        "to": None if not isfinite(averages.last) else averages.last,
        "every": averages.every,
        "indicators": found,
        "problems": dict(averages.problems) or None,
    }


def _nested(errors: dict[str, Any]) -> Any:
    """Errors by the name of their part, such as ``speeds.x``, as the value is nested; None without errors."""
    found: dict[str, Any] = {}
    for name, error in errors.items():
        if not name:
            return plain(error)
        *outer, last = name.split(".")
        place = found
        for one in outer:
            place = place.setdefault(one, {})
        place[last] = plain(error)
    return found or None
