"""This program beside others that do the same work, on one core, in turns: docs/peers.md.

EDMD, the event-driven code of Smallenburg (2022) in C, is built from the folder that the variable AGGVIEWER_EDMD names:
``Single`` of https://github.com/FSmallenburg/EDMD. freud (``pip install freud-analysis``) is used where it is
installed. HiGHS is measured in test_jamming_speed.py.

A rate is all collisions over all seconds of the processor, with what both programs need for lists and calendars. What
freud finds must be the same: all contacts, pairs by distance but for the few that single precision puts into the
interval beside, areas to 10⁻³. The search for neighbours counts, what makes points into those of the library does not.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks import edmd
from benchmarks.conftest import Report, seconds
from benchmarks.tables import spaced
from benchmarks.test_analysis_speed import aggregate, loose, side
from benchmarks.test_hard_discs_speed import gas
from engine import analysis
from engine.analysis.voronoi import voronoi

Floats = NDArray[np.float64]
Work = Callable[[], NDArray[Any]]

EDMD = os.environ.get("AGGVIEWER_EDMD", "")
SYSTEMS = [
    *(("discs", fraction, count) for count in (16_384, 262_144) for fraction in (0.01, 0.3, 0.5, 0.65)),
    ("discs", 0.5, 1_000_000),
    *(("spheres", fraction, count) for count in (16_384, 262_144) for fraction in (0.01, 0.3, 0.49)),
]
STRETCHES = 6
A_DISC = {16_384: (12.0, 12.0), 262_144: (8.0, 2.0), 1_000_000: (3.0, 1.0)}
"""Collisions a disc in a stretch, here and there. Ours are longer, as a new epoch comes once in 20 to 60 only."""

THIN, IN_A_THIN_GAS = 0.1, 2.0
"""Below this volume fraction collisions take several times as long; no more than so many a disc then."""

COUNT = 100_000
_TOUCH = 2.1  # radii: what engine.analysis calls a contact
_POINTS, _LAST = 180, 19.95  # of engine.analysis.pair_distribution


@pytest.mark.skipif(not EDMD, reason="AGGVIEWER_EDMD names no folder")
@pytest.mark.parametrize(("kind", "fraction", "count"), SYSTEMS)
def test_beside_edmd(report: Report, tmp_path: Path, kind: str, fraction: float, count: int) -> None:
    """Collisions a second of both from the same places, with the least and the greatest ratio of single stretches.
    While one computes a stretch the other waits."""
    dimensions = 3 if kind == "spheres" else 2
    here, there = (min(one, IN_A_THIN_GAS if fraction < THIN else one) for one in A_DISC[count])
    settings = edmd.settings_for(fraction, there, dimensions)
    simulation = gas(count, fraction, dimensions)
    collisions = simulation.advance(max_events=5 * count).events["collision"]
    diameter = 2.0 * float(simulation.radii[0])
    edmd.build(Path(EDMD), settings, tmp_path, dimensions)
    start = edmd.start_file(simulation.frame().positions / diameter, simulation.box / diameter, settings.shell)
    (tmp_path / edmd.START).write_text(start, encoding="utf-8")
    own, other = [], []
    with edmd.running(tmp_path) as stretch:
        stretch()  # as the gas here has come to equilibrium
        for _ in range(STRETCHES):
            other.append(stretch())
            before, began = collisions, time.thread_time()
            collisions = simulation.advance(max_events=int(here * count)).events["collision"]
            own.append((collisions - before, time.thread_time() - began))
    ratios = [a / s / (b / t) for (a, s), (b, t) in zip(own, other, strict=True)]
    rates = [float(np.divide(*np.sum(stretches, axis=0))) for stretches in (own, other)]
    report(discs=count, fraction=fraction, here=rates[0], c=rates[1], least=min(ratios), most=max(ratios))


def _here(box: Floats) -> list[tuple[str, float, Work]]:
    """The work as this program does it, all of it in a periodic box, and how far what another finds may be off."""
    touching, apart, radii = aggregate(COUNT), loose(COUNT), np.ones(COUNT)
    return [
        ("contacts of each disc", 0.0, lambda: analysis.contact_counts(touching, radii, box, periodic=True)),
        (
            "pairs by distance",
            1e-3,
            lambda: analysis.pair_distribution(apart, radii, box, periodic=True)["p"] - 1.0,
        ),
        ("areas of Voronoi cells", 1e-3, lambda: voronoi(apart, radii, box, periodic=True, edges=False).area),
    ]


def _freud(box: Floats) -> list[Work]:
    """freud, in single precision as it is, on one thread, with the faster of its searches."""
    freud = pytest.importorskip("freud")
    freud.parallel.set_num_threads(1)
    its_box = freud.box.Box.square(float(box[0]))

    def points(positions: Floats) -> NDArray[np.float32]:
        three = np.zeros((len(positions), 3), np.float32)
        three[:, :2] = positions - box / 2.0
        return np.asarray(its_box.wrap(three))

    touching, apart = points(aggregate(COUNT)), points(loose(COUNT))

    def contacts() -> Floats:
        search = freud.locality.AABBQuery(its_box, touching).query(touching, {"r_max": _TOUCH, "exclude_ii": True})
        return np.asarray(search.toNeighborList().neighbor_counts, np.float64)

    def distances() -> Floats:
        found = freud.density.RDF(bins=199, r_max=_LAST, r_min=0.05).compute((its_box, apart))  # ends as here
        return np.asarray(found.n_r[-_POINTS:], np.float64)

    def areas() -> Floats:
        return np.asarray(freud.locality.Voronoi().compute((its_box, apart)).volumes, np.float64)

    return [contacts, distances, areas]


@pytest.mark.parametrize("order", range(3))
def test_beside_freud(report: Report, order: int) -> None:
    """Seconds of the processor of the same work. order : place in the table."""
    box = np.full(2, side(COUNT))
    there = _freud(box)[order]
    work, tolerance, here = _here(box)[order]
    np.testing.assert_allclose(there(), here(), rtol=tolerance)
    found = {"here": seconds(here, 5), "there": seconds(there, 5)}
    report(order=order, work=work, size=f"{spaced(COUNT)} discs", peer="freud", **found)
