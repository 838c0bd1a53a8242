"""`make run` on a computer without a display: the window runs for a while, writes what can be seen, and closes.

With ``AGGVIEWER_DEMO_SECONDS=<s>`` and ``AGGVIEWER_DEMO_OUT=<folder>`` in the environment, the scenario runs for s
seconds (a first start compiles the engine before) and until it was measured. Then these files are written, and the
program ends with status 0, or 1 if anything failed:

- ``window.png``: the whole window as the screen shows it, with the picture;
- ``snapshot.png``: the discs alone, 1920 x 1080;
- ``film.mp4``: a film of ten seconds that continues from there;
- ``summary.json``: the state reached, the indicators, the renderer, the errors.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QObject, QTimer
from PyQt6.QtWidgets import QApplication

from aggviewer.canvas.picture import Over
from aggviewer.export.pictures import write_picture
from aggviewer.export.sources import copy_of
from aggviewer.export.spec import FilmSpec
from aggviewer.session import Analysis, Notice
from aggviewer.session.notices import log
from engine.runs.summary import to_json

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow

_START_PATIENCE = 900.0  # seconds for the first start, which compiles
_MEASURED_PATIENCE = 60.0  # seconds to wait for the first indicators; it ends without them if they cannot be measured
_BEFORE = ("empty", "compiling", "loading")
_SNAPSHOT = (1920, 1080)
_FILM = 10.0  # seconds
_FILM_SPEED = 2.0  # simulation time per second


def requested() -> tuple[float, Path] | None:
    """Seconds and folder from the environment; None if no demonstration is requested."""
    seconds, folder = os.environ.get("AGGVIEWER_DEMO_SECONDS"), os.environ.get("AGGVIEWER_DEMO_OUT")
    return (float(seconds), Path(folder)) if seconds and folder else None


class Demo(QObject):
    """Runs the window for some seconds, writes the files into a folder and closes the window.

    Attributes
    ----------
    status : the exit status of the program.
    """

    def __init__(self, window: MainWindow, seconds: float, folder: Path, film: float = _FILM) -> None:
        """film : its length in seconds."""
        super().__init__(window)
        self.status = 1
        self._window, self._seconds, self._folder, self._film = window, seconds, folder, film
        self._born = time.monotonic()
        self._began_at: float | None = None
        self._analysis: Analysis | None = None
        self._errors: list[str] = []
        window.session.notices.sent.connect(self._on_notice)
        window.refresher.analysed.connect(self._on_analysis)
        self._timer = QTimer(self)
        self._timer.setInterval(50)
        self._timer.timeout.connect(self.check)
        self._timer.start()

    def _on_notice(self, notice: Notice) -> None:
        if notice.level == "error":
            self._errors.append(f"{notice.title} {notice.text} {notice.details}")

    def _on_analysis(self, lane: int, analysis: Analysis) -> None:
        if lane == 0:
            self._analysis = analysis

    def check(self) -> None:
        """Begin when the live scenario is visible; write and end when its time is over and it was measured. Called
        every 50 ms."""
        window, now = self._window, time.monotonic()
        if (
            self._began_at is None
        ):  # while the engine is compiled, only a picture of the start or a recorded run is shown
            status = window.session.status()
            if window.canvas.frames_drawn > 0 and not status.stand_in and status.state not in _BEFORE:
                self._began_at = now
            elif now - self._born > _START_PATIENCE:
                log.error("nothing ran within %g s", _START_PATIENCE)
                self._end()
            return
        beyond = now - self._began_at - self._seconds
        done = self._analysis is not None or bool(self._errors) or beyond > _MEASURED_PATIENCE
        if beyond >= 0.0 and done:
            try:
                self._write()
                self.status = 1 if self._errors else 0
            finally:
                self._end()

    def _end(self) -> None:
        self._timer.stop()
        self._window.session.notices.sent.disconnect(self._on_notice)
        self._window.close()
        QApplication.quit()

    def _write(self) -> None:
        folder, window = self._folder, self._window
        folder.mkdir(parents=True, exist_ok=True)
        summary = self._summary()  # before the pictures, which take time
        screen = window.screen()
        grabbed = screen.grabWindow(window.winId()) if screen is not None else window.grab()
        grabbed.save(str(folder / "window.png"), "PNG")
        canvas, view = window.canvas, window.session.view
        write_picture(
            folder / "snapshot.png", canvas.scene, canvas.chosen_camera, Over.of(view).applied_to(view), _SNAPSHOT
        )
        self._write_film()
        (folder / "summary.json").write_text(to_json(summary, indent=2), encoding="utf-8")

    def _write_film(self) -> None:
        from aggviewer.export.film import FilmRun, write_film  # imports the video libraries

        window = self._window
        like, view = window.canvas.scene.coloring, window.session.view
        with copy_of(window.session.checkpoint()) as source:
            end = source.first_time + _FILM_SPEED * self._film
            spec = FilmSpec(speed=_FILM_SPEED, start=source.first_time, end=end)
            write_film(self._folder / "film.mp4", spec, [FilmRun(source, like)], view, window.canvas.camera)

    def _summary(self) -> dict[str, Any]:
        window, analysis = self._window, self._analysis
        scenario, status, canvas = window.session.scenario, window.session.status(), window.canvas
        indicators = analysis.indicators if analysis is not None else None
        return {
            "scenario": scenario.to_values() if scenario is not None else None,
            "state": status.state,
            "time": status.time,
            "clusters": status.clusters,
            "events": status.events,
            "frames_drawn": canvas.frames_drawn,
            "frames_per_second": canvas.fps,
            "renderer": canvas.renderer,
            "errors": self._errors,
            "indicators": indicators.to_dict() if indicators is not None else None,
        }
