"""The palette of a GIF: one for the whole film, with the colours that are in it and those that will be."""

from __future__ import annotations

import numpy as np
import pytest

from aggviewer.export.encoders import GifColors

GROUND = np.array([20, 23, 28], np.uint8)
COMING = np.array([[253, 231, 37], [68, 1, 84], [33, 145, 140]], np.uint8)


def picture(color: np.ndarray) -> np.ndarray:
    """A disc of a colour on the ground."""
    image = np.full((90, 120, 4), 255, np.uint8)
    image[..., :3] = GROUND
    rows, columns = np.indices((90, 120))
    image[(rows - 45) ** 2 + (columns - 60) ** 2 < 900, :3] = color
    return image


def shown(indices: np.ndarray, palette: np.ndarray) -> np.ndarray:
    return palette[indices][..., 1:].astype(int)


@pytest.mark.parametrize("count", [64, 128, 256])
def test_colours_that_only_come_later_are_there(count: int) -> None:
    gif = GifColors(count, COMING, GROUND)
    indices, palette = gif.reduced(picture(COMING[0]))
    assert indices.dtype == np.uint8
    assert indices.max() < count
    assert palette.shape == (256, 4)
    for color in COMING:
        indices, again = gif.reduced(picture(color))
        assert again is palette
        assert abs(shown(indices, palette) - picture(color)[..., :3]).max() <= 8
        assert np.array_equal(shown(indices, palette)[0, 0], GROUND)


def test_any_colour_gets_one_that_is_near() -> None:
    random = np.random.default_rng(2).integers(0, 256, (64, 64, 4), dtype=np.uint8)
    gif = GifColors(256, COMING, GROUND)
    indices, palette = gif.reduced(random)
    distance = abs(shown(indices, palette) - random[..., :3]).max(axis=2)
    assert np.median(distance) < 32
