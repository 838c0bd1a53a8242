"""How far a run goes from one displayed frame to the next, so that a person sees it at any size.

Each function answers it for one quantity, as a share of what is left or of what has passed. Growth and cooling are
followed on a logarithmic axis of time, so a frame adds a share of the time that has passed. At the start, the time in
which a disc flies its own radius is added to that, so that the share is not 0.
"""

from __future__ import annotations

from math import inf, sqrt

_MERGED = 0.02  # share of the clusters left that merge in a frame
_LONGER = 0.05  # share of the time passed that a frame adds
_COLLIDED = 0.1  # collisions per disc in a frame
_MORE = 0.01  # share of the collisions so far that a frame adds to these


def later(time: float, radius: float, speed: float, frames: float) -> float:
    """The time after `frames` frames.

    Parameters
    ----------
    time : the time now.
    radius, speed : typical values of the discs now; the speed is 0 where nothing moves.
    frames : the number of frames, which need not be whole.
    """
    scale = radius / speed if speed > 0.0 else inf
    return time + _LONGER * frames * (time + scale)


def fewer(clusters: int, frames: float) -> int:
    """The number of clusters left after `frames` frames: at least one fewer than now, but never below 1."""
    return max(1, clusters - max(1, int(_MERGED * frames * (clusters - 1))))


def further(collisions: int, discs: int, frames: float) -> int:
    """The number of collisions after `frames` frames: at least one more than now."""
    return collisions + max(1, int(frames * (_COLLIDED * discs + _MORE * collisions)))


def root_mean_square(kinetic_energy: float, mass: float) -> float:
    """The root mean square speed of discs with this kinetic energy and this mass, each summed over all discs."""
    return sqrt(max(0.0, 2.0 * kinetic_energy / mass))
