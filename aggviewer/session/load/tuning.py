"""Changing keys during a run, and continuing its discs with other simulations. Belongs to the simulation's thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aggviewer.session.data import Throw
from aggviewer.session.load.loader import Loader, scenarios_of
from aggviewer.session.load.runs import Run
from aggviewer.session.past.replay import NOT_TUNED
from aggviewer.session.run.lanes import Lane
from aggviewer.session.run.runner import Runner
from engine.errors import InputError
from engine.scenario import describe
from engine.system import method_of, system_of

if TYPE_CHECKING:
    from engine.scenario import Scenario
    from engine.simulation import Simulation


@dataclass(frozen=True)
class Tuned:
    """The values of a live key. values : in each lane; variant : the differences of the second lane."""

    key: str
    values: tuple[Any, ...]
    variant: dict[str, Any] | None

    @staticmethod
    def of(key: str, lanes: Sequence[Lane], variant: dict[str, Any] | None) -> Tuned:
        """The present values."""
        return Tuned(key, tuple(lane.scenario.value(key) for lane in lanes), variant)

    def set(self, lanes: Sequence[Lane]) -> None:
        """Set these values in the lanes again."""
        for lane, value in zip(lanes, self.values, strict=False):
            if lane.scenario.value(self.key) != value:
                scenario = lane.scenario.with_values({self.key: value})
                if self.key in lane.simulation.tunable:
                    lane.simulation.set(self.key, value)
                lane.follow(scenario, self.key)


class RunTuning:
    """Changes a run without restarting it.

    Parameters
    ----------
    loader, runner : hold the run.

    Attributes
    ----------
    tuned(before, after) : called after a live key has changed.
    """

    def __init__(self, loader: Loader, runner: Runner) -> None:
        self._loader = loader
        self._runner = runner
        self.tuned: Callable[[Tuned, Tuned], None] = lambda before, after: None

    def set_parameter(self, key: str, value: Any, of: int = 0) -> None:
        """Change a live key. On InputError nothing is changed.

        of : the lane. The second lane of a comparison follows the first in all keys without a value of its own.
        """
        lanes = self._runner.lanes
        if self._runner.drive.replay is not None:
            raise InputError(f"{key}: {NOT_TUNED}", key)
        if not lanes:  # it has failed: the next start has the value
            if self._loader.scenario is not None:
                self._loader.scenario = self._loader.scenario.with_values({key: value})
                self._loader.say_scenario(self._loader.scenario)
            return
        if of >= len(lanes):  # the comparison was ended a moment before
            return
        before = Tuned.of(key, lanes, self._loader.variant)
        alone = of > 0 or key in (self._loader.variant or {})
        changed = [lanes[of]] if alone else list(lanes)
        scenarios = [lane.scenario.with_values({key: value}) for lane in changed]
        carried = describe(key).carried
        if carried:
            # setting the present value must change nothing: another simulation would differ in the last bits
            new = [(lane, one) for lane, one in zip(changed, scenarios, strict=True) if one != lane.scenario]
            if new:
                self._carry_on([lane for lane, _ in new], [one for _, one in new])
        else:
            tunable = [lane for lane in changed if key in lane.simulation.tunable]
            for lane in tunable or changed[:1]:  # raises an error if it cannot
                lane.simulation.set(key, value)
            for lane, scenario in zip(changed, scenarios, strict=True):
                lane.follow(scenario, key)
        assert self._loader.run is not None  # there are lanes
        if of > 0 and self._loader.run.variant is not None:
            self._loader.run.variant = self._loader.run.variant | {key: value}
        self._runner.look_again()
        self._loader.say_scenarios()
        if not carried:
            self.tuned(before, Tuned.of(key, self._runner.lanes, self._loader.variant))

    def set_back(self, tuned: Tuned) -> None:
        """Restore earlier values of a live key."""
        runner = self._runner
        if not runner.lanes or self._loader.run is None:
            return
        tuned.set(runner.lanes)
        self._loader.run.variant = tuned.variant
        runner.look_again()
        self._loader.say_scenarios()

    def switch_method(self, method: str) -> None:
        """Continue with this method; if the second of two lanes has it, the lanes are swapped. InputError if the system
        has no such method."""
        if self._loader.scenario is None:
            return
        found = [method_of(lane.scenario) for lane in self._runner.lanes]
        if found[:1] == [method]:
            return
        system = system_of(self._loader.scenario)
        if method not in system.methods:
            raise InputError(f"{system.title} has no method {method}", system.method_key)
        if method in found:
            self.set_parameter(system.method_key, found[0], 1)
        self.set_parameter(system.method_key, method)

    def throw(self, throw: Throw, of: int = 0) -> None:
        """Move a disc of a lane and throw it. On InputError nothing is changed."""
        runner = self._runner
        if runner.drive.replay is not None:
            raise InputError("The discs of a recording cannot be moved")
        if of >= len(runner.lanes):  # it has failed, or the comparison was ended a moment before
            return
        lane = runner.lanes[of]
        made = self._loader.builder.throw(lane.simulation, throw)
        self._go_on_with([lane], [lane.scenario], [made], throw)
        runner.look_again()
        self._loader.say_scenarios()

    def _carry_on(self, lanes: list[Lane], scenarios: list[Scenario]) -> None:
        """Continue the discs of these lanes with other simulations, and set the present run aside."""
        runner = self._runner
        with runner.preparing():
            simulations = [
                self._loader.builder.carry_on(lane.simulation, scenario, runner.prepared)
                for lane, scenario in zip(lanes, scenarios, strict=True)
            ]
        self._go_on_with(lanes, scenarios, simulations)

    def _go_on_with(
        self,
        lanes: list[Lane],
        scenarios: list[Scenario],
        simulations: list[Simulation],
        throw: Throw | None = None,
    ) -> None:
        """Replace the simulations of these lanes, which are set aside. throw : the throw, if that is the change."""
        runner = self._runner
        old, aside = runner.drive, self._loader.run
        assert aside is not None
        copies = {id(lane): self._loader.builder.copy(lane.simulation) for lane in old.lanes if lane not in lanes}
        carried = {
            id(lane): lane.carried_on(scenario, simulation)
            for lane, scenario, simulation in zip(lanes, scenarios, simulations, strict=True)
        }
        if throw is not None:
            for lane in lanes:
                carried[id(lane)].threw(throw)
        drive = old.with_lanes([carried.get(id(lane)) or lane.copied(copies[id(lane)]) for lane in old.lanes])
        self._loader.put_aside(old.past)
        self._loader.run = Run(scenarios_of(drive), aside.variant, aside.single)
        # the time-stepping method hands over its discs as of the last complete step
        drive.gather()
        if throw is not None:
            drive.past.stamp(drive.time)
        runner.carry_on(drive)
        self._loader.replaced(aside, self._loader.run)
