"""GSD files of ours and of HOOMD's schema in general; hostile ones end in one sentence, never in the process."""

from __future__ import annotations

import struct
from pathlib import Path

import gsd.fl
import gsd.hoomd
import numpy as np
import pytest

from engine.errors import InputError
from engine.files import FileFrame, TrajectoryWriter, open_trajectory, read, write
from engine.files.gsd.container import ENTRY, HEADER
from engine.initial import initial_state
from engine.scenario import Scenario
from engine.state_file import open_scenario
from tests.builders.file_frames import assert_same, some_frames


def hoomd_frame(count: int = 4, step: int = 0, dimensions: int = 2) -> gsd.hoomd.Frame:
    frame = gsd.hoomd.Frame()
    frame.configuration.step = step
    frame.configuration.dimensions = dimensions
    frame.configuration.box = [8.0, 6.0, 0.0 if dimensions == 2 else 1.0, 0.0, 0.0, 0.0]
    frame.particles.N = count
    places = np.zeros((count, 3), np.float32)
    places[:, 0] = np.linspace(-4.0, 3.0, count) + 0.125 * step
    frame.particles.position = places
    return frame


def hoomd_file(path: Path, *frames: gsd.hoomd.Frame) -> Path:
    with gsd.hoomd.open(str(path), "w") as file:
        for frame in frames:
            file.append(frame)
    return path


def test_parts_that_change_later_are_kept(tmp_path: Path) -> None:
    frames = some_frames(3)
    assert frames[1].radii is not None
    assert frames[1].box is not None
    frames[1].radii = frames[1].radii * 1.5
    frames[1].box = frames[1].box + 1.0
    write(tmp_path / "t.gsd", frames)
    for wanted, found in zip(frames, read(tmp_path / "t.gsd"), strict=True):
        assert_same(wanted, found)


def test_a_file_of_hoomd(tmp_path: Path) -> None:
    first, second = hoomd_frame(), hoomd_frame(step=3)
    first.particles.diameter = [0.5, 0.5, 1.0, 1.0]
    first.particles.velocity = [[1, 2, 0]] * 4
    first.particles.typeid = [0, 1, 0, 1]
    first.particles.types = ["A", "B"]
    first.log["Simulation/tps"] = np.array([3.0])
    second.log["Simulation/tps"] = np.array([4.0])
    with open_trajectory(hoomd_file(tmp_path / "h.gsd", first, second)) as found:
        assert len(found) == 2
        assert np.isnan(found.times).all()
        assert found.scenario == ""
        frame = found[1]
    assert frame.positions[:, 1].tolist() == [3.0] * 4
    assert np.allclose(frame.positions[:, 0], np.linspace(0.0, 7.0, 4) + 0.375)
    assert frame.velocities.tolist() == [[1.0, 2.0]] * 4
    assert frame.radii.tolist() == [0.25, 0.25, 0.5, 0.5]
    assert frame.masses.tolist() == [1.0] * 4  # HOOMD's defaults
    assert frame.box.tolist() == [8.0, 6.0]
    assert frame.periodic.all
    assert frame.time is None
    assert frame.cluster is None


def test_hoomds_default_diameter_and_a_flat_box_of_three_dimensions(tmp_path: Path) -> None:
    frame = hoomd_frame(dimensions=3)
    frame.particles.position[:, 2] = 0.25
    (found,) = read(hoomd_file(tmp_path / "h.gsd", frame))
    assert found.radii.tolist() == [0.5] * 4
    assert found.velocities is None


@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
def test_frames_in_double_precision_and_of_older_schemas(tmp_path: Path, version: tuple[int, int]) -> None:
    path = tmp_path / "d.gsd"
    kind = np.float64 if version == (2, 0) else np.float32
    with gsd.fl.open(str(path), "w", application="other", schema="hoomd", schema_version=version) as file:
        file.write_chunk("configuration/box", np.array([4, 4, 0, 0, 0, 0], kind))
        file.write_chunk("particles/N", np.array([1], np.uint32))
        file.write_chunk("particles/position", np.array([[1, 1, 0]], kind))
        file.end_frame()
    assert read(path)[0].positions.tolist() == [[3.0, 3.0]]


def test_frames_that_another_program_appended_are_its_own(tmp_path: Path) -> None:
    path = tmp_path / "t.gsd"
    write(path, some_frames(1, count=4))
    with gsd.hoomd.open(str(path), "r+") as file:
        file.append(hoomd_frame(step=1))
    with gsd.fl.open(str(path), "r+") as file:  # HOOMD's own files do not have our time
        pass
    raw = bytearray(path.read_bytes())
    raw[48:57] = b"somebody\0"
    path.write_bytes(raw)
    frames = read(path)
    assert len(frames) == 2
    assert np.allclose(frames[1].positions[:, 0], np.linspace(0.0, 7.0, 4) + 0.125)
    assert frames[1].box.tolist() == [8.0, 6.0]
    assert frames[1].cluster is None


def different_numbers() -> list[gsd.hoomd.Frame]:
    return [hoomd_frame(4), hoomd_frame(5)]


def triclinic() -> list[gsd.hoomd.Frame]:
    frame = hoomd_frame()
    frame.configuration.box = [8.0, 6.0, 0.0, 0.0, 0.25, 0.0]
    return [frame]


def in_space(dimensions: int = 2) -> list[gsd.hoomd.Frame]:
    frame = hoomd_frame(dimensions=dimensions)
    frame.configuration.box = [8.0, 6.0, 4.0, 0.0, 0.0, 0.0]
    frame.particles.position[1, 2] = 0.5
    frame.particles.velocity = [[1.0, 2.0, 3.0]] * 4
    return [frame]


def test_spheres_of_hoomd(tmp_path: Path) -> None:
    (found,) = read(hoomd_file(tmp_path / "h.gsd", *in_space(3)))
    assert found.box.tolist() == [8.0, 6.0, 4.0]
    assert found.positions[:, 2].tolist() == [2.0, 2.5, 2.0, 2.0]
    assert found.velocities.tolist() == [[1.0, 2.0, 3.0]] * 4


def nowhere() -> list[gsd.hoomd.Frame]:
    frame = hoomd_frame()
    frame.particles.position[2, 0] = np.nan
    return [frame]


def without_size() -> list[gsd.hoomd.Frame]:
    frame = hoomd_frame()
    frame.particles.diameter = [1.0, 0.0, 1.0, 1.0]
    return [frame]


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        (different_numbers(), "frame 1: 5 discs, but 4 in the first frame"),
        (triclinic(), "frame 0: the box is triclinic (xz = 0.25); only rect"),
        (in_space(), "frame 0: the file says that it is two-dimensional, but z is not the same for all discs"),
        (nowhere(), "frame 0: the position of disc 2 is not a finite number"),
        (without_size(), "frame 0: the radius of disc 1 must be above 0, not 0"),
        ([], "has no complete frame"),
        ([hoomd_frame(0, step=1)], "frame 0: there are no discs"),
    ],
)
def test_states_that_cannot_be_used(tmp_path: Path, frames: list[gsd.hoomd.Frame], words: str) -> None:
    path = hoomd_file(tmp_path / "h.gsd", *frames)
    with pytest.raises(InputError) as caught:
        read(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(path))


@pytest.mark.filterwarnings("error")
def test_not_a_number_in_a_gsd_file_is_refused_without_a_warning(tmp_path: Path) -> None:
    frame = hoomd_frame()
    frame.particles.position.view(np.uint32)[2, 0] = 0x7F800001  # a signalling one: numpy warns of its conversion
    with (
        pytest.raises(InputError, match="the position of disc 2 is not a finite number"),
        open_trajectory(hoomd_file(tmp_path / "n.gsd", frame)) as found,
    ):
        found[0]


def test_other_schemas_and_files_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "t.gsd"
    with gsd.fl.open(str(path), "w", application="other", schema="notes", schema_version=(1, 0)):
        pass
    with pytest.raises(InputError, match='holds "notes", not HOOMD'):
        read(path)
    for text, words in (
        (b"", "is empty"),
        (b"x" * 100, "is not a GSD file, or it was cut off"),
        (b"x" * 1000, "is not a GSD file"),
    ):
        path.write_bytes(text)
        with pytest.raises(InputError, match=words):
            read(path)


def read_or_refused(path: Path) -> list[FileFrame]:
    """The frames of a file, none where it is refused with a sentence that names it."""
    try:
        return read(path)
    except InputError as error:
        if not str(error).startswith(str(path)):
            raise
        return []


def damaged(path: Path, at: int, kind: str, value: int) -> Path:
    raw = bytearray(path.read_bytes())
    struct.pack_into(kind, raw, at, value)
    path.write_bytes(raw)
    return path


@pytest.mark.parametrize("value", [0, 1, 3, 2**31, 2**58, 2**59, 2**63, 2**64 - 1, 2**64 - 256])
@pytest.mark.parametrize("place", range(0, 48, 8))
def test_sizes_in_the_header_are_not_trusted(tmp_path: Path, place: int, value: int) -> None:
    """Some of these end the process in the gsd package. An index that lies beyond the end is that of a longer file."""
    path = tmp_path / "t.gsd"
    frames = some_frames(2)
    write(path, frames)
    before = struct.unpack_from("<Q", path.read_bytes(), place)[0]
    assert value != before
    damaged(path, place, "<Q", value)
    if place in (8, 16) and value > path.stat().st_size:
        with open_trajectory(path) as found:
            assert found.notice == "the file is cut off; everything after frame 1 is left out"
            for number, frame in enumerate(frames):
                assert_same(frame, found[number])
        return
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("value", [0, 3, 200, 2**16 - 1, 2**31 - 1, 2**62, 2**63, 2**64 - 1])
@pytest.mark.parametrize("field", ["frame", "rows", "place", "columns", "name", "type"])
def test_sizes_in_the_index_are_not_trusted(tmp_path: Path, field: str, value: int) -> None:
    path = tmp_path / "t.gsd"
    frames = some_frames(2)
    write(path, frames)
    whole = path.read_bytes()
    index_at = HEADER.unpack(whole[: HEADER.size])[1]
    for entry in range(10):
        index = np.frombuffer(whole, ENTRY, offset=index_at, count=24).copy()
        index[field][entry] = np.uint64(value).astype(ENTRY[field])
        path.write_bytes(whole[:index_at] + index.tobytes() + whole[index_at + index.nbytes :])
        found = read_or_refused(path)
        assert all(len(frame.positions) == 7 for frame in found)


def test_a_recording_opens_as_a_scenario(tmp_path: Path) -> None:
    told = Scenario().with_values({"seed": 9, "aggregation.method": "time-stepping", "discs.count": 25})
    state = initial_state(told)
    with TrajectoryWriter(tmp_path / "t.gsd", told.to_toml()) as writer:
        for time in (0.0, 1.0):
            writer.append(
                FileFrame(
                    state.positions,
                    state.velocities * (1.0 + time),
                    state.radii,
                    state.masses,
                    state.cluster,
                    state.box,
                    state.periodic,
                    time,
                )
            )
    scenario = open_scenario(tmp_path / "t.gsd")
    assert scenario.seed == 9
    assert scenario.aggregation.method == "time-stepping"
    again = initial_state(scenario)
    assert again.positions.tobytes() == state.positions.tobytes()
    assert again.masses.tobytes() == state.masses.tobytes()
    assert again.velocities.tobytes() == (state.velocities * 2.0).tobytes()


def test_a_state_without_radii_says_what_to_set(tmp_path: Path) -> None:
    write(tmp_path / "t.xyz", FileFrame(np.array([[1.0, 2.0]])))
    with pytest.raises(InputError, match=r"has no radii; .* discs\.volume_fraction"):
        open_scenario(tmp_path / "t.xyz")
