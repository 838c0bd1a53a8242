"""How a bar gets narrower: it leaves out first what can be missed most."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Stage = TypeVar("Stage")


def first_fitting(stages: Iterable[Stage], needed: Callable[[Stage], int], width: int) -> Stage:
    """The first stage of a bar that fits into a width.

    Parameters
    ----------
    stages : at least one, from all that the bar can show to the least.
    needed : pixels that the bar takes at a stage; it may arrange the bar for that.
    width : pixels that there are.

    Returns
    -------
    Stage
        The first for which `needed` is at most `width`, the last where none is.
    """
    last: list[Stage] = []
    for stage in stages:
        if needed(stage) <= width:
            return stage
        last = [stage]
    return last[0]
