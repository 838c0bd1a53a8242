"""From a scenario to simulations that are ready to run. Belongs to the simulation's thread."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aggviewer.session.data import SystemInfo
from aggviewer.session.engine_face import Engine, Report
from aggviewer.session.notices import Notice, Notices
from aggviewer.session.past.replay import Replay
from aggviewer.session.publish.publisher import Publisher
from aggviewer.session.run.runner import Runner
from aggviewer.session.run.worker import ClosingError
from aggviewer.session.saved.session_file import read_session
from aggviewer.session.saved.state import SessionState
from engine.checkpoint_checks import checked_scenario
from engine.errors import InputError
from engine.files import FileFrame, formats, open_trajectory, write
from engine.simulation import Frame, Simulation
from engine.state_file import as_in_file, box_of, start_notice
from engine.system import carries_on, concerns, system_of

if TYPE_CHECKING:
    from engine.scenario import Scenario


class Builder:
    """Loads the kernels that a scenario needs and makes its simulations."""

    def __init__(self, engine: Engine, notices: Notices) -> None:
        self._engine = engine
        self._notices = notices

    def show_preview(self, scenario: Scenario, publisher: Publisher) -> bool:
        """The first compiling takes half a minute: meanwhile show the discs that wait for it. True where that goes."""
        state = self._engine.preview(scenario)
        if state is None:
            return False
        box, count = state.box, len(state.radii)
        publisher.show_still(state, SystemInfo(scenario, state.radii, state.masses, box, state.periodic, count))
        return True

    def build(
        self, scenario: Scenario, variant: Mapping[str, Any] | None, report: Report
    ) -> list[tuple[Scenario, Simulation]]:
        """The simulation of `scenario`, and beside it, from the same initial state, the one in which the keys of
        `variant` have other values. There is none beside it where these keys are those of another system. The scenarios
        say what a file has decided. InputError where that cannot be; whatever `report` raises."""
        self._engine.warm_up(report, system_of(scenario).kernels(scenario))
        simulation = self._engine.create(scenario)
        scenario = as_in_file(scenario, simulation.radii, simulation.box)
        built = [(scenario, simulation)]
        if variant is not None and all(concerns(scenario, key) for key in variant):
            other = scenario.with_values(dict(variant))
            sticks = carries_on(system_of(other)) is not None  # else the same seed gives the same start
            beside = self.carry_on(built[0][1], other, report) if sticks else self._engine.create(other)
            built.append((other, beside))
        return built

    def carry_on(self, simulation: Simulation, scenario: Scenario, report: Report) -> Simulation:
        """The same discs under another method or with other clusters, from where `simulation` is."""
        self._engine.warm_up(report, system_of(scenario).kernels(scenario))
        return self._engine.carry_on(simulation, scenario)

    def copy(self, simulation: Simulation) -> Simulation:
        """An exact copy, which goes on with the same bits."""
        return self._engine.restore(simulation.checkpoint())

    def beside(self, simulation: Simulation, scenario: Scenario, keys: Collection[str], report: Report) -> Simulation:
        """A second simulation from the present state of `simulation`, under `scenario`, which differs from what runs in
        `keys`. InputError where one of them can only be chosen at the start."""
        if any(key not in simulation.tunable for key in keys):
            return self.carry_on(simulation, scenario, report)
        made = self.copy(simulation)
        for key in keys:
            made.set(key, scenario.value(key))
        return made

    def read(self, source: str | Path) -> Scenario:
        """The scenario of whatever can be opened; how the file was read that it starts from is told. InputError."""
        scenario = self._engine.read(source)
        self._tell(start_notice(scenario), scenario.discs.file)
        return scenario

    @staticmethod
    def is_recording(source: str | Path) -> bool:
        """Whether a file has several frames. InputError where it cannot be used."""
        path = Path(source).expanduser()
        if not formats.is_readable(path) or not path.is_file() or formats.to_read(path).one_frame:
            return False
        with open_trajectory(path) as trajectory:
            return len(trajectory) > 1

    def replay(self, path: Path) -> Replay:
        """A file with several frames; its scenario is that of a new start from the last one. InputError."""
        scenario = self._engine.read(path)
        trajectory = open_trajectory(path)
        try:
            replay = Replay(trajectory, box_of(trajectory[0], path), scenario)
        except BaseException:
            trajectory.close()
            raise
        self._tell(trajectory.notice, str(path))
        replay.on_cut = self._tell
        return replay

    def _tell(self, notice: str, of: str) -> None:
        """What a person should know of how a file was read, where there is something."""
        if notice:
            self._notices.send(Notice("warning", notice[0].upper() + notice[1:], of))

    def resume(self, path: Path, report: Report) -> tuple[SessionState, list[tuple[Scenario, Simulation]]]:
        """A session file, and its simulations, ready to go on. InputError; whatever `report` raises."""
        state = read_session(path)
        return state, resume(state, self._engine, report)

    @staticmethod
    def write(path: Path, frame: FileFrame) -> None:
        """Write a state. InputError where that cannot be."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, frame)
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror or error}", str(path)) from None

    def tell_from_start(self, error: InputError) -> None:
        """Say why a comparison does not begin at the present state."""
        self._notices.send(Notice("info", "The comparison begins at the start", str(error)))

    def tell_not_built(self, error: Exception, kept: bool) -> None:
        """Say why there is no new simulation, and whether the old one is `kept`."""
        words = "What was there is kept." if kept else ""
        if isinstance(error, InputError):
            self._notices.send(Notice("error", str(error), words, key=error.key))
        elif isinstance(error, MemoryError):
            text = f"{words} Choose fewer discs.".strip()
            self._notices.send(Notice("error", "There is not enough memory for this scenario", text, key="discs.count"))
        elif not isinstance(error, ClosingError):
            self._notices.unexpected("The scenario could not be started", error)


def resume(state: SessionState, engine: Engine, report: Report) -> list[tuple[Scenario, Simulation]]:
    """The simulations of a state that `read_session` gave, with their scenarios, as `Builder.build` gives them.

    On the simulation's thread; loads kernels. InputError where the two of a comparison do not belong together.
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
            raise InputError("the saved state is damaged: its two simulations are not of the same discs")
    return list(zip(scenarios, simulations, strict=True))


def shown_frame(runner: Runner, scenario: Scenario | None) -> FileFrame:
    """The state of the first lane that is on the screen; of time stepping in the present its last whole step, in which
    nothing overlaps. InputError where there is nothing yet."""
    if not runner.lanes:
        raise InputError("there is no state to write yet")
    lane = runner.lanes[0]
    kept: tuple[Frame, ...] | None = None
    if runner.status.past is not None:
        kept = runner.frames.memory.at(runner.status.past)
    frame = kept[0] if kept is not None else lane.simulation.settled()
    return FileFrame.of(frame, lane.system, scenario.to_toml() if scenario is not None else "")
