"""A simulation of the protocol that is plain arithmetic: cluster k merges at time k."""

from __future__ import annotations

import threading
from collections.abc import Callable
from math import floor, inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from aggviewer.session.analyst import StateCopy, SystemAnalysis
from aggviewer.session.data import Analysis
from aggviewer.session.past.replay import RecordedRun
from engine.errors import InputError
from engine.frame import Frame
from engine.scenario import Scenario
from engine.simulation import Checkpoint, History, Progress, Stride
from engine.state import InitialState

SLICE_TIME = 0.25  # simulation time that the fake covers in one slice that its budget cuts


class FakeSimulation:
    """N discs; one merge at every whole time until one cluster is left. Every call of `advance` is recorded."""

    system = "aggregation"

    def __init__(self, count: int, log: list[tuple[Any, ...]], method: str = "event-driven") -> None:
        self.method = method
        stepping = method == "time-stepping"
        self.slice_time = SLICE_TIME / 2 if stepping else SLICE_TIME
        self.tunable = frozenset({"aggregation.damping.alpha"} if stepping else {"hard_discs.restitution"})
        self.count = count
        self.box = np.array([10.0, 10.0])
        self.periodic = False
        self.radii = np.full(count, min(0.1, 10.0 / count**2))  # a few all touch, many do not
        self.masses = np.ones(count)
        self.time = 0.0
        self.log = log
        self.error: Exception | None = None
        self.thread: int | None = None

    @property
    def merges(self) -> int:
        return min(floor(self.time), self.count - 1)

    def advance(
        self,
        until_time: float = inf,
        budget: float = inf,
        *,
        until_clusters: int = 1,
        max_events: int | None = None,
    ) -> Progress:
        self.thread = threading.get_ident()
        if max_events != 0:
            self.log.append(("advance", until_time, max_events))
        if self.error is not None:
            raise self.error
        end = float(self.count - 1)
        goal = min(until_time, end, self.merges + max_events if max_events is not None else inf)
        before = self.time
        self.time = max(before, min(goal, before + self.slice_time))
        finished = self.merges == self.count - 1
        events = {"merge": self.merges, "wall": 0}
        return Progress(self.time, self.count - self.merges, events, {}, finished, self.time >= goal)

    def stride(self, frames: float = 1.0) -> Stride:
        return Stride(events=self.merges + 1)

    def frame(self, out: Frame | None = None) -> Frame:
        out = Frame.empty(self.count) if out is None else out
        out.time = self.time
        out.positions[:, 0] = self.time
        out.positions[:, 1] = np.linspace(0.0, 0.1, self.count)
        out.velocities[:] = 1.0
        out.fields["cluster"] = np.maximum(np.arange(self.count, dtype=np.int32), self.merges)
        out.clusters = self.count - self.merges
        out.kinetic_energy = 1.0
        return out

    def history(self) -> History:
        k = np.arange(self.merges + 1)
        return History(k.astype(float), self.count - k, np.full(len(k), 1e-12))

    def invariants(self) -> dict[str, float]:
        return {"momentum_error": 0.0, "max_overlap": 0.0}

    def set(self, key: str, value: Any) -> None:
        if key not in self.tunable:
            raise InputError(f"{key} cannot change while it runs", key)
        self.log.append(("set", key, value))

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(self.system, self.method, "", {"now": np.array([self.count, self.time])})


class FakeAnalysis(SystemAnalysis):
    """Takes the first position for an indicator, after whatever `FakeEngine.analyse_with` does."""

    def __init__(self, engine: FakeEngine) -> None:
        self._engine = engine

    def measure(self, state: StateCopy) -> Analysis:
        self._engine.analyse_with()
        first = float(state.positions[0, 0])
        self._engine.analysed.append(first)
        return Analysis(state.disc_set, state.time, SimpleNamespace(contacts_relative=first), state.history)


class FakeEngine:
    """Builds `FakeSimulation`s. `warm_up_with` runs inside the warm-up, `refuse` makes `create` raise."""

    def __init__(self) -> None:
        self.log: list[tuple[Any, ...]] = []
        self.simulations: list[FakeSimulation] = []
        self.refuse: Exception | None = None
        self.warm_up_with: Callable[[Callable[[int, int, str], None]], None] = lambda report: None
        self.analyse_with: Callable[[], None] = lambda: None
        self.analysed: list[float] = []
        self.preview_of: Callable[[Scenario], InitialState | None] = lambda scenario: None
        self.recorded_of: Callable[[Scenario], RecordedRun | None] = lambda scenario: None

    def warm_up(self, report: Callable[[int, int, str], None], method: str) -> None:
        self.warm_up_with(report)

    def read(self, source: str | Path) -> Scenario:
        if not str(source).endswith(".toml"):
            raise InputError(f"{source} does not exist", str(source))
        return Scenario.from_values({"discs": {"count": 7}})

    def preview(self, scenario: Scenario) -> InitialState | None:
        return self.preview_of(scenario)

    def stand_in_for(self, scenario: Scenario) -> RecordedRun | None:
        return self.recorded_of(scenario)

    def create(self, scenario: Scenario, tell: Callable[[str, str], None]) -> FakeSimulation:
        if self.refuse is not None:
            raise self.refuse
        self.log.append(("create", scenario.discs.count, scenario.seed))
        self.simulations.append(FakeSimulation(scenario.discs.count, self.log, scenario.aggregation.method))
        return self.simulations[-1]

    def carry_on(self, simulation: FakeSimulation, scenario: Scenario) -> FakeSimulation:
        """Another fake from where `simulation` is; time stepping is half as fast."""
        if self.refuse is not None:
            raise self.refuse
        made = FakeSimulation(simulation.count, self.log, scenario.aggregation.method)
        made.time = simulation.time
        self.log.append(("carry_on", made.method, made.time))
        self.simulations.append(made)
        return made

    def restore(self, checkpoint: Checkpoint) -> FakeSimulation:
        count, time = checkpoint.arrays["now"]
        made = FakeSimulation(int(count), self.log, checkpoint.method)
        made.time = float(time)
        self.simulations.append(made)
        return made

    def copy(self, simulation: FakeSimulation) -> FakeSimulation:
        return self.restore(simulation.checkpoint())

    def measuring_view_of(self, system: str) -> FakeEngine:
        """What measures the fakes of any system: this engine itself."""
        return self

    def analysis(self) -> SystemAnalysis:
        return FakeAnalysis(self)
