"""The specification of a film: format, speed, time range, and the layout of its frames; and which pace shows when
clusters merge."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import floor, inf, isfinite, pi
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.picture import Over, magnification
from aggviewer.export.follow import Follow
from engine.errors import InputError
from engine.simulation import History
from engine.words import count

Quality = Literal["small", "standard", "high"]
QUALITIES: tuple[Quality, ...] = ("small", "standard", "high")


@dataclass(frozen=True)
class FilmFormat:
    """A format for films.

    Attributes
    ----------
    name : its name in the window.
    codec : its name in the library.
    suffix : of the file, "" for a folder.
    largest : the most pixels on a side.
    fastest : the most frames per second.
    even : whether width and height must be even.
    levels : the codec's number for each quality: CRF, smaller is better; for GIF the number of colours.
    """

    name: str
    codec: str
    suffix: str
    largest: int
    fastest: float
    even: bool
    levels: dict[Quality, int]


MP4 = FilmFormat("MP4, H.264", "libx264", ".mp4", 8192, 240.0, True, {"small": 30, "standard": 22, "high": 16})
WEBM = FilmFormat("WebM, VP9", "libvpx-vp9", ".webm", 8192, 240.0, True, {"small": 42, "standard": 31, "high": 20})
GIF = FilmFormat("GIF", "gif", ".gif", 4096, 50.0, False, {"small": 64, "standard": 128, "high": 256})
FOLDER = FilmFormat("Folder of PNG pictures", "", "", 16384, 1000.0, False, {"small": 0, "standard": 0, "high": 0})
FORMATS = (MP4, WEBM, GIF, FOLDER)


def format_of(path: Path) -> FilmFormat:
    """The format for the ending of a name. A name without an ending is a folder of pictures, and so is one whose ending
    is a number, such as a time."""
    suffix = "" if path.suffix[1:].isdigit() else path.suffix.lower()
    for known in FORMATS:
        if known.suffix == suffix:
            return known
    raise InputError(
        f"{path}: the name of a film must end in .mp4, .webm or .gif, or have no ending (a folder of PNG)", str(path)
    )


SMALLEST = 16  # pixels on a side
MOST_FRAMES = 1_000_000
_TOO_LONG = f"the film would have more than {count(MOST_FRAMES)} frames"
USUAL_LENGTH = 20.0
"""Seconds of a film for which nobody has chosen a length or a speed."""
_ROUNDING = 1e-9
_LATE = 0.25  # frames: a stored state that is older makes the film uneven

# bytes per frame = pixels * first + pixels with an edge in them * second; fitted to films of 100, 2500 and 10^4 discs
# of 640 x 360 and 1280 x 720 pixels (docs/films.md)
_BYTES: dict[str, dict[Quality, tuple[float, float]]] = {
    ".mp4": {"small": (0.0009, 0.058), "standard": (0.0008, 0.18), "high": (0.0013, 0.33)},
    ".webm": {"small": (0.0012, 0.14), "standard": (0.0024, 0.26), "high": (0.0058, 0.40)},
    ".gif": {"small": (0.012, 0.40), "standard": (0.012, 0.56), "high": (0.013, 0.79)},
    "": {"small": (0.085, 4.4), "standard": (0.085, 4.4), "high": (0.085, 4.4)},
}


@dataclass(frozen=True)
class FilmSpec:
    """A film of a time range or of recorded frames.

    Attributes
    ----------
    size : width and height in pixels.
    fps : frames per second of film.
    speed : simulation time per second of film.
    quality : of the encoding.
    start, end : film frame k shows the simulation time start + k * speed / fps, up to `end`; None for the first or last
        time of the source. An `end` of infinity is where the run ends by itself.
    length : seconds of film; None if it follows from `speed`, which is ignored otherwise. Of a single state that turns,
        None is `USUAL_LENGTH`.
    log_time : whether the logarithm of time passes evenly instead of time. Then `length` is needed.
    frames : (first, last), the recorded frames to show once each; then the five before are ignored. A single one that
        turns is shown for `length`.
    again : whether a run is made again where the film shows its past, instead of showing the stored states.
    over : the overlays.
    follow : what stays in the centre of the picture; None for a fixed view.
    turns : whether a box in space turns around once during the film.
    plots, plots_at : the plots, by key (`Plot.key`), and their position.
    """

    size: tuple[int, int] = (1280, 720)
    fps: float = 30.0
    speed: float = 1.0
    quality: Quality = "standard"
    start: float | None = None
    end: float | None = None
    length: float | None = None
    log_time: bool = False
    frames: tuple[int, int] | None = None
    again: bool = False
    over: Over = field(default_factory=Over)
    follow: Follow | None = None
    turns: bool = False
    plots: tuple[str, ...] = ()
    plots_at: PlotsAt = "right"

    def check(self, form: FilmFormat) -> None:
        """Raise InputError for invalid values, or values that `form` does not support."""
        if not (isfinite(self.fps) and 0.1 <= self.fps <= form.fastest):
            raise InputError(
                f"frames per second must be from 0.1 to {form.fastest:g} for {form.name}, not {self.fps:g}", "fps"
            )
        if not all(SMALLEST <= side <= form.largest for side in self.size):
            width, height = self.size
            raise InputError(
                f"a film has {SMALLEST} to {form.largest} pixels on a side for {form.name}, not {width} × {height}",
                "size",
            )
        if form.even and any(side % 2 for side in self.size):
            width, height = self.size
            raise InputError(f"width and height must be even for {form.name}, not {width} × {height}", "size")
        if self.length is not None and not (isfinite(self.length) and self.length > 0.0):
            raise InputError(f"the length of a film must be a number of seconds above 0, not {self.length:g}", "length")
        if self.frames is None and not (isfinite(self.speed) and self.speed > 0.0):
            raise InputError(f"simulation time per second must be a number above 0, not {self.speed:g}", "speed")

    def moments(self, first_time: float, last_time: float, recorded: int, flight: float = 1.0) -> Moments:
        """The times or numbers of the film's frames. A single state that turns is repeated for the whole turn.

        Parameters
        ----------
        first_time, last_time, recorded : the time range of the source, and its number of recorded frames.
        flight : a short time. Where `log_time` is set, the logarithm of the time since the start of the run plus this
            one passes evenly; the first of them has no logarithm at the start.

        Raises
        ------
        InputError
            The range is outside the source, or there would be too many frames.
        """
        found = self._states(first_time, last_time, recorded, flight)
        if not self.turns or len(found) > 1:
            return found
        count = (USUAL_LENGTH if self.length is None else self.length) * self.fps
        if count > MOST_FRAMES:
            raise InputError(f"{_TOO_LONG}; use a smaller length", "length")
        return Moments(np.repeat(found.values, max(1, round(count))), found.by_time)

    def _states(self, first_time: float, last_time: float, recorded: int, flight: float) -> Moments:
        """The different states that are shown; see `moments`."""
        if self.frames is not None:
            first, last = self.frames
            if not 0 <= first <= last < recorded:
                raise InputError(f"recorded frames go from 0 to {recorded - 1}, not from {first} to {last}", "frames")
            return Moments(np.arange(first, last + 1), by_time=False)
        start = first_time if self.start is None else self.start
        end = last_time if self.end is None else self.end
        if not isfinite(start) or start < first_time:
            raise InputError(f"the film cannot start before t = {first_time:g}, at {start:g}", "start")
        if end == inf:
            raise InputError("a film of a simulation needs an end time", "end")
        if not start <= end <= last_time:
            upper = "" if last_time == inf else f" to {last_time:g}"
            raise InputError(f"the film must end at a time from {start:g}{upper}, not {end:g}", "end")
        steps = (end - start) * self.fps / self.speed if self.length is None else self.length * self.fps
        count = floor(steps * (1.0 + _ROUNDING) + _ROUNDING) + 1 if steps < MOST_FRAMES else MOST_FRAMES + 1
        if count > MOST_FRAMES:
            raise InputError(
                f"{_TOO_LONG}; use more simulation time per second to shorten it",
                "speed",
            )
        if self.length is None:
            values = start + np.arange(count) * (self.speed / self.fps)
        elif end == start or count < 2:
            values = np.array([start])
        elif self.log_time:
            zero = min(first_time, 0.0) - flight
            values = zero + np.geomspace(start - zero, end - zero, count)
        else:
            values = np.linspace(start, end, count)
        return Moments(np.clip(values, start, end), by_time=True)  # the last one may exceed the end by a rounding error


class FromStored(NamedTuple):
    """repeated : the number of frames that look like the one before although time has passed; even : whether all show
    nearly the state of their time."""

    repeated: int
    even: bool


@dataclass(frozen=True)
class Moments:
    """What the frames of a film show, in order: simulation times (by_time) or numbers of recorded frames."""

    values: NDArray[np.floating] | NDArray[np.integer]
    by_time: bool

    def from_stored(self, stored: NDArray[np.float64], present: float, *, whole: bool = False) -> FromStored:
        """What the frames before the present look like if they show stored states.

        stored : (K,), times of the states, ascending; whole : whether time counts whole steps, between which nothing
        changes.
        """
        past = self.values[self.values < present]
        past = np.floor(past) if whole else past
        shown = np.maximum(np.searchsorted(stored, past, side="right") - 1, 0)
        steps = np.diff(past)
        late = (past - stored[shown])[1:] if len(past) else past
        repeated = (steps > 0.0) & (np.diff(shown) == 0)
        return FromStored(int(np.count_nonzero(repeated)), bool((late <= _LATE * steps + _ROUNDING).all()))

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Estimate:
    """frames : in the film; seconds : its length; bytes : approximate size of the file."""

    frames: int
    seconds: float
    bytes: int


def estimate(
    spec: FilmSpec,
    form: FilmFormat,
    frames: int,
    radii: NDArray[np.float64],
    camera: Camera,
) -> Estimate:
    """The length and approximate size of a film of `frames` frames; the size is right within a factor of about two.

    radii : (N,); camera : the view, of any size in pixels.
    """
    width, height = spec.size
    scale = camera.rendered(width, height).scale
    pixels = width * height
    edges = min(float(np.sum(np.minimum(2.0 * pi * radii * scale, 2.0 * (width + height)))), float(pixels))
    plain, edge = _BYTES[form.suffix][spec.quality]
    return Estimate(frames, frames / spec.fps, round(2000 + frames * (plain * pixels + edge * edges)))


PlotsAt = Literal["right", "below"]
PLACES: tuple[PlotsAt, ...] = ("right", "below")
"""Where plots can be, relative to the picture."""

_SHARE, _MOST = 0.36, 0.5  # share of the width or height for plots, and the most
_LEAST_WIDTH, _LEAST_HEIGHT = 230.0, 160.0  # of a readable plot, in pixels of a film with default text size
_NAME = 30.0  # pixels, height of the line with the name of a run, over its picture


class FilmArea(NamedTuple):
    """A part of a frame, in pixels from the upper left corner."""

    left: int
    top: int
    width: int
    height: int

    @property
    def area(self) -> tuple[slice, slice]:
        """The index of the area in an image (H, W, 4): its rows and columns."""
        return slice(self.top, self.top + self.height), slice(self.left, self.left + self.width)


@dataclass(frozen=True)
class FilmLayout:
    """The layout of a frame.

    Parameters
    ----------
    pictures : of each run, side by side.
    names : the lines over them; none for one run.
    plots : of each plot, row by row.
    ratio : text size relative to that in a window.
    """

    pictures: tuple[FilmArea, ...]
    names: tuple[FilmArea, ...]
    plots: tuple[FilmArea, ...]
    ratio: float

    @staticmethod
    def of(size: tuple[int, int], runs: int = 1, plots: int = 0, at: PlotsAt = "right") -> FilmLayout:
        """Divide a frame. InputError if the plots do not fit."""
        width, height = size
        ratio = magnification(width, height)
        found = _plots(size, plots, at, ratio) if plots else ()
        across = min((place.left for place in found), default=width) if at == "right" else width
        down = min((place.top for place in found), default=height) if at == "below" else height
        line = round(_NAME * ratio) if runs > 1 else 0
        edges = [across * run // runs for run in range(runs + 1)]
        sides = [(left, right - left) for left, right in pairwise(edges)]
        return FilmLayout(
            tuple(FilmArea(left, line, wide, down - line) for left, wide in sides),
            tuple(FilmArea(left, 0, wide, line) for left, wide in sides) if runs > 1 else (),
            found,
            ratio,
        )


def _plots(size: tuple[int, int], count: int, at: PlotsAt, ratio: float) -> tuple[FilmArea, ...]:
    """The areas of the plots: in one row or column, or in two if they would be too small."""
    width, height = size
    long, across = (height, width) if at == "right" else (width, height)
    least_long, least_across = _LEAST_HEIGHT * ratio, _LEAST_WIDTH * ratio
    if at == "below":
        least_long, least_across = least_across, least_long
    for lines in (1, 2):
        share = max(_SHARE * across, lines * least_across)
        each = -(-count // lines)
        if share <= _MOST * across and long / each >= least_long:
            return tuple(_cells(size, count, at, lines, each, round(share)))
    raise InputError(
        f"{count} plot{' does' if count == 1 else 's do'} not fit {_words(at)} the picture in a film of {width} ×"
        f" {height} pixels; choose fewer plots or a larger film",
        "plots",
    )


def _cells(size: tuple[int, int], count: int, at: PlotsAt, lines: int, each: int, share: int) -> list[FilmArea]:
    width, height = size
    columns, rows = (lines, each) if at == "right" else (each, lines)
    left, top = (width - share, 0) if at == "right" else (0, height - share)
    xs = [left + (width - left) * column // columns for column in range(columns + 1)]
    ys = [top + (height - top) * row // rows for row in range(rows + 1)]
    return [
        FilmArea(xs[number % columns], ys[number // columns], xs[number % columns + 1] - xs[number % columns],
              ys[number // columns + 1] - ys[number // columns])
        for number in range(count)
    ]  # fmt: skip


def _words(at: PlotsAt) -> str:
    return "beside" if at == "right" else "below"


_EARLY = 0.25  # share of the time in which half of the merges happen, at most, where the logarithm of time passes


@dataclass(frozen=True, eq=False)
class Growth:
    """The merges of a run up to its end.

    Parameters
    ----------
    times : (K,), of the merges, ascending.
    end : the time at which nothing more happens.
    flight : see `aggviewer.export.spec.FilmSpec.moments`.
    """

    times: NDArray[np.float64]
    end: float
    flight: float = 1.0

    def early(self, start: float, end: float) -> bool:
        """Whether most merges between two times happen soon after the first one, so that the logarithm of time shows
        them better than time."""
        inside = self._between(start, end)
        return len(inside) > 0 and float(np.median(inside)) - start < _EARLY * (end - start)

    def frames(self, moments: Moments) -> NDArray[np.intp]:
        """The frames of a film in which merges are first seen, (k,): one for each merge in its range, ascending."""
        values = moments.values
        return np.searchsorted(values, self._between(float(values[0]), float(values[-1])), side="left")

    def words(self, moments: Moments, fps: float) -> str:
        """A sentence that says when the film shows half, and most, of the merges."""
        seen = self.frames(moments)
        if not len(seen):
            return "No merges"
        half, most = (seen[int(np.ceil(share * len(seen))) - 1] / fps for share in (0.5, 0.9))
        many = f"{count(len(seen))} merge" + ("s" if len(seen) > 1 else "")
        return f"{many}: half in the first {half:.1f} s, 90 % in the first {most:.1f} s of {len(moments) / fps:.1f} s"

    def _between(self, start: float, end: float) -> NDArray[np.float64]:
        return self.times[(self.times > start) & (self.times <= end)]


def merge_times(history: History) -> NDArray[np.float64]:
    """(K,), the times at which two clusters merged, each once, ascending."""
    return np.repeat(history.time[1:], np.maximum(-np.diff(history.clusters), 0))
