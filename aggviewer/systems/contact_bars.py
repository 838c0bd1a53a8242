"""Bars for the shares of discs with 0, 1, … contacts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from aggviewer.plots.drawing import Bounds, Floats, Numbers, PlotDrawing, PlotSeries, Ticks, drawing
from aggviewer.plots.plot import Shown, StartDiscs


def shares_in_bars(last_bar: int) -> Shown:
    """Convert a study's curve, the numbers of discs with 0, 1, … contacts, to shares in these bars."""

    def shown(contacts: Floats, counts: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
        binned = in_bars(counts, last_bar)
        return np.arange(last_bar + 1.0), binned / max(1.0, float(binned.sum()))

    return shown


def in_bars(discs: ArrayLike, last_bar: int) -> Floats:
    """Numbers of discs by bar, (last_bar + 1,), from numbers by contacts; the last bar has all further ones."""
    found = np.asarray(discs, np.float64)
    counts = np.zeros(last_bar + 1)
    counts[: min(len(found), last_bar)] = found[:last_bar]
    counts[last_bar] = np.sum(found[last_bar:])
    return counts


def bar_ticks(last_bar: int) -> Ticks:
    """Ticks with a label below each bar."""
    return Ticks([*((float(k), str(k)) for k in range(last_bar)), (float(last_bar), f"≥ {last_bar}")])


def share_ticks(labelled: tuple[float, ...], lines: tuple[float, ...] = ()) -> Ticks:
    """Ticks with labelled shares, and further grid lines."""
    return Ticks([(share, f"{100 * share:.0f} %") for share in labelled], lines)


def contact_bars(
    counts: Floats, numbers: Numbers, bounds: Bounds, more: Callable[[int], str] = lambda index: ""
) -> PlotDrawing:
    """Bars for the shares of these numbers of discs; the last bar has all with more contacts.

    They have no error bars: contacts of neighbours are correlated, so the shares vary about half as much as for
    independent discs.

    Parameters
    ----------
    counts : (B,), numbers of discs with 0, 1, … contacts.
    more : additional text for the bar under the pointer.
    """
    shares = counts / max(1.0, float(counts.sum()))

    def words(index: int) -> str:
        name = f"{index} or more" if index == len(counts) - 1 else str(index)
        return f"{name}: {100 * shares[index]:.1f} %{more(index)}"

    return drawing([PlotSeries("bars", np.arange(float(len(counts))), shares, "bars", words=words)], bounds, numbers)
