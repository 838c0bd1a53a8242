"""The jammed packings of a session, kept to pool packings that differ only in the seed.

In a session file, `session.json` lists them, and three arrays hold their values.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from aggviewer.session.saved.arrays import SessionPart
from engine.checkpoint_checks import checked_scenario
from engine.errors import InputError
from engine.files.limits import MAX_SCENARIO
from engine.jamming.section import Jamming
from engine.system import system_of

if TYPE_CHECKING:
    from engine.analysis import PooledPackings, Samples
    from engine.scenario import Scenario


@dataclass(frozen=True, eq=False)
class KeptPacking:
    """A packing in the pool: its scenario with the seed, and its forces and gaps."""

    scenario: Scenario
    samples: Samples


class PackingPool:
    """Keeps the forces and gaps of jammed packings by settings and seed. May be used from any thread.

    Attributes
    ----------
    version : increases by one with every added packing.
    saved_version : the last saved version; equal to `version` if all packings are saved.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, int], KeptPacking] = {}  # in the order in which they were added
        self._marks: set[tuple[str, bytes]] = set()
        self._pooled: dict[str, PooledPackings] = {}
        self.version = self.saved_version = 0

    def add(self, scenario: Scenario, samples: Samples) -> None:
        """Add the final packing of a scenario.

        One with the same settings and seed is replaced. One with the same settings and values is not added again: the
        seed makes no difference there.
        """
        settings, mark = settings_of(scenario), _mark(samples)
        with self._lock:
            if (settings, mark) in self._marks:
                return
            before = self._kept.pop((settings, scenario.seed), None)  # the packing becomes the newest one
            if before is not None:
                self._marks.discard((settings, _mark(before.samples)))
            self._kept[settings, scenario.seed] = KeptPacking(scenario, samples)
            self._marks.add((settings, mark))
            self._pooled.pop(settings, None)
            self.version += 1

    def exchange(self, other: PackingPool) -> None:
        """Swap packings with another pool."""
        with self._lock, other._lock:
            for name in ("_kept", "_marks", "_pooled", "version", "saved_version"):
                mine, theirs = getattr(self, name), getattr(other, name)
                setattr(self, name, theirs)
                setattr(other, name, mine)

    def take_in(self, packings: Iterable[KeptPacking]) -> None:
        """Add the packings of a session file."""
        before = self.version
        for packing in packings:
            self.add(packing.scenario, packing.samples)
        self.saved_version += self.version - before

    def kept(self) -> list[KeptPacking]:
        """All packings, oldest first."""
        with self._lock:
            return list(self._kept.values())

    def pooled(self, scenario: Scenario) -> PooledPackings:
        """All packings with the settings of this scenario and any seed, pooled; possibly none."""
        from engine.analysis import pool_packings

        settings = settings_of(scenario)
        with self._lock:
            if settings not in self._pooled:
                found = [one.samples for (of, _seed), one in self._kept.items() if of == settings]
                self._pooled[settings] = pool_packings(found)
            return self._pooled[settings]


def settings_of(scenario: Scenario) -> str:
    """A text for the settings of a scenario: everything except the seed."""
    return scenario.model_dump_json(exclude={"seed"})


def seed_matters(scenario: Scenario) -> bool:
    """Whether the packing depends on the seed, because discs are placed, sized or moved at random."""
    discs = scenario.discs
    placed_by_chance = discs.placed is not None and discs.placed.by_chance
    return placed_by_chance or discs.radii != "equal" or scenario.section(Jamming).start == "grown"


def _mark(samples: Samples) -> bytes:
    """A hash of the forces of a packing, to recognise the same packing."""
    return sha256(samples.extended.tobytes() + b"|" + samples.bucklers.tobytes()).digest()


MAX_PACKINGS = 4096
MAX_SETTINGS = 64
MAX_VALUES = 1 << 23  # of all packings together: 64 MiB, about 1 700 packings of 1 024 discs

NAMES = ("extended", "bucklers", "gaps")  # the fields of `Samples`
_MOST = {"extended": 1e9, "bucklers": 1e9, "gaps": 1.0}  # forces over their mean, gaps over the mean diameter
_LEAST = 1e-300
_WHERE = "session.json is damaged at packings"

_Counts = Field(min_length=1, max_length=MAX_PACKINGS)


class PackingsHead(SessionPart):
    """Packings with the same settings, as `session.json` lists them.

    Attributes
    ----------
    settings : a scenario with these settings and any seed, TOML.
    seeds : the seed of each packing.
    extended, bucklers, gaps : how many values of this array belong to each packing. The arrays hold the values of all
        packings one after the other.
    """

    settings: str = Field(max_length=MAX_SCENARIO)
    seeds: list[int] = _Counts
    extended: list[int] = _Counts
    bucklers: list[int] = _Counts
    gaps: list[int] = _Counts

    def counts(self, name: str) -> list[int]:
        """The number of values of each packing in an array."""
        found: list[int] = getattr(self, name)
        return found


def newest(packings: Sequence[KeptPacking]) -> list[KeptPacking]:
    """The newest of these packings, as many as fit into a file. Both lists start with the oldest."""
    kept: list[KeptPacking] = []
    settings: set[str] = set()
    values = 0
    for packing in reversed(packings[-MAX_PACKINGS:]):
        values += sum(len(getattr(packing.samples, name)) for name in NAMES)
        settings.add(settings_of(packing.scenario))
        if values > MAX_VALUES or len(settings) > MAX_SETTINGS:
            break
        kept.append(packing)
    return kept[::-1]


def pool_heads(packings: Sequence[KeptPacking]) -> list[PackingsHead]:
    """The list of these packings, chosen by `newest`, for `session.json`."""
    return [
        PackingsHead(
            settings=of[0].scenario.to_toml(),
            seeds=[one.scenario.seed for one in of],
            **{name: [len(getattr(one.samples, name)) for one in of] for name in NAMES},
        )
        for of in _by_settings(packings)
    ]


def pool_arrays(packings: Sequence[KeptPacking]) -> dict[str, NDArray[np.float64]]:
    """The arrays of these packings by name; empty if there are no packings."""
    samples = [one.samples for of in _by_settings(packings) for one in of]
    return {name: np.concatenate([getattr(one, name) for one in samples]) for name in NAMES} if samples else {}


def pool_of(heads: Sequence[PackingsHead], arrays: Mapping[str, NDArray[Any]]) -> list[KeptPacking]:
    """The packings of an untrusted session file. Raises InputError if list and arrays do not match."""
    from engine.analysis import Samples

    if set(arrays) != (set(NAMES) if heads else set()):
        raise InputError(f"{_WHERE}: values are missing, or belong to no packing")
    scenarios = _scenarios(heads)
    parts = []
    for name in NAMES if heads else ():
        counts = [count for head in heads for count in head.counts(name)]
        parts.append(_split(name, arrays[name], counts, len(scenarios)))
    return [KeptPacking(of, Samples(*values)) for of, values in zip(scenarios, zip(*parts, strict=True), strict=True)]


def _by_settings(packings: Sequence[KeptPacking]) -> list[list[KeptPacking]]:
    groups: dict[str, list[KeptPacking]] = {}
    for packing in packings:
        groups.setdefault(settings_of(packing.scenario), []).append(packing)
    return list(groups.values())


def _scenarios(heads: Sequence[PackingsHead]) -> list[Any]:
    """The scenario of each packing, with its seed."""
    if len(heads) > MAX_SETTINGS or sum(len(head.seeds) for head in heads) > MAX_PACKINGS:
        raise InputError(f"{_WHERE}: more packings than a session file can hold")
    known: set[tuple[str, int]] = set()
    found = []
    for head in heads:
        settings = checked_scenario(head.settings)
        if system_of(settings).moves:  # only discs without velocities become packings
            raise InputError(f"{_WHERE}: the settings are not of a jamming scenario")
        for seed in head.seeds:
            found.append(settings.with_values({"seed": seed}))
            known.add((settings_of(settings), seed))
    if len(known) < len(found):
        raise InputError(f"{_WHERE}: a packing appears more than once")
    return found


def _split(name: str, array: NDArray[Any], counts: Sequence[int], packings: int) -> list[NDArray[np.float64]]:
    """The values of each packing."""
    fits = len(counts) == packings and min(counts) >= 0 and sum(counts) <= MAX_VALUES
    if not fits or array.dtype != np.float64 or array.shape != (sum(counts),):
        raise InputError(f"{_WHERE}: the number of values is wrong")
    if not bool(np.all((array >= _LEAST) & (array <= _MOST[name]))):  # NaN is refused too
        raise InputError(f"{_WHERE}: a value is out of range")
    return np.split(array, np.cumsum(counts)[:-1])
