"""Writes the film of a lesson: caption, picture and plots of each step, encoded as all films of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PyQt6.QtCore import QPoint, QRect, Qt
from PyQt6.QtGui import QColor, QImage, QPainter
from PyQt6.QtWidgets import QApplication, QWidget

from aggviewer.canvas import warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.qt_images import pixels_of
from aggviewer.canvas.scene import Scene
from aggviewer.export.encoders import encoder
from aggviewer.export.gif_colors import GifColors
from aggviewer.export.sources import SimulationSource
from aggviewer.export.spec import FOLDER, GIF, FilmSpec, format_of
from aggviewer.export.states import FilmColors, show_state
from aggviewer.lessons.film.caption import Caption, seconds_to_read, task_of, told_of
from aggviewer.lessons.film.demonstration import Demonstration, FilmRun
from aggviewer.lessons.model import Step
from aggviewer.lessons.player import LessonPlayer
from aggviewer.lessons.source import Found
from aggviewer.plots import PlotsPanel
from aggviewer.plots.runs import RunStyle
from aggviewer.session.measuring import Moment, Sample
from aggviewer.style.theme import DARK
from aggviewer.systems.registry import plots_of, view_of
from aggviewer.widgets.application import ensure_widgets
from engine.errors import InputError

SIZE, FPS = (1280, 720), 15.0
_CAPTION, _PLOTS = 0.32, 0.26  # shares of the width
_PLOTS_WIDTH = 280.0  # pixels of the narrowest plots
_PLOT_LINES = 48  # of the type of plots in the height of a film
_PLOTTED = 4  # a plot is drawn anew with each so many frames
_SECONDS_PER_KEY = 30.0
"""Most of a film of a lesson stands still, to be read."""
_RUN_SECONDS = 6.0
"""Seconds of film that a run lasts which the lesson lets go on."""

Told = Callable[[int, int, str], None]
"""Told how far the film is: steps done, all steps, the title of the one at work."""


class _Picture:
    """A run as it is painted: its colours and scene stay from frame to frame."""

    def __init__(self, run: FilmRun, demonstration: Demonstration) -> None:
        self.run = run
        self._shown = demonstration
        self._look: object = None
        self._source = SimulationSource(run.simulation)
        self._scene = Scene()
        self.analysis = view_of(run.scenario.system).analysis()
        self.analysis.begin(run.simulation)

    def paint(self, size: tuple[int, int]) -> QImage:
        """The state of now, with the whole box in view."""
        view = self._shown.view
        look = view.model_dump()
        if look != self._look:
            self._look, self._painter = look, Painter(view)
            self._colors = FilmColors(self._source, view.color_by)
        self._colors.follow()
        show_state(self._scene, self._source, self.run.simulation.frame(), self._colors, view)
        box = self.run.simulation.box
        camera = Camera.fitting((float(box[0]), float(box[1])), size)
        return self._painter.image(self._scene, self._painter.looking(self._scene, camera, size))

    def sample(self, wanted: frozenset[str] | None) -> Sample:
        """A copy of the state, for plots that need these indicators."""
        simulation, frame = self.run.simulation, self.run.simulation.frame()
        observed = self.analysis.observe(simulation, frame, Moment(ended=self.run.progress.finished))
        return Sample.of(self.run.system, frame, simulation.history(), observed, wanted)


class _Plots:
    """The plots beside the picture: the widgets of the window, never on a screen."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._panel = PlotsPanel(plots_of)
        self._panel.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        self._panel.setStyleSheet(f"QWidget {{ background: {DARK.window}; color: {DARK.text}; }}")
        self._scale = min(1.0, size[0] / _PLOTS_WIDTH)  # a panel cannot be narrower
        width, height = (round(side / self._scale) for side in size)
        font = self._panel.font()
        font.setPixelSize(max(11, round(height / _PLOT_LINES)))
        self._panel.setFont(font)
        self._panel.resize(width, height)
        self._panel.set_theme(DARK)
        self._panel.show()
        self._shown: tuple[object, ...] = ()
        self._image = QImage(*size, QImage.Format.Format_RGBA8888_Premultiplied)

    def paint(self, pictures: Sequence[_Picture], names: tuple[str, ...] | None) -> QImage:
        """The plots of these names, or all, of these runs."""
        system = pictures[0].run.scenario.system
        runs = tuple(one.run.system for one in pictures)
        now = (*map(id, runs), system, names)
        if now != self._shown:
            self._shown = now
            self._panel.set_kind(system)
            self._panel.set_runs(_styles(pictures))
            for number in range(len(runs)):
                self._panel.begin(number)
            keys = {card.key(): card.number for card in self._panel.cards}
            self._panel.choose([keys[name] for name in names or ()])
        for number, one in enumerate(pictures):
            self._panel.refresh(one.analysis.measure(one.sample(self._panel.wanted)), number)
        QApplication.processEvents()
        self._image.fill(QColor(DARK.window))
        with QPainter(self._image) as painter:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.scale(self._scale, self._scale)
            self._panel.render(painter, QPoint(), flags=QWidget.RenderFlag.DrawChildren)
        return self._image

    def close(self) -> None:
        """Let go of the widgets."""
        self._panel.close()
        self._panel.deleteLater()


def _styles(pictures: Sequence[_Picture]) -> list[RunStyle]:
    names = {"event-driven": "ED", "time-stepping": "TS"}
    methods = [one.run.simulation.method for one in pictures]
    return [
        RunStyle(names.get(method, method), method, methods[:number].count(method))
        for number, method in enumerate(methods)
    ]


class LessonFilm:
    """Plays a lesson and paints it.

    Parameters
    ----------
    found : the lesson.
    size, fps : of the film.
    demonstration : plays it.
    """

    def __init__(self, found: Found, size: tuple[int, int], fps: float, demonstration: Demonstration) -> None:
        self._found, self._size, self._fps = found, size, fps
        self._shown = demonstration
        self._player = LessonPlayer(found, demonstration, lambda: 0.0)
        self._left = 2 * round(0.5 * _CAPTION * size[0])
        self._right = 2 * round(0.5 * _PLOTS * size[0])
        self._caption = Caption((self._left, size[1]), found.folder, DARK)
        self._image = QImage(*size, QImage.Format.Format_RGBA8888_Premultiplied)
        self._plots = _Plots((self._right, size[1]))
        self._pictures: list[_Picture] = []
        self._still: QImage | None = None  # of the plots

    def frames(self, told: Told) -> Iterator[QImage]:
        """All frames; each is painted over by the next."""
        steps = self._found.lesson.step
        try:
            for number, step in enumerate(steps):
                told(number, len(steps), step.title)
                try:
                    yield from self._step(number, step)
                except InputError as error:
                    raise InputError(
                        f"step {number + 1}, {step.title}, cannot be shown in a film: {error}", "film"
                    ) from None
            told(len(steps), len(steps), "")
        finally:
            self._plots.close()

    def _step(self, number: int, step: Step) -> Iterator[QImage]:
        player = self._player
        if number == 0:
            player.begin()
        else:
            player.skip()
        task = task_of(step)
        if step.do is not None:
            caption = self._painted(number, step, task, "", explain=False)
            yield from self._rest(caption, seconds_to_read(step.say, task))
            frames = ceil(_RUN_SECONDS * self._fps)
            for at, _ in enumerate(self._shown.show(tuple(step.do.conditions()), frames)):
                yield self._frame(caption, plots=at % _PLOTTED == 0)
            player.look()
            yield self._frame(caption, plots=True)
        if player.problem:
            raise InputError(player.problem)
        told = told_of(step, player.question, player.found_here)
        caption = self._painted(number, step, task, told, explain=step.predict is None)
        texts = (step.explain, step.equation, told) if step.do is not None else (step.say, task, told, step.explain)
        if step.do is None or step.explain:
            yield from self._rest(caption, seconds_to_read(*texts))

    def _painted(self, number: int, step: Step, task: str, told: str, *, explain: bool) -> QImage:
        return self._caption.paint(number + 1, len(self._found.lesson.step), step, task, told, explain)

    def _rest(self, caption: QImage, seconds: float) -> Iterator[QImage]:
        image = self._frame(caption, plots=True)
        for _ in range(ceil(seconds * self._fps)):
            yield image

    def _frame(self, caption: QImage, *, plots: bool) -> QImage:
        """The frame of now. plots : whether they are measured and drawn again."""
        shown = self._shown
        if [one.run for one in self._pictures] != shown.runs:
            self._pictures, plots = [_Picture(run, shown) for run in shown.runs], True
        width, height = self._size
        beside = shown.plots != ()
        if beside and (plots or self._still is None):
            self._still = self._plots.paint(self._pictures, shown.plots)
        room = width - self._left - (self._right if beside else 0)
        each = room // len(self._pictures)
        with QPainter(self._image) as painter:
            painter.fillRect(QRect(0, 0, width, height), QColor(DARK.window))
            painter.drawImage(0, 0, caption)
            for number, one in enumerate(self._pictures):
                painter.drawImage(self._left + number * each, 0, one.paint((each, height)))
            if beside and self._still is not None:
                painter.drawImage(width - self._right, 0, self._still)
        return self._image


def write_lesson_film(
    found: Found,
    path: Path,
    told: Told = lambda done, total, title: None,
    compiling: Callable[[int, int, str], None] = lambda done, total, what: None,
    size: tuple[int, int] = SIZE,
    fps: float = FPS,
) -> float:
    """Write the film of a lesson, complete or not at all; returns its length in seconds. Main thread.

    Parameters
    ----------
    path : ends in .mp4 or .webm.
    told, compiling : told how far it is.

    Raises
    ------
    InputError
        A step cannot be shown without a window and a person, with its number; or the film cannot be written.
    """
    form = format_of(path)
    if form in (GIF, FOLDER):
        raise InputError(f"--film {path} must end in .mp4 or .webm", str(path))
    FilmSpec(size, fps).check(form)
    ensure_widgets("a film of a lesson")
    warmup.warm_up(compiling)
    none = GifColors(2, np.zeros((1, 3), np.uint8), np.zeros(3, np.uint8))
    count = 0
    with TemporaryDirectory() as folder:
        film = LessonFilm(found, size, fps, Demonstration(Path(folder), compiling))
        with encoder(path, form, size, fps, "small", none, _SECONDS_PER_KEY) as encoding:
            for image in film.frames(told):
                encoding.add(pixels_of(image).copy())
                count += 1
    return count / fps
