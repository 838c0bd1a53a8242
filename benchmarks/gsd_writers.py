"""The writer of recordings against the one of the gsd package, `gsd.fl`, as docs/decisions/gsd-writer.md shows them.

    python benchmarks/gsd_writers.py [speed | full-disk | sync | start]

Both write the same chunks. After each frame the file refers to all of it: the end of a process must lose nothing.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gsd.fl
import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.files import open_trajectory
from engine.files.gsd import schema
from engine.files.gsd.appender import GsdAppender

Chunks = dict[str, NDArray[Any]]
NAMES = (
    *(schema.STEP, schema.POSITION, schema.EXACT_POSITION, schema.VELOCITY, schema.EXACT_VELOCITY, schema.CLUSTER),
    *(schema.COUNT, schema.DIMENSIONS, schema.BOX, schema.DIAMETER, schema.TIME),
)


def frame(count: int, number: int) -> Chunks:
    """The chunks of a frame of a recording."""
    places = np.full((count, 3), 0.25, np.float32)
    places[:, 2] = 0.0
    exact = np.full((count, 2), 0.25 + number)
    chunks: Chunks = {
        schema.STEP: np.array([number], np.uint64),
        schema.POSITION: places,
        schema.EXACT_POSITION: exact,
        schema.VELOCITY: places,
        schema.EXACT_VELOCITY: exact,
        schema.CLUSTER: np.zeros(count, np.int32),
        schema.TIME: np.array([float(number)]),
    }
    if not number:
        chunks |= {
            schema.COUNT: np.array([count], np.uint32),
            schema.DIMENSIONS: np.array([2], np.uint8),
            schema.BOX: np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0], np.float32),
            schema.DIAMETER: np.full(count, 0.01, np.float32),
        }
    return chunks


class Ours:
    """Recordings as the program writes them."""

    def __init__(self, path: Path) -> None:
        self._file = GsdAppender(path, NAMES, "aggviewer", "hoomd", (1, 4), sync_every=1.0)

    def append(self, chunks: Chunks) -> None:
        """Write a frame."""
        self._file.append(chunks)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Theirs:
    """Recordings by gsd.fl. every : frames between two calls of `flush`."""

    def __init__(self, path: Path, every: int = 1) -> None:
        self._file = gsd.fl.open(str(path), "w", application="aggviewer", schema="hoomd", schema_version=(1, 4))
        self._every, self._frames = every, 0

    def append(self, chunks: Chunks) -> None:
        """Write a frame."""
        for name in sorted(chunks, key=NAMES.index):
            self._file.write_chunk(name, chunks[name])
        self._file.end_frame()
        self._frames += 1
        if self._frames % self._every == 0:
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


WRITERS: dict[str, Callable[[Path], Any]] = {
    "ours": Ours,
    "gsd.fl": Theirs,
    "gsd.fl, flush every 60": lambda path: Theirs(path, 60),
}


def speed() -> None:
    """Wall and processor time of a frame: medians of five files, in turns."""
    for count, number in ((100, 2000), (10_000, 300), (1_000_000, 10)):
        frames = [frame(count, k) for k in range(min(number, 10))]
        walls: dict[str, list[float]] = {name: [] for name in WRITERS}
        works: dict[str, list[float]] = {name: [] for name in WRITERS}
        for _ in range(5):
            for name, make in WRITERS.items():
                with tempfile.TemporaryDirectory(dir=".") as folder:
                    writer = make(Path(folder) / "t.gsd")
                    writer.append(frames[0])
                    wall, work = time.perf_counter(), time.process_time()
                    for k in range(number - 1):
                        writer.append(frames[1 + k % (len(frames) - 1)])
                    walls[name].append((time.perf_counter() - wall) / (number - 1))
                    works[name].append((time.process_time() - work) / (number - 1))
                    writer.close()
        for name in WRITERS:
            wall, work = np.median(walls[name]) * 1e3, np.median(works[name]) * 1e3
            print(f"{count:8} discs  {name:24} {wall:8.2f} ms  processor {work:7.2f} ms a frame")


def full_disk() -> None:
    """A disk that gets full at one of 30 lengths of a file of 200 frames of 2 discs: what is left of the recording."""
    for name in ("ours", "gsd.fl"):
        make = WRITERS[name]
        with tempfile.TemporaryDirectory(dir=".") as folder:
            path = Path(folder) / "t.gsd"
            writer = make(path)
            for k in range(200):
                writer.append(frame(2, k))
            writer.close()
            whole = path.stat().st_size
            found = {"all": 0, "fewer": 0, "none": 0, "not told": 0}
            for size in np.linspace(6000, whole - 1, 30).astype(int).tolist():
                kept, told = fill_up(make, path, size)
                try:
                    with open_trajectory(path) as trajectory:
                        left = len(trajectory)
                        assert all(trajectory[k].time == k for k in range(left))
                except (InputError, AssertionError):
                    left = 0
                found["all" if left >= kept else "fewer" if left else "none"] += 1
                found["not told"] += not told
        print(f"{name:8} of the frames promised before the disk was full are left, in 30 files: {found}")


def fill_up(make: Callable[[Path], Any], path: Path, size: int) -> tuple[int, bool]:
    """Record until the system makes the file no longer; frames promised, and whether the writer raised OSError."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    kept, told = 0, False
    writer = None
    try:
        writer = make(path)
        for k in range(200):
            writer.append(frame(2, k))
            kept += 1
    except (OSError, RuntimeError):
        told = True
    finally:
        try:
            if writer is not None:
                writer.close()
        except (OSError, RuntimeError):
            told = True
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    return kept, told


def sync() -> None:
    """Calls of fsync a frame, counted by strace."""
    for name in ("ours", "gsd.fl"):
        with tempfile.TemporaryDirectory(dir=".") as folder:
            code = (
                "from pathlib import Path\nfrom benchmarks.gsd_writers import WRITERS, frame\n"
                f"w = WRITERS[{name!r}](Path({folder!r}) / 't.gsd')\nfor k in range(100): w.append(frame(100, k))\n"
                "w.close()"
            )
            trace = Path(folder) / "trace"
            command = ["strace", "-f", "-c", "-e", "trace=fsync", "-o", str(trace), sys.executable, "-c", code]
            subprocess.run(command, check=True)
            calls = [line.split()[3] for line in trace.read_text().splitlines() if line.endswith("fsync")]
            print(f"{name:8} fsync in 100 frames: {calls[0] if calls else 0}")


def start() -> None:
    """Processor time of importing gsd.fl where numpy is loaded, the median of 9."""
    code = "import time, numpy\nt = time.process_time()\nimport gsd.fl\nprint(time.process_time() - t)"
    done = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(9)]
    print(f"import gsd.fl: {1e3 * float(np.median(done)):.1f} ms of processor time")


if __name__ == "__main__":
    parts = {"speed": speed, "full-disk": full_disk, "sync": sync, "start": start}
    for wanted in sys.argv[1:] or parts:
        parts[wanted]()
