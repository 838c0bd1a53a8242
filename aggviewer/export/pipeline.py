"""Encoding on a second thread while the next picture is painted."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from types import TracebackType

from aggviewer.export.encoders import Encoder, Pixels

_WAITING = 1  # images between the two threads: one is painted, one waits, one is encoded


class EncodingThread:
    """Takes images in order; a ``with`` block that ends well finishes the film, any other end abandons it.

    What goes wrong in the encoder is raised by the next `add` or at the end of the block; the thread is always joined.
    """

    def __init__(self, open_encoder: Callable[[], Encoder]) -> None:
        self._open = open_encoder
        self._images: queue.Queue[Pixels | None] = queue.Queue(_WAITING)
        self._abandoned = self._ended = False
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="film-encoder", daemon=True)

    def __enter__(self) -> EncodingThread:
        self._thread.start()
        return self

    def add(self, image: Pixels) -> None:
        """The next image; waits while one is waiting already."""
        self._raise()
        self._images.put(image)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._abandoned = kind is not None
        self._images.put(None)
        self._thread.join()
        if kind is None:
            self._raise()

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _next(self) -> Pixels | None:
        image = self._images.get()
        self._ended = image is None
        return image

    def _run(self) -> None:
        try:
            self._encode(self._open())
        except Exception as error:  # it belongs to whoever makes the film
            self._error = error
            while not self._ended:  # nobody is left waiting
                self._next()

    def _encode(self, encoder: Encoder) -> None:
        finished = False
        try:
            while (image := self._next()) is not None:
                if not self._abandoned:
                    encoder.add(image)
            if not self._abandoned:
                encoder.finish()
                finished = True
        finally:
            if not finished:
                encoder.abandon()
