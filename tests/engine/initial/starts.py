"""Hashes of starts, printed by a process whose processor and libraries are told to be plainer than they are.

``python -m tests.engine.initial.starts`` prints those that need no kernels; with ``--all`` the rest and all bundled
scenarios too.
"""

from __future__ import annotations

import hashlib
import itertools
import sys
from collections.abc import Iterator

import numpy as np

from engine.arrangements.table import ARRANGEMENTS
from engine.errors import InputError
from engine.initial import initial_state
from engine.scenario import Scenario, bundled, load_scenario

SPREAD = {"equal": 0.0, "bidisperse": 1.4, "uniform": 0.5, "lognormal": 0.3}
VELOCITIES = ("circle", "square", "maxwell", "rest")


def hash_of(scenario: Scenario) -> str:
    """A hash of all that a run starts from."""
    state = initial_state(scenario, check=False)
    digest = hashlib.sha256()
    for array in (state.positions, state.velocities, state.radii, state.masses, state.cluster, state.box):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def starts(everything: bool) -> Iterator[tuple[str, Scenario]]:
    """Scenarios by name. everything : also those whose arrangement needs kernels, and the bundled ones."""
    for dimensions, arrangement, radii, velocities in itertools.product(
        (2, 3), ARRANGEMENTS.values(), SPREAD, VELOCITIES
    ):
        if dimensions not in arrangement.dimensions or (arrangement.compiled and not everything):
            continue
        for fraction in (0.1, 0.5) if arrangement.compiled else (0.1,):  # adsorbed, and relaxed
            values = {
                "dimensions": dimensions,
                "discs.count": 1500 if arrangement.crystal is None else arrangement.crystal.fitting(1500)[-1],
                "discs.arrangement": arrangement.name,
                "discs.radii": radii,
                "discs.volume_fraction": fraction,
                "velocities.distribution": velocities,
                "seed": 7,
            } | ({} if radii == "equal" else {"discs.spread": SPREAD[radii]})
            yield f"{dimensions} {arrangement.name} {radii} {velocities} {fraction}", Scenario().with_values(values)
    if everything:
        yield from ((one.name, load_scenario(one.name)) for one in bundled())


def hashes(everything: bool = False) -> dict[str, str]:
    """The hashes by name, without starts that do not fit."""
    found = {}
    for name, scenario in starts(everything):
        try:
            found[name] = hash_of(scenario)
        except InputError:
            continue
    return found


if __name__ == "__main__":
    for name, digest in hashes("--all" in sys.argv).items():
        print(f"{name}: {digest}")
