"""One-pass functions of group labels: which discs are single, and a value for each label."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.analysis.state import Ints
from engine.kernels import kernel, pointer, whole

Bytes = NDArray[np.uint8]


@kernel
def count_to_two(labels: Ints, found: Bytes) -> bool:
    """Count the discs of each label up to two: 0, 1 or 2 in `found` (L,), initially 0.

    labels : (N,). Returns False, with invalid `found`, if one of them is not in 0 … L - 1.
    """
    label_of, known = pointer(labels), len(found)
    for i in range(len(labels)):
        label = whole(label_of[i])
        if label < 0 or label >= known:
            return False
        # always written: a branch that depends on the label would be mispredicted half of the time
        found[label] = min(found[label] + 1, 2)
    return True


@kernel
def look_up(labels: Ints, value: Bytes, out: NDArray[np.float32]) -> None:
    """Write the value of each disc's label, `value` (L,), to `out` (N,). All labels must be in 0 … L - 1."""
    label_of, to = pointer(labels), pointer(out)
    for i in range(len(labels)):
        to[i] = np.float32(value[whole(label_of[i])])
