"""`aggviewer render`: films with plots, films that follow discs, films of saved sessions."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest

from aggviewer.export.spec import FilmLayout
from engine.files import FileFrame, write
from tests.cli.conftest import Call, refused

SMALL = ("lattice-100", "--set", "discs.count=49", "--fps", "5", "--speed", "1", "--until-time", "1")
ROOM = ("--size", "640x480")


def decoded(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24").astype(int) for frame in container.decode(video=0)]


@pytest.fixture
def crossing(tmp_path: Path) -> Path:
    """A disc that flies through the edge of a periodic box, and one at rest; 11 states."""
    path = tmp_path / "crossing.gsd"
    frames = [
        FileFrame(
            positions=np.array([[(6.0 + 0.8 * number) % 10.0, 5.0], [5.0, 1.0]]),
            velocities=np.array([[0.8, 0.0], [0.0, 0.0]]),
            radii=np.array([0.5, 0.5]),
            cluster=np.array([0, 1], np.int32),
            box=np.array([10.0, 10.0]),
            periodic=True,
            time=float(number),
        )
        for number in range(11)
    ]
    write(path, frames)
    return path


def test_plots_beside_and_below(call: Call, tmp_path: Path) -> None:
    for at in ("right", "below"):
        out = tmp_path / f"{at}.mp4"
        done = call("render", *SMALL, *ROOM, "--out", out, "--plots", "contacts,coarsening", "--plots-at", at)
        assert (done.status, done.err) == (0, "")
        images = decoded(out)
        assert len(images) == 6
        assert images[0].shape == (480, 640, 3)
        for place in FilmLayout.of((640, 480), 1, 2, at).plots:  # type: ignore[arg-type]
            assert np.ptp(images[-1][place.area]) > 120
        assert np.abs(images[0] - images[-1])[FilmLayout.of((640, 480), 1, 2, at).plots[1].area].max() > 60  # type: ignore[arg-type]


def test_a_disc_stays_in_the_middle_and_its_film_has_plots(call: Call, crossing: Path, tmp_path: Path) -> None:
    out = tmp_path / "film.mp4"
    bare = ("--hide", "legend", "--hide", "time", "--hide", "scale-bar", "--hide", "box", "--background", "black")
    done = call(
        "render", crossing, "--out", out, "--size", "320x240", *bare,
        "--follow", "0", "--view-width", "4", "--quality", "high", "--color-by", "speed",
    )  # fmt: skip
    assert (done.status, done.err) == (0, "")
    images = decoded(out)
    assert len(images) == 11
    for number, image in enumerate(images):
        x = (6.0 + 0.8 * number) % 10.0
        if min(x, 10.0 - x) < 0.6:
            continue
        light = image.sum(axis=2) > 90
        rows, columns = np.nonzero(light)
        assert (columns.mean(), rows.mean()) == pytest.approx((159.5, 119.5), abs=1.5), number
        assert columns.max() - columns.min() + 1 == pytest.approx(80, abs=4)  # a diameter of 1 in a width of 4
    plotted = tmp_path / "plots.gif"
    done = call("render", crossing, "--out", plotted, *ROOM, "--plots", "contacts", "--follow", "cluster:1")
    assert (done.status, done.err) == (0, "")
    assert len(decoded(plotted)) == 11


def test_a_session_is_filmed_from_where_it_was_saved(call: Call, tmp_path: Path) -> None:
    scenario = SMALL[:3]
    assert call("run", *scenario, "--until-time", "2", "--out", tmp_path / "run").status == 0
    out = tmp_path / "film.gif"
    done = call(
        "render", tmp_path / "run" / "final.aggsession", "--out", out, *ROOM, "--fps", "5",
        "--speed", "1", "--until-time", "3", "--plots", "coarsening", "--json",
    )  # fmt: skip
    assert (done.status, done.json["frames"], done.json["sim_time"]) == (0, 6, 3.0)
    early = call("render", tmp_path / "run" / "final.aggsession", "--out", out, "--from-time", "1", "--until-time", "3")
    assert "cannot start before t = 2" in refused(early)


def test_a_film_of_a_length_by_the_logarithm_of_time(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "film.gif"
    done = call("render", *SMALL[:3], "--out", out, *ROOM, "--fps", "5", "--length", "2", "--log-time", "--json")
    assert (done.status, done.json["frames"], done.json["seconds"]) == (0, 11, 2.2)
    images = decoded(out)
    none = call("render", *SMALL[:3], "--out", tmp_path / "none.gif", "--length", "0")
    assert "--length must be a number of seconds above 0, not 0" in refused(none)
    even = call("render", *SMALL[:3], "--out", out, *ROOM, "--fps", "5", "--length", "2", "--even-time", "--json")
    assert even.json["sim_time"] == done.json["sim_time"]
    for alike, images_differ in ((0, False), (5, True), (10, False)):
        assert bool((images[alike] != decoded(out)[alike]).any()) is images_differ


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--follow", "49"), "there is no 49 to follow: the numbers are 0 to 48"),
        (("--follow", "cluster:x"), "choose what to follow: a disc such as 17"),
        (("--plots", "contacts,nix"), "there is no plot 'nix'; there are box_counting"),
        (("--plots", "contacts", "--plots-at", "left"), "--plots-at must be right or below, not 'left'"),
        (("--log-time", "--speed", "2"), "--speed cannot be combined with --length or --log-time"),
        (("--plots-at", "below"), "--plots-at needs --plots"),
        (("--view-width", "3"), "--view-width needs --follow"),
        (("--follow", "1", "--view-width", "-3"), "--view-width must be a length above 0, not -3"),
        (("--plots", "contacts", "--size", "200x160"), "1 plot does not fit beside the picture in a film of 200 × 160"),
    ],
)
def test_impossible_film_options_are_refused(call: Call, tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    assert words in refused(call("render", *SMALL, "--out", tmp_path / "film.mp4", *options))
    assert list(tmp_path.iterdir()) == []
