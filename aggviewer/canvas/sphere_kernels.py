"""The compiled kernels of spheres: finding and sorting those in view, and painting them into an image. They hold no
interpreter lock and use no Qt.

Spheres that do not overlap are sorted by their power distance to the eye, |c - e|² - R² (in a parallel projection by
their depth): what is painted in this order is hidden exactly where it has to be, since a plane between two spheres has
the same order on every line of sight. So no depth has to be kept for each pixel, and edges are soft.
"""

from __future__ import annotations

from math import floor, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Bytes, Floats, Singles
from engine.kernels import inlined, kernel

_BINS = 1 << 16  # depths that are told apart
_SMALL = 0.75  # pixels: the least radius that is drawn; smaller spheres are paler instead
_TILE, _TILE_PIXELS = 3, 64  # tiles of 8 x 8 pixels, so that what is hidden as a whole is found quickly
_FULL = 0.996  # share of a pixel from which what lies behind adds nothing


@inlined
def _circle(plane: float, depth: float, r: float, k: float, eye: float, least: float) -> tuple[float, float]:
    """Of the circle in which a plane cuts a sphere, how much perspective magnifies there over k, what it does at the
    centre, and the radius over that of the sphere. plane, depth : of the plane and of the centre."""
    magnified = 1.0 / (max(1.0 - plane / eye, least) * k)
    away = (plane - depth) / r
    return magnified, magnified * sqrt(max(1.0 - away * away, 0.0))


@kernel
def gather_spheres(
    positions: Floats,
    radii: Floats,
    scalar: Singles,
    view: Floats,
    offset: Singles,
    radius: Singles,
    value: Singles,
    depth: Singles,
    near: Singles,
    cut: Singles,
    number: NDArray[np.int32],
) -> int:
    """Write the spheres that touch the view into the buffers, from back to front, and return how many there are: what
    `engine.plotting.projection.Pose.spheres` gives, for very many.

    positions : (N, 3); radii, scalar : (N,). view : (20,) the middle of the picture (x, y, z), the axes of the camera
    (right, up, towards the viewer), half the width and the height of the view in world units, the distance of the eye
    from the middle (inf for a parallel projection), the least 1 - depth / eye, and the depths of the back and of the
    front of the box, and of the slab that is shown. offset, radius, depth, near, cut, number : (C, 2), (C,), (C,),
    (C,), (C, 4) and (C,), the places, radii, depth, near, cut and which of `engine.plotting.projection.SpheresSeen`;
    value : (C,), the scalar. `cut` is not written where there is no slab. Where the count returned exceeds C, nothing
    is written: enlarge the buffers and call again.
    """
    count = positions.shape[0]
    places, found = np.empty((count, 5)), np.empty(count, np.int32)
    wide, high, eye, least = view[12], view[13], view[14], view[15]
    back, front, behind, before = view[16], view[17], view[18], view[19]
    parallel, whole = eye == inf, behind == -inf and before == inf
    n, low, top = 0, inf, -inf
    for i in range(count):
        x, y, z, r = positions[i, 0] - view[0], positions[i, 1] - view[1], positions[i, 2] - view[2], radii[i]
        a = view[3] * x + view[4] * y + view[5] * z
        b = view[6] * x + view[7] * y + view[8] * z
        c = view[9] * x + view[10] * y + view[11] * z
        if c - r >= before or c + r <= behind:
            continue
        k, order = 1.0, c
        if not parallel:
            k = 1.0 / max(1.0 - c / eye, least)
            order = -sqrt(max(a * a + b * b + (eye - c) * (eye - c) - r * r, 0.0))
        farther, rim = 1.0, 1.0
        if c > before or c < behind:
            farther, rim = _circle(min(max(c, behind), before), c, r, k, eye, least)
        a, b, r = a * k, b * k, r * k
        if not (abs(a) * farther - r * rim <= wide and abs(b) * farther - r * rim <= high):  # not: NaN is nowhere
            continue
        places[n, 0], places[n, 1], places[n, 2], places[n, 3], places[n, 4] = a, b, r, order, c
        found[n] = i
        low, top = min(low, order), max(top, order)
        n += 1
    if n > offset.shape[0]:
        return n
    starts = np.zeros(_BINS + 1, np.int64)
    per_depth = (_BINS - 1) / max(top - low, 1e-300)
    for j in range(n):
        starts[int((places[j, 3] - low) * per_depth) + 1] += 1
    for k in range(_BINS):
        starts[k + 1] += starts[k]
    for j in range(n):
        bin_ = int((places[j, 3] - low) * per_depth)
        m = starts[bin_]
        starts[bin_] += 1
        i, c = found[j], places[j, 4]
        outline = min(max(c, behind), before)
        offset[m, 0], offset[m, 1], radius[m], value[m] = places[j, 0], places[j, 1], places[j, 2], scalar[i]
        depth[m], number[m] = c, i
        near[m] = min(max((outline - back) / (front - back), 0.0), 1.0)
        if whole:
            continue
        r, magnified = radii[i], places[j, 2] / radii[i]
        cut[m, 0], cut[m, 1], cut[m, 2], cut[m, 3] = 1.0, 1.0, 1.0, 0.0
        if outline != c:
            cut[m, 0], cut[m, 1] = _circle(outline, c, r, magnified, eye, least)
        if c + r > before:
            cut[m, 2], cut[m, 3] = _circle(before, c, r, magnified, eye, least)
    return n


@inlined
def _under(pixel: Singles, red: float, green: float, blue: float, cover: float) -> float:
    """Paint behind what a pixel (4,) shows already, and return its opacity."""
    before = pixel[3]
    w = cover * (1.0 - before)
    pixel[0] += w * red
    pixel[1] += w * green
    pixel[2] += w * blue
    after: float = before + w
    pixel[3] = after
    return after


@inlined
def _all_full(full: NDArray[np.uint8], top: int, bottom: int, left: int, right: int) -> bool:
    """Whether nothing can be seen any more in these rows and columns, the last ones included."""
    for row in range(top >> _TILE, (bottom >> _TILE) + 1):
        for column in range(left >> _TILE, (right >> _TILE) + 1):
            if full[row, column] < _TILE_PIXELS:
                return False
    return True


@kernel
def paint_spheres(
    offset: Singles,
    radius: Singles,
    value: Singles,
    near: Singles,
    cut: Singles,
    shadow: Singles,
    count: int,
    camera: Floats,
    ramp: Floats,
    table: NDArray[np.uint8],
    haze: Floats,
    look: Floats,
    total: Singles,
) -> None:
    """Paint the first `count` spheres of `gather_spheres` into `total` (H, W, 4) float32, from front to back: colour
    times opacity, and opacity, of every pixel.

    camera : (3,) pixels per world unit, and column and row of the middle. ramp : (3,) as `disc_kernels.paint` takes it.
    haze : (4,) the colour into which what is far away fades, 0…255, and the share of it at the back of the box. look :
    (12,) `aggviewer.canvas.raster`: ambient, diffuse, gloss, rim, light, halfway, face of a cut; and the share of light
    that a point loses from which neighbours hide everything. shadow : of `occlusion.occlude_spheres`; not used if that
    is 0.
    """
    ambient, diffuse, rim, darkest = look[0], look[1], look[3], look[11]
    height, width = total.shape[0], total.shape[1]
    full = np.zeros(((height >> _TILE) + 1, (width >> _TILE) + 1), np.uint8)  # pixels of each tile that are full
    for m in range(count - 1, -1, -1):
        r = radius[m] * camera[0]
        x, y = offset[m, 0] * camera[0], -offset[m, 1] * camera[0]
        u, v = camera[1] + x, camera[2] + y
        edge_u, edge_v = camera[1] + cut[m, 0] * x, camera[2] + cut[m, 0] * y
        face_u, face_v = camera[1] + cut[m, 2] * x, camera[2] + cut[m, 2] * y
        share = 1.0
        if r < _SMALL:
            share, r = (r / _SMALL) * (r / _SMALL), _SMALL
        edge, face, one = r * cut[m, 1], r * cut[m, 3], 1.0 / r
        reach, inner = edge + 0.5, max(edge - 0.5, 0.0)
        top, bottom = max(floor(edge_v - reach), 0), min(floor(edge_v + reach), height - 1)
        left, right = max(floor(edge_u - reach), 0), min(floor(edge_u + reach), width - 1)
        if top > bottom or left > right or _all_full(full, top, bottom, left, right):
            continue
        s = float(value[m])
        if ramp[2] != 0.0:
            s = log(max(s, 1e-30))
        entry = (s - ramp[0]) * ramp[1]
        k = int(min(entry, 255.0)) if entry > 0.0 else 0
        far = haze[3] * (1.0 - near[m])
        stays = 1.0 - far
        red, green, blue = stays * table[k, 0], stays * table[k, 1], stays * table[k, 2]
        s_one, s_x, s_y, s_z = shadow[m, 0], shadow[m, 1], shadow[m, 2], shadow[m, 3]
        s_xx, s_yy, s_xy, s_xz, s_yz = shadow[m, 4], shadow[m, 5], shadow[m, 6], shadow[m, 7], shadow[m, 8]
        white, hazy_red, hazy_green, hazy_blue = 255.0 * stays * look[2], far * haze[0], far * haze[1], far * haze[2]
        for row in range(top, bottom + 1):
            dy = row + 0.5 - edge_v
            half = reach * reach - dy * dy
            if half <= 0.0:
                continue
            half = sqrt(half)
            for column in range(max(floor(edge_u - half), 0), min(floor(edge_u + half) + 1, width)):
                pixel = total[row, column]
                if pixel[3] >= _FULL:
                    continue
                dx, dy = column + 0.5 - edge_u, row + 0.5 - edge_v
                square = dx * dx + dy * dy
                cover = share
                if square > inner * inner:
                    cover *= min(max(reach - sqrt(square), 0.0), 1.0)
                dx, dy = column + 0.5 - u, row + 0.5 - v
                square = dx * dx + dy * dy
                up = sqrt(max(1.0 - square * one * one, 0.0))
                light = (dx * look[4] - dy * look[5]) * one + up * look[6]
                shade = (ambient + diffuse * max(light, 0.0)) * min(1.0 - rim + 2.0 * rim * up, 1.0)
                shine = max((dx * look[7] - dy * look[8]) * one + up * look[9], 0.0)
                gloss = shine * shine
                gloss *= gloss
                gloss *= gloss
                gloss *= gloss * gloss * white  # to the power of 24
                if darkest > 0.0:
                    nx, ny = dx * one, -dy * one
                    hidden = s_one + s_z * up + nx * (s_x + s_xx * nx + s_xy * ny + s_xz * up)
                    hidden += ny * (s_y + s_yy * ny + s_yz * up)
                    hidden = max(hidden, 0.0)
                    keeps = 1.0 - darkest * hidden / (1.0 + hidden)
                    shade *= keeps
                    gloss *= keeps
                if face > 0.0:
                    dx, dy = column + 0.5 - face_u, row + 0.5 - face_v
                    flat = 1.0 if face >= edge else min(max(face + 0.5 - sqrt(dx * dx + dy * dy), 0.0), 1.0)
                    shade += flat * (look[10] - shade)
                    gloss *= 1.0 - flat
                opacity = _under(
                    pixel,
                    min(shade * red + gloss + hazy_red, 255.0),
                    min(shade * green + gloss + hazy_green, 255.0),
                    min(shade * blue + gloss + hazy_blue, 255.0),
                    cover,
                )
                if opacity >= _FULL:
                    full[row >> _TILE, column >> _TILE] += 1


@kernel
def paint_lines_behind(lines: Floats, half: float, ink: Floats, total: Singles) -> None:
    """Paint lines (K, 4), x and y of both ends in pixels, behind what `total` shows. ink : (4,) colour 0…255 and
    opacity; half : their half width."""
    height, width = total.shape[0], total.shape[1]
    for n in range(lines.shape[0]):
        x, y, dx, dy = lines[n, 0], lines[n, 1], lines[n, 2] - lines[n, 0], lines[n, 3] - lines[n, 1]
        length = max(dx * dx + dy * dy, 1e-12)
        first, last = min(y, y + dy) - half - 1.0, max(y, y + dy) + half + 1.0
        for row in range(max(floor(first), 0), min(floor(last) + 1, height)):
            # the columns that may be near the line in this row
            left, right = min(x, x + dx), max(x, x + dx)
            if abs(dy) > 1e-9:
                begin, end = (row - half - 1.0 - y) / dy, (row + half + 2.0 - y) / dy
                begin, end = min(max(min(begin, end), 0.0), 1.0), min(max(max(begin, end), 0.0), 1.0)
                left, right = min(x + begin * dx, x + end * dx), max(x + begin * dx, x + end * dx)
            for column in range(max(floor(left - half - 1.0), 0), min(floor(right + half + 1.0) + 1, width)):
                px, py = column + 0.5 - x, row + 0.5 - y
                along = min(max((px * dx + py * dy) / length, 0.0), 1.0)
                ax, ay = px - along * dx, py - along * dy
                cover = min(max(half + 0.5 - sqrt(ax * ax + ay * ay), 0.0), 1.0)
                if cover > 0.0:
                    _under(total[row, column], ink[0], ink[1], ink[2], cover * ink[3])


@kernel
def paint_bars(
    ends: Floats, depth: Floats, half: Floats, ink: Floats, scale: float, look: Floats, surface: Singles, image: Bytes
) -> None:
    """Paint cylinders where no sphere is in front of them. Those in front come last.

    ends : (K, 4), x and y of both ends in pixels; depth, half : (K, 2), the depth of both, and half the width there in
    pixels; ink : (K, 3), their colours, 0…255; scale : pixels per unit of depth; look : (5,) ambient, diffuse and the
    light of `aggviewer.canvas.raster`; surface : (H, W) of `paint_depths`; image : (H, W, 4), premultiplied RGBA.
    """
    height, width = image.shape[0], image.shape[1]
    for n in range(ends.shape[0]):
        x, y, dx, dy = ends[n, 0], ends[n, 1], ends[n, 2] - ends[n, 0], ends[n, 3] - ends[n, 1]
        square = max(dx * dx + dy * dy, 1e-12)
        if not square < 1e12:  # not: nor NaN
            continue
        ux, uy = dx / sqrt(square), dy / sqrt(square)
        reach = max(half[n, 0], half[n, 1], 0.5) + 0.5
        for row in range(max(floor(min(y, y + dy) - reach), 0), min(floor(max(y, y + dy) + reach) + 1, height)):
            left, right = min(x, x + dx), max(x, x + dx)
            if abs(dy) > 1e-9:  # the part of the axis that is near this row
                begin, end = (row - reach - y) / dy, (row + 1.0 + reach - y) / dy
                begin, end = min(max(min(begin, end), 0.0), 1.0), min(max(max(begin, end), 0.0), 1.0)
                left, right = min(x + begin * dx, x + end * dx), max(x + begin * dx, x + end * dx)
            for column in range(max(floor(left - reach), 0), min(floor(right + reach) + 1, width)):
                px, py = column + 0.5 - x, row + 0.5 - y
                along = (px * dx + py * dy) / square
                if along < 0.0 or along > 1.0:
                    continue
                own = half[n, 0] + along * (half[n, 1] - half[n, 0])
                wide, across = max(own, 0.5), py * ux - px * uy
                cover = min(max(wide + 0.5 - abs(across), 0.0), 1.0) * min(2.0 * own, 1.0)
                side = min(max(across / wide, -1.0), 1.0)
                up = sqrt(1.0 - side * side)
                if cover <= 0.0 or surface[row, column] > depth[n, 0] + along * (depth[n, 1] - depth[n, 0]) + (
                    up * wide / scale
                ):
                    continue
                light = -side * (uy * look[2] + ux * look[3]) + up * look[4]
                shade = min(look[0] + look[1] * max(light, 0.0), 1.0)
                for part in range(3):
                    before = image[row, column, part]
                    image[row, column, part] = np.uint8(cover * shade * ink[n, part] + (1.0 - cover) * before + 0.5)
                image[row, column, 3] = np.uint8(255.0 * cover + (1.0 - cover) * image[row, column, 3] + 0.5)


@kernel
def paint_depths(
    offset: Singles,
    radius: Singles,
    depth: Singles,
    cut: Singles,
    count: int,
    camera: Floats,
    planes: Floats,
    surface: Singles,
    number: NDArray[np.int32],
) -> None:
    """Write the depth of what is in front in each pixel into `surface` (H, W), and which of the first `count` spheres
    it is into `number` (H, W). Where there is none, both are left as they are.

    camera : (3,) as for `paint_spheres`; planes : (3,) the depths of both ends of the slab, and the distance of the
    eye.
    """
    height, width = surface.shape[0], surface.shape[1]
    for m in range(count):
        r, edge = radius[m] * camera[0], radius[m] * cut[m, 1] * camera[0]
        x, y = offset[m, 0] * camera[0], -offset[m, 1] * camera[0]
        u, v = camera[1] + cut[m, 0] * x, camera[2] + cut[m, 0] * y
        per_pixel = max(1.0 - depth[m] / planes[2], 0.0) / camera[0]
        for row in range(max(floor(v - edge), 0), min(floor(v + edge) + 1, height)):
            for column in range(max(floor(u - edge), 0), min(floor(u + edge) + 1, width)):
                dx, dy = column + 0.5 - u, row + 0.5 - v
                if dx * dx + dy * dy < edge * edge:
                    dx, dy = column + 0.5 - camera[1] - x, row + 0.5 - camera[2] - y
                    up = sqrt(max(r * r - dx * dx - dy * dy, 0.0)) * per_pixel
                    surface[row, column] = min(max(depth[m] + up, planes[0]), planes[1])
                    number[row, column] = m
