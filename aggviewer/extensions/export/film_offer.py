"""What a film can be made of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf, isfinite

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.camera import Camera
from aggviewer.export.kinds import ExportItem
from aggviewer.export.spec import USUAL_LENGTH, FilmSpec, FromStored, Moments
from aggviewer.style.numbers import TIME, count, duration, moment
from engine.system import Clock

_LEAST_LENGTH = 1.0  # seconds that have to have been watched
_MOST_PROPOSED = 60.0  # seconds; a longer film is proposed faster, with the usual length


NOT_AGAIN = "a run of many discs that began with a file cannot be computed again"


@dataclass(frozen=True, eq=False)
class FilmOffer:
    """The material for a film.

    Parameters
    ----------
    radii : (N,).
    camera : the view.
    window_size : of the picture on the screen, pixels.
    first_time, last_time : of the recording; a last time of inf means the live run from its present time.
    frames : number of recorded frames, 0 for the live run.
    timed : whether the recording contains times.
    speed : present playback speed, simulation time per second.
    past : (K,), times of the states of the live run in memory, ascending.
    again : about how many seconds it takes to compute the live run again up to now; None if that is impossible.
    end : where the live run ends by itself (`engine.system.System.end`), "" if it does not.
    merges : whether its discs join clusters.
    shown : the time on the screen, None for the first.
    followed : the disc that the window follows.
    selected : the selected discs.
    plots : plots available beside the picture, by key.
    runs : the number of runs side by side.
    clock : the unit of time.
    """

    radii: NDArray[np.float64]
    camera: Camera
    window_size: tuple[int, int]
    first_time: float = 0.0
    last_time: float = inf
    frames: int = 0
    timed: bool = True
    speed: float = 1.0
    past: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    again: float | None = None
    end: str = ""
    merges: bool = False
    shown: float | None = None
    followed: int | None = None
    selected: tuple[int, ...] = ()
    plots: tuple[ExportItem, ...] = ()
    runs: int = 1
    clock: Clock = TIME

    @property
    def passing(self) -> str:
        """The quantity that advances: simulation time, or iterations."""
        return f"{self.clock.name}s" if self.clock.counts else "simulation time"

    @property
    def earliest(self) -> float:
        """The earliest time at which a film can start."""
        return min(float(self.past[0]), self.first_time) if len(self.past) else self.first_time

    def usual_speed(self) -> float:
        """The default speed, simulation time per second: the one watched, or one that gives a film of usual length."""
        speed = self.speed if isfinite(self.speed) and self.speed > 0.0 else 1.0
        begin, end = self.watched(speed)
        if end - begin <= _MOST_PROPOSED * speed:
            return speed
        return float(f"{(end - begin) / USUAL_LENGTH:.2g}")

    def watched(self, speed: float) -> tuple[float, float]:
        """The default start and end: what was watched, or, if that is very short, what comes next. speed : simulation
        time per second."""
        if isfinite(self.last_time):
            return self.first_time if self.shown is None else self.shown, self.last_time
        begin = self.earliest if self.shown is None else self.shown
        if self.first_time - begin >= _LEAST_LENGTH * speed:
            return begin, self.first_time
        begin = self.first_time if self.shown is None else self.shown
        return begin, self.first_time + USUAL_LENGTH * speed

    def moments(self, spec: FilmSpec, flight: float = 1.0) -> Moments:
        """What the frames of a film show. If its end is not known yet, only their number is right. InputError if it
        cannot be made. flight : see `FilmSpec.moments`."""
        if spec.end == inf:
            spec = replace(spec, end=max(self.earliest if spec.start is None else spec.start, self.first_time) + 1.0)
        return spec.moments(self.earliest, self.last_time, self.frames, flight)

    def from_stored(self, spec: FilmSpec) -> FromStored | None:
        """What a film looks like where it shows stored states of the live run; None if it shows none. InputError if it
        cannot be made."""
        if not len(self.past) or spec.frames is not None or spec.start is None or spec.start >= self.first_time:
            return None
        return self.moments(spec).from_stored(self.past, self.first_time, whole=self.clock.counts)

    def told(self, spec: FilmSpec) -> str:
        """What a film of the live run does to the run, and where its past comes from. InputError if it cannot be
        made."""
        words = "The film is made from a copy; your run continues."
        stored = self.from_stored(spec)
        if stored is None:
            return words
        now = moment(self.first_time, self.clock)
        if spec.again:
            assert self.again is not None
            takes = f"{'at most ' if spec.end is not None and spec.end < self.first_time else ''}{duration(self.again)}"
            return f"{words} Up to now, {now}, the run is computed again, which takes about {takes}."
        states = count(len(self.past))
        if not stored.repeated:
            return f"{words} Up to now, {now}, it shows the {states} stored states."
        why = f", since {NOT_AGAIN}" if self.again is None else ""
        frames = count(len(self.moments(spec)))
        return (
            f"{words} Up to now, {now}, it shows the {states} stored states: {count(stored.repeated)} of {frames} "
            f"pictures repeat the one before{why}."
        )
