"""What the session asks of whoever knows how discs of a system are measured."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import Analysis, SystemInfo
from aggviewer.session.saved.packing_pool import PackingPool
from engine.indicators import Measurable, as_json, measure, registered
from engine.system import system

if TYPE_CHECKING:
    from engine.analysis import Sample
    from engine.frame import Frame
    from engine.simulation import History, Simulation
    from engine.state import Discs


@dataclass(frozen=True)
class MeasuredState:
    """Which state of a run is measured. past : an earlier one, of which the simulation knows no details any more;
    ended : the last one."""

    past: bool = False
    ended: bool = False


@dataclass
class StateCopy:
    """A copy of a state, the analyst's own.

    Parameters
    ----------
    system : which discs.
    positions : (N, 2), centres.
    radius_factor : of the radii of `discs`, which grow in some systems.
    history : since the start, up to this state.
    observed : what `SystemAnalysis.observe` has taken.
    wanted : the names of the indicators that somebody looks at, None for all.
    own : the discs of the state itself (`engine.frame.discs_of`); None for those of `system`.
    """

    system: SystemInfo
    time: float
    positions: NDArray[np.float64]
    radius_factor: float
    history: History | None
    observed: Any
    wanted: frozenset[str] | None = None
    own: Discs | None = None

    @staticmethod
    def of(
        system: SystemInfo, frame: Frame, history: History | None, observed: Any, wanted: frozenset[str] | None = None
    ) -> StateCopy:
        """A sample of a frame of these discs."""
        return StateCopy(
            system, frame.time, frame.positions.copy(), frame.radius_factor, history, observed, wanted, frame.discs
        )

    @property
    def discs(self) -> Discs:
        """Masses, box and boundary of the state, and its radii before any disc has grown."""
        return self.system if self.own is None else self.own

    @property
    def radii(self) -> NDArray[np.float64]:
        """(N,), as they are now."""
        return self.discs.radii * self.radius_factor

    def sample(self, **parts: Any) -> Sample:
        """The state as the engine measures it. parts : what it has beside positions, radii, masses and box."""
        from engine.analysis import Sample  # takes a while, and nothing before the first measurement needs it

        discs = self.discs
        return Sample(self.positions, self.radii, discs.box, periodic=discs.periodic, masses=discs.masses, **parts)

    def analysis(self, indicators: Any, data: Any = None, measured: frozenset[str] | None = None) -> Analysis:
        """The analysis that holds what was measured."""
        radius = float(np.mean(self.radii)) if len(self.positions) else 0.0
        return Analysis(self.system, self.time, indicators, self.history, data, measured, radius)


class StateIndicators:
    """The indicators of a state as attributes, by their names: those of its system, and those of plug-ins. Each is
    measured once, when it is first asked for, and is None where it is not defined.

    Parameters
    ----------
    of : the name of the system.
    state : gives the state, which is let go of as soon as it has been measured.
    """

    def __init__(self, of: str, state: Callable[[], Measurable]) -> None:
        self._state = state
        self._indicators = (*system(of).indicators(), *registered())
        self._values: dict[str, Any] = {}

    def measure(self, names: frozenset[str] | None) -> frozenset[str] | None:
        """Measure these now, all for None; the others wait until they are asked for. Returns `names`: to ask for them
        takes no time any more."""
        new = [one for one in self._indicators if one.name not in self._values]
        due = [one for one in new if names is None or one.name in names]
        if due:
            found = measure(self._state(), due)
            self._values |= {one.name: found.get(one.name) for one in due}
        return names

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in {one.name for one in self._indicators}:
            raise AttributeError(f"this system has no indicator {name}")
        self.measure(frozenset({name}))
        return self._values[name]

    def to_dict(self) -> dict[str, Any]:
        """All of them with plain lists, numbers and None, ready for JSON."""
        self.measure(None)
        return as_json(self._values, self._indicators)


class SystemAnalysis:
    """Base: how the discs of one system are measured. Each lane has its own, which may remember what it has seen."""

    def begin(self, simulation: Simulation) -> None:
        """This simulation is measured from now on. On its thread."""

    def observe(self, simulation: Simulation, frame: Frame, moment: MeasuredState) -> Any:
        """What is needed beside the positions: copies, for the buffers of `frame` stay their owner's. On the
        simulation's thread, so it is to be quick."""
        return None

    def measure(self, sample: StateCopy) -> Analysis:
        """What is wanted of a state; the rest may be measured when it is asked for, as `StateIndicators` does. On the
        analyst's thread, which may take its time."""
        return sample.analysis(None)

    def branch(self) -> SystemAnalysis:
        """Another analysis that remembers what this one has seen, and from here on sees other states."""
        return deepcopy(self)


@runtime_checkable
class Pooling(Protocol):
    """An analysis that keeps jammed packings, to be looked at together."""

    def share(self, pool: PackingPool) -> None:
        """Keep them in the pool of the session, from which session files are written."""
        ...


class Measured(Protocol):
    """What the session needs of the view of a system."""

    def analysis(self) -> SystemAnalysis:
        """A new analysis."""
        ...


Views = Callable[[str], Measured]
"""The view of a system, by its name."""
