"""Capabilities that only some simulations have. Each is a small protocol, with a function that asks for it.

A simulation has a capability if it has the members of the protocol. The function returns the simulation, typed as one
that has the capability, or None. Where there is an answer for all simulations, it gives this instead: `meets_no_more`,
`lent` and `engine.copy`. The rest of the program asks these functions and never for the class of a simulation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from numpy.typing import NDArray

if TYPE_CHECKING:
    from engine.aggregation.time_stepping.frame import Convergence
    from engine.aggregation.time_stepping.trace import StepTrace
    from engine.hard_discs.measures import GasMeasures
    from engine.hard_discs.pressure import Stretch
    from engine.hard_discs.rheology import FlowingDiscs
    from engine.jamming.packing import Packing
    from engine.merges import MergeLog
    from engine.scenario import Scenario
    from engine.simulation import Checkpoint, Simulation


@runtime_checkable
class Interruptible(Protocol):
    """A simulation whose `advance` may take long and can be interrupted."""

    def interrupt(self) -> None:
        """End the running `advance`, or else the next one, within 0.2 s. May be called from any thread."""
        ...


def interruptible(simulation: Simulation) -> Interruptible | None:
    """The simulation if it can be interrupted; None if `advance` always returns after its budget."""
    return simulation if isinstance(simulation, Interruptible) else None


@runtime_checkable
class Parting(Protocol):
    """A simulation that can tell whether its discs will ever meet again."""

    def meets_no_more(self) -> bool:
        """Whether certainly no two discs or clusters will ever touch again. Then `advance` without a time limit ends at
        once."""
        ...


def meets_no_more(simulation: Simulation) -> bool:
    """Whether it is certain that nothing will ever meet."""
    return isinstance(simulation, Parting) and simulation.meets_no_more()


@runtime_checkable
class Traceable(Protocol):
    """A simulation whose steps can be recorded iteration by iteration."""

    def trace_step(self, max_records: int = ...) -> StepTrace:
        """Compute the step that is under way, or else the next one, once more, and record its iterations.

        At most `max_records` iterations are recorded.
        """
        ...


def traceable(simulation: Simulation) -> Traceable | None:
    """The simulation if its steps can be traced, else None."""
    return simulation if isinstance(simulation, Traceable) else None


@runtime_checkable
class Converging(Protocol):
    """A simulation whose steps are minimisations that converge."""

    def convergence(self) -> Convergence:
        """The convergence of the latest minimisations."""
        ...


def converging(simulation: Simulation) -> Converging | None:
    """The simulation if it reports the convergence of its minimisations, else None."""
    return simulation if isinstance(simulation, Converging) else None


@runtime_checkable
class Packed(Protocol):
    """A simulation whose discs become a packing, with forces at their contacts."""

    def packing(self) -> Packing:
        """The packing now: contacts, forces, rattlers."""
        ...


def packed(simulation: Simulation) -> Packed | None:
    """The simulation if its discs become a packing, else None."""
    return simulation if isinstance(simulation, Packed) else None


@runtime_checkable
class CollisionCounting(Protocol):
    """A simulation that counts its collisions.

    Attributes
    ----------
    count_impacts : whether the separations at impact are counted too, at a small cost.
    """

    scenario: Scenario
    count_impacts: bool

    def measures(self) -> GasMeasures:
        """What has been measured since the start, or since the last change of a setting."""
        ...

    def flowing_discs(self) -> FlowingDiscs | None:
        """What is needed of the discs to measure a flow; None without a flow."""
        ...

    def impact_histogram(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The histogram of the separations at impact, in units in the last place of the distance: edges (K + 1,),
        counts (K,)."""
        ...

    def stretches(self) -> tuple[Stretch, ...]:
        """The parts of the run with a constant restitution, in order."""
        ...


def counting(simulation: Simulation) -> CollisionCounting | None:
    """The simulation if it counts its collisions, else None, as for a recording, which has only frames."""
    return simulation if isinstance(simulation, CollisionCounting) else None


@runtime_checkable
class Merging(Protocol):
    """A simulation whose discs join, and which records its merges."""

    def merge_log(self) -> MergeLog:
        """The merges since the start, or since the time at which the record begins. The arrays are copies."""
        ...

    def continue_merge_log(self, log: MergeLog) -> None:
        """Append further merges to the log of the simulation that this one continues."""
        ...


def merging(simulation: Simulation) -> Merging | None:
    """The simulation if it keeps a record of its merges, else None, as for a recording, which has only frames."""
    return simulation if isinstance(simulation, Merging) else None


@runtime_checkable
class Lending(Protocol):
    """A simulation whose state can be written to a file without a copy in memory."""

    def lend(self) -> Checkpoint:
        """A checkpoint that uses the simulation's own arrays where possible.

        They are valid until the simulation advances, and must not be changed.
        """
        ...


def lent(simulation: Simulation) -> Checkpoint:
    """A checkpoint to be read before the simulation advances; not copied if the simulation supports that.

    Ten million discs take gigabytes, and a copy takes as much again.
    """
    return simulation.lend() if isinstance(simulation, Lending) else simulation.checkpoint()


@runtime_checkable
class Copying(Protocol):
    """A simulation that can be copied in memory, which is faster than through a checkpoint."""

    def copy(self) -> Simulation:
        """An independent copy in the same state, which continues bit for bit."""
        ...
