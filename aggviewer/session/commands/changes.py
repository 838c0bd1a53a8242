"""Changing a run while it goes on: the values of its scenario, its method, or its discs by hand; and comparing it.

It is compared with a run of other values. The history names the changes of values. After a change of the discs, another
simulation continues from the changed state.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import engine
from aggviewer.session.log import CANNOT_CHANGE_RECORDING, LogEntry, RepeatableCommand, RunCommand, register
from engine.errors import InputError
from engine.scenario import describe, scenario_keys
from engine.scenario.section import as_tuple
from engine.system import method_of, system_of
from engine.words import body_names, count, typeset

if TYPE_CHECKING:
    from aggviewer.session.loader import Loader
    from aggviewer.session.run.lanes import Lane
    from aggviewer.session.run.run import Run
    from engine.scenario import Scenario
    from engine.simulation import Simulation


@dataclass(frozen=True)
class ChangeDiscs(RepeatableCommand):
    """Base of commands that change discs: a class of this kind says only what becomes of a simulation (`changed`), its
    `words` and its line of `python`.

    lane : the simulation that is changed.
    """

    lane: int = field(default=0, kw_only=True)

    @abstractmethod
    def changed(self, simulation: Simulation) -> Simulation:
        """Another simulation that continues from this one, which stays as it is. InputError if that is impossible."""

    def against_recording(self) -> InputError | None:
        """The reason why the discs of a recording cannot be moved."""
        return InputError("The discs of a recording cannot be moved")

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """See `RunCommand`."""
        lanes = loader.present.lanes
        if self.lane >= len(lanes):  # it has failed, or the comparison was ended a moment before
            return ()
        lane = lanes[self.lane]
        made = {self.lane: (lane.scenario, self.changed(lane.simulation))}
        loader.replace_simulations(made, self, "live", jumps=True)  # the same method: values that wait still wait
        loader.runner.check_ended()
        loader.announce_scenarios()
        return ()

    def again(self, simulation: Simulation, waiting: Mapping[str, Any]) -> Simulation:
        """See `RepeatableCommand`."""
        return self.changed(simulation)


@register
@dataclass(frozen=True)
class Throw(ChangeDiscs):
    """Move a disc with its cluster, and give it another velocity (`engine.throw`).

    Parameters
    ----------
    disc : its number.
    position : the new place of its centre; None leaves it where it is.
    velocity : its new velocity; None for its present one.
    """

    disc: int
    position: tuple[float, ...] | None
    velocity: tuple[float, ...] | None

    kind: ClassVar[str] = "throw"

    def __post_init__(self) -> None:
        """Turn the values into plain numbers, which files and scripts can hold."""
        object.__setattr__(self, "disc", int(self.disc))
        for name in ("position", "velocity"):
            vector = getattr(self, name)
            if vector is not None:
                object.__setattr__(self, name, tuple(map(float, vector)))

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history: the disc is thrown, moved or stopped."""
        flies = self.velocity is not None and any(self.velocity)
        does = "throwing" if flies else "moving" if self.velocity is None else "stopping"
        return f"{does} a {body_names(2 if scenario is None else scenario.dimensions).disc}"

    def changed(self, simulation: Simulation) -> Simulation:
        """See `ChangeDiscs`."""
        return engine.throw(simulation, self.disc, self.position, self.velocity)

    def python(self, waiting: Mapping[str, Any]) -> Sequence[str]:
        """See `RepeatableCommand`."""
        given = {"disc": self.disc, "position": self.position, "velocity": self.velocity}
        told = ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
        return [f"simulation = engine.throw(simulation, {told})"]


@register
@dataclass(frozen=True)
class SetValue(RepeatableCommand):
    """Set a key of the scenario.

    With a key such as the method of aggregation, another simulation continues from the present state.

    Parameters
    ----------
    key, value : a dotted key, and its new value.
    lane : the simulation. The second one of a comparison follows the first in all keys without a value of its own.
    apart : False, to undo the first value of its own that the second one got: it follows again. None otherwise.
    """

    key: str
    value: Any
    lane: int = 0
    apart: bool | None = None

    kind: ClassVar[str] = "set"
    at_once: ClassVar[bool] = False

    @property
    def subject(self) -> str:
        """The key and the number of the simulation: values of one drag are one step of *Undo*."""
        return f"{self.key} {self.lane}"

    @property
    def values(self) -> Mapping[str, Any]:
        """The key and its value, as a mapping."""
        return {self.key: self.value}

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history: the name of the key with its value, such as "α = 0.2"."""
        return change_of_key(self.key, self.value, scenario)

    def against_recording(self) -> InputError | None:
        """The reason why a recording has no values to set."""
        return InputError(f"{self.key}: {CANNOT_CHANGE_RECORDING}", self.key)

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """Set it in each simulation that follows; see `RunCommand`. InputError for a value that is not allowed."""
        run, lanes = loader.present, loader.present.lanes
        if not lanes:  # it has failed: the next start has the value
            if run.scenarios:
                run.set_at_start(self.values)
                loader.announce_scenario(run.scenarios[0])
            return ()
        if self.lane >= len(lanes):  # the comparison was ended a moment before
            return ()
        own = self.key in (run.variant or {})
        numbers = [self.lane] if self.lane > 0 or own else list(range(len(lanes)))
        before, joins = lanes[self.lane].scenario.value(self.key), self.lane > 0 and not own
        scenarios = [lanes[one].scenario.with_values(self.values) for one in numbers]
        as_set = replace(self, value=scenarios[0].value(self.key))  # as the scenario has it: a plain number
        if describe(self.key).carried:
            # setting the present value must change nothing: another simulation would differ in the last bits
            new = {n: s for n, s in zip(numbers, scenarios, strict=True) if s != lanes[n].scenario}
            if new:
                loader.change_scenarios(new, as_set)
        else:
            self._tune(loader, [lanes[one] for one in numbers])
            for number, scenario in zip(numbers, scenarios, strict=True):
                lanes[number].scenario = scenario
            live = [one for one in numbers if self.key in lanes[one].simulation.tunable]
            loader.log_command(as_set, {one: lanes[one].time for one in live}, "live")
            loader.log_command(as_set, {one: lanes[one].time for one in numbers if one not in live}, "waits")
        now = loader.present
        if self.lane > 0 and now.variant is not None:
            others = {key: value for key, value in now.variant.items() if key != self.key}
            now.variant = others if self.apart is False else others | {self.key: as_set.value}
        loader.runner.check_ended()
        loader.announce_scenarios()
        if describe(self.key).carried or (before == as_set.value and not joins):
            return ()
        return (SetValue(self.key, before, self.lane, apart=False if joins else None),)

    def _tune(self, loader: Loader, lanes: Sequence[Lane]) -> None:
        """Set it in the simulations that have a use for it; InputError, and nothing is changed, if one refuses it."""
        tunable = [lane for lane in lanes if self.key in lane.simulation.tunable]
        try:
            for lane in tunable[1:]:
                loader.builder.copy(lane.simulation).set(self.key, self.value)
            for lane in tunable or lanes[:1]:  # the first refuses a key that no method has a use for
                lane.simulation.set(self.key, self.value)
        except InputError as error:  # it may be about a key with which this value does not go together
            raise InputError(str(error), self.key) from None

    def again(self, simulation: Simulation, waiting: Mapping[str, Any]) -> Simulation:
        """Set it; see `RepeatableCommand`."""
        if describe(self.key).carried:
            return engine.carry_on(simulation, simulation.scenario.with_values(dict(waiting) | dict(self.values)))
        simulation.set(self.key, self.value)
        return simulation

    def python(self, waiting: Mapping[str, Any]) -> Sequence[str]:
        """See `RepeatableCommand`."""
        if describe(self.key).carried:
            return carry_on_python(dict(waiting) | dict(self.values))
        return [f'simulation.set("{self.key}", {self.value!r})']


@dataclass(frozen=True)
class SwitchMethod(RunCommand):
    """Continue with another method; if the second of two simulations has it, the two are swapped. The log has the
    values that this sets.

    method : one of the system's; InputError for others.
    """

    method: str

    at_once: ClassVar[bool] = False

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history: the method."""
        return self.method if scenario is None else change_of_key(system_of(scenario).method_key, self.method, scenario)

    def against_recording(self) -> InputError | None:
        """The reason why a recording has no method to switch."""
        return InputError(CANNOT_CHANGE_RECORDING)

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """See `RunCommand`."""
        if loader.scenario is None:
            return ()
        found = [method_of(lane.scenario) for lane in loader.present.lanes]
        if found[:1] == [self.method]:
            return ()
        system = system_of(loader.scenario)
        if self.method not in system.methods:
            raise InputError(f"{system.title} has no method {self.method}", system.method_key)
        before = loader.present
        if self.method in found:
            SetValue(system.method_key, found[0], 1).carry_out(loader)
        try:
            return SetValue(system.method_key, self.method).carry_out(loader)
        except InputError:
            loader.restore(before)  # the second one has been switched already
            raise


def carry_on_python(values: Mapping[str, Any]) -> Sequence[str]:
    """Python that continues a simulation with other values."""
    return [
        "simulation = engine.carry_on(",
        f"    simulation, simulation.scenario.with_values({dict(values)!r})",
        ")",
    ]


_MOST_NAMED = 2  # changes that are named one by one


def change_of_key(key: str, value: Any, scenario: Scenario | None) -> str:
    """A key with its value: "N = 500", "Arrangement: Random". scenario : of the run; its words are about discs or
    spheres."""
    field = scenario_keys(2 if scenario is None else scenario.dimensions).get(key)
    if field is None:  # the command will be refused
        return key
    if field.kind == "choice" and as_tuple(value) in field.choices:
        return f"{field.label}: {field.choices[as_tuple(value)]}"
    if isinstance(value, bool):
        return f"{field.label} {'on' if value else 'off'}"
    name = field.label if "_" in field.symbol else field.symbol or field.label  # menus have no subscripts
    return f"{name} = {_value(value)}"


def change_of_scenario(before: Scenario | None, now: Scenario) -> str:
    """Describe the changes by another scenario: one or two values, or their number."""
    if before is None:
        return "opening"
    changed = [key for key in scenario_keys() if now.value(key) != before.value(key)]
    if not changed:
        return "restart"
    if changed == ["seed"]:
        return "new seed"
    if len(changed) > _MOST_NAMED:
        return f"{len(changed)} parameters"
    return ", ".join(change_of_key(key, now.value(key), now) for key in changed)


def _value(value: Any) -> str:
    if isinstance(value, float):
        return typeset(value, ".6g")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_value(one) for one in value) or "none"
    if isinstance(value, int):
        return count(value)
    return "none" if value is None else str(value)


@register
@dataclass(frozen=True)
class Compare(RepeatableCommand):
    """Start a second simulation beside the first, in which some keys have other values.

    Parameters
    ----------
    variant : the keys with their values.
    from_start : whether both begin anew, as they always do if the keys can only be chosen at the start; otherwise the
        second one begins in the present state of the first.
    """

    variant: Mapping[str, Any]
    from_start: bool = False

    kind: ClassVar[str] = "compare"

    @property
    def values(self) -> Mapping[str, Any]:
        """The values in which the second simulation differs."""
        return self.variant

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history."""
        return "comparison"

    def against_recording(self) -> InputError | None:
        """The reason why nothing can run beside a recording."""
        return InputError("A recording cannot be compared; start a new simulation from one of its frames")

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """See `RunCommand`."""
        scenario, run = loader.scenario, loader.present
        if scenario is None:
            return ()
        compared_from = run.compared_from if len(run.lanes) == 2 else run
        from_start = self.from_start or not run.lanes or run.finished
        if from_start or not self._begin_beside(loader, scenario, compared_from):
            loader.start(lambda: scenario, dict(self.variant), None, self, compared_from=compared_from)
        return ()

    def _begin_beside(self, loader: Loader, scenario: Scenario, compared_from: Run | None) -> bool:
        """Compare from the present state. False if the keys can only be chosen at the start."""
        lane = loader.present.lanes[0]
        other = scenario.with_values(self.variant)
        keys = [key for key in self.variant if other.value(key) != scenario.value(key)]
        anew = any(key not in lane.simulation.tunable for key in keys)
        with loader.runner.preparing():
            try:
                made = loader.builder.build_beside(lane.simulation, other, keys, loader.runner.report_preparation)
            except InputError as error:
                loader.builder.report_new_start(error)
                return False
        as_set = replace(self, variant={key: other.value(key) for key in keys})
        entry = LogEntry(as_set, (1,), lane.time, "anew" if anew else "live", self.words(scenario))
        loader.show_beside(made, other, dict(self.variant), compared_from, entry)
        return True

    def again(self, simulation: Simulation, waiting: Mapping[str, Any]) -> Simulation:
        """The second simulation, made from the first one; see `RepeatableCommand`."""
        scenario = simulation.scenario.with_values(dict(waiting) | dict(self.variant))
        keys = [key for key in self.variant if scenario.value(key) != simulation.scenario.value(key)]
        if any(key not in simulation.tunable for key in keys):
            return engine.carry_on(simulation, scenario)
        for key in keys:
            simulation.set(key, scenario.value(key))
        return simulation

    def python(self, waiting: Mapping[str, Any]) -> Sequence[str]:
        """See `RepeatableCommand`."""
        return carry_on_python(dict(waiting) | dict(self.variant))


@dataclass(frozen=True)
class EndComparison(RunCommand):
    """Return to the run from which the comparison was started, or go on with the first simulation alone if that run is
    no longer kept."""

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history."""
        return "end of the comparison"

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """See `RunCommand`."""
        run = loader.present
        if len(run.lanes) == 2:
            if run.compared_from is not None and not run.compared_from.lost:
                loader.restore(run.compared_from)
            else:
                loader.show_first_alone()
        return ()
