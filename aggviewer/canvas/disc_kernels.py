"""The compiled kernels of discs: culling, painting into an image, picking. They hold no interpreter lock and use no Qt.

Common to them: positions (N, 2) float64 inside the box, radii (N,) float64 > 0, scalar (N,) float32, box (2,) float64,
all C-contiguous. `periodic` is the number of `engine.boundary.Periodic.code`: a disc that crosses a periodic edge is
seen on both sides. `ahead` is how far the images above the box are displaced along x (`Periodic.offset`).
"""

from __future__ import annotations

from math import floor, hypot, inf, log, pi, sqrt
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.geometry.minimum_image import NO_PERIOD, periods_along, periods_between, rounded_image
from engine.kernels import CHECKED, inlined, inner, kernel, whole

SMALL_RADIUS = 0.75
"""Pixels. Smaller discs are spread over four pixels by their area, larger ones have an edge one pixel soft."""


_BLOCK = 512  # small discs that are collected before they are painted
_STREAMS = 4  # of them that are painted in turns


@inlined
def _first_and_last(x: float, radius: float, period: float) -> tuple[int, int]:
    """Along one axis of a box, the first and the last copy of a disc that reaches into it: -1, 0 or 1."""
    return -1 if x + radius > period else 0, 1 if x < radius and period != NO_PERIOD else 0


@inlined
def x_in_row(x: float, row: int, ahead: float, side: float) -> float:
    """The x, in the box, of the copy of a disc so many boxes further up."""
    x += row * ahead
    return x - side * floor(x / side)


@kernel
def gather(
    positions: Floats,
    radii: Floats,
    scalar: NDArray[np.float32],
    box: Floats,
    periodic: int,
    ahead: float,
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
    period_x, period_y = periods_along(periodic, (box[0], box[1]))
    n = 0
    for i in range(positions.shape[0]):
        r = radii[i]
        x, y = positions[i, 0], positions[i, 1]
        x_first, x_last, y_first, y_last = 0, 0, 0, 0
        if periodic:
            x_first, x_last = _first_and_last(x, r, period_x)
            y_first, y_last = _first_and_last(y, r, period_y)
        for b in range(y_first, y_last + 1):
            yi = y + b * box[1]
            if not (yi + r >= bottom and yi - r <= top):  # not: NaN is nowhere
                continue
            xb, first, last = x, x_first, x_last
            if b != 0 and ahead != 0.0:
                xb = x_in_row(x, b, ahead, box[0])
                first, last = _first_and_last(xb, r, period_x)
            for a in range(first, last + 1):
                xi = xb + a * box[0]
                if not (xi + r >= left and xi - r <= right):
                    continue
                if n < capacity:
                    offset[n, 0] = xi - view[4]
                    offset[n, 1] = yi - view[5]
                    radius[n] = r
                    value[n] = scalar[i]
                n += 1
    return n


@intrinsic  # type: ignore[untyped-decorator]
def _add_four(typing_context: Any, sums: Any, pixel: Any, colors: Any, entry: Any, weight: Any) -> Any:
    """Add `weight` times a row of `colors` to a pixel of `sums`, counted row after row, both (…, 4) float32: with one
    instruction for all four numbers, which numba would not find by itself."""
    signature = types.void(sums, types.int64, colors, types.int64, types.float32)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        four = ir.VectorType(ir.FloatType(), 4)

        def place(array: int, row: int) -> Any:
            first = context.make_array(signature.args[array])(context, builder, value=args[array]).data
            number = builder.mul(args[row], ir.Constant(ir.IntType(64), 4))
            return builder.bitcast(builder.gep(first, [number]), four.as_pointer())

        weights = ir.Constant(four, ir.Undefined)
        for k in range(4):
            weights = builder.insert_element(weights, args[4], ir.Constant(ir.IntType(32), k))
        to = place(0, 1)
        more = builder.fmul(weights, builder.load(place(2, 3), align=4))
        builder.store(builder.fadd(builder.load(to, align=4), more), to, align=4)
        return context.get_dummy_value()

    return signature, codegen


@inlined
def _add(
    total: NDArray[np.float32], row: int, column: int, colors: NDArray[np.float32], entry: int, weight: np.float32
) -> None:
    """A disc covers the area `weight` of a pixel. colors : (256, 4), the last of each row is 1."""
    if CHECKED:
        total[row, column, 3] += np.float32(0.0)  # checks the indices
    _add_four(total, row * total.shape[1] + column, colors, entry, weight)


@inlined
def _collect(
    u: float,
    v: float,
    r: float,
    entry: int,
    count: int,
    corner: NDArray[np.int32],
    share: NDArray[np.float32],
    entries: NDArray[np.uint8],
) -> int:
    """Note a small disc of radius r at the pixel (u, v) for `_spread`, and return how many there are."""
    column, row = np.floor(u - 0.5), np.floor(v - 0.5)
    corner[count, 0], corner[count, 1] = int(column), int(row)
    share[count, 0], share[count, 1], share[count, 2] = u - 0.5 - column, v - 0.5 - row, pi * r * r
    entries[count] = entry
    return count + 1


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
    second row, and the area; entry : (B,) of `colors` (256, 4), see `_add`.
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
            i, j, k = whole(corner[n, 0]), whole(corner[n, 1]), whole(entry[n])
            fx, fy, area = share[n, 0], share[n, 1], share[n, 2]
            upper, lower = area * (one - fy), area * fy
            if i >= left and i < right and j >= top and j < bottom:
                _add(total, j, i, colors, k, upper * (one - fx))
                _add(total, j, i + 1, colors, k, upper * fx)
                _add(total, j + 1, i, colors, k, lower * (one - fx))
                _add(total, j + 1, i + 1, colors, k, lower * fx)
                continue
            for row in range(max(j, top), min(j + 2, bottom + 1)):
                w = lower if row > j else upper
                for column in range(max(i, left), min(i + 2, right + 1)):
                    _add(total, row, column, colors, k, w * fx if column > i else w * (one - fx))


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


@inner
def _plain_disc(
    u: float,
    v: float,
    radius: float,
    entry: int,
    colors: NDArray[np.float32],
    clip: NDArray[np.int64],
    total: NDArray[np.float32],
) -> None:
    """`_disc` without a rim, for the many of a few pixels: all four numbers of a pixel have the same weight. colors :
    see `_add`."""
    reach, one, zero = np.float32(radius + 0.5), np.float32(1.0), np.float32(0.0)
    inside = np.float32(max(radius - 0.5, 0.0))
    inside *= inside
    top, left = max(floor(v - reach), clip[1]), max(floor(u - reach), clip[0])
    bottom, right = min(floor(v + reach) + 1, clip[3]), min(floor(u + reach) + 1, clip[2])
    x, y = np.float32(left + 0.5 - u), np.float32(top + 0.5 - v)
    for row in range(top, bottom):
        dx, squared = x, y * y
        for column in range(left, right):
            square = dx * dx + squared
            cover = one if square <= inside else min(max(reach - np.sqrt(square), zero), one)
            _add(total, row, column, colors, entry, cover)
            dx += one
        y += one


@kernel
def paint(
    positions: Floats,
    radii: Floats,
    scalar: NDArray[np.float32],
    box: Floats,
    periodic: int,
    ahead: float,
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
    colors = np.ones((len(table), 4), np.float32)
    colors[:, :3] = table[:, :3]
    period_x, period_y = periods_along(periodic, (box[0], box[1]))
    count = 0
    for i in range(positions.shape[0]):
        x, y, radius, s = positions[i, 0], positions[i, 1], radii[i], float(scalar[i])
        r = radius * camera[2]
        if ramp[2] != 0.0:
            s = log(max(s, 1e-30))
        entry = (s - ramp[0]) * ramp[1]
        k = int(min(entry, 255.0)) if entry > 0.0 else 0  # NaN takes the first
        x_first, x_last, y_first, y_last = 0, 0, 0, 0
        if periodic and not (x >= radius and x + radius <= period_x and y >= radius and y + radius <= period_y):
            x_first, x_last = _first_and_last(x, radius, period_x)
            y_first, y_last = _first_and_last(y, radius, period_y)
        elif r < SMALL_RADIUS:  # so are most where there are many: no copies to be looked for
            u, v = camera[3] + (x - camera[0]) * camera[2], camera[4] - (y - camera[1]) * camera[2]
            if u + 1.0 >= left and u - 1.0 <= right and v + 1.0 >= top and v - 1.0 <= bottom:
                count = _collect(u, v, r, k, count, corner, share, entries)
                if count == _BLOCK:
                    _spread(count, corner, share, entries, colors, clip, total)
                    count = 0
            continue
        for b in range(y_first, y_last + 1):
            v = camera[4] - (y + b * box[1] - camera[1]) * camera[2]
            if not (v + r + 1.0 >= top and v - r - 1.0 <= bottom):  # not: NaN is nowhere
                continue
            xb, first, last = x, x_first, x_last
            if b != 0 and ahead != 0.0:
                xb = x_in_row(x, b, ahead, box[0])
                first, last = _first_and_last(xb, radius, period_x)
            for a in range(first, last + 1):
                u = camera[3] + (xb + a * box[0] - camera[0]) * camera[2]
                if not (u + r + 1.0 >= left and u - r - 1.0 <= right):
                    continue
                if r < SMALL_RADIUS:
                    count = _collect(u, v, r, k, count, corner, share, entries)
                    if count == _BLOCK:
                        _spread(count, corner, share, entries, colors, clip, total)
                        count = 0
                else:
                    rim = ramp[3] * min(max((r / ramp[4] - 5.0) / 3.0, 0.0), 1.0)
                    if rim == 0.0:
                        _plain_disc(u, v, r, k, colors, clip, total)
                        continue
                    red, green, blue = float(table[k, 0]), float(table[k, 1]), float(table[k, 2])
                    _disc(u, v, r, red, green, blue, rim, ramp[4], clip, total)
    _spread(count, corner, share, entries, colors, clip, total)


@intrinsic  # type: ignore[untyped-decorator]
def _blend_four(
    typing_context: Any, sums: Any, pixel: Any, share: Any, background: Any, rest: Any, opacity: Any, image: Any
) -> Any:
    """Write ``share * sums + rest * background``, rounded, into a pixel of `image`, counted row after row, and clear
    its sums; the last of the four numbers is ``opacity + rest * background``. All four at once, which numba would not
    find by itself.

    sums : (…, 4) float32; background : (4,) float32; opacity : 0…255; image : (…, 4) uint8.
    """
    numbers = (types.float64, background, types.float64, types.float64)
    signature = types.void(sums, types.int64, *numbers, image)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        floats, doubles = ir.VectorType(ir.FloatType(), 4), ir.VectorType(ir.DoubleType(), 4)
        places = [ir.Constant(ir.IntType(32), k) for k in range(4)]

        def data(argument: int) -> Any:
            return context.make_array(signature.args[argument])(context, builder, value=args[argument]).data

        def all_four(number: Any) -> Any:
            filled = ir.Constant(doubles, ir.Undefined)
            for place in places:
                filled = builder.insert_element(filled, number, place)
            return filled

        first = builder.mul(args[1], ir.Constant(ir.IntType(64), 4))
        of = builder.bitcast(builder.gep(data(0), [first]), floats.as_pointer())
        sums = builder.fpext(builder.load(of, align=4), doubles)
        under = builder.fpext(builder.load(builder.bitcast(data(3), floats.as_pointer()), align=4), doubles)
        over = builder.insert_element(builder.fmul(sums, all_four(args[2])), args[5], places[3])
        mixed = builder.fadd(over, builder.fmul(under, all_four(args[4])))
        mixed = builder.fadd(mixed, all_four(ir.Constant(ir.DoubleType(), 0.5)))
        whole_numbers = builder.fptosi(mixed, ir.VectorType(ir.IntType(32), 4))
        bytes_ = ir.VectorType(ir.IntType(8), 4)
        to = builder.bitcast(builder.gep(data(6), [first]), bytes_.as_pointer())
        builder.store(builder.trunc(whole_numbers, bytes_), to, align=1)
        builder.store(ir.Constant(floats, None), of, align=4)
        return context.get_dummy_value()

    return signature, codegen


@kernel
def resolve(total: NDArray[np.float32], background: NDArray[np.float32], lift: float, image: NDArray[np.uint8]) -> None:
    """Turn covered areas into RGBA with premultiplied alpha over `background` (4,), 0…255, and clear `total`.

    With area A in a pixel its discs show with opacity a + lift (sqrt(a) - a), a = min(A, 1), in their mean colour.
    lift : 0…1; 0 is the plain picture, more makes thin places of a density image easier to see.
    """
    red, green, blue, alpha = background[0], background[1], background[2], background[3]
    width = total.shape[1]
    for row in range(total.shape[0]):
        for column in range(width):
            area = total[row, column, 3]
            if area <= 0.0:
                image[row, column, 0] = np.uint8(red + 0.5)
                image[row, column, 1] = np.uint8(green + 0.5)
                image[row, column, 2] = np.uint8(blue + 0.5)
                image[row, column, 3] = np.uint8(alpha + 0.5)
                continue
            opacity = min(area, 1.0)
            opacity += lift * (sqrt(opacity) - opacity)
            rest = 1.0 - opacity
            if CHECKED:
                image[row, column, 3] = image[row, column, 3]  # checks the indices
            _blend_four(total, row * width + column, opacity / area, background, rest, 255.0 * opacity, image)


@kernel
def pick(
    positions: Floats,
    radii: Floats,
    box: Floats,
    periodic: int,
    ahead: float,
    x: float,
    y: float,
    tolerance: float,
) -> int:
    """The disc whose edge is nearest to, or that holds, the world point (x, y); -1 where none is within `tolerance`.

    positions : (N, 2); radii : (N,); box : (2,); they, the point and the tolerance are in the scenario's unit of
        length.
    """
    best, found = inf, -1
    period_x, period_y = periods_along(periodic, (box[0], box[1]))
    for i in range(positions.shape[0]):
        away = y - positions[i, 1]
        dx, dy = x - positions[i, 0], rounded_image(away, period_y)
        if ahead != 0.0:
            dx -= periods_between(away, period_y) * ahead
        gap = hypot(rounded_image(dx, period_x), dy) - radii[i]
        if gap < best:
            best, found = gap, i
    return found if best <= tolerance else -1
