"""One state as it is drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import SystemInfo
from aggviewer.session.publish.coloring import Coloring

if TYPE_CHECKING:
    from engine.simulation import Frame


@dataclass
class Shown:
    """One state ready to be drawn. The buffers belong to the reader until it takes the next one.

    scalar : (N,) float32, what the discs are coloured by, explained by `coloring`; events : counts by kind so far;
    single : a person has asked for the one event that has just happened.
    """

    system: SystemInfo
    frame: Frame
    scalar: NDArray[np.float32]
    coloring: Coloring
    events: dict[str, int] = field(default_factory=dict)
    single: bool = False
