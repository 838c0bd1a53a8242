"""Makes films in the background: a thread, a progress card over the picture, and a message at the end; and estimates
beforehand how long that takes."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from PyQt6.QtCore import QEvent, QObject, QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from aggviewer.canvas import warmup
from aggviewer.canvas.camera import Camera
from aggviewer.document.run import RunMarks
from aggviewer.document.view import ViewModel
from aggviewer.export.spec import FilmFormat, FilmSpec
from aggviewer.latest_job import CancelledError
from aggviewer.session import Notice
from aggviewer.session.notices import log
from aggviewer.style.numbers import duration
from aggviewer.style.theme import tabular
from aggviewer.widgets.gui_thread import GuiJob
from engine.errors import InputError
from engine.runs.progress import TimeLeft
from engine.words import count, typeset

if TYPE_CHECKING:
    from aggviewer.export.film import FilmSide
    from aggviewer.export.sources import LaneToFilm
    from aggviewer.plots.film import FilmPlots
    from aggviewer.session.past.recording import Recording
    from aggviewer.window.toasts import ToastStack

_TELL_EVERY = 0.1  # seconds between two reports of a film
_WIDTHS = (320, 200)  # pixels; the narrower one where less is hidden by it


@dataclass(frozen=True, eq=False)
class FilmOrder:
    """A film to make.

    Parameters
    ----------
    path, spec : the file, and what the film shows.
    lanes, recording, sides : its runs, see `aggviewer.export.film.opened_runs`.
    view : read at the start.
    camera : for any size in pixels; None for the whole box.
    run_marks : selected and hidden discs, measurements and notes.
    make_plots : creates the plots on the GUI thread; None for a film without plots.
    """

    path: Path
    spec: FilmSpec
    lanes: Sequence[LaneToFilm]
    recording: Recording | None
    sides: Sequence[FilmSide]
    view: ViewModel
    camera: Camera | None
    run_marks: RunMarks | None = None
    make_plots: Callable[[], FilmPlots] | None = None


def make_film(
    order: FilmOrder,
    view: ViewModel,
    plots: FilmPlots | None,
    progress: Callable[[int, int], None],
    cancelled: Callable[[], bool],
    *,
    keep_cut: bool = False,
) -> int:
    """Make a film, on the thread that calls; how many frames it has. view : with what lies over the discs; plots : made
    by the order; progress, cancelled, keep_cut : see `aggviewer.export.film.write_film`."""
    from aggviewer.export.film import opened_runs, write_film  # brings the libraries of video

    measured, again = plots is not None, order.spec.again
    with opened_runs(order.lanes, order.recording, order.sides, measured=measured, again=again) as runs:
        return write_film(
            order.path,
            order.spec,
            runs,
            view,
            order.camera,
            progress=progress,
            cancelled=cancelled,
            keep_cut=keep_cut,
            run_marks=order.run_marks,
            plots=plots,
        )


class FilmCard(QFrame):
    """The progress of a film, with a cancel button, in a corner of its parent where it hides least.

    path : of the film; cancel : cancels it; corners : finds the corner.
    """

    def __init__(self, path: Path, cancel: Callable[[], object], parent: QWidget, corners: ToastStack) -> None:
        super().__init__(parent)
        self._corners = corners
        self.setObjectName("filmCard")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self._time_left = TimeLeft()
        self.title = QLabel(self.fontMetrics().elidedText(path.name, Qt.TextElideMode.ElideMiddle, _WIDTHS[-1] - 40))
        self.title.setToolTip(str(path))
        self.text = QLabel("Starting\n")
        self.text.setObjectName("filmText")
        self.text.setFont(tabular())
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(8)
        self.bar.setRange(0, 0)
        self.bar.setAccessibleName("Progress of the film")
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setToolTip("Cancel the film and remove the incomplete file")
        self.cancel_button.clicked.connect(lambda: cancel())
        self.cancel_button.clicked.connect(lambda: self.cancel_button.setEnabled(False))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(self.title)
        layout.addWidget(self.bar)
        layout.addWidget(self.text)
        layout.addWidget(self.cancel_button, 0, Qt.AlignmentFlag.AlignRight)
        parent.installEventFilter(self)
        height = self.sizeHint().height()
        sizes = [QSize(width, height) for width in _WIDTHS]
        chosen, self._corner = corners.corner_for(sizes)
        self.setFixedSize(sizes[chosen])
        self._place()
        self.show()
        self.raise_()

    def show_progress(self, done: int, total: int) -> None:
        """Show the number of finished frames and the remaining time."""
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        words = f"Frame {count(done)} of {count(total)}"
        left = self._time_left.tell(time.monotonic(), done / max(total, 1))
        words += "\n" if left is None or done == total else f"\n{duration(left)} left"
        self.text.setText(words)

    def _place(self) -> None:
        self.move(self._corners.at(self._corner, self.size()))

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Keep the card in its corner when the window changes."""
        if event is not None and event.type() == QEvent.Type.Resize:
            self._place()
        return False


class Films(QObject):
    """Makes films, one at a time. host : the widget under the progress card; notify : shows a message; corners : finds
    a place for the card."""

    _progressed = pyqtSignal(int, int)

    def __init__(self, host: QWidget, notify: Callable[[Notice], None], corners: ToastStack) -> None:
        super().__init__(host)
        self._corners = corners
        self._host = host
        self._notify = notify
        self._job = GuiJob("film", parent=self)
        self._cancelled = threading.Event()
        self._plots: FilmPlots | None = None
        self.card: FilmCard | None = None
        self._progressed.connect(self._show_progress)  # emitted on the thread of the film: by the event loop

    @property
    def busy(self) -> bool:
        """Whether a film is being made."""
        return self.card is not None

    def start(self, order: FilmOrder) -> bool:
        """Start a film. If one is already being made, show a message and return False."""
        if self.busy:
            words = "Wait for it, or cancel it in the corner of the picture."
            self._notify(Notice("warning", "A film is already being made", words, about="film"))
            return False
        self._cancelled.clear()
        self._plots = None if order.make_plots is None else order.make_plots()
        self.card = FilmCard(order.path, self._cancelled.set, self._host, self._corners)
        view = order.spec.over.applied_to(order.view)  # a copy, because the user may change the picture meanwhile
        self._job.submit(
            partial(self._make, order, view, self._plots), partial(self._on_film_ready, order), self._failed
        )
        return True

    def close(self) -> None:
        """Cancel the film in progress and join its thread."""
        self._cancelled.set()
        self._job.close()
        self._end()

    def _make(self, order: FilmOrder, view: ViewModel, plots: FilmPlots | None) -> int:
        """Make a film on its thread. Returns the number of frames."""
        told = 0.0

        def progress(done: int, total: int) -> None:
            nonlocal told
            if time.monotonic() - told > _TELL_EVERY:
                told = time.monotonic()
                self._progressed.emit(done, total)

        return make_film(order, view, plots, progress, self._cancelled.is_set)

    def _on_film_ready(self, order: FilmOrder, frames: int) -> None:
        self._end()
        words = f"{count(frames)} frames, {typeset(frames / order.spec.fps, '.1f')} s, {order.path}"
        path = order.path
        film = "" if path.is_dir() else str(path)  # a folder of pictures is shown, not played
        self._notify(Notice("info", "Film exported", words, folder=str(path.parent), film=film, about="film"))

    def _failed(self, error: Exception) -> None:
        self._end()
        if isinstance(error, CancelledError):
            self._notify(Notice("info", "The film was cancelled", about="film"))
            return
        words = str(error)
        if not isinstance(error, InputError):
            log.error("film failed", exc_info=error)
            words = f"{type(error).__name__}: {error}"
        self._notify(Notice("error", "The film could not be made", words, about="film"))

    def _show_progress(self, done: int, total: int) -> None:
        if self.card is not None:
            self.card.show_progress(done, total)

    def _end(self) -> None:
        """Remove the card and the plots, which the thread no longer needs."""
        if self._plots is not None:
            self._plots.close()
            self._plots = None
        if self.card is not None:
            self.card.hide()
            self.card.deleteLater()
            self.card = None


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
        self._known_costs: dict[_Kind, FilmCost | None] = {}
        self._make_order: Callable[[FilmSpec, Path], FilmOrder] | None = None
        self._wanted_cost: tuple[_Kind, FilmSpec] | None = None  # being measured, or soon will be
        self._plots: FilmPlots | None = None  # of the last measurement
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON)
        self._soon.timeout.connect(self._measure)

    def begin(self, make_order: Callable[[FilmSpec, Path], FilmOrder]) -> None:
        """Start measuring films made like this. make_order : called with the film's settings and its path."""
        self._known_costs.clear()
        self._make_order = make_order

    def end(self) -> None:
        """Cancel the measurement of a film's costs."""
        self._make_order = self._wanted_cost = None
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
        return self._wanted_cost is not None

    def of(self, sample: FilmSpec, form: FilmFormat, *, simulates: bool) -> FilmCost | None:
        """The cost of films like this; None if unknown so far.

        Parameters
        ----------
        sample : the first frames of the film.
        simulates : whether their states are simulated.
        """
        kind = _Kind(replace(sample, start=None, end=None, frames=None, speed=1.0), form.suffix, simulates)
        if self._wanted_cost is not None and self._wanted_cost[0] != kind:
            self._wanted_cost = None
            self._job.cancel()
        if self._wanted_cost is None and kind not in self._known_costs and self._make_order is not None:
            self._wanted_cost = kind, sample
            self._soon.start()
        return self._known_costs.get(kind)

    def _measure(self) -> None:
        if self._job.busy:  # the cancelled measurement has not ended yet
            self._soon.start()
            return
        self._close_plots()
        if self._wanted_cost is None or self._make_order is None:
            return
        kind, sample = self._wanted_cost
        order = self._make_order(sample, Path(f"film{kind.suffix}"))
        self._plots = None if order.make_plots is None else order.make_plots()
        work = partial(
            _cost_of, order, order.spec.over.applied_to(order.view), self._plots, lambda: self._job.cancelled
        )
        self._job.submit(work, partial(self._take, kind), partial(self._fail, kind))

    def _take(self, kind: _Kind, cost: FilmCost | None) -> None:
        self._known_costs[kind], self._wanted_cost = cost, None
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
