"""The view of discs that stick."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Any

from aggviewer.parameters.editors import Control
from aggviewer.parameters.layout import ADVANCED, SPIN, Aside, Inert, Layout, ReadOut, Value, rounded
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import RunStyle
from aggviewer.session.analyst import SystemAnalysis
from aggviewer.session.commands.changes import Compare, SetValue, SwitchMethod
from aggviewer.session.data import LaneStatus
from aggviewer.systems.aggregation.analysis import AggregateAnalysis
from aggviewer.systems.aggregation.clusters import ClusterProfilePlot, ClusterSizesPlot, MassRadiusPlot, ScaledSizesPlot
from aggviewer.systems.aggregation.coarsening import CoarseningPlot, ConvergencePlot
from aggviewer.systems.aggregation.rotation import (
    TURNS,
    AngularMomentumPlot,
    RotationalEnergyPlot,
    SpinSumPlot,
)
from aggviewer.systems.aggregation.structure import (
    BoxCountingPlot,
    ContactsPlot,
    MinimumCoverPlot,
    PairDistributionPlot,
)
from aggviewer.systems.base import RunningSystem, Side, SystemView
from aggviewer.systems.cell_plots import cell_plots
from aggviewer.systems.state_plots import StructureFactorPlot, VelocityCorrelationPlot
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context
from engine.aggregation.section import Aggregation
from engine.derived import mean_radius
from engine.scenario import Scenario
from engine.system import method_of, turns
from engine.words import count

METHOD = "aggregation.method"
ROTATION = "aggregation.rotation"
SEARCH = "aggregation.event_driven.search"
STEP = "aggregation.time_stepping.step"
FRACTION = "aggregation.time_stepping.fraction"
CLUSTERS = "aggregation.time_stepping.clusters"
SCHEME = "aggregation.damping.scheme"
GAMMA = "aggregation.damping.gamma"
FRICTION = "aggregation.damping.c"
SECTIONS = {
    "Method": (METHOD, ROTATION, CLUSTERS),
    "Time step": (STEP, FRACTION),
    "Damping": (
        SCHEME,
        "aggregation.damping.alpha",
        "aggregation.damping.beta",
        GAMMA,
        FRICTION,
    ),
    ADVANCED: (
        SEARCH,
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
_OTHER = {"event-driven": "time-stepping", "time-stepping": "event-driven"}
_METHODS = {"event-driven": ("Event-driven", "ED"), "time-stepping": ("Time stepping", "TS")}
_TURNING = {True: "turning", False: "without"}
_TURN_TIP = "The clusters on this side turn about their centres of mass."
_COMMANDS = {
    "event-driven": ("Event-driven", "E", "Continue with exact events, from contact to contact"),
    "time-stepping": ("Time stepping", "T", "Continue with time steps Δt, each with a minimisation"),
}


def inert(value: Value, methods: Collection[str]) -> Inert:
    """The parameters without effect: see `Layout.inert`."""
    if "time-stepping" not in (methods or {value(METHOD)}):
        keys = tuple(key for keys in SECTIONS.values() for key in keys if key not in (METHOD, ROTATION, SEARCH))
        return Inert(dict.fromkeys(keys, _EXACT), {}, Aside(keys, "Time stepping", "time stepping"))
    reasons: dict[str, str] = {}
    notes = {}
    if "event-driven" not in (methods or {value(METHOD)}):
        reasons[SEARCH] = "Used by the event-driven method only."
        notes[ADVANCED] = "Search: used by the event-driven method only."
    if value(STEP) != "adaptive":
        reasons[FRACTION] = "Used by the adaptive step only."
        notes["Time step"] = "f: used by the adaptive step only."
    if value(SCHEME) != "damped":
        reasons[GAMMA] = reasons[FRICTION] = "Used by the damped scheme only."
        notes["Damping"] = "γ and c: used by the damped scheme only."
    return Inert(reasons, notes)


def first_step(scenario: Scenario) -> float | None:
    """The approximate first Δt of the adaptive step, f R / V (3.3), with two digits; None if unknown."""
    radius = mean_radius(scenario)
    moves = scenario.velocities.distribution not in ("file", "rest")
    if radius is None or not moves or not scenario.velocities.speed > 0:
        return None
    fraction = scenario.section(Aggregation).time_stepping.fraction
    return float(f"{fraction * radius / scenario.velocities.speed:.1e}")


def suggestions(scenario: Scenario) -> dict[str, float]:
    """A suggested fixed time step, for users who leave the adaptive one."""
    step = first_step(scenario)
    return {} if step is None else {STEP: step}


def method_commands(context: Context) -> Iterator[Command]:
    """Commands to continue with another method, and to compare two time steps."""

    def offered() -> bool:
        return context[RunningSystem].offers("methods")

    for position, (method, (text, key, tooltip)) in enumerate(_COMMANDS.items()):
        yield Command(
            f"method.{method}",
            text,
            partial(_switch, context, method),
            (key,),
            tooltip,
            checked=partial(_runs, context, method),
            menu=Place("Method", 1, position),
            bar=Place("left", 1, position),
            available=offered,
        )
    yield Command(
        "method.compare_steps",
        "Compare two time steps",
        partial(_compare_steps, context),
        ("Shift+C",),
        "Compare time stepping with the present step and with half of it, side by side, from the present state",
        menu=Place("Method", 2, 3),
        bar=Place("method.compare", 1, 2),
        available=offered,
    )


def half_step(scenario: Scenario) -> dict[str, float]:
    """Half the time step of a scenario: a key and its value."""
    stepping = scenario.section(Aggregation).time_stepping
    if isinstance(stepping.step, float):
        return {STEP: 0.5 * stepping.step}
    return {FRACTION: 0.5 * stepping.fraction}


def _runs(context: Context, method: str) -> bool:
    """Whether the first simulation in the window uses `method`."""
    scenario = context.session.scenario
    return scenario is not None and context[RunningSystem].offers("methods") and method_of(scenario) == method


def _switch(context: Context, method: str) -> None:
    if context.session.status().lanes:
        context.session.give(SwitchMethod(method))


def _compare_steps(context: Context) -> None:
    session, scenario = context.session, context.session.scenario
    if scenario is None or not session.status().lanes:
        return
    steps = Compare(half_step(scenario) | {METHOD: "time-stepping"})
    first = () if method_of(scenario) == "time-stepping" else (SetValue(METHOD, "time-stepping"),)
    session.give(*first, steps, words="comparison of two time steps")


READ_OUTS = (
    ReadOut(
        "first_step",
        "First time step <i>Δt</i>",
        r"About the first step of the adaptive time stepping, $\Delta t = f R / V$.",
        lambda scenario: rounded(first_step(scenario), 2, "≈ ") if method_of(scenario) == "time-stepping" else "",
    ),
)

# a change of the method or of the kind of clusters starts another simulation from the present state
LAYOUT = Layout(
    SECTIONS,
    CONTROLS,
    inert=inert,
    suggestions=suggestions,
    read_outs=READ_OUTS,
)


class AggregationView(SystemView):
    """Ballistic aggregation, event-driven or by time steps."""

    events = "Merges and wall reflections"
    offers = frozenset({"frames", "methods", "inside", "jam"})
    in_plane = frozenset({"inside"})

    def analysis(self) -> SystemAnalysis:
        """A new analysis of aggregates, one for each lane."""
        return AggregateAnalysis()

    def plots(self) -> tuple[Plot, ...]:
        """The plots, box counting first; the last three where clusters turn."""
        return (
            BoxCountingPlot(),
            PairDistributionPlot(),
            ContactsPlot(),
            CoarseningPlot(),
            ConvergencePlot(),
            ClusterSizesPlot(),
            ScaledSizesPlot(),
            StructureFactorPlot(),
            ClusterProfilePlot(),
            VelocityCorrelationPlot(),
            MinimumCoverPlot(),
            MassRadiusPlot(),
            *cell_plots(),
            RotationalEnergyPlot(),
            SpinSumPlot(),
            AngularMomentumPlot(),
        )

    def layout(self) -> Layout:
        """The parameters of this system."""
        return LAYOUT

    def commands(self, context: Context) -> Iterator[Command]:
        """Commands for the two methods and for comparing two time steps."""
        return method_commands(context)

    def progress(self, status: LaneStatus) -> str:
        """The progress of one side of a comparison."""
        failed = status.steps.get("not_converged", 0)
        words = f"M = {count(status.clusters)}"
        return f"{words}, {count(failed)} not converged" if failed else words

    def side(self, scenario: Scenario) -> Side:
        """The heading of a picture in a comparison: the method, and its time step if it has one."""
        if method_of(scenario) == "event-driven":
            turning = turns(scenario)
            return Side(METHOD, _METHODS, text="clusters turn" if turning else "", tip=_TURN_TIP if turning else "")
        adaptive = scenario.section(Aggregation).time_stepping.step == "adaptive"
        return Side(METHOD, _METHODS, FRACTION if adaptive else STEP)

    def opposite(self, scenario: Scenario) -> dict[str, Any]:
        """The keys that choose the other method; where clusters turn, those that let them not turn."""
        if turns(scenario):
            return {ROTATION: False} | ({SPIN: 0.0} if scenario.velocities.spin else {})
        return {METHOD: _OTHER[method_of(scenario)]}

    def run_styles(self, scenarios: Sequence[Scenario]) -> list[RunStyle]:
        """Names and styles of the runs in plots: ED and TS, or the time steps if the method is the same."""
        methods = [method_of(scenario) for scenario in scenarios]
        if len(methods) < 2 or methods[0] != methods[1]:
            names, shades = [_METHODS[method][1] for method in methods], [0] * len(methods)
        else:
            turning = [turns(scenario) for scenario in scenarios]
            differ = turning[0] != turning[1]
            names = [_TURNING[one] for one in turning] if differ else [_step_name(scenario) for scenario in scenarios]
            shades = list(range(len(methods)))
        return [
            RunStyle(name, method, shade, traits=_traits(scenario))
            for name, method, shade, scenario in zip(names, methods, shades, scenarios, strict=True)
        ]


def _traits(scenario: Scenario) -> frozenset[str]:
    """What plots need to know of a run: whether its clusters turn, and what is around them."""
    around = "periodic" if scenario.periodic.any else "walls"
    return frozenset({around, *((TURNS,) if turns(scenario) else ())})


def _step_name(scenario: Scenario) -> str:
    stepping = scenario.section(Aggregation).time_stepping
    if method_of(scenario) == "event-driven":
        return "ED"
    return f"f = {stepping.fraction:g}" if stepping.step == "adaptive" else f"Δt = {stepping.step:g}"
