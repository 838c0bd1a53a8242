"""The viscosity of gases in a shear flow against Enskog's theory, and the temperature at which granular gases flow.

    python -m benchmarks.viscosity [--write]

Two tables of Markdown are printed, each row from several seeds; `--write` puts them between their marks in
docs/hard-discs.md. They take about an hour on one core.
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np

import engine
from benchmarks.tables import put, spaced, table
from engine.hard_discs.rheology import Rheology
from engine.hard_discs.simulation import HardDiscGas
from engine.hard_discs.theory import enskog_rate

COUNT, SEEDS = 4000, 12
SHARE = 0.1
"""γ̇ / ω at the start, with Enskog's collision rate ω: it falls while elastic discs become hot."""

ELASTIC = ((2, 0.05), (2, 0.1), (2, 0.2), (2, 0.4), (2, 0.6), (3, 0.1), (3, 0.2), (3, 0.3), (3, 0.4))
"""Dimensions and volume fractions of the first table."""

WITHIN = {2: 0.2, 3: 0.3}
"""The volume fractions up to which Enskog's theory should hold within 5 %."""

GRANULAR = ((2, 0.2, 0.95), (2, 0.2, 0.9), (3, 0.2, 0.95), (3, 0.2, 0.9))
"""Dimensions, volume fraction and restitution in the second table."""


class Flow(NamedTuple):
    """What was measured of one run, and γ̇ / ω over the measurement."""

    measured: Rheology
    share: float


def flow(dimensions: int, fraction: float, restitution: float, met: float, seed: int) -> Flow:
    """Run a gas until each disc has had `met` collisions, and measure the later half."""
    values = {
        "system": "hard-discs",
        "dimensions": dimensions,
        "seed": seed,
        "discs.count": COUNT,
        "discs.volume_fraction": fraction,
        "discs.arrangement": "random",
        "velocities.distribution": "maxwell",
        "box.boundary": "periodic",
        "hard_discs.equilibration": 5.0,
        "hard_discs.restitution": restitution,
    }
    diameter = 2.0 * float(engine.create(engine.Scenario().with_values(values)).radii.mean())
    rate = SHARE * float(enskog_rate(fraction, dimensions)) / diameter
    gas = engine.create(engine.Scenario().with_values({**values, "shear.rate": rate}))
    assert isinstance(gas, HardDiscGas)
    wanted = int(met * COUNT / 2)
    while (left := wanted - gas.measures().pair_collisions) > 0:
        gas.advance(max_events=left)
    measured = gas.rheology()
    assert measured is not None
    history = gas.history()
    half = history.time >= history.time[len(history.time) // 2]
    time, collisions = history.time[half], history.collisions[half]
    omega = 2.0 * float(np.diff(collisions[[0, -1]])[0]) / COUNT / float(np.diff(time[[0, -1]])[0])
    return Flow(measured, rate / omega)


def mean(values: list[float]) -> tuple[float, float]:
    """The mean of several seeds and its standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(len(values))


def shown(value: float, error: float) -> str:
    """A value with its error, to two digits of that."""
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def elastic() -> list[str]:
    """The first table."""
    rows = []
    for dimensions, fraction in ELASTIC:
        flows = [flow(dimensions, fraction, 1.0, 600.0, seed) for seed in range(1, SEEDS + 1)]
        enskog = flows[0].measured.enskog
        assert enskog is not None
        found = mean([one.measured.reduced_viscosity.mean for one in flows])
        ratio = shown(found[0] / enskog, found[1] / enskog)
        note = "" if fraction <= WITHIN[dimensions] else " (beyond the theory)"
        share = float(np.mean([one.share for one in flows]))
        kind = "discs" if dimensions == 2 else "spheres"
        rows.append([kind, f"{fraction:g}", f"{share:.3f}", shown(*found), f"{enskog:.4f}", ratio + note])
    return table(["", "V_f", "γ̇/ω", "η* measured", "η* Enskog", "measured / Enskog"], rows)


def granular() -> list[str]:
    """The second table; kT in units of that at the start."""
    rows = []
    for dimensions, fraction, restitution in GRANULAR:
        flows = [flow(dimensions, fraction, restitution, 600.0, seed) for seed in range(1, SEEDS // 2 + 1)]
        found = mean([one.measured.temperature.mean for one in flows])
        theory = flows[0].measured.steady_temperature
        assert theory is not None
        share = float(np.mean([one.share for one in flows]))
        kind = "discs" if dimensions == 2 else "spheres"
        ratio = shown(found[0] / theory, found[1] / theory)
        rows.append([kind, f"{fraction:g}", f"{restitution:g}", f"{share:.3f}", shown(*found), f"{theory:.4g}", ratio])
    return table(["", "V_f", "ε", "γ̇/ω", "kT measured", "kT by the balance", "measured / balance"], rows)


def main() -> None:
    """Print both tables, and write them if that is asked for."""
    for name, lines in (("viscosity", elastic()), ("steady", granular())):
        print(f"N = {spaced(COUNT)}", *lines, sep="\n", flush=True)
        if "--write" in sys.argv[1:]:
            put("hard-discs.md", name, lines)


if __name__ == "__main__":
    main()
