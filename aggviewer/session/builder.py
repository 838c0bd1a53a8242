"""Builds simulations from scenarios and files. Belongs to the simulation's thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import engine
from aggviewer.latest_job import CancelledError
from aggviewer.session.data import DiscSet
from aggviewer.session.notices import OPENING, Notice, Notices
from aggviewer.session.past.recording import Recording
from aggviewer.session.past.replay import RecordedRun, Replay, recorded_run
from aggviewer.session.precompile import fill_cache
from aggviewer.session.publisher import Publisher
from aggviewer.session.run.worker import ClosingError
from aggviewer.session.saved.session_file import read_session
from aggviewer.session.saved.state import SessionState
from engine.errors import InputError, typed_path
from engine.files import formats, open_trajectory
from engine.saved import checked_scenario
from engine.scenario import Scenario
from engine.simulation import Checkpoint, Simulation
from engine.state import InitialState
from engine.state_file import as_in_file, scenario_from, start_notice
from engine.system import carries_on, concerns, system_of, system_of_kernels
from engine.warming import Report


class Engine:
    """The session's interface to the engine, always used on a separate thread. Kernels are imported by the first call
    that needs them, so that the window opens before numba is loaded."""

    _lock = threading.Lock()
    _warm: ClassVar[set[str]] = set()

    read = staticmethod(engine.open_scenario)
    carry_on = staticmethod(engine.carry_on)
    copy = staticmethod(engine.copy)
    restore = staticmethod(engine.restore)

    def create(self, scenario: Scenario, tell: Callable[[str, str], None]) -> Simulation:
        """Make the simulation of a scenario. InputError if it cannot be made.

        tell(remark, file) : called with a remark about how it was made, "" for none, and the file of its discs.
        """
        from engine.initial import initial_state

        state = initial_state(scenario)
        tell(state.notice, scenario.discs.file)
        return engine.create(scenario, state)

    def warm_up(self, report: Report, kernels: str) -> None:
        """Compile or load a set of kernels (`System.kernels`); further calls, from any thread, do nothing.

        report(done, total, what) : called before each kernel.
        """
        with Engine._lock:
            if kernels not in Engine._warm:
                if not system_of_kernels(kernels).origin:  # the process that compiles knows no plug-ins
                    fill_cache(report, "engine", kernels)
                engine.warm_up(report, kernels)
                Engine._warm.add(kernels)

    def preview(self, scenario: Scenario) -> InitialState | None:
        """The state at t = 0 if it can be computed without kernels, as for a lattice; else None."""
        arrangement = scenario.discs.placed
        needs_kernels = arrangement is None or arrangement.compiled or system_of(scenario).prepares(scenario)
        if Engine._warm or needs_kernels:
            return None
        from engine.initial import initial_state

        return initial_state(scenario, check=False)

    def stand_in_for(self, scenario: Scenario) -> RecordedRun | None:
        """A recording of this scenario's run, to show until kernels are ready. None if there is none, or if the
        simulation is ready just as soon."""
        return None if Engine._warm else recorded_run(scenario)


class Builder:
    """Loads the kernels of a scenario and creates its simulations."""

    def __init__(self, engine: Engine, notices: Notices) -> None:
        self._engine = engine
        self._notices = notices

    def show_preview(self, scenario: Scenario, publisher: Publisher) -> bool:
        """Show the discs at t = 0 while kernels are compiled, which takes half a minute. False if that itself needs
        kernels."""
        state = self._engine.preview(scenario)
        if state is not None:
            publisher.show_still(state, DiscSet.of(scenario, state))
        return state is not None

    def stand_in_for(self, scenario: Scenario) -> RecordedRun | None:
        """A recording of this scenario's run, to show until kernels are ready; None if there is none."""
        return self._engine.stand_in_for(scenario)

    def takeover_time(self, simulation: Simulation, run: RecordedRun, index: int) -> float | None:
        """The time of the frame `index` of a recorded run, if the simulation reaches it with identical bits. If not,
        send a notice and return None; the simulation then starts at 0."""
        time, ahead = float(run.times[index]), self.copy(simulation)
        while not ahead.advance(time).reached and ahead.time < time:
            pass
        if run.agrees(ahead, index):
            return time
        words = "The recorded run that was shown differs in the last digits on this machine."
        self._notices.send(Notice("info", "The run starts from the beginning", words, expert=True))
        return None

    def build(
        self, scenario: Scenario, variant: Mapping[str, Any] | None, report: Report
    ) -> list[tuple[Scenario, Simulation]]:
        """Build the simulation of a scenario, and the second one of a comparison.

        Parameters
        ----------
        scenario : of the first simulation.
        variant : keys with other values in the second simulation, which starts in the same state. There is no second
            one if this is None or a key belongs to another system.
        report : called with the progress of compiling; an exception from it stops that.

        Returns
        -------
        Each simulation with its scenario, which includes values determined by a file.

        Raises
        ------
        InputError
            A scenario cannot be run.
        """
        self._engine.warm_up(report, system_of(scenario).kernels(scenario))
        simulation = self._engine.create(scenario, self._send_remark)
        scenario = as_in_file(scenario, simulation.radii, simulation.box)
        built = [(scenario, simulation)]
        if variant is not None and all(concerns(scenario, key) for key in variant):
            other = scenario.with_values(dict(variant))
            carries = carries_on(system_of(other)) is not None  # otherwise the same seed gives the same start
            beside = (
                self.carry_on(simulation, other, report) if carries else self._engine.create(other, self._send_remark)
            )
            built.append((other, beside))
        return built

    def carry_on(self, simulation: Simulation, scenario: Scenario, report: Report) -> Simulation:
        """A simulation that continues from the state of `simulation` with another method or other clusters."""
        self._engine.warm_up(report, system_of(scenario).kernels(scenario))
        return self._engine.carry_on(simulation, scenario)

    def copy(self, simulation: Simulation) -> Simulation:
        """A second simulation in the same state; both continue with identical bits."""
        return self._engine.copy(simulation)

    def restore(self, checkpoint: Checkpoint) -> Simulation:
        """The simulation of which this is an exact copy; both continue with identical bits."""
        return self._engine.restore(checkpoint)

    def build_beside(
        self, simulation: Simulation, scenario: Scenario, keys: Collection[str], report: Report
    ) -> Simulation:
        """A second simulation from the present state of `simulation` with `scenario`, which differs from the running
        one in `keys`. InputError if one of these can only be chosen at the start."""
        if any(key not in simulation.tunable for key in keys):
            return self.carry_on(simulation, scenario, report)
        made = self.copy(simulation)
        for key in keys:
            made.set(key, scenario.value(key))
        return made

    def read(self, source: str | Path) -> Scenario:
        """The scenario of a file or bundled name. Remarks on how the file was read are sent as a notice.

        Raises InputError if it cannot be used.
        """
        scenario = self._engine.read(source)
        self._send_remark(start_notice(scenario), scenario.discs.file)
        return scenario

    def replay(self, path: Path) -> Replay | None:
        """A recording from a file with several frames; its scenario describes a new start from the last frame. None for
        other files. InputError if it cannot be read."""
        path = typed_path(path)
        if not formats.is_readable(path) or not path.is_file() or formats.to_read(path).one_frame:
            return None
        trajectory = open_trajectory(path)
        try:
            if len(trajectory) == 1:
                trajectory.close()
                return None
            scenario = scenario_from(trajectory)
            recording = Recording(trajectory, scenario)
            shortened = f"the recording {path.name} was shortened while it was playing"
            replay = Replay(recording, scenario, lambda left, why: self._send_remark(f"{shortened}: {left}", why))
        except BaseException:
            trajectory.close()
            raise
        self._send_remark(recording.notice, str(path))
        return replay

    def _send_remark(self, notice: str, of: str) -> None:
        """Send a notice with remarks on how a file was read, if any."""
        if notice:
            self._notices.send(Notice("warning", notice[0].upper() + notice[1:], of, about=OPENING, expert=True))

    def resume(
        self, saved: Path | SessionState, report: Report
    ) -> tuple[SessionState, list[tuple[Scenario, Simulation]]]:
        """Read a session file or session state and build its simulations. Raises InputError, and whatever `report`
        raises."""
        if isinstance(saved, Path):
            state = read_session(saved)
            self._send_remark(state.left_out, str(saved))
        else:
            state = saved
        return state, resume(state, self._engine, report)

    def report_new_start(self, error: InputError) -> None:
        """Send a notice on why a comparison cannot start from the present state."""
        self._notices.send(Notice("info", "The comparison starts from the beginning", str(error), expert=True))

    def report_failure(self, error: Exception, kept: bool, opened: str = "") -> None:
        """Send a notice on why there is no new simulation, and whether the old one is `kept`.

        opened : the name of the file to be opened, "" for none.
        """
        about = OPENING if opened else ""
        named = f"{opened} was not opened." if opened and opened not in str(error) else ""
        words = " ".join(filter(None, (named, "Your current run is unchanged." if kept else "")))
        if isinstance(error, InputError):
            self._notices.send(Notice("error", str(error), words, key=error.key, about=about))
        elif isinstance(error, MemoryError):
            title, text = "Not enough memory for this scenario", f"{words} Use fewer discs.".strip()
            self._notices.send(Notice("error", title, text, key="discs.count", about=about))
        elif not isinstance(error, ClosingError | CancelledError):
            self._notices.unexpected("The scenario could not be started", error)


def resume(state: SessionState, engine: Engine, report: Report) -> list[tuple[Scenario, Simulation]]:
    """The simulations of a state from `read_session` with their scenarios, like `Builder.build`.

    On the simulation's thread; loads kernels. InputError if the two simulations of a comparison do not match.
    """
    scenarios = [checked_scenario(text) for text in state.scenarios]
    simulations = []
    for scenario, checkpoint in zip(scenarios, state.lanes, strict=True):
        engine.warm_up(report, system_of(scenario).kernels(scenario))
        simulations.append(engine.restore(checkpoint))
    first = simulations[0]
    for other in simulations[1:]:
        same = np.array_equal(other.radii, first.radii) and np.array_equal(other.box, first.box)
        if not same or other.periodic != first.periodic:
            raise InputError("the saved state is damaged: its two simulations contain different discs")
    return list(zip(scenarios, simulations, strict=True))
