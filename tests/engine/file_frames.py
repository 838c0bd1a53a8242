"""Frames for the tests of files, and how two of them are compared."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from engine.files import FileFrame

EVERYTHING = ("positions", "velocities", "radii", "masses", "cluster", "box")


def some_frames(number: int, count: int = 7, *, periodic: bool = True, scenario: str = "") -> list[FileFrame]:
    """Frames whose numbers need all their digits; radii, masses and box stay the same."""
    rng = np.random.default_rng(5)
    radii = rng.uniform(0.1, 0.2, count)
    masses = radii**2 * 31.0
    box = np.array([7.1, 5.3])
    return [
        FileFrame(
            positions=rng.random((count, 2)) * box,
            velocities=rng.normal(size=(count, 2)),
            radii=radii,
            masses=masses,
            cluster=rng.integers(0, count, count).astype(np.int32),
            box=box,
            periodic=periodic,
            time=0.1 * k,
            scenario=scenario,
        )
        for k in range(number)
    ]


def assert_same(wanted: FileFrame, found: FileFrame, parts: tuple[str, ...] = EVERYTHING) -> None:
    """Equal to the last bit."""
    for name in parts:
        expected, got = getattr(wanted, name), getattr(found, name)
        assert got.dtype == expected.dtype, name
        assert got.tobytes() == expected.tobytes(), name
    assert found.periodic == wanted.periodic
    assert found.time == wanted.time


def put(folder: Path, name: str, text: str | bytes) -> Path:
    """A file with that text."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """The system refuses to make a file longer, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
