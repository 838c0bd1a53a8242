"""Films: every frame is there once, at its time, with the discs where they should be; or there is no file at all."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import to_pixels
from aggviewer.document.view import ViewModel
from aggviewer.export import film
from aggviewer.export.encoders import _Video
from aggviewer.export.film import FilmRun, write_film
from aggviewer.export.follow import Follow
from aggviewer.export.spec import (
    FOLDER,
    GIF,
    MP4,
    QUALITIES,
    USUAL_LENGTH,
    WEBM,
    FilmSpec,
    Moments,
    estimate,
    format_of,
)
from aggviewer.latest_job import CancelledError
from aggviewer.session.coloring import Coloring
from engine.errors import InputError
from engine.frame import Frame
from tests.builders.file_frames import files_of_at_most
from tests.export.conftest import BARE, SIDE, Marching, decoded, middle_of_light

SMALL = FilmSpec(size=(160, 120), fps=25.0, speed=2.0, start=0.0, end=2.0, quality="high", over=BARE)
SUFFIXES = (".mp4", ".webm", ".gif", "")


def column_of(x: float, size: tuple[int, int]) -> float:
    return Camera.fitting((SIDE, SIDE), (float(size[0]), float(size[1]))).to_pixel(x, 5.0)[0]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_frame_is_there_once_and_at_its_time(tmp_path: Path, view: ViewModel, suffix: str) -> None:
    path, source = tmp_path / f"film{suffix}", Marching()
    told: list[tuple[int, int]] = []
    assert write_film(path, SMALL, [FilmRun(source)], view, progress=lambda *pair: told.append(pair)) == 26
    times = [k * 2.0 / 25.0 for k in range(26)]
    assert_allclose(source.asked, times, rtol=0, atol=1e-12)
    assert told == [(k, 26) for k in range(1, 27)]
    images, shown_at, stream = decoded(path)
    assert len(images) == 26
    for image, time in zip(images, times, strict=True):
        assert image.shape == (120, 160, 3)
        column, row = middle_of_light(image)
        # a frame is 0.16 wide in x, two pixels of this picture: no other frame is within half a pixel
        assert column == pytest.approx(column_of(source.x(time), SMALL.size), abs=0.5)
        assert row == pytest.approx(60.0, abs=0.5)
    if stream is not None:
        assert_allclose(shown_at, np.arange(26) / 25.0, atol=1e-6)
    if suffix == ".mp4":
        assert (stream.codec_context.name, stream.codec_context.pix_fmt) == ("h264", "yuv420p")
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize(("suffix", "fps"), [(".mp4", 29.97), (".webm", 7.5), (".gif", 30.0)])
def test_frame_rates_that_do_not_divide_evenly(tmp_path: Path, view: ViewModel, suffix: str, fps: float) -> None:
    spec = replace(SMALL, fps=fps, speed=fps / 10.0, end=1.2)
    path = tmp_path / f"film{suffix}"
    assert write_film(path, spec, [FilmRun(Marching())], view) == 13
    images, shown_at, _ = decoded(path)
    assert len(images) == 13
    # a GIF counts hundredths of a second, and Matroska thousandths
    assert_allclose(shown_at, np.arange(13) / fps, atol=0.0051 if suffix == ".gif" else 0.00101)


def test_colours_and_ground_survive_the_encoding(tmp_path: Path) -> None:
    view = ViewModel(background="#203050", color_by="speed", colormap="viridis")
    like = Coloring("speed", "Speed", "length / time", (0.0, 2.0))
    for suffix in SUFFIXES:
        path = tmp_path / f"film{suffix}"
        write_film(path, replace(SMALL, end=0.2), [FilmRun(Marching(), like)], view)
        image = decoded(path)[0][0].astype(int)
        assert abs(image[5, 5] - [0x20, 0x30, 0x50]).max() <= 4, suffix
        middle = image[60, round(column_of(1.0, SMALL.size))]
        assert abs(middle - [253, 231, 37]).max() <= 12, suffix  # the last colour of viridis


def test_times_of_the_frames() -> None:
    spec = FilmSpec(fps=30.0, speed=0.1)
    assert len(replace(spec, start=0.0, end=1.0).moments(0.0, 9.0, 0)) == 301  # both ends, in spite of rounding
    exact = replace(spec, start=0.3, end=0.7).moments(0.0, 9.0, 0)
    assert exact.values[0] == 0.3
    assert exact.values[-1] == 0.7
    assert len(replace(spec, end=0.0).moments(0.0, 9.0, 0)) == 1
    assert_allclose(spec.moments(2.0, 2.01, 0).values, [2.0, 2.0 + 0.1 / 30, 2.0 + 0.2 / 30, 2.01])
    by_length = replace(spec, start=1.0, end=9.0, length=2.0)
    assert_allclose(by_length.moments(0.0, 9.0, 0).values, np.linspace(1.0, 9.0, 61))
    early = replace(by_length, start=0.0, log_time=True).moments(0.0, 9.0, 0, 0.5).values
    assert (early[0], early[-1], len(early)) == (0.0, 9.0, 61)
    assert_allclose(np.diff(np.log(early + 0.5), 2), 0.0, atol=1e-9)
    late = replace(by_length, log_time=True).moments(0.0, 9.0, 0, 0.5).values  # of the time since the start of the run
    assert_allclose(np.diff(np.log(late + 0.5), 2), 0.0, atol=1e-9)
    assert Moments(np.arange(6.0), True).from_stored(np.array([0.0, 1.0, 4.0]), 4.5) == (2, False)
    assert Moments(np.arange(6.0), True).from_stored(np.arange(0.0, 9.0), 9.0) == (0, True)
    assert Moments(np.arange(0.0, 6.0, 0.5), True).from_stored(np.arange(9.0), 9.0, whole=True) == (0, True)
    chosen = replace(spec, frames=(3, 5)).moments(0.0, 9.0, 10)
    assert (chosen.values.tolist(), chosen.by_time) == ([3, 4, 5], False)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start": -1.0}, "cannot start before t = 0, at -1"),
        ({"start": 3.0, "end": 2.0}, "end at a time from 3 to 9, not 2"),
        ({"end": 10.0}, "end at a time from 0 to 9, not 10"),
        ({"frames": (0, 10)}, "recorded frames go from 0 to 9, not from 0 to 10"),
        ({"frames": (5, 4)}, "recorded frames go from 0 to 9"),
        ({"speed": 1e-9}, "more than 1\u2009000\u2009000 frames"),
    ],
)
def test_ranges_that_cannot_be(change: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        replace(FilmSpec(), **change).moments(0.0, 9.0, 10)


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("x.mp4", {"size": (161, 120)}, "must be even for MP4"),
        ("x.webm", {"size": (160, 121)}, "must be even for WebM"),
        ("x.mp4", {"size": (8, 120)}, "16 to 8192 pixels on a side"),
        ("x.gif", {"fps": 60.0}, "from 0.1 to 50 for GIF, not 60"),
        ("x.mp4", {"fps": 0.0}, "frames per second"),
        ("x.mp4", {"speed": -1.0}, "simulation time per second must be a number above 0"),
        ("x.avi", {}, r"must end in \.mp4, \.webm or \.gif"),
    ],
)
def test_rates_and_sizes_beyond_a_film_format_are_refused(
    tmp_path: Path, view: ViewModel, name: str, change: dict[str, object], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        write_film(tmp_path / name, replace(SMALL, **change), [FilmRun(Marching())], view)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_cancelled_film_leaves_nothing_and_touches_nothing(tmp_path: Path, view: ViewModel, suffix: str) -> None:
    path = tmp_path / f"film{suffix}"
    if suffix:
        path.write_bytes(b"an older film")
    done = 0

    def progress(frames: int, _total: int) -> None:
        nonlocal done
        done = frames

    with pytest.raises(CancelledError):
        write_film(path, SMALL, [FilmRun(Marching())], view, progress=progress, cancelled=lambda: done >= 7)
    assert done == 7
    assert [file.read_bytes() for file in tmp_path.iterdir()] == ([b"an older film"] if suffix else [])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_source_that_fails_leaves_nothing(tmp_path: Path, view: ViewModel, suffix: str) -> None:
    class Torn(Marching):
        def frame_at(self, time: float, cancelled: object = None) -> object:
            if time > 1.0:
                raise InputError("frame 13 is damaged")
            return super().frame_at(time)

    with pytest.raises(InputError, match="frame 13 is damaged"):
        write_film(tmp_path / f"film{suffix}", SMALL, [FilmRun(Torn())], view)
    assert list(tmp_path.iterdir()) == []


def test_a_film_that_cannot_be_written_is_refused(tmp_path: Path, view: ViewModel) -> None:
    for name in ("film.mp4", "film.gif", "film"):
        with pytest.raises(InputError, match=r"cannot be written: there is no folder"):
            write_film(tmp_path / "nowhere" / name, SMALL, [FilmRun(Marching())], view)
    (tmp_path / "taken.mp4").mkdir()
    with pytest.raises(InputError, match="is a folder; choose a file in it"):
        write_film(tmp_path / "taken.mp4", SMALL, [FilmRun(Marching())], view)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="already exists and is not empty"):
        write_film(tmp_path / "full", SMALL, [FilmRun(Marching())], view)
    assert (tmp_path / "full" / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_disk_that_fills_up_is_one_sentence_and_no_file(tmp_path: Path, view: ViewModel, suffix: str) -> None:
    path = tmp_path / f"film{suffix}"
    with files_of_at_most(500), pytest.raises(InputError) as refused:
        write_film(path, replace(SMALL, size=(640, 480), end=2.0), [FilmRun(Marching())], view)
    assert str(refused.value).startswith(f"{path} cannot be written: ")
    assert "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_an_encoder_that_fails_at_once_holds_nobody_up(
    tmp_path: Path, view: ViewModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_Video, "add", fail)
    with pytest.raises(InputError, match="cannot be written: no space left on device; the incomplete file was removed"):
        write_film(tmp_path / "film.mp4", SMALL, [FilmRun(Marching())], view)
    monkeypatch.undo()
    monkeypatch.setattr(_Video, "finish", fail)
    with pytest.raises(InputError, match="no space left on device"):
        write_film(tmp_path / "film.mp4", SMALL, [FilmRun(Marching())], view)
    assert list(tmp_path.iterdir()) == []


def test_at_most_three_pictures_are_in_memory(tmp_path: Path, view: ViewModel, monkeypatch: pytest.MonkeyPatch) -> None:
    painted, encoded, most = 0, 0, 0
    paint, add = film.Painter.paint, _Video.add

    def counting_paint(self: object, *arguments: object, **more: object) -> object:
        nonlocal painted, most
        painted += 1
        most = max(most, painted - encoded)
        return paint(self, *arguments, **more)  # type: ignore[arg-type]

    def counting_add(self: object, image: object) -> None:
        nonlocal encoded
        add(self, image)  # type: ignore[arg-type]
        encoded += 1

    monkeypatch.setattr(film.Painter, "paint", counting_paint)
    monkeypatch.setattr(_Video, "add", counting_add)
    write_film(tmp_path / "film.mp4", SMALL, [FilmRun(Marching())], view)
    assert painted == encoded == 26
    assert most <= 3


@pytest.mark.parametrize(("suffix", "discs"), [(".mp4", 900), (".webm", 10), (".gif", 900), ("", 10)])
def test_the_estimate_is_near_the_size_of_the_file(tmp_path: Path, suffix: str, discs: int) -> None:
    class Gas(Marching):
        count = discs

        def __init__(self) -> None:
            super().__init__()
            random = np.random.default_rng(3)
            self.radii = np.full(discs, 0.12)
            self._start, self._velocity = random.uniform(0, SIDE, (discs, 2)), random.normal(0, 1, (discs, 2))

        def _state(self, time: float) -> object:
            moved = (self._start + time * self._velocity) % SIDE
            state = super()._state(time)
            state.positions, state.velocities = moved, self._velocity
            state.fields = {"cluster": np.arange(discs, dtype=np.int32) // 3}
            return state

    source, path = Gas(), tmp_path / f"film{suffix}"
    spec = FilmSpec((320, 240), speed=0.5, start=0.0, end=0.5)
    frames = write_film(path, spec, [FilmRun(source)], ViewModel())
    size = sum(file.stat().st_size for file in path.iterdir()) if path.is_dir() else path.stat().st_size
    camera = Camera.fitting((SIDE, SIDE), (800.0, 600.0))
    found = estimate(spec, format_of(path), frames, source.radii, camera)
    assert (found.frames, found.seconds) == (31, 31 / 30)
    assert size / 3 < found.bytes < size * 3, (found.bytes, size)


def test_better_quality_is_larger() -> None:
    camera = Camera.fitting((SIDE, SIDE), (800.0, 600.0))
    for form in (MP4, WEBM, GIF):
        sizes = [estimate(FilmSpec(quality=q), form, 100, np.ones(50), camera).bytes for q in QUALITIES]
        assert sizes == sorted(set(sizes))
        assert form.levels["small"] != form.levels["high"]
    assert format_of(Path("film.MP4")) is MP4
    assert format_of(Path("film")) is FOLDER
    assert format_of(Path("aggviewer 2026-01-31 10.00.00")) is FOLDER


class Resting(Marching):
    """A sphere away from the middle of a box in space."""

    def __init__(self) -> None:
        super().__init__(last_time=10.0)
        self.box = np.array([SIDE, SIDE, SIDE])
        self.place = np.array([[2.0, 7.0, 5.0]])

    def _state(self, time: float) -> Frame:
        return Frame(time, self.place, np.zeros((1, 3)), {"cluster": np.zeros(1, np.int32)}, 1, 0.0)


@pytest.mark.parametrize("follow", [None, Follow((0,))])
def test_a_box_in_space_turns_around_once(tmp_path: Path, view: ViewModel, follow: Follow | None) -> None:
    spec = replace(SMALL, end=0.28, follow=follow, turns=True)  # four frames
    source = Resting()
    assert write_film(tmp_path / "film", spec, [FilmRun(source)], view) == 4
    camera = Camera.fitting((SIDE, SIDE, SIDE), spec.size, view=view)
    seen = [middle_of_light(image) for image in decoded(tmp_path / "film")[0]]
    for number, place in enumerate(seen):
        turned = camera.turned(90.0 * number)
        expected = to_pixels(source.place[0] if follow is None else turned.middle, turned)
        assert place == pytest.approx(expected, abs=2.0)
    assert (np.ptp(seen, axis=0)[0] > 20.0) == (follow is None)


def test_a_single_state_turns_for_the_whole_length(tmp_path: Path, view: ViewModel) -> None:
    spec = replace(SMALL, start=0.0, end=0.0, length=0.4, turns=True)
    frames = round(0.4 * spec.fps)
    assert write_film(tmp_path / "film", spec, [FilmRun(Resting())], view) == frames > 3
    assert len(np.unique(decoded(tmp_path / "film")[0], axis=0)) == frames, "each is seen from another side"
    assert len(replace(spec, turns=False).moments(0.0, 0.0, 0)) == 1
    of_file = replace(spec, frames=(0, 0), length=None)
    assert of_file.moments(0.0, 0.0, 1).values.tolist() == [0] * round(USUAL_LENGTH * spec.fps)
    with pytest.raises(InputError, match="more than 1\u2009000\u2009000 frames"):
        replace(spec, length=1e9).moments(0.0, 0.0, 1)
