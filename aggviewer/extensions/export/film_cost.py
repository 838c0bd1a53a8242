"""Estimates the rendering time of a film by making its first frames on a thread."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from aggviewer.canvas import warmup
from aggviewer.document.view import ViewModel
from aggviewer.export.spec import FilmFormat, FilmSpec
from aggviewer.extensions.export.film_job import FilmOrder, make_film
from aggviewer.session.notices import log
from aggviewer.widgets.gui_job import GuiJob
from engine.errors import InputError

if TYPE_CHECKING:
    from aggviewer.plots.film import FilmPlots

MOST_FRAMES = 24
"""Most frames made for an estimate."""

_LONGEST = 0.7  # most seconds for these, after the first one
_SOON = 250  # milliseconds: quick changes share one measurement


@dataclass(frozen=True)
class FilmCost:
    """Rendering time of a film in seconds: before its first frame, and for each frame."""

    begin: float
    each: float

    def of(self, frames: int) -> float:
        """Rendering time of a film with this number of frames, in seconds."""
        return self.begin + frames * self.each


class _Kind(NamedTuple):
    """Films with the same cost per frame. spec : without times; simulates : whether states are simulated for it."""

    spec: FilmSpec
    suffix: str
    simulates: bool


class FilmCosts(QObject):
    """Measures the cost of films, the newest request first; ``changed`` when a result is available."""

    changed = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._job = GuiJob("rendering cost", parent=self)
        self._known: dict[_Kind, FilmCost | None] = {}
        self._make_order: Callable[[FilmSpec, Path], FilmOrder] | None = None
        self._asked: tuple[_Kind, FilmSpec] | None = None  # being measured, or soon will be
        self._plots: FilmPlots | None = None  # of the last measurement
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON)
        self._soon.timeout.connect(self._measure)

    def begin(self, make_order: Callable[[FilmSpec, Path], FilmOrder]) -> None:
        """Start measuring films made like this. make_order : called with the film's settings and its path."""
        self._known.clear()
        self._make_order = make_order

    def end(self) -> None:
        """Cancel the measurement."""
        self._make_order = self._asked = None
        self._job.cancel()
        self._soon.start()  # to close the plots when the thread has finished with them

    def close(self) -> None:
        """End the thread."""
        self._soon.stop()
        self._job.close()
        self._close_plots()

    @property
    def busy(self) -> bool:
        """Whether a measurement is in progress."""
        return self._asked is not None

    def of(self, sample: FilmSpec, form: FilmFormat, *, simulates: bool) -> FilmCost | None:
        """The cost of films like this; None if unknown so far.

        Parameters
        ----------
        sample : the first frames of the film.
        simulates : whether their states are simulated.
        """
        kind = _Kind(replace(sample, start=None, end=None, frames=None, speed=1.0), form.suffix, simulates)
        if self._asked is not None and self._asked[0] != kind:
            self._asked = None
            self._job.cancel()
        if self._asked is None and kind not in self._known and self._make_order is not None:
            self._asked = kind, sample
            self._soon.start()
        return self._known.get(kind)

    def _measure(self) -> None:
        if self._job.busy:  # the cancelled measurement has not ended yet
            self._soon.start()
            return
        self._close_plots()
        if self._asked is None or self._make_order is None:
            return
        kind, sample = self._asked
        order = self._make_order(sample, Path(f"film{kind.suffix}"))
        self._plots = None if order.make_plots is None else order.make_plots()
        work = partial(_cost_of, order, order.spec.over.on(order.view), self._plots, lambda: self._job.cancelled)
        self._job.submit(work, partial(self._take, kind), partial(self._fail, kind))

    def _take(self, kind: _Kind, cost: FilmCost | None) -> None:
        self._known[kind], self._asked = cost, None
        self.changed.emit()

    def _fail(self, kind: _Kind, error: Exception) -> None:
        if not isinstance(error, InputError):
            log.error("the cost of a film could not be measured", exc_info=error)
        self._take(kind, None)

    def _close_plots(self) -> None:
        if self._plots is not None:
            self._plots.close()
            self._plots = None


def _cost_of(order: FilmOrder, view: ViewModel, plots: FilmPlots | None, cancelled: Callable[[], bool]) -> FilmCost:
    """Make the first frames of a film in a temporary folder."""
    warmup.warm_up()
    first = 0.0
    began = monotonic()

    def progress(_done: int, _total: int) -> None:
        nonlocal first
        first = first or monotonic()

    def enough() -> bool:
        return cancelled() or bool(first and monotonic() - first > _LONGEST)

    with tempfile.TemporaryDirectory() as folder:
        made = replace(order, path=Path(folder) / order.path.name)
        frames = make_film(made, view, plots, progress, enough, keep_cut=True)
        ended = monotonic()
    if frames < 2:
        return FilmCost(0.0, ended - began)
    each = (ended - first) / (frames - 1)
    return FilmCost(max(0.0, first - began - each), each)
