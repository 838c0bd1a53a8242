"""The figures of a study: means with error bars over a parameter, mean curves, laws and reference points."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import InputError
from engine.files.atomic import replacing
from engine.study.fits import Fitted, fit_line
from engine.study.formulas import FORMULAS, check_formula
from engine.study.grid import Grid
from engine.study.labels import axis, axis_title, curve_axis, formulas, label, short, value
from engine.study.model import Claim, Figure, Fit, Study
from engine.study.series import lines, matching, with_error
from engine.study.tables import mean_curve

if TYPE_CHECKING:
    import matplotlib.figure
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from engine.study.result import StudyResult

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a7a00", "#56b4e9", "#e69f00", "#444444")
"""Okabe and Ito's, which colour-blind eyes tell apart."""

_MARKERS = "osD^vP*X"
_STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#d8dce2",
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.hashsalt": "aggviewer",  # the same figure gives the same file
    "svg.fonttype": "path",
}
_SUFFIXES = ("svg", "pdf", "png")
_SIZE = (6.4, 4.0)  # inches
_THIN = "\N{NARROW NO-BREAK SPACE}"  # between thousands
_MOST_TICKS = 8
_CLOSEST = 0.12  # decades between two ticks with numbers
_PLAIN = (1e-3, 1e4)  # between them numbers are written without powers of ten
_LAW_POINTS = 200  # of a curve of the literature


@dataclass(frozen=True)
class Drawn:
    """A figure that was written.

    Parameters
    ----------
    name : of its files, without the suffix.
    title, caption : for people.
    """

    name: str
    title: str
    caption: str


def chosen_figures(study: Study, grid: Grid) -> tuple[Figure, ...]:
    """The figures of a study; where it names none, one for each quantity that is asked for, over the first axis."""
    if study.figure or not grid.keys:
        return study.figure
    numeric = [key for key in grid.keys if all(_is_number(point.values[key]) for point in grid.points)]
    if not numeric:
        return ()
    others = [key for key in grid.keys if key != numeric[0]]
    return tuple(
        Figure(y=name, x=numeric[0], by=others[0] if others else "") for name in study.measure.quantities
    ) + tuple(Figure(y=name, by=grid.keys[0]) for name in study.measure.curves)


def check_figures(grid: Grid) -> None:
    """Raise InputError for figures, fits and claims about what is neither varied nor measured."""
    study = grid.study
    numbers, curves = set(study.measure.quantities), set(study.measure.curves)
    parts: list[tuple[str, Figure | Fit | Claim, tuple[str, ...]]] = [
        *((f"figure[{k}]", one, (one.by, *one.at)) for k, one in enumerate(study.figure, start=1)),
        *((f"fit[{k}]", one, (one.by, *one.at)) for k, one in enumerate(study.fit, start=1)),
        *((f"claim[{k}]", one, (one.key, *one.at)) for k, one in enumerate(study.claim, start=1)),
    ]
    for where, one, keys in parts:
        is_curve = isinstance(one, Figure) and not one.x
        if is_curve and one.y not in curves:
            raise InputError(f"{where}.y must be one of measure.curves where it has no x, not {one.y}", where)
        if not is_curve and numbers and one.y not in numbers:
            raise InputError(f"{where}.y must be one of measure.quantities, not {one.y}", where)
        if one.x and one.x not in grid.keys and numbers and one.x not in numbers:
            raise InputError(f"{where}.x must be a key that is varied or one of measure.quantities, not {one.x}", where)
        _check_keys(where, keys, grid)
    for k, one in enumerate(study.figure, start=1):
        for name in one.formulas:
            check_formula(name, f"figure[{k}].formulas")
    for k, claim in enumerate(study.claim, start=1):
        if claim.formula:
            check_formula(claim.formula, f"claim[{k}].formula")
        if claim.expect is not None and claim.between is not None:
            _check_keys(f"claim[{k}]", (claim.x,), grid)
    for k, pool in enumerate(study.pool, start=1):
        _check_keys(f"pool[{k}]", (pool.by, *pool.at), grid)
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


def draw_all(result: StudyResult, folder: Path) -> list[Drawn]:
    """Write all figures into a folder, as SVG, PDF and PNG."""
    folder.mkdir(exist_ok=True)
    return [_written(result, wanted, number, folder) for number, wanted in _numbered(result)]


def draw(result: StudyResult, wanted: Figure) -> matplotlib.figure.Figure:
    """One figure, for whoever wants to show or change it."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure as Canvas

    with mpl.rc_context(_STYLE):
        figure = Canvas(figsize=_SIZE, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        if wanted.x:
            _means(axes, result, wanted)
        else:
            _curves(axes, result, wanted)
        _formulas(axes, wanted)
        _reference(axes, wanted)
        axes.set_ylabel(axis(wanted.y, result.grid))
        if "x" in wanted.log and _any_positive(line.get_xdata() for line in axes.lines):
            axes.set_xscale("log")
            _plain_numbers(axes.xaxis, [one.values[wanted.x] for one in result.grid.points if wanted.x in one.values])
        if "y" in wanted.log and _any_positive(line.get_ydata() for line in axes.lines):
            axes.set_yscale("log")
            _plain_numbers(axes.yaxis, [])
        handles, names = axes.get_legend_handles_labels()
        if handles:
            own = [isinstance(one, ErrorbarContainer) for one in handles]  # the data before what they are compared with
            order = sorted(range(len(handles)), key=lambda k: not own[k])
            axes.legend(
                [handles[k] for k in order],
                [names[k] for k in order],
                fontsize="small",
                title=_legend_title(result.grid, wanted),
            )
        axes.margins(0.05)
    return figure


def _any_positive(values: Iterable[Any]) -> bool:
    """Whether a logarithmic axis has anything to show."""
    return any((np.asarray(one, np.float64) > 0.0).any() for one in values)


def _plain_numbers(one: Axis, values: list[Any]) -> None:
    """Numbers without powers of ten on a logarithmic axis that is short, and those of the parameter where they are few.

    values : of the parameter below the axis.
    """
    from matplotlib.ticker import FuncFormatter, LogFormatter, NullLocator

    low, high = sorted(one.get_view_interval())
    steps = sorted({float(value) for value in values if _is_number(value)})
    if 1 < len(steps) <= _MOST_TICKS and np.log10(np.array(steps[1:]) / steps[:-1]).min() > _CLOSEST:
        one.set_ticks(steps, labels=[f"{step:,g}".replace(",", _THIN) if step < 1e6 else f"{step:g}" for step in steps])
        one.set_minor_locator(NullLocator())
    elif low > _PLAIN[0] and high < _PLAIN[1]:
        one.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
        one.set_minor_formatter(LogFormatter(minor_thresholds=(1.0, 0.4)))


def _legend_title(grid: Grid, wanted: Figure) -> str | None:
    found = grid.axis_of(wanted.by) if wanted.by else None
    return None if found is None else formulas(axis_title(found))


def _numbered(result: StudyResult) -> Iterator[tuple[int, Figure]]:
    yield from enumerate(chosen_figures(result.study, result.grid), start=1)


def _written(result: StudyResult, wanted: Figure, number: int, folder: Path) -> Drawn:
    import matplotlib as mpl

    figure = draw(result, wanted)
    slug = "".join(letter if letter.isalnum() else "-" for letter in f"{wanted.y} {wanted.x}".strip().lower())
    name = f"{number:02d}-{slug}"
    with mpl.rc_context(_STYLE):
        for suffix in _SUFFIXES:
            metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[suffix]
            with replacing(folder / f"{name}.{suffix}") as partial:
                figure.savefig(partial, format=suffix, metadata=metadata, dpi=160)
    return Drawn(name, wanted.title or _title(result, wanted), _caption(result, wanted))


def _means(axes: Axes, result: StudyResult, wanted: Figure) -> None:
    grid = result.grid
    for k, line in enumerate(lines(result.summary(), grid, wanted.y, wanted.x, wanted.by, wanted.at)):
        error = np.where(np.isfinite(line.error), line.error, 0.0)
        color = COLORS[k % len(COLORS)]
        fitted = [fit_line(line, law.law, law.between) for law in laws_of(result.study, wanted)]
        words = [value(line.of)] * bool(wanted.by) + [in_words(one) for one in fitted]
        axes.errorbar(
            line.x, line.y, yerr=error, color=color, marker=_MARKERS[k % len(_MARKERS)], markersize=4.5,
            linewidth=0.0 if fitted or wanted.formulas else 1.0, elinewidth=1.0, capsize=2.5,
            label=": ".join(words) or None,
        )  # fmt: skip
        for one in fitted:
            _law(axes, one, color)
    axes.set_xlabel(axis(wanted.x, grid))


def _law(axes: Axes, fitted: Fitted, color: str) -> None:
    if fitted.problem:
        return
    x = np.geomspace(fitted.low, fitted.high, 60) if fitted.low > 0.0 else np.linspace(fitted.low, fitted.high, 60)
    axes.plot(x, fitted.at(x), color=color, linestyle="--", linewidth=0.9)


def _curves(axes: Axes, result: StudyResult, wanted: Figure) -> None:
    grid = result.grid
    table = result.curves(wanted.y)
    names = result.store.axes_of(wanted.y)
    groups: dict[Any, list[Any]] = {}
    numbers = {point.number: point for point in matching(grid, wanted.at)}
    for (number, _), one in table.groupby(["point", "seed"], sort=True):
        if number in numbers:
            on = grid.axis_of(wanted.by) if wanted.by else None
            of = None if on is None else grid.value_on(on, numbers[number])
            pair = (one["x"].to_numpy(np.float64), one["y"].to_numpy(np.float64))
            groups.setdefault(tuple(of) if isinstance(of, list) else of, []).append(pair)
    for k, (of, found) in enumerate(groups.items()):
        mean = mean_curve(found)
        x, y, error = mean["x"], mean["y"], mean["error"]
        if "y" in wanted.log:  # a histogram has empty bins
            shown = y > 0.0
            x, y, error = x[shown], y[shown], error[shown]
        low = np.maximum(y - error, 0.1 * y) if "y" in wanted.log else y - error
        color = COLORS[k % len(COLORS)]
        axes.plot(x, y, color=color, linewidth=1.2, label=value(of) if wanted.by else None)
        axes.fill_between(x, low, y + error, color=color, alpha=0.25, linewidth=0.0)
    axes.set_xlabel(curve_axis(wanted.y, names))


def _formulas(axes: Axes, wanted: Figure) -> None:
    """Curves of the literature, over the range of the data."""
    ends = [float(end) for line in axes.lines for end in np.asarray(line.get_xdata(), np.float64) if np.isfinite(end)]
    if not ends:
        return
    x = np.linspace(min(ends), max(ends), _LAW_POINTS)
    for name, style in zip(wanted.formulas, itertools.cycle(("-", "--", ":")), strict=False):
        axes.plot(x, FORMULAS[name].at(x), color="#444444", linestyle=style, linewidth=1.0, zorder=1.5,
                  label=formulas(FORMULAS[name].label))  # fmt: skip


def _reference(axes: Axes, wanted: Figure) -> None:
    if wanted.reference:
        x, y = np.array(wanted.reference).T
        joined = len(x) > 1 and not wanted.formulas
        style = {"linestyle": "-", "linewidth": 1.0} if joined else {"linestyle": "none"}
        axes.plot(x, y, color="#444444", marker="x", markersize=5, label=wanted.source or "reference", **style)


def laws_of(study: Study, wanted: Figure) -> list[Fit]:
    """The fits through what a figure shows."""
    shown = (wanted.y, wanted.x, wanted.by, wanted.at)
    return [law for law in study.fit if (law.y, law.x, law.by, law.at) == shown]


def in_words(fitted: Fitted) -> str:
    """A law as a legend or a table has it."""
    if fitted.problem:
        return fitted.problem
    a, b = with_error(*fitted.amplitude), with_error(*fitted.slope)
    return {
        "power": f"exponent {b}",
        "exponential": f"rate {b}",
        "linear": f"slope {b}",
        "constant": f"mean {a}",
    }[fitted.law]


def _title(result: StudyResult, wanted: Figure) -> str:
    text = label(wanted.y, result.grid)
    text = text[:1].upper() + text[1:]
    return f"{text} over {_lowered(label(wanted.x, result.grid))}" if wanted.x else text


def _caption(result: StudyResult, wanted: Figure) -> str:
    """What the figure shows, in sentences."""
    grid, seeds = result.grid, result.study.seeds.count
    parts = []
    what = "means" if wanted.x else "mean curves"
    band = "bars" if wanted.x else "bands"
    parts.append(f"Points: {what} of {seeds} runs; {band}: one standard error." if wanted.x else
                 f"Lines: {what} of {seeds} runs; {band}: one standard error.")  # fmt: skip
    if wanted.at:
        parts.append("Only " + ", ".join(f"{short(key)} = {value(one)}" for key, one in wanted.at.items()) + ".")
    said = {wanted.x, wanted.by, *wanted.at}
    merged = [axis_title(one) for one in grid.axes if not said & set(one.all_keys)]
    if merged:
        parts.append(f"Averaged over {', '.join(merged)}.")
    if laws_of(result.study, wanted):
        parts.append("Dashed: fitted laws.")
    if wanted.formulas:
        parts.append("Grey: " + "; ".join(FORMULAS[name].source for name in wanted.formulas) + ".")
    if wanted.reference:
        parts.append(f"Crosses: {wanted.source or 'reference'}.")
    return " ".join(parts)


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def _is_number(one: Any) -> bool:
    return isinstance(one, int | float) and not isinstance(one, bool)
