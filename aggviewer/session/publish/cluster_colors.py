"""The colours of clusters: a palette that colour-blind people can read, and keeping near clusters distinguishable.

Each cluster has the colour of its label. Where two of the largest clusters of one colour come near each other, the
smaller one gets another colour, over some frames. The change is stored in the history of the run
(`aggviewer.session.color_history`), so that a moment has the same colours when it is shown again. Differences
between colours are distances in CIELAB, under four kinds of colour vision. This module does not use Qt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.color_history import Change, ColorHistory
from engine.plotting.colors import color_index
from engine.plotting.palettes import PALETTE_ON_DARK, PALETTE_ON_LIGHT
from engine.state import Discs

Floats = NDArray[np.float64]

SIGHTS: Floats = np.array(
    [
        np.eye(3),
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ]
)
"""Matrices from linear sRGB to the perceived linear sRGB: normal vision, protanopia, deuteranopia, tritanopia.

From Machado et al. (2009), with severity 1.
"""

_XYZ = np.array(  # from linear sRGB to CIE XYZ, below divided by that of white (D65)
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_XYZ = _XYZ / _XYZ.sum(axis=1, keepdims=True)
_BEND = 6.0 / 29.0  # where the cube root in the definition of CIELAB gives way to a straight line


def rgb(names: tuple[str, ...]) -> Floats:
    """Colours ``#rrggbb`` as numbers 0 … 1, (n, 3)."""
    return np.array([[int(name[i : i + 2], 16) for i in (1, 3, 5)] for name in names]) / 255.0


def lab(colors: Floats) -> Floats:
    """sRGB colours (n, 3), 0 … 1, in CIELAB as each of `SIGHTS` perceives them, (4, n, 3)."""
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.einsum("sij,nj->sni", SIGHTS, linear), 0.0, 1.0)
    t = seen @ _XYZ.T
    f = np.where(t > _BEND**3, np.cbrt(t), t / (3.0 * _BEND**2) + 4.0 / 29.0)
    return np.stack(
        [116.0 * f[..., 1] - 16.0, 500.0 * (f[..., 0] - f[..., 1]), 200.0 * (f[..., 1] - f[..., 2])], axis=-1
    )


def least_difference(one: Floats, others: Floats) -> float:
    """The smallest distance in CIELAB of a colour (3,) from others (n, 3), under any of `SIGHTS`; inf for no others."""
    if not len(others):
        return float("inf")
    labs = lab(np.vstack([one, others]))
    return float(np.linalg.norm(labs[:, 1:] - labs[:, :1], axis=-1).min())


PALETTE_SIZE = len(PALETTE_ON_DARK)

ALIKE = 7.5
"""Two colours count as alike up to this distance in CIELAB."""
NEAR = 3.0
"""Two large clusters closer than this many mean diameters must not have the same colour."""
COMING = 6.0
"""Below this gap, in mean diameters, the smaller cluster starts to change its colour if another is available. At any
gap, if there are no more large clusters than colours."""
AROUND = 12.0
"""If possible, its new colour is one that no large cluster within this many mean diameters has."""
CLEAR = 16.0
"""From this distance in CIELAB on, everybody can easily tell two colours apart."""
LARGEST = 48
"""The number of clusters kept from looking alike: the largest ones, of two or more discs."""
FADING = 12
"""The number of frames over which a cluster changes its colour."""

_LOOKED_AT = 64  # clusters examined: more than `LARGEST`, to include those that will soon be large
_EACH_FRAME = 100_000  # up to this many discs every frame is examined; above, every second one, and so on
_SELDOM = 8  # at least one frame in this many is examined
_JUMP = 4.0  # a time step this many times longer than the one before is a jump


@dataclass(frozen=True)
class Fade:
    """A mixture of two colours of the palette: a `share` of the colour `new`, the rest of `old`."""

    old: int
    new: int
    share: float

    def on(self, palette: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mixed colour (3,) from a palette (P, 3), rounded to multiples of 1/255 as on a screen."""
        mixed: NDArray[np.float64] = (1.0 - self.share) * palette[self.old] + self.share * palette[self.new]
        return np.rint(255.0 * mixed) / 255.0


_PALETTES = (rgb(PALETTE_ON_DARK), rgb(PALETTE_ON_LIGHT))


@cache
def differences() -> Floats:
    """(P, P): the least distance in CIELAB of each two colours of the palette, on both grounds and under any sight."""
    labs = np.concatenate([lab(palette) for palette in _PALETTES])
    found: Floats = np.linalg.norm(labs[:, :, None] - labs[:, None], axis=-1).min(axis=0)
    return found


def _lowest(bits: int) -> int:
    """The number of the lowest bit that is set, 64 for none."""
    return (bits & -bits).bit_length() - 1 if bits else 64


class ClusterColors:
    """The colours of the clusters of one run. It belongs to one thread.

    Parameters
    ----------
    radii, box, periodic : (N,), (2,) and whether the box is periodic. Without a box no cluster
        changes its colour.
    changed : the property `changed` of another object, to start with the same colours.
    history : the history of the run, which new changes are added to; None for a new one that starts with `changed`.
    lane : number of the run, where two runs side by side share a history.
    """

    def __init__(
        self,
        radii: NDArray[np.float64] | None = None,
        box: NDArray[np.float64] | None = None,
        periodic: bool = False,
        changed: tuple[tuple[int, int], ...] = (),
        history: ColorHistory | None = None,
        lane: int = 0,
    ) -> None:
        self._radii, self._box, self._periodic = radii, box, periodic
        begun = (Change(-np.inf, 0, label, index, index) for label, index in changed)
        self.history, self._lane = ColorHistory(begun) if history is None else history, lane
        self._time: float | None = None  # of the last frame
        self._steps = (np.inf, np.inf)  # simulation time from frame to frame, the last step first
        self._found: Mapping[int, Change] = {}  # the changes of this moment in the history, and its version then
        self._version = -1
        self._now: dict[int, Change] = {}  # the same, by label
        self._lasting: list[Change] = []  # those of them that are not immediate
        self._fades: dict[int, Fade] = {}  # by label
        self._usual = np.zeros(0, np.uint8)  # palette index of each label that has not been changed
        self._index = np.zeros(0, np.uint8)  # palette index of each label
        self._ranked: NDArray[np.int64] = np.empty(0, np.int64)  # labels of the largest clusters, the largest first
        self._near: list[int] = []  # for each of these, bit j says whether the gap to the j-th is below `NEAR`
        self._coming: list[int] = []  # the same with `COMING`
        self._around: list[int] = []  # the same with `AROUND`
        self._fresh: dict[int, Change] = {}  # changes that begin with this frame, by label
        self._frames = 0

    @property
    def changed(self) -> tuple[tuple[int, int], ...]:
        """Label and palette index of each cluster that has another colour than that of its label."""
        return tuple((label, change.new) for label, change in self._now.items())

    @property
    def fades(self) -> tuple[Fade, ...]:
        """The colours of clusters that are changing; see `color`."""
        return tuple(self._fades.values())

    def color(
        self,
        cluster: NDArray[np.int32],
        positions: NDArray[np.float64],
        time: float | None = None,
        discs: Discs | None = None,
    ) -> NDArray[np.float32]:
        """The colour of each disc in a frame.

        Parameters
        ----------
        cluster : (N,), the label of each disc's cluster.
        positions : (N, 2).
        time : of the frame. A time that has been coloured before gets the same colours. None: one after the last time.
        discs : radii, box and boundary of the frame; None for those at the start.

        Returns
        -------
        scalar
            (N,). A palette index for a disc in a cluster; `PALETTE_SIZE` more for a single disc; 2 `PALETTE_SIZE` + k
            for a disc with the k-th colour of `fades`.
        """
        kernels = self._box is not None
        if discs is not None and kernels:
            self._radii, self._box, self._periodic = discs.radii, discs.box, discs.periodic
        if kernels and not (cluster.flags.c_contiguous and cluster.flags.writeable):
            cluster = cluster.copy()  # kernels are compiled for no other kind of array
        seen = self._seen_of(cluster)
        if len(self._index) < len(seen):
            self._usual = color_index(np.arange(len(seen), dtype=np.int32)).astype(np.uint8)
            self._index, self._now, self._version = self._usual.copy(), {}, -1
        self._go_to((0.0 if self._time is None else self._time + 1.0) if time is None else time, seen)
        self._keep_apart(cluster, positions, seen)
        look = self._index + np.uint8(PALETTE_SIZE) * (seen == 1)
        for place, label in enumerate(self._fades):
            look[label] = 2 * PALETTE_SIZE + place
        if not kernels:
            plain: NDArray[np.float32] = look[cluster].astype(np.float32)
            return plain
        from engine.analysis.group_labels import look_up

        scalar = np.empty(len(cluster), np.float32)
        look_up(cluster, look, scalar)
        return scalar

    def _seen_of(self, cluster: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Whether a label has no disc, one, or more: 0, 1 or 2, (L,) uint8."""
        if self._box is not None:  # else there need be no kernels yet
            from engine.analysis.group_labels import count_to_two

            # labels are mostly numbers of discs
            seen = np.zeros(max(len(self._index), len(cluster)), np.uint8)
            if count_to_two(cluster, seen):
                return seen
        sizes = np.bincount(cluster, minlength=len(self._index))
        return np.minimum(sizes, 2).astype(np.uint8)

    def _go_to(self, time: float, seen: NDArray[np.uint8]) -> None:
        """Go to the colours of a moment as the history has them. seen : as `_seen_of` gives it."""
        if self._time is not None and time != self._time:
            self._steps = abs(time - self._time), self._steps[0]
        self._time = time
        found = self.history.at(time, self._lane)
        if found is not self._found or self._version != self.history.version:
            for label in self._now.keys() - found.keys():
                self._index[label] = self._usual[label]
            self._take(found)
        self._fades = {
            change.label: Fade(change.old, change.new, share)
            for change in self._lasting
            if (share := change.share_at(time)) < 1.0 and change.label < len(seen) and seen[change.label] > 1
        }

    def _take(self, found: Mapping[int, Change]) -> None:
        """Make these changes the current ones."""
        self._found, self._version = found, self.history.version
        self._now = {label: change for label, change in found.items() if label < len(self._index)}
        for label, change in self._now.items():
            self._index[label] = change.new
        self._lasting = [change for change in self._now.values() if change.lasts > 0.0]

    # keeping large clusters from looking alike

    def _keep_apart(self, cluster: NDArray[np.int32], positions: NDArray[np.float64], seen: NDArray[np.uint8]) -> None:
        """Start the changes of colour that this frame needs, if it has not been shown before. seen : as `_seen_of`
        gives it."""
        assert self._time is not None
        if self._radii is None or self._box is None or len(self._radii) != len(cluster):
            return
        if self.history.knows(self._time, self._lane):
            self._frames = 0
            return
        if self._frames == 0:
            self._look(cluster, positions, len(seen), self._radii, self._box)
        self._frames = (self._frames + 1) % min(_SELDOM, 1 + len(cluster) // _EACH_FRAME)
        self._fresh = {}
        self._recolor()
        self._finish_fades()
        self.history.look(self._time, self._lane, self._fresh.values())
        if self._fresh:
            self._take(self.history.at(self._time, self._lane))

    @property
    def _lasts(self) -> float:
        """The simulation time, of some frames, that a change of colour that begins now will take; 0 in the first frame
        and after a jump in time."""
        last, before = self._steps
        soft = self.history.begun and np.isfinite(before) and last <= _JUMP * before
        return FADING * min(last, before) if soft else 0.0

    def _look(
        self,
        cluster: NDArray[np.int32],
        positions: NDArray[np.float64],
        labels: int,
        radii: NDArray[np.float64],
        box: NDArray[np.float64],
    ) -> None:
        """Find the largest clusters, and which of them are near each other. labels : L, all are below it."""
        from engine.analysis.group_labels import largest_groups
        from engine.analysis.near_clusters import near_clusters

        ranked = np.empty(_LOOKED_AT, np.int64)
        self._ranked = ranked[: largest_groups(cluster, np.zeros(labels, np.int32), ranked)]
        rank = np.full(labels, -1, np.int8)
        rank[self._ranked] = np.arange(len(self._ranked))

        number = len(self._ranked)
        others = [((1 << number) - 1) & ~(1 << k) for k in range(number)]

        def within(diameters: float) -> list[int]:
            gap = diameters * 2.0 * float(radii.mean())
            found = near_clusters(positions, radii, cluster, rank, box, self._periodic, gap)
            return [int(bits) & others[k] for k, bits in enumerate(found[:number])]

        self._near = self._coming = self._around = [0] * number
        if number < 2:
            return
        self._coming = others if number <= PALETTE_SIZE else within(COMING)
        colors, owned = self._owned()
        change = any(self._alike(k, colors, owned) for k in range(number))
        if change:
            self._around = others if number <= PALETTE_SIZE else within(AROUND)
        if change or self._fades:
            self._near = within(NEAR)

    def _owned(self) -> tuple[list[int], list[int]]:
        """The colour of each of the largest clusters, and for each colour those that have it: bit j for the j-th."""
        colors, owned = self._index[self._ranked].tolist(), [0] * PALETTE_SIZE
        for k, index in enumerate(colors):
            owned[index] |= 1 << k
        return colors, owned

    def _alike(self, k: int, colors: list[int], owned: list[int]) -> int:
        """Bit j says whether the j-th cluster is larger than the k-th, has its colour and is within `COMING` of it."""
        return self._coming[k] & owned[colors[k]] & ((1 << k) - 1)

    def _recolor(self) -> None:
        """Give another colour to each cluster that has a larger one of the same colour near it."""
        colors, owned = self._owned()
        for k, label in enumerate(self._ranked.tolist()):
            alike = self._alike(k, colors, owned)
            if not alike:
                continue
            old, new = colors[k], self._other_color(k, colors[k], owned, must=bool(alike & self._near[k]))
            if new == old:
                continue
            colors[k] = new
            owned[old] ^= 1 << k
            owned[new] |= 1 << k
            lasts = self._lasts
            if lasts > 0.0:
                self._fades[label] = Fade(old, new, 1.0 / FADING)
            self._index[label] = new
            self._begin(label, old, new, 1.0 / FADING, lasts)

    def _begin(self, label: int, old: int, new: int, share: float, lasts: float) -> None:
        assert self._time is not None
        self._fresh[label] = Change(self._time, self._lane, label, old, new, share, lasts)

    def _other_color(self, k: int, own: int, owned: list[int], *, must: bool) -> int:
        """A new palette index for the k-th cluster, whose colour `own` is also that of a larger cluster near it.

        It is a colour that no cluster within `AROUND` has, or else none within `COMING`; preferably one that differs
        clearly from all colours around, and the rarest. If there is none, the cluster keeps its colour, unless it
        `must` change because a cluster of its colour is within `NEAR`. Then it gets a colour that no cluster within
        `NEAR` has, or else that of the smallest cluster there.
        """
        indices = range(PALETTE_SIZE)
        for reach in (self._around, self._coming, self._near) if must else (self._around, self._coming):
            free = [index for index in indices if not reach[k] & owned[index]]
            if free:
                break
        else:
            return max(indices, key=lambda index: _lowest(self._near[k] & owned[index])) if must else own
        around = [index for index in indices if self._coming[k] & owned[index]]
        # among equally good colours take the first after its own, so that clusters do not all choose the same
        return max(
            free,
            key=lambda index: (
                min(CLEAR, *(differences()[index, other] for other in around)),
                -owned[index].bit_count(),
                -((index - own) % PALETTE_SIZE),
            ),
        )

    def _finish_fades(self) -> None:
        """Skip steps of a change of colour in which the mixture looks like the colour of a near cluster."""
        if not self._fades or not self._near:
            return
        labels = [int(label) for label in self._ranked]
        moved = True
        while moved:  # a later mixture may resemble another one
            moved = False
            for k, label in enumerate(labels):
                fade = self._fades.get(label)
                if fade is None:
                    continue
                others = [self._shown(labels[j]) for j in range(len(labels)) if self._near[k] >> j & 1]
                while fade.share < 1.0 and self._looks_like(fade, others):
                    fade = Fade(fade.old, fade.new, min(1.0, fade.share + 1.0 / FADING))
                    moved = True
                if fade is not self._fades[label]:
                    self._fades[label] = fade
                    lasts = (self._fresh.get(label) or self._now[label]).lasts
                    self._begin(label, fade.old, fade.new, fade.share, lasts)

    def _shown(self, label: int) -> Fade:
        """The colour that a cluster has in this frame."""
        index = int(self._index[label])
        return self._fades.get(label) or Fade(index, index, 1.0)

    @staticmethod
    def _looks_like(fade: Fade, others: list[Fade]) -> bool:
        """Whether a colour is like one of the others on either palette."""
        for palette in _PALETTES:
            colors = np.array([other.on(palette) for other in others]).reshape(-1, 3)
            if least_difference(fade.on(palette), colors) <= ALIKE:
                return True
        return False
