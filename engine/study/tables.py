"""The tables of a study: a row for each run, the mean of each point with its errors, and the curves."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.files.text import cell_text
from engine.files.writing import replacing
from engine.study.grid import Grid
from engine.study.model import Study
from engine.study.series import Offsets, SeriesLine, as_key, matching, side_by_side
from engine.study.store import Store

if TYPE_CHECKING:
    import pandas as pd


BESIDE = ("status", "error", "stop_reason", "seconds", "host")
"""Columns of runs.csv that are no quantities."""

STATISTICS = ("n", "mean", "error", "deviation", "median", "low", "high")
"""Of each quantity in summary.csv: number of values, mean, its standard error, standard deviation, median, and the ends
of the interval in which the mean is with 95 % (bootstrap)."""

_SAMPLES = 2_000  # of the bootstrap
_LEVEL = 0.95
_HELD = 5_000_000  # numbers that are drawn at once
_CURVES = 5_000  # that are written at once
_NOT_NUMBERS = (*BESIDE, "point", "seed")


def runs(store: Store, grid: Grid) -> pd.DataFrame:
    """A row for each run by point and seed: point, the parameters, seed, the quantities, and what is in `BESIDE`."""
    import pandas as pd

    points: list[int] = []
    seeds: list[int] = []
    numbers: dict[str, list[Any]] = {}
    beside: dict[str, list[Any]] = {name: [] for name in BESIDE}
    for count, row in enumerate(store.rows()):
        points.append(row.point)
        seeds.append(row.seed)
        for name, value in row.numbers.items():
            column = numbers.setdefault(name, [])
            column += [math.nan] * (count - len(column))  # runs before this one that have no such number
            column.append(math.nan if value is None else value)
        for name, column in beside.items():
            value = getattr(row, name)
            column.append(sys.intern(value) if isinstance(value, str) else value)  # a million times the same host
    for column in numbers.values():
        column += [math.nan] * (len(points) - len(column))
    cells = _cells(grid)
    parameters = {key: [column.get(point, math.nan) for point in points] for key, column in cells.items()}
    quantities = {name: column for name, column in numbers.items() if name not in parameters}
    found = pd.DataFrame({"point": points, **parameters, "seed": seeds, **quantities, **beside})
    return found.assign(**_of_one_kind(found, parameters))


def quantities_of(table: pd.DataFrame, grid: Grid) -> list[str]:
    """The names of the quantities in a table of runs."""
    return [name for name in table.columns if name not in _NOT_NUMBERS and name not in _columns(grid)]


def summary(table: pd.DataFrame, grid: Grid) -> pd.DataFrame:
    """For each point and quantity: the parameters, ``quantity``, and what is in `STATISTICS`; of runs that are done."""
    import pandas as pd

    records = []
    names = quantities_of(table, grid)
    good = table[table["status"] == "done"]
    for number, group in good.groupby("point", sort=True):
        parameters = {key: group[key].iloc[0] for key in _columns(grid)}
        found = statistics(group[names].to_numpy(np.float64).T)
        for k, name in enumerate(names):
            records.append({"point": number, **parameters, "quantity": name} | {key: v[k] for key, v in found.items()})
    return pd.DataFrame.from_records(records, columns=["point", *_columns(grid), "quantity", *STATISTICS])


def statistics(values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """The `STATISTICS` of each row of values (Q, n), in arrays (Q,); nan where there are too few values.

    Values that are nan or infinite do not count.
    """
    rows = [row[np.isfinite(row)] for row in values]
    count = np.array([len(row) for row in rows], np.int64)
    mean = np.array([row.mean() if len(row) else math.nan for row in rows])
    deviation = np.array([row.std(ddof=1) if len(row) > 1 else math.nan for row in rows])
    low, high = _intervals(rows)
    return {
        "n": count,
        "mean": mean,
        "error": deviation / np.sqrt(np.maximum(count, 1)),
        "deviation": deviation,
        "median": np.array([np.median(row) if len(row) else math.nan for row in rows]),
        "low": low,
        "high": high,
    }


def curves(store: Store, grid: Grid) -> pd.DataFrame:
    """All curves, an entry each row: point, the parameters, seed, ``curve``, ``x``, ``y``."""
    import pandas as pd

    return pd.concat(list(parts_of_curves(store, grid)), ignore_index=True)


def parts_of_curves(store: Store, grid: Grid) -> Iterator[pd.DataFrame]:
    """The rows in parts, each of some thousand curves, so that not all of them are in memory; at least one part."""
    import pandas as pd

    columns = _columns(grid)
    cells = pd.DataFrame(_cells(grid), index=range(len(grid.points)))
    cells = cells.assign(**_of_one_kind(cells, columns))
    every = ((point, seed, name, one) for point, seed, found in store.curves() for name, one in found.items())
    while True:
        part = list(itertools.islice(every, _CURVES))
        lengths = [len(one.x) for *_, one in part]
        of = np.repeat(np.arange(len(part)), lengths)  # the curve of each entry
        at = np.array([point for point, *_ in part], np.int64)[of]
        yield pd.DataFrame(
            {
                "point": at,
                **{key: cells[key].array[at] for key in columns},
                "seed": np.array([seed for _, seed, *_ in part], np.int64)[of],
                "curve": pd.Series([name for _, _, name, _ in part], dtype="str").array[of],
                "x": np.concatenate([one.x for *_, one in part] or [np.empty(0)]),
                "y": np.concatenate([one.y for *_, one in part] or [np.empty(0)]),
            }
        )
        if len(part) < _CURVES:
            return


def curve_lines(
    every: Iterable[tuple[int, int, Floats, Floats]],
    grid: Grid,
    by: str = "",
    at: Mapping[str, Any] | None = None,
    names: Collection[str] = (),
) -> list[SeriesLine]:
    """Mean curves with their standard errors: one for each value of `by`, or one for each single point of `names`.

    If several points form one curve, their errors are combined seed by seed.

    every : the curves of one name, x and y (K,), see `StudyTables.curves_of`. at : see `engine.study.series.matching`.
    """
    numbers = {point.number: point for point in (grid.named(names) if names else matching(grid, at or {}))}
    axis = grid.axis_of(by) if by else None
    groups: dict[Any, tuple[list[tuple[int, int]], list[tuple[Floats, Floats]]]] = {}
    for number, seed, x, y in every:
        if number not in numbers:
            continue
        point = numbers[number]
        of = point.name if names else None if axis is None else grid.value_on(axis, point)
        runs, found = groups.setdefault(as_key(of), ([], []))
        runs.append((number, seed))
        found.append((x, y))
    return [_curve_line(of, *group) for of, group in groups.items()]


def _curve_line(of: Any, runs: Sequence[tuple[int, int]], found: Sequence[tuple[Floats, Floats]]) -> SeriesLine:
    """The mean of the curves (x, y) of these runs. runs : point and seed of each."""
    at, rows = _on_common_x(found)
    mean, error = _mean_of(rows)
    points = tuple(dict.fromkeys(point for point, _ in runs))
    by_seed = side_by_side(_offsets_of_curves(runs, rows))
    if by_seed is not None and len(points) > 1:
        error = np.sqrt(np.square(by_seed).sum(axis=1))
    return SeriesLine(of, at, mean, error, (points,) * len(at), by_seed)


def _offsets_of_curves(runs: Sequence[tuple[int, int]], rows: Floats) -> list[Offsets | None]:
    """`Offsets` of each entry of the mean of the rows (R, K). runs : point and seed of each row."""
    there = np.isfinite(rows)
    off = np.zeros_like(rows)
    unknown = there.sum(axis=0) < 2
    for point in {point for point, _ in runs}:
        mine = np.array([one == point for one, _ in runs])
        count = there[mine].sum(axis=0)
        unknown |= count == 1
        mean = np.where(there[mine], rows[mine], 0.0).sum(axis=0) / np.maximum(count, 1)
        widened = np.sqrt(count / np.maximum(count - 1, 1))  # n - 1 instead of n
        off[mine] = np.where(there[mine], rows[mine] - mean, 0.0) * widened / np.maximum(there.sum(axis=0), 1)
    seeds = sorted({seed for _, seed in runs})
    summed = np.array([off[[one == seed for _, one in runs]].sum(axis=0) for seed in seeds])
    return [None if unknown[k] else dict(zip(seeds, summed[:, k].tolist(), strict=True)) for k in range(rows.shape[1])]


def mean_curve(found: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]]) -> dict[str, NDArray[np.float64]]:
    """The mean of several curves (x, y), with its standard error: ``x``, ``y``, ``error``, each (K,).

    Where they do not have the same x, they are interpolated between the largest start and the smallest end, in log x if
    all x are above 0.
    """
    at, rows = _on_common_x(found)
    mean, error = _mean_of(rows)
    return {"x": at, "y": mean, "error": error}


def _on_common_x(found: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """x (K,), and the values of several curves there, one row each; see `mean_curve`."""
    first = found[0][0]
    if all(len(x) == len(first) and np.array_equal(x, first) for x, _ in found):
        return first, np.array([y for _, y in found])
    low = max(float(x[0]) for x, _ in found if len(x))
    high = min(float(x[-1]) for x, _ in found if len(x))
    positive = [x[x > 0.0] for x, _ in found]
    if low <= 0.0 and all(len(x) > 1 for x in positive):
        low = max(float(x[0]) for x in positive)
    count = max(len(x) for x, _ in found)
    at = np.geomspace(low, high, count) if 0.0 < low < high else np.linspace(low, high, count)
    return at, np.array([np.interp(at, x, y) for x, y in found])


def _mean_of(rows: Floats) -> tuple[Floats, Floats]:
    """Mean and standard error of each column of rows (R, K); nan values are left out."""
    with np.errstate(invalid="ignore"):
        count_there = np.isfinite(rows).sum(axis=0)
        mean = np.where(count_there > 0, np.nansum(rows, axis=0) / np.maximum(count_there, 1), np.nan)
        spread = np.sqrt(np.nansum((rows - mean) ** 2, axis=0) / np.maximum(count_there - 1, 1))
        error = np.where(count_there > 1, spread / np.sqrt(np.maximum(count_there, 1)), np.nan)
    return mean, error


class StudyTables:
    """The tables of the rows that a study has so far, each made when it is first asked for.

    Attributes
    ----------
    study, grid : what was asked for.
    store : the rows, with curves and final states.
    complete : whether all runs are recorded; failed : how many of them have failed.
    """

    def __init__(self, grid: Grid, store: Store) -> None:
        self.grid, self.store = grid, store
        self.study: Study = grid.study
        counts = store.counts()
        self.failed = counts.get("failed", 0)
        self.complete = sum(counts.values()) >= len(grid)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """A row for each run, see `runs`."""
        return runs(self.store, self.grid)

    def summary(self) -> pd.DataFrame:
        """A row for each point and quantity, see `summary`."""
        return self._summary

    @cached_property
    def _summary(self) -> pd.DataFrame:
        return summary(self.runs, self.grid)

    def curves(self, name: str = "") -> pd.DataFrame:
        """The curves of all runs, or those of one name, see `curves`."""
        found = curves(self.store, self.grid)
        return found[found["curve"] == name] if name else found

    def curves_of(self, name: str) -> Iterator[tuple[int, int, Floats, Floats]]:
        """Point, seed, x (K,) and y (K,) of the curve with this name, for each run that has it, sorted by point and
        seed."""
        for point, seed, found in self.store.curves():
            if name in found:
                yield point, seed, found[name].x, found[name].y


def write(folder: Path, found: StudyTables) -> None:
    """runs.csv, runs.parquet, curves.parquet and summary.csv, each complete or not at all."""
    for name, table in (("runs", found.runs), ("summary", found.summary())):
        with replacing(folder / f"{name}.csv") as partial:
            _write_csv(partial, table)
    with replacing(folder / "runs.parquet") as partial:
        found.runs.to_parquet(partial, index=False)
    with replacing(folder / "curves.parquet") as partial:
        _write_parts(partial, parts_of_curves(found.store, found.grid))


def _write_parts(path: Path, parts: Iterator[pd.DataFrame]) -> None:
    """Parts of one table as a parquet file, one after the other."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    first = pa.Table.from_pandas(next(parts), preserve_index=False)
    with ParquetWriter(path, first.schema) as writer:
        writer.write_table(first)
        for part in parts:
            if len(part):
                writer.write_table(pa.Table.from_pandas(part, schema=first.schema, preserve_index=False))


def _write_csv(path: Path, table: pd.DataFrame) -> None:
    """Numbers with all their digits, texts without quotation marks (`cell_text`); what is not there stays empty."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        rows = (_texts(row) for row in table.itertuples(index=False, name=None))
        file.writelines(",".join(row) + "\n" for row in itertools.chain([map(cell_text, table.columns)], rows))


def _texts(row: Iterable[Any]) -> list[str]:
    return ["" if value is None or value != value else cell_text(_digits(value)) for value in row]


def _digits(value: Any) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(float(value))
    return str(value)


_NAME = "name"
"""The column with the names of single points, in studies that have some."""


def _columns(grid: Grid) -> tuple[str, ...]:
    """The columns between ``point`` and ``seed``: the name of a single point, and the parameters."""
    return (_NAME, *grid.columns) if grid.beside else grid.columns


def _parameters(grid: Grid, number: int) -> dict[str, Any]:
    """The values of the columns `_columns` at a point."""
    point = grid.points[number]
    cells = {key: math.nan if value is None else _cell(value) for key, value in grid.cells(point).items()}
    return {_NAME: point.name} | cells if grid.beside else cells


def _cells(grid: Grid) -> dict[str, dict[int, Any]]:
    """The values of each column of `_columns`, by the number of the point."""
    of_points = {point.number: _parameters(grid, point.number) for point in grid.points}
    return {key: {number: cells[key] for number, cells in of_points.items()} for key in _columns(grid)}


def _of_one_kind(table: pd.DataFrame, keys: Iterable[str]) -> dict[str, Any]:
    """The columns of these keys in which texts and numbers are mixed, as texts: a table has one kind of value each."""
    mixed = [key for key in keys if table[key].dtype == object and not all(isinstance(one, str) for one in table[key])]
    return {key: table[key].map(_digits) for key in mixed}


def _cell(value: Any) -> Any:
    """The value of a parameter as a table can hold it: lists as texts."""
    if isinstance(value, list | tuple):
        return " ".join(one if isinstance(one, str) else repr(one) for one in value)
    return value


def _intervals(rows: Sequence[NDArray[np.float64]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends of the 95 % interval of the mean of each row. Rows of one length are drawn together, with the same draws, so
    that the interval of a quantity does not depend on which others are measured."""
    from scipy.stats import bootstrap

    low, high = np.full(len(rows), math.nan), np.full(len(rows), math.nan)
    for length in {len(row) for row in rows if len(row) > 1}:
        chosen = [k for k, row in enumerate(rows) if len(row) == length]
        values = np.array([rows[k] for k in chosen])
        draws = np.random.default_rng(length)
        found = bootstrap((values,), np.mean, n_resamples=_SAMPLES, confidence_level=_LEVEL, axis=1,
                          method="percentile", rng=draws,
                          batch=max(1, _HELD // values.size)).confidence_interval  # fmt: skip
        constant = np.ptp(values, axis=1) == 0.0
        low[chosen] = np.where(constant, values[:, 0], found.low)
        high[chosen] = np.where(constant, values[:, 0], found.high)
    return low, high
