"""One palette for a whole GIF, so that no colour changes from frame to frame."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

_BITS = 5  # upper bits of each channel used to look up a colour
_SAMPLED = 120_000  # pixels of the first picture from which the palette is made, and as many of the expected colours
_BLENDS = (1.0, 0.75, 0.5, 0.25)  # coverages of a disc over the background: soft edges, small discs
_RIM = 0.55  # brightness of the rim relative to the disc


class GifColors:
    """Reduces images to at most `count` colours (2…256), found in the first image and in `expected`.

    expected : (K, 3) uint8, colours that discs may have later; ground : (3,) uint8, the background.
    """

    def __init__(self, count: int, expected: NDArray[np.uint8], ground: NDArray[np.uint8]) -> None:
        self._count = count
        self._expected = expected.astype(np.float64)
        self._ground = ground
        self._palette: NDArray[np.uint8] | None = None
        self._nearest = np.zeros(0, np.uint8)

    def reduced(self, image: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Indices (H, W) uint8 and the palette (256, 4) uint8, ARGB; `image` : (H, W, 4) uint8 RGBA."""
        if self._palette is None:
            self._palette = self._make(image)
            self._nearest = self._look_up(self._palette[: self._count, 1:])
        return self._nearest.take(_cells(image)), self._palette

    def _make(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        seen = image[..., :3].reshape(-1, 3)
        seen = seen[:: max(1, len(seen) // _SAMPLED)]
        blends = [b * self._expected + (1.0 - b) * self._ground for b in _BLENDS] + [_RIM * self._expected]
        coming = np.rint(np.concatenate(blends)).astype(np.uint8)
        coming = np.tile(coming, (len(seen) // len(coming) + 1, 1))
        sample = np.concatenate([seen, coming])
        rows = len(sample) // 256
        graph = av.filter.Graph()
        source = graph.add_buffer(width=256, height=rows, format=av.VideoFormat("rgb24"), time_base=Fraction(1))
        chooser = graph.add("palettegen", f"max_colors={self._count}:reserve_transparent=0")
        sink = graph.add("buffersink")
        source.link_to(chooser)
        chooser.link_to(sink)
        graph.configure()
        pixels = np.ascontiguousarray(sample[: rows * 256].reshape(rows, 256, 3))
        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        frame.pts = 0
        source.push(frame)
        source.push(None)
        chosen: Any = sink.pull()
        found: NDArray[np.uint8] = chosen.to_ndarray(format="argb").reshape(256, 4).copy()
        found[:, 0] = 255
        found[0, 1:] = self._ground  # the background has exactly its colour
        return found

    @staticmethod
    def _look_up(colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The nearest of `colors` for each cell of the colour cube, (8 ** `_BITS`,) uint8."""
        levels = (np.arange(1 << _BITS, dtype=np.float32) + 0.5) * (256 >> _BITS)
        cube = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
        wanted = colors.astype(np.float32)
        # |a - b|² without |a|², which is the same for all b
        distance = (wanted**2).sum(axis=1) - 2.0 * cube @ wanted.T
        nearest: NDArray[np.uint8] = distance.argmin(axis=1).astype(np.uint8)
        rgba = np.pad(colors[::-1], ((0, 0), (0, 1)))
        nearest[_cells(rgba)] = np.arange(len(colors), dtype=np.uint8)[::-1]
        return nearest


def _cells(image: NDArray[np.uint8]) -> NDArray[np.integer]:
    """The cell of the colour cube that contains each colour; (…, 4) RGBA, C-contiguous, to (…)."""
    packed = np.ascontiguousarray(image).view("<u4")[..., 0]
    cells: NDArray[np.integer] = (packed & 0xF8) << 7 | (packed & 0xF800) >> 6 | (packed & 0xF80000) >> 19
    return cells
