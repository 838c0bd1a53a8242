"""What a session tells: its signals, and how the simulation's thread emits them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psygnal import Signal, SignalInstance

from aggviewer.session.data import State, SystemInfo
from aggviewer.session.notices import log

if TYPE_CHECKING:
    from aggviewer.session.load.tracing import TracedStep
    from aggviewer.session.saved.state import SessionState
    from engine.scenario import Scenario


class SessionSignals:
    """Signals, emitted on any thread: scenario_changed(Scenario), of lane 0; lanes_changed(tuple of the Scenarios side
    by side); system_changed(SystemInfo), of lane 0; state_changed(str); step_traced(TracedStep) or
    step_refused(reason); resumed(SessionState): a session was opened, with how it was shown.

    scenario : what was told last, None where there is nothing yet.
    """

    scenario_changed = Signal(object)
    lanes_changed = Signal(object)
    step_traced = Signal(object)
    step_refused = Signal(str)
    resumed = Signal(object)
    system_changed = Signal(SystemInfo)
    state_changed = Signal(str)

    scenario: Scenario | None = None


class Teller:
    """Emits the signals; see `aggviewer.session.told.Told`."""

    def __init__(self, signals: SessionSignals) -> None:
        self._signals = signals

    def state(self, state: State) -> None:
        _emit(self._signals.state_changed, state)

    def system(self, system: SystemInfo) -> None:
        _emit(self._signals.system_changed, system)

    def scenario(self, scenario: Scenario) -> None:
        self._signals.scenario = scenario
        _emit(self._signals.scenario_changed, scenario)

    def lanes(self, scenarios: tuple[Scenario, ...]) -> None:
        _emit(self._signals.lanes_changed, scenarios)

    def step(self, step: TracedStep) -> None:
        _emit(self._signals.step_traced, step)

    def no_step(self, reason: str) -> None:
        _emit(self._signals.step_refused, reason)

    def resumed(self, state: SessionState) -> None:
        _emit(self._signals.resumed, state)


def _emit(signal: SignalInstance, value: object) -> None:
    """A listener that fails must not take the simulation's thread along."""
    try:
        signal.emit(value)
    except Exception:
        log.exception("a listener to %s failed", signal.name)
