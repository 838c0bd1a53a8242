"""Real files, small ones of each kind, and ways to spoil them."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import gsd.hoomd
import numpy as np

from engine.files import write
from engine.scenario import Scenario
from tests.builders.file_frames import some_frames, some_packings

KINDS = (
    *(".gsd", ".hoomd.gsd", ".packing.gsd", ".xyz", ".plain.xyz", ".momenta.xyz"),
    *(".dump", ".vectors.dump", ".data", ".csv", ".sheet.csv"),
    *(".spheres.gsd", ".spheres.xyz", ".spheres.dump", ".spheres.csv"),
)

_DATA = (
    "made by hand\n\n4 atoms\n2 atom types\n0 8 xlo xhi\n0 6 ylo yhi\n-0.5 0.5 zlo zhi\n\nMasses\n\n1 1.5\n2 2\n\n"
    "Atoms # sphere\n\n1 1 0.5 1 1 1 0\n2 2 0.5 1 2 2 0\n3 1 0.5 1 3 3 0\n4 2 0.5 1 4 4 0\n\n"
    "Velocities\n\n1 1 0 0\n2 0 1 0\n3 0 0 0\n4 1 1 0\n"
)
_MOMENTA = "2\nProperties=species:S:1:pos:R:3:momenta:R:3\nAr 1 2 0 1 2 0\nX 3 4 0 0 1 0\n" * 3
_VECTORS = (
    "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS abc origin pp pp ff\n8 0 0 1\n0 6 0 2\n0 0 1 0\n"
    "ITEM: ATOMS id x y\n1 1 2\n2 3 4\n"
) * 3
_SHEET = '\ufeff"sep=;"\r\n"# Box = 9 9 walls";;\r\nX;"Y";Radius;\r\n1,5;2,25;0,5;\r\n;;;\r\n"3,5";4;1e-1;\r\n'
_PLAIN = "2\nplain\nA 1 2 0\nB 3 4 0\n" * 3
_NUMBERS = (
    b"",
    b"-1",
    b"0",
    b"1e999",
    b"-1e308",
    b"nan",
    b"inf",
    b"99999999999",
    b"1_0",
    b"0x10",
    b"1e-320",
    b"2.5",
    b"\xff",
)
_LINES = (
    b"",
    b"\n",
    b"ITEM: ATOMS id x y\n",
    b"ITEM: NUMBER OF ATOMS\n9\n",
    b"Atoms # full\n\n",
    b"3\n\n",
    b"# box = 1 1\n",
)
_WORDS = (0, 1, 2, 7, 255, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 2**62, 2**63, 2**64 - 1, 2**64 - 256)


@cache
def real_file(kind: str) -> bytes:
    """A file as this program, HOOMD's or a person writes it."""
    texts = {".data": _DATA, ".plain.xyz": _PLAIN, ".momenta.xyz": _MOMENTA, ".vectors.dump": _VECTORS}
    texts[".sheet.csv"] = _SHEET
    if kind in texts:
        return texts[kind].encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t{kind}"
        if kind == ".hoomd.gsd":
            _write_hoomd(path)
        elif kind == ".packing.gsd":
            write(path, some_packings(2))
        else:
            number, dimensions = 1 if kind.endswith(".csv") else 3, 3 if "spheres" in kind else 2
            write(path, some_frames(number, count=4, scenario=Scenario().to_toml(), dimensions=dimensions))
        return path.read_bytes()


def _write_hoomd(path: Path) -> None:
    with gsd.hoomd.open(str(path), "w") as file:
        for step in range(3):
            frame = gsd.hoomd.Frame()
            frame.configuration.step = step
            frame.configuration.box = [8, 6, 0, 0, 0, 0]
            frame.particles.N = 4
            frame.particles.position = np.linspace(-2, 2, 12).reshape(4, 3) * [1, 1, 0]
            frame.particles.image = [[0, 1, 0], [step, -2, 0], [3, step, 0], [0, 0, 0]]
            frame.particles.diameter = [0.5, 0.5, 1, 1]
            frame.particles.types = ["A", "B"]
            frame.particles.typeid = [0, 0, step, 1] if step < 2 else [0, 0, 1, 1]
            frame.particles.type_shapes = [{"type": "Sphere", "diameter": 0.5}, {"type": "Ellipsoid", "a": 1, "b": 1}]
            file.append(frame)


def spoiled(kind: str, seed: int, whole: bytes | None = None) -> bytes:
    """A real file, or `whole`, with one to four things done to it; the same seed does the same."""
    rng = random.Random(seed)
    data = bytearray(real_file(kind) if whole is None else whole)
    ways = [*_ANY, *(_BINARY if kind.endswith(".gsd") else _TEXT)]
    for _ in range(rng.randint(1, 4)):
        rng.choice(ways)(data, rng)
    return bytes(data)


def _cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randint(0, len(data)) :]


def _flip(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.randint(1, 8)):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)


def _remove(data: bytearray, rng: random.Random) -> None:
    start = rng.randint(0, len(data))
    del data[start : start + rng.randint(1, 64)]


def _insert(data: bytearray, rng: random.Random) -> None:
    at = rng.randint(0, len(data))
    data[at:at] = rng.randbytes(rng.randint(1, 64))


def _repeat(data: bytearray, rng: random.Random) -> None:
    start = rng.randint(0, len(data))
    part = data[start : start + rng.randint(1, 300)]
    at = rng.randint(0, len(data))
    data[at:at] = part * rng.randint(1, 5)


def _word(data: bytearray, rng: random.Random) -> None:
    """A size in the header, in the list of names or in the index."""
    size = rng.choice((1, 2, 4, 8))
    if len(data) < 4000:
        return
    index_at = int.from_bytes(data[8:16], "little")
    start = rng.choice((0, 0, 256, index_at, index_at, index_at))
    at = start + size * rng.randrange(48 // size if start == 0 else 640 // size)
    if at + size <= len(data):
        data[at : at + size] = (rng.choice(_WORDS) % 256**size).to_bytes(size, "little")


def _number(data: bytearray, rng: random.Random) -> None:
    found = list(re.finditer(rb"[-+.\w]+", bytes(data)))
    if found:
        start, end = rng.choice(found).span()
        data[start:end] = rng.choice(_NUMBERS)


def _line(data: bytearray, rng: random.Random) -> None:
    ends = [0, *(found.end() for found in re.finditer(rb"\n", bytes(data)))]
    at = rng.choice(ends)
    end = next((place for place in ends if place > at), len(data))
    data[at : end if rng.random() < 0.5 else at] = rng.choice(_LINES)


def _swap_words(data: bytearray, rng: random.Random) -> None:
    found = list(re.finditer(rb"\S+", bytes(data)))
    if len(found) > 1:
        first, second = sorted(rng.sample(found, 2), key=lambda match: match.start())
        data[second.start() : second.end()] = first.group()
        data[first.start() : first.end()] = second.group()


_Way = Callable[[bytearray, random.Random], None]
_ANY: tuple[_Way, ...] = (_cut, _flip, _remove, _insert, _repeat)
_BINARY: tuple[_Way, ...] = (_word, _word, _word, _word)
_TEXT: tuple[_Way, ...] = (_number, _number, _number, _line, _line, _swap_words)
