"""Colorists for tests that have no simulation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aggviewer.document.view import fields_of
from aggviewer.session.cluster_colors import choose_colors
from aggviewer.session.color_history import Histories
from aggviewer.session.publish.coloring import Coloring, Colorist
from engine.fields import CLUSTER
from engine.frame import Frame
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
    return Colorist(fields_of(system), discs, kernels=box is not None)


class DecidedColors:
    """Colours frames of aggregation in the order of time, with a decision about the colours of clusters at each."""

    def __init__(self, radii: ArrayLike, box: ArrayLike, periodic: bool = False) -> None:
        self._colorist, self._discs = colorist_of("aggregation", radii, box, periodic), discs_of(radii, box, periodic)
        self.histories: Histories = {}
        self._colorist.follow(self.histories)

    def color(self, frame: Frame) -> tuple[NDArray[np.float32], Coloring]:
        """One value per disc, and its colouring."""
        choose_colors([CLUSTER], frame, self._discs, self.histories)
        return self._colorist.color(frame, "cluster")
