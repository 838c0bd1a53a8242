"""A progress bar for a run, on a terminal or in a notebook. Silent if there is nobody to see it."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from html import escape
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from engine.system import system_of

if TYPE_CHECKING:
    from rich.console import Console

    from engine.scenario import Scenario
    from engine.simulation import Progress
    from engine.system import System

_WINDOW = 15.0  # seconds over which the pace is measured
_LEAST = 1.0  # seconds of work before anything is said about what is left
_KEPT = 200  # samples of the window
_REDRAWN = 0.1  # seconds between two changes of a bar in a notebook


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


class ProgressBar(Protocol):
    """Something that shows how far a run is."""

    def start(self) -> None:
        """Show it."""

    def update(self, what: str, clock: str, share: float) -> None:
        """Show what is being done, the time, and the share 0…1 of it that is over."""

    def stop(self) -> None:
        """Bring it to its end."""


class TerminalBar:
    """A bar on a terminal, which goes away at the end."""

    def __init__(self, console: Console) -> None:
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars

        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[clock]}"))
        self._bars = Bars(*columns, console=console, transient=True)
        self._task = self._bars.add_task("starting", total=1.0, clock=clock_text(0.0))

    def start(self) -> None:
        """Show it."""
        self._bars.start()

    def update(self, what: str, clock: str, share: float) -> None:
        """Show what is being done, the time, and the share 0…1 of it that is over."""
        self._bars.update(self._task, description=what, clock=clock, completed=share)

    def stop(self) -> None:
        """Bring it to its end."""
        self._bars.stop()


class NotebookBar:
    """A bar below the cell of a notebook. Where the run has come to, and how long it took, stay at the end.

    Parameters
    ----------
    show : ``IPython.display.display``.
    now : the time in seconds.
    """

    def __init__(self, show: Callable[..., Any], now: Callable[[], float] = time.monotonic) -> None:
        self._show = show
        self._now = now
        self._place: Any = None
        self._drawn = 0.0
        self._last: tuple[str, str, float] = ("starting", clock_text(0.0), 0.0)

    def start(self) -> None:
        """Show it."""
        self._place = self._show(self._content(bar=True), raw=True, display_id=True)

    def update(self, what: str, clock: str, share: float) -> None:
        """Show what is being done, the time, and the share 0…1 of it that is over."""
        self._last = (what, clock, share)
        if self._place is not None and self._now() - self._drawn >= _REDRAWN:
            self._drawn = self._now()
            self._place.update(self._content(bar=True), raw=True)

    def stop(self) -> None:
        """Bring it to its end."""
        if self._place is not None:
            self._place.update(self._content(bar=False), raw=True)

    def _content(self, *, bar: bool) -> dict[str, str]:
        what, clock, share = self._last
        drawn = f'<progress max="1" value="{share:.4f}" style="width: 16em"></progress> ' if bar else ""
        html = f'<span style="font-variant-numeric: tabular-nums">{drawn}{escape(what)} · {escape(clock)}</span>'
        return {"text/html": html, "text/plain": f"{what} · {clock}"}


def fitting_bar() -> ProgressBar | None:
    """The bar for wherever this runs: a notebook, a terminal (stderr), or None for neither."""
    if "ipykernel" in sys.modules:
        from ipykernel.zmqshell import ZMQInteractiveShell
        from IPython import get_ipython
        from IPython.display import display

        if isinstance(get_ipython(), ZMQInteractiveShell):
            return NotebookBar(display)
    if sys.stderr is not None and sys.stderr.isatty():
        from rich.console import Console

        return TerminalBar(Console(stderr=True))
    return None


class ProgressLine:
    """A bar with the time since the start and the time left, as a context manager.

    Parameters
    ----------
    console : where it is drawn; without one it is drawn where that fits (`fitting_bar`), else nowhere.
    now : the time in seconds.
    bar : another bar, in place of one on the `console`.
    """

    def __init__(
        self,
        console: Console | None = None,
        now: Callable[[], float] = time.monotonic,
        bar: ProgressBar | None = None,
    ) -> None:
        self._now = now
        self._began = now()
        self._left = TimeLeft()
        self._bar = bar or (fitting_bar() if console is None else TerminalBar(console))

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
        self._bar.update(what, clock, 0.0 if share is None else share)
