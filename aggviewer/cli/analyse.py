"""`aggviewer analyse`: the indicators of a state in a file, by default the last one of a trajectory; for packings also
contacts, forces, rattlers, isostaticity and exponents.

Of several packings, the forces and gaps of all of them together. Contacts and forces come from the file. Without them,
contacts are found from distances: then forces are unknown, and a rattler is a disc held by fewer than three other discs
or walls, in space by fewer than four.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from aggviewer.cli.averages import chosen_frames, in_lines
from aggviewer.cli.exits import tell
from aggviewer.cli.summary import in_columns, mesh_notice, tell_problems, to_text
from engine.boundary import Periodic
from engine.errors import InputError
from engine.runs.summary import summary, to_json
from engine.system import system_of
from engine.words import body_names, count, typeset

if TYPE_CHECKING:
    from engine.analysis import Averages, Density, PackingIndicators, PooledPackings, Sample, Samples
    from engine.analysis.sample import PackedDiscs
    from engine.files import FileFrame


def analyse_file(
    path: Path,
    frame_number: int,
    json: bool,
    dimensions: int = 0,
    averaged: tuple[str, int | None] | None = None,
) -> int:
    """Read a state, measure it and write the result to stdout; returns the exit status. Notices about a damaged file go
    to stderr. Raises InputError.

    dimensions : as of `engine.files.open_trajectory`; averaged : frames ``A:B`` over which the indicators are averaged,
        and of which every so many are taken, None for all; the state is the last of them. None for no averages.
    """
    averages: Averages | None = None
    if averaged is None:
        frame, box = measurable_frame(path, frame_number, dimensions)
    else:
        averages, frame, box = _averages_of(path, *averaged, dimensions)
    assert frame.radii is not None

    from engine.analysis import MOTION, PACKING, STRUCTURE, Held
    from engine.analysis.averages import in_json
    from engine.files.quantities import SPIN
    from engine.indicators import Problems, as_json, measure, registered
    from engine.overlaps import deepest
    from engine.state import InitialState, masses_of, spin_energy, volume_fraction

    count = len(frame.radii)
    periodic = frame.around
    masses = masses_of(frame.radii, len(box)) if frame.masses is None else frame.masses
    network = frame.network
    packing = None if network is None else Held(frame.positions, frame.radii, box, periodic, network)
    sample = _sample(frame, box, packing)
    chosen = (*STRUCTURE, *MOTION, *PACKING, *registered())
    each = np.arange(count, dtype=np.int32)
    velocities = np.zeros_like(frame.positions) if frame.velocities is None else frame.velocities
    state = InitialState(frame.positions, velocities, frame.radii, masses, each, box, periodic)
    energy = None
    if frame.velocities is not None:
        energy = 0.5 * float((masses[:, None] * frame.velocities**2).sum())
        energy += spin_energy(masses, frame.radii, frame.part(SPIN))
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
        boundary=periodic.boundary,
        indicators=indicators,
        problems=problems or None,
    )
    tell(mesh_notice(indicators), path)
    tell_problems(values)
    if averages is not None:
        values["averages"] = in_json(averages, averages.indicators)
    if json:
        typer.echo(to_json(values))
        return 0
    rows: ReportRows = []
    if touching is not None:
        rows = contacts_by_distance(touching)
    elif network is not None and len(network.pairs):
        rows = forces_and_exponents(measured[PACKING[0].name])
    if averages is not None:
        rows = [*rows, *in_lines(values["averages"], averages.indicators)]
    typer.echo(to_text(values, rows))
    return 0


def measurable_frame(path: Path, frame_number: int, dimensions: int) -> tuple[FileFrame, NDArray[np.float64]]:
    """A state of a file, with radii, and its box (d,). Notices about a damaged file go to stderr.

    Raises InputError, also where the centre of a disc lies outside of walls, as no run could start from there.
    """
    from engine.files import open_trajectory
    from engine.state_file import frame_of

    with open_trajectory(path, dimensions) as trajectory:
        frame = frame_of(trajectory, frame_number)
        tell(trajectory.notice, path)
    return frame, _checked_box(frame, path)


def _checked_box(frame: FileFrame, path: Path) -> NDArray[np.float64]:
    """The box (d,) of a frame. Raises InputError if it cannot be measured, see `measurable_frame`."""
    from engine.initial import check_centres
    from engine.state_file import box_of

    if frame.radii is None:
        raise InputError(f"{path} has no radii, which the indicators need", str(path))
    box = box_of(frame, path)
    try:
        check_centres(frame.positions, box, frame.around)
    except InputError as error:
        unsaid = "" if frame.periodic is not None else ", and nothing says that the box is periodic"
        raise InputError(f"{path}: {error}{unsaid}", str(path)) from None
    return box


def _sample(
    frame: FileFrame, box: NDArray[np.float64], packing: PackedDiscs | None = None, *, joins: bool = True
) -> Sample:
    """A frame of a file to be measured. box : (d,); the others are those of `engine.analysis.Sample`."""
    from engine.analysis import Sample
    from engine.files.quantities import IMAGES
    from engine.state import masses_of

    assert frame.radii is not None
    return Sample(
        frame.positions,
        frame.radii,
        box,
        periodic=frame.around,
        velocities=frame.velocities,
        masses=masses_of(frame.radii, len(box)) if frame.masses is None else frame.masses,
        cluster=frame.cluster,
        images=frame.fields.get(IMAGES),
        packing=packing,
        joins=joins,
        shear_rate=frame.shear_rate,
        strain=frame.strain,
    )


def _averages_of(
    path: Path, frames: str, every: int | None, dimensions: int
) -> tuple[Averages, FileFrame, NDArray[np.float64]]:
    """The averages over frames of a file, and the last of these frames with its box (d,). Raises InputError."""
    from engine.analysis import GAS, MOTION, STRUCTURE, Averages
    from engine.files import open_trajectory
    from engine.indicators import registered
    from engine.scenario import Scenario
    from engine.state_file import frame_of

    averages, joins = Averages((*STRUCTURE, *MOTION, *GAS, *registered())), True
    with open_trajectory(path, dimensions) as trajectory:
        for number in chosen_frames(frames, every, len(trajectory)):
            frame = frame_of(trajectory, number)
            box = _checked_box(frame, path)
            if not averages.states and frame.scenario:
                with suppress(InputError):  # of a plug-in that is not loaded
                    joins = system_of(Scenario.from_toml(frame.scenario)).joins
            averages.add(float(number) if frame.time is None else frame.time, _sample(frame, box, joins=joins))
        tell(trajectory.notice, path)
    return averages, frame, box


def pool_files(paths: Sequence[Path], frame_number: int, as_json: bool, dimensions: int = 0) -> int:
    """Read packings, pool them and write the result to stdout; returns the exit status. The JSON is that of one state:
    `count` is of all discs, `indicators.packing` has `packings` and the distributions. Raises InputError."""
    from engine.analysis import pool_packings

    measured = [_measured(path, frame_number, dimensions) for path in paths]
    periodic = measured[0].periodic
    for path, packing in zip(paths, measured, strict=True):
        if len(packing.periodic) != len(periodic):
            one, other = body_names(len(periodic)).discs, body_names(len(packing.periodic)).discs
            raise InputError(f"{paths[0]} holds {one} and {path} {other}: they cannot be pooled", str(path))
        if packing.periodic != periodic:
            raise InputError(
                f"the box of {paths[0]} has {periodic.words} and that of {path} {packing.periodic.words}: only "
                "packings with the same boundary can be pooled, since walls change nearby forces and gaps",
                str(path),
            )
    pooled = pool_packings([packing.samples for packing in measured])
    count = sum(packing.discs for packing in measured)
    if as_json:
        values = {"count": count, "boundary": periodic.boundary, "indicators": {"packing": pooled.to_dict()}}
        typer.echo(to_json(summary(**values)))
    else:
        typer.echo(_as_text(count, pooled, len(periodic)))
    return 0


class _Measured(NamedTuple):
    """discs : number of discs; periodic : of their box; samples : their forces and gaps."""

    discs: int
    periodic: Periodic
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
    held = Held(frame.positions, frame.radii, box, frame.around, frame.network)
    return _Measured(len(frame.radii), frame.around, analyse_packing(held).samples)


def _as_text(count: int, pooled: PooledPackings, dimensions: int) -> str:
    return in_columns(
        [
            ("packings", pooled.packings),
            (body_names(dimensions).discs, count),
            *exponents(pooled.extended_forces, pooled.buckler_forces, pooled.gaps),
        ]
    )


ReportRows = list[tuple[str, object]]

TOUCHING = 1e-6
"""In a file without contacts, discs touch if their gap is at most this share of the mean diameter."""


def forces_and_exponents(found: PackingIndicators) -> ReportRows:
    """Lines about a packing whose contacts and forces are known."""
    held = f"{count(found.rattlers)} of {count(found.contacts_histogram.sum())} discs"
    return [
        ("contacts with a force", found.contacts),
        ("rattlers", held),
        ("isostatic", isostatic(found.isostatic_gap)),
        *exponents(found.extended_forces, found.buckler_forces, found.gaps),
    ]


def exponents(extended: Density | None, bucklers: Density | None, gaps: Density | None) -> ReportRows:
    """The power laws of small forces and small gaps, with their standard errors and ranges."""
    return [
        ("forces, extended contacts θ_e", fit(extended, 1.0)),
        ("forces, bucklers θ_l", fit(bucklers, 1.0)),
        ("gaps γ", fit(gaps, -1.0)),
    ]


def isostatic(gap: int | None) -> str:
    """The number of contacts above or below that of an isostatic packing of the same discs."""
    if gap is None:
        return "no disc is held"
    if gap == 0:
        return "yes"
    return f"no, {abs(gap)} contact{'' if abs(gap) == 1 else 's'} {'more' if gap > 0 else 'less'}"


def fit(density: Density | None, sign: float) -> str:
    """Exponent, standard error, range, number of values."""
    if density is None:
        return "none"
    found = density.fit
    if found is None:
        return f"too few small values: {density.count} in all"
    return (
        f"{typeset(sign * found.exponent, '.4f')} ± {typeset(found.error, '.4f')} "
        f"({typeset(found.low, '.2g')} to {typeset(found.high, 'g')}, {count(found.count)} of {count(density.count)})"
    )


def contacts_by_distance(found: PackingIndicators) -> ReportRows:
    """Lines about a packing whose contacts were found by distance."""
    return [
        (f"contacts, gap <= {typeset(TOUCHING, 'g')} diameters", found.contacts),
        ("rattlers", f"{count(found.rattlers)} of {count(found.contacts_histogram.sum())} discs, by their contacts"),
        ("isostatic", isostatic(found.isostatic_gap)),
        ("forces", "not in the file"),
        ("gaps γ", fit(found.gaps, -1.0)),
    ]


def by_distance(frame: FileFrame, box: NDArray[np.float64]) -> PackingIndicators | None:
    """The packing of touching discs in a file without contacts; None if they are no packing. box : (d,), its sides.

    They are one if most discs are held, each by at least three (in space four) contacts with held discs or walls. Its
    forces are not known: it has no distributions of them.
    """
    from engine.analysis import Held, analyse_packing
    from engine.frame import Network

    assert frame.radii is not None
    pairs = _touching(frame, box)
    rattlers = ~_held(pairs, len(frame.radii), frame.dimensions + 1)
    if rattlers.mean() > 0.5:
        return None
    inner = (pairs[:, 1] < 0) | ~rattlers[pairs[:, 1]]
    pairs = pairs[~rattlers[pairs[:, 0]] & inner]
    network = Network(pairs, np.ones(len(pairs)), np.zeros((len(pairs), frame.dimensions)), rattlers)
    found = analyse_packing(Held(frame.positions, frame.radii, box, frame.around, network))
    return replace(found, extended_forces=None, buckler_forces=None)


def _touching(frame: FileFrame, box: NDArray[np.float64]) -> NDArray[np.int32]:
    """Pairs of touching discs, as often as they touch, and of discs and walls (second -1), (K, 2)."""
    from engine.analysis import contact_vectors

    positions, radii, periodic = frame.positions, frame.radii, frame.around
    assert radii is not None
    near, apart = contact_vectors(positions, radii, box, periodic=periodic)
    most = TOUCHING * 2.0 * float(radii.mean())
    gaps = np.sqrt(np.square(apart).sum(axis=1)) - radii[near].sum(axis=1)
    found = [near[gaps <= most]]
    for axis in periodic.walls:
        for reach in (positions[:, axis] - radii, box[axis] - positions[:, axis] - radii):
            discs = np.flatnonzero(reach <= most)
            found.append(np.column_stack((discs, np.full(len(discs), -1))))
    return np.concatenate(found).astype(np.int32)


def _held(pairs: NDArray[np.int32], count: int, least: int) -> NDArray[np.bool_]:
    """Which discs have at least `least` contacts with walls and with discs that are held themselves, (N,)."""
    held = np.ones(count, bool)
    while True:
        inner = pairs[:, 1] >= 0
        both = held[pairs[:, 0]] & (~inner | held[pairs[:, 1]])
        ends = np.concatenate((pairs[both, 0], pairs[both & inner, 1]))
        enough = held & (np.bincount(ends, minlength=count) >= least)
        if (enough == held).all():
            return held
        held = enough
