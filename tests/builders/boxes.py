"""Every way in which a box can end: along each axis it is periodic or has walls."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from engine.boundary import Periodic

EVERY = {dimensions: [Periodic(one) for one in product((True, False), repeat=dimensions)] for dimensions in (2, 3)}
"""By the number of dimensions."""


def every_boundary(dimensions: int) -> Any:
    """The mark of a test of `periodic` for all boxes of so many dimensions, called by what is along x, y and z."""
    return pytest.mark.parametrize("periodic", EVERY[dimensions], ids=in_short)


def in_short(periodic: Periodic) -> str:
    """Such as "pw": periodic along x, walls along y."""
    return "".join("pw"[not wraps] for wraps in periodic)
