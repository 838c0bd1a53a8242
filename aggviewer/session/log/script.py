"""A run as a Python script that makes it again, with the same bits and the same picture."""

from __future__ import annotations

from typing import Any

from aggviewer.session.log.log import Log
from engine.errors import InputError
from engine.scenario import Scenario, fields
from engine.system import system_of


def script(log: Log, until_time: float, **picture: Any) -> str:
    """The text of a script that makes a run up to a time and draws it.

    Parameters
    ----------
    log : of the run, whose first simulation is made. Changes after `until_time` are left out.
    until_time : simulation time at the end.
    picture : arguments of `engine.plot`.

    Raises
    ------
    InputError
        The system comes from a plug-in, which the script would not find, or the run does not begin with a scenario.
    """
    beginning = log.beginning()
    if beginning is None or not repeatable(log):
        raise InputError("a script cannot reproduce this run: its first state is not that of a scenario")
    kind = system_of(beginning.scenario)
    if kind.origin:
        raise InputError(f"{kind.title} comes from a plug-in, which a script on its own cannot use", "system")
    clock = kind.clock
    lines = [
        f'"""The run up to {clock.symbol} = {until_time:.6g}, repeated bit for bit, and its picture."""',
        "",
        "import engine",
        "",
        *_beginning(beginning.scenario),
        "simulation = engine.create(scenario)",
    ]
    for change in log.changes(until_time=until_time):
        lines.append(f"simulation.run(until_time={change.time!r})")
        lines += change.command.python(change.waiting)
    told = "".join(f", {name}={value!r}" for name, value in picture.items())
    lines += [
        f"simulation.run(until_time={until_time!r})",
        "",
        f"axes = engine.plot(simulation{told})",
        'axes.figure.savefig("discs.png", dpi=200)',
    ]
    return "\n".join(lines) + "\n"


def repeatable(log: Log) -> bool:
    """Whether a script can make the first simulation of a run again: from its scenario, or the file that this names."""
    beginning = log.beginning()
    from_file = beginning is not None and bool(beginning.scenario.discs.file) and not log.since
    return log.can_be_made_again() and beginning is not None and (beginning.by_scenario or from_file)


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
