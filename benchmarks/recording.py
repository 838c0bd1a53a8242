"""What a recording costs and how fast its frames are found: the tables of docs/decisions/recordings.md.

    python -m benchmarks.recording [FOLDER] [--frames 10000]

Records 10⁴ and 10⁵ discs into FOLDER (a temporary one unless given) with different times between waits for the disk,
then reads frames at random: of a recording of `--frames` frames of 10⁴ discs (6 GB with the default; removed again),
and of text files with 200 such frames.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from engine.files import FileFrame, TrajectoryWriter, open_trajectory, write


def states(count: int, number: int = 8) -> list[FileFrame]:
    """Different frames of `count` discs."""
    rng = np.random.default_rng(0)
    radii, masses, box = np.full(count, 0.1), np.ones(count), np.array([100.0, 100.0])
    return [
        FileFrame(
            rng.random((count, 2)) * box,
            rng.normal(size=(count, 2)),
            radii,
            masses,
            rng.integers(0, count, count).astype(np.int32),
            box,
            periodic=True,
        )
        for _ in range(number)
    ]


def record(path: Path, count: int, frames: int, sync_every: float) -> tuple[list[float], float]:
    """Milliseconds of each frame, and megabytes per frame."""
    some = states(count)
    spent = []
    with TrajectoryWriter(path, "seed = 1", sync_every=sync_every) as writer:
        for number in range(frames):
            frame = some[number % len(some)]
            frame.time = 0.5 * number
            spent.append(_milliseconds(writer.append, frame)[0])
    return spent, writer.bytes / frames / 1e6


def seek(path: Path, times: int = 300) -> str:
    """A row of the table: opening, times, frames at random."""
    opening, trajectory = _milliseconds(open_trajectory, path)
    reading, _ = _milliseconds(getattr, trajectory, "times")
    rng = np.random.default_rng(1)
    spent = [_milliseconds(trajectory.__getitem__, k)[0] for k in rng.integers(0, len(trajectory), times)]
    trajectory.close()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return (
        f"{len(trajectory)} frames, {path.stat().st_size / 1e6:.0f} MB | {opening:.0f} | {reading:.0f} "
        f"| {np.median(spent):.1f} | {np.percentile(spent, 99):.1f} | {max(spent):.1f} | {memory}"
    )


def forget(path: Path) -> None:
    """Take a file out of the system's memory, so that it is read from the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def _milliseconds(call: Callable[..., Any], *given: Any) -> tuple[float, Any]:
    start = perf_counter()
    result = call(*given)
    return 1e3 * (perf_counter() - start), result


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--frames", type=int, default=10_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        path = Path(folder) / "t.gsd"
        print("| discs | wait for the disk every | ms per frame, median | mean | slowest | MB per frame |")
        for count, frames in ((10_000, 300), (100_000, 100)):
            for sync_every, words in ((1.0, "second"), (0.0, "frame"), (1e9, "never")):
                spent, size = record(path, count, frames, sync_every)
                figures = f"{np.median(spent):.2f} | {np.mean(spent):.1f} | {max(spent):.0f} | {size:.2f}"
                print(f"| {count} | {words} | {figures} |", flush=True)
        record(path, 10_000, given.frames, 1.0)
        print("| 10⁴ discs | opening, ms | times, ms | a frame, ms, median | 99 % | slowest | peak memory, MiB |")
        print(f"| GSD, in the system's memory | {seek(path)} |", flush=True)
        forget(path)
        print(f"| GSD, from the disk | {seek(path)} |", flush=True)
        for name in ("t.xyz", "t.dump"):
            write(Path(folder) / name, states(10_000) * 25)
            print(f"| {name[2:]} | {seek(Path(folder) / name)} |", flush=True)


if __name__ == "__main__":
    main()
