"""The jammed packings of a session, so that those that differ in their seed only can be looked at together."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from engine.analysis import PooledPackings, Samples
    from engine.scenario import Scenario


class PackingPool:
    """Keeps the forces and gaps of jammed packings by settings and seed. From any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, dict[int, Samples]] = {}
        self._pooled: dict[str, PooledPackings] = {}

    def add(self, scenario: Scenario, samples: Samples) -> None:
        """The packing that a scenario has ended with. A seed counts once, and so do seeds that make no difference."""
        settings = settings_of(scenario)
        with self._lock:
            kept = self._kept.setdefault(settings, {})
            if any(_same(samples, other) for other in kept.values()):
                return
            kept[scenario.seed] = samples
            self._pooled.pop(settings, None)

    def pooled(self, scenario: Scenario) -> PooledPackings:
        """All packings that have ended with the settings of this one, whatever their seeds; there may be none."""
        from engine.analysis import pool_packings

        settings = settings_of(scenario)
        with self._lock:
            if settings not in self._pooled:
                self._pooled[settings] = pool_packings(list(self._kept.get(settings, {}).values()))
            return self._pooled[settings]


def settings_of(scenario: Scenario) -> str:
    """All of a scenario but the seed."""
    return scenario.model_dump_json(exclude={"seed"})


def seed_matters(scenario: Scenario) -> bool:
    """Whether another seed makes another packing of these discs: where they are placed, sized or moved at random."""
    discs = scenario.discs
    return discs.arrangement == "random" or discs.radii != "equal" or scenario.jamming.start == "grown"


def _same(one: Samples, other: Samples) -> bool:
    return np.array_equal(one.extended, other.extended) and np.array_equal(one.bucklers, other.bucklers)
