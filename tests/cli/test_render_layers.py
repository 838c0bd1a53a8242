"""Layers and scales of `aggviewer render`: of recordings and of scenarios."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtGui import QImage

import engine
from aggviewer.canvas.qt_drawing import from_qimage
from engine.files import FileFrame, TrajectoryWriter
from engine.scenario import Scenario

from .conftest import Call, refused

SMALL = ("--size", "360x300")


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some twenty states of a run of aggregation that has begun to form clusters."""
    path = tmp_path_factory.mktemp("layers") / "run.gsd"
    scenario = Scenario().with_values({"discs.count": 100, "discs.volume_fraction": 0.3, "box.boundary": "periodic"})
    simulation = engine.create(scenario)
    with TrajectoryWriter(path, scenario.to_toml()) as writer:
        for step in range(20):
            simulation.advance(0.1 * step)
            writer.append(FileFrame.of(simulation.frame(), simulation))
    return path


def pixels(path: Path) -> np.ndarray:
    return from_qimage(QImage(str(path))).astype(int)


@pytest.mark.parametrize("layer", ["tracks", "density:1"])
def test_a_layer_is_in_the_picture_of_a_recording(call: Call, recording: Path, tmp_path: Path, layer: str) -> None:
    plain, over = tmp_path / "plain.png", tmp_path / "over.png"
    call("render", recording, "--out", plain, *SMALL)
    done = call("render", recording, "--out", over, *SMALL, "--layer", layer)
    assert (done.status, done.err) == (0, "")
    assert np.abs(pixels(plain) - pixels(over)).sum() > 10_000
    svg = tmp_path / "over.svg"
    assert call("render", recording, "--out", svg, *SMALL, "--layer", layer).status == 0


def test_tracks_are_those_of_the_states_before(call: Call, recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "tracks.png"
    first = call("render", recording, "--out", out, *SMALL, "--frame", "0", "--layer", "tracks")
    assert first.err.strip() == "aggviewer: --layer tracks draws nothing: nothing has moved yet"
    scenario = call(
        *("render", "lattice-100", "--set", "discs.count=25", "--out", out, *SMALL, "--until-time", "1.5"),
        *("--layer", "tracks", "--json"),
    )
    assert (scenario.status, scenario.err) == (0, "")
    assert scenario.json["sim_time"] == 1.5
    ended = call("render", "lattice-100", "--set", "discs.count=9", "--out", out, *SMALL, "--layer", "tracks")
    assert (ended.status, ended.err) == (0, "")


def test_a_layer_with_nothing_to_draw_is_named(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "a.png"
    start = ("render", "lattice-100", "--set", "discs.count=25", "--out", out, *SMALL, "--until-time", "0")
    for layer, words in (("hulls", "no discs have joined"), ("forces", "the state has no force network")):
        done = call(*start, "--layer", layer)
        assert done.status == 0
        assert done.err.strip() == f"aggviewer: --layer {layer} draws nothing: {words}"


@pytest.mark.parametrize("layer", ["voronoi:0.5", "hulls"])
def test_a_layer_of_the_plane_is_refused_for_spheres_before_anything_is_simulated(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layer: str
) -> None:
    monkeypatch.setattr("aggviewer.cli.render.start", lambda *_: pytest.fail("simulated"))
    file = tmp_path / "spheres.csv"
    file.write_text("# box = 6 6 6 walls\nx,y,z,radius\n3,3,1,0.9\n", encoding="utf-8")
    words = f"--layer must be forces, contacts, tracks or velocities in space, not '{layer.partition(':')[0]}'"
    for source in ("spheres-2500", file):
        for out in ("a.png", "a.mp4"):
            done = call("render", source, "--out", tmp_path / out, *SMALL, "--until-time", "1", "--layer", layer)
            assert words in refused(done)


def test_the_scale_of_the_colours_is_as_told(call: Call, recording: Path, tmp_path: Path) -> None:
    out, pictures = tmp_path / "a.png", []
    for options in ((), ("--scale", "0:20"), ("--scale", ":20", "--steps", "2"), ("--log-scale", "--scale", "0.1:2")):
        done = call("render", recording, "--out", out, *SMALL, "--color-by", "speed", *options)
        assert (done.status, done.err) == (0, "")
        pictures.append(pixels(out))
    for one, other in ((0, 1), (1, 2), (0, 3)):
        assert np.abs(pictures[one] - pictures[other]).sum() > 10_000
    done = call("render", recording, "--out", out, *SMALL, "--steps", "3")
    assert "have no effect: cluster has no scale of numbers" in done.err


def test_a_box_of_spheres_is_seen_along_an_axis_and_cut_open(call: Call, recording: Path, tmp_path: Path) -> None:
    file, out, pictures = tmp_path / "spheres.csv", tmp_path / "a.png", []
    file.write_text("# box = 6 6 6 walls\nx,y,z,radius\n3,3,1,0.9\n2,3,3,0.5\n3,3,5,0.9\n", encoding="utf-8")
    for options in ((), ("--along", "z"), ("--along", "z", "--slab", "0:0.6"), ("--along", "z", "--slab", "0:0.3")):
        done = call("render", file, "--out", out, *SMALL, "--hide", "box", *options)
        assert (done.status, done.err) == (0, "")
        pictures.append(pixels(out))
    for one, other in ((0, 1), (1, 2), (2, 3)):
        assert np.abs(pictures[one] - pictures[other]).sum() > 10_000
    done = call("render", recording, "--out", out, *SMALL, "--along", "x")
    assert "--along and --slab have no effect: the discs lie in a plane" in done.err


def test_a_wrong_scale_or_opacity_is_refused_with_the_reason(call: Call, recording: Path, tmp_path: Path) -> None:
    start = ("render", recording, "--out", tmp_path / "a.png", "--color-by", "speed")
    for options, words in (
        (("--scale", "3"), "--scale must be LOW:HIGH, such as 0:2 or :2, not '3'"),
        (("--scale", "a:2"), "--scale must be LOW:HIGH"),
        (("--scale", "3:1"), "the lower limit of a scale must be below the upper one, not 3 and 1"),
        (("--scale", "0:1", "--log-scale"), "the limits of a logarithmic scale must be above 0"),
        (("--steps", "1"), "a scale has 2 to 64 steps, or 0 for none, not 1"),
        (("--layer", "voronoi:2"), "the opacity must be a number from 0.05 to 1"),
        (("--layer", "voronoi:x"), "the opacity must be a number from 0.05 to 1"),
        (
            ("--layer", "taste"),
            "--layer must be density, boxes, hulls, voronoi, forces, contacts, tracks or velocities",
        ),
    ):
        assert words in refused(call(*start, *options))
    assert not (tmp_path / "a.png").exists()
