"""Follows discs in a film: the camera keeps a disc, some discs, or the cluster of a disc in the middle of the
picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log, tau

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.camera import Camera
from engine.boundary import Periodic
from engine.errors import InputError
from engine.frame import Frame
from engine.geometry.nearest import nearest_image, wrapped
from engine.selection import numbers_in

CLUSTER = "cluster:"
"""The prefix, in typed text, before the number of a disc whose cluster is followed."""

_AROUND = 1.2  # half width of a fitted view, over the distance to the farthest disc
_LEAST = 12.0  # least half width in mean radii
_EASE = 0.25  # seconds of film in which the view moves to the centre of a merged cluster
_TOGETHER = 0.2  # length of the mean of unit vectors: below it discs are spread over the box and have no centre


@dataclass(frozen=True)
class Follow:
    """What a film follows, and how much of the surroundings it shows.

    Parameters
    ----------
    discs : at least one number.
    cluster : whether the cluster of the first disc is followed, with all that joins it.
    fitted : whether the view is fitted to all that is followed, with a margin; else it keeps its size.

    Raises
    ------
    InputError
        No disc is given.
    """

    discs: tuple[int, ...]
    cluster: bool = False
    fitted: bool = False

    def __post_init__(self) -> None:
        if not self.discs:
            raise InputError("there is no disc to follow; select one", "follow")

    def check(self, count: int) -> None:
        """Raise InputError if one of them does not exist among `count` discs."""
        missing = next((disc for disc in self.discs if not 0 <= disc < count), None)
        if missing is not None:
            raise InputError(f"there is no {missing} to follow: the numbers are 0 to {count - 1}", "follow")

    @staticmethod
    def of_text(text: str, *, fitted: bool = True) -> Follow:
        """Parse typed text: ``17``, ``3, 5, 10-20``, or ``cluster:17``. InputError for anything else."""
        cluster = text.startswith(CLUSTER)
        ranges = numbers_in(text.removeprefix(CLUSTER))
        if ranges is None or (cluster and [high - low for low, high in ranges] != [0]):
            raise InputError(
                f"choose what to follow: a disc such as 17, discs such as 3,5,10-20, or {CLUSTER}17, not {text!r}",
                "follow",
            )
        most = max(high for _, high in ranges)
        if most > np.iinfo(np.int32).max:
            raise InputError(f"{most} cannot be followed: no state has that many", "follow")
        discs = np.unique(np.concatenate([np.arange(low, high + 1) for low, high in ranges]))
        return Follow(tuple(discs.tolist()), cluster, fitted)


class FollowingCamera:
    """The view of a film that follows discs, across periodic edges too.

    When discs join, the centre of a cluster and the size of a fitted view jump: the view then moves there within a
    fraction of a second of film. Otherwise the followed discs are exactly in the centre.

    Parameters
    ----------
    follow : what is followed.
    camera : the initial view, of any size in pixels; its scale is kept unless the view is fitted.
    fps : frames per second of film.
    """

    def __init__(self, follow: Follow, camera: Camera, fps: float) -> None:
        self._follow = follow
        self._camera = camera
        self._fades = exp(-1.0 / (fps * _EASE))
        self._members: NDArray[np.int64] = np.zeros(0, np.int64)
        self._middle: NDArray[np.float64] | None = None
        self._distance: NDArray[np.float64] = np.zeros(len(camera.middle))  # distance of the view from the centre
        self._wider = 0.0  # logarithm of its excess size

    def looking(
        self, frame: Frame, radii: NDArray[np.float64], box: NDArray[np.float64], periodic: Periodic | bool
    ) -> Camera:
        """The view of a state. radii : (N,), at that time."""
        around = Periodic.of(periodic, len(box)).strained(frame.strain, box)
        members = self._followed(frame)
        positions = frame.positions
        middle = self._middle_of(positions[members], radii[members], box, around)
        if middle is None:
            return self._camera
        reach = self._reach(positions[members], radii, members, middle, box, around)
        if self._middle is not None and not np.array_equal(members, self._members):
            before = self._middle_of(positions[self._members], radii[self._members], box, around)
            if before is not None:
                self._distance = nearest_image(before + self._distance - middle, box, around)
                old = self._reach(positions[self._members], radii, self._members, before, box, around)
                self._wider += log(old / reach)
        self._members, self._middle = members, middle
        at = wrapped(middle + self._distance, box, around)
        self._camera = self._showing(at, reach * exp(self._wider), box)
        self._distance = self._distance * self._fades
        self._wider *= self._fades
        return self._camera

    def _followed(self, frame: Frame) -> NDArray[np.int64]:
        """The numbers of the discs followed now."""
        if not self._follow.cluster:
            return np.array(self._follow.discs, np.int64)
        return np.flatnonzero(frame.cluster == frame.cluster[self._follow.discs[0]])

    def _middle_of(
        self,
        positions: NDArray[np.float64],
        radii: NDArray[np.float64],
        box: NDArray[np.float64],
        periodic: Periodic,
    ) -> NDArray[np.float64] | None:
        """The centre of mass of discs, None if one has no position."""
        if not np.isfinite(positions).all():
            return None
        masses = radii ** len(box)
        near: NDArray[np.float64] = positions[0].copy()
        if periodic.any and len(positions) > 1:
            axes = list(periodic.axes)
            turns = masses @ np.exp(1j * tau * positions[:, axes] / box[axes]) / masses.sum()
            if np.abs(turns).min() > _TOGETHER or self._middle is None:
                near[axes] = np.angle(turns) / tau * box[axes]
            else:  # spread over the box: there is no centre
                near = self._middle
        away = nearest_image(positions - near, box, periodic)
        found: NDArray[np.float64] = near + masses @ away / masses.sum()
        return found

    @staticmethod
    def _reach(
        positions: NDArray[np.float64],
        radii: NDArray[np.float64],
        members: NDArray[np.int64],
        middle: NDArray[np.float64],
        box: NDArray[np.float64],
        periodic: Periodic,
    ) -> float:
        """Half the width of a view that shows all discs that are followed."""
        away = np.sqrt(np.square(nearest_image(positions - middle, box, periodic)).sum(axis=1)) + radii[members]
        return max(_AROUND * float(away.max()), _LEAST * float(radii.mean()))

    def _showing(self, at: NDArray[np.float64], reach: float, box: NDArray[np.float64]) -> Camera:
        camera = self._camera
        if self._follow.fitted:
            pixels = (camera.width, camera.height)
            whole = Camera.fitting(tuple(box.tolist()), pixels)
            near = Camera.showing(0.0, 0.0, 2.0 * reach, 2.0 * reach, pixels)
            camera = replace(camera, scale=max(near.scale, whole.scale))
        return camera.centred(at)
