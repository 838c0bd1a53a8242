"""EDMD, the event-driven code of Smallenburg (2022) in C, run in turns with this program, with spheres or with discs.

That code simulates spheres; its variant ``Single`` (one event a particle) is its fastest. For discs it gets a slab one
layer thick: all centres at one height and no velocity along z. What is changed for that, and what sets its parameters
and makes it wait for its turn, stands in edmd.toml.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.geometry.morton import morton_order
from engine.hard_discs.theory import enskog_rate

SOURCE, BESIDE = "mdSingle.c", ("mdSingle.h", "mt19937ar.c")
START = "init.sph"
COMPILER = ("gcc", "-Ofast", "-funroll-loops", "-march=native", "-w")  # as its makefile has it, but for the warnings

SHELLS = {2: {0.01: 8.0, 0.3: 2.2, 0.5: 1.9, 0.65: 1.8}, 3: {0.01: 2.5, 0.3: 1.6, 0.49: 1.5}}
"""By dimensions and volume fraction, the radius of its lists in diameters at which it was fastest with 16 384 discs or
spheres. Where a gas is thin, longer blocks of its calendar (`Settings`) gain a little as well; elsewhere its own are as
good as any."""

_SAID = re.compile(r"Simtime: ([\d.]+), Collisions: (\d+),")
_TAKEN = re.compile(r"Processor: ([\d.]+)")


class Settings(NamedTuple):
    """What is set for each density. Units: diameter, mass and kT are 1."""

    shell: float
    schedule: float
    block: float
    stretch: float


class Reading(NamedTuple):
    """What the changed program says at the end of a stretch, counted from its start."""

    time: float
    collisions: int
    """Pairs that have met and changed their velocities. Other events (lists, entries out of date) do not count."""

    seconds: float
    """Of the processor."""


def settings_for(fraction: float, collisions_a_disc: float, dimensions: int = 2) -> Settings:
    """Settings for a volume fraction and stretches of so many collisions a disc or sphere."""
    rate = float(enskog_rate(fraction, dimensions))  # for a disc or sphere in equilibrium; a collision is one of two
    shells = SHELLS[dimensions]
    wait = 1.0 / (1.0 + rate)
    return Settings(
        shell=shells[min(shells, key=lambda known: abs(known - fraction))],
        schedule=max(1.0, round(4.0 * wait, 3)),
        block=max(1.0, round(10.0 * wait, 3)),
        stretch=round(2.0 * collisions_a_disc / rate, 6),
    )


def changes_for(dimensions: int) -> list[dict[str, str]]:
    """What is changed for discs or for spheres."""
    found = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    changes: list[dict[str, str]] = found["change"]
    return changes if dimensions == 3 else changes + found["plane"]


def changed(source: str, settings: Settings, dimensions: int = 2) -> str:
    """The source with all its changes. ValueError where it is another one than is known here."""
    for change in changes_for(dimensions):
        before, after = change["before"], change["after"]
        if source.count(before) != 1:
            raise ValueError(f"This is not the code known here: `{before}` should stand in it once")
        for name, value in settings._asdict().items():
            after = after.replace(f"{{{name}}}", repr(value))
        source = source.replace(before, after)
    return source


def start_file(positions: NDArray[np.float64], box: NDArray[np.float64], shell: float) -> str:
    """The file from which it starts: discs or spheres of diameter 1 at (N, d) positions in a periodic box; discs in one
    layer.

    They stand along a Z curve, as this program keeps its own: in the order of their rows EDMD is slower. Velocities are
    drawn by it, from Maxwell's distribution.
    """
    places = positions - box * np.floor(positions / box)
    places = places[morton_order(places, box)]
    sides = list(box)
    if len(box) == 2:
        sides.append(ceil(shell) + 1.0)  # lists reach no other layer
        places = np.column_stack([places, np.full(len(places), 0.5 * sides[2])])
    head = f"{len(places)}\n{sides[0]:.12f} {sides[1]:.12f} {sides[2]:.12f}\n"
    return head + "".join(f"a {x:.12f} {y:.12f} {z:.12f} 0.5\n" for x, y, z in places)


def readings(lines: Iterable[str]) -> Iterator[Reading]:
    """What the program's output says, one for each stretch; the first one is that of its start."""
    said = (0.0, 0)
    for line in lines:
        if found := _SAID.match(line):
            said = float(found[1]), int(found[2])
        elif taken := _TAKEN.match(line):
            yield Reading(*said, float(taken[1]))


Stretch = Callable[[], tuple[int, float]]
"""Lets the program compute one stretch: its collisions, and the seconds of the processor."""


@contextmanager
def running(folder: Path) -> Iterator[Stretch]:
    """The built program of a folder, on the core of this process, waiting for its turn until the block ends.
    RuntimeError where it ends by itself."""
    with subprocess.Popen(["./md"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        turn, found = process.stdin, readings(process.stdout)
        last = next(found)

        def stretch() -> tuple[int, float]:
            nonlocal last
            print(file=turn, flush=True)
            before, after = last, next(found, None)
            if after is None:
                raise RuntimeError("EDMD has ended by itself; what it said last stands above")
            last = after
            return after.collisions - before.collisions, after.seconds - before.seconds

        try:
            yield stretch
        finally:
            process.kill()


def build(folder: Path, settings: Settings, into: Path, dimensions: int = 2) -> None:
    """Compile the code of its folder ``Single`` with its changes, as the program ``md`` in another folder."""
    for name in BESIDE:
        shutil.copy(folder / name, into)
    source = (folder / SOURCE).read_text(encoding="utf-8")
    (into / SOURCE).write_text(changed(source, settings, dimensions), encoding="utf-8")
    subprocess.run([*COMPILER, SOURCE, "-o", "md", "-lm"], cwd=into, check=True)
