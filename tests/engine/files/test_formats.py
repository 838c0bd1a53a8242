"""What all formats promise: frames come back bit by bit, and a file that is cut off keeps its whole frames."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.boundary import Periodic
from engine.errors import InputError
from engine.files import TrajectoryWriter, open_trajectory, read, write
from engine.scenario import Scenario
from tests.builders.boxes import EVERY, in_short
from tests.builders.file_frames import assert_same, files_of_at_most, put, some_frames

KEPT = ("positions", "velocities", "radii", "cluster", "box")
TEXT = (".xyz", ".dump")
TRAJECTORIES = (".gsd", ".xyz", ".extxyz", ".dump", ".lammpstrj")


@pytest.mark.parametrize("periodic", [*EVERY[2], *EVERY[3]], ids=in_short)
@pytest.mark.parametrize("ending", [*TRAJECTORIES, ".csv"])
def test_a_written_file_is_read_bit_for_bit(tmp_path: Path, ending: str, periodic: Periodic) -> None:
    dimensions = len(periodic)
    number = 1 if ending == ".csv" else 3
    frames = some_frames(number, periodic=periodic, scenario=Scenario().to_toml(), dimensions=dimensions)
    write(tmp_path / f"t{ending}", frames, times=True)
    with open_trajectory(tmp_path / f"t{ending}") as found:
        assert len(found) == len(frames)
        assert found.count == 7
        assert found.notice == ""
        assert found.times.tolist() == [frame.time for frame in frames]
        parts = KEPT if ending == ".csv" else (*KEPT, "masses")
        for number in (-1, 0, len(frames) // 2, -len(frames)):
            assert_same(frames[number], found[number], parts)
        for number in (len(frames), -len(frames) - 1):
            with pytest.raises(IndexError, match=f"its frames are 0 to {len(frames) - 1}"):
                found[number]
        assert found.dimensions == dimensions
        assert found.scenario == (Scenario().to_toml() if ending == ".gsd" else "")


@pytest.mark.parametrize("ending", [".gsd", ".xyz", ".dump"])
def test_a_file_has_one_number_of_dimensions(tmp_path: Path, ending: str) -> None:
    (flat,), (deep,) = some_frames(1), some_frames(1, dimensions=3)
    path = tmp_path / f"t{ending}"
    for wrong in ([flat, deep], [replace(deep, box=flat.box)], [replace(flat, box=deep.box)]):
        with pytest.raises(InputError, match="all frames, and their boxes, must have the same number of dimensions"):
            write(path, wrong)
    if ending == ".gsd":
        with TrajectoryWriter(path) as writer:
            writer.append(flat)
            with pytest.raises(ValueError, match="3 dimensions in a recording of 2"):
                writer.append(deep)
        return
    if ending == ".dump":  # its frames do not say how many they have: one in space makes all others so
        return
    texts = {}
    for frame in (flat, deep):
        write(path, frame)
        texts[frame.dimensions] = path.read_text()
    for first, second in ((2, 3), (3, 2)):
        path.write_text(texts[first] + texts[second])
        with open_trajectory(path) as found:
            assert found[0].dimensions == first
            with pytest.raises(InputError, match=f"frame 1: {second} dimensions, but {first} in other frames"):
                found[1]


@pytest.mark.parametrize("missing", [{"velocities"}, {"radii", "masses"}, {"cluster"}, {"box", "periodic", "time"}])
def test_parts_that_a_frame_lacks_stay_out(tmp_path: Path, missing: set[str]) -> None:
    frame = replace(some_frames(1, periodic=False)[0], **dict.fromkeys(missing))
    for ending in (".xyz", ".dump"):
        if ending == ".dump" and "box" in missing:
            continue
        write(tmp_path / f"t{ending}", frame)
        (found,) = read(tmp_path / f"t{ending}")
        assert {name for name, value in vars(found).items() if value is None} >= missing
        assert found.positions.tolist() == frame.positions.tolist()


@pytest.mark.parametrize("ending", TEXT)
def test_a_file_that_ends_in_a_frame_keeps_those_before_it(tmp_path: Path, ending: str) -> None:
    frames = some_frames(3)
    write(tmp_path / f"t{ending}", frames, times=True)
    whole = (tmp_path / f"t{ending}").read_bytes()
    head = whole[: whole.index(b"\n") + 1]
    last_frame = whole.rindex(head)
    last_line = whole.rindex(b"\n", 0, len(whole) - 1) + 1
    for length in range(last_frame + 1, len(whole) - 1, 11):
        with open_trajectory(put(tmp_path, f"c{ending}", whole[:length])) as found:
            complete = length > last_line
            assert len(found) == (3 if complete else 2)
            assert found.notice == (
                "the last line of the file is not terminated; its last number may be cut off"
                if complete
                else "the last frame is incomplete and was left out"
            )
            assert_same(frames[1], found[1])


@pytest.mark.parametrize("ending", TEXT)
@pytest.mark.parametrize("block", [64, 777, 5000])
def test_a_large_file_is_passed_over_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, block: int
) -> None:
    frames = some_frames(20, count=30)
    write(tmp_path / f"t{ending}", frames, times=True)
    monkeypatch.setattr("engine.files.text._BLOCK", block)
    with open_trajectory(tmp_path / f"t{ending}") as found:
        assert len(found) == 20
        for number in (13, 0, 19, 7):
            assert_same(frames[number], found[number])


@pytest.mark.parametrize("ending", [".gsd", ".xyz", ".dump", ".csv"])
def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    old = some_frames(1, count=40)
    write(path, old)
    before = path.read_bytes()
    there = sorted(tmp_path.iterdir())
    with files_of_at_most(len(before) // 2), pytest.raises(OSError, match="File too large") as caught:
        write(path, old)
    assert "partial" not in str(caught.value)
    assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == there
