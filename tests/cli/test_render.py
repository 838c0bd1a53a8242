"""`aggviewer render`: pictures and films of files and scenarios, without a display."""

from __future__ import annotations

import errno
import os
import re
import signal
from pathlib import Path

import av
import numpy as np
import pytest
from PyQt6.QtGui import QImage
from PyQt6.QtPdf import QPdfDocument

from aggviewer.cli import render as render_module
from aggviewer.export.spec import QUALITIES
from aggviewer.names import BACKGROUNDS
from engine.files import FileFrame, write
from engine.runs.progress import ProgressLine
from engine.system import known_fields
from tests.cli.conftest import Call, refused


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Three states of two discs at times 0, 1 and 3."""
    path = tmp_path / "recorded.gsd"
    frames = [
        FileFrame(
            positions=np.array([[1.0 + time, 1.0], [5.0, 4.0]]),
            velocities=np.array([[1.0, 0.0], [0.0, 0.0]]),
            radii=np.array([0.5, 0.5]),
            cluster=np.array([0, 1], np.int32),
            box=np.array([6.0, 6.0]),
            periodic=False,
            time=time,
        )
        for time in (0.0, 1.0, 3.0)
    ]
    write(path, frames)
    return path


def frames_of(path: Path) -> tuple[int, tuple[int, int], float]:
    """Number of frames, size, and frames per second."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        count = sum(1 for _ in container.decode(stream))
        return count, (stream.width, stream.height), float(stream.average_rate)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_picture_of_a_file(call: Call, recording: Path, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"picture{suffix}"
    done = call("render", recording, "--out", out, "--size", "300x200", "--json")
    assert (done.status, done.err) == (0, "")
    assert done.json == {
        "file": str(out),
        "width": 300,
        "height": 200,
        "sim_time": 3.0,
        "frames": 1,
        "seconds": None,
        "stop_reason": None,
    }
    assert out.read_bytes()[:4] in (b"\x89PNG", b"<?xm", b"%PDF")
    assert done.out.count("\n") == 1


@pytest.mark.parametrize("suffix", [".pdf", ".png"])
def test_a_figure_of_two_files_has_their_pictures_above_their_plots(
    call: Call, recording: Path, tmp_path: Path, suffix: str
) -> None:
    out = tmp_path / f"figure{suffix}"
    how = "--width", 170, "--plots", "pair_distribution", "--resolution", 120, "--hide", "time"
    done = call("render", recording, recording, "--out", out, *how, "--json")
    assert (done.status, done.err) == (0, "")
    assert (done.json["width_mm"], done.json["panels"], done.json["sim_times"]) == (170.0, 4, [3.0, 3.0])
    high = done.json["height_mm"] / 25.4
    if suffix == ".png":
        image = QImage(str(out))
        assert (image.width(), image.height()) == pytest.approx((170.0 / 25.4 * 120, high * 120), abs=1.0)
        return
    document = QPdfDocument(None)
    document.load(str(out))
    assert document.pagePointSize(0).width() == pytest.approx(170.0 / 25.4 * 72.0, abs=0.1)
    words = document.getAllText(0).text()
    for letter in "abcd":
        assert f"({letter})" in words
    assert "t = 3" not in words


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (("--plots", "contacts"), "--plots needs --width, the width of a figure in mm"),
        (("--columns", 2), "--columns needs --width"),
        (("--width", 85, "--size", "10x10"), "--size is for pictures"),
        (("--width", 5), "width of a figure must be 20 to 1000 mm, not 5"),
        (("--width", 85, "--letters", "b"), "--letters must be (a), a, A or none, not 'b'"),
        (("--width", 85, "--plots", "wave"), "there is no plot 'wave'"),
        (("--picture", "fine"), "--picture must be auto, rendered or drawn, not 'fine'"),
        (("--resolution", 5), "--resolution must be 72 to 1200 pixels per inch, not 5"),
    ],
)
def test_options_of_pages_that_do_not_fit_are_refused(
    call: Call, recording: Path, tmp_path: Path, how: tuple[object, ...], words: str
) -> None:
    done = call("render", recording, "--out", tmp_path / "a.pdf", *how)
    assert done.status == 2
    assert words in done.err
    assert not (tmp_path / "a.pdf").exists()


def test_a_picture_shows_the_state_that_is_named(call: Call, recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "picture.png"
    for options, time in ((("--frame", "0"), 0.0), (("--frame", "-2"), 1.0), (("--until-time", "2.5"), 1.0)):
        assert call("render", recording, "--out", out, *options, "--json").json["sim_time"] == time


@pytest.mark.parametrize("suffix", [".mp4", ".webm", ".gif"])
def test_a_film_of_a_file_shows_each_state_once(call: Call, recording: Path, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"film{suffix}"
    done = call("render", recording, "--out", out, "--size", "320x240", "--fps", "10", "--json")
    assert done.status == 0
    assert (done.json["frames"], done.json["seconds"]) == (3, 0.3)
    assert frames_of(out) == (3, (320, 240), 10.0)


def test_a_film_of_a_file_by_time(call: Call, recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "film.mp4"
    done = call("render", recording, "--out", out, "--size", "64x48", "--fps", "10", "--speed", "2", "--json")
    assert done.json["frames"] == frames_of(out)[0] == 16
    part = ("--from-time", "1", "--until-time", "3", "--fps", "5")
    done = call("render", recording, "--out", out, "--size", "64x48", *part, "--json")
    assert done.json["frames"] == frames_of(out)[0] == 101  # 20 s
    assert done.json["sim_time"] == 3.0


def test_a_film_of_a_scenario(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "film.mp4"
    options = ("--set", "discs.count=49", "--size", "64x48", "--until-time", "2", "--speed", "1", "--fps", "5")
    done = call("render", "lattice-100", "--out", out, *options)
    assert done.status == 0
    assert done.out == f"{out}: 64 × 48 pixels, 11 frames, 2.2 s\n"
    assert frames_of(out) == (11, (64, 48), 5.0)


def test_a_film_of_a_scenario_goes_to_one_cluster_and_lasts_twenty_seconds(call: Call, tmp_path: Path) -> None:
    out, last = tmp_path / "film.mp4", tmp_path / "last.png"
    scenario = ("lattice-100", "--set", "discs.count=25")
    film = call("render", *scenario, "--out", out, "--size", "64x48", "--fps", "5", "--json").json
    assert film["frames"] == frames_of(out)[0] == 101
    picture = call("render", *scenario, "--out", last, "--json").json
    assert picture["sim_time"] == film["sim_time"] > 0.0
    assert QImage(str(last)).width() == 1400


def test_the_search_for_one_cluster_has_an_end(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_module, "LONGEST_SEARCH", 1e-9)
    done = call("render", "lattice-400", "--out", tmp_path / "a.png")
    assert done.status == 0
    assert "set the end with --until-time T" in done.err
    monkeypatch.undo()
    monkeypatch.setattr(render_module, "LONGEST_FILM", 1.0)
    done = call("render", "lattice-400", "--out", tmp_path / "a.gif", "--size", "32x32", "--speed", "0.1", "--json")
    assert (done.json["seconds"], done.json["sim_time"]) == (pytest.approx(31 / 30), 0.1)


def test_colours_ground_and_what_is_hidden(call: Call, recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.png"
    hidden = [word for part in ("legend", "scale-bar", "time", "box", "axes") for word in ("--hide", part)]
    look = ("--color-by", "speed", "--colormap", "gray", "--background", "#102030", "--size", "400x400")
    assert call("render", recording, "--out", out, *look, *hidden).status == 0
    image = QImage(str(out))
    colors = {image.pixelColor(x, y).name() for x in range(0, 400, 5) for y in range(0, 400, 5)}
    assert "#102030" in colors
    assert "#ffffff" in colors  # the fast disc
    assert len(colors) < 30
    assert call("render", recording, "--out", out, "--transparent", *hidden).status == 0
    assert QImage(str(out)).pixelColor(2, 2).alpha() == 0


def _interrupting(monkeypatch: pytest.MonkeyPatch, number: signal.Signals) -> None:
    def interrupt(self: ProgressLine, done: int, total: int) -> None:
        if done == 5:
            signal.raise_signal(number)

    monkeypatch.setattr(ProgressLine, "filming", interrupt)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_film_that_is_interrupted_is_whole_up_to_there(
    call: Call, recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, status: int
) -> None:
    _interrupting(monkeypatch, number)
    out = tmp_path / "a.mp4"
    done = call("render", recording, "--out", out, "--size", "64x48", "--speed", "0.1", "--json")
    assert done.status == status
    assert (done.json["frames"], done.json["stop_reason"]) == (5, "interrupted")
    assert done.json["sim_time"] == pytest.approx(4 * 0.1 / 30.0)
    with av.open(str(out)) as film:
        assert sum(1 for _ in film.decode(video=0)) == 5
    assert sorted(os.listdir(tmp_path)) == sorted([recording.name, out.name])


def test_a_film_that_is_interrupted_does_not_replace_one(
    call: Call, recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _interrupting(monkeypatch, signal.SIGINT)
    out = tmp_path / "a.mp4"
    out.write_bytes(b"an earlier film")
    done = call("render", recording, "--out", out, "--size", "64x48", "--speed", "0.1")
    assert (done.status, done.err) == (130, "aggviewer: interrupted; all files written so far are complete\n")
    assert out.read_bytes() == b"an earlier film"
    assert sorted(os.listdir(tmp_path)) == sorted([recording.name, out.name])


def test_render_help_names_every_colour_background_and_quality(call: Call) -> None:
    found = " ".join(call("render", "--help").out.split())
    assert "--color-by" in found
    for name in (*(field.name for field in known_fields()), *BACKGROUNDS, *QUALITIES):
        assert re.search(rf"\b{name}\b", found), name


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--out", "a.txt"), "--out must end in .png, .svg, .pdf, .mp4, .webm or .gif, not '.txt'"),
        (("--out", "nowhere/a.png"), "there is no folder nowhere"),
        (("--out", "a.png", "--size", "big"), "--size must be WIDTHxHEIGHT"),
        (("--out", "a.png", "--size", "0x10"), "1 to 32767 pixels on a side"),
        (("--out", "a.mp4", "--size", "101x100"), "must be even"),
        (("--out", "a.png", "--frame", "3"), "no frame 3; its frames are 0 to 2"),
        (("--out", "a.png", "--frame", "1", "--until-time", "1"), "use one of them"),
        (("--out", "a.png", "--fps", "30"), "--fps is for films"),
        (("--out", "a.mp4", "--frame", "1"), "--frame is for pictures"),
        (("--out", "a.png", "--follow", "1"), "--follow is for films"),
        (("--out", "a.png", "--plots", "contacts"), "--plots needs --width, the width of a figure in mm"),
        (("--out", "a.mp4", "--transparent"), "--transparent is for pictures"),
        (("--out", "a.mp4", "--fps", "nan"), "frames per second must be from 0.1 to 240"),
        (("--out", "a.gif", "--fps", "60"), "from 0.1 to 50 for GIF, not 60"),
        (("--out", "a.mp4", "--speed", "0"), "simulation time per second must be a number above 0"),
        (("--out", "a.mp4", "--until-time", "9"), "must end at a time from 0 to 3, not 9"),
        (("--out", "a.mp4", "--from-time", "2", "--until-time", "1"), "must end at a time from 2 to 3, not 1"),
        (("--out", "a.png", "--color-by", "taste"), "--color-by must be cluster, size, speed, direction, spin, age"),
        (("--out", "a.png", "--colormap", "nope"), "--colormap must be the name of a colour map"),
        (("--out", "a.png", "--background", "nope"), "--background must be dark, light, black, white or #rrggbb"),
        (("--out", "a.png", "--along", "w"), "--along must be x, y or z, not 'w'"),
        (("--out", "a.png", "--slab", "0.5"), "--slab must be BACK:FRONT with 0 <= BACK < FRONT <= 1, not '0.5'"),
        (("--out", "a.png", "--slab", "0.5:2"), "--slab must be BACK:FRONT with 0 <= BACK < FRONT <= 1, not '0.5:2'"),
        (
            ("--out", "a.png", "--hide", "all"),
            "--hide must be legend, scale-bar, time, box, axes or gravity, not 'all'",
        ),
        (("--out", "a.mp4", "--quality", "best"), "--quality must be small, standard or high, not 'best'"),
        (("--out", "a.png", "--set", "seed=2"), "--set and --seed work only with scenarios"),
    ],
)
def test_bad_input(
    call: Call, recording: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(recording.parent)
    assert words in refused(call("render", recording.name, *options))
    assert os.listdir() == [recording.name]


def test_bad_files_and_scenarios(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "a.png"
    (tmp_path / "one.csv").write_text("# box = 5 5 walls\nx,y,radius\n1,1,0.5\n")
    (tmp_path / "bare.csv").write_text("x,y\n1,1\n")
    (tmp_path / "broken.gsd").write_text("no")
    for arguments, words in (
        ((tmp_path / "one.csv", "--out", tmp_path / "a.mp4"), "has only one state, and a film needs several"),
        ((tmp_path / "bare.csv", "--out", out), "has no radii, which are needed to draw the discs"),
        ((tmp_path / "broken.gsd", "--out", out), "broken.gsd"),
        ((tmp_path / "missing.gsd", "--out", out), "missing.gsd"),
        (("nope", "--out", out), "nope is neither a file nor a bundled scenario"),
        (("lattice-100", "--out", out, "--frame", "1"), "--frame works only with files"),
        (
            ("lattice-100", "--out", out, "--color-by", "collisions"),
            "free_volume, sides, hexatic, hexatic_angle or distance:DISC for aggregation, not 'collisions'",
        ),
        (("gas-10000", "--out", out, "--until-time", "0", "--color-by", "cluster"), "for hard-discs, not 'cluster'"),
        (
            ("lattice-100", "--out", out, "--color-by", "distance:100"),
            "--color-by distance:100: there is no 100; the numbers are 0 to 99",
        ),
        ((tmp_path / "one.csv", "--out", out, "--color-by", "distance:7"), "there is no 7; the numbers are 0 to"),
        (("lattice-100", "--out", out, "--color-by", "distance:x"), "or distance:DISC, not 'distance:x'"),
        ((tmp_path / "one.csv", "--out", out, "--set", "seed=1"), "--set and --seed work only with scenarios, but for"),
        (("lattice-100", "--out", out, "--color-by", "bond_order"), "for aggregation, not 'bond_order'"),
        (
            ("spheres-2500", "--out", out, "--color-by", "hexatic"),
            "q4, q6, w6, averaged_q4, averaged_q6 or distance:DISC for aggregation in space, not 'hexatic'",
        ),
        ((tmp_path / "one.csv", "--out", out, "--color-by", "bond_order"), "for this file, not 'bond_order'"),
        (("lattice-100", "--out", out, "--until-time", "-1"), "--until-time must be a number of at least 0"),
        (("lattice-100", "--out", out, "--set", "discs.count=0"), "discs.count"),
        (("lattice-100", "--out", tmp_path / "a.mp4", "--until-time", "inf"), "needs an end time"),
    ):
        assert words in refused(call("render", *arguments))
    assert not out.exists()


@pytest.mark.parametrize(("name", "words"), [("none/x.png", "there is no folder"), ("folder.png", "is a folder")])
def test_a_place_that_cannot_be_written_is_said_before_anything_is_simulated(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    (tmp_path / "folder.png").mkdir()
    monkeypatch.setattr("aggviewer.cli.render.start", lambda *_: pytest.fail("simulated"))
    assert words in refused(call("render", "lattice-100", "--until-time", "1", "--out", tmp_path / name))


@pytest.mark.parametrize("command", ["render", "run", "study"])
def test_a_folder_where_no_file_can_be_made_is_said_at_once(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def read_only(*_: object, dir: Path, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryFile", read_only)
    monkeypatch.setattr("engine.create", lambda *_: pytest.fail("simulated"))
    what, out = {
        "render": ("lattice-100", tmp_path / "x.mp4"),
        "run": ("lattice-100", tmp_path),
        "study": ("degond-2024", tmp_path / "new" / "study"),
    }[command]
    assert "cannot be written" in (said := refused(call(command, what, "--out", out)))
    assert "Read-only file system" in said
