"""What is said of discs that jam, put together on the analyst's thread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import Analysis, JammingData, SystemInfo
from aggviewer.session.engine_face import EngineFace
from aggviewer.session.saved.packing_pool import PackingPool
from engine.scenario import Scenario
from engine.simulation import Frame, History, Network, Simulation


@dataclass(frozen=True)
class PackingFacts:
    """scenario : as it is tuned; ended : no program is left to be solved; jammed : and that is why."""

    scenario: Scenario
    ended: bool = False
    jammed: bool = False


def packing_facts(simulation: Simulation, *, ended: bool) -> PackingFacts:
    """On the simulation's thread. ended : what is shown is its end."""
    packing = getattr(simulation, "packing", None) if ended else None  # a recording has none
    return PackingFacts(simulation.scenario, ended, packing is not None and packing().jammed)


@dataclass
class PackingSample:
    """A copy of a state. network : that of the frame, which is never written to again."""

    time: float
    facts: PackingFacts
    positions: NDArray[np.float64]
    radius_factor: float
    network: Network | None

    @staticmethod
    def of(frame: Frame, facts: PackingFacts) -> PackingSample:
        """Of a frame, whose buffers stay its owner's."""
        return PackingSample(frame.time, facts, frame.positions.copy(), frame.radius_factor, frame.network)


def measure_packing(
    engine: EngineFace, system: SystemInfo, sample: PackingSample, history: History, pool: PackingPool
) -> Analysis:
    """Everything about a state; a jammed packing goes into the pool."""
    found, facts = None, sample.facts
    if sample.network is not None:
        radii = system.radii * sample.radius_factor
        found = engine.analyse_packing(sample.positions, radii, system.box, system.periodic, sample.network)
    if facts.jammed and found is not None:
        pool.add(facts.scenario, found.samples)
    patches = () if sample.network is None else sample.network.patches
    pooled = pool.pooled(facts.scenario)
    data = JammingData(facts.scenario, system.count, system.periodic, history, found, facts.ended, pooled, patches)
    return Analysis(system, sample.time, found, history, jamming=data)
