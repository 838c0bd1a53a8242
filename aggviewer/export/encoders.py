"""Writing images to video, GIF and folders of pictures, encoded on a thread while the next image is painted."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import av
import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.qt_images import to_qimage
from aggviewer.export.files import new_file, new_folder, png_bytes
from aggviewer.export.gif_colors import GifColors
from aggviewer.export.spec import FOLDER, GIF, MP4, FilmFormat, Quality

Pixels = NDArray[np.uint8]

_WAITING = 1  # images in flight: one is painted, one waits, one is encoded
_BT709 = 1  # the code of BT.709 colours in the tags of a stream
_LIMITED = 1  # 16…235, as players expect
_SECONDS_PER_KEY = 2.0  # of film between pictures that a player can jump to (key frames)


class Encoder(Protocol):
    """Encodes the images of a film: (H, W, 4) uint8 RGBA, opaque, all of one size."""

    def add(self, image: Pixels) -> None:
        """Add the next image. OSError if it cannot be written."""
        ...

    def finish(self) -> None:
        """Finish the file after the last image."""
        ...

    def abandon(self) -> None:
        """Close the file without finishing it."""
        ...


class EncodingThread:
    """Encodes images in order on its own thread. A ``with`` block that ends normally finishes the film; an exception
    abandons it.

    Errors of the encoder are raised by the next `add` or at the end of the block; the thread is always joined.
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
        """Queue the next image; blocks while another one is waiting."""
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
        except Exception as error:  # raised in the thread that makes the film
            self._error = error
            while not self._ended:  # so that no thread waits forever
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


@contextmanager
def encoder(
    path: Path,
    form: FilmFormat,
    size: tuple[int, int],
    fps: float,
    quality: Quality,
    gif_colors: GifColors,
) -> Iterator[EncodingThread]:
    """An encoder for a film. The file appears at `path` only if the block ends normally.

    InputError if it cannot be written, for example because the disk is full.
    """
    if form is FOLDER:
        with new_folder(path) as partial, EncodingThread(lambda: _Pictures(partial)) as encoding:
            yield encoding
    else:

        def video() -> Encoder:
            return _Video(partial, form, size, fps, quality, gif_colors if form is GIF else None)

        with new_file(path) as partial, _os_errors(), EncodingThread(video) as encoding:
            yield encoding


@contextmanager
def _os_errors() -> Iterator[None]:
    try:
        yield
    except av.FFmpegError as error:  # only some of the errors are OSErrors
        raise OSError(error.errno, error.strerror) from error


class _Video:
    """MP4, WebM and GIF. Image n is shown from time n / fps."""

    def __init__(
        self,
        path: Path,
        form: FilmFormat,
        size: tuple[int, int],
        fps: float,
        quality: Quality,
        gif_colors: GifColors | None,
    ) -> None:
        moov_first = {"movflags": "+faststart"} if form is MP4 else {}
        self._container = av.open(str(path), "w", format=form.suffix[1:], options=moov_first)
        rate = Fraction(fps).limit_denominator(1001)
        options = _options(form, quality, fps * _SECONDS_PER_KEY)
        stream: Any = self._container.add_stream(form.codec, rate=rate, options=options)
        stream.width, stream.height = size
        self._tick = 1 / rate
        stream.codec_context.time_base = self._tick
        self._gif_colors = gif_colors
        if gif_colors is not None:
            stream.pix_fmt = "pal8"
        else:
            stream.pix_fmt = "yuv420p"
            context = stream.codec_context
            context.color_primaries = context.color_trc = context.colorspace = _BT709
            context.color_range = _LIMITED
        self._stream, self._count = stream, 0

    def add(self, image: Pixels) -> None:
        """Encode the next image. OSError if it cannot be written."""
        if self._gif_colors is not None:
            frame = av.VideoFrame.from_ndarray(self._gif_colors.reduced(image), format="pal8")  # type: ignore[arg-type]
        else:
            frame = av.VideoFrame.from_ndarray(image, format="rgba")
            frame = frame.reformat(format="yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG")
        frame.pts, frame.time_base = self._count, self._tick
        self._count += 1
        self._container.mux(self._stream.encode(frame))

    def finish(self) -> None:
        """Flush the encoder after the last image, and close the file."""
        self._container.mux(self._stream.encode(None))
        self._container.close()

    def abandon(self) -> None:
        """Close the file without finishing it."""
        with suppress(OSError, av.FFmpegError):
            self._container.close()


def _options(form: FilmFormat, quality: Quality, between_keys: float) -> dict[str, str]:
    """Options of the codecs. Discs have sharp edges and move little, so fast settings make files hardly larger."""
    if form is GIF:
        return {}
    common = {"crf": str(form.levels[quality]), "g": str(max(1, round(between_keys)))}
    if form is MP4:
        return common | {"preset": "veryfast"}
    return common | {"b": "0", "deadline": "realtime", "cpu-used": "7", "row-mt": "1"}


class _Pictures:
    """frame-000000.png, frame-000001.png, … in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0

    def add(self, image: Pixels) -> None:
        """Write the next image as a file. OSError if that fails."""
        (self._folder / f"frame-{self._count:06d}.png").write_bytes(png_bytes(to_qimage(image)))
        self._count += 1

    def finish(self) -> None:
        """Nothing to do: each picture is complete."""

    def abandon(self) -> None:
        """Nothing to close."""
