"""Where a run begins: radii, positions and velocities, drawn from random numbers or read from a file, and checked."""

from __future__ import annotations

from engine.initial.checks import validate_state
from engine.initial.making import draw_radii, draw_velocities, initial_state

__all__ = [
    "draw_radii",
    "draw_velocities",
    "initial_state",
    "validate_state",
]
