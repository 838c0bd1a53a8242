"""The figures of a study: means with error bars over a parameter, mean curves, laws and reference points."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import InputError
from engine.files.writing import replacing
from engine.study.grid import Grid
from engine.study.labels import (
    REFERENCE,
    SIZE,
    STYLE,
    LineStyle,
    add_legend,
    as_mathtext,
    axis,
    axis_title,
    capitalised,
    curve_axis,
    looks,
    plain_label,
    set_scales,
    short,
    value,
)
from engine.study.laws import Fitted, LiteratureCurve, check_formula, curves_of, fit_curve, fit_line
from engine.study.model import Claim, Fit, Study, StudyFigure
from engine.study.series import SeriesLine, as_key, differences, lines, matching, offsets_of, with_error, without_value
from engine.study.tables import StudyTables, curve_lines
from engine.words import count, typeset_text

if TYPE_CHECKING:
    import matplotlib.figure
    from matplotlib.axes import Axes


_SUFFIXES = ("svg", "pdf", "png")
_LAW_POINTS = 200  # of a curve of the literature
_MANY_POINTS = 1_000  # in a figure that are drawn as shapes; more are a picture in it, which any browser can show

Entries = list[tuple[Any, str]]
"""What the legend shows: what is drawn, and its name."""


@dataclass(frozen=True)
class WrittenFigure:
    """A written figure, or the reason why there is none.

    Parameters
    ----------
    name : of its files, without the suffix.
    title, caption : for people.
    problem : why there is nothing to draw, "" if there is.
    """

    name: str
    title: str
    caption: str = ""
    problem: str = ""


def chosen_figures(study: Study, grid: Grid) -> tuple[StudyFigure, ...]:
    """The figures of a study; by default one for each of its quantities, over the first axis."""
    if study.figure or not grid.keys:
        return study.figure
    numeric = [key for key in grid.keys if all(_is_number(point.values[key]) for point in grid.points)]
    if not numeric:
        return ()
    others = [key for key in grid.keys if key != numeric[0]]
    return tuple(
        StudyFigure(y=name, x=numeric[0], by=others[0] if others else "") for name in study.measure.numbers
    ) + tuple(StudyFigure(y=name, by=grid.keys[0]) for name in study.measure.curves)


def check_figures(grid: Grid) -> None:
    """Raise InputError for figures, fits, claims and the like about a name that is neither varied nor measured."""
    study = grid.study
    numbers, curves = set(study.measure.numbers), set(study.measure.curves)
    parts: list[tuple[str, StudyFigure | Fit | Claim, tuple[str, ...]]] = [
        *((f"figure[{k}]", one, (one.by, one.key, *one.at)) for k, one in enumerate(study.figure, start=1)),
        *((f"fit[{k}]", one, (one.by, *one.at)) for k, one in enumerate(study.fit, start=1)),
        *((f"claim[{k}]", one, (one.key, *one.at)) for k, one in enumerate(study.claim, start=1)),
    ]
    for where, one, keys in parts:
        is_curve = not isinstance(one, Claim) and not one.x
        if is_curve and one.y not in curves:
            raise InputError(f"{where}.y must be one of measure.curves where it has no x, not {one.y}", where)
        if not is_curve and numbers and one.y not in numbers:
            raise InputError(f"{where}.y must be one of measure.quantities, not {one.y}", where)
        if one.x and one.x not in grid.keys and numbers and one.x not in numbers:
            raise InputError(f"{where}.x must be a key that is varied or one of measure.quantities, not {one.x}", where)
        _check_keys(where, keys, grid)
        try:
            grid.named(one.points)
        except InputError as error:
            raise InputError(f"{where}.points: {error}", where) from None
    for k, one in enumerate(study.figure, start=1):
        for name in one.formulas:
            check_formula(name, f"figure[{k}].formulas", grid, one.at, one.by)
    for k, claim in enumerate(study.claim, start=1):
        if claim.formula:
            check_formula(claim.formula, f"claim[{k}].formula", grid, claim.at)
        if claim.expect is not None and claim.between is not None:
            _check_keys(f"claim[{k}]", (claim.x,), grid)
    for k, skip in enumerate(study.skip, start=1):
        _check_keys(f"skip[{k}]", (skip.x, *skip.at), grid)
    for k, pool in enumerate(study.pool, start=1):
        _check_keys(f"pool[{k}]", (pool.by, pool.largest, *pool.at), grid)
        for name in (pool.exponent, pool.count):
            if numbers and name not in numbers:
                raise InputError(f"pool[{k}] needs {name} among measure.quantities", f"pool[{k}]")


def _check_keys(where: str, keys: tuple[str, ...], grid: Grid) -> None:
    """Raise InputError for a key that is not varied; "" is none."""
    for key in keys:
        if key and key not in grid.keys:
            raise InputError(
                f"{where} is about {key}, which is not varied; these are: {', '.join(grid.keys) or 'none'}", where
            )


def draw_all(result: StudyTables, folder: Path) -> list[WrittenFigure]:
    """Write all figures into a folder, as SVG, PDF and PNG."""
    folder.mkdir(exist_ok=True)
    return [_written(result, wanted, name, folder) for name, wanted in named_figures(result)]


def named_figures(result: StudyTables) -> list[tuple[str, StudyFigure]]:
    """The figures of a study with the names of their files, without suffixes."""
    return [
        (f"{number:02d}-{_slug(f'{wanted.y} {wanted.x}')}", wanted)
        for number, wanted in enumerate(chosen_figures(result.study, result.grid), start=1)
    ]


def nothing_to_draw(result: StudyTables, wanted: StudyFigure) -> str:
    """Why a figure has no data, as the end of a sentence; "" if it has."""
    grid = result.grid
    points = {point.number for point in (grid.named(wanted.points) if wanted.points else matching(grid, wanted.at))}
    if not points:
        return f"no point of this study has {_conditions(wanted)}"
    if wanted.x:
        there = bool(_lines(result, wanted))
        if wanted.key and not there:
            return "nothing to compare with"
    else:
        there = any(point in points for point, *_ in result.curves_of(wanted.y))
    return "" if there else f"no run has a value of {wanted.y}"


def draw(result: StudyTables, wanted: StudyFigure) -> matplotlib.figure.Figure:
    """One figure of a study, drawn with matplotlib, to show or change."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    with mpl.rc_context(STYLE):
        figure = Canvas(figsize=SIZE, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        entries = (_means if wanted.x else _curves)(axes, result, wanted)
        entries += _formulas(axes, _literature(result.grid, wanted))
        entries += _reference(axes, wanted)
        difference = ", relative difference" if wanted.key else ""
        axes.set_ylabel(axis(wanted.y, result.grid) + difference)
        set_scales(axes, wanted.log)
        add_legend(figure, entries, _legend_title(result.grid, wanted))
    return figure


def _legend_title(grid: Grid, wanted: StudyFigure) -> str | None:
    found = grid.axis_of(wanted.by) if wanted.by else None
    return None if found is None else as_mathtext(axis_title(found))


def _slug(text: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in text.strip().lower())


def _written(result: StudyTables, wanted: StudyFigure, name: str, folder: Path) -> WrittenFigure:
    import matplotlib as mpl

    title = wanted.title or _title(result, wanted)
    problem = nothing_to_draw(result, wanted)
    if problem:
        return WrittenFigure(name, title, problem=problem)
    figure = draw(result, wanted)
    with mpl.rc_context(STYLE):
        for suffix in _SUFFIXES:
            metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[suffix]
            with replacing(folder / f"{name}.{suffix}") as partial:
                figure.savefig(partial, format=suffix, metadata=metadata, dpi=160)
    return WrittenFigure(name, title, _caption(result, wanted))


def _lines(result: StudyTables, wanted: StudyFigure) -> list[SeriesLine]:
    """The lines of a figure whose x is a parameter."""
    means, offsets = None, offsets_of(result.runs, wanted.y)
    if wanted.key:
        found = differences(result.runs, result.grid, wanted.y, wanted.key, wanted.base, wanted.at)
        means = {one.point.number: (one.relative, one.error) for one in found}
        offsets = {one.point.number: one.offsets for one in found if one.offsets is not None}
    return lines(result.summary(), result.grid, wanted.y, wanted.x, wanted.by, wanted.at, means, offsets)


def _looks(grid: Grid, wanted: StudyFigure, found: list[SeriesLine]) -> list[LineStyle]:
    """The style of the lines; differences look like the quantities themselves if the base has a line too."""
    on = grid.axis_of(wanted.by) if wanted.by else None
    shown = [line.of for line in found]
    if not wanted.key or on is None:
        return looks(shown)
    every = list(dict.fromkeys(as_key(grid.value_on(on, point)) for point in matching(grid, wanted.at)))
    known = dict(zip(every, looks(every), strict=True))
    return [known[one] for one in shown]


def _means(axes: Axes, result: StudyTables, wanted: StudyFigure) -> Entries:
    grid, entries = result.grid, Entries()
    found = _lines(result, wanted)
    laws = laws_of(result.study, wanted)
    as_picture = sum(len(line.x) for line in found) > _MANY_POINTS
    for line, look in zip(found, _looks(grid, wanted, found), strict=True):
        error = np.where(np.isfinite(line.error), line.error, 0.0)
        fitted = [fit_line(line, law.law, law.between) for law in laws]
        drawn = axes.errorbar(
            line.x, line.y, yerr=error, color=look.color, marker=look.marker, markersize=4.5,
            linewidth=0.0 if fitted or wanted.formulas else 1.0, elinewidth=1.0, capsize=2.5,
            rasterized=as_picture,
        )  # fmt: skip
        for one in fitted:
            _law(axes, one, look.color)
        words = ": ".join([value(line.of)] * bool(wanted.by) + [typeset_text(in_words(one)) for one in fitted])
        if words and look.named:
            entries.append((drawn, words))
    axes.set_xlabel(axis(wanted.x, grid))
    return entries


def _law(axes: Axes, fitted: Fitted, color: str) -> None:
    if fitted.problem:
        return
    x = np.geomspace(fitted.low, fitted.high, 60) if fitted.low > 0.0 else np.linspace(fitted.low, fitted.high, 60)
    axes.plot(x, fitted.at(x), color=color, linewidth=1.0)


def _curves(axes: Axes, result: StudyTables, wanted: StudyFigure) -> Entries:
    grid, entries = result.grid, Entries()
    found = curve_lines(result.curves_of(wanted.y), grid, wanted.by, wanted.at, wanted.points)
    laws = laws_of(result.study, wanted)
    for line, look in zip(found, looks([line.of for line in found]), strict=True):
        x, y, error = line.x, line.y, line.error
        low = y - error
        if "y" in wanted.log:  # a histogram has empty bins
            shown = y > 0.0
            x, y, error = x[shown], y[shown], error[shown]
            low = np.maximum(y - error, 0.1 * y)
        fitted = [fit_curve(line, law) for law in laws]
        (drawn,) = axes.plot(
            x,
            y,
            color=look.color,
            linewidth=0.0 if fitted else 1.2,
            marker=look.marker if fitted else "",
            markersize=4.5,
        )
        axes.fill_between(x, low, y + error, color=look.color, alpha=0.25, linewidth=0.0)
        for one in fitted:
            _law(axes, one, look.color)
        words = ": ".join([value(line.of)] * (line.of is not None) + [typeset_text(in_words(one)) for one in fitted])
        if words and look.named:
            entries.append((drawn, words))
    axes.set_xlabel(curve_axis(wanted.y, result.store.axes_of(wanted.y)))
    return entries


def _literature(grid: Grid, wanted: StudyFigure) -> list[LiteratureCurve]:
    """The curves of the literature in a figure."""
    return [curve for name in wanted.formulas for curve in curves_of(name, grid, wanted.at)]


def _formulas(axes: Axes, curves: list[LiteratureCurve]) -> Entries:
    """Curves of the literature, over the range of the data."""
    ends = [float(end) for line in axes.lines for end in np.asarray(line.get_xdata(), np.float64) if np.isfinite(end)]
    if not ends:
        return []
    x, entries = np.linspace(min(ends), max(ends), _LAW_POINTS), Entries()
    for law, style in zip(curves, itertools.cycle(("-", "--", ":")), strict=False):
        (drawn,) = axes.plot(x, law.at(x), color=REFERENCE, linestyle=style, linewidth=1.0, zorder=1.5)
        entries.append((drawn, as_mathtext(law.label)))
    return entries


def _joined(wanted: StudyFigure) -> bool:
    """Whether reference points are joined by a line: they are crosses if there is only one, or if there are curves from
    the literature."""
    return len(wanted.reference) > 1 and not wanted.formulas


def _reference(axes: Axes, wanted: StudyFigure) -> Entries:
    """Draw values of the literature as a dashed line or crosses; returns their entry in the legend."""
    if not wanted.reference:
        return []
    x, y = np.array(wanted.reference).T
    style = {"linestyle": "--", "linewidth": 1.2} if _joined(wanted) else {"linestyle": "none", "marker": "x"}
    (drawn,) = axes.plot(x, y, color=REFERENCE, markersize=6, **style)
    return [(drawn, as_mathtext(wanted.source or "reference"))]


def laws_of(study: Study, wanted: StudyFigure) -> list[Fit]:
    """The fits to the data of a figure."""
    if wanted.key:
        return []
    shown = (wanted.y, wanted.x, wanted.by, wanted.at, wanted.points)
    return [law for law in study.fit if (law.y, law.x, law.by, law.at, law.points) == shown]


def in_words(fitted: Fitted) -> str:
    """A law as text for a legend or a table."""
    if fitted.problem:
        return fitted.problem
    a, b = with_error(*fitted.amplitude), with_error(*fitted.slope)
    return {
        "power": f"exponent {b}",
        "exponential": f"rate {b}",
        "linear": f"slope {b}",
        "constant": f"mean {a}",
    }[fitted.law]


def _title(result: StudyTables, wanted: StudyFigure) -> str:
    text = plain_label(wanted.y, result.grid)
    text = capitalised(text)
    return f"{text} over {_lowered(plain_label(wanted.x, result.grid))}" if wanted.x else text


def _caption(result: StudyTables, wanted: StudyFigure) -> str:
    """Sentences that say what the figure shows."""
    grid, seeds = result.grid, result.study.seeds.count
    if wanted.points:
        seeds = max(point.seeds for point in grid.named(wanted.points))
    said = {wanted.x, wanted.by, *wanted.at}
    merged = " and ".join(axis_title(one) for one in grid.axes if not wanted.points and not said & set(one.all_keys))
    parts = []
    drawn = "point" if wanted.x else "set of points" if laws_of(result.study, wanted) else "line"
    if seeds == 1 and not merged:
        parts.append(f"Each {drawn} is a single run, which has no error bar.")
    else:
        runs = f"{count(seeds)} runs with different random numbers" if seeds > 1 else "runs"
        every = f", at every value of {merged}" if merged else ""
        parts.append(f"Each {drawn} is the mean of {runs}{every}.")
        if seeds > 1:
            parts.append(f"{'Bars' if wanted.x else 'Bands'} show ± one standard error.")
    if wanted.x:
        chosen = grid.named(wanted.points) if wanted.points else matching(grid, wanted.at)
        lacking, done = without_value(result.runs, wanted.y, [point.number for point in chosen])
        if 0 < lacking < done:
            parts.append(f"Means include the {count(done - lacking)} of {count(done)} runs that have a value.")
    if result.failed:
        parts.append("Failed runs are left out.")
    if not result.complete:
        parts.append("The study is not complete.")
    if wanted.key:
        parts.append(f"Differences are taken seed by seed from {wanted.base}, relative to its mean.")
    if wanted.at:
        parts.append(f"Only runs with {_conditions(wanted)}.")
    if laws_of(result.study, wanted):
        parts.append("Lines are fitted laws.")
    if wanted.formulas:
        sources = dict.fromkeys(curve.source for curve in _literature(result.grid, wanted))
        parts.append("Grey: " + "; ".join(sources) + ".")
    if wanted.reference:
        mark = "Dashed" if _joined(wanted) else "Crosses" if len(wanted.reference) > 1 else "Cross"
        parts.append(f"{mark}: {wanted.source or 'reference'}.")
    return " ".join(parts)


def _conditions(wanted: StudyFigure) -> str:
    return ", ".join(f"{short(key)} = {value(one)}" for key, one in wanted.at.items())


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def _is_number(one: Any) -> bool:
    return isinstance(one, int | float) and not isinstance(one, bool)
