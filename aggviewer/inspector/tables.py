"""A table of discs or of clusters: columns of a frame, filtered by a condition and sorted. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import SystemInfo
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

Kind = Literal["discs", "clusters"]

MOST_AT_ONCE = 50_000
"""Discs up to which columns that take long are always computed; with more only where rows are sorted or chosen by
them. Selections of at most so many discs have a radius of gyration."""


@dataclass(frozen=True)
class Ask:
    """What a table is to show.

    Parameters
    ----------
    kind : a row for each disc, or for each cluster.
    condition : which rows are shown; "" for all.
    sort_by : the name of a column; "" for the first one.
    descending : the largest value first.
    """

    kind: Kind = "discs"
    condition: str = ""
    sort_by: str = ""
    descending: bool = False


class TableSource:
    """A frame of its own with its system: the columns of its tables, computed when they are asked for. One thread."""

    def __init__(self, frame: Frame, system: SystemInfo) -> None:
        self.frame = frame
        self.system = system

    @cached_property
    def clusters(self) -> FrameClusters:
        """The clusters of the frame."""
        return FrameClusters(self.frame, self.system)

    @cached_property
    def _discs(self) -> DiscColumns:
        return DiscColumns(self.frame, self.system, system_called(self.system.scenario.system))

    @cached_property
    def _clusters(self) -> ClusterColumns:
        return ClusterColumns(self.clusters, system_called(self.system.scenario.system).cluster_fields)

    def radius_of_gyration(self, selected: Selection) -> float:
        """R_g of the centres of the discs that are selected, in the scenario's unit of length (see
        `engine.selection.measures.radius_of_gyration`). NaN where they have none, and for more than `MOST_AT_ONCE`
        discs."""
        if len(selected) > MOST_AT_ONCE:
            return float("nan")
        discs, numbers = discs_of(self.frame, self.system), selected.numbers
        radii = discs.radii[numbers] * self.frame.radius_factor
        return radius_of_gyration(self.frame.positions[numbers], radii, discs.box, periodic=discs.periodic)

    def columns(self, kind: Kind) -> DiscColumns | ClusterColumns:
        """The columns of a table by name, with their `fields`."""
        return self._discs if kind == "discs" else self._clusters


def column_names(system: str, kind: Kind) -> tuple[str, ...]:
    """What a condition may name in a table of a system."""
    known = system_called(system)
    if kind == "clusters":
        return tuple(field.name for field in known.cluster_fields)
    return tuple(field.name for field in disc_fields(known))


@dataclass(frozen=True, eq=False)
class Table:
    """What is shown.

    Parameters
    ----------
    source, ask : what it is made of.
    values : the columns that are known, by name, one entry for each disc or cluster.
    order : (R,), which disc or cluster each row shows.
    """

    source: TableSource
    ask: Ask
    values: Mapping[str, NDArray[Any]]
    order: NDArray[np.int64]

    @property
    def fields(self) -> list[Any]:
        """What describes each column: a `Field` or a `ClusterField`."""
        return list(self.source.columns(self.ask.kind).fields.values())

    @property
    def total(self) -> int:
        """Discs or clusters, shown or not."""
        return len(self.source.clusters) if self.ask.kind == "clusters" else self.source.system.count

    def discs_of(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """The discs that some rows show, (N,) bool."""
        chosen = np.zeros(self.total, bool)
        chosen[self.order[rows]] = True
        return chosen if self.ask.kind == "discs" else chosen[self.source.clusters.rows]

    def marked(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which discs, or clusters with all their discs, are among those of `mask`, (N,) bool."""
        if len(mask) != self.source.system.count:
            return np.zeros(self.total, bool)
        if self.ask.kind == "discs":
            return mask
        clusters = self.source.clusters
        found: NDArray[np.bool_] = np.bincount(clusters.rows, mask, minlength=len(clusters)) == clusters.sizes
        return found

    def row_of(self, disc: int) -> int:
        """The row that shows a disc, or its cluster; -1 where none does."""
        wanted = disc if self.ask.kind == "discs" else int(self.source.clusters.rows[disc])
        found = np.flatnonzero(self.order == wanted)
        return int(found[0]) if len(found) else -1

    def place_of(self, row: int) -> tuple[float, float]:
        """Where a disc or cluster is; NaN for a cluster that has no middle."""
        if "x" not in self.values or "y" not in self.values:
            return np.nan, np.nan
        x, y = (float(self.values[name][self.order[row]]) for name in ("x", "y"))
        return x, y

    def text(self, row: int, column: int) -> str:
        """A cell as people read it."""
        if self.fields[column].name not in self.values:
            return "…"
        return cell(self.fields[column], self.values[self.fields[column].name][self.order[row]])

    def write(self, file: IO[str], separator: str, rows: NDArray[np.int64] | None = None) -> None:
        """Write a line with the names of the columns that are known and one for each row, all digits. rows : these
        alone."""
        chosen = self.order if rows is None else self.order[rows]
        names = [field.name for field in self.fields if field.name in self.values]
        file.write(separator.join(names) + "\n")
        columns = [self.values[name][chosen] for name in names]
        if len(chosen):
            write_table(file, [one.astype(np.int64) if one.dtype == bool else one for one in columns], separator)


def tabulate(source: TableSource, ask: Ask) -> Table:
    """Make a table. InputError for a condition that is none."""
    columns = source.columns(ask.kind)
    names: Iterable[str] = columns.fields
    total = len(source.clusters) if ask.kind == "clusters" else source.system.count
    kept = None
    wanted: set[str] = set()
    if ask.condition.strip():
        condition = Expression(ask.condition, known=tuple(names))
        kept, wanted = np.flatnonzero(condition.mask(columns, total)), set(condition.names)
    by = ask.sort_by if ask.sort_by in columns.fields else next(iter(columns.fields))
    few = source.system.count <= MOST_AT_ONCE
    wanted.add(by)
    known = [name for name, field in columns.fields.items() if few or name in wanted or not _slow(field)]
    values = {name: columns[name] for name in known}
    keys = values[by] if kept is None else values[by][kept]
    order = _sorted(keys, ask.descending)
    return Table(source, ask, values, order if kept is None else kept[order])


def _slow(field: Field | ClusterField) -> bool:
    """Whether a column takes long where there are very many discs."""
    return field.slow if isinstance(field, ClusterField) else field.measure is not None


def _sorted(keys: NDArray[Any], descending: bool) -> NDArray[np.int64]:
    """The order of some values, equal ones as they come; what is not a number is last."""
    if keys.dtype == bool:
        keys = keys.astype(np.int8)
    order = np.argsort(keys, kind="stable")
    if not descending:
        return order
    known = len(keys) - (int(np.isnan(keys).sum()) if keys.dtype.kind == "f" else 0)
    turned = len(keys) - 1 - np.argsort(keys[::-1], kind="stable")[::-1]
    return np.concatenate([turned[len(keys) - known :], order[known:]])


def cell(field: Any, value: Any) -> str:
    """A value in a table: whole numbers in full, others with five digits, the names of classes, a dash for none."""
    if isinstance(value, float | np.floating) and np.isnan(value):
        return "–"
    if isinstance(field, Field) and field.classes:
        return field.classes[int(value)]
    if isinstance(value, float | np.floating):
        return f"{value:.5g}"
    return str(int(value))


def check_condition(text: str, system: str, kind: Kind) -> None:
    """Raise InputError where a text is no condition for a table; "" is none and allowed."""
    if text.strip():
        found = Expression(text, known=column_names(system, kind))
        if found.kind != "condition":
            raise InputError(f"{text.strip()} is a number; compare it with another, as in {text.strip()} > 0")
