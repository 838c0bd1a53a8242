"""All that the session asks of the engine, which is imported when it is first used."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray

from engine.system import system_of, system_of_kernels

if TYPE_CHECKING:
    from engine.fields import Field
    from engine.scenario import Scenario
    from engine.simulation import Checkpoint, Frame, Simulation
    from engine.state import Discs, InitialState

Report = Callable[[int, int, str], None]


class Engine:
    """The engine, always called on a thread of the session. Kernels are imported by the first call that needs them: a
    window is up before numba is."""

    _lock = threading.Lock()
    _warm: ClassVar[set[str]] = set()

    def warm_up(self, report: Report, method: str) -> None:
        """Compile or load the kernels of a method; `report(done, total, what)` before each of them. A second call, from
        whichever thread, does nothing."""
        with Engine._lock:
            if method not in Engine._warm:
                import engine
                from aggviewer.session.precompile import fill_cache

                if not system_of_kernels(method).origin:  # a process of its own knows no plug-ins
                    fill_cache(report, "engine", method)
                engine.warm_up(report, method)
                Engine._warm.add(method)

    def read(self, source: str | Path) -> Scenario:
        """A TOML scenario, a bundled name, or a state file (CSV …), which becomes a scenario that starts from it."""
        import engine

        return engine.open_scenario(source)

    def preview(self, scenario: Scenario) -> InitialState | None:
        """The state at t = 0 while the kernels are not ready yet and where it needs none of them: a lattice is plain
        arithmetic. Else None."""
        prepares = system_of(scenario).prepares(scenario)
        if Engine._warm or scenario.discs.arrangement != "lattice" or prepares:
            return None
        from engine.initial import initial_state

        return initial_state(scenario, check=False)

    def create(self, scenario: Scenario) -> Simulation:
        """A new simulation. Raises InputError."""
        import engine

        return engine.create(scenario)

    def carry_on(self, simulation: Simulation, scenario: Scenario) -> Simulation:
        """The same discs from where they are, under another method. Raises InputError."""
        import engine

        return engine.carry_on(simulation, scenario)

    def restore(self, checkpoint: Checkpoint) -> Simulation:
        """A second simulation in the state that `checkpoint` was taken of."""
        import engine

        return engine.restore(checkpoint)

    def measure(self, field: Field, frame: Frame, discs: Discs) -> NDArray[Any]:
        """The values of each disc, (N,), of a field that takes long."""
        assert field.measure is not None
        return field.measure(frame, discs)
