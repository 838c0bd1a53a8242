"""Discs smaller than a pixel: what the kernel adds up, in blocks and out of their order, beside a plain sum."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aggviewer.canvas import disc_kernels
from engine.boundary import Periodic
from tests.reference.density import covered

from .conftest import EVERY_BOX

HEIGHT, WIDTH = 20, 30


def colors(rng: np.random.Generator) -> np.ndarray:
    """A table as the program has it, which cannot be written to: for one that can, `paint` would be compiled anew."""
    table = rng.integers(0, 256, (256, 4)).astype(np.uint8)
    table.flags.writeable = False
    return table


@EVERY_BOX
@pytest.mark.parametrize("count", [0, 1, 3, 511, 512, 513, 1400])
def test_small_discs_cover_what_a_plain_sum_says(count: int, periodic: Periodic) -> None:
    rng = np.random.default_rng(count)
    box = np.array([7.0, 5.0])
    positions, radii = rng.random((count, 2)) * box, 0.05 + 0.1 * rng.random(count)
    positions[count - count // 9 :] *= 0.03  # many in a corner, and one another's neighbours
    if count > 5:
        positions[4] = np.nan  # hidden
    scalar = rng.random(count).astype(np.float32)
    scalar[:1] = np.nan  # the first colour
    table = colors(rng)
    camera = np.array([3.2, 2.4, 4.1, WIDTH / 2, HEIGHT / 2])  # the box is cut on all sides
    clip = (2, 1, WIDTH - 3, HEIGHT - 1)
    total = np.zeros((HEIGHT, WIDTH, 4), np.float32)
    ramp = np.array([0.1, 300.0, 0.0, 0.45, 1.0])
    disc_kernels.paint(positions, radii, scalar, box, periodic.code, 0.0, camera, ramp, table, np.array(clip), total)
    entry = np.clip(np.nan_to_num((scalar.astype(float) - 0.1) * 300.0), 0, 255).astype(int)
    wanted = covered(positions, radii, table[entry, :3].astype(float), box, periodic, camera, clip, total.shape[:2])
    assert_allclose(total, wanted, rtol=1e-5, atol=1e-4)


def test_small_and_large_discs_are_painted_in_one_picture() -> None:
    rng = np.random.default_rng(1)
    box, count = np.array([7.0, 5.0]), 600
    positions = rng.random((count, 2)) * box
    radii = np.where(rng.random(count) < 0.1, 0.4, 0.1)
    scalar, table = rng.random(count).astype(np.float32), colors(rng)
    camera, ramp = np.array([3.5, 2.5, 4.0, WIDTH / 2, HEIGHT / 2]), np.array([0.0, 256.0, 0.0, 0.45, 1.0])
    clip = np.array([0, 0, WIDTH, HEIGHT])

    def painted(which: np.ndarray) -> np.ndarray:
        total = np.zeros((HEIGHT, WIDTH, 4), np.float32)
        discs = np.ascontiguousarray(positions[which]), radii[which], scalar[which]
        disc_kernels.paint(*discs, box, 1, 0.0, camera, ramp, table, clip, total)
        return total

    small = radii < 0.2
    assert_allclose(painted(np.ones(count, bool)), painted(small) + painted(~small), rtol=1e-5, atol=1e-3)
