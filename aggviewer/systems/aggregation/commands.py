"""The commands of ballistic aggregation: which method computes it, and two time steps side by side."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aggviewer.systems.aggregation.keys import FRACTION, METHOD, STEP
from aggviewer.systems.desk import Desk
from aggviewer.widgets.command import Command, Place
from engine.aggregation.section import Aggregation
from engine.scenario import Scenario
from engine.system import method_of

_METHODS = {
    "event-driven": ("ED", "Event-driven", "E", "Carry on with exact events, from contact to contact"),
    "time-stepping": ("TS", "Time stepping", "T", "Carry on with time steps Δt and a minimisation in each"),
}


def method_commands(desk: Desk) -> Iterator[Command]:
    """Carry on with another method; compare two time steps."""
    session = desk.session

    def offered() -> bool:
        return desk.offers("methods")

    for position, (method, (short, text, key, tooltip)) in enumerate(_METHODS.items()):
        yield Command(
            f"method.{method}",
            text,
            partial(session.switch_method, method),
            (key,),
            tooltip,
            checked=partial(_runs, desk, method),
            menu=Place("Method", 1, position),
            bar=Place("left", 1, position),
            short=short,
            available=offered,
        )
    yield Command(
        "method.compare_steps",
        "Compare two time steps",
        partial(_compare_steps, desk),
        ("Shift+C",),
        "Time stepping with the present step and with half of it, side by side from the present state on",
        menu=Place("Method", 2, 3),
        bar=Place("method.compare", 1, 2),
        available=offered,
    )


def half_step(scenario: Scenario) -> dict[str, float]:
    """The time step of a scenario, halved: a key and its value."""
    stepping = scenario.section(Aggregation).time_stepping
    if isinstance(stepping.step, float):
        return {STEP: 0.5 * stepping.step}
    return {FRACTION: 0.5 * stepping.fraction}


def _runs(desk: Desk, method: str) -> bool:
    """Whether the simulation, the first of two, is computed by `method`."""
    scenario = desk.session.scenario
    return scenario is not None and desk.offers("methods") and method_of(scenario) == method


def _compare_steps(desk: Desk) -> None:
    session, scenario = desk.session, desk.session.scenario
    if scenario is None or not desk.offers("methods"):
        return
    with session.as_one_step("comparison of two time steps"):
        if method_of(scenario) != "time-stepping":
            session.set_parameter(METHOD, "time-stepping")
        session.compare(half_step(scenario) | {METHOD: "time-stepping"})
