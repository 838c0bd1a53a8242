"""Empty axes on which a point is predicted with a pencil."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape, unescape
from math import ceil, floor, log10
from typing import Protocol

from aggviewer.lessons.answers import told
from aggviewer.lessons.model import Predict
from aggviewer.lessons.source import Found
from aggviewer.systems.registry import plots_of
from engine.errors import InputError

WIDTH, HEIGHT = 400, 230
"""Of the picture, in CSS pixels."""

_LEFT, _TOP, _BELOW = 56.0, 12.0, 44.0  # room for the labels
_AT = 0.6  # share of the width at which the given x stands
_TICKS = 5
_INDICES = {
    **dict(zip("0123456789", "₀₁₂₃₄₅₆₇₈₉", strict=True)),
    **dict(zip("aefhijklmnoprstuvx", "ₐₑfₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True)),
}


class Drawing(Protocol):
    """A picture on a sheet, `WIDTH` × `HEIGHT` CSS pixels large."""

    def svg(self) -> str:
        """The picture, black on nothing."""
        ...


@dataclass(frozen=True)
class EmptyAxes:
    """Axes with a line at the given x.

    Parameters
    ----------
    x_label, y_label : with symbol and unit.
    x : where the line stands.
    y_ticks : numbers at the y axis, as shares of its height; empty for marks without numbers.
    """

    x_label: str
    y_label: str
    x: float
    y_ticks: tuple[tuple[float, str], ...]

    @classmethod
    def of(cls, question: Predict, step: int, found: Found) -> EmptyAxes:
        """The axes of a question for a point. step : its number, from 1. InputError where there is no such plot."""
        settings = [one.set for one in found.lesson.step[:step] if one.set is not None and one.set.begins]
        plots = {plot.key(): plot for plot in plots_of(found.scenario(settings[-1]).system)}
        if question.plot not in plots:
            raise InputError(f"there is no plot {question.plot}; there are {', '.join(plots)}", "plot")
        axes = plots[question.plot].axes
        assert question.x is not None
        return cls(_plain(axes.x), _plain(axes.y), question.x, _ticks(question, axes.y_log))

    def svg(self) -> str:
        """The picture, black on nothing."""
        right, bottom = WIDTH - 8.0, HEIGHT - _BELOW
        at = _LEFT + _AT * (right - _LEFT)
        high = bottom - _TOP
        ticks = self.y_ticks or tuple((k / _TICKS, "") for k in range(_TICKS + 1))
        parts = [
            f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="#000" stroke-width="1.2"/>',
            f'<path d="M{at} {_TOP}V{bottom}" stroke="#000" stroke-width="1" stroke-dasharray="5 4"/>',
            svg_text(at, bottom + 17.0, told(self.x)),
            svg_text((_LEFT + right) / 2.0, HEIGHT - 6.0, self.x_label),
            f'<g transform="translate(12 {_TOP + high / 2.0}) rotate(-90)">{svg_text(0.0, 0.0, self.y_label)}</g>',
        ]
        for share, label in ticks:
            y = bottom - share * high
            parts.append(f'<path d="M{_LEFT - 5.0} {y:.1f}H{_LEFT}" stroke="#000"/>')
            if 0.0 < share <= 1.0:
                parts.append(f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="#ccc" stroke-width="0.6"/>')
            if label:
                parts.append(svg_text(_LEFT - 8.0, y + 4.0, label, "end"))
        return svg_picture(parts)


def svg_picture(parts: Iterable[str]) -> str:
    """A picture of these parts."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>'
    )


def svg_text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    """Words in a picture."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-family="sans-serif" font-size="12">'
        f"{escape(words)}</text>"
    )


def _plain(label: str) -> str:
    """A label of a plot without its markup: indices as characters, where there are such."""
    label = re.sub(r"<sub>(.*?)</sub>", lambda found: "".join(_INDICES.get(c, c) for c in found[1]), label)
    return unescape(re.sub(r"<[^>]*>", "", label))


def _ticks(question: Predict, log: bool) -> tuple[tuple[float, str], ...]:
    """Numbers from the least to the greatest answer, where the lesson says these."""
    low, high = question.low, question.high
    if low is None or high is None or (log and low <= 0.0):
        return ()
    if log:
        first, last = log10(low), log10(high)
        values = [10.0**power for power in range(ceil(first - 1e-9), floor(last + 1e-9) + 1)]
        return tuple(((log10(value) - first) / (last - first), told(value)) for value in values)
    values = [low + (high - low) * k / _TICKS for k in range(_TICKS + 1)]
    return tuple(((value - low) / (high - low), told(value)) for value in values)
