"""What the session asks of whoever knows how discs of a system are measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import Analysis, SystemInfo
from aggviewer.session.saved.packing_pool import PackingPool

if TYPE_CHECKING:
    from engine.simulation import Frame, History, Simulation


@dataclass(frozen=True)
class Moment:
    """Which state of a run is measured. past : an earlier one, of which the simulation knows no details any more;
    ended : the last one."""

    past: bool = False
    ended: bool = False


@dataclass
class Sample:
    """A copy of a state, the analyst's own.

    Parameters
    ----------
    positions : (N, 2), centres.
    radius_factor : of the radii of `system`, which grow in some systems.
    history : since the start, up to this state.
    observed : what `SystemAnalysis.observe` has taken.
    """

    system: SystemInfo
    time: float
    positions: NDArray[np.float64]
    radius_factor: float
    history: History | None
    observed: Any

    @property
    def radii(self) -> NDArray[np.float64]:
        """(N,), as they are now."""
        return self.system.radii * self.radius_factor


class SystemAnalysis:
    """Base: how the discs of one system are measured. Each lane has its own, which may remember what it has seen."""

    def begin(self, simulation: Simulation) -> None:
        """This simulation is measured from now on. On its thread."""

    def observe(self, simulation: Simulation, frame: Frame, moment: Moment) -> Any:
        """What is needed beside the positions: copies, for the buffers of `frame` stay their owner's. On the
        simulation's thread, so it is to be quick."""
        return None

    def measure(self, sample: Sample) -> Analysis:
        """Everything about a state. On the analyst's thread, which may take its time."""
        return Analysis(sample.system, sample.time, None, sample.history)


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
