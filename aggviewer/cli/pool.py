"""`aggviewer analyse` with several packings: forces and gaps of all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from aggviewer.cli.analyse import measurable_frame
from aggviewer.cli.summary import summary, to_json
from engine.errors import InputError

if TYPE_CHECKING:
    from engine.analysis import Density, PooledPackings, Samples


def pool_files(paths: Sequence[Path], frame_number: int, as_json: bool) -> int:
    """Read, pool, write to stdout; returns the exit status. The JSON is that of one state: `count` is of all discs,
    `indicators.packing` has `packings` and the distributions. Raises InputError."""
    from engine.analysis import pool_packings

    measured = [_measured(path, frame_number) for path in paths]
    for path, packing in zip(paths, measured, strict=True):
        if packing.boundary != measured[0].boundary:
            raise InputError(
                f"{paths[0]} has the boundary {measured[0].boundary} and {path} {packing.boundary}: only packings with "
                "the same boundary are pooled, since walls change forces and gaps near them",
                str(path),
            )
    pooled = pool_packings([packing.samples for packing in measured])
    count = sum(packing.discs for packing in measured)
    if as_json:
        values = {"count": count, "boundary": measured[0].boundary, "indicators": {"packing": pooled.to_dict()}}
        typer.echo(to_json(summary(**values)))
    else:
        typer.echo(_as_text(count, pooled))
    return 0


class _Measured(NamedTuple):
    """discs : how many; boundary : of their box, in the words of a scenario; samples : their forces and gaps."""

    discs: int
    boundary: str
    samples: Samples


def _measured(path: Path, frame_number: int) -> _Measured:
    """One packing. InputError where the file holds none."""
    from engine.analysis import Held, analyse_packing
    from engine.state_file import box_of

    frame = measurable_frame(path, frame_number)
    assert frame.radii is not None
    if frame.network is None or not len(frame.network.forces):
        raise InputError(f"{path} has no contacts with forces: several files are pooled only if all are packings", "")
    held = Held(frame.positions, frame.radii, box_of(frame, path), bool(frame.periodic), frame.network)
    return _Measured(len(frame.radii), "periodic" if frame.periodic else "walls", analyse_packing(held).samples)


def _as_text(count: int, pooled: PooledPackings) -> str:
    rows = [("packings", str(pooled.packings)), ("discs", str(count))]
    rows += [
        ("forces, extended contacts θ_e", _fit(pooled.extended_forces, 1.0)),
        ("forces, bucklers θ_l", _fit(pooled.buckler_forces, 1.0)),
        ("gaps γ", _fit(pooled.gaps, -1.0)),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)


def _fit(density: Density | None, sign: float) -> str:
    """Exponent, standard error, range, number of values."""
    if density is None:
        return "none"
    fit = density.fit
    if fit is None:
        return f"too few small values, {density.count} in all"
    return (
        f"{sign * fit.exponent:.4f} ± {fit.error:.4f} ({fit.low:.2g} to {fit.high:g}, {fit.count} of {density.count})"
    )
