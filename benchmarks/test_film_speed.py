"""Films and vector pictures of many discs: 600 frames of 1280 x 720 pixels, 10^4 discs."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

import engine
from aggviewer.canvas import warm_up
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.film import FilmRun, write_film
from aggviewer.export.pictures import write_picture
from aggviewer.export.sources import FilmColors, SimulationSource, show_state
from aggviewer.export.spec import FilmSpec
from benchmarks.conftest import Report, Timed

FRAMES = 600


@pytest.mark.parametrize("suffix", [".mp4", ".webm", ".gif"])
def test_a_film_of_ten_thousand_discs(
    timed: Timed, report: Report, benchmark: BenchmarkFixture, qtbot: QtBot, tmp_path: Path, suffix: str
) -> None:
    """At least 15 frames a second, simulating and encoding included."""
    warm_up()
    source = SimulationSource(engine.create(engine.load_scenario("lattice-10000")))
    spec = FilmSpec((1280, 720), 30.0, speed=1.0, end=(FRAMES - 1) / 30.0)
    path = tmp_path / f"film{suffix}"
    assert timed(write_film, path, spec, [FilmRun(source)], ViewModel(), rounds=1) == FRAMES
    report(frames_per_second=FRAMES / benchmark.stats.stats.mean, megabytes=path.stat().st_size / 1e6)


@pytest.mark.parametrize("suffix", [".svg", ".pdf"])
def test_a_hundred_thousand_discs_as_vectors(
    timed: Timed, report: Report, qtbot: QtBot, tmp_path: Path, suffix: str
) -> None:
    simulation = engine.create(engine.load_scenario("lattice-100000"))
    simulation.advance(5.0)
    source, scene, view = SimulationSource(simulation), Scene(), ViewModel()
    show_state(scene, source, simulation.frame(), FilmColors(source, "cluster"), view)
    camera = Camera.fitting((float(simulation.box[0]), float(simulation.box[1])), (1400.0, 900.0))
    path = tmp_path / f"picture{suffix}"
    timed(write_picture, path, scene, camera, view, (1400, 900), rounds=1)
    report(megabytes=path.stat().st_size / 1e6)
