"""An unattended run: for machines without a display, for pictures of the window, and for tests of an installation.

With ``AGGVIEWER_DEMO_SECONDS=<s>`` and ``AGGVIEWER_DEMO_OUT=<folder>`` in the environment, the window runs its scenario
for s seconds (counted once it runs; a first start compiles the engine before), writes

- ``window.png``: the whole window as the screen shows it, OpenGL canvas included, - ``snapshot.png``: the discs alone,
1920 x 1080, - ``summary.json``: the state reached, the indicators, the renderer, - ``film.mp4``: a film of ten seconds
that continues from there, 1280 x 720,

and exits with status 0, or 1 on failure.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PyQt6.QtCore import QObject, QTimer
from PyQt6.QtWidgets import QApplication

from aggviewer.canvas.picture import Over
from aggviewer.export.pictures import write_picture
from aggviewer.export.sources import copy_of
from aggviewer.export.spec import FilmSpec
from aggviewer.session import Analysis, Notice
from aggviewer.session.notices import log

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
    if not seconds or not folder:
        return None
    return float(seconds), Path(folder)


class Demo(QObject):
    """Waits until the scenario runs and is visible, lets it run for the given time and until indicators are available,
    then writes the files and closes the window."""

    def __init__(self, window: MainWindow, seconds: float, folder: Path, film: float = _FILM) -> None:
        """film : its length in seconds."""
        super().__init__(window)
        self._film = film
        self.status = 1
        self._window = window
        self._seconds = seconds
        self._folder = folder
        self._born = time.monotonic()
        self._begun: float | None = None
        self._analysis: Analysis | None = None
        self._errors: list[str] = []
        window.stage.set_welcome(None)  # no welcome strip: it would take room from the discs
        window.session.notices.sent.connect(self._on_notice)
        window.refresher.analysed.connect(self._on_analysis)
        self._timer = QTimer(self)
        self._timer.setInterval(50)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def _on_notice(self, notice: Notice) -> None:
        if notice.level == "error":
            self._errors.append(f"{notice.title} {notice.text} {notice.details}")

    def _on_analysis(self, lane: int, analysis: Analysis) -> None:
        if lane == 0:
            self._analysis = analysis

    def look(self) -> None:
        """Start when the scenario is visible; end when its time is over and it was measured. Called every 50 ms."""
        now = time.monotonic()
        if self._begun is None:
            if self._runs():
                self._begun = now
            elif now - self._born > _START_PATIENCE:
                log.error("nothing ran within %g s", _START_PATIENCE)
                self._end()
        elif self._is_over(now - self._begun):
            try:
                self._write()
                self.status = 1 if self._errors else 0
            finally:
                self._end()

    def _runs(self) -> bool:
        """Whether the live scenario is visible; while the engine is compiled, only a picture of its start is shown."""
        window = self._window
        return window.canvas.frames_drawn > 0 and window.session.status().state not in _BEFORE

    def _is_over(self, since_begun: float) -> bool:
        """Whether its time is over and it was measured, which may take longer on a slow machine."""
        beyond = since_begun - self._seconds
        return beyond >= 0.0 and (self._analysis is not None or bool(self._errors) or beyond > _MEASURED_PATIENCE)

    def _end(self) -> None:
        self._timer.stop()
        self._window.session.notices.sent.disconnect(self._on_notice)
        self._window.close()
        QApplication.quit()

    def _write(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        window = self._window
        summary = self._summary()  # before the pictures, which take time
        screen = window.screen()
        grabbed = screen.grabWindow(window.winId()) if screen is not None else window.grab()
        grabbed.save(str(self._folder / "window.png"), "PNG")
        canvas, view = window.canvas, window.session.view
        write_picture(
            self._folder / "snapshot.png", canvas.scene, canvas.chosen_camera, Over.of(view).on(view), _SNAPSHOT
        )
        self._write_film()
        (self._folder / "summary.json").write_text(json.dumps(summary, indent=2), encoding="utf-8")

    def _write_film(self) -> None:
        from aggviewer.export.film import write_film  # imports the video libraries

        window = self._window
        like, view = window.canvas.scene.coloring, window.session.view
        with copy_of(window.session.checkpoint()) as source:
            end = source.first_time + _FILM_SPEED * self._film
            spec = FilmSpec(speed=_FILM_SPEED, start=source.first_time, end=end)
            write_film(self._folder / "film.mp4", spec, source, view, window.canvas.camera, like=like)

    def _summary(self) -> dict[str, Any]:
        window, analysis = self._window, self._analysis
        status = asdict(window.session.status())
        for name in ("preparation", "timeline", "recording", "past"):
            status.pop(name)
        scenario = window.session.scenario
        found: dict[str, Any] = {
            "scenario": scenario.to_values() if scenario is not None else None,
            "status": {key: _plain(value) for key, value in status.items()},
            "frames_drawn": window.canvas.frames_drawn,
            "frames_per_second": window.canvas.fps,
            "renderer": window.canvas.renderer,
            "errors": self._errors,
        }
        if analysis is not None and analysis.indicators is not None:
            found["indicators_time"] = analysis.time
            found["indicators"] = analysis.indicators.to_dict()
        return found


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not isfinite(value) else value
