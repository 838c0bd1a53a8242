"""The compiled kernel for soft shadows between spheres (ambient occlusion): how much of the light from all around the
neighbours of a sphere keep from each point of it. Spheres are dark near contacts and inside clusters, so that depth can
be seen.

Each neighbour hides a round part of the sky. For each sphere the kernel sums up what its neighbours hide, as a
polynomial of second degree in the normal: nine numbers. The painter and the shader of OpenGL evaluate it in each pixel,
and vector files take its mean. So all of them look alike, and nothing flickers while the box turns.
"""

from __future__ import annotations

from math import ceil, floor, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Singles
from engine.kernels import inlined, kernel

_MEAN, _TOWARDS, _SHARP = 2.2, 2.4, 2.5
"""A neighbour of radius r at a distance d adds m (r / d)² (1 + t c + s (3 c² - 1) / 2), where c is the cosine of the
angle between the normal and the direction to it. These t and s fit what equal spheres hide between 0 and 1 diameter
apart; m is chosen for the eye."""

_CELLS = 2  # of the grid for each sphere, at most
_LARGE = 1.25  # mean radii from which a sphere looks for those that it hides something from
_ACROSS = 3.0  # squares of the picture across the radius of a sphere, where it is found which spheres are seen

Sums = tuple[float, float, float, float, float, float, float, float, float]


@inlined
def _hides(dx: float, dy: float, dz: float, r: float, far: float) -> Sums:
    """What a neighbour of radius r hides; (dx, dy, dz) : its place from the centre; far : the distance from which it
    hides nothing."""
    square = dx * dx + dy * dy + dz * dz
    one, fades = 1.0 / sqrt(square), 1.0 - square / (far * far)
    share = _MEAN * r * r * fades * fades * one * one
    x, y, z, towards, sharp = dx * one, dy * one, dz * one, _TOWARDS * share, 1.5 * _SHARP * share
    return (
        share * (1.0 - 0.5 * _SHARP) + sharp * z * z,
        towards * x,
        towards * y,
        towards * z,
        sharp * (x * x - z * z),  # z² of the normal is 1 - x² - y²
        sharp * (y * y - z * z),
        2.0 * sharp * x * y,
        2.0 * sharp * x * z,
        2.0 * sharp * y * z,
    )


@inlined
def _covered(full: NDArray[np.bool_], u: float, v: float, r: float) -> bool:
    """Whether other spheres hide the circle, in squares of the picture; else those that it fills are full from now
    on."""
    rows, columns = full.shape
    hidden = True
    for row in range(max(floor(v - r), 0), min(floor(v + r) + 1, rows)):
        near = max(max(row - v, v - row - 1.0), 0.0)  # from the middle to the nearest place in this row
        half = sqrt(max(r * r - near * near, 0.0))
        for column in range(max(floor(u - half), 0), min(floor(u + half) + 1, columns)):
            if not full[row, column]:
                hidden = False
                break
        if not hidden:
            break
    if hidden:
        return True
    for row in range(max(floor(v - r), 0), min(floor(v + r) + 1, rows)):
        away = max(v - row, row + 1.0 - v)  # to the farthest place in this row
        square = r * r - away * away
        if square > 0.0:
            half = sqrt(square)
            for column in range(max(ceil(u - half), 0), min(floor(u + half), columns)):
                full[row, column] = True
    return False


@kernel
def occlude_spheres(
    offset: Singles, radius: Singles, depth: Singles, cut: Singles, count: int, view: Floats, shadow: Singles
) -> None:
    """Write what neighbours hide from the first `count` spheres of `sphere_kernels.gather_spheres`, which come from
    back to front; zeros for those that nobody sees.

    view : (5,), half the width and the height of the view in world units, the distance of the eye, the least
        1 - depth / eye, and the distance of two centres, in radii of the larger sphere, from which these spheres hide
        nothing from each other. Up to there it fades out.
    shadow : (C, 9), the factors of 1, x, y, z, x², y², xy, xz and yz, where (x, y, z) is the normal: to the right, up,
        and towards the viewer. Where the sum is h > 0, a share h / (1 + h) of the light from around is hidden.

    Notes
    -----
    Spheres are sorted into the cells of a grid, and each sphere that is seen looks for its neighbours. The few large
    ones, which are far from some of their neighbours, look for those instead.
    """
    if count == 0:
        return
    eye, least, reach = view[2], view[3], view[4]
    at, low, high, mean = np.empty((count, 4)), np.full(3, inf), np.full(3, -inf), 0.0
    seen = 0.0  # mean radius in the picture
    for m in range(count):
        smaller = 1.0 if eye == inf else max(1.0 - depth[m] / eye, least)
        at[m, 0], at[m, 1], at[m, 2] = offset[m, 0] * smaller, offset[m, 1] * smaller, depth[m]
        at[m, 3] = radius[m] * smaller
        mean += at[m, 3] / count
        seen += radius[m] / count
        for axis in range(3):
            low[axis], high[axis] = min(low[axis], at[m, axis]), max(high[axis], at[m, axis])
    large = _LARGE * mean
    sides = high - low + 1e-6 * mean
    cell = max(reach * mean, (sides[0] * sides[1] * sides[2] / (_CELLS * count)) ** (1.0 / 3.0))
    per = 1.0 / cell
    wide, tall, deep = int(sides[0] * per) + 1, int(sides[1] * per) + 1, int(sides[2] * per) + 1
    starts, cells = np.zeros(wide * tall * deep + 2, np.int32), np.empty(count, np.int32)
    for m in range(count):
        i, j, k = int((at[m, 0] - low[0]) * per), int((at[m, 1] - low[1]) * per), int((at[m, 2] - low[2]) * per)
        cells[m] = (i * tall + j) * deep + k
        starts[cells[m] + 2] += 1
    for c in range(2, len(starts)):
        starts[c] += starts[c - 1]
    own, here = np.empty(count, np.int32), np.empty((count, 4))
    for m in range(count):  # afterwards the cell c has the spheres from starts[c] to starts[c + 1]
        n = starts[cells[m] + 1]
        starts[cells[m] + 1] += 1
        own[n] = m
        for k in range(4):
            here[n, k] = at[m, k]
        for k in range(9):
            shadow[m, k] = 0.0
    square = _ACROSS / seen
    full = np.zeros((int(2.0 * view[1] * square) + 1, int(2.0 * view[0] * square) + 1), np.bool_)
    asks = np.empty(count, np.bool_)
    for m in range(count - 1, -1, -1):
        u, v = (view[0] + offset[m, 0] * cut[m, 0]) * square, (view[1] - offset[m, 1] * cut[m, 0]) * square
        asks[m] = not _covered(full, u, v, radius[m] * cut[m, 1] * square)
    for n in range(count):
        m, x, y, z, r = own[n], here[n, 0], here[n, 1], here[n, 2], here[n, 3]
        tells = r > large
        if not (asks[m] or tells):
            continue
        far = reach * max(r, large)
        first_i, end_i = max(int((x - far - low[0]) * per), 0), min(int((x + far - low[0]) * per) + 1, wide)
        first_j, end_j = max(int((y - far - low[1]) * per), 0), min(int((y + far - low[1]) * per) + 1, tall)
        first_k, last_k = max(int((z - far - low[2]) * per), 0), min(int((z + far - low[2]) * per), deep - 1)
        s_one, s_x, s_y, s_z, s_xx, s_yy, s_xy, s_xz, s_yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(first_i, end_i):
            for j in range(first_j, end_j):
                row = (i * tall + j) * deep
                for o in range(starts[row + first_k], starts[row + last_k + 1]):
                    dx, dy, dz, other = here[o, 0] - x, here[o, 1] - y, here[o, 2] - z, here[o, 3]
                    far = reach * max(r, other)
                    apart = dx * dx + dy * dy + dz * dz
                    if apart >= far * far or apart == 0.0:
                        continue
                    if asks[m] and (other <= r or other <= large):
                        one, sx, sy, sz, xx, yy, xy, xz, yz = _hides(dx, dy, dz, other, far)
                        s_one += one
                        s_x += sx
                        s_y += sy
                        s_z += sz
                        s_xx += xx
                        s_yy += yy
                        s_xy += xy
                        s_xz += xz
                        s_yz += yz
                    if tells and other < r:
                        told = _hides(-dx, -dy, -dz, r, far)
                        for k in range(9):
                            shadow[own[o], k] += told[k]
        if asks[m]:
            sums = (s_one, s_x, s_y, s_z, s_xx, s_yy, s_xy, s_xz, s_yz)
            for k in range(9):
                shadow[m, k] += sums[k]
