"""What a colour stands for: one number per disc and how a view is to read it. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.publish.cluster_colors import PALETTE_SIZE, ClusterColors, Fade
from aggviewer.session.view import ColorBy
from engine.simulation import Frame

COLORS_OF: dict[str, tuple[ColorBy, ...]] = {
    "aggregation": ("cluster", "size", "speed", "contacts"),
    "hard-discs": ("speed", "collisions", "since_contact", "contacts"),
    "jamming": ("contacts", "radius", "rattlers"),
}
"""What the discs of a system can be coloured by; the first is what they are coloured by where another one is chosen."""


def colors_of(system: str) -> tuple[ColorBy, ...]:
    """What discs of `system` can be coloured by."""
    return COLORS_OF.get(system, COLORS_OF["aggregation"])


def color_of(system: str, chosen: ColorBy) -> ColorBy:
    """What discs of `system` are coloured by where `chosen` is asked for."""
    offered = colors_of(system)
    return chosen if chosen in offered else offered[0]


_COOLED = 0.4  # share of the limit of the speeds below which discs that bounce get a new one


@dataclass(frozen=True)
class Coloring:
    """How to read the scalar of the discs.

    by : what it stands for; label, unit : for the legend.
    categorical : the scalar is an index, 0…`PALETTE_SIZE` - 1 for a disc in a cluster, `PALETTE_SIZE` more for a lone
        disc, which is shown in a muted version of the same colour, from 2 `PALETTE_SIZE` on for one of `fades`. Else it
        is a quantity between `limits`.
    log : the colour scale is logarithmic, both limits are positive.
    open_top : there may be values above the upper limit; they have its colour.
    classes : names of the values at the two limits, where there are no others.
    fades : colours on the way from one of the palette to another one; changed : clusters that have another colour than
        that of their label, see `ClusterColors.changed`.
    """

    by: ColorBy
    label: str
    unit: str
    limits: tuple[float, float]
    log: bool = False
    categorical: bool = False
    open_top: bool = False
    classes: tuple[str, ...] = ()
    fades: tuple[Fade, ...] = ()
    changed: tuple[tuple[int, int], ...] = ()


def one_scale(colorings: Sequence[Coloring]) -> list[Coloring]:
    """The same colours for pictures side by side: one scale that holds those of all, where they mean the same."""
    first = colorings[0]
    if any(replace(one, limits=first.limits, open_top=first.open_top) != first for one in colorings):
        return list(colorings)
    low = min(one.limits[0] for one in colorings)
    high = max(one.limits[1] for one in colorings)
    beyond = any(one.open_top for one in colorings)
    return [replace(one, limits=(low, high), open_top=beyond) for one in colorings]


def rounded_up(value: float) -> float:
    """The smallest 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten that is not below `value` > 0."""
    power = 10.0 ** floor(log10(value))
    for step in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0):
        if step * power >= value * (1.0 - 1e-9):
            return step * power
    return 10.0 * power


class Colorist:
    """Colours the frames of one run. Limits are rounded and only ever widen, so that a colour keeps its meaning; only
    that of the speeds of discs that bounce follows a gas that cools, in large steps.

    radii : (N,), of the system, for a colour by radius; without them all count as equal. box : (2,), periodic : of the
    system; without a box large clusters that look alike are not kept apart. changed : see `ClusterColors`.

    Owned by one thread. Make a new one when another system is loaded.
    """

    def __init__(
        self,
        radii: NDArray[np.float64] | None = None,
        box: NDArray[np.float64] | None = None,
        periodic: bool = False,
        changed: tuple[tuple[int, int], ...] = (),
    ) -> None:
        self._radii = radii
        self._clusters = ClusterColors(radii, box, periodic, changed)
        self._speed_limit = 0.0
        self._fastest = 0.0
        self._most_contacts = 6
        self._longest_wait = 0.0

    def color(
        self, frame: Frame, color_by: ColorBy, contacts: NDArray[np.integer] | None = None
    ) -> tuple[NDArray[np.float32], Coloring]:
        """One number per disc, (N,) float32, newly made, and how to read it.

        contacts : (N,) neighbours of each disc, needed for ``contacts`` alone, and only where the frame has no network
        of them; without it all discs count as having none (nothing has been measured yet).
        """
        if color_by == "size":
            return self._size(frame)
        if color_by == "speed":
            return self._speed(frame)
        if color_by == "contacts":
            return self._contacts(frame, contacts)
        if color_by == "rattlers":
            return self._rattlers(frame)
        if color_by == "radius":
            return self._radius(frame)
        if color_by == "collisions" and frame.collisions is not None:
            return self._collisions(frame.collisions)
        if color_by == "since_contact" and frame.last_contact is not None:
            return self._since_contact(frame.time, frame.last_contact)
        if color_by in ("collisions", "since_contact"):  # a frame of a file does not say
            return self._speed(frame)
        return self._cluster(frame)

    def _cluster(self, frame: Frame) -> tuple[NDArray[np.float32], Coloring]:
        scalar, colors = self._clusters.color(frame), self._clusters
        limits = (0.0, 2.0 * PALETTE_SIZE)
        return scalar, Coloring(
            "cluster", "Cluster", "", limits, categorical=True, fades=colors.fades, changed=colors.changed
        )

    def _size(self, frame: Frame) -> tuple[NDArray[np.float32], Coloring]:
        # from one disc to all of them during the whole run: a colour means the same size from first to last
        largest = float(max(len(frame.cluster), 2))
        return _sizes(frame).astype(np.float32), Coloring("size", "Cluster size", "discs", (1.0, largest), log=True)

    def _speed(self, frame: Frame) -> tuple[NDArray[np.float32], Coloring]:
        speed = np.hypot(frame.velocities[:, 0], frame.velocities[:, 1])
        fastest = float(speed.max(initial=0.0))
        # the few fast ones of a Maxwell distribution would leave all others at the dark end
        typical = 2.0 * float(np.sqrt(np.mean(speed**2))) if len(speed) else 0.0
        wanted = min(fastest, typical)
        if frame.collisions is not None and wanted < _COOLED * self._speed_limit:
            self._speed_limit = self._fastest = 0.0  # a granular gas cools without end: it would all go dark
        self._speed_limit = max(self._speed_limit, wanted)
        limit = rounded_up(self._speed_limit) if self._speed_limit > 0.0 else 1.0
        self._fastest = max(self._fastest, fastest)
        coloring = Coloring(
            "speed", "Speed", "length / time", (0.0, limit), open_top=self._fastest > limit * (1.0 + 1e-9)
        )
        return speed.astype(np.float32), coloring

    def _contacts(self, frame: Frame, contacts: NDArray[np.integer] | None) -> tuple[NDArray[np.float32], Coloring]:
        count = len(frame.cluster)
        if frame.network is not None:
            discs = frame.network.pairs.ravel()
            contacts = np.bincount(discs[discs >= 0], minlength=count)
        if contacts is None or len(contacts) != count:  # of another system, or not there yet
            contacts = np.zeros(count, np.int64)
        self._most_contacts = max(self._most_contacts, int(contacts.max(initial=0)))
        even = float(2 * ceil(self._most_contacts / 2))  # for a whole number in the middle of the legend
        coloring = Coloring("contacts", "Contacts", "per disc", (0.0, even))
        return contacts.astype(np.float32), coloring

    @staticmethod
    def _rattlers(frame: Frame) -> tuple[NDArray[np.float32], Coloring]:
        loose = np.zeros(len(frame.cluster), np.float32)
        if frame.network is not None:
            loose[frame.network.rattlers] = 1.0
        return loose, Coloring("rattlers", "Rattlers", "", (0.0, 1.0), classes=("held", "rattlers"))

    def _radius(self, frame: Frame) -> tuple[NDArray[np.float32], Coloring]:
        """Over the mean, so that discs keep their colour while they grow."""
        radii = self._radii if self._radii is not None and len(self._radii) else np.ones(len(frame.cluster))
        relative = radii / radii.mean() if len(radii) else radii
        low, high = (float(relative.min()), float(relative.max())) if len(radii) else (1.0, 1.0)
        if high - low < 1e-9:
            low, high = 0.5, 1.5
        return relative.astype(np.float32), Coloring("radius", "Radius over the mean", "", (low, high))

    @staticmethod
    def _collisions(count: NDArray[np.int32]) -> tuple[NDArray[np.float32], Coloring]:
        """All discs of a gas have about as many: the scale begins at the fewest, and so that it does not change with
        every frame, both ends are round numbers."""
        low, high = 0.0, 0.0
        if len(count):
            low, high = float(count.min()), min(float(count.max()), float(count.mean() + 3.0 * count.std()))
        step = float(ceil(rounded_up(max(high - low, 1.0) / 4.0)))
        limits = (step * floor(low / step), step * max(ceil(high / step), floor(low / step) + 1))
        beyond = bool(len(count)) and float(count.max()) > limits[1]
        return count.astype(np.float32), Coloring("collisions", "Collisions", "per disc", limits, open_top=beyond)

    def _since_contact(self, time: float, last: NDArray[np.float64]) -> tuple[NDArray[np.float32], Coloring]:
        """Discs that have met nobody yet count from 0."""
        since = time - np.where(np.isfinite(last), last, min(time, 0.0))
        # waiting times fall off exponentially; a scale that is near enough is kept, so that colours stay what they are
        wanted = 3.0 * float(since.mean()) if len(since) else 0.0
        if wanted > self._longest_wait or wanted < 0.4 * self._longest_wait:
            self._longest_wait = rounded_up(wanted) if wanted > 0.0 else 0.0
        limit = self._longest_wait or 1.0
        beyond = bool(len(since)) and float(since.max()) > limit
        coloring = Coloring("since_contact", "Time since contact", "time", (0.0, limit), open_top=beyond)
        return since.astype(np.float32), coloring


def _sizes(frame: Frame) -> NDArray[np.int64]:
    """Number of discs in each disc's cluster, (N,)."""
    sizes: NDArray[np.int64] = np.bincount(frame.cluster)[frame.cluster]
    return sizes
