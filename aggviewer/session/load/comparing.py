"""Starting and ending comparisons of two simulations. Belongs to the simulation's thread."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aggviewer.session.load.loader import Loader
from aggviewer.session.load.runs import Run
from aggviewer.session.past.replay import NOT_COMPARED
from aggviewer.session.run.lanes import Lane, Lockstep
from aggviewer.session.run.runner import Runner
from engine.errors import InputError

if TYPE_CHECKING:
    from engine.scenario import Scenario


class Comparisons:
    """Starts and ends comparisons. loader : shows them instead of the present run of `runner`."""

    def __init__(self, loader: Loader, runner: Runner) -> None:
        self._loader = loader
        self._runner = runner

    def compare(self, variant: dict[str, Any] | None, from_start: bool = False) -> None:
        """Start a second simulation in which these keys have other values, from the present state, or both from the
        start. None ends the comparison and restores the run from which it was started."""
        scenario, runner = self._loader.scenario, self._runner
        if scenario is None:
            return
        if runner.drive.replay is not None:
            raise InputError(NOT_COMPARED)
        if variant is None:
            self._end_comparison()
            return
        single = self._loader.run
        if single is not None and len(runner.lanes) == 2:
            single = single.single
        from_start = from_start or not runner.lanes or runner.drive.finished
        if from_start or not self._begin_beside(scenario, variant, single):
            self._loader.begin(lambda: scenario, variant, None, single=single)

    def _begin_beside(self, scenario: Scenario, variant: dict[str, Any], single: Run | None) -> bool:
        """Compare from the present state. False if the keys can only be chosen at the start."""
        runner = self._runner
        lane = runner.lanes[0]
        other = scenario.with_values(variant)
        keys = [key for key in variant if other.value(key) != scenario.value(key)]
        with runner.preparing():
            try:
                made = self._loader.builder.beside(lane.simulation, other, keys, runner.prepared)
                first = lane.copied(self._loader.builder.copy(lane.simulation))
            except InputError as error:
                self._loader.builder.tell_from_start(error)
                return False
        # the same discs in a separate object: each lane has its own colour scales
        beside = Lane(other, made, self._loader.publishers.publisher_of(1), replace(lane.system))
        if first.recipe is not None:
            beside.recipe = first.recipe.beside(lane.time, scenario, other, lane.simulation.tunable)
        drive = Lockstep([first, beside])
        drive.gather()
        self._loader.replace(drive, None, Run((scenario, other), variant, single))
        return True

    def _end_comparison(self) -> None:
        runner, run = self._runner, self._loader.run
        if run is None or len(runner.lanes) != 2:
            return
        if run.single is not None and not run.single.lost:
            self._loader.bring(run.single)
        else:
            lane = runner.lanes[0]
            copy = self._loader.builder.copy(lane.simulation)
            alone = Lockstep([lane.copied(copy)])
            self._loader.replace(alone, None, Run((lane.scenario,)))
