"""Short names for the types of numpy arrays, by what they hold; the shapes are in the docstrings that use them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Complexes = NDArray[np.complex128]
Longs = NDArray[np.int64]
Ints = NDArray[np.int32]
Bytes = NDArray[np.uint8]
Bools = NDArray[np.bool_]

Arrays = Mapping[str, NDArray[Any]]
"""Arrays by name, such as those of a checkpoint."""
