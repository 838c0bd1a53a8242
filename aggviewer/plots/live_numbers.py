"""The numbers in the corner of a plot, updated with every measured state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aggviewer.plots.plot import NumberMark
from aggviewer.plots.runs import RunStyle, looks, short_names
from aggviewer.style.theme import Colors


def live_numbers(
    told: Sequence[Mapping[str, str]], runs: Sequence[RunStyle], theme: Colors, marks: Mapping[str, NumberMark]
) -> list[str]:
    """A line of rich text for each symbol: ``D_f = 1.795``, or ``D_f ● ED 1.795 ○ TS 1.791`` for two runs.

    told : for each run, number by symbol, rich text; marks : the mark before each symbol.
    """
    symbols = list(dict.fromkeys(symbol for values in told for symbol in values))
    # several lines would be too long with names, which the legend gives
    names = short_names(runs) if len(symbols) == 1 else [""] * len(runs)
    lines = []
    for symbol in symbols:
        head = _marked(symbol, runs, theme, marks)
        words = [f"{head} =" if len(runs) == 1 else head]
        for values, name, look in zip(told, names, looks(runs, theme), strict=True):
            if symbol in values:
                mark = [] if look.alone else [look.swatch, name]
                words.append("&nbsp;".join(part for part in (*mark, f"<b>{values[symbol]}</b>") if part))
        lines.append(" ".join(words))
    return lines


def _marked(symbol: str, runs: Sequence[RunStyle], theme: Colors, marks: Mapping[str, NumberMark]) -> str:
    """A symbol with its mark."""
    mark = marks.get(symbol)
    if mark is None:
        return symbol
    if not mark.coloured:
        return f"{mark.stroke} {symbol}"
    one = looks(runs, theme)[0]
    colour = one.colour if one.alone else theme.text
    return f'<span style="color:{colour}">{mark.stroke}</span> {symbol}'
