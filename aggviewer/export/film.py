"""Making a film: the states of one or more runs are painted side by side with their plots, and encoded.

Needs no window and no GUI thread: plots are drawn through a `FilmPlotDrawer`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, TimeoutError
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Protocol

import numpy as np
from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QImage, QPainter

from aggviewer.canvas import colors, warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.registry import Memories
from aggviewer.canvas.layers.velocities import share_arrows
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.qt_drawing import pixels_of
from aggviewer.canvas.scene import Scene
from aggviewer.document.run import RunMarks
from aggviewer.document.view import ViewModel
from aggviewer.export.encoders import GifColors, encoder
from aggviewer.export.follow import FollowingCamera
from aggviewer.export.sources import (
    Cancelled,
    FilmColors,
    FrameSource,
    LaneToFilm,
    RecordingSource,
    copy_of,
    first_flight_time,
    show_state,
)
from aggviewer.export.spec import FilmArea, FilmLayout, FilmSpec, format_of
from aggviewer.latest_job import CancelledError
from aggviewer.session.analyst import SystemAnalysis
from aggviewer.session.averaging import RunningAverages
from aggviewer.session.coloring import Coloring
from aggviewer.session.data import Analysis, DiscSet
from aggviewer.session.past.recording import Recording, shared
from engine.arrays import Bytes
from engine.frame import Frame
from engine.guarding import tell
from engine.plotting.projection import vertical_of

FilmProgress = Callable[[int, int], None]

_POLL = 0.05  # seconds between checks for cancellation


class FilmPlotDrawer(Protocol):
    """Draws plots of measured states. Its methods are called on the film's thread and return at once, so that the
    picture is painted while plots are drawn on their own thread.

    Attributes
    ----------
    wanted_indicators : names of the indicators that they need; None for all.
    averaged_indicators : names of those of which they show averages.
    """

    averaged_indicators: frozenset[str]

    @property
    def wanted_indicators(self) -> frozenset[str] | None: ...

    def allow_for(self, analysis: Analysis, run: int) -> None:
        """Widen the axes of the plots of a run, so that a later state will fit."""
        ...

    def draw(self, analyses: Sequence[Analysis], places: Sequence[FilmArea]) -> Future[list[Bytes]]:
        """Start drawing images (H, W, 4) of all plots, in the sizes of their areas, with a measured state of each
        run."""
        ...


def result_of(drawing: Future[list[Bytes]], cancelled: Cancelled) -> list[Bytes]:
    """Wait for the images, (H, W, 4) each. Raises CancelledError if the film is cancelled."""
    while True:
        try:
            return drawing.result(_POLL)
        except TimeoutError:
            if cancelled():
                drawing.cancel()
                raise CancelledError from None


_LINE = 0.25  # contrast of the line between two parts with the background
_NAME_PIXELS = 15  # pixels, height of the name of a run


@dataclass(frozen=True, eq=False)
class FilmRun:
    """A run that is filmed.

    Parameters
    ----------
    source : of its states.
    like : the colouring on the screen, whose limits are used for the film; None finds limits in the source.
    name, colour : of the line over its picture, if there are several; the colour as ``#rrggbb``.
    disc_set, analysis : its discs, and how they are measured, for a film with plots.
    """

    source: FrameSource
    like: Coloring | None = None
    name: str = ""
    colour: str = "#808080"
    disc_set: DiscSet | None = None
    analysis: SystemAnalysis | None = None


FilmSide = tuple[Coloring | None, str, str]
"""`FilmRun.like`, `name` and `colour` of a picture."""


@contextmanager
def opened_runs(
    lanes: Sequence[LaneToFilm],
    recording: Recording | None,
    sides: Sequence[FilmSide],
    *,
    measured: bool,
    again: bool,
) -> Iterator[list[FilmRun]]:
    """Context with the runs of a film that the window asks for. Any thread.

    Parameters
    ----------
    lanes, sides : the runs, from left to right, and their pictures.
    recording : the open recording that lanes without a checkpoint show; it is shared with the film.
    measured : whether plots will be drawn.
    again : whether to compute the past again.
    """
    with ExitStack() as stack:
        runs = []
        for lane, (like, name, colour) in zip(lanes, sides, strict=True):
            source: FrameSource
            if lane.checkpoint is None:
                assert recording is not None
                source = RecordingSource(stack.enter_context(shared(recording)))
            else:
                made_again = lane.again() if again and lane.again is not None else None
                source = stack.enter_context(copy_of(lane.checkpoint, lane.past, made_again))
            runs.append(FilmRun(source, like, name, colour, lane.disc_set, lane.analysis() if measured else None))
        yield runs


class _Filmed:
    """A run and its part of the frames. view : with overlays; ratio : see `FilmLayout`."""

    def __init__(self, run: FilmRun, view: ViewModel, ratio: float, run_marks: RunMarks | None) -> None:
        self.run = run
        self.scene = Scene()
        self.painter = Painter(view, ratio=ratio)
        self._view, self._run_marks = view, run_marks
        self._colors = FilmColors(run.source, view.color_by, run.like)
        self._memories: Memories = {}
        self._averages = RunningAverages()

    def show(self, frame: Frame) -> None:
        """Put a state of the run into the scene, as the film shows it."""
        source, marks = self.run.source, self._run_marks
        show_state(self.scene, source, frame, self._colors, self._view, marks, self._memories)

    def measured(self, plots: FilmPlotDrawer) -> Analysis:
        """The indicators of the last state that the source has given, with averages over the film up to there."""
        analysis, disc_set = self.run.analysis, self.run.disc_set
        assert analysis is not None
        assert disc_set is not None
        state = self.run.source.state_copy(analysis, disc_set, plots.wanted_indicators)
        self._averages.want(plots.averaged_indicators)
        self._averages.add_state(disc_set.scenario.system, state.time, lambda: analysis.sample(state))
        found = replace(analysis.measure_all(state), averaged=self._averages.so_far())
        for name, problem in found.problems.items():
            tell(problem, f"indicator {name}")
        return found

    def allow_for_samples(self, plots: FilmPlotDrawer, number: int) -> None:
        """Let the plots' axes allow for the states of the run that are known in advance. They are not added to its own
        analysis."""
        source, analysis, disc_set = self.run.source, self.run.analysis, self.run.disc_set
        assert analysis is not None
        assert disc_set is not None
        looking = analysis.branch()
        for _ in source.samples():
            plots.allow_for(looking.measure_all(source.state_copy(looking, disc_set, plots.wanted_indicators)), number)


def write_film(
    path: Path,
    spec: FilmSpec,
    runs: Sequence[FilmRun],
    view: ViewModel,
    camera: Camera | None = None,
    *,
    progress: FilmProgress = lambda done, total: None,
    cancelled: Cancelled = lambda: False,
    keep_cut: bool = False,
    run_marks: RunMarks | None = None,
    plots: FilmPlotDrawer | None = None,
) -> int:
    """Write the film that `spec` describes; returns the number of frames. Any thread, after `picture.ensure_gui`.

    Parameters
    ----------
    path : its ending gives the format; without one, a folder of pictures is written. Written completely or not at all.
    runs : from left to right, all shown at the times of the first one.
    view : colours and background; overlays come from `spec.over`.
    camera : the world rectangle in view, of any size in pixels; None for the whole box.
    progress : called with (frames done, frames in all).
    cancelled : checked between frames.
    keep_cut : whether a film that is cancelled after its first frame is finished there instead of being discarded.
    run_marks : selected and hidden discs, measurements and notes.
    plots : draws the plots that `spec.plots` names, in this order.

    Raises
    ------
    CancelledError
        The film was cancelled.
    InputError
        The film cannot be made or written.
    """
    form = format_of(path)
    spec.check(form)
    layout = FilmLayout.of(spec.size, len(runs), len(spec.plots) if plots is not None else 0, spec.plots_at)
    first = runs[0].source
    if spec.frames is None and spec.end == inf == first.last_time:
        spec = replace(spec, end=max(run.source.end_time(cancelled) for run in runs))
    flight = first_flight_time(first) if spec.log_time else 1.0
    moments = spec.moments(first.first_time, first.last_time, first.frames, flight)
    if spec.follow is not None:
        spec.follow.check(first.count)
    view = spec.over.applied_to(view)
    filmed = [_Filmed(run, view, layout.ratio, run_marks) for run in runs]
    warmup.warm_up()

    def states(index: int) -> list[Frame]:
        value = moments.values[index]
        if moments.by_time:
            return [run.source.frame_at(float(value), cancelled) for run in runs]
        return [run.source.frame(int(value)) for run in runs]

    def shown(index: int) -> Frame:
        """Show a state; returns the frame of the first run."""
        found = states(index)
        for one, frame in zip(filmed, found, strict=True):
            one.show(frame)
        share_arrows([one.scene for one in filmed])
        return found[0]

    if plots is not None:
        for number, one in enumerate(filmed):
            one.allow_for_samples(plots, number)
    seen = camera or filmed[0].painter.fitting(_largest_box(first), layout.pictures[0][2:])
    frame = shown(0)
    following = None if spec.follow is None else FollowingCamera(spec.follow, seen, spec.fps)
    page = _Page(spec.size, layout, filmed, view)
    expected = np.concatenate([colors.scene_table(one.scene, view)[:, :3] for one in filmed])
    gif = GifColors(max(form.levels[spec.quality], 2), np.unique(expected, axis=0), np.array(view.background_rgb))
    with encoder(path, form, spec.size, spec.fps, spec.quality, gif) as encoding:
        for index in range(len(moments)):
            try:
                if cancelled():
                    raise CancelledError
                if index > 0:
                    frame = shown(index)
                if following is not None:
                    seen = following.looking(frame, first.radii * frame.radius_factor, first.box, first.periodic)
                drawing = None
                if plots is not None:
                    drawing = plots.draw([one.measured(plots) for one in filmed], layout.plots)
                share = index / len(moments) if spec.turns else 0.0  # the film can be played in a loop
                image = page.painted(seen.turned(360.0 * share, vertical_of(filmed[0].scene.gravity)))
                if drawing is not None:
                    for place, drawn in zip(layout.plots, result_of(drawing, cancelled), strict=True):
                        image[place.area] = drawn
            except CancelledError:
                if not keep_cut or index == 0:
                    raise
                return index
            encoding.add(image)
            progress(index + 1, len(moments))
    return len(moments)


def _largest_box(source: FrameSource) -> tuple[float, ...]:
    """The sides of the largest box of all known states."""
    boxes = [source.box for _ in source.samples()]  # the box of that sample
    return tuple(np.max(boxes, axis=0).tolist())


class _Page:
    """Composes the frames: pictures with the names of their runs."""

    def __init__(self, size: tuple[int, int], layout: FilmLayout, filmed: Sequence[_Filmed], view: ViewModel) -> None:
        self._size, self._layout, self._filmed = size, layout, filmed
        self._ground = np.array((*view.background_rgb, 255), np.uint8)
        dark = max(view.background_rgb) < 128
        self._line = (self._ground + _LINE * ((255 if dark else 0) - self._ground.astype(float))).astype(np.uint8)
        self._line[3] = 255
        self._names = [
            _name(one.run, place, layout.ratio, view)
            for one, place in zip(filmed, layout.names, strict=False)  # a single run has no name
        ]

    def painted(self, camera: Camera) -> Bytes:
        """A new frame (H, W, 4) without plots. camera : of any size."""
        width, height = self._size
        places = self._layout.pictures
        if places == (FilmArea(0, 0, width, height),):
            one = self._filmed[0]
            return one.painter.paint(one.scene, camera.rendered(*self._size))
        image: Bytes = np.empty((height, width, 4), np.uint8)
        image.view(np.uint32)[:] = self._ground.view(np.uint32)
        for number, place in enumerate(places):
            one = self._filmed[number]
            seen = camera.rendered(place.width, place.height)
            image[place.area] = pixels_of(one.painter.image(one.scene, seen))
        for place, name in zip(self._layout.names, self._names, strict=True):
            image[place.area] = name
        for place in places:  # a line where the next part begins
            if place.left + place.width < width:
                image[:, place.left + place.width - 1] = self._line
            if place.top + place.height < height:
                image[place.top + place.height - 1] = self._line
        return image


def _name(run: FilmRun, place: FilmArea, ratio: float, view: ViewModel) -> Bytes:
    """Paint the line over a picture: the centred name of its run, in its colour."""
    image = QImage(place.width, place.height, QImage.Format.Format_RGBA8888_Premultiplied)
    image.fill(QColor(*view.background_rgb))
    with QPainter(image) as painter:
        font = QFont()
        font.setPixelSize(round(_NAME_PIXELS * ratio))
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(run.colour))
        painter.drawText(QRectF(0, 0, place.width, place.height), Qt.AlignmentFlag.AlignCenter, run.name)
    return pixels_of(image).copy()
