"""Which of the live keys have no effect, and why. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from aggviewer.panels.contents import FRACTION, FRICTION, GAMMA, LIVE_SECTIONS, METHOD, SCHEME, STEP

_EXACT = "The event-driven method is exact and has no time step. Switch to time stepping to use these."


@dataclass(frozen=True)
class Inert:
    """reasons: key to the sentence for its tool tip; notes: title of a section to the line that stands in it."""

    reasons: dict[str, str]
    notes: dict[str, str]


def inert(value: Callable[[str], Any], methods: Collection[str]) -> Inert:
    """What cannot be changed, given the values of the keys and the methods that run."""
    if "time-stepping" not in methods:
        keys = [key for keys in LIVE_SECTIONS.values() for key in keys if key != METHOD]
        notes = {"Method": "Clusters: used by time stepping only.", "Time step": _EXACT, "Damping": _EXACT}
        return Inert(dict.fromkeys(keys, _EXACT), notes)
    reasons: dict[str, str] = {}
    notes = {}
    if value(STEP) != "adaptive":
        reasons[FRACTION] = "Used by the adaptive step only."
        notes["Time step"] = "f: used by the adaptive step only."
    if value(SCHEME) != "damped":
        reasons[GAMMA] = reasons[FRICTION] = "Used by the damped scheme only."
        notes["Damping"] = "γ and c: used by the damped scheme only."
    return Inert(reasons, notes)
