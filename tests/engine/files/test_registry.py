"""The registry of formats: what follows from it for every format, and a format that a plug-in adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import InputError
from engine.files import FileFrame, RecordingError, Trajectory, TrajectoryWriter, formats, open_trajectory, read, write
from engine.files.formats import Format, RecordingPlan
from engine.files.trajectory import SingleState
from tests.builders.file_frames import some_frames

WRITTEN = [format for format in formats.known() if format.writes is not None]


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is registered in a test is forgotten after it."""
    monkeypatch.setattr(formats.FORMATS, "parts", formats.known())


class PointsTrajectory(Trajectory):
    """Positions alone, a line of numbers for each frame."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows = np.loadtxt(path, ndmin=2)
        self.count = self._rows.shape[1] // 2

    def __len__(self) -> int:
        return len(self._rows)

    def _read(self, number: int) -> FileFrame:
        return FileFrame(self._rows[number].reshape(-1, 2).copy())

    def _read_times(self) -> np.ndarray:
        return np.full(len(self), np.nan)


class PointsWriter:
    """The same, frame by frame; the disk is full at the third frame."""

    def __init__(self, path: Path, plan: RecordingPlan) -> None:
        self._file = path.open("w")
        self._frames = 0
        self.bytes = 0
        self.closed = 0

    def append(self, frame: FileFrame) -> None:
        if self._frames == 2:
            raise OSError(28, "No space left on device")
        self._frames += 1
        self._file.write(" ".join(map(repr, frame.positions.ravel().tolist())) + "\n")
        self._file.flush()
        self.bytes = self._file.tell()

    def close(self) -> None:
        self.closed += 1
        self._file.close()


def write_points(path: Path, frames: Sequence[FileFrame], times: bool) -> None:
    path.write_text("".join(" ".join(map(repr, frame.positions.ravel().tolist())) + "\n" for frame in frames))


POINTS = Format(
    name="points",
    label="Points",
    suffixes=(".points",),
    reads=PointsTrajectory,
    writes=write_points,
    records=PointsWriter,
    needs=("velocities",),
)


@pytest.mark.usefixtures("registry")
def test_a_format_that_is_registered_is_read_written_and_recorded(tmp_path: Path) -> None:
    frames = some_frames(3)
    path = tmp_path / "t.points"
    with pytest.raises(InputError, match=r"must end in \.gsd, .* or \.csv"):
        open_trajectory(path)
    with pytest.raises(InputError, match=r"a state file must end in \.gsd, .* or \.csv"):
        write(path, frames)
    with pytest.raises(InputError, match=r"a recording must end in \.gsd$"):
        TrajectoryWriter(path)

    formats.register(POINTS)

    write(path, frames)
    found = read(path)
    assert [frame.positions.tobytes() for frame in found] == [frame.positions.tobytes() for frame in frames]
    writer = TrajectoryWriter(tmp_path / "r.points")
    for frame in frames[:2]:
        writer.append(frame)
    assert (writer.frames, writer.bytes) == (2, (tmp_path / "r.points").stat().st_size)
    with pytest.raises(RecordingError, match="No space left on device; the 2 frames before it are kept"):
        writer.append(frames[2])
    writer.close()
    assert writer._writer.closed == 1  # type: ignore[attr-defined]
    assert len(read(tmp_path / "r.points")) == 2
    with pytest.raises(InputError, match="files need velocities, and a frame has none"):
        write(path, replace(frames[0], velocities=None))
    assert len(read(path)) == 3, "a frame that is refused leaves the file that was there"


@pytest.mark.usefixtures("registry")
def test_a_writer_that_fails_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    def fails(path: Path, frames: Sequence[FileFrame], times: bool) -> None:
        path.write_text("half")
        raise OSError(28, "No space left on device")

    formats.register(replace(POINTS, name="fails", suffixes=(".fails",), writes=fails))
    path = tmp_path / "t.fails"
    path.write_text("before")
    with pytest.raises(OSError, match="No space"):
        write(path, some_frames(1))
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("t.fails", "before")]


@pytest.mark.usefixtures("registry")
def test_formats_that_share_an_ending_are_told_apart_by_what_stands_in_the_file(tmp_path: Path) -> None:
    def begins(path: Path) -> bool:
        return path.read_bytes().startswith(b"mine")

    def opens(path: Path) -> Trajectory:
        return SingleState(path, some_frames(1)[0])

    with pytest.raises(ValueError, match=r"end in \.csv are CSV; other must define"):
        formats.register(Format("other", "Other", (".csv",), reads=opens))
    formats.register(Format("other", "Other", (".csv", ".other"), reads=opens, recognizes=begins))
    with pytest.raises(ValueError, match="there is a format other already"):
        formats.register(Format("other", "Other", (".more",), reads=opens))
    (tmp_path / "a.csv").write_text("mine")
    (tmp_path / "b.csv").write_text("x,y\n1.0,2.0\n")
    (tmp_path / "c.other").write_text("not so")
    assert read(tmp_path / "a.csv")[0].positions.shape == (7, 2)
    assert read(tmp_path / "b.csv")[0].positions.tolist() == [[1.0, 2.0]]
    with pytest.raises(InputError, match=r"c\.other is not other, despite"):
        read(tmp_path / "c.other")


@pytest.fixture(params=WRITTEN, ids=lambda format: format.name)
def written(request: pytest.FixtureRequest) -> Iterator[Format]:
    return request.param


def test_every_format_holds_what_it_says(written: Format, tmp_path: Path) -> None:
    for suffix in written.written_as or written.suffixes:
        path = tmp_path / f"t{suffix}"
        frames = some_frames(1 if written.one_frame else 3)
        write(path, frames)
        assert formats.to_read(path) is written
        for wanted, found in zip(frames, read(path), strict=True):
            assert found.positions.tobytes() == wanted.positions.tobytes()
        assert (suffix in formats.recordable()) == (written.records is not None)
        parts = ("box", "radii", "velocities", "masses", "cluster")
        for part in parts:  # what it does not need may be missing
            frame = replace(frames[0], **{part: None})
            if part in written.needs:
                with pytest.raises(InputError, match=f"{suffix} files need .*, and a frame has none"):
                    write(path, frame)
            else:
                write(path, frame)
        if written.one_frame:
            with pytest.raises(InputError, match="holds one state, not 2"):
                write(path, some_frames(2))
        with pytest.raises(InputError, match="there is no frame to write"):
            write(path, [])
