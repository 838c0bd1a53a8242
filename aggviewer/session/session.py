"""The session: what runs and what is shown. Its methods are the only way in; no Qt."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psygnal import Signal

from aggviewer.session.analyst import Analyst
from aggviewer.session.data import Analysis, Shown, State, Status, SystemInfo
from aggviewer.session.engine_face import Engine, EngineFace
from aggviewer.session.mailbox import FrameMailbox
from aggviewer.session.notices import Notices, log
from aggviewer.session.publisher import Publisher
from aggviewer.session.runner import Runner
from aggviewer.session.view import ViewModel
from aggviewer.session.worker import SimulationWorker
from engine.errors import InputError

if TYPE_CHECKING:
    from engine.scenario import Scenario

DEFAULT_SPEED = 2.0
"""Simulation time per second of wall time at the start."""


class Session:
    """Owns the simulation's thread, the analyst's thread, the latest frame and the view model.

    Commands return at once and are carried out in order between two slices of work. The signals may be emitted on any
    thread; frames and indicators are polled (`latest_frame`, `latest_analysis`), never sent.

    Signals: scenario_changed(Scenario), system_changed(SystemInfo), state_changed(str). Messages: ``notices.sent``.
    """

    scenario_changed = Signal(object)
    system_changed = Signal(SystemInfo)
    state_changed = Signal(str)

    def __init__(
        self, engine: EngineFace | None = None, notices: Notices | None = None, speed: float = DEFAULT_SPEED
    ) -> None:
        self.notices = notices or Notices()
        self.view = ViewModel()
        self.scenario: Scenario | None = None
        self._engine = engine or Engine()
        self._mailbox: FrameMailbox[Shown] = FrameMailbox()
        self._analyst = Analyst(self._engine, self._on_analysis_error, self._on_contacts)
        self._runner = Runner(
            self._engine,
            Publisher(self._mailbox, self._analyst, self.view),
            self.notices,
            speed=speed,
            closing=lambda: self._worker.closing,
            on_state=self._on_state,
            on_system=self._on_system,
            on_scenario=self._on_scenario,
        )
        self._worker = SimulationWorker(self._runner)
        self._worker.start()
        self.view.events.color_by.connect(self.refresh)
        self._closed = False

    # commands

    def load(self, scenario: Scenario, *, run: bool | None = None) -> None:
        """Build `scenario` and show it; on bad input what was there goes on and a notice is sent.

        run : let it run, hold it, or do as before (None).
        """
        self._worker.post(lambda: self._load(lambda: scenario, run))

    def open(self, source: str | Path, *, run: bool | None = None, otherwise: str | None = None) -> None:
        """The same for a scenario file, a state file (CSV …) or the name of a bundled scenario.

        otherwise : what to open where `source` cannot be opened and nothing is there yet.
        """
        self._worker.post(lambda: self._load(lambda: self._engine.read(source), run, otherwise))

    def run(self) -> None:
        """Let it run."""
        self._worker.post(self._runner.run)

    def pause(self) -> None:
        """Hold it."""
        self._worker.post(self._runner.pause)

    def toggle(self) -> None:
        """Run or pause."""
        self._worker.post(self._runner.toggle)

    def step_event(self) -> None:
        """Pause, and go on to the next physical event."""
        self._worker.post(self._runner.step_event)

    def step_frame(self) -> None:
        """Pause, and go on by one frame of simulation time."""
        self._worker.post(self._runner.step_frame)

    def restart(self, seed: int | None = None) -> None:
        """Begin again with the same seed, or with the one given."""
        self._worker.post(lambda: self._runner.restart(seed))

    def set_speed(self, value: float) -> None:
        """Simulation time per second of wall time, above 0; inf is as fast as it can."""
        if isnan(value) or value <= 0.0:
            raise InputError(f"the playback speed must be above 0, not {value:g}")
        self._worker.post(lambda: self._runner.set_speed(value))

    def set_parameter(self, key: str, value: Any) -> None:
        """Change a scenario key that may change while it runs; on bad input a notice is sent."""
        self._worker.post(lambda: self._runner.set_parameter(key, value))

    def refresh(self) -> None:
        """Make a frame of the present state, to be shown in another way."""
        self._worker.post(self._runner.refresh)

    def save_scenario(self, path: Path) -> None:
        """Write the scenario that runs, every default written out. InputError where that cannot be done."""
        if self.scenario is None:
            raise InputError("there is no scenario to save yet")
        try:
            path.write_text(self.scenario.to_toml(), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror or error}", str(path)) from None

    # what is to be seen

    def latest_frame(self) -> Shown | None:
        """The newest frame, None when there is nothing new; its buffers stay valid until the next call."""
        return self._mailbox.take()

    def latest_analysis(self) -> Analysis | None:
        """The newest indicators, None when there are no new ones."""
        return self._analyst.take()

    def status(self) -> Status:
        """Where the simulation is."""
        return self._runner.status

    def close(self, patience: float | None = None) -> bool:
        """Stop and join every thread; True when all have ended.

        A call of the engine cannot be interrupted, and building 10^6 discs takes seconds. patience : seconds to wait
        for each thread, None for as long as it takes; a later call waits again.
        """
        if not self._closed:
            self._closed = True
            self.view.events.color_by.disconnect(self.refresh)
        worker, analyst = self._worker.close(patience), self._analyst.close(patience)
        return worker and analyst

    # from the threads

    def _load(self, scenario_of: Callable[[], Scenario], run: bool | None, otherwise: str | None = None) -> None:
        loaded = self._runner.load(scenario_of, run)
        if not loaded and otherwise is not None and self.status().state == "empty":
            self._runner.load(lambda: self._engine.read(otherwise), run)

    def _on_state(self, state: State) -> None:
        self._emit("state_changed", state)

    def _on_system(self, system: SystemInfo) -> None:
        self._emit("system_changed", system)

    def _on_scenario(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._emit("scenario_changed", scenario)

    def _emit(self, name: str, value: object) -> None:
        """A listener that fails must not take the simulation's thread along."""
        try:
            getattr(self, name).emit(value)
        except Exception:
            log.exception("a listener to %s failed", name)

    def _on_contacts(self) -> None:
        self._worker.post(self._runner.recolor)

    def _on_analysis_error(self, error: Exception) -> None:
        self.notices.unexpected("The state could not be measured", error, "The simulation goes on.")
