"""What only some simulations can do: a small protocol and one function each.

The function gives the simulation as one that can do it, or None.

Nothing else asks a simulation what it is: what has the members of a protocol can do what the protocol says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from numpy.typing import NDArray

if TYPE_CHECKING:
    from engine.aggregation.time_stepping.frame import Convergence
    from engine.aggregation.time_stepping.trace import StepTrace
    from engine.hard_discs.cooling import Stretch
    from engine.hard_discs.measures import GasMeasures
    from engine.jamming.packing import Packing
    from engine.scenario import Scenario
    from engine.simulation import Simulation


@runtime_checkable
class Interruptible(Protocol):
    """A simulation whose `advance` can take long, and can be cut off."""

    def interrupt(self) -> None:
        """End the `advance` that is running, else the next one, within 0.2 s. From any thread."""
        ...


def interruptible(simulation: Simulation) -> Interruptible | None:
    """The simulation where its work can be cut off, None where it comes back by itself after its budget."""
    return simulation if isinstance(simulation, Interruptible) else None


@runtime_checkable
class Traceable(Protocol):
    """A simulation whose steps can be told from within, iteration by iteration."""

    def trace_step(self, max_records: int = ...) -> StepTrace:
        """The step that is under way, else the next one, computed once more with all its iterations."""
        ...


def traceable(simulation: Simulation) -> Traceable | None:
    """The simulation where a step of it can be traced."""
    return simulation if isinstance(simulation, Traceable) else None


@runtime_checkable
class Converging(Protocol):
    """A simulation whose steps are minimisations that converge."""

    def convergence(self) -> Convergence:
        """How the newest minimisations have converged."""
        ...


def converging(simulation: Simulation) -> Converging | None:
    """The simulation where it reports how its minimisations converge."""
    return simulation if isinstance(simulation, Converging) else None


@runtime_checkable
class Packed(Protocol):
    """A simulation whose discs become a packing, with forces at their contacts."""

    def packing(self) -> Packing:
        """The packing now: contacts, forces, rattlers."""
        ...


def packed(simulation: Simulation) -> Packed | None:
    """The simulation where its discs become a packing."""
    return simulation if isinstance(simulation, Packed) else None


@runtime_checkable
class Counting(Protocol):
    """A simulation that counts its collisions.

    count_impacts : whether separations at impact are counted too; costs a little.
    """

    scenario: Scenario
    count_impacts: bool

    def measures(self) -> GasMeasures:
        """What has been measured since the start, or since a setting was changed."""
        ...

    def impact_histogram(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Edges and counts of the separations at impact."""
        ...

    def stretches(self) -> tuple[Stretch, ...]:
        """The parts of the run with the same restitution, in order."""
        ...


def counting(simulation: Simulation) -> Counting | None:
    """The simulation where it counts its collisions; a recording of one has only its frames."""
    return simulation if isinstance(simulation, Counting) else None
