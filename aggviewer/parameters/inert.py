"""Which of the live keys have no effect, and why. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from aggviewer.parameters.layout import (
    BOUNDARY,
    FRACTION,
    FRICTION,
    GAMMA,
    GRAVITY,
    GROWTH,
    GROWTH_ENDS,
    METHOD,
    SCHEME,
    STEP,
    SYSTEM,
    SYSTEM_SECTIONS,
    WALL_RESTITUTION,
)

_EXACT = "The event-driven method is exact and has no time step. Switch to time stepping to use these."


@dataclass(frozen=True)
class Aside:
    """Keys that one folded line stands for: its name, and who uses them."""

    keys: tuple[str, ...] = ()
    name: str = ""
    used_by: str = ""


@dataclass(frozen=True)
class Inert:
    """reasons: key to the sentence for its tool tip; notes: title of a section to the line that stands in it; aside:
    keys of a whole subject that another choice would bring, with the name of the subject and what brings it."""

    reasons: dict[str, str]
    notes: dict[str, str]
    aside: Aside = Aside()


def inert(value: Callable[[str], Any], methods: Collection[str]) -> Inert:
    """What cannot be changed, given the values of the keys and the methods that run."""
    if value(SYSTEM) == "jamming":
        return Inert({}, {})
    return _bouncing(value) if value(SYSTEM) == "hard-discs" else _sticking(value, methods)


def _bouncing(value: Callable[[str], Any]) -> Inert:
    reasons: dict[str, str] = {}
    notes = {}
    if value(BOUNDARY) == "periodic":
        reasons[WALL_RESTITUTION] = reasons[GRAVITY] = "A periodic box has no walls."
        notes["Collisions"] = "At walls: there are none in a periodic box."
        notes["Gravity"] = "Needs walls to fall on; this box is periodic."
    if value(GROWTH) == 0.0:
        reasons |= dict.fromkeys(GROWTH_ENDS, "Used while discs grow.")
        notes["Growth"] = "Grow to: used while discs grow."
    return Inert(reasons, notes)


def _sticking(value: Callable[[str], Any], methods: Collection[str]) -> Inert:
    if "time-stepping" not in methods:
        keys = tuple(key for keys in SYSTEM_SECTIONS["aggregation"].values() for key in keys if key != METHOD)
        return Inert(dict.fromkeys(keys, _EXACT), {}, Aside(keys, "Time stepping", "TS"))
    reasons: dict[str, str] = {}
    notes = {}
    if value(STEP) != "adaptive":
        reasons[FRACTION] = "Used by the adaptive step only."
        notes["Time step"] = "f: used by the adaptive step only."
    if value(SCHEME) != "damped":
        reasons[GAMMA] = reasons[FRICTION] = "Used by the damped scheme only."
        notes["Damping"] = "γ and c: used by the damped scheme only."
    return Inert(reasons, notes)
