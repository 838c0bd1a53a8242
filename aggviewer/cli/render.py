"""`aggviewer render`: pictures, figures and films without a window, without a display and without OpenGL."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

import engine
from aggviewer.cli.exits import interrupted, stoppable, tell
from aggviewer.cli.film_options import FilmWishes, check_plots, with_plots
from aggviewer.cli.output import usual_interval
from aggviewer.cli.page_options import PageWishes, plot_panels
from aggviewer.cli.starting import RunSource, asked_dimensions, read_source, start
from engine.errors import InputError, either, typed_path
from engine.fields import fields_in
from engine.files.formats import is_readable
from engine.files.writing import check_file
from engine.frame import Frame
from engine.plotting.projection import first_turn
from engine.runs.loop import RunLimits, simulate
from engine.runs.progress import ProgressLine
from engine.runs.summary import to_json
from engine.selection.measures import distance_field
from engine.system import gravity_of, known_fields, system_of
from engine.words import count, typeset

if TYPE_CHECKING:
    from aggviewer.canvas.layers.registry import Memories
    from aggviewer.canvas.scene import Scene
    from aggviewer.document.run import RunMarks
    from aggviewer.document.view import ViewModel
    from aggviewer.export.sources import FrameSource
    from aggviewer.session.coloring import Coloring
    from aggviewer.session.saved.state import SessionState
    from engine.fields import Field
    from engine.simulation import Simulation

PICTURES = (".png", ".svg", ".pdf")
FILMS = (".mp4", ".webm", ".gif")
LONGEST_SEARCH = 60.0
"""Longest simulation, in seconds, to find the time at which one cluster is left."""
LONGEST_FILM = 120.0
"""Greatest length in seconds if a speed but no end is given."""
_DIAMETERS = 3.0  # mean diameters that the fastest disc flies in a second of film if no speed is given
_TAIL = 12.0  # mean diameters that the fastest disc flies before a picture with tracks
_DISTANCE = "distance:DISC"  # of every system, with the number of a disc
_SIZES = {"picture": (1400, 900), "film": (1280, 720)}


@dataclass(frozen=True)
class Wishes:
    """The options of the command; None or empty if not given."""

    size: str = ""
    fps: float | None = None
    color_by: str = ""
    colormap: str = ""
    background: str = ""
    transparent: bool = False
    hide: list[str] = field(default_factory=list)
    layer: list[str] = field(default_factory=list)
    scale: str = ""
    log_scale: bool = False
    steps: int | None = None
    along: str = ""
    slab: str = ""
    frame: int | None = None
    from_time: float | None = None
    until_time: float | None = None
    speed: float | None = None
    quality: str = "standard"
    film: FilmWishes = field(default_factory=FilmWishes)
    page: PageWishes = field(default_factory=PageWishes)


def render(files: list[str], out: Path, settings: list[str], wishes: Wishes, as_json: bool) -> int:
    """Read files or simulate, and write `out`; returns the exit status. Raises InputError."""
    film = _is_film(out, wishes)
    size = parse_size(wishes.size) if wishes.size else _SIZES["film" if film else "picture"]
    from aggviewer.canvas.picture import ensure_gui
    from aggviewer.export.spec import QUALITIES

    if wishes.quality not in QUALITIES:
        raise InputError(f"--quality must be {either(QUALITIES)}, not {wishes.quality!r}")
    if film and len(files) > 1:
        raise InputError("a film is of one FILE")
    if film:
        wishes.film.check(size)
    else:
        wishes.page.check(out.suffix.lower(), len(files), plots=bool(wishes.film.plots), size=bool(wishes.size))
    shown = [_Shown.of(file, settings, wishes) for file in files]
    check_file(out)
    if wishes.film.plots:
        from aggviewer.widgets.screen import ensure_widgets

        ensure_widgets(f"a {'film' if film else 'figure'} with plots")
    ensure_gui()
    if wishes.page.figure:
        values = _write_figure(out, shown, wishes)
        typer.echo(to_json(values) if as_json else _figure_in_words(values))
        return 0
    with ProgressLine() as progress, shown[0].source(wishes, film, progress) as (source, end, log):
        write = _write_film if film else _write_picture
        wishes = replace(wishes, film=replace(wishes.film, log_time=log))
        written, status = write(out, source, end, shown[0].view, size, wishes, progress, shown[0].marks(source.count))
    values = {"file": str(out), "width": size[0], "height": size[1]} | written
    typer.echo(to_json(values) if as_json else _in_words(values))
    return status


@dataclass(frozen=True)
class _Shown:
    """A file on the command line: its path, the settings, what was named if it has no states, and how it looks."""

    path: Path
    settings: list[str]
    named: RunSource | None
    view: ViewModel

    @staticmethod
    def of(file: str, settings: list[str], wishes: Wishes) -> _Shown:
        """Read a file as far as the options can be checked."""
        path = typed_path(file)
        named = None if is_readable(path) or wishes.frame is not None else read_source(file, settings, "render")
        return _Shown(path, settings, named, _view(wishes, None if named is None else named.session))

    @contextmanager
    def source(
        self, wishes: Wishes, film: bool, progress: ProgressLine
    ) -> Iterator[tuple[FrameSource, float | None, bool]]:
        """See `_source`; the view then looks at its box."""
        from aggviewer.canvas.turning import along
        from aggviewer.canvas.warmup import warm_up

        with _source(self.path, self.settings, self.named, wishes, self.view, film, progress) as found:
            warm_up(progress.compiling)
            if wishes.along or self.named is None or self.named.session is None:
                gravity = gravity_of(found[0].scenario())
                self.view.turn = along(wishes.along, gravity) if wishes.along else first_turn(gravity)
            yield found

    def marks(self, count: int) -> RunMarks | None:
        """The marks and selections of a session; None without a session."""
        from aggviewer.document.run import RunModel

        session = None if self.named is None else self.named.session
        return None if session is None else session.document.part(RunModel).marks.of_count(count)


def parse_size(text: str) -> tuple[int, int]:
    """The two numbers of a size such as ``1280x720``."""
    width, _, height = text.lower().replace("×", "x").partition("x")
    if not (width.isdecimal() and height.isdecimal() and len(width) < 7 and len(height) < 7):
        raise InputError(f"--size must be WIDTHxHEIGHT in pixels, such as 1280x720, not {text!r}")
    return int(width), int(height)


def _is_film(out: Path, wishes: Wishes) -> bool:
    suffix = out.suffix.lower()
    if suffix not in PICTURES + FILMS:
        raise InputError(f"--out must end in {either(PICTURES + FILMS)}, not {out.suffix or out.name!r}", str(out))
    film = suffix in FILMS
    given = {
        "--frame": (wishes.frame is not None, False),
        "--transparent": (wishes.transparent, False),
        "--fps": (wishes.fps is not None, True),
        "--speed": (wishes.speed is not None, True),
        "--from-time": (wishes.from_time is not None, True),
    }
    if wishes.speed is not None and (wishes.film.length is not None or wishes.film.log_time):
        raise InputError("--speed cannot be combined with --length or --log-time, which set the pace by the length")
    given |= {option: (said, True) for option, said in wishes.film.given_options().items()}
    given |= {option: (said, False) for option, said in wishes.page.given_options().items()}
    given["--plots"] = bool(wishes.film.plots) and suffix in FILMS, True  # figures have plots, too
    for option, (said, for_films) in given.items():
        if said and film != for_films:
            raise InputError(f"{option} is for {'films' if for_films else 'pictures'}, and {out} is not one")
    return film


def _view(wishes: Wishes, session: SessionState | None = None) -> ViewModel:
    """How the discs are drawn: as in the session, if any, with the options applied."""
    from aggviewer.canvas.turning import ALONG
    from aggviewer.document.view import BACKGROUNDS, ColorScale, ViewModel, scale_problem

    names = [field.name for field in known_fields()]
    fields: dict[str, Any] = {}
    if session is not None:
        kept = session.document.part(ViewModel)
        fields = kept.model_dump() | {"show_selection": kept.selection_in_pictures, "flash_contacts": False}
    if wishes.color_by:
        if distance_field(wishes.color_by) is not None:
            names.append(wishes.color_by)
        if wishes.color_by not in names:
            raise InputError(f"--color-by must be {either([*names, _DISTANCE])}, not {wishes.color_by!r}")
        fields["color_by"] = wishes.color_by
    overlays = {"legend": "show_legend", "scale-bar": "show_scale_bar", "time": "show_time", "box": "show_box"}
    overlays |= {"axes": "show_axes", "gravity": "show_gravity"}
    for name in wishes.hide:
        if name not in overlays:
            raise InputError(f"--hide must be {either(overlays)}, not {name!r}")
        fields[overlays[name]] = False
    fields |= wishes.page.view_fields()
    if wishes.page.figure and fields.get("background", "theme") == "theme":
        fields["background"] = "white"
    view = ViewModel(**fields)
    if wishes.layer:
        from aggviewer.canvas.layers.registry import switches

        known = {layer.name: layer for layer in switches() if not layer.momentary}
        for name, opacity in map(parse_layer, wishes.layer):
            if name not in known:
                raise InputError(f"--layer must be {either(known)}, not {name!r}")
            known[name].show(view, True)
            if opacity is not None:
                view.opacities = {**view.opacities, name: opacity}
    for option, name, value, allowed in (
        ("--colormap", "colormap", wishes.colormap, "the name of a colour map, such as viridis"),
        ("--background", "background", wishes.background, either([*BACKGROUNDS, "#rrggbb"])),
    ):
        try:
            if value:
                setattr(view, name, value)
        except ValueError:
            raise InputError(f"{option} must be {allowed}, not {value!r}") from None
    if wishes.along and wishes.along not in ALONG:
        raise InputError(f"--along must be {either(ALONG)}, not {wishes.along!r}")
    if wishes.slab:
        try:
            back, front = map(float, wishes.slab.split(":"))
            view.slab = back, front
        except ValueError:
            raise InputError(f"--slab must be BACK:FRONT with 0 <= BACK < FRONT <= 1, not {wishes.slab!r}") from None
    if wishes.scale or wishes.log_scale or wishes.steps is not None:
        try:
            low, high = parse_scale(wishes.scale)
            scale = ColorScale(low=low, high=high, log=True if wishes.log_scale else None, steps=wishes.steps)
        except ValueError as error:
            raise InputError(f"--scale, --log-scale, --steps: {scale_problem(error)}") from None
        view.scales = dict.fromkeys(names, scale)
    return view


def parse_layer(text: str) -> tuple[str, float | None]:
    """``voronoi``, or ``voronoi:0.5`` with its opacity."""
    name, colon, number = text.partition(":")
    if not colon:
        return name, None
    try:
        opacity = float(number)
    except ValueError:
        opacity = -1.0
    if not 0.05 <= opacity <= 1.0:
        raise InputError(f"--layer {text}: the opacity must be a number from 0.05 to 1")
    return name, opacity


def parse_scale(text: str) -> tuple[float | None, float | None]:
    """``0:2``; an end that is left out follows from the values."""
    low, colon, high = text.partition(":")
    try:
        if text and not colon:
            raise ValueError
        found = tuple(float(end) if end.strip() else None for end in (low, high))
    except ValueError:
        raise InputError(f"--scale must be LOW:HIGH, such as 0:2 or :2, not {text!r}") from None
    return found[0], found[1]


@contextmanager
def _source(
    path: Path,
    settings: list[str],
    named: RunSource | None,
    wishes: Wishes,
    view: ViewModel,
    film: bool,
    progress: ProgressLine,
) -> Iterator[tuple[FrameSource, float | None, bool]]:
    """The source of the states, the end of a film of them (None: the end of the source), and whether the logarithm of
    time passes evenly. named : a scenario or session; None for a file with states."""
    from aggviewer.export.sources import SimulationSource, fields_shown, recording
    from aggviewer.export.spec import USUAL_LENGTH, Growth, merge_times

    if is_readable(path):
        words = "--set and --seed work only with scenarios, but for dimensions; states in a file are shown as they are"
        with recording(path, asked_dimensions(settings, words)) as recorded:
            tell(recorded.notice, path)
            check_plots(wishes.film, recorded.scenario)
            _check_discs(wishes, recorded.count, len(recorded.box))
            _check_meaning(wishes, fields_shown(recorded), len(recorded.box), "this file")
            yield recorded, wishes.until_time, bool(wishes.film.log_time)
        return
    if named is None:
        raise InputError("--frame works only with files; for a scenario, set the time of the picture with --until-time")
    simulation = _ready_to_run(named, wishes, progress)
    begin = simulation.time
    if named.session is not None and not film:
        if wishes.until_time is None:
            yield SimulationSource(simulation), None, False
            return
        if wishes.until_time < begin:
            raise InputError(f"--until-time {wishes.until_time:g} is before the time of the session, t = {begin:g}")
    endless = system_of(simulation.scenario).endless
    if endless and not film and wishes.until_time is None:
        raise InputError(f"set the time of the picture with --until-time T: {endless}")
    if not film:
        start = engine.copy(simulation) if _remembers(view) else None
        if start is not None:
            reached = _run(simulation, wishes.until_time, progress)
            source = SimulationSource(start)  # once again, to a little before
            _run(start, max(reached - _TAIL * usual_interval(start), begin), progress)
            yield source, reached, False
            return
        source = SimulationSource(simulation)
        _run(simulation, wishes.until_time, progress)
        yield source, None, False
        return
    end, log = wishes.until_time, bool(wishes.film.log_time)
    if end == math.inf:
        raise InputError("a film of a simulation needs an end time; set it with --until-time T", "end")
    if end is None and endless:
        pace = usual_interval(simulation) * _DIAMETERS if wishes.speed is None else wishes.speed
        end = begin + (wishes.film.length or USUAL_LENGTH) * pace
    elif end is None:
        longest = None if wishes.speed is None else begin + wishes.speed * LONGEST_FILM
        ahead = engine.copy(simulation)
        end = _run(ahead, longest, progress)
        if wishes.film.log_time is None and wishes.speed is None:
            first = begin if wishes.from_time is None else wishes.from_time
            log = Growth(merge_times(ahead.history()), end).early(first, end)
            if log:
                tell("most merges are early, so time advances logarithmically; --even-time makes it advance evenly")
    source = SimulationSource(simulation)
    if wishes.from_time is not None and begin < wishes.from_time <= end:
        _run(simulation, wishes.from_time, progress)
    yield source, end, log


def _ready_to_run(source: RunSource, wishes: Wishes, progress: ProgressLine) -> Simulation:
    scenario = source.scenario
    fields = fields_in(system_of(scenario).all_fields, scenario.dimensions)
    _check_meaning(wishes, fields, scenario.dimensions, scenario.system)
    check_plots(wishes.film, lambda: scenario)
    simulation = start(source, progress).simulation
    _check_discs(wishes, simulation.count, len(simulation.box))
    return simulation


def _check_meaning(wishes: Wishes, fields: tuple[Field, ...], dimensions: int, of: str) -> None:
    """Raise InputError if the field to colour by is not one of these, or if a layer has no meaning in so many
    dimensions."""
    from aggviewer.canvas.layers.registry import layers_in

    place = "in space" if dimensions == 3 else "in the plane"
    names = [field.name for field in fields]
    if wishes.color_by not in (*names, "") and distance_field(wishes.color_by) is None:
        where = f" {place}" if dimensions == 3 else ""
        raise InputError(f"--color-by must be {either([*names, _DISTANCE])} for {of}{where}, not {wishes.color_by!r}")
    there = [layer.name for layer in layers_in(dimensions) if layer.optional and not layer.momentary]
    for name, _ in map(parse_layer, wishes.layer):
        if name not in there:
            raise InputError(f"--layer must be {either(there)} {place}, not {name!r}")


def _check_discs(wishes: Wishes, count: int, dimensions: int) -> None:
    """Raise InputError if a disc that is followed, or from which distances are shown, does not exist, or discs in the
    plane shall turn, before anything is simulated."""
    followed = wishes.film.followed()
    if followed is not None:
        followed.check(count)
    if distance_field(wishes.color_by) is not None:
        disc = int(wishes.color_by.partition(":")[2])
        if disc >= count:
            raise InputError(f"--color-by {wishes.color_by}: there is no {disc}; the numbers are 0 to {count - 1}")
    if wishes.film.turn and dimensions == 2:
        raise InputError("--turn is for spheres, and these are discs in the plane")


def _run(simulation: Simulation, until_time: float | None, progress: ProgressLine) -> float:
    """Simulate until a time, or to the end for at most `LONGEST_SEARCH` seconds; returns the time reached."""
    limits = RunLimits(until_time=until_time, max_wall=LONGEST_SEARCH if until_time is None else None)
    limits.check()
    with stoppable() as stop:
        report = progress.of(simulation.scenario)
        ended = simulate(simulation, limits, report=report, stopped=stop.is_set)
    reached = ended.reached
    if ended.reason == "interrupted":
        raise interrupted(stop.status)
    if ended.reason == "wall":
        left = f"{count(reached.clusters)} clusters" if system_of(simulation.scenario).joins else "more to come"
        words = f"stopped after {LONGEST_SEARCH:g} s at t = {reached.time:g} with {left}"
        tell(f"{words}; set the end with --until-time T")
    return reached.time


def _write_picture(
    out: Path,
    source: FrameSource,
    end: float | None,
    view: ViewModel,
    size: tuple[int, int],
    wishes: Wishes,
    progress: ProgressLine,
    run_marks: RunMarks | None,
) -> tuple[dict[str, Any], int]:
    """Write a picture; returns what is reported about it, and the exit status."""
    from aggviewer.export.pictures import check_size, write_picture

    check_size(out.suffix.lower(), size, out)
    progress.say("painting")
    scene, time = _scene_of(source, end, view, wishes, run_marks)
    write_picture(out, scene, None, view, size, transparent=wishes.transparent)
    return {"sim_time": time, "frames": 1, "seconds": None, "stop_reason": None}, 0


def _scene_of(
    source: FrameSource, end: float | None, view: ViewModel, wishes: Wishes, run_marks: RunMarks | None
) -> tuple[Scene, float]:
    """The state that a picture shows, and its time."""
    from aggviewer.canvas.layers.paths import KEPT
    from aggviewer.canvas.scene import Scene
    from aggviewer.export.sources import FilmColors, show_state

    film_colors = FilmColors(source, view.color_by)  # limits as in a film of the same file
    if source.frames and end is not None and wishes.frame is not None:
        raise InputError("--frame and --until-time both choose a state; use one of them")
    scene, frame = Scene(), Frame.empty(0)
    memories: Memories = {}
    number = -1 if wishes.frame is None else wishes.frame
    for frame in source.leading_to(end, number, KEPT if _remembers(view) else 1):
        show_state(scene, source, frame, film_colors, view, run_marks, memories)
    _tell_no_scale(wishes, scene.coloring)
    _tell_flat(wishes, frame)
    _tell_missing(wishes, frame, "the state", scene.of_frame)
    return scene, frame.time


def _write_figure(out: Path, shown: list[_Shown], wishes: Wishes) -> dict[str, Any]:
    """Write a figure: the pictures of all files, then each plot of all of them, on the same axes; returns what is
    reported about it."""
    from aggviewer.export.figure import Figure, Panel, PicturePanel
    from aggviewer.plots.film import PlotPanel, with_same_axes

    pictures: list[Panel] = []
    plots: list[Sequence[PlotPanel]] = []
    times = []
    names = wishes.film.names()
    for one in shown:
        with ProgressLine() as progress, one.source(wishes, False, progress) as (source, end, _):
            progress.say("painting")
            scene, time = _scene_of(source, end, one.view, wishes, one.marks(source.count))
            times.append(time)
            pictures.append(PicturePanel(scene.copy(), None, one.view))
            plots.append(plot_panels(names, source, one.view))
    panels = [*pictures, *(panel for row in zip(*plots, strict=True) for panel in with_same_axes(row))]
    figure = Figure(panels, wishes.page.page(len(shown), plots=bool(names)))
    figure.write(out)
    width, height = figure.size
    return {"file": str(out), "width_mm": width, "height_mm": height, "panels": len(panels), "sim_times": times}


def _write_film(
    out: Path,
    source: FrameSource,
    end: float | None,
    view: ViewModel,
    size: tuple[int, int],
    wishes: Wishes,
    progress: ProgressLine,
    run_marks: RunMarks | None,
) -> tuple[dict[str, Any], int]:
    """Write a film; returns what is reported about it, and the exit status. A signal ends the film early, with the
    frames so far, but does not replace an existing film."""
    from aggviewer.canvas.picture import Over
    from aggviewer.export.film import write_film
    from aggviewer.export.sources import first_flight_time
    from aggviewer.export.spec import USUAL_LENGTH, FilmSpec, Quality
    from aggviewer.latest_job import CancelledError

    fps = 30.0 if wishes.fps is None else wishes.fps
    spec = FilmSpec(size, fps, quality=cast(Quality, wishes.quality), over=Over.of(view))
    if source.frames == 1 and not wishes.film.turn:
        raise InputError(
            "the file has only one state, and a film needs several; write a picture instead: .png, .svg or .pdf"
        )
    length, log = wishes.film.length, bool(wishes.film.log_time)
    by_time = log or (wishes.speed, wishes.from_time, wishes.until_time, length) != (None, None, None, None)
    if source.frames == 1 or (source.frames and not by_time):
        spec = replace(spec, frames=(0, source.frames - 1), length=length)
    else:
        start = source.first_time if wishes.from_time is None else wishes.from_time
        last = source.last_time if end is None else end
        if wishes.speed is None:
            spec = replace(spec, length=USUAL_LENGTH if length is None else length, log_time=log)
        else:
            spec = replace(spec, speed=wishes.speed)
        spec = replace(spec, start=start, end=last)
    spec, flight = wishes.film.applied_to(spec), first_flight_time(source) if log else 1.0
    with stoppable() as stop, with_plots(spec, source, view) as (run, plots):
        try:
            count = write_film(
                out, spec, (run,), view, wishes.film.camera(source, view, size),
                progress=progress.filming, cancelled=stop.is_set, keep_cut=not out.exists(), plots=plots,
                run_marks=run_marks,
            )  # fmt: skip
        except CancelledError:
            raise interrupted(stop.status) from None
    shown = spec.end
    if stop.is_set() and spec.start is not None and spec.end is not None:
        shown = float(spec.moments(source.first_time, source.last_time, source.frames, flight).values[count - 1])
    if wishes.layer or wishes.along or wishes.slab:
        last_frame = source.frame(-1) if shown is None else source.frame_at(shown)
        _tell_flat(wishes, last_frame)
        _tell_missing(wishes, last_frame, "the last state")
    reason = "interrupted" if stop.is_set() else None
    return {"sim_time": shown, "frames": count, "seconds": count / fps, "stop_reason": reason}, stop.status


def _tell_no_scale(wishes: Wishes, coloring: Coloring) -> None:
    """Report options of the colour scale that have no effect."""
    if (wishes.scale or wishes.log_scale or wishes.steps is not None) and not coloring.measures:
        tell(f"--scale, --log-scale and --steps have no effect: {coloring.by} has no scale of numbers")


def _tell_flat(wishes: Wishes, frame: Frame) -> None:
    """Report options of a camera in space that have no effect."""
    if (wishes.along or wishes.slab) and frame.dimensions < 3:
        tell("--along and --slab have no effect: the discs lie in a plane")


def _remembers(view: ViewModel) -> bool:
    """Whether a visible layer draws something of earlier states."""
    from aggviewer.canvas.layers.registry import layers

    return any(layer.switched_on(view) and layer.new_memory() is not None for layer in layers())


def _tell_missing(wishes: Wishes, frame: Frame, which: str, data: Mapping[str, Any] | None = None) -> None:
    """Report the requested layers that have nothing to draw. data : what they draw, if known."""
    from aggviewer.canvas.layers.registry import switches
    from engine.words import body_names

    wished = {parse_layer(text)[0] for text in wishes.layer}
    for layer in switches():
        if layer.name in wished and not layer.available(frame):
            tell(f"--layer {layer.name} draws nothing: {which} has no {layer.label.lower()}")
        elif layer.name in wished and data is not None and data.get(layer.name) is None and layer.missing:
            tell(f"--layer {layer.name} draws nothing: {body_names(frame.dimensions).fill(layer.missing)}")


def _figure_in_words(values: dict[str, Any]) -> str:
    panels = "1 panel" if values["panels"] == 1 else f"{values['panels']} panels"
    return f"{values['file']}: {values['width_mm']:.0f} × {values['height_mm']:.0f} mm, {panels}"


def _in_words(values: dict[str, Any]) -> str:
    length = (
        ""
        if values["seconds"] is None
        else f", {count(values['frames'])} frames, {typeset(values['seconds'], '.4g')} s"
    )
    return f"{values['file']}: {values['width']} × {values['height']} pixels{length}"
