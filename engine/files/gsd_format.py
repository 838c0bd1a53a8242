"""States as GSD, HOOMD's schema, so that OVITO, freud and HOOMD read them.

HOOMD's box is centred: positions run from -L/2 to L/2, with L_z = 0 and two dimensions. GSD keeps them in single
precision; the exact ones, with the cluster of each disc, stand in the log: ``particles/position`` (N, 2), float64,
in the box [0, L_x] x [0, L_y], ``particles/velocity`` (N, 2), ``particles/radius`` (N,), ``particles/cluster`` (N,),
``time`` (1,), ``periodic`` (1,) and, in the first frame, ``scenario``: TOML in UTF-8 as bytes.
"""

from __future__ import annotations

from pathlib import Path

import gsd.hoomd
import numpy as np

from engine.files.atomic import replacing
from engine.files.frame import FileFrame


def write_gsd(path: Path, frames: list[FileFrame]) -> None:
    """Write frames with radii and a box. Radii must be given; other parts that are missing are left out."""
    with replacing(path) as partial, gsd.hoomd.open(str(partial), "w") as file:
        for step, frame in enumerate(frames):
            file.append(_snapshot(frame, step))


def _snapshot(frame: FileFrame, step: int) -> gsd.hoomd.Frame:
    if frame.box is None or frame.radii is None:
        raise ValueError("a GSD frame needs a box and radii")
    count = len(frame.positions)
    flat = np.zeros(count)
    snapshot = gsd.hoomd.Frame()
    snapshot.configuration.step = step
    snapshot.configuration.dimensions = 2
    snapshot.configuration.box = [frame.box[0], frame.box[1], 0.0, 0.0, 0.0, 0.0]
    snapshot.particles.N = count
    snapshot.particles.types = ["disc"]
    snapshot.particles.position = np.column_stack([frame.positions - 0.5 * frame.box, flat]).astype(np.float32)
    snapshot.particles.diameter = (2.0 * frame.radii).astype(np.float32)
    snapshot.log["particles/position"] = frame.positions
    snapshot.log["particles/radius"] = frame.radii
    if frame.velocities is not None:
        snapshot.particles.velocity = np.column_stack([frame.velocities, flat]).astype(np.float32)
        snapshot.log["particles/velocity"] = frame.velocities
    if frame.masses is not None:
        snapshot.particles.mass = frame.masses.astype(np.float32)
    if frame.cluster is not None:
        snapshot.log["particles/cluster"] = frame.cluster
    if frame.time is not None:
        snapshot.log["time"] = np.array([frame.time])
    if frame.periodic is not None:
        snapshot.log["periodic"] = np.array([frame.periodic], dtype=np.uint8)
    if frame.scenario and step == 0:
        snapshot.log["scenario"] = np.frombuffer(frame.scenario.encode(), dtype=np.uint8)
    return snapshot
