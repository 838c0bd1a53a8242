"""What the transport bar leaves out where there is little room, in its order."""

from __future__ import annotations

from collections.abc import Callable

_ORDER = (
    "speed word",
    "run.new_seed",
    "words",  # beside the icons that lead back to the present
    "value",  # of the speed: the slider's tooltip tells it
    "long slider",
    "run.step_frame",
    "run word",
    "run.restart",
    "time",  # the status bar has it too
    "run.fastest",
)


def left_out(width: int, needed: Callable[[frozenset[str]], int]) -> frozenset[str]:
    """The first things to leave out so that `needed(left out)`, a width in pixels, is at most `width`; all of them
    where nothing helps. Everything that is left out is in the menus, or told elsewhere."""
    out: frozenset[str] = frozenset()
    for count in range(len(_ORDER) + 1):
        out = frozenset(_ORDER[:count])
        if needed(out) <= width:
            break
    return out
