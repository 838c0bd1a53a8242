"""The colours of clusters: a palette that colour-blind people can read, and keeping near clusters distinguishable.

Each cluster has the colour of its label. Where two of the largest clusters of one colour come near each other, the
smaller one gets another colour. This is decided at certain times that depend on the run alone, not on what is shown of
it, and stored in the history of the run (`aggviewer.session.color_history`). Those that come very near each other until
the next decision are told apart in each frame. So the colours of a moment depend on nothing but the run.
Differences between colours are distances in CIELAB, under four kinds of colour vision. This module does not use Qt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import floor, frexp, inf, log2, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.color_history import Change, ColorHistory, Histories
from engine.capabilities import meets_no_more
from engine.fields import Field
from engine.frame import Frame, discs_of
from engine.plotting.colors import color_index
from engine.plotting.palettes import PALETTE_ON_DARK, PALETTE_ON_LIGHT
from engine.state import Discs

if TYPE_CHECKING:
    from engine.simulation import Progress, Simulation

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


PALETTE_SIZE = len(PALETTE_ON_DARK)

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

_LOOKED_AT = 64  # clusters examined: more than `LARGEST`, to include those that will soon be large
_FIRST = 1 / 8  # mean diameters flown by a disc between two of the first decisions, at least half of it
_PER_DOUBLING = 32  # later decisions while the time doubles: clusters slow down as they grow
MANY = 100_000
"""With more discs, frames between two decisions are not examined."""
_FEW = 25_000  # with as many discs or more, decisions are made more seldom
_SELDOM = 8  # times at most
_COARSE = 3  # times the finest cells, for finding out at little cost that no cluster needs another colour


@cache
def differences() -> Floats:
    """(P, P): the least distance in CIELAB of each two colours of the palette, on both grounds and under any sight."""
    labs = np.concatenate([lab(rgb(palette)) for palette in (PALETTE_ON_DARK, PALETTE_ON_LIGHT)])
    found: Floats = np.linalg.norm(labs[:, :, None] - labs[:, None], axis=-1).min(axis=0)
    return found


class ColorWatch:
    """Decides the colours of clusters while a run goes on (`engine.runs.loop.Observer`). Belongs to one thread.

    The times of the decisions form a grid of powers of two, finer at first. They follow from the discs and the energy
    at the start, so runs side by side have nearly the same.

    Parameters
    ----------
    simulation, fields : the run, and the fields of its system.
    histories : of the run, which changes are added to; empty at the start of a run.
    lane : number of the run, where two runs side by side share the histories.

    Attributes
    ----------
    next_time : the simulation time at which the run must stop for a `look`; inf for never.
    """

    next_clusters = 1

    def __init__(self, simulation: Simulation, fields: Iterable[Field], histories: Histories, lane: int = 0) -> None:
        self._simulation, self._histories, self._lane = simulation, histories, lane
        self._fields = with_clusters(fields, simulation)
        seldom = min(_SELDOM, 1 << (simulation.count // _FEW).bit_length())
        self._share = seldom / _PER_DOUBLING
        self._frame: Frame | None = None  # kept for the next decision
        self._width = inf  # of the grid at the start
        if self._fields and (energy := float(simulation.history().kinetic_energy[0])) > 0.0:
            speed = sqrt(2.0 * energy / float(np.sum(simulation.masses)))
            self._width = 2.0 ** floor(log2(_FIRST * 2.0 * float(np.mean(simulation.radii)) / speed * seldom))
        self.next_time = inf if not self._fields else self._after(simulation.time) if histories else -inf

    def look(self, reached: Progress) -> None:
        """Decide in the present state, if that is due. reached : whether the run has ended."""
        time = self._simulation.time
        if time >= self.next_time:
            self._frame = self._simulation.frame(self._frame)
            choose_colors(self._fields, self._frame, self._simulation, self._histories, self._lane)
            self.next_time = self._after(time)
        if reached.finished or (self._fields and meets_no_more(self._simulation)):
            self.next_time = inf

    def _after(self, time: float) -> float:
        """The first time of the grid after this one."""
        width = max(self._width, self._share * 2.0 ** (frexp(time)[1] - 1) if time > 0.0 else 0.0)
        return inf if width == inf else (time // width + 1.0) * width


def with_clusters(fields: Iterable[Field], discs: Discs) -> list[Field]:
    """The fields whose values are labels of clusters, known at any time, for these discs or spheres."""
    dimensions = len(discs.box)
    return [one for one in fields if one.groups and one.measure is None and dimensions in one.dimensions]


def choose_colors(fields: Iterable[Field], frame: Frame, discs: Discs, histories: Histories, lane: int = 0) -> None:
    """Decide which clusters change their colours in this state, and add the changes to the histories of the fields.

    discs : radii, box and boundary, where the frame has none of its own.
    """
    discs = discs_of(frame, discs)
    for field in fields:
        labels = field.values(frame, discs)
        history = histories.setdefault(field.name, ColorHistory())
        if labels is not None:
            changed = recolored(labels, frame.positions, discs, history.at(frame.time, lane))
            history.add(Change(frame.time, lane, label, index) for label, index in changed.items())


def recolored(
    cluster: NDArray[Any], positions: Floats, discs: Discs, changed: Mapping[int, int], gap: float = COMING
) -> dict[int, int]:
    """The new palette index of each label whose cluster gets another colour: of the largest ones, those with a larger
    one of the same colour near them.

    Parameters
    ----------
    cluster : (N,), the label of each disc's cluster.
    positions, discs : (N, d), and radii, box and boundary.
    changed : the palette indices of labels that do not have their usual one.
    gap : how near, in mean diameters.
    """
    from engine.analysis.group_labels import largest_groups
    from engine.analysis.near_clusters import near_clusters

    cluster = cluster.astype(np.int32, copy=False)
    if not (cluster.flags.c_contiguous and cluster.flags.writeable):
        cluster = cluster.copy()  # kernels are compiled for no other kind of array
    known = max(len(cluster), int(cluster.max(initial=0)) + 1)
    ranked = np.empty(_LOOKED_AT, np.int64)
    ranked = ranked[: largest_groups(cluster, np.zeros(known, np.int32), ranked)]
    number, labels = len(ranked), ranked.tolist()
    usual = color_index(ranked.astype(np.int32)).tolist()
    colors = [changed.get(label, index) for label, index in zip(labels, usual, strict=True)]
    owned = [0] * PALETTE_SIZE  # for each colour the clusters that have it: bit j for the j-th
    for k, index in enumerate(colors):
        owned[index] |= 1 << k
    rank = np.full(known, -1, np.int8)
    rank[ranked] = np.arange(number)
    others = [((1 << number) - 1) & ~(1 << k) for k in range(number)]

    def within(diameters: float, coarse: int = 1) -> list[int]:
        """For each cluster, bit j says whether the gap to the j-th is below about so many mean diameters."""
        gap = diameters * 2.0 * float(discs.radii.mean())
        found = near_clusters(positions, discs.radii, cluster, rank, discs.box, discs.periodic, gap, coarse)
        return [int(bits) & others[k] for k, bits in enumerate(found[:number])]

    def alike(k: int, coming: list[int]) -> int:
        """Bit j says whether the j-th cluster is larger, has the colour of the k-th, and is near it."""
        larger: int = coming[k] & owned[colors[k]] & ((1 << k) - 1)
        return larger

    found: dict[int, int] = {}
    each_its_own = number <= PALETTE_SIZE
    at_any_gap = each_its_own and gap == COMING
    for coming in (others,) if at_any_gap else (within(gap, coarse) for coarse in (_COARSE, 1)):
        if not any(alike(k, coming) for k in range(number)):
            return found
    reaches = others if each_its_own else within(AROUND), coming, within(NEAR)
    for k, (label, old) in enumerate(zip(labels, tuple(colors), strict=True)):
        if like := alike(k, coming):
            new = _other_color(k, old, owned, reaches, must=bool(like & reaches[-1][k]))
            if new != old:
                colors[k] = found[label] = new
                owned[old] ^= 1 << k
                owned[new] |= 1 << k
    return found


def _other_color(k: int, own: int, owned: list[int], reaches: Sequence[list[int]], *, must: bool) -> int:
    """A new palette index for the k-th cluster, whose colour `own` is also that of a larger cluster near it.

    It is a colour that no cluster within `AROUND` has, or else none within `COMING`; preferably one that differs
    clearly from all colours around, and the rarest. If there is none, the cluster keeps its colour, unless it `must`
    change because a cluster of its colour is within `NEAR`. Then it gets a colour that no cluster within `NEAR` has, or
    else that of the smallest cluster there.

    owned : for each colour, bit j says whether the j-th cluster has it; reaches : for each cluster, whether the j-th is
    within `AROUND`, `COMING` and `NEAR`.
    """
    indices, (_, coming, near) = range(PALETTE_SIZE), reaches
    for reach in reaches if must else reaches[:2]:
        free = [index for index in indices if not reach[k] & owned[index]]
        if free:
            break
    else:
        return max(indices, key=lambda index: _lowest(near[k] & owned[index])) if must else own
    around = [index for index in indices if coming[k] & owned[index]]
    # among equally good colours take the first after its own, so that clusters do not all choose the same
    return max(
        free,
        key=lambda index: (
            min(CLEAR, *(differences()[index, other] for other in around)),
            -owned[index].bit_count(),
            -((index - own) % PALETTE_SIZE),
        ),
    )


def _lowest(bits: int) -> int:
    """The number of the lowest bit that is set, 64 for none."""
    return (bits & -bits).bit_length() - 1 if bits else 64
