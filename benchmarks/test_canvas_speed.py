"""What a frame of the picture costs at 1600 x 1000, uploading and drawing included, and what layers take of one.

A round of a frame is one new frame, repainted by Qt.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.canvas import DiscCanvas, create_canvas, warm_up
from aggviewer.canvas.create import VARIABLE, missing_opengl
from aggviewer.canvas.layers.layer import Layer, LayerInput
from aggviewer.canvas.layers.registry import switches
from aggviewer.document.view import ViewModel
from aggviewer.session.coloring import Coloring
from benchmarks.conftest import Report, Timed
from engine.boundary import Periodic
from engine.frame import Frame

COLORING = Coloring("speed", "Speed", "length / time", (0.0, 1.0))


@pytest.fixture(params=["opengl", "painter"])
def canvas(
    request: pytest.FixtureRequest, qtbot: QtBot, report: Report, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DiscCanvas]:
    """A picture on the screen."""
    if request.param == "opengl" and missing_opengl():
        pytest.skip(missing_opengl())
    monkeypatch.setenv(VARIABLE, request.param)
    warm_up()
    made = create_canvas(None, ViewModel())
    made.resize(1600, 1000)
    made.show()
    qtbot.waitExposed(made)
    yield made
    report(renderer=made.renderer)
    made.close()
    made.deleteLater()


def load(canvas: DiscCanvas, count: int) -> tuple[np.ndarray, np.ndarray]:
    """A gas at V_f = 0.2 on a jittered lattice of spacing 1."""
    rng = np.random.default_rng(0)
    side = int(np.ceil(np.sqrt(count)))
    cell = np.arange(count)
    positions = np.c_[cell % side + 0.5, cell // side + 0.5] + rng.uniform(-0.2, 0.2, (count, 2))
    canvas.replace_discs(np.full(count, np.sqrt(0.2 / np.pi)), np.array([side, side], float), False)
    return positions, rng.random(count, np.float32)


def frame(canvas: DiscCanvas, positions: np.ndarray, scalar: np.ndarray) -> None:
    """Show a frame, and wait until it is drawn."""
    before = canvas.frames_drawn
    canvas.show_frame(positions, scalar, COLORING, float(before))
    while canvas.frames_drawn == before:
        QApplication.processEvents()


@pytest.mark.parametrize("count", [100, 10_000, 100_000, 1_000_000])
def test_frame_of_the_whole_box(timed: Timed, canvas: DiscCanvas, count: int) -> None:
    timed(frame, canvas, *load(canvas, count), rounds=30)


def test_frame_of_a_part_of_a_million(timed: Timed, canvas: DiscCanvas) -> None:
    discs = load(canvas, 1_000_000)
    canvas.set_view_rect(480.0, 480.0, 50.0, 30.0)
    timed(frame, canvas, *discs, rounds=30)


def test_snapshot_in_4k(timed: Timed, canvas: DiscCanvas) -> None:
    canvas.show_frame(*load(canvas, 10_000), COLORING, 0.0)
    timed(canvas.snapshot, 3840, 2160)


@pytest.mark.parametrize("layer", [layer for layer in switches() if not layer.momentary], ids=lambda one: one.name)
def test_what_a_layer_takes_of_a_frame(timed: Timed, layer: Layer) -> None:
    """A periodic box of 10^5 discs anywhere, or of chains of eight that touch."""
    count, rng = 100_000, np.random.default_rng(1)
    side = float(np.sqrt(count * np.pi / 0.2))
    frame = Frame.empty(count)
    frame.positions[:] = rng.random((count, 2)) * side
    if layer.name == "hulls":
        first = np.arange(count) // 8 * 8
        turn = 2.0 * np.pi * rng.random(count)[first]
        step = 2.0 * (np.arange(count) % 8)[:, None] * np.c_[np.cos(turn), np.sin(turn)]
        frame.positions[:] = (frame.positions[first] + step) % side
        frame.fields["cluster"] = first.astype(np.int32)
        frame.clusters = count // 8
    frame.velocities[:] = rng.standard_normal((count, 2))
    timed(
        layer.take, LayerInput(frame, np.ones(count), np.full(2, side), Periodic.of(True, 2), memory=layer.new_memory())
    )
