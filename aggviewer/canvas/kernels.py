"""The compiled kernels of the picture: culling, painting into an image, picking, force networks. They hold no
interpreter lock and use no Qt.

Common to those of discs: positions (N, 2) float64 inside the box, radii (N,) float64 > 0, scalar (N,) float32, box (2,)
float64, all C-contiguous. With `periodic` a disc that crosses an edge is seen on both sides.

`paint_lines` and the like draw over what is in image (H, W, 4) uint8, RGBA with premultiplied alpha, in opaque colours
(3,) 0…255, with edges one pixel soft; pixel (column, row) covers [column, column + 1] x [row, row + 1].
"""

from __future__ import annotations

from math import ceil, floor, hypot, inf, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.geometry.minimum_image import rounded_image
from engine.kernels import inlined, inner, kernel

Floats = NDArray[np.float64]

SMALL_RADIUS = 0.75
"""Pixels. Smaller discs are spread over four pixels by their area, larger ones have an edge one pixel soft."""


_BLOCK = 256  # small discs that are collected before they are painted
_STREAMS = 4  # of them that are painted in turns


@inlined
def _first_and_last(x: float, radius: float, side: float) -> tuple[int, int]:
    """Along one axis of a periodic box, the first and the last copy of a disc that reaches into it: -1, 0 or 1."""
    return -1 if x + radius > side else 0, 1 if x < radius else 0


@kernel
def gather(
    positions: Floats,
    radii: Floats,
    scalar: NDArray[np.float32],
    box: Floats,
    periodic: bool,
    view: Floats,
    offset: NDArray[np.float32],
    radius: NDArray[np.float32],
    value: NDArray[np.float32],
) -> int:
    """Write the discs that touch the view into the upload buffers and return how many there are.

    view : (6,) left, bottom, right, top of the view and the origin (x, y) that offsets are measured from, world units:
    differences are taken in double precision, so that float32 is enough at any zoom. Where the count returned
    exceeds ``len(offset)``, the buffers hold the first ones only: enlarge them and call again. The order of the discs
    is kept.
    """
    left, bottom, right, top = view[0], view[1], view[2], view[3]
    capacity = offset.shape[0]
    n = 0
    for i in range(positions.shape[0]):
        r = radii[i]
        x, y = positions[i, 0], positions[i, 1]
        x_first, x_last, y_first, y_last = 0, 0, 0, 0
        if periodic:
            x_first, x_last = _first_and_last(x, r, box[0])
            y_first, y_last = _first_and_last(y, r, box[1])
        for a in range(x_first, x_last + 1):
            xi = x + a * box[0]
            if not (xi + r >= left and xi - r <= right):  # not: NaN is nowhere
                continue
            for b in range(y_first, y_last + 1):
                yi = y + b * box[1]
                if not (yi + r >= bottom and yi - r <= top):
                    continue
                if n < capacity:
                    offset[n, 0] = xi - view[4]
                    offset[n, 1] = yi - view[5]
                    radius[n] = r
                    value[n] = scalar[i]
                n += 1
    return n


@inlined
def _add(
    total: NDArray[np.float32], row: int, column: int, w: np.float32, r: np.float32, g: np.float32, b: np.float32
) -> None:
    """A disc covers the area `w` of a pixel. All is read before anything is written, which the processor likes."""
    red, green, blue = total[row, column, 0] + w * r, total[row, column, 1] + w * g, total[row, column, 2] + w * b
    area = total[row, column, 3] + w
    total[row, column, 0] = red
    total[row, column, 1] = green
    total[row, column, 2] = blue
    total[row, column, 3] = area


@inner
def _spread(
    count: int,
    corner: NDArray[np.int32],
    share: NDArray[np.float32],
    entry: NDArray[np.uint8],
    colors: NDArray[np.float32],
    clip: NDArray[np.int64],
    total: NDArray[np.float32],
) -> None:
    """Share the areas of so many discs among four pixels each, by their overlap with a unit square (cloud in cell).

    corner : (B, 2) column and row of the first of the four pixels; share : (B, 3) of the second column and of the
    second row, and the area; entry : (B,) of `colors` (256, 3).
    """
    one = np.float32(1.0)
    left, top, right, bottom = clip[0], clip[1], clip[2] - 1, clip[3] - 1
    part = (count + _STREAMS - 1) // _STREAMS
    for step in range(part):
        # discs that follow one another are often neighbours, and a pixel that was just written to is slow to read
        for stream in range(_STREAMS):
            n = stream * part + step
            if n >= count:
                continue
            i, j, k = int(corner[n, 0]), int(corner[n, 1]), entry[n]
            r, g, b = colors[k, 0], colors[k, 1], colors[k, 2]
            fx, fy, area = share[n, 0], share[n, 1], share[n, 2]
            upper, lower = area * (one - fy), area * fy
            if i >= left and i < right and j >= top and j < bottom:
                _add(total, j, i, upper * (one - fx), r, g, b)
                _add(total, j, i + 1, upper * fx, r, g, b)
                _add(total, j + 1, i, lower * (one - fx), r, g, b)
                _add(total, j + 1, i + 1, lower * fx, r, g, b)
                continue
            for row in range(max(j, top), min(j + 2, bottom + 1)):
                w = lower if row > j else upper
                for column in range(max(i, left), min(i + 2, right + 1)):
                    _add(total, row, column, w * fx if column > i else w * (one - fx), r, g, b)


@kernel
def _disc(
    u: float,
    v: float,
    radius: float,
    r: float,
    g: float,
    b: float,
    rim: float,
    rim_width: float,
    clip: NDArray[np.int64],
    total: NDArray[np.float32],
) -> None:
    """Add a disc with a soft edge, coverage clamp(R - d + 1/2, 0, 1), and a rim darker by the share `rim`."""
    reach = radius + 0.5
    inner = max(radius - rim_width - 0.5, 0.0)
    for row in range(max(floor(v - reach), clip[1]), min(floor(v + reach) + 1, clip[3])):
        dy = row + 0.5 - v
        half = reach * reach - dy * dy
        if half <= 0.0:
            continue
        half = sqrt(half)
        for column in range(max(floor(u - half), clip[0]), min(floor(u + half) + 1, clip[2])):
            dx = column + 0.5 - u
            square = dx * dx + dy * dy
            cover, shade = 1.0, 1.0
            if square > inner * inner:
                d = sqrt(square)
                cover = min(max(reach - d, 0.0), 1.0)
                shade = 1.0 - rim * min(max(d - inner, 0.0), 1.0)
            w = cover * shade
            total[row, column, 0] += w * r
            total[row, column, 1] += w * g
            total[row, column, 2] += w * b
            total[row, column, 3] += cover


@kernel
def paint(
    positions: Floats,
    radii: Floats,
    scalar: NDArray[np.float32],
    box: Floats,
    periodic: bool,
    camera: Floats,
    ramp: Floats,
    table: NDArray[np.uint8],
    clip: NDArray[np.int64],
    total: NDArray[np.float32],
) -> None:
    """Add all discs to `total` (H, W, 4) float32: covered area, and colour times covered area, of every pixel.

    camera : (5,) world x and y in the middle, pixels per world unit, pixel column and row of the middle.
    ramp : (5,) lower limit, entries per unit, 1 for a logarithmic scale else 0, rim darkness in 0…1, device pixels per
    widget pixel; entry = clamp((f(s) - lower) * entries, 0, 255) with f the identity or the natural logarithm.
    table : (256, 4) uint8, the colours. clip : (4,) first column, first row, end column, end row that may be touched.
    """
    left, top, right, bottom = float(clip[0]), float(clip[1]), float(clip[2]), float(clip[3])
    # small discs are collected first: where they go is known then, and the processor fetches several pixels at once
    corner, share = np.empty((_BLOCK, 2), np.int32), np.empty((_BLOCK, 3), np.float32)
    entries = np.empty(_BLOCK, np.uint8)
    colors = table[:, :3].astype(np.float32)
    count = 0
    for i in range(positions.shape[0]):
        x, y, r = positions[i, 0], positions[i, 1], radii[i] * camera[2]
        x_first, x_last, y_first, y_last = 0, 0, 0, 0
        if periodic:
            x_first, x_last = _first_and_last(x, radii[i], box[0])
            y_first, y_last = _first_and_last(y, radii[i], box[1])
        for a in range(x_first, x_last + 1):
            u = camera[3] + (x + a * box[0] - camera[0]) * camera[2]
            if not (u + r + 1.0 >= left and u - r - 1.0 <= right):  # not: NaN is nowhere
                continue
            for b in range(y_first, y_last + 1):
                v = camera[4] - (y + b * box[1] - camera[1]) * camera[2]
                if not (v + r + 1.0 >= top and v - r - 1.0 <= bottom):
                    continue
                s = float(scalar[i])
                if ramp[2] != 0.0:
                    s = log(max(s, 1e-30))
                entry = (s - ramp[0]) * ramp[1]
                k = int(min(entry, 255.0)) if entry > 0.0 else 0  # NaN takes the first
                if r < SMALL_RADIUS:
                    column, row = floor(u - 0.5), floor(v - 0.5)
                    corner[count, 0], corner[count, 1] = column, row
                    share[count, 0], share[count, 1], share[count, 2] = u - 0.5 - column, v - 0.5 - row, pi * r * r
                    entries[count] = k
                    count += 1
                    if count == _BLOCK:
                        _spread(count, corner, share, entries, colors, clip, total)
                        count = 0
                else:
                    rim = ramp[3] * min(max((r / ramp[4] - 5.0) / 3.0, 0.0), 1.0)
                    red, green, blue = float(table[k, 0]), float(table[k, 1]), float(table[k, 2])
                    _disc(u, v, r, red, green, blue, rim, ramp[4], clip, total)
    _spread(count, corner, share, entries, colors, clip, total)


@kernel
def resolve(total: NDArray[np.float32], background: NDArray[np.float32], lift: float, image: NDArray[np.uint8]) -> None:
    """Turn covered areas into RGBA with premultiplied alpha over `background` (4,), 0…255, and clear `total`.

    With area A in a pixel its discs show with opacity a + lift (sqrt(a) - a), a = min(A, 1), in their mean colour.
    lift : 0…1; 0 is the plain picture, more makes thin places of a density image easier to see.
    """
    red, green, blue, alpha = background[0], background[1], background[2], background[3]
    for row in range(total.shape[0]):
        for column in range(total.shape[1]):
            area = total[row, column, 3]
            if area <= 0.0:
                image[row, column, 0] = np.uint8(red + 0.5)
                image[row, column, 1] = np.uint8(green + 0.5)
                image[row, column, 2] = np.uint8(blue + 0.5)
                image[row, column, 3] = np.uint8(alpha + 0.5)
                continue
            opacity = min(area, 1.0)
            opacity += lift * (sqrt(opacity) - opacity)
            share = opacity / area
            rest = 1.0 - opacity
            image[row, column, 0] = np.uint8(total[row, column, 0] * share + red * rest + 0.5)
            image[row, column, 1] = np.uint8(total[row, column, 1] * share + green * rest + 0.5)
            image[row, column, 2] = np.uint8(total[row, column, 2] * share + blue * rest + 0.5)
            image[row, column, 3] = np.uint8(255.0 * opacity + alpha * rest + 0.5)
            total[row, column, 0] = 0.0
            total[row, column, 1] = 0.0
            total[row, column, 2] = 0.0
            total[row, column, 3] = 0.0


@kernel
def pick(
    positions: Floats,
    radii: Floats,
    box: Floats,
    periodic: bool,
    x: float,
    y: float,
    tolerance: float,
) -> int:
    """The disc whose edge is nearest to, or that holds, the world point (x, y); -1 where none is within `tolerance`."""
    best, found = inf, -1
    for i in range(positions.shape[0]):
        dx, dy = x - positions[i, 0], y - positions[i, 1]
        if periodic:
            dx, dy = rounded_image(dx, box[0]), rounded_image(dy, box[1])
        gap = hypot(dx, dy) - radii[i]
        if gap < best:
            best, found = gap, i
    return found if best <= tolerance else -1


@kernel
def _blend(image: NDArray[np.uint8], row: int, column: int, color: Floats, cover: float) -> None:
    rest = 1.0 - cover
    for k in range(3):
        image[row, column, k] = np.uint8(color[k] * cover + image[row, column, k] * rest + 0.5)
    image[row, column, 3] = np.uint8(255.0 * cover + image[row, column, 3] * rest + 0.5)


@inlined
def _line_rows(ay: float, by: float, reach: float, clip: NDArray[np.int64]) -> tuple[int, int]:
    """First row and end row of what a line covers in the image; `reach` is half its width and half a soft pixel."""
    return int(max(float(clip[1]), floor(min(ay, by) - reach))), int(min(float(clip[3]), ceil(max(ay, by) + reach)))


@inlined
def _line_columns(
    ax: float, bx: float, ux: float, uy: float, y: float, reach: float, clip: NDArray[np.int64]
) -> tuple[int, int]:
    """First column and end column of a line in the row that lies `y` below its start: of the strip along it, and
    nothing of the rectangle around it. (ux, uy) : its direction."""
    first = max(float(clip[0]), floor(min(ax, bx) - reach))
    last = min(float(clip[2]), ceil(max(ax, bx) + reach))
    if abs(uy) > 1e-9:
        middle, wide = ax + y * ux / uy, reach / abs(uy)
        first, last = max(first, floor(middle - wide)), min(last, ceil(middle + wide))
    return int(first), int(last)


@inlined
def _direction(dx: float, dy: float) -> tuple[float, float, float]:
    """Length of a line and the unit vector along it; along x where it has no length."""
    length = hypot(dx, dy)
    if length > 0.0:
        return length, dx / length, dy / length
    return length, 1.0, 0.0


@inlined
def _off_line(x: float, y: float, ux: float, uy: float, length: float) -> float:
    """How far the point (x, y) is from the line that begins at (0, 0)."""
    along = min(max(x * ux + y * uy, 0.0), length)
    dx, dy = x - along * ux, y - along * uy
    return sqrt(dx * dx + dy * dy)


@inner
def _paint_line(
    ax: float,
    ay: float,
    bx: float,
    by: float,
    half: float,
    color: Floats,
    clip: NDArray[np.int64],
    image: NDArray[np.uint8],
) -> None:
    """One line; see `paint_lines`."""
    if not (abs(ax) + abs(ay) + abs(bx) + abs(by) < inf):
        return
    h = max(half, 0.5)
    full = min(half / 0.5, 1.0)
    length, ux, uy = _direction(bx - ax, by - ay)
    top, bottom = _line_rows(ay, by, h + 0.5, clip)
    for row in range(top, bottom):
        y = row + 0.5 - ay
        first, last = _line_columns(ax, bx, ux, uy, y, h + 0.5, clip)
        for column in range(first, last):
            cover = full * min(h + 0.5 - _off_line(column + 0.5 - ax, y, ux, uy, length), 1.0)
            if cover > 0.0:
                _blend(image, row, column, color, cover)


@kernel
def paint_lines(
    segments: Floats, half: Floats, color: Floats, clip: NDArray[np.int64], image: NDArray[np.uint8]
) -> None:
    """Lines with round ends. segments : (K, 4) start and end in pixels; half : (K,) half their widths, of which those
    below half a pixel are paler instead of thinner; clip : (4,) first column and row, end column and row."""
    for n in range(segments.shape[0]):
        _paint_line(segments[n, 0], segments[n, 1], segments[n, 2], segments[n, 3], half[n], color, clip, image)


@kernel
def paint_pale_lines(
    segments: Floats,
    half: float,
    color: Floats,
    alpha: float,
    clip: NDArray[np.int64],
    cover: NDArray[np.float32],
    image: NDArray[np.uint8],
) -> None:
    """Lines as `paint_lines` has them, all `half` wide on each side. Where they cross they are no less transparent.

    alpha : their opacity, 0…1; cover : (H, W) of zeros, which it is again afterwards.
    """
    h = max(half, 0.5)
    full = min(half / 0.5, 1.0)
    for blending in range(2):  # first what all of them cover together, then each pixel of that once
        for n in range(segments.shape[0]):
            ax, ay, bx, by = segments[n, 0], segments[n, 1], segments[n, 2], segments[n, 3]
            if not (abs(ax) + abs(ay) + abs(bx) + abs(by) < inf):
                continue
            length, ux, uy = _direction(bx - ax, by - ay)
            top, bottom = _line_rows(ay, by, h + 0.5, clip)
            for row in range(top, bottom):
                y = row + 0.5 - ay
                first, last = _line_columns(ax, bx, ux, uy, y, h + 0.5, clip)
                for column in range(first, last):
                    known = cover[row, column]
                    if blending:
                        if known > 0.0:
                            _blend(image, row, column, color, alpha * known)
                            cover[row, column] = 0.0
                        continue
                    share = full * min(h + 0.5 - _off_line(column + 0.5 - ax, y, ux, uy, length), 1.0)
                    if share > known:
                        cover[row, column] = share


@kernel
def paint_polygons(
    points: Floats,
    start: NDArray[np.int64],
    fills: Floats,
    edges: Floats,
    half: float,
    clip: NDArray[np.int64],
    image: NDArray[np.uint8],
) -> None:
    """Closed shapes, one after the other: what is inside, then the line along the edge.

    Parameters
    ----------
    points, start : (P, 2) corners in pixels, and (K + 1,) the first corner of each shape and P.
    fills : (K, 4), colours 0…255 and opacity 0…1 inside.
    edges : (K, 3), of the lines, which are `half` wide on each side and opaque.
    """
    longest = 0
    for k in range(len(start) - 1):
        longest = max(longest, start[k + 1] - start[k])
    corners, crossings = np.empty((longest, 2)), np.empty(longest)
    for k in range(len(start) - 1):
        count = _corners(points, start[k], start[k + 1], corners)
        low, high = 0.0, 0.0
        for n in range(count):
            if n == 0:
                low = high = corners[0, 1]
            low, high = min(low, corners[n, 1]), max(high, corners[n, 1])
        for row in range(int(max(float(clip[1]), floor(low))), int(min(float(clip[3]), ceil(high)))):
            y, found = row + 0.5, 0
            for n in range(count):
                m = 0 if n + 1 == count else n + 1
                ay, by = corners[n, 1], corners[m, 1]
                if (ay <= y) != (by <= y):
                    crossings[found] = corners[n, 0] + (y - ay) / (by - ay) * (corners[m, 0] - corners[n, 0])
                    found += 1
            if found > 2:
                crossings[:found].sort()
            elif found == 2 and crossings[1] < crossings[0]:
                crossings[0], crossings[1] = crossings[1], crossings[0]
            for pair in range(0, found - 1, 2):
                first = int(max(float(clip[0]), ceil(crossings[pair] - 0.5)))
                last = int(min(float(clip[2]), ceil(crossings[pair + 1] - 0.5)))
                for column in range(first, last):
                    _blend(image, row, column, fills[k], fills[k, 3])
        for n in range(count):
            m = 0 if n + 1 == count else n + 1
            _paint_line(corners[n, 0], corners[n, 1], corners[m, 0], corners[m, 1], half, edges[k], clip, image)


@kernel
def _corners(points: Floats, begin: int, end: int, corners: Floats) -> int:
    """The corners of a shape without those that are so near the one before that nobody sees them, and their number: 0
    where one is not finite."""
    left, right = inf, -inf
    low, high = inf, -inf
    for n in range(begin, end):
        if not abs(points[n, 0]) + abs(points[n, 1]) < inf:
            return 0
        left, right = min(left, points[n, 0]), max(right, points[n, 0])
        low, high = min(low, points[n, 1]), max(high, points[n, 1])
    near = min(0.8 * max(right - left, high - low), 9.0)  # square of the distance: an arc is off by 0.2 pixels at most
    count = 0
    for n in range(begin, end):
        x, y = points[n, 0], points[n, 1]
        if count == 0 or not ((x - corners[count - 1, 0]) ** 2 + (y - corners[count - 1, 1]) ** 2 < near):
            corners[count, 0], corners[count, 1] = x, y
            count += 1
    return count


@kernel
def paint_rings(
    points: Floats,
    radii: Floats,
    width: float,
    ground: Floats,
    color: Floats,
    clip: NDArray[np.int64],
    image: NDArray[np.uint8],
) -> None:
    """Hollow discs: a ring in `color`, `width` pixels wide, inside of the rim, filled with `ground`. points : (K, 2)
    pixels; radii : (K,) pixels."""
    for n in range(points.shape[0]):
        px, py, r = points[n, 0], points[n, 1], radii[n]
        if not (abs(px) + abs(py) + r < inf):
            continue
        top, bottom = max(float(clip[1]), floor(py - r - 0.5)), min(float(clip[3]), ceil(py + r + 0.5))
        for row in range(int(top), int(bottom)):
            dy = row + 0.5 - py
            wide = sqrt(max((r + 0.5) ** 2 - dy * dy, 0.0))
            first, last = max(float(clip[0]), floor(px - wide - 0.5)), min(float(clip[2]), ceil(px + wide + 0.5))
            for column in range(int(first), int(last)):
                dx = column + 0.5 - px
                distance = sqrt(dx * dx + dy * dy)
                outer = min(max(r + 0.5 - distance, 0.0), 1.0)
                if outer <= 0.0:
                    continue
                inner = min(max(r - width + 0.5 - distance, 0.0), 1.0)
                _blend(image, row, column, color, outer)
                if inner > 0.0:
                    _blend(image, row, column, ground, inner)
