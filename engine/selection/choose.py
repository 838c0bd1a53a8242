"""Choosing the discs of a simulation by a condition, for Python programs: `engine.select`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.selection.quantities import where
from engine.system import system_of

if TYPE_CHECKING:
    from engine.frame import Frame
    from engine.simulation import Simulation


def select(simulation: Simulation, condition: str, frame: Frame | None = None) -> NDArray[np.bool_]:
    """Which discs of a simulation meet a condition: a mask for its arrays, (N,) bool.

    Discs keep their numbers for the whole run, also when clusters merge, so the mask picks the same discs later.

    ::

        large = engine.select(simulation, "size > 50 and speed < 0.1")
        simulation.frame().positions[large]

    A condition may have the names of the system's fields (those of ``--color-by``), ``disc``, ``x``, ``y``, ``radius``,
    ``mass``, and ``vx`` and ``vy`` where discs fly, numbers, ``+ - * / **``, comparisons, ``and``, ``or``, ``not``,
    brackets, and the functions sqrt, log, log10, exp, abs, sin, cos and floor of each disc, and min, max and mean of
    all discs, as in ``size == max(size)``.

    Parameters
    ----------
    simulation : what runs.
    condition : what the discs must meet.
    frame : the state in which they must; by default the present one.

    Raises
    ------
    InputError
        It is not a condition, or it names something that discs do not have. The message says what is allowed.
    """
    frame = simulation.frame() if frame is None else frame
    return where(condition, frame, simulation, system_of(simulation.scenario)).mask
