"""A run as a Python script that makes it again, with the same bits and the same picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import InputError
from engine.scenario import Scenario, fields
from engine.system import system_of

Pair = tuple[float, float]


@dataclass(frozen=True)
class ScheduledChange:
    """What was changed while a run went on.

    Parameters
    ----------
    time : simulation time of the change.
    values : the new values by dotted key of the scenario; of a throw the arguments of `engine.throw`.
    how : ``set``, in the simulation; ``carried``, another simulation carries on with the discs; ``later``, the
        simulation has no use for the key, but one that carries on later may have; ``thrown``, a disc is moved by hand.
    """

    time: float
    values: Mapping[str, Any]
    how: str


@dataclass(frozen=True)
class Recipe:
    """The history of a run: the scenario in which it began, and the changes since."""

    scenario: Scenario
    changes: tuple[ScheduledChange, ...] = ()

    def set(self, time: float, key: str, value: Any, used: bool) -> Recipe:
        """With another value of a key from `time` on. used : whether the simulation has a use for it."""
        return self._with(ScheduledChange(time, {key: value}, "set" if used else "later"))

    def carried(self, time: float, before: Scenario, after: Scenario) -> Recipe:
        """With another simulation from `time` on, under another scenario."""
        values = {key: after.value(key) for key in fields() if after.value(key) != before.value(key)}
        return self._with(ScheduledChange(time, values, "carried"))

    def thrown(self, time: float, disc: int, position: Pair | None, velocity: Pair | None) -> Recipe:
        """With a disc that is moved elsewhere and thrown at `time` (`engine.throw`)."""
        values = {"disc": disc, "position": position, "velocity": velocity}
        return self._with(ScheduledChange(time, values, "thrown"))

    def _with(self, change: ScheduledChange) -> Recipe:
        return replace(self, changes=(*self.changes, change))


def script(recipe: Recipe, until_time: float, **picture: Any) -> str:
    """The text of a script that makes a run up to a time and draws it.

    Parameters
    ----------
    recipe : how the run has come about. Changes after `until_time` are left out.
    until_time : simulation time at the end.
    picture : arguments of `engine.plot`.

    Raises
    ------
    InputError
        The system comes from a plug-in, which the script would not find.
    """
    kind = system_of(recipe.scenario)
    if kind.origin:
        raise InputError(f"{kind.title} comes from a plug-in, which a script on its own cannot use", "system")
    clock = kind.clock
    lines = [
        f'"""The run up to {clock.symbol} = {until_time:.6g}, repeated bit for bit, and its picture."""',
        "",
        "import engine",
        "",
        *_beginning(recipe.scenario),
        "simulation = engine.create(scenario)",
    ]
    for change, values in _in_effect(recipe, until_time):
        lines.append(f"simulation.run(until_time={change.time!r})")
        if change.how == "set":
            lines += [f'simulation.set("{key}", {value!r})' for key, value in values.items()]
        elif change.how == "thrown":
            told = ", ".join(f"{name}={value!r}" for name, value in values.items() if value is not None)
            lines.append(f"simulation = engine.throw(simulation, {told})")
        else:
            lines += [
                "simulation = engine.carry_on(",
                f"    simulation, simulation.scenario.with_values({dict(values)!r})",
                ")",
            ]
    told = "".join(f", {name}={value!r}" for name, value in picture.items())
    lines += [
        f"simulation.run(until_time={until_time!r})",
        "",
        f"axes = engine.plot(simulation{told})",
        'axes.figure.savefig("discs.png", dpi=200)',
    ]
    return "\n".join(lines) + "\n"


def _beginning(scenario: Scenario) -> list[str]:
    """The scenario by the values that differ from the defaults."""
    usual = Scenario()
    values = {key: scenario.value(key) for key in fields() if scenario.value(key) != usual.value(key)}
    if usual.with_values(values) != scenario:  # some values are no keys of their own
        return ['scenario = engine.Scenario.from_toml("""', scenario.to_toml().replace("\\", "\\\\").strip(), '""")']
    if not values:
        return ["scenario = engine.Scenario()"]
    return [
        "scenario = engine.Scenario().with_values(",
        "    {",
        *(f'        "{key}": {value!r},' for key, value in values.items()),
        "    }",
        ")",
    ]


def _in_effect(recipe: Recipe, until_time: float) -> Iterator[tuple[ScheduledChange, dict[str, Any]]]:
    """The changes up to a time that a simulation notices, with their values."""
    later: dict[str, Any] = {}
    for change in recipe.changes:
        if change.time > until_time:
            return
        if change.how == "later":
            later |= change.values
        elif change.how == "carried":
            yield change, later | dict(change.values)
            later = {}
        else:
            yield change, dict(change.values)
