"""Whether the window keeps its pace at 10^5 discs with layers on, with discs selected, with a table, and with a disc
that is followed. Reported, not asserted.

The reaches: 15 pictures a second with OpenGL in software, and at least 0.8 of the simulation time a second that there
is without. All is off and on in turns, so that both meet the same machine. ``whole`` looks at the whole box, where
cells and contacts are too small to be drawn; ``part`` at some thousand discs, where all is drawn.

Under Xvfb: ``pytest benchmarks/test_layers_speed.py --benchmark-only``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from aggviewer import canvas as canvas_package
from aggviewer.canvas.layers.layer import Layer, Moment
from aggviewer.canvas.layers.registry import switches
from aggviewer.session import Session
from aggviewer.session.load.builder import Engine
from aggviewer.systems.registry import view_of
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from engine.analysis.hulls import cluster_hulls
from engine.analysis.voronoi import voronoi
from engine.frame import Frame
from engine.scenario import Scenario
from engine.selection import Selection

PATIENCE = 120_000  # milliseconds
STRETCH = 6.0  # seconds of each measurement
TURNS = 2
COUNT = 100_000
GAS = {
    "system": "hard-discs",
    "discs.count": COUNT,
    "discs.volume_fraction": 0.5,
    "box.boundary": "periodic",
    "velocities.distribution": "maxwell",
}
AGGREGATES = {"discs.count": COUNT, "discs.volume_fraction": 0.2, "box.boundary": "periodic"}
SLOWLY = 0.5  # simulation time a second, of aggregates: as fast as they can they would be through after some seconds
LAYERS = {"maps": ("contacts", "voronoi", "density"), "motion": ("contacts", "tracks", "velocities")}
"""Two choices of three."""
SELECTED = 10_000


def layers_on(window: MainWindow, names: tuple[str, ...]) -> Callable[[bool], None]:
    """Switches layers on and off."""

    def switch(on: bool) -> None:
        window.session.view.layers = names if on else ()

    return switch


def selection_and_table(window: MainWindow) -> Callable[[bool], None]:
    """Selects every tenth disc and opens the table (F8), or neither."""

    def switch(on: bool) -> None:
        chosen = np.arange(0, COUNT, COUNT // SELECTED) if on else np.zeros(0, np.int64)
        window.session.marking.select(Selection.discs(chosen, COUNT))
        if window.commands.action("view.inspector").isChecked() != on:
            window.commands.run("view.inspector")

    return switch


def following(window: MainWindow) -> Callable[[bool], None]:
    """Selects a disc and follows it, or stops."""

    def switch(on: bool) -> None:
        window.session.marking.select(Selection.discs([COUNT // 2] if on else [], COUNT))
        window.commands.update()
        if window.commands.action("view.follow").isChecked() != on:
            window.commands.run("view.follow")

    return switch


@contextmanager
def running(
    qtbot: QtBot, folder: Path, values: dict[str, object], seen: str, speed: float = inf
) -> Iterator[MainWindow]:
    """A window in which this runs at this speed, inf for as fast as it can, since some seconds."""
    Engine().warm_up(lambda done, total, what: None, str(values.get("system", "event-driven")))
    canvas_package.warm_up()
    settings = WindowSettings(folder / "window.ini")
    settings.welcome_dismissed = True
    window = MainWindow(Session(views=view_of), settings)
    session = window.session
    try:
        window.resize(1440, 880)
        window.show()
        qtbot.waitExposed(window)
        session.load(Scenario().with_values(values), run=False)
        qtbot.waitUntil(lambda: session.status().state == "paused", timeout=PATIENCE)
        qtbot.waitUntil(lambda: window.canvas.frames_drawn > 0, timeout=PATIENCE)
        if seen == "part":
            box = window.canvas.scene.box
            window.canvas.set_view_rect(*(0.4 * box), *(0.12 * box))
        session.set_speed(speed)
        session.run()
        qtbot.wait(4000)
        yield window
    finally:
        window.close()
        window.deleteLater()


def compare(benchmark: BenchmarkFixture, qtbot: QtBot, window: MainWindow, switch: Callable[[bool], None]) -> None:
    """Pictures and simulation time a second, off and on in turns."""
    session = window.session

    def measured(on: bool) -> tuple[float, float]:
        switch(on)
        qtbot.wait(1500)
        frames, reached, began = window.canvas.frames_drawn, session.status().time, time.perf_counter()
        qtbot.wait(round(1000.0 * STRETCH))
        took = time.perf_counter() - began
        return (window.canvas.frames_drawn - frames) / took, (session.status().time - reached) / took

    pairs = [(measured(False), measured(True)) for _ in range(TURNS)]
    benchmark.extra_info.update(
        renderer=window.canvas.renderer,
        fps_without=round(mean(without[0] for without, _ in pairs), 1),
        fps_with=round(mean(beside[0] for _, beside in pairs), 1),
        speed_kept=round(sum(beside[1] for _, beside in pairs) / sum(without[1] for without, _ in pairs), 3),
        each=[[float(f"{number:.3g}") for pair in both for number in pair] for both in pairs],
    )
    benchmark.pedantic(lambda: None, rounds=1)


@pytest.mark.parametrize("seen", ["whole", "part"])
@pytest.mark.parametrize("chosen", list(LAYERS))
def test_the_window_keeps_its_pace(
    benchmark: BenchmarkFixture, qtbot: QtBot, tmp_path: Path, chosen: str, seen: str
) -> None:
    with running(qtbot, tmp_path, GAS, seen) as window:
        compare(benchmark, qtbot, window, layers_on(window, LAYERS[chosen]))


@pytest.mark.parametrize("seen", ["whole", "part"])
def test_with_a_selection_and_a_table(benchmark: BenchmarkFixture, qtbot: QtBot, tmp_path: Path, seen: str) -> None:
    with running(qtbot, tmp_path, GAS, seen) as window:
        compare(benchmark, qtbot, window, selection_and_table(window))


def test_with_a_disc_that_is_followed(benchmark: BenchmarkFixture, qtbot: QtBot, tmp_path: Path) -> None:
    with running(qtbot, tmp_path, GAS, "part") as window:
        compare(benchmark, qtbot, window, following(window))


@pytest.mark.parametrize("seen", ["whole", "part"])
def test_with_hulls_of_clusters(benchmark: BenchmarkFixture, qtbot: QtBot, tmp_path: Path, seen: str) -> None:
    with running(qtbot, tmp_path, AGGREGATES, seen, SLOWLY) as window:
        compare(benchmark, qtbot, window, layers_on(window, ("hulls",)))


def a_state(clusters: bool) -> tuple[Frame, np.ndarray, np.ndarray]:
    """A gas of 10^5 discs anywhere, or chains of eight that touch."""
    rng = np.random.default_rng(1)
    side = float(np.sqrt(COUNT * np.pi / 0.2))
    frame = Frame.empty(COUNT)
    frame.positions[:] = rng.random((COUNT, 2)) * side
    if clusters:
        first = np.arange(COUNT) // 8 * 8
        turn = 2.0 * np.pi * rng.random(COUNT)[first]
        step = 2.0 * (np.arange(COUNT) % 8)[:, None] * np.c_[np.cos(turn), np.sin(turn)]
        frame.positions[:] = (frame.positions[first] + step) % side
        frame.fields["cluster"] = first.astype(np.int32)
        frame.clusters = COUNT // 8
    frame.velocities[:] = rng.standard_normal((COUNT, 2))
    return frame, np.ones(COUNT), np.full(2, side)


@pytest.mark.parametrize("layer", [layer for layer in switches() if not layer.momentary], ids=lambda one: one.name)
def test_what_a_layer_takes_of_a_frame(benchmark: BenchmarkFixture, layer: Layer) -> None:
    frame, radii, box = a_state(clusters=layer.name == "hulls")
    moment = Moment(frame, radii, box, True, memory=layer.new_memory())
    layer.take(moment)
    benchmark.pedantic(layer.take, args=(moment,), rounds=5)


def test_voronoi_of_a_gas(benchmark: BenchmarkFixture) -> None:
    frame, radii, box = a_state(clusters=False)
    benchmark.pedantic(lambda: voronoi(frame.positions, radii, box, periodic=True, edges=False), rounds=5)


def test_hulls_of_clusters(benchmark: BenchmarkFixture) -> None:
    frame, radii, box = a_state(clusters=True)
    benchmark.pedantic(lambda: cluster_hulls(frame.positions, radii, frame.cluster, box, periodic=True), rounds=5)
