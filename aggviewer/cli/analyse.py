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
from aggviewer.cli.packings import (
    TOUCHING,
    Rows,
    by_distance,
    contacts_by_distance,
    exponents,
    forces_and_exponents,
)
from aggviewer.cli.summary import in_columns, mesh_notice, tell_problems, to_text
from aggviewer.style.numbers import named
from engine.errors import InputError
from engine.runs.summary import summary, to_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.analysis import PooledPackings, Samples
    from engine.files import FileFrame


def analyse_file(path: Path, frame_number: int, json: bool, dimensions: int = 0) -> int:
    """Read a state, measure it and write the result to stdout; returns the exit status. Notices about a damaged file go
    to stderr. Raises InputError. dimensions : as of `engine.files.open_trajectory`."""
    frame, box = measurable_frame(path, frame_number, dimensions)
    assert frame.radii is not None

    from engine.analysis import MOTION, PACKING, STRUCTURE, Held, Sample
    from engine.indicators import Problems, as_json, measure, registered
    from engine.overlaps import deepest
    from engine.state import InitialState, masses_of, volume_fraction

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
    velocities = np.zeros_like(frame.positions) if frame.velocities is None else frame.velocities
    state = InitialState(frame.positions, velocities, frame.radii, masses, each, box, periodic)
    energy = None
    if frame.velocities is not None:
        energy = 0.5 * float((masses[:, None] * frame.velocities**2).sum())
    problems = Problems()
    measured = measure(sample, chosen, problems)
    indicators = as_json(measured, chosen, problems)
    touching = by_distance(frame, box) if network is None else None
    if touching is not None:  # of which the forces are not known
        indicators[PACKING[0].name] = {**touching.to_dict(), "contact_gap": TOUCHING}
    values = summary(
        dimensions=len(box),
        count=count,
        sim_time=frame.time,
        clusters=None if frame.cluster is None else len(np.unique(frame.cluster)),
        kinetic_energy=energy,
        max_overlap=deepest(state)[1],
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
    if touching is not None:
        rows = contacts_by_distance(touching)
    elif network is not None and len(network.pairs):
        rows = forces_and_exponents(measured[PACKING[0].name])
    typer.echo(to_text(values, rows))
    return 0


def measurable_frame(path: Path, frame_number: int, dimensions: int) -> tuple[FileFrame, NDArray[np.float64]]:
    """A state of a file, with radii, and its box (d,). Notices about a damaged file go to stderr.

    Raises InputError, also where the centre of a disc lies outside of walls, as no run could start from there.
    """
    from engine.files import open_trajectory
    from engine.initial import check_centres
    from engine.state_file import box_of, frame_of

    with open_trajectory(path, dimensions) as trajectory:
        frame = frame_of(trajectory, frame_number)
        tell(trajectory.notice, path)
    if frame.radii is None:
        raise InputError(f"{path} has no radii, which the indicators need", str(path))
    box = box_of(frame, path)
    if not frame.periodic:
        try:
            check_centres(frame.positions, box)
        except InputError as error:
            unsaid = "" if frame.periodic is False else ", and nothing says that the box is periodic"
            raise InputError(f"{path}: {error}{unsaid}", str(path)) from None
    return frame, box


def pool_files(paths: Sequence[Path], frame_number: int, as_json: bool, dimensions: int = 0) -> int:
    """Read packings, pool them and write the result to stdout; returns the exit status. The JSON is that of one state:
    `count` is of all discs, `indicators.packing` has `packings` and the distributions. Raises InputError."""
    from engine.analysis import pool_packings

    measured = [_measured(path, frame_number, dimensions) for path in paths]
    found = measured[0].dimensions
    for path, packing in zip(paths, measured, strict=True):
        if packing.dimensions != found:
            one, other = named("discs", found), named("discs", packing.dimensions)
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
        typer.echo(_as_text(count, pooled, found))
    return 0


class _Measured(NamedTuple):
    """discs : number of discs; dimensions, boundary : of their box, as in a scenario; samples : their forces and
    gaps."""

    discs: int
    dimensions: int
    boundary: str
    samples: Samples


def _measured(path: Path, frame_number: int, dimensions: int) -> _Measured:
    """One packing. InputError if the file holds none."""
    from engine.analysis import Held, analyse_packing

    frame, box = measurable_frame(path, frame_number, dimensions)
    assert frame.radii is not None
    if frame.network is None or not len(frame.network.forces):
        raise InputError(
            f"{path} has no contacts with forces; several files can be pooled only if all are packings", ""
        )
    held = Held(frame.positions, frame.radii, box, bool(frame.periodic), frame.network)
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
