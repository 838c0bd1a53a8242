"""Starting and ending the comparison of two simulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import engine
from aggviewer.session.commands.values import carried_on
from aggviewer.session.log.command import RepeatableCommand, RunCommand, register
from aggviewer.session.log.log import LogEntry
from engine.errors import InputError

if TYPE_CHECKING:
    from aggviewer.session.load.loader import Loader
    from aggviewer.session.run.run import Run
    from engine.scenario import Scenario
    from engine.simulation import Simulation


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
        """The values of the second simulation."""
        return self.variant

    def words(self, scenario: Scenario | None) -> str:
        """A comparison."""
        return "comparison"

    def against_recording(self) -> InputError | None:
        """A recording has nothing that can run beside it."""
        return InputError("A recording cannot be compared; start a new simulation from one of its frames")

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """See `RunCommand`."""
        scenario, run = loader.scenario, loader.present
        if scenario is None:
            return ()
        single = run.single if len(run.lanes) == 2 else run
        from_start = self.from_start or not run.lanes or run.finished
        if from_start or not self._begin_beside(loader, scenario, single):
            loader.begin(lambda: scenario, dict(self.variant), None, self, single=single)
        return ()

    def _begin_beside(self, loader: Loader, scenario: Scenario, single: Run | None) -> bool:
        """Compare from the present state. False if the keys can only be chosen at the start."""
        lane = loader.present.lanes[0]
        other = scenario.with_values(self.variant)
        keys = [key for key in self.variant if other.value(key) != scenario.value(key)]
        anew = any(key not in lane.simulation.tunable for key in keys)
        with loader.runner.preparing():
            try:
                made = loader.builder.beside(lane.simulation, other, keys, loader.runner.prepared)
            except InputError as error:
                loader.builder.tell_from_start(error)
                return False
        told = replace(self, variant={key: other.value(key) for key in keys})
        entry = LogEntry(told, (1,), lane.time, "anew" if anew else "live", self.words(scenario))
        loader.show_beside(made, other, dict(self.variant), single, entry)
        return True

    def again(self, simulation: Simulation, waiting: Mapping[str, Any]) -> Simulation:
        """The second simulation from the first."""
        scenario = simulation.scenario.with_values(dict(waiting) | dict(self.variant))
        keys = [key for key in self.variant if scenario.value(key) != simulation.scenario.value(key)]
        if any(key not in simulation.tunable for key in keys):
            return engine.carry_on(simulation, scenario)
        for key in keys:
            simulation.set(key, scenario.value(key))
        return simulation

    def python(self, waiting: Mapping[str, Any]) -> Sequence[str]:
        """See `RunCommand`."""
        return carried_on(dict(waiting) | dict(self.variant))


@dataclass(frozen=True)
class EndComparison(RunCommand):
    """Return to the run from which the comparison was started, or go on with the first simulation alone if that run is
    no longer kept."""

    def words(self, scenario: Scenario | None) -> str:
        """The end of it."""
        return "end of the comparison"

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """See `RunCommand`."""
        run = loader.present
        if len(run.lanes) == 2:
            if run.single is not None and not run.single.lost:
                loader.bring(run.single)
            else:
                loader.show_first_alone()
        return ()
