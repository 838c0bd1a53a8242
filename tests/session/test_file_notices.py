"""What a person should know of how a file was read is a notice, whatever the file is opened for."""

from __future__ import annotations

from pathlib import Path

import pytest

from aggviewer.session import Notice, Notices
from aggviewer.session.builder import Builder, Engine
from engine.files import write
from tests.builders.file_frames import some_frames

WITH_POOL = Path(__file__).parents[1] / "data" / "ad63f2cf" / "pool.aggsession"


@pytest.fixture
def told() -> tuple[Builder, list[Notice]]:
    """A builder with the real engine, and what it has told."""
    notices = Notices()
    found: list[Notice] = []
    notices.sent.connect(found.append)
    return Builder(Engine(), notices), found


def cut_off(path: Path, frames: int) -> Path:
    """A recording of so many whole frames, and a part of one more."""
    write(path, some_frames(frames + 1))
    path.write_bytes(path.read_bytes()[:-10])
    return path


def test_a_recording_that_is_cut_off_is_played(tmp_path: Path, told: tuple[Builder, list[Notice]]) -> None:
    builder, notices = told
    path = cut_off(tmp_path / "t.gsd", 2)
    replay = builder.replay(path)
    replay.close()
    assert [(notice.level, notice.title, notice.text) for notice in notices] == [
        ("warning", "The file is cut off; everything after frame 1 is left out", str(path))
    ]


def test_a_state_that_is_left_of_a_recording(tmp_path: Path, told: tuple[Builder, list[Notice]]) -> None:
    builder, notices = told
    path = cut_off(tmp_path / "t.gsd", 1)
    assert builder.replay(path) is None
    scenario = builder.read(path)
    assert scenario.discs.file == str(path)
    (notice,) = notices
    assert (notice.level, notice.title) == ("warning", "The file is cut off; everything after frame 0 is left out")
    assert notice.text == str(path)


def test_a_session_whose_pool_of_packings_is_left_out(told: tuple[Builder, list[Notice]]) -> None:
    builder, notices = told
    builder.resume(WITH_POOL, lambda *_: None)
    (notice,) = notices
    words = "Its pool of packings was not loaded: to pool packings, run a study (in the menu of a plot)"
    assert (notice.level, notice.title, notice.text) == ("warning", words, str(WITH_POOL))


@pytest.mark.parametrize("frames", [1, 3])
def test_a_file_that_may_hold_discs_or_spheres(tmp_path: Path, told: tuple[Builder, list[Notice]], frames: int) -> None:
    builder, notices = told
    path = tmp_path / "t.xyz"
    path.write_text("2\nProperties=pos:R:3:radius:R:1\n1 1 0 0.5\n3 3 0 0.5\n" * frames)
    replay = builder.replay(path)
    assert (replay is None) == (frames == 1)
    if replay is None:
        assert builder.read(path).dimensions == 2
    else:
        replay.close()
    (notice,) = notices
    assert notice.title == (
        "All z are 0, which is read as discs in the plane; dimensions = 3 (--set dimensions=3) reads spheres"
    )


def test_whole_files_open_without_a_notice(tmp_path: Path, told: tuple[Builder, list[Notice]]) -> None:
    builder, notices = told
    write(tmp_path / "t.gsd", some_frames(1))
    builder.read(tmp_path / "t.gsd")
    builder.read("lattice-100")
    assert notices == []
