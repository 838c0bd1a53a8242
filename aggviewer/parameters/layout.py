"""What stands in the inspector: sections, keys, controls."""

from __future__ import annotations

from aggviewer.parameters.editors import Control
from engine.scenario import fields

SYSTEM = "system"
METHOD = "aggregation.method"
CLUSTERS = "aggregation.time_stepping.clusters"
STEP = "aggregation.time_stepping.step"
FRACTION = "aggregation.time_stepping.fraction"
SCHEME = "aggregation.damping.scheme"
GAMMA = "aggregation.damping.gamma"
FRICTION = "aggregation.damping.c"

BOUNDARY = "box.boundary"
WALL_RESTITUTION = "hard_discs.wall_restitution"
GRAVITY = "hard_discs.gravity"
GROWTH = "hard_discs.growth_rate"
GROWTH_ENDS = ("hard_discs.growth_to_fraction", "hard_discs.growth_to_pressure")

RULES = "jamming.rules"

# In the order of a person's questions.
_RESTARTING = {
    "System": (SYSTEM,),
    "Discs": (
        "discs.count",
        "discs.volume_fraction",
        "discs.arrangement",
        "discs.file",
        "discs.radii",
        "discs.spread",
    ),
    "Box": (BOUNDARY, "box.size"),
    "Motion": ("velocities.distribution", "velocities.speed"),
}
_STICKING = {
    "Method": (METHOD, CLUSTERS),
    "Time step": (STEP, FRACTION),
    "Damping": (
        SCHEME,
        "aggregation.damping.alpha",
        "aggregation.damping.beta",
        GAMMA,
        FRICTION,
        "aggregation.damping.adaptive",
        "aggregation.damping.tolerance",
        "aggregation.damping.max_iterations",
    ),
}
_BOUNCING_START = {"Preparation": ("hard_discs.equilibration",)}
_BOUNCING = {
    "Collisions": (
        "hard_discs.restitution",
        WALL_RESTITUTION,
        "hard_discs.contact_time",
        "hard_discs.on_collapse",
    ),
    "Gravity": (GRAVITY,),
    "Growth": (GROWTH, *GROWTH_ENDS),
}
_JAMMING_RESTARTS = (RULES, "jamming.solver", "jamming.start")
_JAMMING_LIMITS = ("jamming.tolerance_inflation", "jamming.tolerance_displacement", "jamming.max_iterations")
_JAMMING: dict[str, tuple[str, ...]] = {"Jamming": _JAMMING_RESTARTS, "End of the chain": _JAMMING_LIMITS}
SYSTEM_SECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "aggregation": _STICKING,
    "hard-discs": {**_BOUNCING_START, **_BOUNCING},
    "jamming": _JAMMING,
}
"""What only discs of one system have."""

SECTIONS = {**_RESTARTING, **_STICKING, **_BOUNCING_START, **_BOUNCING, **_JAMMING, "Random numbers": ("seed",)}
LIVE = frozenset(key for key, field in fields().items() if not field.restart)
"""Keys that change what runs at once, without a restart."""


def sections_of(system: str) -> frozenset[str]:
    """Titles of the sections that discs of `system` have; those that jam begin at rest."""
    others = {title for other, sections in SYSTEM_SECTIONS.items() if other != system for title in sections}
    return frozenset(SECTIONS) - others - ({"Motion"} if system == "jamming" else set())


_COEFFICIENT = Control(step=0.001, slider=(0.001, 10.0), log=True)
CONTROLS = {
    SYSTEM: Control(choices=tuple(SYSTEM_SECTIONS)),
    "discs.count": Control(step=1, slider=(1, 1e6)),
    "discs.volume_fraction": Control(step=0.01, slider=(0.01, 0.78)),
    "discs.spread": Control(step=0.1),
    "velocities.speed": Control(step=0.1),
    STEP: Control(step=1e-6, slider=(1e-4, 10.0), log=True),
    FRACTION: Control(step=0.01, slider=(0.01, 1.0)),
    "aggregation.damping.alpha": _COEFFICIENT,
    "aggregation.damping.beta": _COEFFICIENT,
    GAMMA: _COEFFICIENT,
    FRICTION: Control(step=0.05, slider=(0.0, 1.95)),
    "aggregation.damping.tolerance": Control(step=1e-9, slider=(1e-6, 1.0)),
    "aggregation.damping.max_iterations": Control(step=1, slider=(10, 1e5)),
    "jamming.tolerance_inflation": Control(step=1e-14, slider=(1e-14, 1e-2), log=True),
    "jamming.tolerance_displacement": Control(step=1e-14, slider=(1e-14, 1e-2), log=True),
    "jamming.max_iterations": Control(step=1, slider=(10, 1e4), log=True),
    "hard_discs.restitution": Control(step=0.01, slider=(0.0, 1.0)),
    "hard_discs.equilibration": Control(step=1.0, slider=(0.0, 100.0)),
    WALL_RESTITUTION: Control(step=0.01, slider=(0.0, 1.0)),
    "hard_discs.contact_time": Control(step=1e-4),
    GRAVITY: Control(step=0.05),
    GROWTH: Control(step=0.001, slider=(0.0, 0.1)),
    GROWTH_ENDS[0]: Control(step=0.01, slider=(0.1, 0.9)),
}
