"""A run as a Python script that makes it again, with the same bits and the same picture."""

from __future__ import annotations

from typing import Any

from engine.errors import InputError
from engine.runs.recipe import Recipe
from engine.scenario import Scenario, fields
from engine.system import system_of


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
    for change, values in recipe.in_effect(until_time):
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
