"""The output of `aggviewer analyse` for a packing: contacts, forces, rattlers, isostaticity and exponents.

Contacts and forces come from the file. Without them, contacts are found from distances: then forces are unknown, and a
rattler is a disc held by fewer than three other discs or walls, in space by fewer than four.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from engine.analysis import Density, PackingIndicators
    from engine.files import FileFrame

Rows = list[tuple[str, object]]

TOUCHING = 1e-6
"""In a file without contacts, discs touch if their gap is at most this share of the mean diameter."""


def forces_and_exponents(found: PackingIndicators) -> Rows:
    """Lines about a packing whose contacts and forces are known."""
    held = f"{found.rattlers} of {int(found.contacts_histogram.sum())} discs"
    return [
        ("contacts with a force", found.contacts),
        ("rattlers", held),
        ("isostatic", isostatic(found.isostatic_gap)),
        *exponents(found.extended_forces, found.buckler_forces, found.gaps),
    ]


def exponents(extended: Density | None, bucklers: Density | None, gaps: Density | None) -> Rows:
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
        f"{sign * found.exponent:.4f} ± {found.error:.4f} "
        f"({found.low:.2g} to {found.high:g}, {found.count} of {density.count})"
    )


def by_distance(frame: FileFrame, box: NDArray[np.float64]) -> Rows:
    """Lines about touching discs in a file without contacts; none if they are not a packing.

    They are a packing if most discs are held, each by at least three (in space four) contacts with held discs or walls.
    """
    from engine.analysis import Held, analyse_packing
    from engine.frame import Network

    assert frame.radii is not None
    pairs = _touching(frame, box)
    rattlers = ~_held(pairs, len(frame.radii), frame.dimensions + 1)
    if rattlers.mean() > 0.5:
        return []
    inner = (pairs[:, 1] < 0) | ~rattlers[pairs[:, 1]]
    pairs = pairs[~rattlers[pairs[:, 0]] & inner]
    network = Network(pairs, np.ones(len(pairs)), np.zeros((len(pairs), frame.dimensions)), rattlers)
    found = analyse_packing(Held(frame.positions, frame.radii, box, bool(frame.periodic), network))
    return [
        (f"contacts, gap <= {TOUCHING:g} diameters", found.contacts),
        ("rattlers", f"{found.rattlers} of {len(rattlers)} discs, by their contacts"),
        ("isostatic", isostatic(found.isostatic_gap)),
        ("forces", "not in the file"),
        ("gaps γ", fit(found.gaps, -1.0)),
    ]


def _touching(frame: FileFrame, box: NDArray[np.float64]) -> NDArray[np.int32]:
    """Pairs of touching discs, as often as they touch, and of discs and walls (second -1), (K, 2)."""
    from engine.analysis import contact_vectors

    positions, radii, periodic = frame.positions, frame.radii, bool(frame.periodic)
    assert radii is not None
    near, apart = contact_vectors(positions, radii, box, periodic=periodic)
    most = TOUCHING * 2.0 * float(radii.mean())
    gaps = np.sqrt(np.square(apart).sum(axis=1)) - radii[near].sum(axis=1)
    found = [near[gaps <= most]]
    if not periodic:
        for reach in (positions - radii[:, None], box - positions - radii[:, None]):
            for axis in range(frame.dimensions):
                discs = np.flatnonzero(reach[:, axis] <= most)
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
