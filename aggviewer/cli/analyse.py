"""`aggviewer analyse`: the indicators of a state in a file, by default the last one of a trajectory.

Of several packings, the forces and gaps of all of them together.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import typer

from aggviewer.cli.exits import tell
from aggviewer.cli.packings import Rows, by_distance, exponents, forces_and_exponents
from aggviewer.cli.summary import in_columns, mesh_notice, tell_problems, to_text
from aggviewer.style.things import named
from engine.errors import InputError
from engine.runs.summary import summary, to_json

if TYPE_CHECKING:
    from engine.analysis import PooledPackings, Samples
    from engine.files import FileFrame


def analyse_file(path: Path, frame_number: int, json: bool) -> int:
    """Read a state, measure it and write the result to stdout; returns the exit status. Notices about a damaged file go
    to stderr. Raises InputError."""
    from engine.state_file import box_of

    frame = measurable_frame(path, frame_number)
    assert frame.radii is not None
    box = box_of(frame, path)

    from engine.analysis import MOTION, PACKING, STRUCTURE, Held, Sample
    from engine.indicators import Problems, as_json, measure, registered
    from engine.overlaps import deepest_overlap
    from engine.state import masses_of, volume_fraction

    count = len(frame.radii)
    periodic = bool(frame.periodic)
    masses = masses_of(frame.radii, len(box)) if frame.masses is None else frame.masses
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
    chosen = (*STRUCTURE, *MOTION, *PACKING, *registered())
    each = np.arange(count, dtype=np.int32)
    energy = None
    if frame.velocities is not None:
        energy = 0.5 * float((masses[:, None] * frame.velocities**2).sum())
    problems = Problems()
    measured = measure(sample, chosen, problems)
    indicators = as_json(measured, chosen, problems)
    values = summary(
        dimensions=len(box),
        count=count,
        sim_time=frame.time,
        clusters=None if frame.cluster is None else len(np.unique(frame.cluster)),
        kinetic_energy=energy,
        max_overlap=deepest_overlap(frame.positions, frame.radii, each, box, periodic)[0],
        volume_fraction=volume_fraction(frame.radii, box),
        box=box.tolist(),
        boundary="periodic" if periodic else "walls",
        indicators=indicators,
        problems=problems or None,
    )
    tell(mesh_notice(indicators), path)
    tell_problems(values)
    if json:
        typer.echo(to_json(values))
        return 0
    rows: Rows = []
    if frame.network is None:
        rows = by_distance(frame, box)
    elif len(frame.network.pairs):
        rows = forces_and_exponents(measured[PACKING[0].name])
    typer.echo(to_text(values, rows))
    return 0


def measurable_frame(path: Path, frame_number: int) -> FileFrame:
    """A state of a file, with radii. Notices about a damaged file go to stderr. Raises InputError."""
    from engine.files import open_trajectory
    from engine.state_file import frame_of

    with open_trajectory(path) as trajectory:
        frame = frame_of(trajectory, frame_number)
        tell(trajectory.notice, path)
    if frame.radii is None:
        raise InputError(f"{path} has no radii, which the indicators need", str(path))
    return frame


def pool_files(paths: Sequence[Path], frame_number: int, as_json: bool) -> int:
    """Read packings, pool them and write the result to stdout; returns the exit status. The JSON is that of one state:
    `count` is of all discs, `indicators.packing` has `packings` and the distributions. Raises InputError."""
    from engine.analysis import pool_packings

    measured = [_measured(path, frame_number) for path in paths]
    dimensions = measured[0].dimensions
    for path, packing in zip(paths, measured, strict=True):
        if packing.dimensions != dimensions:
            one, other = named("discs", dimensions), named("discs", packing.dimensions)
            raise InputError(f"{paths[0]} holds {one} and {path} {other}: they cannot be pooled", str(path))
        if packing.boundary != measured[0].boundary:
            raise InputError(
                f"{paths[0]} has the boundary {measured[0].boundary} and {path} {packing.boundary}: only packings "
                "with the same boundary can be pooled, since walls change nearby forces and gaps",
                str(path),
            )
    pooled = pool_packings([packing.samples for packing in measured])
    count = sum(packing.discs for packing in measured)
    if as_json:
        values = {"count": count, "boundary": measured[0].boundary, "indicators": {"packing": pooled.to_dict()}}
        typer.echo(to_json(summary(**values)))
    else:
        typer.echo(_as_text(count, pooled, dimensions))
    return 0


class _Measured(NamedTuple):
    """discs : number of discs; dimensions, boundary : of their box, as in a scenario; samples : their forces and
    gaps."""

    discs: int
    dimensions: int
    boundary: str
    samples: Samples


def _measured(path: Path, frame_number: int) -> _Measured:
    """One packing. InputError if the file holds none."""
    from engine.analysis import Held, analyse_packing
    from engine.state_file import box_of

    frame = measurable_frame(path, frame_number)
    assert frame.radii is not None
    if frame.network is None or not len(frame.network.forces):
        raise InputError(
            f"{path} has no contacts with forces; several files can be pooled only if all are packings", ""
        )
    held = Held(frame.positions, frame.radii, box_of(frame, path), bool(frame.periodic), frame.network)
    boundary = "periodic" if frame.periodic else "walls"
    return _Measured(len(frame.radii), frame.dimensions, boundary, analyse_packing(held).samples)


def _as_text(count: int, pooled: PooledPackings, dimensions: int) -> str:
    return in_columns(
        [
            ("packings", pooled.packings),
            (named("discs", dimensions), count),
            *exponents(pooled.extended_forces, pooled.buckler_forces, pooled.gaps),
        ]
    )
