"""`make pictures`: each bundled scenario and lesson is run for a while, and two small pictures of it go to
resources/pictures, one on a dark ground and one on a light one.

The gallery of scenarios and the welcome strip show them. Names on the command line are the scenarios and lessons whose
pictures are made; without names those that are missing are made.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from PyQt6.QtGui import QImage

import engine
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.picture import Painter, ensure_gui
from aggviewer.canvas.scene import Scene
from aggviewer.canvas.warmup import warm_up
from aggviewer.document.view import ViewModel
from aggviewer.export.sources import SimulationSource
from aggviewer.export.states import FilmColors, show_state
from aggviewer.lessons import source as lessons
from aggviewer.systems.catalog import Catalog
from aggviewer.window.gallery.pictures import GROUNDS, SIZE, folder, picture_of
from benchmarks.few_colors import few_colors
from engine.frame import Frame
from engine.runs.limits import RunLimits
from engine.runs.loop import simulate
from engine.scenario import Scenario, load_scenario
from engine.system import system_of

_LEFT = 0.08
"""Share of the discs of which clusters are left in a picture of discs that stick."""
_FEW = 10
"""Discs that are shown at the start."""
_COLORS = 30
"""Colours of a picture, with the shades of its rims: more of them are not seen."""


@dataclass(frozen=True)
class Shot:
    """When a scenario is shown, and how.

    Parameters
    ----------
    limits : when; None is the start.
    color_by : a field of its system.
    layer : the name of what is drawn over the discs, "" for nothing.
    across : the width of the picture as a part of the box's; 0 fits all discs.
    foot : the picture ends at the foot of the box, and shows it.
    """

    limits: RunLimits | None
    color_by: str = "cluster"
    layer: str = ""
    across: float = 1.0
    foot: bool = False


SHOTS = {
    "ball-1": Shot(RunLimits(until_time=2.2), "speed", across=0.6, foot=True),
    "block-900": Shot(None, across=0.0),
    "collapse-1024": Shot(RunLimits(until_time=3.9), "collisions", across=0.8),
    "compression-4000": Shot(RunLimits(until_time=30.0), "speed", across=0.6),
    "cooling-16384": Shot(RunLimits(until_time=200.0), "speed"),
    "gas-10000": Shot(RunLimits(until_time=20.0), "speed", across=0.4),
    "heap-2000": Shot(RunLimits(until_time=12.0), "speed", foot=True),
    "jam-1024": Shot(RunLimits(), "contacts", "forces", across=0.7),
    "jam-256": Shot(RunLimits(), "contacts", "forces"),
    "jam-dilute-512": Shot(RunLimits(until_events=6), "radius"),
    "jam-equal-1000": Shot(RunLimits(), "contacts", across=0.8),
    "jam-grown-1000": Shot(RunLimits(), "rattlers", across=0.7),
    "jam-spheres-512": Shot(RunLimits(), "contacts", "forces", across=0.88),
    "jam-spheres-1024": Shot(RunLimits(), "contacts", across=0.88),
    "lines-900": Shot(None, across=0.0),
    "sierpinski-729": Shot(None, across=0.0),
    "spheres-2500": Shot(RunLimits(until_clusters=60), across=0.72),
    "spheres-100000": Shot(RunLimits(until_clusters=150), across=0.72),
    "spheres-13500": Shot(RunLimits(until_time=5.0), "speed", across=0.88),
    "spheres-cooling": Shot(RunLimits(until_time=600.0), "speed", across=0.88),
    "spheres-heap": Shot(RunLimits(until_time=9.0), "speed", foot=True),
    "lattice-100000": Shot(RunLimits(until_clusters=1500), across=0.5),
    "lattice-1000000": Shot(RunLimits(until_clusters=20_000), across=0.5),
}
"""Those that are not shown as `usual` says."""


def usual(scenario: Scenario, count: int) -> Shot:
    """How a scenario of `count` discs is shown that is not in the table: discs that stick in clusters that have
    branches, a few of them at the start."""
    if count < _FEW:
        return Shot(None, system_of(scenario).fields[0].name, across=0.0)
    if system_of(scenario).joins:
        return Shot(RunLimits(until_clusters=max(1, round(_LEFT * count))))
    return Shot(RunLimits(until_time=5.0), system_of(scenario).fields[0].name)


def painted(scenario: Scenario, shot: Shot | None = None) -> dict[str, bytes]:
    """The pictures as PNG, by their ground. shot : None is the usual one."""
    engine.warm_up(lambda done, total, what: None, system_of(scenario).kernels(scenario))
    simulation = engine.create(scenario)
    shot = shot or usual(scenario, len(simulation.frame().positions))
    if shot.limits is not None:
        simulate(simulation, shot.limits)
    source = SimulationSource(simulation)
    frame = source.frame_at(source.first_time)
    made = {}
    for ground in GROUNDS:
        view = ViewModel(
            color_by=shot.color_by,
            background=ground,
            show_legend=False,
            show_scale_bar=False,
            show_time=False,
            show_box=shot.foot,
            layers=(shot.layer,) if shot.layer else (),
        )
        scene = Scene()
        show_state(scene, source, frame, FilmColors(source, shot.color_by), view)
        image = Painter(view).image(scene, _looking(source, frame, shot))
        made[ground] = few_colors(image.convertToFormat(QImage.Format.Format_RGBA8888), _COLORS)
    return made


def _looking(source: SimulationSource, frame: Frame, shot: Shot) -> Camera:
    """The middle of the box, its foot, or all discs; a box in space whole where `across` is 1."""
    width, height = float(source.box[0]), float(source.box[1])
    wide, high = SIZE
    if len(source.box) > 2:
        fitted = Camera.fitting(tuple(source.box), SIZE)
        return fitted.zoomed(1.0 / shot.across, wide / 2, high / 2)
    if shot.across == 0.0:
        (left, low), (right, top) = frame.positions.min(axis=0), frame.positions.max(axis=0)
        room = 0.16 * max(right - left, top - low)
        return Camera.showing(left - room, low - room, right - left + 2 * room, top - low + 2 * room, SIZE)
    scale = wide / (width * shot.across)
    y = 0.46 * high / scale if shot.foot else 0.5 * height
    return Camera(0.5 * width, y, scale, wide, high)


def main(names: list[str]) -> None:
    """Make the pictures of these scenarios and lessons, of those that have none where no name is given."""
    ensure_gui()
    warm_up()
    for entry in Catalog().entries:
        if _asked(entry.name, names, lesson=False):
            scenario = load_scenario(entry.name)
            _write(entry.name, scenario, SHOTS.get(entry.name), lesson=False)
    for found in lessons.bundled():
        first = found.lesson.step[0].set
        if first is not None and _asked(found.name, names, lesson=True):
            scenario = found.scenario(first)
            _write(found.name, scenario, SHOTS.get(first.scenario or ""), lesson=True)


def _asked(name: str, names: list[str], *, lesson: bool) -> bool:
    missing = not all(picture_of(name, ground, lesson=lesson).is_file() for ground in GROUNDS)
    return name in names if names else missing


def _write(name: str, scenario: Scenario, shot: Shot | None, *, lesson: bool) -> None:
    for ground, picture in painted(scenario, shot).items():
        path = picture_of(name, ground, lesson=lesson)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)
        print(f"{path.relative_to(folder())}: {len(picture) / 1e3:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
