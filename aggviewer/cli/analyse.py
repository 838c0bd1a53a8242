"""`aggviewer analyse`: the indicators of a state in a file, the last one of a trajectory unless told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import typer

from aggviewer.cli.exits import tell
from aggviewer.cli.summary import summary, to_json, to_text
from engine.errors import InputError

if TYPE_CHECKING:
    from engine.files import FileFrame


def analyse_file(path: Path, frame_number: int, json: bool) -> int:
    """Read, measure, write to stdout; returns the exit status. What a damaged file lacks is told on stderr. Raises
    InputError."""
    from engine.state_file import box_of

    frame = measurable_frame(path, frame_number)
    assert frame.radii is not None
    box = box_of(frame, path)

    from engine.analysis import PACKING, STRUCTURE, Held, Sample
    from engine.indicators import as_json, measure, registered
    from engine.initial import masses_of
    from engine.overlaps import deepest_overlap
    from engine.state import volume_fraction

    count = len(frame.radii)
    periodic = bool(frame.periodic)
    masses = masses_of(frame.radii) if frame.masses is None else frame.masses
    network = frame.network
    sample = Sample(
        frame.positions,
        frame.radii,
        box,
        periodic=periodic,
        velocities=frame.velocities,
        masses=masses,
        cluster=frame.cluster,
        packing=None if network is None else Held(frame.positions, frame.radii, box, periodic, network),
    )
    chosen = (*STRUCTURE, *PACKING, *registered())
    each = np.arange(count, dtype=np.int32)
    energy = None
    if frame.velocities is not None:
        energy = 0.5 * float((masses[:, None] * frame.velocities**2).sum())
    values = summary(
        count=count,
        sim_time=frame.time,
        clusters=None if frame.cluster is None else len(np.unique(frame.cluster)),
        kinetic_energy=energy,
        max_overlap=deepest_overlap(frame.positions, frame.radii, each, box, periodic)[0],
        volume_fraction=volume_fraction(frame.radii, box),
        box=box.tolist(),
        boundary="periodic" if periodic else "walls",
        indicators=as_json(measure(sample, chosen), chosen),
    )
    typer.echo(to_json(values) if json else to_text(values))
    return 0


def measurable_frame(path: Path, frame_number: int) -> FileFrame:
    """A state of a file, with radii; what a damaged file lacks is told on stderr. Raises InputError."""
    from engine.files import open_trajectory
    from engine.state_file import frame_of

    with open_trajectory(path) as trajectory:
        frame = frame_of(trajectory, frame_number)
        tell(trajectory.notice, path)
    if frame.radii is None:
        raise InputError(f"{path} has no radii, and the indicators need them", str(path))
    return frame
