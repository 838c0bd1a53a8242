"""What is said of discs that jam, put together on the analyst's thread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import Analysis, JammingData, SystemInfo
from aggviewer.session.engine_face import EngineFace
from engine.scenario import Scenario
from engine.simulation import Frame, History, Network


@dataclass
class PackingSample:
    """A copy of a state. scenario : as it is tuned; network : that of the frame, which is never written to again."""

    time: float
    scenario: Scenario
    positions: NDArray[np.float64]
    radius_factor: float
    network: Network | None

    @staticmethod
    def of(frame: Frame, scenario: Scenario) -> PackingSample:
        """Of a frame, whose buffers stay its owner's."""
        return PackingSample(frame.time, scenario, frame.positions.copy(), frame.radius_factor, frame.network)


def measure_packing(engine: EngineFace, system: SystemInfo, sample: PackingSample, history: History) -> Analysis:
    """Everything about a state."""
    found = None
    if sample.network is not None:
        radii = system.radii * sample.radius_factor
        found = engine.analyse_packing(sample.positions, radii, system.box, system.periodic, sample.network)
    data = JammingData(sample.scenario, system.count, system.periodic, history, found)
    return Analysis(system, sample.time, found, history, jamming=data)
