"""Narrow bars: the least important parts are hidden first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Stage = TypeVar("Stage")


def first_fitting(stages: Iterable[Stage], needed: Callable[[Stage], int], width: int) -> Stage:
    """The first stage of a bar that fits into a width.

    Parameters
    ----------
    stages : at least one, from everything to the least that the bar can show.
    needed : returns the width of the bar at a stage in pixels; may rearrange the bar.
    width : available pixels.

    Returns
    -------
    Stage
        The first stage for which `needed` is at most `width`, else the last.
    """
    last: list[Stage] = []
    for stage in stages:
        if needed(stage) <= width:
            return stage
        last = [stage]
    return last[0]
