"""The distance of each disc from one of them, as a field that discs can be coloured by."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.fields import Field
from engine.geometry.nearest import nearest_image

if TYPE_CHECKING:
    from engine.frame import Frame
    from engine.state import Discs

_NAME = re.compile(r"distance:(\d{1,9})")


def distance_field(name: str) -> Field | None:
    """The field called ``distance:17``: the distance of each disc's centre from that of disc 17. None for other names.

    In a periodic box it is the distance to the nearest image.
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    number = int(found[1])

    def distances(frame: Frame, discs: Discs) -> NDArray[np.float64] | None:
        return distances_from(number, frame.positions, discs)

    return Field(name, f"Distance from disc {number}", distances, unit="length")


def distances_from(disc: int, positions: NDArray[np.float64], discs: Discs) -> NDArray[np.float64] | None:
    """The distance of each centre from that of one disc, (N,); None if there is no such disc."""
    if not 0 <= disc < len(positions):
        return None
    between = nearest_image(positions - positions[disc], discs.box, discs.periodic)
    distances: NDArray[np.float64] = np.sqrt(np.square(between).sum(axis=1))
    return distances
