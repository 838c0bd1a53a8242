"""What the inspector has for discs that stick."""

from __future__ import annotations

from collections.abc import Collection

from aggviewer.parameters.derived import derive
from aggviewer.parameters.editors import Control
from aggviewer.parameters.layout import Aside, Inert, Layout, Value
from aggviewer.systems.aggregation.keys import FRACTION, METHOD, STEP
from engine.aggregation.section import Aggregation
from engine.scenario import Scenario

CLUSTERS = "aggregation.time_stepping.clusters"
SCHEME = "aggregation.damping.scheme"
GAMMA = "aggregation.damping.gamma"
FRICTION = "aggregation.damping.c"

SECTIONS = {
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
_COEFFICIENT = Control(step=0.001, slider=(0.001, 10.0), log=True)
CONTROLS = {
    STEP: Control(step=1e-6, slider=(1e-4, 10.0), log=True),
    FRACTION: Control(step=0.01, slider=(0.01, 1.0)),
    "aggregation.damping.alpha": _COEFFICIENT,
    "aggregation.damping.beta": _COEFFICIENT,
    GAMMA: _COEFFICIENT,
    FRICTION: Control(step=0.05, slider=(0.0, 1.95)),
    "aggregation.damping.tolerance": Control(step=1e-9, slider=(1e-6, 1.0)),
    "aggregation.damping.max_iterations": Control(step=1, slider=(10, 1e5)),
}
_EXACT = "The event-driven method is exact and has no time step. Switch to time stepping to use these."


def inert(value: Value, methods: Collection[str]) -> Inert:
    """What cannot be changed: see `Layout.inert`."""
    if "time-stepping" not in (methods or {value(METHOD)}):
        keys = tuple(key for keys in SECTIONS.values() for key in keys if key != METHOD)
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


def first_step(scenario: Scenario) -> float | None:
    """About the first Δt of the adaptive step, f R / V (3.3), with two digits; None where it cannot be told."""
    found = derive(scenario)
    moves = scenario.velocities.distribution not in ("file", "rest")
    if found is None or not moves or not scenario.velocities.speed > 0:
        return None
    fraction = scenario.section(Aggregation).time_stepping.fraction
    return float(f"{fraction * found.radius / scenario.velocities.speed:.1e}")


def suggestions(scenario: Scenario) -> dict[str, float]:
    """A time step for who leaves the adaptive one."""
    step = first_step(scenario)
    return {} if step is None else {STEP: step}


# another simulation carries on where the method or the kind of clusters is changed
LAYOUT = Layout(SECTIONS, CONTROLS, inert=inert, suggestions=suggestions)
