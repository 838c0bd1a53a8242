"""Progress of a run on stderr, where a person is watching; silent otherwise."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from engine.system import system_of

if TYPE_CHECKING:
    from rich.console import Console

    from engine.scenario import Scenario
    from engine.simulation import Progress
    from engine.system import System

_WINDOW = 15.0  # seconds over which the pace is measured
_LEAST = 1.0  # seconds of work before anything is said about what is left
_KEPT = 200  # samples of the window


class TimeLeft:
    """How long something will still take, by the pace of the last seconds."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float]] = deque()

    def tell(self, now: float, share: float) -> float | None:
        """Seconds left where the share 0…1 of it is over at `now` (seconds), None where nobody can say."""
        samples = self._samples
        if samples and share < samples[-1][1]:  # something else has begun
            samples.clear()
        if not samples or now - samples[-1][0] >= _WINDOW / _KEPT:
            samples.append((now, share))
        while len(samples) > 2 and now - samples[1][0] >= _WINDOW:
            samples.popleft()
        began, before = samples[0]
        if now - began < _LEAST or share <= before:
            return None
        return (1.0 - share) * (now - began) / (share - before)


def clock_text(seconds: float) -> str:
    """``0:01:05``, as the time that has passed or is left."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"


class ProgressLine:
    """A bar with the time since the start and the time left, as a context manager.

    console : where it is drawn; without one it is drawn on stderr if that is a terminal, else nowhere. now() : seconds.
    """

    def __init__(self, console: Console | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._bar: Any = None
        self._now = now
        self._began = now()
        self._left = TimeLeft()
        if console is not None or sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[clock]}"))
            self._bar = Bar(*columns, console=console or Console(stderr=True), transient=True)
            self._task = self._bar.add_task("starting", total=1.0, clock=clock_text(0.0))

    def __enter__(self) -> ProgressLine:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def say(self, what: str) -> None:
        """What is being done, of which nobody knows how long it takes."""
        self._show(what, None)

    def compiling(self, done: int, total: int, what: str) -> None:
        """For `engine.warm_up`."""
        self._show(f"compiling: {what}", done / total)

    def of(self, scenario: Scenario) -> Callable[[Progress, float, float], None]:
        """What `engine.runs.loop.simulate` tells where a run of this scenario is."""
        kind = system_of(scenario)
        return lambda reached, wall_s, share: self.simulating(kind, reached, wall_s, share)

    def simulating(self, kind: System, reached: Progress, wall_s: float, share: float) -> None:
        """Where the simulation is, after so many seconds of work; share : of the run that is over, 0…1."""
        if self._bar is not None:
            self._show(kind.words(reached, reached.happened / wall_s if wall_s > 0.0 else 0.0), share)

    def filming(self, done: int, total: int) -> None:
        """How many frames of a film are painted."""
        self._show(f"frame {done} of {total}", done / total)

    def _show(self, what: str, share: float | None) -> None:
        if self._bar is None:
            return
        now = self._now()
        left = None if share is None else self._left.tell(now, share)
        clock = clock_text(now - self._began) + ("" if left is None else f", {clock_text(left)} left")
        self._bar.update(self._task, description=what, clock=clock, completed=0.0 if share is None else share)
