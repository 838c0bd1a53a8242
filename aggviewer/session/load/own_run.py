"""The user's own run while a lesson uses the window. Belongs to the simulation's thread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aggviewer.session.data import SessionSignals
from aggviewer.session.load.loader import Loader, scenarios_of
from aggviewer.session.load.run_state import run_state
from aggviewer.session.load.runs import Run, Shelf
from aggviewer.session.notices import emit
from aggviewer.session.run.lanes import Lane, Lockstep
from aggviewer.session.run.playback import Playback
from aggviewer.session.run.runner import Runner, StandingRun
from aggviewer.session.saved.state import SessionState

if TYPE_CHECKING:
    from engine.scenario import Scenario


@dataclass(frozen=True, eq=False)
class RunSetAside:
    """A run that was set aside, with everything belonging to it. It does not count towards memory budgets, and nothing
    changes it.

    Attributes
    ----------
    run, scenario : see `aggviewer.session.load.loader.Loader`.
    standing : the state of the runner.
    shelf : the runs that could be restored.
    """

    run: Run | None
    scenario: Scenario | None
    standing: StandingRun
    shelf: Shelf

    def close(self, patience: float | None = None) -> bool:
        """Close runs that have an open file. False if that takes longer than `patience` seconds."""
        played = self.standing.drive.close(patience)
        return self.shelf.close(patience) and played


class OwnRun:
    """Sets the user's own run aside, with all that belongs to it: the runs that *Undo* brings back, the frames of its
    past, a recording in progress. It comes back unchanged, whatever has run meanwhile.
    """

    def __init__(self, loader: Loader, runner: Runner, playback: Playback, signals: SessionSignals) -> None:
        self._loader, self._runner, self._playback = loader, runner, playback
        self._signals = signals
        self._aside: RunSetAside | None = None

    @property
    def is_aside(self) -> bool:
        """Whether something else runs now."""
        return self._aside is not None

    @property
    def drive(self) -> Lockstep:
        """The user's own run, set aside or not."""
        aside = self._aside
        return self._runner.drive if aside is None else aside.standing.drive

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes of the run."""
        return self.drive.lanes

    @property
    def shelf(self) -> Shelf:
        """The user's runs that can be restored."""
        aside = self._aside
        return self._loader.shelf if aside is None else aside.shelf

    @property
    def worked(self) -> float:
        """Computing time in all of the user's runs, in seconds."""
        aside = self._aside
        return self._runner.worked if aside is None else aside.standing.worked

    def set_aside(self) -> None:
        """Set it aside until `bring_back`; does nothing if it is aside already."""
        if self._aside is None:
            loader = self._loader
            self._aside = RunSetAside(loader.run, loader.scenario, self._runner.set_aside(), loader.shelf)
            loader.run, loader.shelf = None, Shelf()

    def stand_in(self) -> None:
        """If no other run was started since it was set aside, continue with a copy of it, so that no command changes
        the run itself."""
        aside, runner = self._aside, self._runner
        if aside is None or aside.run is None or runner.lanes or not aside.standing.drive.lanes:
            return
        run, standing, drive = aside.run, aside.standing, aside.standing.drive

        def copy() -> Lockstep:
            if drive.replay is not None:
                return self._loader.played(drive.replay.shared())
            lanes = [(lane, self._loader.builder.copy(lane.simulation)) for lane in drive.lanes]
            return drive.with_lanes([lane.copied(made, replace(lane.system)) for lane, made in lanes])

        copied = self._loader.made(copy, run.file.name if run.file is not None else "")
        if copied is None:
            runner.set_state("failed")
            return
        stand_in = Run(scenarios_of(copied), run.log, run.variant, file=run.file)
        self._loader.replace(copied, standing.wants_to_run, stand_in)

    def bring_back(self) -> None:
        """Continue it, unchanged. If there was no run, the current one becomes the user's own."""
        aside, self._aside = self._aside, None
        if aside is None:
            return
        if aside.standing.state == "empty":
            self._loader.shelf.close()
            self._loader.shelf = aside.shelf
        else:
            self._take_back(aside)

    def _take_back(self, aside: RunSetAside) -> None:
        """Continue what was set aside, and close what ran meanwhile."""
        loader, runner, standing = self._loader, self._runner, aside.standing
        runner.preparation = None
        old, shelf = runner.drive, loader.shelf
        loader.run, loader.shelf, loader.scenario = aside.run, aside.shelf, aside.scenario
        for lane in old.lanes[len(standing.drive.lanes) :]:
            lane.publisher.drop()
        for lane in standing.drive.lanes:
            lane.show_again()
        runner.drive = standing.drive
        if standing.drive.lanes:
            loader.say_scenarios()
            emit(self._signals.system_changed, standing.drive.lanes[0].system)
        elif aside.scenario is not None and aside.run is not None:  # it has failed
            loader.say_scenario(aside.scenario)
            emit(self._signals.lanes_changed, aside.run.scenarios)
        runner.take_back(standing, self._playback.refresh)
        shelf.close()
        old.close()

    def state(self, lend: bool = False) -> SessionState:
        """The state of the run, set aside or not, for a session file. InputError if it is not a simulation. lend : see
        `run_state`."""
        aside, runner = self._aside, self._runner
        if aside is None:
            return run_state(runner.drive, self._loader.run, runner.state, lend=lend)
        return run_state(aside.standing.drive, aside.run, aside.standing.state, lend=lend)

    def close(self, patience: float | None = None) -> bool:
        """Close runs that have an open file, after the simulation's thread has ended."""
        return self._aside is None or self._aside.close(patience)
