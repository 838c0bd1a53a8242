"""A table of discs or of clusters: columns of a frame, filtered by a condition and sorted. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import DiscSet
from engine.errors import InputError
from engine.fields import Field
from engine.files.text import write_table
from engine.frame import Frame, discs_of
from engine.selection import (
    ClusterColumns,
    ClusterField,
    DiscColumns,
    Expression,
    FrameClusters,
    Selection,
    disc_fields,
)
from engine.selection.measures import radius_of_gyration
from engine.system import system as system_called
from engine.words import count, typeset

RowKind = Literal["discs", "clusters"]

MOST_AT_ONCE = 50_000
"""Up to this many discs, slow columns are always computed; above it, only when rows are sorted or filtered by them.
Also the largest selection whose radius of gyration is computed."""


@dataclass(frozen=True)
class Ask:
    """A request for a table.

    Parameters
    ----------
    kind : a row for each disc, or for each cluster.
    condition : selects the rows to show; "" for all.
    sort_by : the name of a column; "" for the first.
    descending : the largest value first.
    """

    kind: RowKind = "discs"
    condition: str = ""
    sort_by: str = ""
    descending: bool = False


class TableSource:
    """A private copy of a frame with its system. Computes columns on demand; use it on one thread only."""

    def __init__(self, frame: Frame, disc_set: DiscSet) -> None:
        self.frame = frame
        self.disc_set = disc_set

    @cached_property
    def clusters(self) -> FrameClusters:
        """The clusters of the frame."""
        return FrameClusters(self.frame, self.disc_set)

    @cached_property
    def _discs(self) -> DiscColumns:
        return DiscColumns(self.frame, self.disc_set, system_called(self.disc_set.scenario.system))

    @cached_property
    def _clusters(self) -> ClusterColumns:
        return ClusterColumns(self.clusters, system_called(self.disc_set.scenario.system).cluster_fields)

    def radius_of_gyration(self, selected: Selection) -> float:
        """R_g of the centres of the selected discs, in the scenario's unit of length (see
        `engine.selection.measures.radius_of_gyration`). NaN if undefined, and for more than `MOST_AT_ONCE` discs."""
        if len(selected) > MOST_AT_ONCE:
            return float("nan")
        discs, numbers = discs_of(self.frame, self.disc_set), selected.numbers
        radii = discs.radii[numbers] * self.frame.radius_factor
        return radius_of_gyration(self.frame.positions[numbers], radii, discs.box, periodic=discs.periodic)

    def columns(self, kind: RowKind) -> DiscColumns | ClusterColumns:
        """The columns of a table by name, with their `fields`."""
        return self._discs if kind == "discs" else self._clusters


def column_names(system: str, kind: RowKind, dimensions: int = 2) -> tuple[str, ...]:
    """The names that a condition may use in a table of this system, in a box of these dimensions."""
    known = system_called(system)
    if kind == "clusters":
        return tuple(field.name for field in known.cluster_fields)
    return tuple(field.name for field in disc_fields(known, dimensions))


@dataclass(frozen=True, eq=False)
class Table:
    """A finished table.

    Parameters
    ----------
    source, ask : the frame and the request that it was made from.
    values : the computed columns by name, one entry per disc or cluster.
    order : (R,), the disc or cluster in each row.
    """

    source: TableSource
    ask: Ask
    values: Mapping[str, NDArray[Any]]
    order: NDArray[np.int64]

    @property
    def fields(self) -> list[Any]:
        """The description of each column, a `Field` or a `ClusterField`."""
        return list(self.source.columns(self.ask.kind).fields.values())

    @property
    def total(self) -> int:
        """Number of discs or clusters before filtering."""
        return len(self.source.clusters) if self.ask.kind == "clusters" else self.source.disc_set.count

    def discs_of(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mask of the discs shown in these rows, (N,) bool."""
        chosen = np.zeros(self.total, bool)
        chosen[self.order[rows]] = True
        return chosen if self.ask.kind == "discs" else chosen[self.source.clusters.rows]

    def marked(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which discs are in `mask`, (N,) bool, or which clusters are in it with all their discs."""
        if len(mask) != self.source.disc_set.count:
            return np.zeros(self.total, bool)
        if self.ask.kind == "discs":
            return mask
        clusters = self.source.clusters
        found: NDArray[np.bool_] = np.bincount(clusters.rows, mask, minlength=len(clusters)) == clusters.sizes
        return found

    def row_of(self, disc: int) -> int:
        """The row of a disc or its cluster; -1 if it is not shown."""
        wanted = disc if self.ask.kind == "discs" else int(self.source.clusters.rows[disc])
        found = np.flatnonzero(self.order == wanted)
        return int(found[0]) if len(found) else -1

    def place_of(self, row: int) -> tuple[float, ...]:
        """The position of a disc or the centre of a cluster, (d,); NaN for a cluster without a centre."""
        axes = ("x", "y", "z")[: self.source.frame.dimensions]
        return tuple(float(self.values[name][self.order[row]]) if name in self.values else np.nan for name in axes)

    def text(self, row: int, column: int) -> str:
        """The text of a cell."""
        if self.fields[column].name not in self.values:
            return "…"
        return cell(self.fields[column], self.values[self.fields[column].name][self.order[row]])

    def write(self, file: IO[str], separator: str, rows: NDArray[np.int64] | None = None) -> None:
        """Write a heading line with the computed columns, then one line per row at full precision. rows : (k,), write
        only these."""
        chosen = self.order if rows is None else self.order[rows]
        names = [field.name for field in self.fields if field.name in self.values]
        file.write(separator.join(names) + "\n")
        columns = [self.values[name][chosen] for name in names]
        if len(chosen):
            write_table(file, [one.astype(np.int64) if one.dtype == bool else one for one in columns], separator)


def tabulate(source: TableSource, ask: Ask) -> Table:
    """Make a table. InputError for an invalid condition."""
    columns = source.columns(ask.kind)
    names: Iterable[str] = columns.fields
    total = len(source.clusters) if ask.kind == "clusters" else source.disc_set.count
    kept = None
    wanted: set[str] = set()
    if ask.condition.strip():
        condition = Expression(ask.condition, known=tuple(names))
        kept, wanted = np.flatnonzero(condition.mask(columns, total)), set(condition.names)
    by = ask.sort_by if ask.sort_by in columns.fields else next(iter(columns.fields))
    few = source.disc_set.count <= MOST_AT_ONCE
    wanted.add(by)
    known = [name for name, field in columns.fields.items() if few or name in wanted or not _slow(field)]
    values = {name: columns[name] for name in known}
    keys = values[by] if kept is None else values[by][kept]
    order = _sorted(keys, ask.descending)
    return Table(source, ask, values, order if kept is None else kept[order])


def _slow(field: Field | ClusterField) -> bool:
    """Whether a column is slow to compute for very many discs."""
    return field.slow if isinstance(field, ClusterField) else field.measure is not None


def _sorted(keys: NDArray[Any], descending: bool) -> NDArray[np.int64]:
    """A stable sorting order of values, with NaN last."""
    if keys.dtype == bool:
        keys = keys.astype(np.int8)
    order = np.argsort(keys, kind="stable")
    if not descending:
        return order
    known = len(keys) - (int(np.isnan(keys).sum()) if keys.dtype.kind == "f" else 0)
    turned = len(keys) - 1 - np.argsort(keys[::-1], kind="stable")[::-1]
    return np.concatenate([turned[len(keys) - known :], order[known:]])


def cell(field: Any, value: Any) -> str:
    """Format a value for the table: integers in full, other numbers to five digits, class names, a dash for none."""
    if isinstance(value, float | np.floating) and np.isnan(value):
        return "–"
    if isinstance(field, Field) and field.classes:
        return field.classes[int(value)]
    if isinstance(value, float | np.floating):
        return typeset(float(value), ".5g")
    return count(int(value))


def check_condition(text: str, system: str, kind: RowKind, dimensions: int = 2) -> None:
    """Raise InputError if a text is not a valid condition for a table; "" is allowed."""
    if text.strip():
        found = Expression(text, known=column_names(system, kind, dimensions))
        if found.kind != "condition":
            raise InputError(f"{text.strip()} is a number; compare it with another, as in {text.strip()} > 0")
