"""How often a disc has crossed a periodic box: where HOOMD's schema has it, so that every program unwraps its path."""

from __future__ import annotations

from pathlib import Path

import freud
import gsd.fl
import gsd.hoomd
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.files import FileFrame, TrajectoryWriter, read, write
from engine.files.quantities import IMAGES

BOX = np.array([4.0, 3.0, 5.0])
SPEEDS = np.array([[1.25, -2.5, 7.0], [-0.75, 6.0, 0.125]])
STARTS = np.array([[0.5, 1.0, 2.0], [3.0, 2.5, 4.5]])
TIMES = (0.0, 1.5, 4.0, 11.0)


def flown(time: float, dimensions: int) -> NDArray[np.float64]:
    """Where two discs or spheres are that fly freely, without a box."""
    return (STARTS + SPEEDS * time)[:, :dimensions]


def flight(dimensions: int) -> list[FileFrame]:
    """The same in a periodic box, with the number of crossings, which differs from axis to axis."""
    box, frames = BOX[:dimensions], []
    for time in TIMES:
        crossed = np.floor(flown(time, dimensions) / box)
        frames.append(
            FileFrame(
                flown(time, dimensions) - crossed * box, SPEEDS[:, :dimensions], np.full(2, 0.1), np.ones(2), None, box,
                True, time, fields={IMAGES: crossed.astype(np.int32)},
            )
        )  # fmt: skip
    return frames


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("recorded", [False, True])
def test_other_programs_unwrap_a_recording(tmp_path: Path, dimensions: int, recorded: bool) -> None:
    path = tmp_path / "t.gsd"
    if recorded:
        with TrajectoryWriter(path) as writer:
            for frame in flight(dimensions):
                writer.append(frame)
    else:
        write(path, flight(dimensions))
    with gsd.hoomd.open(str(path)) as file:
        box = freud.Box.from_box(file[0].configuration.box)
        places = np.array([frame.particles.position for frame in file])
        images = np.array([frame.particles.image for frame in file])
        assert "particles/images" not in file[0].log
    for number, time in enumerate(TIMES):
        path_of = box.unwrap(places[number], images[number])[:, :dimensions] + 0.5 * BOX[:dimensions]
        np.testing.assert_allclose(path_of, flown(time, dimensions), atol=1e-5)
    moved = freud.msd.MSD(box, mode="direct").compute(places, images).msd
    exact = [np.square(flown(time, dimensions) - flown(0.0, dimensions)).sum(axis=1).mean() for time in TIMES]
    np.testing.assert_allclose(moved, exact, rtol=1e-5)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_written_image_counts_are_read(tmp_path: Path, dimensions: int) -> None:
    write(tmp_path / "t.gsd", flight(dimensions))
    for wanted, found in zip(flight(dimensions), read(tmp_path / "t.gsd"), strict=True):
        assert found.fields[IMAGES].dtype == np.int32
        assert found.fields[IMAGES].tolist() == wanted.fields[IMAGES].tolist()


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_recording_with_the_counts_in_its_log_is_read(tmp_path: Path, dimensions: int) -> None:
    """As they were written before."""
    write(tmp_path / "new.gsd", flight(dimensions))
    with (
        gsd.fl.open(str(tmp_path / "new.gsd"), "r") as new,
        gsd.fl.open(
            str(tmp_path / "old.gsd"), "w", application=new.application, schema="hoomd", schema_version=(1, 4)
        ) as old,
    ):
        for number in range(new.nframes):
            for name in new.find_matching_chunk_names(""):
                if not new.chunk_exists(number, name):
                    continue
                values = new.read_chunk(number, name)
                if name == "particles/image":
                    name, values = "log/particles/images", np.ascontiguousarray(values[:, :dimensions])
                old.write_chunk(name, values)
            old.end_frame()
    for wanted, found in zip(flight(dimensions), read(tmp_path / "old.gsd"), strict=True):
        assert found.fields[IMAGES].dtype == np.int32
        assert found.fields[IMAGES].tolist() == wanted.fields[IMAGES].tolist()


@pytest.mark.parametrize("dimensions", [2, 3])
def test_the_path_stays_where_hoomd_has_it_although_discs_are_wrapped(tmp_path: Path, dimensions: int) -> None:
    """Also of one on the upper edge of the box, and of one that is outside of it."""
    box = [*BOX[:dimensions], *[0.0] * (6 - dimensions)]
    frame = gsd.hoomd.Frame()
    frame.configuration.box = box
    frame.configuration.dimensions = dimensions
    frame.particles.N = 3
    places = np.array([[1.0, -1.25, 2.0], [2.0, 1.5, 2.5], [3.0, -4.0, 6.0]])
    images = np.array([[1, -2, 3], [-4, 5, -6], [7, 0, 2]])
    if dimensions == 2:
        places[:, 2] = images[:, 2] = 0
    frame.particles.position, frame.particles.image = places, images
    with gsd.hoomd.open(str(tmp_path / "h.gsd"), "w") as file:
        file.append(frame)
    (found,) = read(tmp_path / "h.gsd")
    assert found.box is not None
    assert (found.positions < found.box).all()
    unwrapped = (places + 0.5 * BOX + images * BOX)[:, :dimensions]
    np.testing.assert_array_equal(found.positions + found.fields[IMAGES] * found.box, unwrapped)
