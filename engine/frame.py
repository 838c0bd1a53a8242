"""A state of a simulation at one time, `Frame`, and what it may hold beside the discs: impacts, a remark, a network.

In a notebook, simulations and frames show themselves (`Pictured`) and run with a progress bar. How that is done builds
on simulations and frames. So it is not imported here but plugged in, by ``engine/__init__.py`` (`Plugged`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.boundary import Periodic
from engine.geometry.nearest import unwrapped
from engine.scenario import Scenario
from engine.state import Discs, without_flow
from engine.words import body_names


@dataclass(frozen=True)
class Impacts:
    """The latest collisions or merges, the oldest first.

    Parameters
    ----------
    time : (K,) float64.
    pairs : (K, 2) int32, the two discs; the second is -1 for a wall.
    points : (K, 2) float64, where the two touched. None if this follows from the frame, because both discs have moved
        freely since.
    """

    time: NDArray[np.float64]
    pairs: NDArray[np.int32]
    points: NDArray[np.float64] | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self.time.nbytes + self.pairs.nbytes + (0 if self.points is None else self.points.nbytes)


@dataclass(frozen=True, eq=False)
class Remark:
    """A sentence about a state, and the discs that it is about.

    Parameters
    ----------
    text : one sentence.
    discs : (k,) int32.
    """

    text: str
    discs: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class StressPatch:
    """Contacts of a packing with self-stresses of their own, beyond the single one that holds the packing together.

    Parameters
    ----------
    contacts : (k,) int64, the numbers of the contacts, ascending.
    discs : (n,) int64, the discs of these contacts, ascending.
    states : the number of independent self-stresses.
    hexagons : the number of discs whose six neighbours in the patch have the same size and each touch the next.
    """

    contacts: NDArray[np.int64]
    discs: NDArray[np.int64]
    states: int
    hexagons: int


def self_stresses_in_words(patches: tuple[StressPatch, ...], dimensions: int) -> str:
    """Patches in words: ``3 extra self-stresses in 3 hexagons of touching discs``; "" without patches."""
    if not patches:
        return ""
    states = sum(patch.states for patch in patches)
    hexagons = sum(patch.hexagons for patch in patches if patch.states == patch.hexagons)
    others = [len(patch.discs) for patch in patches if patch.states != patch.hexagons]
    places = []
    if hexagons:
        places.append("a hexagon" if hexagons == 1 else f"{hexagons} hexagons")
    if len(others) == 1:
        places.append(f"a patch of {others[0]}")
    elif others:
        places.append(f"{len(others)} patches")
    names = body_names(dimensions)
    stresses = "1 extra self-stress" if states == 1 else f"{states} extra self-stresses"
    if not hexagons and others == [1]:
        return f"{stresses} in a single {names.disc} between walls"
    return f"{stresses} in {' and '.join(places)}{'' if len(others) == 1 else ' of'} touching {names.discs}"


@dataclass(frozen=True)
class Network:
    """The contacts of a packing with their forces, as the last linear program gave them.

    Parameters
    ----------
    pairs : (K, 2) int32, the two discs; the second is -1 for a wall.
    forces : (K,) float64, divided by their mean: they are known up to a common factor.
    vectors : (K, d) float64, the unit vectors from the first disc to that image of the second which it touches, or to
        the wall.
    rattlers : (N,) bool, the discs that their contacts do not hold in place.
    patches : the contacts of a jammed packing that have further self-stresses.
    """

    pairs: NDArray[np.int32]
    forces: NDArray[np.float64]
    vectors: NDArray[np.float64]
    rattlers: NDArray[np.bool_]
    patches: tuple[StressPatch, ...] = ()

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        own = self.pairs.nbytes + self.forces.nbytes + self.vectors.nbytes + self.rattlers.nbytes
        return own + sum(patch.contacts.nbytes + patch.discs.nbytes for patch in self.patches)

    def steps(
        self, positions: NDArray[np.float64], radii: NDArray[np.float64], box: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """(K, d), from the centre of the first disc of each contact to that of the second, or onto the wall.

        Of all images of the second disc it is the one in the direction of the contact: in a box of few discs that need
        not be the nearest one, and a pair may touch in several.
        """
        first, second = self.pairs[:, 0], self.pairs[:, 1]
        pair = second >= 0
        steps = (radii[first] + np.where(pair, radii[second], 0.0))[:, None] * self.vectors
        between = positions[second[pair]] - positions[first[pair]]
        steps[pair] = between + box * np.rint((steps[pair] - between) / box)
        return np.asarray(steps)


@dataclass(frozen=True, eq=False, repr=False)
class FrameDiscs:
    """The discs that a frame is of, and what they are in.

    Parameters
    ----------
    radii, masses : (N,) float64; the radii are those of the simulation, see `Frame.radius_factor`.
    box : (d,) float64, the sides of the box, d = 2 or 3.
    periodic : along which axes the box is periodic, with walls along the others; or one truth value for all.
    scenario : what is simulated.
    """

    radii: NDArray[np.float64]
    masses: NDArray[np.float64]
    box: NDArray[np.float64]
    periodic: Periodic
    scenario: Scenario

    def __post_init__(self) -> None:
        object.__setattr__(self, "periodic", Periodic.of(self.periodic, len(self.box)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FrameDiscs):
            return NotImplemented
        pairs = ((self.radii, other.radii), (self.masses, other.masses), (self.box, other.box))
        same = (self.periodic, self.scenario) == (other.periodic, other.scenario)
        return same and all(np.array_equal(one, another) for one, another in pairs)

    def __hash__(self) -> int:
        return hash((self.periodic, self.scenario, len(self.radii)))

    def __repr__(self) -> str:
        return f"<{len(self.radii)} discs of {self.scenario.system}>"

    @staticmethod
    def of(simulation: Living) -> FrameDiscs:
        """The discs of a simulation, with their box."""
        s = simulation
        return FrameDiscs(s.radii, s.masses, s.box, s.periodic, s.scenario)


@dataclass(frozen=True, eq=False)
class Start:
    """Where the discs of a run began, for indicators that compare a state with it.

    Parameters
    ----------
    positions : (N, d), along the paths of the discs (`engine.geometry.nearest.unwrapped`), d = 2 or 3.
    velocities : (N, d), relative to the flow.
    """

    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]

    @staticmethod
    def of(frame: Frame, box: NDArray[np.float64]) -> Start:
        """The start of a run from its first frame: copies of its positions and velocities, (N, d). box : (d,)."""
        places = unwrapped(frame.positions, frame.fields.get("images"), box, frame.strain)
        return Start(places, without_flow(frame.velocities, frame.positions, frame.shear_rate, box).copy())


class Plugged:
    """The functions that are plugged in.

    Attributes
    ----------
    picture : the PNG of a simulation or of a frame; None if none can be made.
    run : what `engine.slices.Steered.run` does.
    """

    picture: Callable[[Any], bytes | None] = staticmethod(lambda shown: None)
    run: Callable[..., Any]


class Pictured:
    """Something that a notebook shows as a picture."""

    def _repr_png_(self) -> bytes | None:
        """The hook of notebooks; None leaves them with the text."""
        return Plugged.picture(self)


@dataclass(repr=False)
class Frame(Pictured):
    """A consistent state at one simulation time. Its arrays may be reused for the next one: copy what is to be kept.

    Parameters
    ----------
    time : simulation time. Of discs that jam it is the number of linear programs solved so far.
    positions : (N, d) float64, inside the box, d = 2 for discs and 3 for spheres.
    velocities : (N, d) float64, 0 for discs that jam.
    fields : further quantities of each disc by name, arrays with one row per disc. `engine.fields` and the fields of
        each system describe them.
    clusters : the number of clusters, counting single discs. Every disc that jams is one.
    kinetic_energy : of all discs together.
    radius_factor : the present radii divided by the simulation's `radii`; not 1 where discs grow.
    strain : how far the images above the box are ahead of it along x in a shear flow, over its height (Lees and Edwards
        1972). Whole periods count, so it is the integral of the shear rate since the start.
    shear_rate : of the flow that the velocities include, 1/time; energies are relative to this flow.
    impacts : the latest collisions, or the latest merges and reflections at walls; None for a system without these.
    remark : a sentence about this state and some of its discs; None for none.
    network : the contacts that the last linear program gave; None in other systems and before the first one.
    discs : the discs that it is of; None if nobody has said so.
    """

    time: float
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    fields: dict[str, NDArray[Any]]
    clusters: int
    kinetic_energy: float
    radius_factor: float = 1.0
    strain: float = 0.0
    shear_rate: float = 0.0
    impacts: Impacts | None = None
    remark: Remark | None = None
    network: Network | None = None
    discs: FrameDiscs | None = None

    def __repr__(self) -> str:
        return f"<frame at time {self.time:g}: {len(self.positions)} discs, {self.clusters} clusters>"

    @staticmethod
    def empty(count: int, dimensions: int = 2) -> Frame:
        """A frame with arrays for `count` discs, or spheres in three dimensions, all 0."""
        return Frame(0.0, np.zeros((count, dimensions)), np.zeros((count, dimensions)), {}, count, 0.0)

    @property
    def dimensions(self) -> int:
        """2 for discs, 3 for spheres."""
        return int(self.positions.shape[1])

    @property
    def cluster(self) -> NDArray[np.int32]:
        """The cluster of each disc, (N,) int32, labelled by the index of one of its discs.

        A merged cluster keeps the label of the heavier part, so that colours do not flicker. In systems without
        clusters every disc is its own, and the array is made at each call.
        """
        found = self.fields.get("cluster")
        return np.arange(len(self.positions), dtype=np.int32) if found is None else found

    def around(self, discs: Discs) -> Periodic:
        """The boundary of the box of these discs, with the offset of its images in this frame."""
        return Periodic.of(discs.periodic, len(discs.box)).strained(self.strain, discs.box)

    def lay_out(self, fields: Mapping[str, DTypeLike]) -> None:
        """Make the frame have exactly these fields.

        Parameters
        ----------
        fields : the type of the entry for each disc, such as ``np.int32``, or ``(np.int32, (2,))`` for two numbers.
            Arrays that fit are kept with their values; others are replaced by zeros.
        """
        count, before, self.fields = len(self.positions), self.fields, {}
        for name, kind in fields.items():
            shaped, mine = np.zeros(0, kind), before.get(name)
            shape = (count, *shaped.shape[1:])
            fits = mine is not None and mine.dtype == shaped.dtype and mine.shape == shape
            self.fields[name] = mine if mine is not None and fits else np.zeros(shape, shaped.dtype)

    def take(self, other: Frame) -> None:
        """Become a copy of `other`, reusing the arrays of this frame where they fit."""
        before = self.fields
        for name, value in vars(other).items():
            setattr(self, name, _copied(value, getattr(self, name)) if isinstance(value, np.ndarray) else value)
        self.fields = {name: _copied(values, before.get(name)) for name, values in other.fields.items()}

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        parts = (*vars(self).values(), *self.fields.values())
        return sum(value.nbytes for value in parts if isinstance(value, np.ndarray | Network | Impacts))


def discs_of(frame: Frame, others: Discs) -> Discs:
    """The discs of a frame: its own if it has them, else `others`. In a recording each frame has its own, since radii,
    masses, box and boundary may change from one to the next."""
    return others if frame.discs is None else frame.discs


def _copied(value: NDArray[Any], place: NDArray[Any] | None) -> NDArray[Any]:
    """A copy of `value`, written into the array `place` where that fits."""
    if place is None or place.shape != value.shape or place.dtype != value.dtype or not place.flags.writeable:
        return value.copy()
    np.copyto(place, value)
    return place


@runtime_checkable
class Living(Protocol):
    """What simulations have and frames do not: a state that continues."""

    radii: NDArray[np.float64]
    masses: NDArray[np.float64]
    box: NDArray[np.float64]
    periodic: Periodic
    scenario: Scenario

    def frame(self, out: Frame | None = None) -> Frame:
        """The state of the simulation now; see `Simulation.frame`."""
        ...


def living(thing: object) -> Living | None:
    """The thing if it is a simulation, else None."""
    return thing if isinstance(thing, Living) else None
