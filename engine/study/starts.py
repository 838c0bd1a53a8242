"""The discs that a run begins with, without placing them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.initial import draw_radii, initial_state
from engine.scenario import Scenario


def initial_radii(scenario: Scenario) -> NDArray[np.float64]:
    """The radii (N,) of `engine.initial.initial_state`, bit by bit. InputError if there is no such state."""
    if scenario.discs.arrangement == "file":
        return initial_state(scenario, check=False).radii
    radii_rng = np.random.default_rng(scenario.seed).spawn(1)[0]  # the first of those of `initial_state`
    return draw_radii(scenario, scenario.discs.count, np.array(scenario.box_size()), radii_rng)
