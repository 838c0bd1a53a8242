"""References as series of a plot: curves of earlier runs, and means of studies with standard errors. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from aggviewer.plots.drawing import Bounds, Floats, PlotSeries, Role
from aggviewer.plots.plot import Plot
from aggviewer.plots.references import Curves, Points, Reference
from aggviewer.plots.table import TableCurve, heading

Kept = Sequence[tuple[Reference, Curves]]
"""The references of a plot, each with its curves by the key of the series."""

_BAND_FROM = 20  # number of points from which errors are a band instead of bars


def series_of(plot: Plot, kept: Kept) -> Iterator[tuple[int, PlotSeries]]:
    """The series of references, each with the number of its pane."""
    for reference, curves in kept:
        for key, points in curves.items():
            if key in plot.columns:
                for one in _series(reference, key, points):
                    yield plot.pane_of(key), one


def _series(reference: Reference, key: str, points: Points) -> Iterator[PlotSeries]:
    """A curve, above an error band if it has many points."""
    x, y, error = points
    name, role = f"reference {reference.slot} {key}", Role("reference", slot=reference.slot)
    has_bars = error is not None and len(y) < _BAND_FROM
    if error is not None and not has_bars:
        middle = 0.5 * (x[1:] + x[:-1]) if len(x) == len(y) + 1 else x
        yield PlotSeries(f"{name} error", middle, y, "band", role, error, shared=True)
    kind = "steps" if len(x) == len(y) + 1 else "line"
    yield PlotSeries(name, x, y, kind, role, error if has_bars else None, shared=True)  # type: ignore[arg-type]


def bounds_of(series: Iterable[PlotSeries], logarithmic: tuple[bool, bool]) -> Iterator[Bounds]:
    """The ranges of curves on logarithmic or linear axes."""
    for one in series:
        if one.kind == "band":
            continue
        ends: list[float] = []
        for values, log in zip((one.x, one.y), logarithmic, strict=True):
            seen = values[np.isfinite(values) & (values > 0.0)] if log else values[np.isfinite(values)]
            ends += [float(seen.min()), float(seen.max())] if len(seen) else []
        if len(ends) == 4:
            yield ends[0], ends[1], ends[2], ends[3]


def references_in_table(plot: Plot, kept: Kept, runs: Sequence[str]) -> list[TableCurve]:
    """The curves of references for a table. runs : names of the runs, which a reference may share."""
    found = []
    for reference, curves in kept:
        for key, points in curves.items():
            if key in plot.columns:
                across, up = plot.columns[key]
                up = up._replace(name=f"{up.name} (reference)") if reference.name in runs else up
                found.append(TableCurve(across, up, reference.name, points.x, points.y))
    return found


def errors_of_references(plot: Plot, kept: Kept) -> dict[str, Floats]:
    """The standard errors of references for a table, by heading."""
    return {
        heading(f"{plot.columns[key][1].name} standard error", plot.columns[key][1].unit, reference.name): error
        for reference, curves in kept
        for key, (_, _, error) in curves.items()
        if key in plot.columns and error is not None
    }
