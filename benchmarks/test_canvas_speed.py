"""What a frame of the picture costs at 1600 x 1000, uploading and drawing included.

Under Xvfb: ``pytest benchmarks/test_canvas_speed.py --benchmark-only``. A round is one new frame, repainted by Qt.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PyQt6.QtWidgets import QApplication
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from aggviewer.canvas import DiscCanvas, create_canvas, warm_up
from aggviewer.canvas.create import missing_opengl
from aggviewer.document.view import ViewModel
from aggviewer.session.publish.coloring import Coloring

COLORING = Coloring("speed", "Speed", "length / time", (0.0, 1.0))


@pytest.fixture(params=["opengl", "painter"])
def canvas(request: pytest.FixtureRequest, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[DiscCanvas]:
    if request.param == "opengl" and missing_opengl():
        pytest.skip(missing_opengl())
    monkeypatch.setenv("AGGVIEWER_CANVAS", request.param)
    warm_up()
    made = create_canvas(None, ViewModel())
    made.resize(1600, 1000)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.close()
    made.deleteLater()


def load(canvas: DiscCanvas, count: int) -> tuple[np.ndarray, np.ndarray]:
    """A gas at V_f = 0.2 on a jittered lattice of spacing 1."""
    rng = np.random.default_rng(0)
    side = int(np.ceil(np.sqrt(count)))
    cell = np.arange(count)
    positions = np.c_[cell % side + 0.5, cell // side + 0.5] + rng.uniform(-0.2, 0.2, (count, 2))
    canvas.set_system(np.full(count, np.sqrt(0.2 / np.pi)), np.array([side, side], float), False)
    return positions, rng.random(count, np.float32)


def frames(canvas: DiscCanvas, positions: np.ndarray, scalar: np.ndarray) -> None:
    before = canvas.frames_drawn
    canvas.show_frame(positions, scalar, COLORING, float(before))
    while canvas.frames_drawn == before:
        QApplication.processEvents()


@pytest.mark.parametrize("count", [100, 10_000, 100_000, 1_000_000])
def test_frame_of_the_whole_box(benchmark: BenchmarkFixture, canvas: DiscCanvas, count: int) -> None:
    positions, scalar = load(canvas, count)
    benchmark.extra_info["renderer"] = canvas.renderer
    benchmark.pedantic(frames, args=(canvas, positions, scalar), rounds=30, warmup_rounds=3)


def test_frame_of_a_part_of_a_million(benchmark: BenchmarkFixture, canvas: DiscCanvas) -> None:
    positions, scalar = load(canvas, 1_000_000)
    canvas.set_view_rect(480.0, 480.0, 50.0, 30.0)
    benchmark.pedantic(frames, args=(canvas, positions, scalar), rounds=30, warmup_rounds=3)


def test_snapshot_in_4k(benchmark: BenchmarkFixture, canvas: DiscCanvas) -> None:
    positions, scalar = load(canvas, 10_000)
    canvas.show_frame(positions, scalar, COLORING, 0.0)
    benchmark.pedantic(canvas.snapshot, args=(3840, 2160), rounds=5, warmup_rounds=1)
