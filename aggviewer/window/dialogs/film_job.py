"""Making films while the window stays usable: a thread, a card over the picture, a message at the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QEvent, QObject, Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from aggviewer.canvas.camera import Camera
from aggviewer.document.marks.run_marks import RunMarks
from aggviewer.document.view import ViewModel
from aggviewer.export.spec import FilmSpec
from aggviewer.latest_job import CancelledError
from aggviewer.session import Notice
from aggviewer.session.notices import log
from aggviewer.style.numbers import count
from aggviewer.style.theme import tabular
from engine.errors import InputError

if TYPE_CHECKING:
    from aggviewer.export.film import FilmRun  # brings the libraries of video
    from aggviewer.plots.film import FilmPlots

_POLL_MS = 100
_MARGIN = 16
_WIDTH = 320

OpenRuns = Callable[[], AbstractContextManager[Sequence["FilmRun"]]]


@dataclass(frozen=True, eq=False)
class FilmOrder:
    """A film to be made. open_runs : called on the thread of the film; view : read at the start; camera : of any size
    in pixels, None for the whole box; run_marks : which discs are selected and hidden, and what is measured
    and noted; make_plots : makes what draws the plots, on the GUI thread; None for a film without."""

    path: Path
    spec: FilmSpec
    open_runs: OpenRuns
    view: ViewModel
    camera: Camera | None
    run_marks: RunMarks | None = None
    make_plots: Callable[[], FilmPlots] | None = None


class FilmJob(QObject):
    """One film, made on a thread of its own. ``ended(notice)`` comes once, on the GUI thread; None when cancelled."""

    ended = pyqtSignal(object)
    progressed = pyqtSignal(int, int)

    def __init__(self, order: FilmOrder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.order = order
        self.view = order.spec.over.on(order.view)  # a copy: the person may change the picture meanwhile
        self._plots = None if order.make_plots is None else order.make_plots()
        self._cancelled = threading.Event()
        self._done = (0, 0)
        self._notice: Notice | None = None
        self._thread = threading.Thread(target=self._run, name="film", daemon=True)
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self._look)

    def start(self) -> None:
        """Begin."""
        self._thread.start()
        self._timer.start()

    def cancel(self) -> None:
        """Stop after the present frame; nothing is left of the film."""
        self._cancelled.set()

    def close(self) -> None:
        """Cancel and wait for the thread; nothing is told any more."""
        self._timer.stop()
        self.cancel()
        self._end()

    def _end(self) -> None:
        if self._thread.is_alive():
            self._thread.join()
        if self._plots is not None:
            self._plots.close()
            self._plots = None

    def _look(self) -> None:
        self.progressed.emit(*self._done)
        if not self._thread.is_alive():
            self._timer.stop()
            self._end()
            self.ended.emit(self._notice)

    # on the thread of the film

    def _run(self) -> None:
        from aggviewer.export.film import write_film_of  # brings the libraries of video

        order = self.order
        try:
            with order.open_runs() as runs:
                frames = write_film_of(
                    order.path,
                    order.spec,
                    runs,
                    self.view,
                    order.camera,
                    progress=self._progress,
                    cancelled=self._cancelled.is_set,
                    run_marks=order.run_marks,
                    plots=self._plots,
                )
        except CancelledError:
            return
        except InputError as error:
            self._notice = Notice("error", "The film was not made", str(error), about="film")
        except Exception as error:
            log.exception("a film could not be made")
            self._notice = Notice("error", "The film was not made", f"{type(error).__name__}: {error}", about="film")
        else:
            seconds = frames / order.spec.fps
            words = f"{count(frames)} frames, {seconds:.1f} s, {order.path}"
            self._notice = Notice("info", "Film saved", words, folder=str(order.path.parent), about="film")

    def _progress(self, done: int, total: int) -> None:
        self._done = (done, total)


class FilmCard(QFrame):
    """How far a film is, with a button to give it up; in the upper right corner of its parent."""

    def __init__(self, job: FilmJob, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("filmCard")
        self.setFixedWidth(min(_WIDTH, max(200, parent.width() - 2 * _MARGIN)))
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self._began = time.monotonic()
        self.title = QLabel(self.fontMetrics().elidedText(job.order.path.name, Qt.TextElideMode.ElideMiddle, 240))
        self.title.setToolTip(str(job.order.path))
        self.text = QLabel("Starting")
        self.text.setObjectName("filmText")
        self.text.setFont(tabular())
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(8)
        self.bar.setRange(0, 0)
        self.bar.setAccessibleName("Progress of the film")
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setToolTip("Give the film up; nothing is left of it")
        self.cancel_button.clicked.connect(job.cancel)
        self.cancel_button.clicked.connect(lambda: self.cancel_button.setEnabled(False))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(self.title)
        layout.addWidget(self.bar)
        row = QHBoxLayout()
        row.addWidget(self.text, 1)
        row.addWidget(self.cancel_button)
        layout.addLayout(row)
        job.progressed.connect(self._show)
        parent.installEventFilter(self)
        self.adjustSize()
        self._place()
        self.show()
        self.raise_()

    def _show(self, done: int, total: int) -> None:
        if not total:
            return
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        words = f"Frame {count(done)} of {count(total)}"
        took = time.monotonic() - self._began
        if took > 2.0 and 0 < done < total:
            left = took / done * (total - done)
            words += f"\n{left:.0f} s left" if left < 90.0 else f"\n{left / 60.0:.0f} min left"
        else:
            words += "\n"
        self.text.setText(words)
        self.adjustSize()

    def _place(self) -> None:
        parent = self.parentWidget()
        if parent is not None:
            self.move(max(0, parent.width() - self.width() - _MARGIN), _MARGIN)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Stay in the corner."""
        if event is not None and event.type() == QEvent.Type.Resize:
            self._place()
        return False


class Films(QObject):
    """Films of the window, one at a time. host : the widget that the card lies over; notify : shows a message."""

    def __init__(self, host: QWidget, notify: Callable[[Notice], None]) -> None:
        super().__init__(host)
        self._host = host
        self._notify = notify
        self._job: FilmJob | None = None
        self.card: FilmCard | None = None

    @property
    def busy(self) -> bool:
        """Whether a film is being made."""
        return self._job is not None

    def start(self, order: FilmOrder) -> bool:
        """Begin a film; False, with a message, while there is one already."""
        if self._job is not None:
            words = "Wait for it, or cancel it in the corner of the picture."
            self._notify(Notice("warning", "A film is being made already", words, about="film"))
            return False
        self._job = FilmJob(order, self)
        self.card = FilmCard(self._job, self._host)
        self._job.ended.connect(self._on_ended)
        self._job.start()
        return True

    def _on_ended(self, notice: Notice | None) -> None:
        self._drop()
        self._notify(notice or Notice("info", "The film was cancelled", about="film"))

    def _drop(self) -> None:
        if self.card is not None:
            self.card.hide()
            self.card.deleteLater()
            self.card = None
        if self._job is not None:
            self._job.deleteLater()
            self._job = None

    def close(self) -> None:
        """Give up what is being made and join its thread."""
        if self._job is not None:
            self._job.close()
            self._drop()
