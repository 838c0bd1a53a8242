"""How plots look, as session files hold it: scales and ranges that a person has chosen."""

from __future__ import annotations

from math import isfinite
from typing import Any

MOST = 64
"""Plots, at most."""

_MOST_NAME, _MOST_VIEWS = 100, 8

PlotLooks = dict[str, list[dict[str, Any]]]
"""By the name of the plot, ``hard-discs/MotionPlot``: for each of its parts, what is not as the plot has it by itself:
``logarithmic``, whether each axis is, and ``range``, the ends of both axes."""


def readable(value: object) -> PlotLooks | None:
    """What can be read of looks from anywhere; all else is left out. None where there are none."""
    if not isinstance(value, dict):
        return None
    found = {}
    for name, parts in list(value.items())[:MOST]:
        if isinstance(name, str) and len(name) <= _MOST_NAME and isinstance(parts, list) and len(parts) <= _MOST_VIEWS:
            kept = [_part(part) for part in parts]
            if any(kept):
                found[name] = kept
    return found


def _part(value: object) -> dict[str, Any]:
    """One part of a plot."""
    part: dict[str, Any] = {}
    given = value if isinstance(value, dict) else {}
    logs, ends = given.get("logarithmic"), given.get("range")
    if isinstance(logs, list) and len(logs) == 2 and all(isinstance(log, bool) for log in logs):
        part["logarithmic"] = logs
    if isinstance(ends, list) and len(ends) == 4 and all(map(_is_number, ends)):
        part["range"] = [float(end) for end in ends]
    return part


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return isfinite(float(value))
    except OverflowError:  # a whole number of hundreds of digits
        return False
