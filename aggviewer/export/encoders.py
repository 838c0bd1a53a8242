"""Writing images to video, GIF and folders of pictures, encoded on a thread while the next image is painted. A whole
GIF has one palette, so that no colour changes from frame to frame."""

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

from aggviewer.canvas.qt_drawing import to_qimage
from aggviewer.export.files import new_file, new_folder, png_bytes
from aggviewer.export.spec import FOLDER, GIF, MP4, FilmFormat, Quality
from engine.arrays import Bytes

_WAITING = 1  # images in flight: one is painted, one waits, one is encoded
_BT709 = 1  # the code of BT.709 colours in the tags of a stream
_LIMITED = 1  # 16…235, as players expect
_SECONDS_PER_KEY = 2.0  # of film between pictures that a player can jump to (key frames)


class Encoder(Protocol):
    """Encodes the images of a film: (H, W, 4) uint8 RGBA, opaque, all of one size."""

    def add(self, image: Bytes) -> None:
        """Add the next image, (H, W, 4). OSError if it cannot be written."""
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
        self._images: queue.Queue[Bytes | None] = queue.Queue(_WAITING)
        self._abandoned = self._ended = False
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="film-encoder", daemon=True)

    def __enter__(self) -> EncodingThread:
        self._thread.start()
        return self

    def add(self, image: Bytes) -> None:
        """Queue the next image, (H, W, 4); blocks while another one is waiting."""
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

    def _next(self) -> Bytes | None:
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

    def add(self, image: Bytes) -> None:
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

    def add(self, image: Bytes) -> None:
        """Write the next image as a file. OSError if that fails."""
        (self._folder / f"frame-{self._count:06d}.png").write_bytes(png_bytes(to_qimage(image)))
        self._count += 1

    def finish(self) -> None:
        """Nothing to do: each picture is complete."""

    def abandon(self) -> None:
        """Nothing to close."""


_BITS = 5  # upper bits of each channel used to look up a colour
_SAMPLED = 120_000  # pixels of the first picture from which the palette is made, and as many of the expected colours
_BLENDS = (1.0, 0.75, 0.5, 0.25)  # coverages of a disc over the background: soft edges, small discs
_RIM = 0.55  # brightness of the rim relative to the disc


class GifColors:
    """Reduces images to at most `count` colours (2…256), found in the first image and in `expected`.

    expected : (K, 3) uint8, colours that discs may have later; ground : (3,) uint8, the background.
    """

    def __init__(self, count: int, expected: NDArray[np.uint8], ground: NDArray[np.uint8]) -> None:
        self._count = count
        self._expected = expected.astype(np.float64)
        self._ground = ground
        self._palette: NDArray[np.uint8] | None = None
        self._nearest = np.zeros(0, np.uint8)

    def reduced(self, image: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Indices (H, W) uint8 and the palette (256, 4) uint8, ARGB; `image` : (H, W, 4) uint8 RGBA."""
        if self._palette is None:
            self._palette = self._make(image)
            self._nearest = self._look_up(self._palette[: self._count, 1:])
        return self._nearest.take(_cells(image)), self._palette

    def _make(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        seen = image[..., :3].reshape(-1, 3)
        seen = seen[:: max(1, len(seen) // _SAMPLED)]
        blends = [b * self._expected + (1.0 - b) * self._ground for b in _BLENDS] + [_RIM * self._expected]
        coming = np.rint(np.concatenate(blends)).astype(np.uint8)
        coming = np.tile(coming, (len(seen) // len(coming) + 1, 1))
        sample = np.concatenate([seen, coming])
        rows = len(sample) // 256
        graph = av.filter.Graph()
        source = graph.add_buffer(width=256, height=rows, format=av.VideoFormat("rgb24"), time_base=Fraction(1))
        chooser = graph.add("palettegen", f"max_colors={self._count}:reserve_transparent=0")
        sink = graph.add("buffersink")
        source.link_to(chooser)
        chooser.link_to(sink)
        graph.configure()
        pixels = np.ascontiguousarray(sample[: rows * 256].reshape(rows, 256, 3))
        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        frame.pts = 0
        source.push(frame)
        source.push(None)
        chosen: Any = sink.pull()
        found: NDArray[np.uint8] = chosen.to_ndarray(format="argb").reshape(256, 4).copy()
        found[:, 0] = 255
        found[0, 1:] = self._ground  # the background has exactly its colour
        return found

    @staticmethod
    def _look_up(colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The nearest of `colors` for each cell of the colour cube, (8 ** `_BITS`,) uint8."""
        levels = (np.arange(1 << _BITS, dtype=np.float32) + 0.5) * (256 >> _BITS)
        cube = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
        wanted = colors.astype(np.float32)
        # |a - b|² without |a|², which is the same for all b
        distance = (wanted**2).sum(axis=1) - 2.0 * cube @ wanted.T
        nearest: NDArray[np.uint8] = distance.argmin(axis=1).astype(np.uint8)
        rgba = np.pad(colors[::-1], ((0, 0), (0, 1)))
        nearest[_cells(rgba)] = np.arange(len(colors), dtype=np.uint8)[::-1]
        return nearest


def _cells(image: NDArray[np.uint8]) -> NDArray[np.integer]:
    """The cell of the colour cube that contains each colour; (…, 4) RGBA, C-contiguous, to (…)."""
    packed = np.ascontiguousarray(image).view("<u4")[..., 0]
    cells: NDArray[np.integer] = (packed & 0xF8) << 7 | (packed & 0xF800) >> 6 | (packed & 0xF80000) >> 19
    return cells
