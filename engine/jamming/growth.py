"""Compression before jamming: hard discs that grow while they fly (Lubachevsky and Stillinger).

From any start they approach a jammed packing on a different path than the chain of linear programs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.arrays import Floats
from engine.hard_discs.simulation import HardDiscGas
from engine.jamming.rules import volume_fraction
from engine.jamming.section import Jamming
from engine.portable import normal
from engine.scenario import Scenario
from engine.state import InitialState

PRESSURE = 1e3
"""Growth ends when the compressibility Z exceeds this."""

DENSEST = {2: 0.9, 3: 0.735}
"""Volume fraction at which growth ends at the latest, by the number of dimensions: equal discs that grow slowly become
a crystal."""

_RATE = 0.01  # dR/dt over the thermal speed: faster growth jams discs where they are, slower only takes longer


def grows(scenario: Scenario, state: InitialState) -> bool:
    """Whether these discs are to be grown first, and are not already as dense as after growth. A single disc meets no
    other, so that its growth would not end.
    """
    loose = len(state.radii) > 1 and volume_fraction(state.radii, state.box) < DENSEST[len(state.box)]
    return scenario.section(Jamming).start == "grown" and loose


def growing_scenario(scenario: Scenario) -> Scenario:
    """The scenario of the hard discs: elastic, without gravity, growing."""
    return scenario.with_values(
        {
            "system": "hard-discs",
            "hard_discs.restitution": 1.0,
            "hard_discs.wall_restitution": 1.0,
            "hard_discs.gravity": [0.0] * scenario.dimensions,
            "hard_discs.growth_rate": _RATE,
            "hard_discs.growth_to_fraction": DENSEST[scenario.dimensions],
            "hard_discs.growth_to_pressure": PRESSURE,
            "hard_discs.contact_time": 0.0,
            "hard_discs.equilibration": 0.0,
            "hard_discs.on_collapse": "continue",
        }
    )


def growing_discs(scenario: Scenario, state: InitialState) -> HardDiscGas:
    """The hard discs at their start, with Maxwell's velocities from the seed. InputError if they cannot grow."""
    rng = np.random.default_rng(scenario.seed).spawn(4)[3]  # the first three make the state
    width = np.sqrt(state.masses.mean() / state.masses)
    velocities: Floats = width[:, None] * normal(rng, (len(width), len(state.box)))
    alone = np.arange(len(width), dtype=np.int32)
    return HardDiscGas(growing_scenario(scenario), replace(state, velocities=velocities, cluster=alone))
