"""Every way in which a box can end: along each axis it is periodic or has walls."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from engine.boundary import Periodic

EVERY = {dimensions: [Periodic(one) for one in product((True, False), repeat=dimensions)] for dimensions in (2, 3)}
"""By the number of dimensions."""


TILTED = {dimensions: [Periodic([True] * dimensions, offset) for offset in (0.9, -0.35)] for dimensions in (2, 3)}
"""Boxes without walls whose images above are ahead along x, or behind, by a length; by the number of dimensions."""


def every_edge(dimensions: int) -> Any:
    """As `every_boundary`, and for boxes with images that are ahead."""
    return pytest.mark.parametrize("periodic", [*EVERY[dimensions], *TILTED[dimensions]], ids=in_short)


def every_boundary(dimensions: int) -> Any:
    """The mark of a test of `periodic` for all boxes of so many dimensions, called by what is along x, y and z."""
    return pytest.mark.parametrize("periodic", EVERY[dimensions], ids=in_short)


def in_short(periodic: Periodic) -> str:
    """Such as "pw": periodic along x, walls along y."""
    return "".join("pw"[not wraps] for wraps in periodic) + (f"{periodic.offset:+g}" if periodic.offset else "")
