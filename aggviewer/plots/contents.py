"""The contents of a plot for all runs together: series by pane, also of references, numbers in the corners, table.
No widgets."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.drawing import (
    Bounds,
    PlotDrawing,
    PlotSeries,
    PointLayer,
    Role,
    TableCurve,
    as_table,
    columns_of,
    curves_of,
    errors_of,
    further_curves_of,
    heading,
)
from aggviewer.plots.fits import Fits
from aggviewer.plots.plot import Plot
from aggviewer.plots.run_drawings import live_numbers
from aggviewer.plots.runs import Curves, Points, Reference, RunStyle
from aggviewer.plots.series_items import ShownSeries, reference_colour, style_of
from aggviewer.style.theme import Colors
from engine import __version__
from engine.arrays import Floats
from engine.study.labels import as_html

# stacking order by role; the series of a drawing are ordered from bottom to top
_Z = {"reference": -5.0, "guide": -4.0, "literature": -3.0, "question": 90.0}
_SHARED_LAW, _BETWEEN = 10.0, 0.001


@dataclass(frozen=True)
class PlotContents:
    """The contents of a plot at one moment.

    Parameters
    ----------
    plot : the declaration.
    runs, given : the runs, and the drawing of each of them, None if there is none.
    fits : the fitted laws; fits_said : whether these are shown in the plot.
    straight : whether both axes of the first pane are logarithmic, so that a law is a straight line.
    kept : references; reference_series : their series, each with the number of its pane.
    question : the series of a lesson's question.
    origins : seed and number of discs of each run by name, as far as they are known.
    """

    plot: Plot
    runs: Sequence[RunStyle]
    given: Sequence[PlotDrawing | None]
    fits: Fits
    fits_said: bool
    straight: bool
    kept: KeptReferences = ()
    reference_series: Sequence[tuple[int, PlotSeries]] = ()
    question: Sequence[PlotSeries] = ()
    origins: Sequence[Mapping[str, int]] = ()

    @property
    def drawings(self) -> list[PlotDrawing | None]:
        """The drawing of each run, None if there is none."""
        return [one if one is not None and one.has_data else None for one in self.given]

    @property
    def has_data(self) -> bool:
        """Whether any run has data."""
        return any(one is not None and one.has_data for one in self.given)

    def bounds(self, place: int) -> list[Bounds]:
        """The ranges of all contents of the pane at `place`."""
        panes = [one.panes[place] for one in self.given if one is not None and place < len(one.panes)]
        bounds = [pane.bounds for pane in panes if pane.bounds is not None]
        if not (bounds and self.has_data):
            return bounds
        kept = (one for pane, one in self.reference_series if pane == place)
        return [*bounds, *bounds_of(kept, self.plot.all_axes[place].logarithmic)]

    def series(self, place: int, theme: Colors) -> Iterator[ShownSeries]:
        """All series in a pane: references, runs with their fits, shared series, a question."""
        if self.has_data:
            for pane, one in self.reference_series:
                if pane == place:
                    yield ShownSeries(one.key, one, style_of(one, theme), _Z["reference"])
            yield from self._series_of_runs(place, theme)
        for one in self.question if place == 0 else ():
            yield ShownSeries(one.key, one, style_of(one, theme), _Z["question"])

    def _series_of_runs(self, place: int, theme: Colors) -> Iterator[ShownSeries]:
        shared: set[str] = set()
        for run, drawing in enumerate(self.drawings):
            if drawing is None:
                continue
            fits = self.fits.series(run, straight=self.straight) if self.fits_said and place == 0 else ()
            for k, one in enumerate((*drawing.series, *fits)):
                if self.plot.pane_of(one.key) != place or (one.shared and one.key in shared):
                    continue
                z = _Z.get(one.role.name, _SHARED_LAW if one.shared else float(run)) + k * _BETWEEN
                if one.shared:
                    shared.add(one.key)
                    yield ShownSeries(one.key, one, style_of(one, theme), z)
                else:
                    for each in (one.band, one) if one.banded and one.error is not None else (one,):
                        yield ShownSeries((run, each.key), each, style_of(each, theme, self.runs, run), z)

    def numbers(self, place: int, theme: Colors, *, around: bool = False, band: bool = False) -> str:
        """The numbers in the corner of a pane for all runs; rich text.

        Parameters
        ----------
        around : whether to add what is around the plot in the window: the fit range, if its `band` is shown, and the
            names of references; and to leave out what is only said to who waits for numbers.
        """
        short, drawn = len(self.runs) > 1, self.drawings
        told: list[dict[str, str]] = []
        for run, one in enumerate(drawn):
            numbers = {} if one is None or place >= len(one.panes) else one.panes[place].numbers
            words = {
                symbol: text if isinstance(text, str) else text.short if short else text.text
                for symbol, text in numbers.items()
            }
            if place == 0 and self.fits_said:
                words |= self.fits.values(run, short=short)
            told.append({symbol: text for symbol, text in words.items() if text})
        lines = live_numbers(told, self.runs, theme, self.plot.marks)
        if place == 0:
            lines = lines or [next(filter(None, (_said(one, on_paper=around) for one in drawn)), "")]
            lines += self._around(theme, band=band) if self.has_data and around else ()
        return "<br>".join(line for line in lines if line)

    def _around(self, theme: Colors, *, band: bool) -> Iterator[str]:
        """What is around the plot in the window: fit range and names of references."""
        if self.fits.range is not None and band:
            across = as_html(next(iter(self.plot.columns.values()))[0].name)
            yield f"fit over {across} = {self.fits.range_in_words()}"
        for one, _ in self.kept:
            yield f'<span style="color:{reference_colour(one.slot, theme)}">━</span> {escape(one.name)}'

    def table(self) -> dict[str, NDArray[Any]]:
        """All that is drawn, and the `values`, as columns: heading with unit to values (n,)."""
        runs, shown, columns = self._run_names(), self.drawings, dict(self.plot.columns)
        curves = curves_of(shown, columns, runs)
        if self.fits_said:
            curves += self.fits.curves(columns, runs, straight=self.straight)
        if self.has_data:
            curves += references_in_table(self.plot, self.kept, runs)
        return as_table([*curves, *further_curves_of(shown, runs)]) | self.values()

    def values(self) -> dict[str, NDArray[Any]]:
        """Additional columns of a table: numbers of the fits, standard errors, and where the data are from; heading
        with unit to values (n,)."""
        runs, shown, columns = self._run_names(), self.drawings, dict(self.plot.columns)
        found: dict[str, NDArray[Any]] = dict(self.fits.numbers(columns, runs)) if self.fits_said else {}
        found |= errors_of(shown, columns, runs)
        if self.has_data:
            found |= errors_of_references(self.plot, self.kept)
        return found | columns_of(self.given, runs) | self._origin(runs)

    def _origin(self, runs: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Seed and N of each run and the version of the program, in columns of one value: comments at the beginning
        would be column names for numpy.genfromtxt, and at the end numbers for pandas."""
        origins = self.origins if self.has_data else ()
        found: dict[str, NDArray[Any]] = {
            heading(name, "1", run): np.array([float(value)])
            for run, known in zip(runs, origins, strict=False)
            for name, value in known.items()
        }
        return found | ({"aggviewer [version]": np.array([__version__])} if found else {})

    def _run_names(self) -> list[str]:
        """The names of the runs, empty for a single one."""
        return [run.name if len(self.runs) > 1 else "" for run in self.runs]

    def words_at(self, series: Hashable, index: int) -> str:
        """A point of a run's series in words, with the name of the run if there are several."""
        run, one = self._series_at(series)
        text = "" if one is None or one.words is None else one.words(index)
        return text if len(self.runs) == 1 or not text else f"{escape(self.runs[run].name)}: {text}"

    def place_at(self, series: Hashable, index: int) -> tuple[float, float] | None:
        """The place of such a point among the discs, None if it has none."""
        _, one = self._series_at(series)
        if one is None or one.places is None:
            return None
        x, y = one.places[index].tolist()
        return x, y

    def layer_of(self, series: Hashable) -> PointLayer | None:
        """The layer of the picture that shows the points of a series, None if there is none."""
        _, one = self._series_at(series)
        return None if one is None else one.layer

    def _series_at(self, series: Hashable) -> tuple[int, PlotSeries | None]:
        run, key = series if isinstance(series, tuple) else (0, series)
        drawing = self.given[run]
        return run, None if drawing is None else drawing[key]

    def kept_curves(self, run: int) -> Curves:
        """All curves of a run."""
        one = self.drawings[run]
        if one is None:
            return {}
        found = ((key, one.find(key)) for key in self.plot.columns)
        return {
            key: Points(series.x, series.y, series.error if series.banded else None)
            for key, series in found
            if series is not None and not series.shared
        }

    def place_of_message(self) -> tuple[float, float] | None:
        """The most important place in the messages of all runs."""
        messages = [one.message for one in self.drawings if one is not None and one.message is not None]
        found = [(one.rank, one.place) for one in messages if one.place is not None]
        return max(found)[1] if found else None


KeptReferences = Sequence[tuple[Reference, Curves]]
"""The references of a plot, each with its curves by the key of the series."""

_BAND_FROM = 20  # number of points from which errors are a band instead of bars


def series_of(plot: Plot, kept: KeptReferences) -> Iterator[tuple[int, PlotSeries]]:
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


def references_in_table(plot: Plot, kept: KeptReferences, runs: Sequence[str]) -> list[TableCurve]:
    """The curves of references for a table. runs : names of the runs, which a reference may share."""
    found = []
    for reference, curves in kept:
        for key, points in curves.items():
            if key in plot.columns:
                across, up = plot.columns[key]
                up = up._replace(name=f"{up.name} (reference)") if reference.name in runs else up
                found.append(TableCurve(across, up, reference.name, points.x, points.y))
    return found


def errors_of_references(plot: Plot, kept: KeptReferences) -> dict[str, Floats]:
    """The standard errors of references for a table, columns (K,) by heading."""
    return {
        heading(f"{plot.columns[key][1].name} standard error", plot.columns[key][1].unit, reference.name): error
        for reference, curves in kept
        for key, (_, _, error) in curves.items()
        if key in plot.columns and error is not None
    }


def _said(drawing: PlotDrawing | None, *, on_paper: bool) -> str:
    """What the corner says where there are no numbers."""
    parts = () if drawing is None else (drawing.key, "" if on_paper else drawing.note)
    return "; ".join(filter(None, parts))
