"""Small pictures that the program paints: those of docs/gallery.md (`make gallery`) and of the scenarios and lessons
(`make pictures`).

    python -m benchmarks.pictures gallery [NAME …]
    python -m benchmarks.pictures scenarios [NAME …]

What they show stands in pictures.toml. A picture of the gallery shows one layer, or one way to colour, with its legend,
on a part of the box that is large enough to see it; the last one is a figure of the composer. Films are made by
`aggviewer render`, and kept as animated WebP, which browsers play like pictures. Without names all of the gallery is
made, and of scenarios and lessons what is missing.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import tomllib
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
from aggviewer.canvas.layers.paths import KEPT
from aggviewer.canvas.layers.registry import Memories
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import Scene
from aggviewer.canvas.warmup import warm_up
from aggviewer.document.view import ViewModel
from aggviewer.export.figure import Figure, Page, PicturePanel
from aggviewer.export.files import png_bytes
from aggviewer.export.sources import FilmColors, SimulationSource, show_state
from aggviewer.extensions.lessons import source as lessons
from aggviewer.plots import PlotsPanel
from aggviewer.plots.film import PlotPanel
from aggviewer.session.data import Analysis, DiscSet
from aggviewer.style.theme import LIGHT
from aggviewer.systems.aggregation.analysis import AggregateData
from aggviewer.systems.aggregation.structure import BoxCountingPlot
from aggviewer.systems.registry import Catalog, plots_of
from aggviewer.widgets import part
from engine.analysis import analyse
from engine.runs.loop import RunLimits, simulate
from engine.scenario import Scenario, load_scenario
from engine.simulation import Simulation
from engine.system import system_of

FOLDER = Path(__file__).parents[1] / "docs" / "images" / "gallery"
SIZE = (720, 480)
"""Pixels of a picture of the gallery; `part.TILE_SIZE` are those of a scenario."""
LARGEST, LARGEST_FILM = 120_000, 500_000
"""Bytes of a picture and of a film of the gallery, at most."""
RATE, FILM_SIZE = 12, (320, 300)
"""Pictures of a film per second, and their pixels."""
_TEXT = 15  # pixels, in the gallery
_LEFT, _FEW = 0.08, 10  # see `usual`


@dataclass(frozen=True)
class Shot:
    """What a picture shows.

    Parameters
    ----------
    stop : when, as the limits of a run; None is the start.
    view : what is not as usual in the view.
    scenario, values : a bundled scenario, and what is different in it.
    across : the width of the picture as a part of the box's; 0 fits all discs.
    middle : what is in the middle of the picture, as parts of the box's sides.
    foot : the picture ends at the foot of the box, and shows it.
    since : how long before the picture the tracks begin.
    """

    stop: dict[str, float] | None = None
    view: dict[str, Any] = field(default_factory=dict)
    scenario: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    across: float = 1.0
    middle: tuple[float, float] = (0.5, 0.5)
    foot: bool = False
    since: float = 0.0


_SHOWN = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
GALLERY = {name: Shot(**shot) for name, shot in _SHOWN["gallery"].items()}
SCENARIOS = {name: Shot(**shot) for name, shot in _SHOWN["scenarios"].items()}
FILMS: dict[str, str] = _SHOWN["films"]


def usual(scenario: Scenario, count: int) -> Shot:
    """How a scenario of `count` discs is shown that is not in the table: discs that stick in clusters that have
    branches, a few of them at the start."""
    first = {"color_by": system_of(scenario).fields[0].name}
    if count < _FEW:
        return Shot(view=first, across=0.0)
    if system_of(scenario).joins:
        return Shot({"until_clusters": max(1, round(_LEFT * count))})
    return Shot({"until_time": 5.0}, first)


def simulated(scenario: Scenario, stop: dict[str, Any] | None) -> Simulation:
    """A run at its stop."""
    engine.warm_up(lambda done, total, what: None, system_of(scenario).kernels(scenario))
    simulation = engine.create(scenario)
    if stop is not None:
        simulate(simulation, RunLimits(**stop))
    return simulation


def seen(source: SimulationSource, shot: Shot, view: ViewModel, size: tuple[int, int]) -> tuple[Scene, Camera]:
    """The discs of a picture, and the part of the box that is in it."""
    scene, memories, colors = Scene(), Memories(), FilmColors(source, view.color_by)
    first = source.first_time
    for time in np.linspace(first, first + shot.since, KEPT if shot.since else 1):
        frame = source.frame_at(float(time))
        show_state(scene, source, frame, colors, view, memories=memories)
    wide, high = size
    if len(source.box) > 2:
        return scene, Camera.fitting(tuple(source.box), size).zoomed(1.0 / shot.across, wide / 2, high / 2)
    if shot.across == 0.0:
        (left, low), (right, top) = frame.positions.min(axis=0), frame.positions.max(axis=0)
        room = 0.16 * max(right - left, top - low)
        return scene, Camera.showing(left - room, low - room, right - left + 2 * room, top - low + 2 * room, size)
    width, height = float(source.box[0]), float(source.box[1])
    scale = wide / (width * shot.across)
    y = 0.46 * high / scale if shot.foot else shot.middle[1] * height
    return scene, Camera(shot.middle[0] * width, y, scale, wide, high)


def look(shot: Shot, **more: Any) -> ViewModel:
    """The view of a picture."""
    shown = {name: tuple(value) if isinstance(value, list) else value for name, value in shot.view.items()}
    return ViewModel(**({"show_scale_bar": False, "show_time": False} | more | shown))


def few_colors(image: QImage, colors: int) -> bytes:
    """A PNG of so many colours, at most 256: a third of the bytes, and with enough of them no eye sees a difference."""
    with Image.open(io.BytesIO(png_bytes(image))) as found:
        few = found.convert("RGB").quantize(colors, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    written = io.BytesIO()
    few.save(written, "PNG", optimize=True)
    return written.getvalue()


def painted(scenario: Scenario, shot: Shot | None = None) -> dict[str, bytes]:
    """The small pictures of a scenario as PNG, by their ground. shot : None is the usual one."""
    if shot is None:
        shot = usual(scenario, engine.create(scenario).count)
    source, made = SimulationSource(simulated(scenario, shot.stop)), {}
    for ground in part.TILE_GROUNDS:
        view = look(shot, background=ground, show_legend=False, show_box=shot.foot, layers=())
        image = Painter(view).image(*seen(source, shot, view, part.TILE_SIZE))
        made[ground] = few_colors(image.convertToFormat(QImage.Format.Format_RGBA8888), 30)
    return made


def shot(name: str) -> bytes:
    """The PNG of one picture of the gallery, with its legend."""
    if name not in GALLERY:
        return few_colors(_figure(), 96)
    chosen = GALLERY[name]
    view, font = look(chosen, background="dark"), QFont()
    font.setPixelSize(_TEXT)
    simulation = simulated(load_scenario(chosen.scenario).with_values(chosen.values), chosen.stop)
    scene, camera = seen(SimulationSource(simulation), chosen, view, SIZE)
    return few_colors(Painter(view, font).image(scene, camera.rendered(*SIZE)).copy(), 96)


def _figure() -> QImage:
    """A figure with two panels, as the composer makes it: discs that stick, and their fractal dimension."""
    shown = Shot({"until_clusters": 25})
    view = look(shown, background="white", show_legend=False)
    simulation = simulated(load_scenario("lattice-2500"), shown.stop)
    scene, _ = seen(SimulationSource(simulation), shown, view, SIZE)
    frame, box = simulation.frame(), simulation.box
    picture = PicturePanel(scene, Camera.fitting((float(box[0]), float(box[1])), SIZE), view)
    known = simulation.radii, simulation.masses, box, simulation.periodic, simulation.count
    found = analyse(frame.positions, simulation.radii, box, periodic=simulation.periodic, cluster=frame.cluster)
    panel = PlotsPanel(plots_of)
    panel.set_system(simulation.scenario.system)
    panel.resize(400, 800)
    panel.set_theme(LIGHT)
    panel.begin()
    system = DiscSet(simulation.scenario, *known)
    panel.refresh(Analysis(system, frame.time, found, simulation.history(), AggregateData()))
    plots = [PlotPanel.of(card) for card in panel.cards if type(card.plot) is BoxCountingPlot]
    return Figure([picture, *plots], Page(130.0, 8.0, columns=2)).image(140.0)


def film(name: str) -> bytes:
    """The animated WebP of one film of the gallery."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.webm"
        hidden = "--hide time --hide scale-bar --hide legend --hide axes"
        options = f"--length 5 {hidden} --background dark --quality high"
        size = ["--fps", str(RATE), "--size", f"{FILM_SIZE[0]}x{FILM_SIZE[1]}", "--out", str(path)]
        rendered = [sys.executable, "-m", "aggviewer", "render", *FILMS[name].split(), *options.split(), *size]
        subprocess.run(rendered, check=True, stdout=subprocess.DEVNULL)
        with av.open(str(path)) as container:
            pictures = [Image.fromarray(frame.to_ndarray(format="rgb24")) for frame in container.decode(video=0)]
    written, more = io.BytesIO(), {"duration": round(1000 / RATE), "loop": 0, "quality": 30, "method": 6}
    pictures[0].save(written, "WEBP", save_all=True, append_images=pictures[1:], **more)
    return written.getvalue()


def write(path: Path, data: bytes, largest: int) -> None:
    """Keep a picture, if it is small enough."""
    if len(data) > largest:
        raise SystemExit(f"{path.name} has {len(data)} bytes, {largest} are allowed: choose a smaller part of the box")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    print(f"{path.parent.name}/{path.name}: {len(data) / 1e3:.0f} kB", flush=True)


def main(kind: str, *names: str) -> None:
    """Make the pictures of these names."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    application = QApplication(sys.argv[:1])  # the plots of the figure are widgets
    application.setStyle("fusion")
    warm_up()
    if kind == "gallery":
        for name in names or (*GALLERY, "figure", *FILMS):
            film_of = name in FILMS
            path = FOLDER / f"{name}{'.webp' if film_of else '.png'}"
            write(path, film(name) if film_of else shot(name), LARGEST_FILM if film_of else LARGEST)
        return
    wanted = [(entry.name, load_scenario(entry.name), entry.name, False) for entry in Catalog().entries]
    for found in lessons.bundled():
        if (first := found.lesson.step[0].set) is not None:
            wanted.append((found.name, found.scenario(first), first.scenario or "", True))
    for name, scenario, shown, lesson in wanted:
        paths = {ground: part.picture_of(name, ground, lesson=lesson) for ground in part.TILE_GROUNDS}
        if name in names if names else not all(path.is_file() for path in paths.values()):
            for ground, data in painted(scenario, SCENARIOS.get(shown)).items():
                write(paths[ground], data, LARGEST)


if __name__ == "__main__":
    main(*sys.argv[1:])
