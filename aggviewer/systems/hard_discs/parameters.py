"""What the inspector has for discs that bounce."""

from __future__ import annotations

from collections.abc import Collection

from aggviewer.parameters.editors import Control
from aggviewer.parameters.layout import BOUNDARY, Inert, Layout, Value

WALL_RESTITUTION = "hard_discs.wall_restitution"
GRAVITY = "hard_discs.gravity"
GROWTH = "hard_discs.growth_rate"
GROWTH_ENDS = ("hard_discs.growth_to_fraction", "hard_discs.growth_to_pressure")

SECTIONS = {
    "Preparation": ("hard_discs.equilibration",),
    "Collisions": (
        "hard_discs.restitution",
        WALL_RESTITUTION,
        "hard_discs.contact_time",
        "hard_discs.on_collapse",
    ),
    "Gravity": (GRAVITY,),
    "Growth": (GROWTH, *GROWTH_ENDS),
}
CONTROLS = {
    "hard_discs.restitution": Control(step=0.01, slider=(0.0, 1.0)),
    "hard_discs.equilibration": Control(step=1.0, slider=(0.0, 100.0)),
    WALL_RESTITUTION: Control(step=0.01, slider=(0.0, 1.0)),
    "hard_discs.contact_time": Control(step=1e-4),
    GRAVITY: Control(step=0.05),
    GROWTH: Control(step=0.001, slider=(0.0, 0.1)),
    GROWTH_ENDS[0]: Control(step=0.01, slider=(0.1, 0.9)),
}


def inert(value: Value, methods: Collection[str]) -> Inert:
    """What cannot be changed: see `Layout.inert`."""
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


LAYOUT = Layout(SECTIONS, CONTROLS, inert=inert)
