"""What the session asks of whoever knows how discs of a system are measured."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import Analysis, SystemInfo
from aggviewer.session.saved.packing_pool import PackingPool

if TYPE_CHECKING:
    from engine.simulation import Frame, History, Simulation

T = TypeVar("T")


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
    wanted : names of the indicators that somebody looks at; others may be left out. None for all.
    """

    system: SystemInfo
    time: float
    positions: NDArray[np.float64]
    radius_factor: float
    history: History | None
    observed: Any
    wanted: frozenset[str] | None = None

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

    def branch(self) -> SystemAnalysis:
        """Another analysis that remembers what this one has seen, and from here on sees other states."""
        return deepcopy(self)


def measured_part(kind: type[T], state: Any, wanted: frozenset[str]) -> T:
    """Some indicators of a state in the form of all of them, None in the place of others.

    Parameters
    ----------
    kind : a dataclass with a field for each indicator, such as `engine.analysis.Indicators`.
    state : an `engine.analysis.Sample`.
    wanted : their names.
    """
    from engine.analysis import every_indicator, measure  # takes a while

    names = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    found = measure(state, [one for one in every_indicator() if one.name in wanted & names])
    return kind(**(dict.fromkeys(names) | found))


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
