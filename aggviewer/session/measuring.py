"""The interface between session and systems for measuring discs."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import Analysis, SystemInfo
from engine.indicators import Measurable, Problems, as_json, measure, registered
from engine.system import system

if TYPE_CHECKING:
    from engine.analysis import Sample
    from engine.frame import Frame
    from engine.simulation import History, Simulation
    from engine.state import Discs


@dataclass(frozen=True)
class MeasuredState:
    """The kind of state measured. past : an earlier one, for which the simulation has no details; ended : the last
    one."""

    past: bool = False
    ended: bool = False


@dataclass
class StateCopy:
    """A copy of a state, owned by the analyst.

    Parameters
    ----------
    system : the discs.
    positions : (N, d), centres.
    radius_factor : factor of the radii of `discs`, which grow in some systems.
    history : from the start up to this state.
    observed : the result of `SystemAnalysis.observe`.
    wanted : names of the indicators in use, None for all.
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
        """Masses, box and boundary of the state, and its radii before any growth."""
        return self.system if self.own is None else self.own

    @property
    def radii(self) -> NDArray[np.float64]:
        """The present radii, (N,)."""
        return self.discs.radii * self.radius_factor

    def sample(self, **parts: Any) -> Sample:
        """The state in the engine's form. parts : what it contains besides positions, radii, masses and box."""
        from engine.analysis import Sample  # takes a while, and nothing before the first measurement needs it

        discs = self.discs
        return Sample(self.positions, self.radii, discs.box, periodic=discs.periodic, masses=discs.masses, **parts)

    def analysis(
        self,
        indicators: Any,
        data: Any = None,
        measured: frozenset[str] | None = None,
        problems: Problems | None = None,
    ) -> Analysis:
        """The analysis with the measured values. problems : of `StateIndicators`, by default of `indicators`."""
        radius = float(np.mean(self.radii)) if len(self.positions) else 0.0
        if problems is None:
            problems = indicators.problems if isinstance(indicators, StateIndicators) else {}
        return Analysis(self.system, self.time, indicators, self.history, data, measured, radius, problems)


class StateIndicators:
    """The indicators of a state as attributes: those of its system, and those of plug-ins. Each is measured once, at
    first use, and is None if undefined.

    Parameters
    ----------
    of : the name of the system.
    state : returns the state, which is released once everything is measured.

    Attributes
    ----------
    problems : a sentence for each indicator that failed, whose value is None, by its name.
    """

    def __init__(self, of: str, state: Callable[[], Measurable]) -> None:
        self._state = state
        self._indicators = (*system(of).indicators(), *registered())
        self._values: dict[str, Any] = {}
        self.problems = Problems()

    def measure(self, names: frozenset[str] | None) -> frozenset[str] | None:
        """Measure these now (None: all); others are measured at first use. Returns `names`, which are then
        available."""
        new = [one for one in self._indicators if one.name not in self._values]
        due = [one for one in new if names is None or one.name in names]
        if due:
            found = measure(self._state(), due, self.problems)
            self._values |= {one.name: found.get(one.name) for one in due}
        return names

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in {one.name for one in self._indicators}:
            raise AttributeError(f"this system has no indicator {name}")
        self.measure(frozenset({name}))
        return self._values[name]

    def to_dict(self) -> dict[str, Any]:
        """All indicators as plain lists, numbers and None, ready for JSON."""
        self.measure(None)
        return as_json(self._values, self._indicators, self.problems)


class SystemAnalysis:
    """Base class: measures the discs of one system. Each lane has its own, which may remember earlier states."""

    def begin(self, simulation: Simulation) -> None:
        """Measure this simulation from now on. On its thread."""

    def observe(self, simulation: Simulation, frame: Frame, moment: MeasuredState) -> Any:
        """Copy what is needed besides the positions; do not keep the buffers of `frame`. Runs on the simulation's
        thread and must be quick."""
        return None

    def count(self, simulation: Simulation, moment: MeasuredState) -> Any:
        """The data (`Analysis.data`) of plots that show only what the simulation has counted (`Plot.counts`). Runs on
        the simulation's thread, perhaps while `measure` runs on another, and must be quick."""
        return None

    def measure(self, sample: StateCopy) -> Analysis:
        """Measure the wanted values of a state; others may follow at first use, as in `StateIndicators`. Runs on the
        analyst's thread and may be slow."""
        return sample.analysis(None)

    def branch(self) -> SystemAnalysis:
        """An independent analysis with the same memory."""
        return deepcopy(self)


class Measured(Protocol):
    """What the session needs from the view of a system."""

    def analysis(self) -> SystemAnalysis:
        """Create an analysis."""
        ...


Views = Callable[[str], Measured]
"""The view of a system, by its name."""
