"""Colours as people see them, the colour-blind too: CIELAB of sRGB colours under four kinds of sight. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SIGHTS: Floats = np.array(
    [
        np.eye(3),
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ]
)
"""Linear sRGB to linear sRGB: normal sight, protanopia, deuteranopia, tritanopia (Machado et al. 2009, severity 1)."""

_XYZ = np.array(  # of linear sRGB, over that of white (D65)
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_XYZ = _XYZ / _XYZ.sum(axis=1, keepdims=True)
_BEND = 6.0 / 29.0


def rgb(names: tuple[str, ...]) -> Floats:
    """(n, 3), 0 … 1, of #rrggbb."""
    return np.array([[int(name[i : i + 2], 16) for i in (1, 3, 5)] for name in names]) / 255.0


def lab(colors: Floats) -> Floats:
    """CIELAB (4, n, 3) of sRGB colours (n, 3), 0 … 1, under each of `SIGHTS`."""
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.einsum("sij,nj->sni", SIGHTS, linear), 0.0, 1.0)
    t = seen @ _XYZ.T
    f = np.where(t > _BEND**3, np.cbrt(t), t / (3.0 * _BEND**2) + 4.0 / 29.0)
    return np.stack(
        [116.0 * f[..., 1] - 16.0, 500.0 * (f[..., 0] - f[..., 1]), 200.0 * (f[..., 1] - f[..., 2])], axis=-1
    )


def least_difference(one: Floats, others: Floats) -> float:
    """The smallest distance in CIELAB between a color (3,) and others (n, 3), whichever of the sights; inf for none."""
    if not len(others):
        return float("inf")
    labs = lab(np.vstack([one, others]))
    return float(np.linalg.norm(labs[:, 1:] - labs[:, :1], axis=-1).min())


PALETTE_ON_DARK: tuple[str, ...] = (
    "#00FF98", "#C59419", "#FF28FF", "#26A4BB", "#7245A8", "#D9FFF6",
    "#FA0357", "#1B04F4", "#F5E40F", "#A00164", "#6A370E", "#99AD97",
)  # fmt: skip
PALETTE_ON_LIGHT: tuple[str, ...] = (
    "#8F1300", "#74376A", "#8CBD69", "#02CBFF", "#D7C004", "#FF87A9",
    "#00002C", "#022197", "#626F57", "#300000", "#125EFF", "#FF00B7",
)  # fmt: skip
"""Twelve cluster colours, found by simulated annealing for a large least distance in CIELAB, with normal and simulated
protan, deutan and tritan sight (by Machado et al. 2009, and by Viénot and by Brettel), among those that stand out from
the background: any two are at least 26 apart, and a just noticeable difference is about 2."""

PALETTE_SIZE = len(PALETTE_ON_DARK)

ALIKE = 25.0
"""Distance in CIELAB up to which two colours count as alike."""
NEAR = 3.0
"""Gap in mean diameters below which large clusters must not look alike."""
COMING = 6.0
"""Gap in mean diameters below which one of two that look alike begins to change."""
LARGEST = 30
"""Clusters of two discs and more that are kept apart: so many of the largest."""
FADING = 12
"""Frames in which a cluster goes from one colour to another one."""

_LOOKED_AT = 44  # clusters: those that may soon be among the largest get their colours before
_EACH_FRAME = 100_000  # discs up to which every frame is looked at; beyond, one in so many more
_SELDOM = 8  # frames between two looks, at most


@dataclass(frozen=True)
class Fade:
    """A colour between two of the palette: `share` of `new`, the rest `old`."""

    old: int
    new: int
    share: float

    def on(self, palette: NDArray[np.float64]) -> NDArray[np.float64]:
        """The colour (3,), between those of a palette (P, 3), as the screen has it: in steps of 1/255."""
        mixed: NDArray[np.float64] = (1.0 - self.share) * palette[self.old] + self.share * palette[self.new]
        return np.rint(255.0 * mixed) / 255.0


_PALETTES = (rgb(PALETTE_ON_DARK), rgb(PALETTE_ON_LIGHT))


def color_index(cluster: NDArray[np.int32]) -> NDArray[np.uint32]:
    """A palette index for each cluster label (N,): always the same for the same label, without a pattern in the labels.

    A mixing hash (the finaliser of MurmurHash3), so that neighbours on a lattice do not form stripes.
    """
    h = cluster.astype(np.uint32)
    h ^= h >> np.uint32(16)
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0xC2B2AE35)
    h ^= h >> np.uint32(16)
    return h % np.uint32(PALETTE_SIZE)


class ClusterColors:
    """The colours of the clusters of one run. Owned by one thread.

    radii : (N,), box : (2,), periodic : of the system; without a box every cluster keeps the colour of its label.
    changed : what the property `changed` of another object says: labels and palette indices of clusters that have
    another colour than that of their label. So a film begins with the colours of the window.
    """

    def __init__(
        self,
        radii: NDArray[np.float64] | None = None,
        box: NDArray[np.float64] | None = None,
        periodic: bool = False,
        changed: tuple[tuple[int, int], ...] = (),
    ) -> None:
        self._radii, self._box, self._periodic = radii, box, periodic
        self._changed = dict(changed)
        self._fades: dict[int, Fade] = {}  # by label
        self._index = np.zeros(0, np.uint8)  # palette index of each label
        self._ranked: NDArray[np.int64] = np.empty(0, np.int64)  # labels of the largest clusters, the largest first
        self._near: list[int] = []  # for each of these: bit j is set where the j-th is nearer than `NEAR`
        self._coming: list[int] = []  # the same for `COMING`
        self._seen = False
        self._frames = 0

    @property
    def changed(self) -> tuple[tuple[int, int], ...]:
        """Label and palette index of the clusters that do not have the colour of their label any more."""
        return tuple(self._changed.items())

    @property
    def fades(self) -> tuple[Fade, ...]:
        """The colours that are between two; the scalar of such a disc is 2 `PALETTE_SIZE` and the place in here."""
        return tuple(self._fades.values())

    def color(self, cluster: NDArray[np.int32], positions: NDArray[np.float64]) -> NDArray[np.float32]:
        """The scalar of each disc, (N,), from the cluster of each, (N,), and where they are, (N, 2):
        0 … `PALETTE_SIZE` - 1 for one in a cluster, `PALETTE_SIZE` more for a lone one, from 2 `PALETTE_SIZE` on for a
        colour of `fades`. To be called for one frame after another."""
        sizes = np.bincount(cluster, minlength=len(self._index))
        if len(self._index) < len(sizes):
            self._begin(len(sizes))
        self._keep_apart(cluster, positions, sizes)
        look = self._index.astype(np.float32)
        look[sizes == 1] += PALETTE_SIZE
        for place, label in enumerate(self._fades):
            look[label] = 2 * PALETTE_SIZE + place
        scalar: NDArray[np.float32] = look[cluster]
        return scalar

    def _begin(self, labels: int) -> None:
        self._index = color_index(np.arange(labels, dtype=np.int32)).astype(np.uint8)
        for label, index in self._changed.items():
            if label < labels:
                self._index[label] = index

    # keeping large ones apart

    def _keep_apart(self, cluster: NDArray[np.int32], positions: NDArray[np.float64], sizes: NDArray[np.int64]) -> None:
        for label, fade in [*self._fades.items()]:
            if label >= len(sizes) or sizes[label] < 2 or fade.share >= 1.0:
                del self._fades[label]
            else:
                self._fades[label] = Fade(fade.old, fade.new, min(1.0, fade.share + 1.0 / FADING))
        if self._radii is None or self._box is None or len(self._radii) != len(cluster):
            return
        if self._frames == 0:
            self._look(cluster, positions, sizes, self._radii, self._box)
        self._frames = (self._frames + 1) % min(_SELDOM, 1 + len(cluster) // _EACH_FRAME)
        self._recolor()
        self._finish_fades()
        self._seen = True

    def _look(
        self,
        cluster: NDArray[np.int32],
        positions: NDArray[np.float64],
        sizes: NDArray[np.int64],
        radii: NDArray[np.float64],
        box: NDArray[np.float64],
    ) -> None:
        """Find the largest clusters, and which of them are near each other."""
        labels = np.flatnonzero(sizes >= 2)
        if len(labels) > _LOOKED_AT:
            large = np.partition(sizes[labels], -_LOOKED_AT)[-_LOOKED_AT]
            labels = labels[sizes[labels] >= large]
        self._ranked = labels[np.lexsort((labels, -sizes[labels]))][:_LOOKED_AT]
        rank = np.full(len(sizes), -1, np.int8)
        rank[self._ranked] = np.arange(len(self._ranked))

        def within(diameters: float) -> list[int]:
            from engine.analysis.near_clusters import near_clusters

            gap = diameters * 2.0 * float(radii.mean())
            found = near_clusters(positions, radii, cluster, rank, box, self._periodic, gap)
            return [int(bits) & ~(1 << k) for k, bits in enumerate(found[: len(self._ranked)])]

        self._near = self._coming = [0] * len(self._ranked)
        if len(self._ranked) >= 2:
            self._coming = within(COMING)
            if self._fades or any(self._alike(k) for k in range(len(self._ranked))):
                self._near = within(NEAR)

    def _alike(self, k: int) -> int:
        """A bit for each larger cluster that is coming near the k-th and has its colour."""
        own = self._index[self._ranked[k]]
        return sum(1 << j for j in range(k) if self._coming[k] >> j & 1 and self._index[self._ranked[j]] == own)

    def _recolor(self) -> None:
        """Give another colour to each cluster to which a larger one of the same colour has come near."""
        for k, label in enumerate(self._ranked.tolist()):
            alike = self._alike(k)
            if not alike:
                continue
            old, new = int(self._index[label]), self._other_color(k, must=bool(alike & self._near[k]))
            if new == old:
                continue
            if self._seen:  # the first frame that is seen begins with its colours
                self._fades[label] = Fade(old, new, 1.0 / FADING)
            self._index[label] = new
            self._changed[label] = new

    def _other_color(self, k: int, *, must: bool) -> int:
        """The palette index that the k-th cluster is to have.

        The rarest colour that no cluster within `COMING` has. Where all are taken it keeps its own, unless a cluster of
        that colour is within `NEAR` (must): then a colour that none within `NEAR` has, or else that of the smallest.
        """
        colors = [int(self._index[label]) for label in self._ranked]
        owners = np.full((2, PALETTE_SIZE), len(colors))  # rank of the largest one that is near, and that comes near
        for j in range(len(colors) - 1, -1, -1):
            for row, bits in enumerate((self._near[k], self._coming[k])):
                if bits >> j & 1:
                    owners[row, colors[j]] = j
        if not must and owners[1].max() < len(colors):
            return colors[k]
        own = int(color_index(self._ranked[k : k + 1].astype(np.int32))[0])  # so that not all choose the same one
        return max(
            range(PALETTE_SIZE),
            key=lambda index: (
                *owners[:, index].tolist(),
                -colors.count(index),
                -((index - own) % PALETTE_SIZE),
            ),
        )

    def _finish_fades(self) -> None:
        """A colour on the way may look like that of a near cluster: skip steps of the fade until it does not."""
        if not self._fades or not self._near:
            return
        labels = [int(label) for label in self._ranked]
        moved = True
        while moved:  # what one of them goes on to may look like another one on its way
            moved = False
            for k, label in enumerate(labels):
                fade = self._fades.get(label)
                if fade is None:
                    continue
                others = [self._shown(labels[j]) for j in range(len(labels)) if self._near[k] >> j & 1]
                while fade.share < 1.0 and self._looks_like(fade, others):
                    fade = Fade(fade.old, fade.new, min(1.0, fade.share + 1.0 / FADING))
                    moved = True
                self._fades[label] = fade

    def _shown(self, label: int) -> Fade:
        index = int(self._index[label])
        return self._fades.get(label) or Fade(index, index, 1.0)

    @staticmethod
    def _looks_like(fade: Fade, others: list[Fade]) -> bool:
        for palette in _PALETTES:
            colors = np.array([other.on(palette) for other in others]).reshape(-1, 3)
            if least_difference(fade.on(palette), colors) <= ALIKE:
                return True
        return False
