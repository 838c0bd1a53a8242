"""What stands in the inspector: sections, keys, controls."""

from __future__ import annotations

from aggviewer.panels.editors import Control

METHOD = "aggregation.method"
CLUSTERS = "aggregation.time_stepping.clusters"
STEP = "aggregation.time_stepping.step"
FRACTION = "aggregation.time_stepping.fraction"
SCHEME = "aggregation.damping.scheme"
GAMMA = "aggregation.damping.gamma"
FRICTION = "aggregation.damping.c"

# The keys that matter to discs that aggregate, in the order of a person's questions.
_RESTARTING = {
    "Discs": (
        "discs.count",
        "discs.volume_fraction",
        "discs.arrangement",
        "discs.file",
        "discs.radii",
        "discs.spread",
    ),
    "Box": ("box.boundary", "box.size"),
    "Motion": ("velocities.distribution", "velocities.speed"),
}
LIVE_SECTIONS = {
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
SECTIONS = {**_RESTARTING, **LIVE_SECTIONS, "Random numbers": ("seed",)}
LIVE = frozenset(key for keys in LIVE_SECTIONS.values() for key in keys)
"""Keys that change what runs at once, without a restart."""

_COEFFICIENT = Control(step=0.001, slider=(0.001, 10.0), log=True)
CONTROLS = {
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
}
