"""How far a run goes in one frame where a person is to see it, whatever its size: shares of what is left or was so far.

A time is looked at by its logarithm, as growth and cooling are: a frame adds a share of the time that has passed. At
the start, where nothing has passed yet, the time in which a disc flies its own radius stands for it.
"""

from __future__ import annotations

from math import inf, sqrt

_MERGED = 0.02  # of the clusters that are left
_LONGER = 0.05  # of the time that has passed
_COLLIDED = 0.1  # collisions a disc,
_MORE = 0.01  # and of those so far


def later(time: float, radius: float, speed: float, frames: float) -> float:
    """The time after so many frames. radius : typical; speed : typical now, 0 where nothing moves."""
    scale = radius / speed if speed > 0.0 else inf
    return time + _LONGER * frames * (time + scale)


def fewer(clusters: int, frames: float) -> int:
    """The clusters that are left after so many frames, one less at least."""
    return max(1, clusters - max(1, int(_MERGED * frames * (clusters - 1))))


def further(collisions: int, discs: int, frames: float) -> int:
    """Collisions after so many frames, one more at least."""
    return collisions + max(1, int(frames * (_COLLIDED * discs + _MORE * collisions)))


def root_mean_square(kinetic_energy: float, mass: float) -> float:
    """Speed of discs of this mass together."""
    return sqrt(max(0.0, 2.0 * kinetic_energy / mass))
