"""The jammed packings of a session, so that those that differ in their seed only can be looked at together."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from engine.jamming.section import Jamming

if TYPE_CHECKING:
    from engine.analysis import PooledPackings, Samples
    from engine.scenario import Scenario


@dataclass(frozen=True, eq=False)
class KeptPacking:
    """A packing in the pool: the scenario that has ended with it, its seed among it, and its forces and gaps."""

    scenario: Scenario
    samples: Samples


class PackingPool:
    """Keeps the forces and gaps of jammed packings by settings and seed. From any thread.

    version : goes up by one with every packing; saved_version : what it was when the pool was saved, raised by those
    that were read from a file.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, int], KeptPacking] = {}  # in the order in which they have ended
        self._marks: set[tuple[str, bytes]] = set()
        self._pooled: dict[str, PooledPackings] = {}
        self.version = self.saved_version = 0

    def add(self, scenario: Scenario, samples: Samples) -> None:
        """The packing that a scenario has ended with. A seed counts once, and so do seeds that make no difference."""
        settings, mark = settings_of(scenario), _mark(samples)
        with self._lock:
            if (settings, mark) in self._marks:
                return
            before = self._kept.pop((settings, scenario.seed), None)  # it becomes the newest
            if before is not None:
                self._marks.discard((settings, _mark(before.samples)))
            self._kept[settings, scenario.seed] = KeptPacking(scenario, samples)
            self._marks.add((settings, mark))
            self._pooled.pop(settings, None)
            self.version += 1

    def take_in(self, packings: Iterable[KeptPacking]) -> None:
        """Those of a file, beside those that are here."""
        before = self.version
        for packing in packings:
            self.add(packing.scenario, packing.samples)
        self.saved_version += self.version - before

    def kept(self) -> list[KeptPacking]:
        """Every packing, the oldest first."""
        with self._lock:
            return list(self._kept.values())

    def pooled(self, scenario: Scenario) -> PooledPackings:
        """All packings that have ended with the settings of this one, whatever their seeds; there may be none."""
        from engine.analysis import pool_packings

        settings = settings_of(scenario)
        with self._lock:
            if settings not in self._pooled:
                found = [one.samples for (of, _seed), one in self._kept.items() if of == settings]
                self._pooled[settings] = pool_packings(found)
            return self._pooled[settings]


def settings_of(scenario: Scenario) -> str:
    """All of a scenario but the seed."""
    return scenario.model_dump_json(exclude={"seed"})


def seed_matters(scenario: Scenario) -> bool:
    """Whether another seed makes another packing of these discs: where they are placed, sized or moved at random."""
    discs = scenario.discs
    return discs.arrangement == "random" or discs.radii != "equal" or scenario.section(Jamming).start == "grown"


def _mark(samples: Samples) -> bytes:
    """The same for the same packing."""
    return sha256(samples.extended.tobytes() + b"|" + samples.bucklers.tobytes()).digest()
