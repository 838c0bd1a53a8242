"""What a file says about one state."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.state import Discs

if TYPE_CHECKING:
    from engine.simulation import Frame, Network


@dataclass
class FileFrame:
    """The discs at one time, as read from a file or to be written to one; None is what the file does not say.

    positions : (N, 2) float64; velocities : (N, 2) float64; radii, masses : (N,) float64, > 0;
    cluster : (N,) int32, discs with the same number are joined; box : (2,) float64, the box is [0, L_x] x [0, L_y];
    periodic : wrap around instead of walls; time : simulation time; scenario : complete TOML text;
    network : the contacts of a packing; fields : what else the simulation says of each disc, arrays (N,) or (N, k) by
    name (`engine.simulation.Frame.fields`).
    """

    positions: NDArray[np.float64]
    velocities: NDArray[np.float64] | None = None
    radii: NDArray[np.float64] | None = None
    masses: NDArray[np.float64] | None = None
    cluster: NDArray[np.int32] | None = None
    box: NDArray[np.float64] | None = None
    periodic: bool | None = None
    time: float | None = None
    scenario: str = ""
    network: Network | None = None
    fields: dict[str, NDArray[Any]] = field(default_factory=dict)

    @staticmethod
    def of(frame: Frame, discs: Discs, scenario: str = "") -> FileFrame:
        """A frame of a simulation, with its discs (the simulation itself has them); the arrays are theirs."""
        return FileFrame(
            frame.positions,
            frame.velocities,
            discs.radii if frame.radius_factor == 1.0 else discs.radii * frame.radius_factor,
            discs.masses,
            frame.cluster,
            discs.box,
            discs.periodic,
            frame.time,
            scenario,
            frame.network,
            {name: values for name, values in frame.fields.items() if name != "cluster"},
        )

    def copy(self) -> FileFrame:
        """A frame with arrays of its own."""
        return deepcopy(self)
