"""What a session says of its changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psygnal import Signal, SignalInstance

from aggviewer.session.data import SystemInfo
from aggviewer.session.notices import log

if TYPE_CHECKING:
    from engine.scenario import Scenario


class SessionSignals:
    """Signals, emitted on the thread of the simulation: a listener that belongs to another one queues them.

    Attributes
    ----------
    scenario_changed : of lane 0, with its Scenario: what runs, or what waits for the kernels.
    lanes_changed : the Scenarios side by side, one, or two in a comparison.
    system_changed : the SystemInfo of lane 0: other discs.
    state_changed : the State, a str.
    step_traced, step_refused : the TracedStep that was asked for, or the reason why there is none.
    resumed : the SessionState of a session that was opened, which says how it was shown.
    scenario : the one that was said last, None where there is nothing yet.
    """

    scenario_changed = Signal(object)
    lanes_changed = Signal(object)
    system_changed = Signal(SystemInfo)
    state_changed = Signal(str)
    step_traced = Signal(object)
    step_refused = Signal(str)
    resumed = Signal(object)

    scenario: Scenario | None = None


def emit(signal: SignalInstance, value: object) -> None:
    """Emit a signal; a listener that fails must not take the simulation's thread along."""
    try:
        signal.emit(value)
    except Exception:
        log.exception("a listener to %s failed", signal.name)
