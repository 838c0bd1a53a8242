"""The compiled kernels that paint lines, shapes, discs and rings over what is in an image. They hold no interpreter
lock and use no Qt.

Common to them: image (H, W, 4) uint8, RGBA with premultiplied alpha; opaque colours (3,) 0…255, with edges one pixel
soft; clip (4,) int64, first column and row, end column and row; pixel (column, row) covers [column, column + 1] x [row,
row + 1].

Common to rings around selected discs: positions (N, 2), radii (N,) and box (2,) float64, as of `disc_kernels`; discs
(K,) int64, the numbers of those that are marked; camera (5,): world x and y in the middle, pixels per world unit, pixel
column and row of the middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, hypot, inf, sqrt
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from aggviewer.canvas.disc_kernels import _first_and_last, x_in_row
from engine.arrays import Floats
from engine.geometry.minimum_image import periods_along
from engine.kernels import CHECKED, inlined, inner, kernel

_FAR = 1e15
"""Pixels. What reaches further is not painted: a number no longer says to which pixel it belongs. Rows and columns are
kept inside of `clip` as floating-point numbers, as those beyond 10^19 are no integers."""

_SCANNED = 4
"""Pixels that are looked through, row after row, in the time in which one of a line is come to."""


@intrinsic  # type: ignore[untyped-decorator]
def _blend_four(typing_context: Any, image: Any, pixel: Any, red: Any, green: Any, blue: Any, cover: Any) -> Any:
    """Bring an opaque colour over the pixel of that number, counted row after row: all four bytes at once, each as
    ``uint8(color * cover + byte * (1 - cover) + 0.5)`` in double precision, 255 being the colour of the last one.
    numba would do one after the other, which takes four times as long."""
    signature = types.void(image, types.int64, types.float64, types.float64, types.float64, types.float64)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def four(numbers: Sequence[Any]) -> Any:
            vector = ir.Constant(ir.VectorType(ir.DoubleType(), 4), ir.Undefined)
            for k, number in enumerate(numbers):
                vector = builder.insert_element(vector, number, ir.Constant(ir.IntType(32), k))
            return vector

        def same(number: Any) -> Any:
            return four([number] * 4)

        def real(number: float) -> Any:
            return ir.Constant(ir.DoubleType(), number)

        whole_bytes = ir.VectorType(ir.IntType(8), 4)
        first = context.make_array(signature.args[0])(context, builder, value=args[0]).data
        number = builder.mul(args[1], ir.Constant(ir.IntType(64), 4))
        place = builder.bitcast(builder.gep(first, [number]), whole_bytes.as_pointer())
        below = builder.uitofp(builder.load(place, align=1), ir.VectorType(ir.DoubleType(), 4))
        over = builder.fmul(four([*args[2:5], real(255.0)]), same(args[5]))
        rest = builder.fmul(below, same(builder.fsub(real(1.0), args[5])))
        found = builder.fadd(builder.fadd(over, rest), same(real(0.5)))
        numbers = builder.fptosi(found, ir.VectorType(ir.IntType(32), 4))
        builder.store(builder.trunc(numbers, whole_bytes), place, align=1)
        return context.get_dummy_value()

    return signature, codegen


@inlined
def _blend(image: NDArray[np.uint8], row: int, column: int, color: Floats, cover: float) -> None:
    if CHECKED:
        image[row, column, 3] |= np.uint8(0)  # checks the indices
    _blend_four(image, row * image.shape[1] + column, color[0], color[1], color[2], cover)


@inlined
def _line_rows(ay: float, by: float, reach: float, clip: NDArray[np.int64]) -> tuple[int, int]:
    """First row and end row of what a line covers in the image; `reach` is half its width and half a soft pixel."""
    first, end = np.floor(min(ay, by) - reach), np.ceil(max(ay, by) + reach)
    return int(max(float(clip[1]), first)), int(min(float(clip[3]), end))


@inlined
def _line_columns(
    ax: float, bx: float, ux: float, uy: float, y: float, reach: float, clip: NDArray[np.int64]
) -> tuple[int, int]:
    """First column and end column of a line in the row that lies `y` below its start: of the strip along it, and
    nothing of the rectangle around it. (ux, uy) : its direction."""
    first = max(float(clip[0]), np.floor(min(ax, bx) - reach))
    last = min(float(clip[2]), np.ceil(max(ax, bx) + reach))
    if abs(uy) > 1e-9:
        middle, wide = ax + y * ux / uy, reach / abs(uy)
        first, last = max(first, np.floor(middle - wide)), min(last, np.ceil(middle + wide))
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
    if not (abs(ax) + abs(ay) + abs(bx) + abs(by) < _FAR):  # not: nor NaN
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
    left, right, low, high = clip[2], clip[0], clip[3], clip[1]  # the part of the image that they are in
    visited = 0
    for blending in range(2):  # first what all of them cover together, then each pixel of that once
        if blending and _SCANNED * visited > (right - left) * (high - low):
            for row in range(low, high):
                for column in range(left, right):
                    known = cover[row, column]
                    if known > 0.0:
                        _blend(image, row, column, color, alpha * known)
                        cover[row, column] = 0.0
            return
        for n in range(segments.shape[0]):
            ax, ay, bx, by = segments[n, 0], segments[n, 1], segments[n, 2], segments[n, 3]
            if not (abs(ax) + abs(ay) + abs(bx) + abs(by) < _FAR):  # not: nor NaN
                continue
            length, ux, uy = _direction(bx - ax, by - ay)
            top, bottom = _line_rows(ay, by, h + 0.5, clip)
            if top < bottom:
                low, high = min(low, top), max(high, bottom)
            for row in range(top, bottom):
                y = row + 0.5 - ay
                first, last = _line_columns(ax, bx, ux, uy, y, h + 0.5, clip)
                if first < last:
                    left, right = min(left, first), max(right, last)
                    visited += last - first
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
    edges : (K, 3), of the lines, which are opaque and `half` wide on each side; 0 for none.
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
        for row in range(int(max(float(clip[1]), np.floor(low))), int(min(float(clip[3]), np.ceil(high)))):
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
                first = int(max(float(clip[0]), np.ceil(crossings[pair] - 0.5)))
                last = int(min(float(clip[2]), np.ceil(crossings[pair + 1] - 0.5)))
                for column in range(first, last):
                    _blend(image, row, column, fills[k], fills[k, 3])
        for n in range(count if half > 0.0 else 0):
            m = 0 if n + 1 == count else n + 1
            _paint_line(corners[n, 0], corners[n, 1], corners[m, 0], corners[m, 1], half, edges[k], clip, image)


@kernel
def _corners(points: Floats, begin: int, end: int, corners: Floats) -> int:
    """The corners of a shape without those that are so near the one before that nobody sees them, and their number: 0
    where one is too far away, see `_FAR`."""
    left, right = inf, -inf
    low, high = inf, -inf
    for n in range(begin, end):
        if not abs(points[n, 0]) + abs(points[n, 1]) < _FAR:
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
def paint_discs(
    points: Floats,
    radii: Floats,
    widths: Floats,
    faces: Floats,
    rims: Floats,
    clip: NDArray[np.int64],
    image: NDArray[np.uint8],
) -> None:
    """Discs with a rim, one over the other. points : (K, 2) pixels; radii : (K,), of the outer edge; widths : (K,), of
    the rims, inside of it; faces, rims : (K, 3), colours."""
    for n in range(points.shape[0]):
        px, py, r = points[n, 0], points[n, 1], radii[n]
        if not (abs(px) + abs(py) + r < _FAR):
            continue
        top, bottom = max(float(clip[1]), np.floor(py - r - 0.5)), min(float(clip[3]), np.ceil(py + r + 0.5))
        for row in range(int(top), int(bottom)):
            dy = row + 0.5 - py
            wide = sqrt(max((r + 0.5) ** 2 - dy * dy, 0.0))
            first, last = max(float(clip[0]), np.floor(px - wide - 0.5)), min(float(clip[2]), np.ceil(px + wide + 0.5))
            for column in range(int(first), int(last)):
                dx = column + 0.5 - px
                distance = sqrt(dx * dx + dy * dy)
                outer = min(max(r + 0.5 - distance, 0.0), 1.0)
                if outer <= 0.0:
                    continue
                inner = min(max(r - widths[n] + 0.5 - distance, 0.0), 1.0)
                _blend(image, row, column, rims[n], outer)
                if inner > 0.0:
                    _blend(image, row, column, faces[n], inner)


_DOT = 1.25
"""Pixels. A ring that is not larger becomes one pixel, so that 10^5 of them take a millisecond."""


@kernel
def count_marks(
    positions: Floats, radii: Floats, discs: NDArray[np.int64], camera: Floats, clip: NDArray[np.int64]
) -> int:
    """How many of the discs reach into the clip.

    positions : (N, 2), radii : (N,), in world units; discs : (K,), the numbers of those to count; camera : (5,) and
        clip : (4,), as described at the top of this file.
    """
    count = 0
    for n in range(discs.shape[0]):
        i = discs[n]
        r = radii[i] * camera[2]
        px = camera[3] + (positions[i, 0] - camera[0]) * camera[2]
        py = camera[4] - (positions[i, 1] - camera[1]) * camera[2]
        if px + r >= clip[0] and px - r <= clip[2] and py + r >= clip[1] and py - r <= clip[3]:
            count += 1
    return count


@kernel
def _ring(
    px: float,
    py: float,
    r: float,
    width: float,
    alpha: float,
    color: Floats,
    clip: NDArray[np.int64],
    image: NDArray[np.uint8],
) -> None:
    """A ring of outer radius r around a pixel; a disc if its width is not less."""
    reach = r + 0.5
    if not (px + reach >= clip[0] and px - reach <= clip[2]):  # not: NaN is nowhere
        return
    if not (py + reach >= clip[1] and py - reach <= clip[3]):
        return
    inner = r - width
    hole = inner - 0.5
    for row in range(int(max(float(clip[1]), floor(py - reach))), int(min(float(clip[3]), ceil(py + reach)))):
        dy = row + 0.5 - py
        wide = sqrt(max(reach * reach - dy * dy, 0.0))
        first, last = max(float(clip[0]), floor(px - wide)), min(float(clip[2]), ceil(px + wide))
        for column in range(int(first), int(last)):
            dx = column + 0.5 - px
            square = dx * dx + dy * dy
            if hole > 0.0 and square < hole * hole:
                continue
            distance = sqrt(square)
            ring = min(max(r + 0.5 - distance, 0.0), 1.0)
            if inner > 0.0:
                ring -= min(max(inner + 0.5 - distance, 0.0), 1.0)
            if ring > 0.0:
                _blend(image, row, column, color, alpha * ring)


@kernel
def paint_marks(
    positions: Floats,
    radii: Floats,
    discs: NDArray[np.int64],
    box: Floats,
    periodic: int,
    ahead: float,
    camera: Floats,
    look: Floats,
    color: Floats,
    clip: NDArray[np.int64],
    image: NDArray[np.uint8],
) -> None:
    """Rings around the discs, and across periodic edges also around their copies.

    ahead : see `aggviewer.canvas.disc_kernels`. look : (4,), in pixels the least outer radius, how far rings lie
    outside of the disc, and their width; and their opacity, 0…1.
    """
    period_x, period_y = periods_along(periodic, (box[0], box[1]))
    for n in range(discs.shape[0]):
        i = discs[n]
        y_first, y_last = _first_and_last(positions[i, 1], radii[i], period_y)
        r = max(radii[i] * camera[2] + look[1], look[0])
        if r <= _DOT:
            px = camera[3] + (positions[i, 0] - camera[0]) * camera[2]
            py = camera[4] - (positions[i, 1] - camera[1]) * camera[2]
            if px >= clip[0] and px < clip[2] and py >= clip[1] and py < clip[3]:  # NaN is nowhere
                row, column = int(py), int(px)
                rest = 1.0 - look[3]
                for k in range(3):
                    image[row, column, k] = np.uint8(color[k] * look[3] + image[row, column, k] * rest + 0.5)
                image[row, column, 3] = np.uint8(255.0 * look[3] + image[row, column, 3] * rest + 0.5)
            continue
        for b in range(y_first, y_last + 1):
            py = camera[4] - (positions[i, 1] + b * box[1] - camera[1]) * camera[2]
            x = positions[i, 0] if b == 0 else x_in_row(positions[i, 0], b, ahead, box[0])
            x_first, x_last = _first_and_last(x, radii[i], period_x)
            for a in range(x_first, x_last + 1):
                px = camera[3] + (x + a * box[0] - camera[0]) * camera[2]
                _ring(px, py, r, look[2], look[3], color, clip, image)


@kernel
def paint_rings(
    points: Floats, radii: Floats, look: Floats, color: Floats, clip: NDArray[np.int64], image: NDArray[np.uint8]
) -> None:
    """Rings around pixels, points (K, 2). radii : (K,), outer ones; look : (2,), their width and opacity. A ring that
    is not wider than its width is a disc."""
    for n in range(points.shape[0]):
        _ring(points[n, 0], points[n, 1], radii[n], look[0], look[1], color, clip, image)
