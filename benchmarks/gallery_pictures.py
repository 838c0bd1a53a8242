"""`make gallery`: the pictures of docs/gallery.md and of the table in the README go to docs/images/gallery.

Each shows one layer, or one way to colour, with its legend, on a part of the box that is large enough to see it; the
last one is a figure of the composer. Films of spheres are made by `aggviewer render`, and kept as animated WebP, which
browsers play like pictures. Names on the command line are those that are made; without names all are.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image
from PyQt6.QtGui import QFont, QImage
from PyQt6.QtWidgets import QApplication

import engine
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.registry import Memories
from aggviewer.canvas.layers.tracks import KEPT
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import Scene
from aggviewer.canvas.warmup import warm_up
from aggviewer.document.view import ViewModel
from aggviewer.export.figure import Figure, Page, PicturePanel
from aggviewer.export.sources import SimulationSource
from aggviewer.export.states import FilmColors, show_state
from aggviewer.plots import PlotsPanel
from aggviewer.plots.paper import PlotPanel
from aggviewer.session.data import Analysis, SystemInfo
from aggviewer.style.theme import LIGHT
from aggviewer.systems.aggregation.analysis import AggregateData
from aggviewer.systems.aggregation.structure import BoxCountingPlot
from aggviewer.systems.registry import plots_of
from benchmarks.few_colors import few_colors
from engine.analysis import analyse
from engine.runs.limits import RunLimits
from engine.runs.loop import simulate
from engine.scenario import load_scenario
from engine.system import system_of

FOLDER = Path(__file__).parents[1] / "docs" / "images" / "gallery"
SIZE = (720, 480)
"""Pixels of a picture."""
LARGEST = 120_000
"""Bytes of a picture, at most."""
LARGEST_FILM = 500_000
"""Bytes of a film, at most."""
_COLORS = 96  # of a picture, with the shades of its rims
_TEXT = 15  # pixels


@dataclass(frozen=True)
class Shot:
    """What a picture shows.

    Parameters
    ----------
    scenario, values : a bundled scenario, and what is different in it.
    limits : when.
    view : what is not as usual in the view.
    across : the width of the picture as a part of the box's.
    middle : what is in the middle of the picture, as parts of the box's sides.
    since : how long before the picture the tracks begin.
    """

    scenario: str
    limits: RunLimits
    view: dict[str, Any]
    values: dict[str, Any] = field(default_factory=dict)
    across: float = 0.5
    middle: tuple[float, float] = (0.5, 0.5)
    since: float = 0.0


_STICKING = RunLimits(until_clusters=180)

SHOTS = {
    "contacts": Shot("lattice-2500", _STICKING, {"color_by": "contacts", "layers": ("contacts",)}, across=0.36),
    "velocities": Shot(
        "cooling-16384",
        RunLimits(until_time=200.0),
        {"color_by": "direction", "layers": ("velocities",)},
        {"discs.count": 4096},
        across=0.35,
        middle=(0.2, 0.6),
    ),
    "tracks": Shot(
        "gas-10000",
        RunLimits(until_time=12.0),
        {"color_by": "speed", "layers": ("tracks",)},
        {"discs.count": 400, "discs.volume_fraction": 0.08},
        across=0.6,
        since=3.0,
    ),
    "hulls": Shot("lattice-2500", _STICKING, {"layers": ("hulls",)}, across=0.7),
    "boxes": Shot(
        "sierpinski-729",
        RunLimits(until_time=0.0),
        {"layers": ("boxes",), "grid_level": 5},
        across=1.86,
        middle=(0.91, 0.5),
    ),
    "forces": Shot("jam-1024", RunLimits(), {"color_by": "contacts", "layers": ("forces",)}),
    "pressure": Shot("jam-1024", RunLimits(), {"color_by": "pressure", "colormap": "magma", "layers": ()}),
    "voronoi": Shot(
        "gas-10000",
        RunLimits(until_time=3.0),
        {"color_by": "hexatic", "layers": ("voronoi",)},
        {"discs.count": 900, "discs.volume_fraction": 0.4},
        across=0.6,
    ),
    "density": Shot(
        "cooling-16384",
        RunLimits(until_time=300.0),
        {"color_by": "speed", "layers": ("density",)},
        {"discs.count": 4096},
        across=0.85,
        middle=(0.43, 0.6),
    ),
}

RATE = 12  # pictures of a film per second
FILM_SIZE = (320, 300)
FILMS = {
    "spheres-bounce": "spheres-heap --set discs.count=1200 --until-time 20 --color-by speed --colormap plasma",
    "spheres-stick": "spheres-2500 --set discs.count=400 --log-time",
    "spheres-jam": "jam-spheres-512 --set discs.count=150 --color-by contacts --layer forces",
}
"""What `aggviewer render` films, by name; the box turns once around in each."""


def painted(shot: Shot) -> QImage:
    """A picture, with its legend."""
    view = ViewModel(background="dark", show_scale_bar=False, show_time=False, **shot.view)
    scene, camera = seen(shot, view)
    font = QFont()
    font.setPixelSize(_TEXT)
    painter = Painter(view, font)
    return painter.image(scene, camera.rendered(*SIZE)).copy()


def seen(shot: Shot, view: ViewModel) -> tuple[Scene, Camera]:
    """The discs of a picture, and the part of the box that is in it."""
    scenario = load_scenario(shot.scenario).with_values(shot.values)
    engine.warm_up(lambda done, total, what: None, system_of(scenario).kernels(scenario))
    simulation = engine.create(scenario)
    simulate(simulation, shot.limits)
    source = SimulationSource(simulation)
    scene, memories = Scene(), Memories()
    colors = FilmColors(source, view.color_by)
    first = source.first_time
    for time in np.linspace(first, first + shot.since, KEPT if shot.since else 1):
        show_state(scene, source, source.frame_at(float(time)), colors, view, memories=memories)
    width, height = float(source.box[0]), float(source.box[1])
    scale = SIZE[0] / (width * shot.across)
    return scene, Camera(shot.middle[0] * width, shot.middle[1] * height, scale, *SIZE)


def figure() -> QImage:
    """A figure with two panels, as the composer makes it: discs that stick, and their fractal dimension."""
    view = ViewModel(background="white", show_scale_bar=False, show_time=False, show_legend=False)
    scenario = load_scenario("lattice-2500")
    engine.warm_up(lambda done, total, what: None, system_of(scenario).kernels(scenario))
    simulation = engine.create(scenario)
    simulate(simulation, RunLimits(until_clusters=25))
    source = SimulationSource(simulation)
    frame, scene = simulation.frame(), Scene()
    show_state(scene, source, frame, FilmColors(source, view.color_by), view)
    box = (float(source.box[0]), float(source.box[1]))
    picture = PicturePanel(scene, Camera.fitting(box, SIZE), view)
    system = SystemInfo(
        scenario, simulation.radii, simulation.masses, simulation.box, simulation.periodic, simulation.count
    )
    found = analyse(
        frame.positions, simulation.radii, simulation.box, periodic=simulation.periodic, cluster=frame.cluster
    )
    panel = PlotsPanel(plots_of)
    panel.set_kind(system.scenario.system)
    panel.resize(400, 800)
    panel.set_theme(LIGHT)
    panel.begin()
    panel.refresh(Analysis(system, frame.time, found, simulation.history(), AggregateData()))
    plots = [PlotPanel.of(card) for card in panel.cards if type(card.plot) is BoxCountingPlot]
    return Figure([picture, *plots], Page(130.0, 8.0, columns=2)).image(140.0)


def shot(name: str) -> bytes:
    """The PNG of one picture of the gallery."""
    return few_colors(painted(SHOTS[name]) if name in SHOTS else figure(), _COLORS)


def film(name: str) -> bytes:
    """The animated WebP of one film of the gallery."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.webm"
        look = "--turn --length 5 --hide time --hide scale-bar --hide legend --background dark --quality high"
        options = [*look.split(), "--fps", str(RATE), "--size", f"{FILM_SIZE[0]}x{FILM_SIZE[1]}", "--out", str(path)]
        rendered = [sys.executable, "-m", "aggviewer", "render", *FILMS[name].split(), *options]
        subprocess.run(rendered, check=True, stdout=subprocess.DEVNULL)
        with av.open(str(path)) as container:
            pictures = [Image.fromarray(frame.to_ndarray(format="rgb24")) for frame in container.decode(video=0)]
    written = io.BytesIO()
    duration = round(1000 / RATE)
    pictures[0].save(
        written, "WEBP", save_all=True, append_images=pictures[1:], duration=duration, loop=0, quality=50, method=6
    )
    return written.getvalue()


def main(names: list[str]) -> None:
    """Make the pictures of these names; all of them where none is given."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    application = QApplication(sys.argv[:1])  # the plots of the figure are widgets
    application.setStyle("fusion")
    warm_up()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in (*SHOTS, "figure", *FILMS):
        if names and name not in names:
            continue
        data, largest = (film(name), LARGEST_FILM) if name in FILMS else (shot(name), LARGEST)
        if len(data) > largest:
            raise SystemExit(f"{name} has {len(data)} bytes, {largest} are allowed: choose a smaller part of the box")
        path = FOLDER / f"{name}{'.webp' if name in FILMS else '.png'}"
        path.write_bytes(data)
        print(f"{path.name}: {len(data) / 1e3:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
