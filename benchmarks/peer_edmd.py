"""EDMD, the event-driven code of Smallenburg (2022) in C, run in turns with this program, with spheres or with discs.

That code simulates spheres; its variant ``Single`` (one event a particle) is its fastest. For discs it gets a slab one
layer thick: all centres at one height and no velocity along z. What has to be changed for that (`PLANE`), and what sets
its parameters and makes it wait for its turn (`CHANGES`), stands here line by line, so that it can be done by hand as
well; `build` does it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.geometry.morton import morton_order
from engine.hard_discs.theory import enskog_rate

WHERE = "https://github.com/FSmallenburg/EDMD"
SOURCE, BESIDE = "mdSingle.c", ("mdSingle.h", "mt19937ar.c")
START = "init.sph"
COMPILER = ("gcc", "-Ofast", "-funroll-loops", "-march=native", "-w")  # as its makefile has it, but for the warnings


SHELLS = {2: {0.01: 8.0, 0.3: 2.2, 0.5: 1.9, 0.65: 1.8}, 3: {0.01: 2.5, 0.3: 1.6, 0.49: 1.5}}
"""By dimensions and volume fraction, the radius of its lists in diameters at which it was fastest with 16 384 discs or
spheres. Where a gas is thin, longer blocks of its calendar (`Settings`) gain a little as well; elsewhere its own are as
good as any."""


class Change(NamedTuple):
    """A piece of the code that stands in it once, what it becomes, and why."""

    before: str
    after: str
    """Words in braces are those of `Settings`."""

    why: str


CHANGES = (
    Change("shellsize = 1.5;", "shellsize = {shell};", "the radius of its lists that is best at this density"),
    Change("maxscheduletime = 1.0;", "maxscheduletime = {schedule};", "its calendar covers nearly all waiting times"),
    Change(
        "eventlisttimemultiplier = 1;", "eventlisttimemultiplier = {block};", "the length of a block of its calendar"
    ),
    Change("usethermostat = 1;", "usethermostat = 0;", "energy is conserved, as here"),
    Change("maxtime = 100;", "maxtime = 1e300;", "it ends when it is told to"),
    Change("writeinterval = 1;", "writeinterval = {stretch};", "the length of a stretch"),
    Change("#include <stdio.h>", "#include <stdio.h>\n#include <time.h>", "for the next line"),
    Change(
        "minneigh, maxneigh);",
        'minneigh, maxneigh); printf("Processor: %.6f\\n", (double)clock() / CLOCKS_PER_SEC); '
        "fflush(stdout); if (getchar() == EOF) exit(0);",
        "it says how long it has computed, and waits for its turn",
    ),
)

PLANE = (
    Change("p->vz *= fac;", "p->vz = 0.0;", "nothing moves along z"),
    Change("cz = (int)(zsize - 0.0001) / shellsize;", "cz = 1;", "one layer of cells"),
    Change("cz *= 0.9;", "cz = 1;", "the same where a gas is thin"),
    Change("cdz = cellz - 1; cdz < cellz + 2;", "cdz = cellz; cdz < cellz + 1;", "only this layer is searched"),
    Change(" || cellz == 0", "", "only discs at the sides are near an edge of the box"),
    Change(" || cellz == cz - 1", "", "the same"),
)


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


_SAID = re.compile(r"Simtime: ([\d.]+), Collisions: (\d+),")
_TAKEN = re.compile(r"Processor: ([\d.]+)")


def settings_for(fraction: float, collisions_a_disc: float, dimensions: int = 2) -> Settings:
    """Settings for a volume fraction and stretches of so many collisions a disc or sphere."""
    rate = collision_rate(fraction, dimensions)
    shells = SHELLS[dimensions]
    wait = 1.0 / (1.0 + rate)
    return Settings(
        shell=shells[min(shells, key=lambda known: abs(known - fraction))],
        schedule=max(1.0, round(4.0 * wait, 3)),
        block=max(1.0, round(10.0 * wait, 3)),
        stretch=round(2.0 * collisions_a_disc / rate, 6),
    )


def collision_rate(fraction: float, dimensions: int = 2) -> float:
    """Enskog's rate for a disc or sphere in equilibrium; a collision is one of two."""
    return float(enskog_rate(fraction, dimensions))


def changes_for(dimensions: int) -> tuple[Change, ...]:
    """What is changed for discs or for spheres."""
    return CHANGES if dimensions == 3 else CHANGES + PLANE


def changed(source: str, settings: Settings, dimensions: int = 2) -> str:
    """The source with all its changes. ValueError where it is another one than is known here."""
    for change in changes_for(dimensions):
        if source.count(change.before) != 1:
            raise ValueError(f"This is not the code known here: `{change.before}` should stand in it once")
        source = source.replace(change.before, filled(change.after, settings))
    return source


def filled(text: str, settings: Settings) -> str:
    """The text with numbers in the place of their names in braces."""
    for name, value in settings._asdict().items():
        text = text.replace(f"{{{name}}}", repr(value))
    return text


def build(folder: Path, settings: Settings, into: Path, dimensions: int = 2) -> None:
    """Compile the code of its folder ``Single`` with its changes, as the program ``md`` in another folder."""
    for name in BESIDE:
        shutil.copy(folder / name, into)
    source = (folder / SOURCE).read_text(encoding="utf-8")
    (into / SOURCE).write_text(changed(source, settings, dimensions), encoding="utf-8")
    subprocess.run([*COMPILER, SOURCE, "-o", "md", "-lm"], cwd=into, check=True)


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
        sides.append(_height(shell))
        places = np.column_stack([places, np.full(len(places), 0.5 * _height(shell))])
    return "".join(
        [
            f"{len(places)}\n{sides[0]:.12f} {sides[1]:.12f} {sides[2]:.12f}\n",
            *(f"a {x:.12f} {y:.12f} {z:.12f} 0.5\n" for x, y, z in places),
        ]
    )


def _height(shell: float) -> float:
    """Of the layer: lists reach no other one."""
    return ceil(shell) + 1.0


def readings(lines: Iterable[str]) -> Iterator[Reading]:
    """What the program's output says, one for each stretch; the first one is that of its start."""
    said = (0.0, 0)
    for line in lines:
        if found := _SAID.match(line):
            said = float(found[1]), int(found[2])
        elif taken := _TAKEN.match(line):
            yield Reading(*said, float(taken[1]))


class Running:
    """The program, waiting for its turn."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._turn, self._readings = process.stdin, readings(process.stdout)
        self._last = self._next()

    def stretch(self) -> tuple[int, float]:
        """Let it compute one stretch: its collisions, and the seconds of the processor."""
        before = self._last
        self._turn.write("\n")
        self._turn.flush()
        self._last = self._next()
        return self._last.collisions - before.collisions, self._last.seconds - before.seconds

    def _next(self) -> Reading:
        found = next(self._readings, None)
        if found is None:
            raise RuntimeError("EDMD has ended by itself; what it said last stands above")
        return found


@contextmanager
def running(folder: Path) -> Iterator[Running]:
    """The built program of a folder, on the core of this process, until the block ends."""
    with subprocess.Popen(["./md"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Running(process)
        finally:
            process.kill()


def by_hand(settings: Settings) -> str:
    """How the program is made and run without this module."""
    lines = [f"git clone {WHERE}; in its folder Single, change these pieces of {SOURCE}:"]
    for one in changes_for(2):
        after = filled(one.after, settings).replace("\n", " and ")
        lines += [f"  {one.before.strip()}", f"    -> {after.strip() or 'nothing'}  ({one.why})"]
    height = _height(settings.shell)
    lines += [
        f"Then {' '.join(COMPILER)} {SOURCE} -o md -lm.",
        f"{START} has the number of discs, the sides of the box (the third: {height:g}), both a line, and a line",
        f"`a x y {height / 2:g} 0.5` for each disc. Every return key that `taskset -c 1 ./md` gets lets it compute a",
        "stretch: its rate is the difference of `Collisions` over that of `Processor`.",
    ]
    return "\n".join(lines)
