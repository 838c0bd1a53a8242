"""Recordings: whole at every moment, whatever ends the process or the disk."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import gsd.hoomd
import numpy as np
import pytest

from engine.files import FileFrame, RecordingError, TrajectoryWriter, open_trajectory
from engine.files.gsd.container import HEADER
from engine.files.gsd.writer import GsdAppender
from tests.builders.file_frames import assert_same, files_of_at_most, some_frames

SCENARIO = "seed = 1\n"
UNFINISHED = "the last frame is incomplete and was left out"


def test_a_recording_can_be_read_while_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "t.gsd"
    frames = some_frames(5)
    with TrajectoryWriter(path, SCENARIO) as writer:
        assert (writer.frames, writer.bytes) == (0, 0)
        for number, frame in enumerate(frames, 1):
            writer.append(frame)
            assert writer.frames == number
            assert writer.bytes == path.stat().st_size
            with open_trajectory(path) as found:
                assert len(found) == number
                assert found.scenario == SCENARIO
                assert_same(frame, found[-1])
            with gsd.hoomd.open(str(path)) as other:
                assert len(other) == number
                assert other[number - 1].configuration.step == number - 1
    with pytest.raises(ValueError, match="closed"):
        writer.append(frames[0])
    writer.close()


def test_two_programs_do_not_record_to_one_file(tmp_path: Path) -> None:
    path = tmp_path / "t.gsd"
    first, second = some_frames(2)
    with TrajectoryWriter(path) as writer:
        writer.append(first)
        other = TrajectoryWriter(path)
        with pytest.raises(RecordingError, match="another program is recording to it; nothing was recorded"):
            other.append(second)
        writer.append(second)
    with open_trajectory(path) as found:
        assert len(found) == 2
    assert list(tmp_path.iterdir()) == [path]


def test_constant_parts_stand_in_the_first_frame_only(tmp_path: Path) -> None:
    path = tmp_path / "t.gsd"
    with TrajectoryWriter(path, SCENARIO) as writer:
        sizes = []
        for frame in some_frames(3, count=1000):
            writer.append(frame)
            sizes.append(writer.bytes)
    per_disc = 12 + 12 + 16 + 16 + 4  # twice three floats, twice two doubles, one integer
    assert sizes[2] - sizes[1] == sizes[1] - sizes[0] == per_disc * 1000 + 16
    with gsd.fl.open(str(path), "r") as file:
        for name in ("particles/diameter", "particles/mass", "log/scenario", "log/particles/radius", "log/box"):
            assert file.chunk_exists(0, name)
            assert not file.chunk_exists(1, name)


def test_the_arrays_are_not_kept(tmp_path: Path) -> None:
    (frame,) = some_frames(1)
    wanted = frame.copy()
    with TrajectoryWriter(tmp_path / "t.gsd") as writer:
        writer.append(frame)
        frame.radii *= 2.0
        writer.append(frame)
    with open_trajectory(tmp_path / "t.gsd") as found:
        assert_same(wanted, found[0])
        assert_same(frame, found[1])


def test_frames_that_do_not_fit_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    first, second = some_frames(2)
    with TrajectoryWriter(tmp_path / "t.gsd") as writer:
        with pytest.raises(ValueError, match="needs discs, a box and radii"):
            writer.append(FileFrame(np.zeros((1, 2))))
        writer.append(first)
        with pytest.raises(ValueError, match="9 discs in a recording of 7"):
            writer.append(some_frames(1, count=9)[0])
        wrong = second.copy()
        wrong.radii = np.ones(6)
        with pytest.raises(ValueError, match=r"radii of shape \(6,\)"):
            writer.append(wrong)
        second.cluster = None
        with pytest.raises(ValueError, match="same parts as the first"):
            writer.append(second)
        writer.append(first)
        assert writer.frames == 2


def test_a_process_that_ends_between_or_within_any_two_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every prefix of what the recorder writes is a file up to the last whole frame, in other programs too.

    The system may cut a write at the border of a page, so at a multiple of 32 bytes, and no shorter one.
    """
    monkeypatch.setattr("engine.files.gsd.writer._FIRST_ENTRIES", 32)
    written: list[tuple[int, bytes, int]] = []  # place, data, frames that are promised before it
    plain = GsdAppender._write

    def noted(self: GsdAppender, at: int, data: bytes | memoryview) -> int:
        written.append((at, bytes(data), getattr(self, "frames", 0)))
        return plain(self, at, data)

    monkeypatch.setattr(GsdAppender, "_write", noted)
    frames = some_frames(6, count=2)
    with TrajectoryWriter(tmp_path / "whole.gsd", SCENARIO) as writer:
        for frame in frames:
            writer.append(frame)
    assert sum(len(data) == 16 and at == 8 for at, data, _ in written) >= 1  # the index was moved
    path = tmp_path / "t.gsd"
    so_far = bytearray()
    notices = set()
    for at, data, promised in written:
        for cut in range(0, len(data), 32):
            state = so_far.ljust(at, b"\0")
            state[at : at + cut] = data[:cut]
            if len(state) < HEADER.size + 256 or not promised:
                continue
            path.write_bytes(state)
            with open_trajectory(path) as found:
                assert promised <= len(found) <= promised + 1
                notices.add(found.notice)
                for number in range(len(found)):
                    assert_same(frames[number], found[number])
            with gsd.hoomd.open(str(path)) as other:
                assert len(other) >= promised
        so_far = so_far.ljust(at + len(data), b"\0")
        so_far[at : at + len(data)] = data
    assert notices == {"", UNFINISHED}


def write_all(writer: TrajectoryWriter, frames: list[FileFrame]) -> None:
    for frame in frames:
        writer.append(frame)


def test_a_full_disk_keeps_the_frames_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.files.gsd.writer._FIRST_ENTRIES", 32)
    frames = some_frames(12, count=20)
    whole = tmp_path / "whole.gsd"
    with TrajectoryWriter(whole, SCENARIO) as writer:
        for frame in frames:
            writer.append(frame)
    path = tmp_path / "t.gsd"
    kept = set()
    for size in range(0, whole.stat().st_size, 611):
        writer = TrajectoryWriter(path, SCENARIO)
        with pytest.raises(RecordingError) as caught, files_of_at_most(size):
            write_all(writer, frames)
        done = caught.value.frames
        kept.add(done)
        assert writer.frames == done < len(frames)
        expected = f"the {done} frames before it are kept" if done else "nothing was recorded"
        assert str(caught.value) == f"{path}: recording stopped, File too large; {expected}"
        with pytest.raises(ValueError, match="closed"):
            writer.append(frames[0])
        if done:
            with open_trajectory(path) as found:
                assert len(found) == done
                assert found.notice == ""
                for number in range(done):
                    assert_same(frames[number], found[number])
            with gsd.hoomd.open(str(path)) as other:
                assert len(other) == done
    assert kept == set(range(len(frames)))


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    writer = TrajectoryWriter(tmp_path / "none" / "t.gsd")
    with pytest.raises(RecordingError, match="No such file or directory; nothing was recorded"):
        writer.append(some_frames(1)[0])


CHILD = """
import os, sys
import numpy as np
from engine.files import FileFrame, TrajectoryWriter
count = int(sys.argv[2])
box, radii = np.array([50.0, 40.0]), np.full(count, 0.1)
with TrajectoryWriter(sys.argv[1], "seed = 1", sync_every=0.01) as writer:
    for k in range(100_000):
        base = np.arange(2.0 * count).reshape(count, 2)
        writer.append(FileFrame((base * 0.001 + k * 0.125) % 40.0, base - k, radii,
                                cluster=np.full(count, k, np.int32), box=box, periodic=False, time=0.5 * k))
        os.write(1, b".")
"""


def record_and_kill(path: Path, after: int, count: int) -> tuple[int, str]:
    """Frames that the recorder has finished before it was killed, after so many or a little later, and the notice of
    the file, which is checked."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path), str(count)], stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]
    )
    try:
        assert child.stdout.read(after) == b"." * after
    finally:
        child.send_signal(signal.SIGKILL)
        finished = after + len(child.stdout.read())
        child.stdout.close()
        assert child.wait() == -signal.SIGKILL
    with open_trajectory(path) as found:
        assert finished <= len(found) <= finished + 1
        assert np.array_equal(found.times, 0.5 * np.arange(len(found)))
        base = np.arange(2.0 * count).reshape(count, 2)
        for number in {*range(0, len(found), 1 + len(found) // 20), len(found) - 1}:
            frame = found[number]
            assert np.array_equal(frame.positions, (base * 0.001 + number * 0.125) % 40.0)
            assert np.array_equal(frame.velocities, base - number)
            assert (frame.cluster == number).all()
        with gsd.hoomd.open(str(path)) as other:
            assert len(other) >= finished
        return finished, found.notice


@pytest.mark.parametrize("seed", range(2))
def test_killed_at_any_moment_it_opens_up_to_the_last_whole_frame(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    record_and_kill(tmp_path / "t.gsd", rng.randrange(1, 40), rng.choice((10, 3000, 50_000)))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_fifty_kills(tmp_path: Path) -> None:
    rng = random.Random(50)
    for _ in range(50):
        record_and_kill(tmp_path / "t.gsd", rng.randrange(1, 200), rng.choice((10, 3000, 50_000)))
