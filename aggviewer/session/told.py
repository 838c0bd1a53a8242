"""Whom the simulation's thread tells of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from aggviewer.session.data import State, SystemInfo

if TYPE_CHECKING:
    from aggviewer.session.load.tracing import TracedStep
    from aggviewer.session.saved.state import SessionState
    from engine.scenario import Scenario


class Told(Protocol):
    """Called on the simulation's thread."""

    def state(self, state: State) -> None:
        """What it does now."""
        ...

    def system(self, system: SystemInfo) -> None:
        """Other discs."""
        ...

    def scenario(self, scenario: Scenario) -> None:
        """What runs, or what waits for the kernels."""
        ...

    def lanes(self, scenarios: tuple[Scenario, ...]) -> None:
        """The scenarios side by side: one, or two in a comparison."""
        ...

    def step(self, step: TracedStep) -> None:
        """A time step that was asked for, looked into."""
        ...

    def no_step(self, reason: str) -> None:
        """There is no such time step."""
        ...

    def resumed(self, state: SessionState) -> None:
        """A session was opened: how it was shown."""
        ...
