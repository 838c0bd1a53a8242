"""Colorists for tests that have no simulation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from aggviewer.document.view import fields_of
from aggviewer.session.coloring import Colorist
from engine.fields import fields_in
from engine.state import Discs


def discs_of(radii: ArrayLike, box: ArrayLike = (10.0, 10.0), periodic: bool = False) -> Discs:
    """Discs of radii (N,) in a box (2,)."""
    sizes = np.asarray(radii, float)
    return cast(
        "Discs", SimpleNamespace(radii=sizes, masses=np.square(sizes), box=np.asarray(box, float), periodic=periodic)
    )


def colorist_of(
    system: str = "aggregation",
    radii: ArrayLike = (1.0,),
    box: ArrayLike | None = None,
    periodic: bool = False,
) -> Colorist:
    """One for discs of a system; without a box it does without kernels."""
    discs = discs_of(radii, (10.0, 10.0) if box is None else box, periodic)
    return Colorist(fields_in(fields_of(system), len(discs.box)), discs, kernels=box is not None)
