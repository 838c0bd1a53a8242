"""Contacts, forces and rattlers of one frame as they are drawn. No Qt, no OpenGL."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.simulation import Network

Floats = NDArray[np.float64]

WIDEST = 0.25
"""Half the width of the strongest line that is drawn as wide as it should be, in mean radii."""

STRONGEST = 4.0
"""Its force over the mean force; lines of stronger ones are no wider."""


@dataclass(frozen=True, eq=False)
class Forces:
    """segments (K, 2, 2): from the middle of a disc to that of the other one, or to the wall, the end out of a periodic
    box where the line crosses its edge; strength (K,): force over the mean force; rattlers (R,): discs without; extra
    (E,): contacts with a self-stress of their own.
    """

    segments: Floats
    strength: Floats
    rattlers: NDArray[np.int64]
    extra: NDArray[np.int64]


def forces_of(network: Network, positions: Floats, radii: Floats, box: Floats, periodic: bool) -> Forces:
    """The network on discs at these places. radii : (N,), now.

    The image of the second disc is the one nearest to where the contact points: in a box of few discs it need not be
    the nearest of all.
    """
    first, second = network.pairs[:, 0], network.pairs[:, 1]
    start = positions[first]
    pair = second >= 0
    reach = radii[first] + np.where(pair, radii[second], 0.0)
    step = network.vectors * reach[:, None]
    between = positions[second[pair]] - start[pair]
    if periodic:
        between += box * np.rint((step[pair] - between) / box)
    step[pair] = between
    mean = float(network.forces.mean()) if len(network.forces) else 0.0
    strength = network.forces / mean if mean > 0.0 else np.zeros(len(network.forces))
    loose = network.rattlers if len(network.pairs) else np.zeros(0, bool)  # nothing is held yet, so nothing stands out
    extra = np.concatenate([np.zeros(0, np.int64), *(patch.contacts for patch in network.patches)])
    return Forces(np.stack([start, start + step], axis=1), strength, np.flatnonzero(loose), extra)


def half_widths(strength: Floats, radius: float) -> Floats:
    """Of the lines of forces over the mean force, in the unit of `radius`, the mean one."""
    widths: Floats = np.minimum(strength / STRONGEST, 1.0) * (WIDEST * radius)
    return widths
