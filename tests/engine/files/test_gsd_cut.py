"""GSD files that are cut off anywhere open up to their last whole frame and say so."""

from __future__ import annotations

from pathlib import Path

import gsd.hoomd
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.files import TrajectoryWriter, open_trajectory, write
from engine.files.gsd.container import HEADER, GsdContainer, _places
from tests.builders.file_frames import assert_same, some_frames, some_packings


def frames_within(path: Path, length: int) -> int:
    """Frames of a whole file whose data end before `length`."""
    file = GsdContainer(path)
    index = file._index
    sizes = np.array([0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 1])[index["type"]]
    ends = index["place"] + (index["rows"] * index["columns"]).astype(np.int64) * sizes
    beyond = index["frame"][ends > length]
    file.close()
    return int(beyond.min()) if len(beyond) else file.frames


def check_cut(whole: Path, cut: Path, data: bytes, length: int, expected: int) -> None:
    """`data` up to `length` opens with `expected` frames, those of `whole`, or says in a sentence that it has none."""
    cut.write_bytes(data[:length])
    if not expected:
        with pytest.raises(InputError) as caught:
            open_trajectory(cut)
        assert str(caught.value).startswith(str(cut))
        return
    with open_trajectory(cut) as found, open_trajectory(whole) as wanted:
        assert len(found) == expected
        assert found.count == wanted.count
        assert found.scenario == wanted.scenario
        assert np.array_equal(found.times, wanted.times[:expected], equal_nan=True)
        for number in {0, expected // 2, expected - 1}:
            assert_same(wanted[number], found[number])
        if expected < len(wanted):
            assert found.notice == f"the file is cut off; everything after frame {expected - 1} is left out"


def test_a_recording_cut_off_at_any_length(tmp_path: Path) -> None:
    path = tmp_path / "t.gsd"
    write(path, some_frames(3))
    data = path.read_bytes()
    for length in range(1, len(data) + 1, 193):
        check_cut(path, tmp_path / "c.gsd", data, length, frames_within(path, length))
    check_cut(path, tmp_path / "c.gsd", data, len(data), 3)


@pytest.fixture(scope="module")
def long_recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its index has been moved four times."""
    path = tmp_path_factory.mktemp("long") / "t.gsd"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.files.gsd.writer._FIRST_ENTRIES", 32)
        with TrajectoryWriter(path, "seed = 1\n") as writer:
            for frame in some_frames(50, count=5):
                writer.append(frame)
    return path


def test_a_long_recording_cut_off_at_any_length(long_recording: Path, tmp_path: Path) -> None:
    """The index that the header names is gone: an older copy of it has all frames before the cut."""
    data = long_recording.read_bytes()
    seen = set()
    for length in range(900, len(data), 613):
        expected = frames_within(long_recording, length)
        seen.add(expected)
        check_cut(long_recording, tmp_path / "c.gsd", data, length, expected)
    assert len(seen) > 25


def test_packings_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "t.gsd"
    frames = some_packings(3)
    for frame in frames:
        frame.cluster = np.arange(len(frame.positions), dtype=np.int32)
    write(path, frames)
    data = path.read_bytes()
    for length in range(len(data) // 2, len(data), 401):
        check_cut(path, tmp_path / "c.gsd", data, length, frames_within(path, length))


@pytest.mark.parametrize("together", [1, 7, 1000])
def test_a_file_of_the_gsd_package_cut_off_at_any_length(tmp_path: Path, together: int) -> None:
    """It writes frames together, so that an old copy of the index may lack some; those that open are right."""
    path = tmp_path / "t.gsd"
    with gsd.hoomd.open(str(path), "w") as file:
        for step in range(50):
            frame = gsd.hoomd.Frame()
            frame.configuration.step = step
            frame.configuration.box = [8, 6, 0, 0, 0, 0]
            frame.particles.N = 4
            frame.particles.position = np.linspace(-2, 2, 12).reshape(4, 3) * [1, 1, 0] + [0.01 * step, 0, 0]
            frame.particles.velocity = np.full((4, 3), float(step + 1))
            frame.log["energy"] = np.array([float(step)])
            file.append(frame)
            if step % together == 0:
                file.flush()
    data = path.read_bytes()
    index_at = HEADER.unpack(data[: HEADER.size])[1]
    most = 0
    for length in sorted({*range(1, len(data), 397), *range(index_at, len(data), 79)}):
        cut = tmp_path / "c.gsd"
        cut.write_bytes(data[:length])
        try:
            found = open_trajectory(cut)
        except InputError:
            assert not most
            continue
        with found:
            assert most <= len(found) <= frames_within(path, length)
            most = len(found)
            if most < 50:
                assert "cut off" in found.notice
            last = found[-1]
            assert np.allclose(last.positions[:, 0] - found[0].positions[:, 0], 0.01 * (most - 1), atol=1e-6)
            assert (last.velocities == most).all()
    assert most > 25


def test_a_large_index_is_found_across_blocks(
    long_recording: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("engine.files.gsd.container._BLOCK", 1000)
    monkeypatch.setattr("engine.files.gsd.container._ENTRIES", 3)
    data = long_recording.read_bytes()
    for length in range(2000, len(data), 1777):
        check_cut(long_recording, tmp_path / "c.gsd", data, length, frames_within(long_recording, length))


@given(gaps=st.lists(st.integers(0, 40), max_size=20), block=st.integers(1, 50), start=st.integers(0, 30))
def test_every_place_is_found_whatever_the_blocks(gaps: list[int], block: int, start: int) -> None:
    pattern = b"12345678"
    data = b"".join(b"." * gap + pattern for gap in gaps)
    wanted = [at for at in range(start, len(data)) if data[at:].startswith(pattern)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.files.gsd.container._BLOCK", block)
        found = list(_places(lambda place, size: data[place : place + size], len(data), pattern, start))
    assert found == wanted
