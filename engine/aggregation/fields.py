"""What each disc has that sticks to others."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.fields import CLUSTER, CONTACTS, SIZE, SPEED

FIELDS = (CLUSTER, SIZE, SPEED, CONTACTS)

FRAME_FIELDS: dict[str, np.dtype[Any]] = {"cluster": np.dtype(np.int32)}
"""What a frame holds of each disc: its cluster, see `engine.simulation.Frame.cluster`."""
