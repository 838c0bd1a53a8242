"""One-pass functions of group labels: single discs, sizes of groups, and the largest groups."""

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


@kernel
def largest_groups(labels: Ints, sizes: NDArray[np.int32], largest: NDArray[np.int64]) -> int:
    """The labels of the largest groups of two or more discs, largest first; of equals, the smaller label first. Returns
    their number, at most the length of `largest`.

    labels : (N,), all in 0 … L - 1; sizes : (L,) zeros, which get the number of discs of each label.
    """
    label_of = pointer(labels)
    for i in range(len(labels)):
        sizes[whole(label_of[i])] += 1
    room, count, least = len(largest), 0, 2
    for label in range(len(sizes)):
        if sizes[label] < least:
            continue
        place = count if count < room else room - 1
        while place > 0 and sizes[largest[place - 1]] < sizes[label]:
            largest[place] = largest[place - 1]
            place -= 1
        largest[place] = label
        count = min(count + 1, room)
        if count == room:
            least = sizes[largest[room - 1]] + 1
    return count
