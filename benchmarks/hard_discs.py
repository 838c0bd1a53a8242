"""Hard discs against the literature, as the tables of docs/hard-discs.md.

    python -m benchmarks.hard_discs [pressure] [small] [cooling] [collapse] [conservation] [--write] [--events K]

Without a name all of them. `--write` puts each table between its markers in the document; without it, they are printed.
Units of the tables: diameter, mass and k T are 1. Some minutes each with the defaults on one core.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import pi, sqrt

import numpy as np

import engine
from benchmarks.pages import put
from engine import Scenario
from engine.hard_discs import theory
from engine.hard_discs.simulation import HardDiscGas
from tests.reference.theory import haff_by_collisions

BLOCKS = 20  # whose scatter is the standard error of a mean


def gas(count: int, fill: float, **changes: object) -> HardDiscGas:
    """A periodic Maxwellian gas of equal discs with k T = m = 1."""
    values: dict[str, object] = {
        "system": "hard-discs",
        "box.boundary": "periodic",
        "discs.count": count,
        "discs.volume_fraction": fill,
        "discs.arrangement": "random",
        "velocities.distribution": "maxwell",
    }
    values |= {key.replace("__", "."): value for key, value in changes.items()}
    made = engine.create(Scenario().with_values(values))
    assert isinstance(made, HardDiscGas)
    return made


def run(simulation: HardDiscGas, collisions: int) -> None:
    """On by so many collisions of two discs."""
    simulation.advance(max_events=collisions)


def measured(simulation: HardDiscGas, collisions: int) -> tuple[float, float, float, float]:
    """Z and ω, each with its standard error over `BLOCKS` blocks."""
    found = []
    for _ in range(BLOCKS):
        simulation.reset_measures()
        run(simulation, collisions // BLOCKS)
        measures = simulation.measures()
        sigma = 2.0 * float(simulation.radii[0])
        assert measures.compressibility is not None
        found.append((measures.compressibility, measures.collision_rate * sigma / sqrt(measures.temperature)))
    z, omega = np.array(found).T
    error = 1.0 / sqrt(BLOCKS - 1)
    return float(z.mean()), float(z.std() * error), float(omega.mean()), float(omega.std() * error)


def pressure(events: int) -> list[str]:
    """Compressibility and collision rate at three volume fractions."""
    lines = [
        "| φ | Z | literature | off by | ω | literature | Z from ω |",
        "|---|---|---|---|---|---|---|",
    ]
    rates = {0.30: 2.40016, 0.50: 7.0103, 0.65: 16.719}
    for fill, rate in rates.items():
        simulation = gas(16_384, fill)
        run(simulation, 150 * 16_384)
        z, z_error, omega, omega_error = measured(simulation, events)
        reference = next(each for each in theory.REFERENCE_Z if each.phi == fill)
        known, known_error = reference.z, reference.error
        lines.append(
            f"| {fill:g} | {z:.4f} ± {z_error:.4f} | {known} ± {known_error} | {z / known - 1:+.3%} | "
            f"{omega:.4f} ± {omega_error:.4f} | {rate} | {1 + sqrt(pi) / 4 * omega:.4f} |"
        )
    return lines


def small(events: int) -> list[str]:
    """N = 72 at φ = 0.65 in two boxes, where the literature is exact to 1e-5."""
    lines = ["| box | β P σ² | literature | in standard errors |", "|---|---|---|---|"]
    for name, ratio, known, known_error in (
        ("1 : √3/2", sqrt(3) / 2, 6.945931, 66e-6),
        ("square", 1.0, 6.901074, 71e-6),
    ):
        side = sqrt(72 / ratio)
        simulation = gas(72, 0.65, box__size=[side, side * ratio])
        run(simulation, 100_000)
        z, z_error, _, _ = measured(simulation, 10 * events)
        scale = 4 * 0.65 / pi
        error = sqrt((z_error * scale) ** 2 + known_error**2)
        lines.append(
            f"| {name} | {z * scale:.5f} ± {z_error * scale:.5f} | {known} ± {known_error:g} | "
            f"{(z * scale - known) / error:+.1f} |"
        )
    return lines


def cooling(events: int) -> list[str]:
    """Haff's law where it holds and where clusters have formed."""
    lines = ["| N | φ | ε | collisions a disc C | T / T_0 | Haff | T over Haff |", "|---|---|---|---|---|---|---|"]
    for count, fill, restitution, stops in (
        (1_024, 0.1, 0.95, (5, 10, 20)),
        (1_024, 0.1, 0.98, (5, 10, 20)),
        (16_384, 0.3, 0.9, (10, 40, 73)),
    ):
        simulation = gas(count, fill, hard_discs__restitution=1.0)
        run(simulation, 20 * count)
        simulation.set("hard_discs.restitution", restitution)
        start = simulation.measures().temperature
        done = 0
        for stop in stops:
            run(simulation, stop * count // 2 - done)
            done = stop * count // 2
            ratio = simulation.measures().temperature / start
            haff = float(haff_by_collisions(stop, restitution))
            lines.append(
                f"| {count} | {fill:g} | {restitution:g} | {stop} | {ratio:.4g} | {haff:.4g} | {ratio / haff:.3f} |"
            )
    return lines


def collapse(events: int) -> list[str]:
    """When the clock stops at ε = 0.5, and that the contact-time rule ends it."""
    lines = ["| rule | stopped at t | collisions a disc | what was said |", "|---|---|---|---|"]
    for seed in (1, 2, 3):
        simulation = gas(16_384, 0.3, hard_discs__restitution=0.5, seed=seed)
        sigma = 2.0 * float(simulation.radii[0])
        progress = simulation.advance(max_events=5_000_000)
        each = 2 * progress.events["collision"] / simulation.count
        lines.append(
            f"| none, seed {seed} | {simulation.time / sigma:.2f} | {each:.1f} | {progress.stop_reason or 'nothing'} |"
        )
    simulation = gas(16_384, 0.3, hard_discs__restitution=0.5, hard_discs__contact_time=1e-4)
    progress = simulation.advance(max_events=5_000_000)
    each = 2 * progress.events["collision"] / simulation.count
    lines.append(
        f"| contact time 1e-4 | went on to {simulation.time / sigma:.2f} | {each:.1f} | "
        f"{progress.stop_reason or 'nothing'} |"
    )
    return lines


def conservation(events: int) -> list[str]:
    """Energy and momentum of elastic discs over many events."""
    simulation = gas(1_000, 0.5)
    lines = ["| collisions | energy drift | momentum error | stabilising | three-body |", "|---|---|---|---|---|"]
    done = 0
    for total in (events // 20, events // 2, 5 * events):
        run(simulation, total - done)
        done = total
        found = simulation.measures()
        lines.append(
            f"| {total:.0e} | {found.energy_drift:.1e} | {found.momentum_error:.1e} | {found.stabilising_events} | "
            f"{found.three_body_events} |"
        )
    return lines


TABLES: dict[str, Callable[[int], list[str]]] = {
    "pressure": pressure,
    "small": small,
    "cooling": cooling,
    "collapse": collapse,
    "conservation": conservation,
}


def main() -> None:
    """Make the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--events", type=int, default=20_000_000, help="collisions of a run")
    given = parser.parse_args()
    for name in given.tables or TABLES:
        if name not in TABLES:
            parser.error(f"there is no table {name}; there are {', '.join(TABLES)}")
        text = "\n".join(TABLES[name](given.events))
        if given.write:
            put("hard-discs.md", name, text)
        else:
            print(f"{name}\n{text}\n")


if __name__ == "__main__":
    main()
