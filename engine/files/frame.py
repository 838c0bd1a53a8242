"""One state of the discs as files hold it."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic
from engine.errors import InputError
from engine.files.quantities import ALWAYS, PARTS, SELECTED, SPIN
from engine.frame import Frame, FrameDiscs, Pictured, discs_of, living
from engine.state import Discs, cluster_sizes, spin_energy, without_flow

if TYPE_CHECKING:
    from engine.frame import Network
    from engine.simulation import Simulation


@dataclass
class FileFrame(Pictured):
    """The discs at one time, read from a file or to be written to one. None stands for what a file does not hold.

    Parameters
    ----------
    positions : (N, d) float64, d = 2 for discs and 3 for spheres.
    velocities : (N, d) float64.
    radii, masses : (N,) float64, above 0.
    cluster : (N,) int32; discs with the same number are joined.
    box : (d,) float64; the box is [0, L_x] x [0, L_y], in space x [0, L_z].
    periodic : along which axes the box is periodic, with walls along the others; or one truth value for all.
    time : simulation time.
    scenario : complete TOML text, or "".
    network : the contacts of a packing.
    fields : further quantities of each disc by name, (N,) or (N, k) each (`engine.frame.Frame.fields`).
    strain : how far the images above the box are ahead of it along x, over its height (`engine.frame.Frame`).
    shear_rate : of the flow that the velocities include, 1/time; 0 where the file does not say it.
    """

    positions: NDArray[np.float64]
    velocities: NDArray[np.float64] | None = None
    radii: NDArray[np.float64] | None = None
    masses: NDArray[np.float64] | None = None
    cluster: NDArray[np.int32] | None = None
    box: NDArray[np.float64] | None = None
    periodic: Periodic | None = None
    time: float | None = None
    scenario: str = ""
    network: Network | None = None
    fields: dict[str, NDArray[Any]] = field(default_factory=dict)
    strain: float = 0.0
    shear_rate: float = 0.0

    def __post_init__(self) -> None:
        if self.periodic is not None:
            self.periodic = Periodic.of(self.periodic, self.dimensions)

    @property
    def dimensions(self) -> int:
        """2 for discs, 3 for spheres."""
        return int(self.positions.shape[1])

    @property
    def around(self) -> Periodic:
        """Along which axes the box is periodic, none where nothing says it; with how far images above are ahead."""
        around = Periodic.of(False, self.dimensions) if self.periodic is None else self.periodic
        return around if self.box is None else around.strained(self.strain, self.box)

    @property
    def periods_ahead(self) -> int:
        """How many whole periods the images above are ahead beyond `around.offset`."""
        if self.box is None or not self.strain:
            return 0
        return round((self.strain * float(self.box[1]) - self.around.offset) / float(self.box[0]))

    def counted(self, images: NDArray[Any]) -> NDArray[Any]:
        """Images (N, d), how often each disc has crossed the box, as other programs count them: along the sides of a
        box that is tilted by no more than half of its width."""
        counted = images.copy()
        counted[:, 0] += images[:, 1] * self.periods_ahead
        return counted

    def part(self, name: str) -> NDArray[Any] | None:
        """The part of this name in `engine.files.quantities`, (N,) or (N, k); None where there is none. Fields are
        float64, and None where there is something else under this name."""
        if name in ALWAYS:
            return vars(self)[name]  # type: ignore[no-any-return]
        values = self.fields.get(name)
        fits = values is not None and values.shape == PARTS[name].shape(*self.positions.shape)
        return np.asarray(values, np.float64) if values is not None and fits and values.dtype.kind in "fiub" else None

    @staticmethod
    def of(frame: Frame, discs: Discs, scenario: str = "") -> FileFrame:
        """The frame of a simulation as a file frame. The arrays are shared, not copied.

        Parameters
        ----------
        frame : the state.
        discs : the simulation, for radii, masses, box and boundary; not used if the frame has its own.
        scenario : complete TOML text, or "".
        """
        discs = discs_of(frame, discs)
        return FileFrame(
            frame.positions,
            frame.velocities,
            discs.radii if frame.radius_factor == 1.0 else discs.radii * frame.radius_factor,
            discs.masses,
            frame.cluster,
            discs.box,
            Periodic.of(discs.periodic, len(discs.box)),
            frame.time,
            scenario,
            frame.network,
            {name: values for name, values in frame.fields.items() if name != "cluster"},
            frame.strain,
            frame.shear_rate,
        )

    @staticmethod
    def from_any(state: FileFrame | Frame | Simulation) -> FileFrame:
        """A frame of a file, a frame of a simulation, or a simulation as it is now, as a file frame.

        Raises InputError for anything else, and for a frame that does not say which discs it is of.
        """
        if isinstance(state, FileFrame):
            return state
        if isinstance(state, Frame):
            if state.discs is None:
                raise InputError("this frame does not know which discs it belongs to; pass the simulation instead")
            return FileFrame.of(state, state.discs, state.discs.scenario.to_toml())
        alive = living(state)
        if alive is None:
            raise InputError(f"a simulation or its frames can be written, not {type(state).__name__}")
        return FileFrame.of(alive.frame(), FrameDiscs.of(alive), alive.scenario.to_toml())

    def as_frame(self, time: float, discs: FrameDiscs | None) -> Frame:
        """This state as that of a simulation. Without velocities its discs are at rest; without clusters each is alone.

        discs : its discs; None leaves them out, and the energy.
        """
        velocities = np.zeros_like(self.positions) if self.velocities is None else self.velocities
        cluster = np.arange(len(velocities), dtype=np.int32) if self.cluster is None else self.cluster
        energy = 0.0
        if discs is not None:
            thermal = without_flow(velocities, self.positions, self.shear_rate, discs.box)
            energy = 0.5 * float(np.sum(discs.masses * np.square(thermal).sum(axis=1)))
            energy += spin_energy(discs.masses, discs.radii, self.part(SPIN))
        fields, clusters = {"cluster": cluster, **self.fields}, len(cluster_sizes(cluster))
        return Frame(
            time, self.positions, velocities, fields, clusters, energy, network=self.network, discs=discs,
            strain=self.strain, shear_rate=self.shear_rate,
        )  # fmt: skip

    def marked(self, mask: NDArray[np.bool_]) -> FileFrame:
        """A copy with a column ``selected`` that is 1 for some discs. mask : (N,) bool."""
        return replace(self, fields=self.fields | {SELECTED: np.asarray(mask, bool)})

    def only(self, mask: NDArray[np.bool_]) -> FileFrame:
        """Some of the discs, with the contacts among them and with walls. mask : (N,) bool."""
        mask = np.asarray(mask, bool)
        parts: dict[str, Any] = {
            name: values[mask]
            for name, values in vars(self).items()
            if isinstance(values, np.ndarray) and name != "box"
        }
        fields = {name: values[mask] for name, values in self.fields.items()}
        network = None if self.network is None else _network_of(self.network, mask)
        return replace(self, **parts, fields=fields, network=network)

    def copy(self) -> FileFrame:
        """A copy that shares no array with this frame."""
        return deepcopy(self)


def _network_of(network: Network, mask: NDArray[np.bool_]) -> Network:
    """The contacts among some discs, and of these with walls; patches of self-stress are left out."""
    number = np.append(np.where(mask, np.cumsum(mask) - 1, -2), -1).astype(np.int32)  # the last entry is the wall
    pairs = number[network.pairs]
    kept = (pairs > -2).all(axis=1)
    return replace(
        network,
        pairs=pairs[kept],
        forces=network.forces[kept],
        vectors=network.vectors[kept],
        rattlers=network.rattlers[mask],
        patches=(),
    )
