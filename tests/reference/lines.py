"""Lines with round ends painted onto an image as `aggviewer.canvas.line_kernels` does it, pixel by pixel."""

from __future__ import annotations

import numpy as np


def shares(shape, line, half):
    """How much of each pixel (H, W) a line (4,) covers: 1 inside, falling to 0 over one pixel at the edge; lines that
    are thinner than a pixel are paler instead."""
    ax, ay, bx, by = line
    y, x = np.mgrid[: shape[0], : shape[1]] + 0.5
    length = np.hypot(bx - ax, by - ay)
    ux, uy = ((bx - ax) / length, (by - ay) / length) if length > 0.0 else (1.0, 0.0)
    along = np.clip((x - ax) * ux + (y - ay) * uy, 0.0, length)
    distance = np.hypot(x - ax - along * ux, y - ay - along * uy)
    return min(half / 0.5, 1.0) * np.clip(max(half, 0.5) + 0.5 - distance, 0.0, 1.0)


def blend(image, color, cover):
    """An opaque colour over the pixels, with premultiplied alpha."""
    four = np.array([*color, 255.0])
    cover = cover[..., None]
    return np.where(cover > 0.0, four * cover + image * (1.0 - cover) + 0.5, image).astype(np.uint8)


def painted(image, segments, half, color):
    """Opaque lines, one over the other."""
    for line in segments:
        image = blend(image, color, shares(image.shape, line, half))
    return image


def pale(image, segments, half, color, alpha):
    """Transparent lines, which are no less transparent where they cross."""
    cover = np.max([shares(image.shape, line, half) for line in segments], axis=0)
    return blend(image, color, alpha * cover.astype(np.float32))
