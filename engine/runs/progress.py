"""Progress bars for terminals and notebooks; no output elsewhere."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from html import escape
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from engine.system import system_of
from engine.words import count

if TYPE_CHECKING:
    from rich.console import Console

    from engine.scenario import Scenario
    from engine.simulation import Progress
    from engine.system import System

_WINDOW = 15.0  # seconds over which the pace is measured
_LEAST = 1.0  # seconds of work before the time left is shown
_KEPT = 200  # samples of the window
_REDRAWN = 0.1  # seconds between two changes of a bar in a notebook


class TimeLeft:
    """Estimates the time left from the speed in the last seconds."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float]] = deque()

    def tell(self, now: float, share: float) -> float | None:
        """Seconds left if the fraction 0…1 is done at `now` (seconds), None if unknown."""
        samples = self._samples
        if samples and share < samples[-1][1]:  # another task has started
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
    """Shows the progress of a run in one place, such as a terminal."""

    def start(self) -> None:
        """Show the bar."""

    def update(self, what: str, clock: str, share: float) -> None:
        """Show the task, the time, and the fraction 0…1 that is done."""

    def stop(self) -> None:
        """Stop showing the bar."""


class TerminalBar:
    """A bar on a terminal, removed at the end."""

    def __init__(self, console: Console) -> None:
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars

        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[clock]}"))
        self._bars = Bars(*columns, console=console, transient=True)
        self._task = self._bars.add_task("starting", total=1.0, clock=clock_text(0.0))

    def start(self) -> None:
        """Show the bar."""
        self._bars.start()

    def update(self, what: str, clock: str, share: float) -> None:
        """Show the task, the time, and the fraction 0…1 that is done."""
        self._bars.update(self._task, description=what, clock=clock, completed=share)

    def stop(self) -> None:
        """Stop showing the bar."""
        self._bars.stop()


class NotebookBar:
    """A bar below the cell of a notebook. The final progress and time stay at the end.

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
        """Show the bar."""
        self._place = self._show(self._content(bar=True), raw=True, display_id=True)

    def update(self, what: str, clock: str, share: float) -> None:
        """Show the task, the time, and the fraction 0…1 that is done."""
        self._last = (what, clock, share)
        if self._place is not None and self._now() - self._drawn >= _REDRAWN:
            self._drawn = self._now()
            self._place.update(self._content(bar=True), raw=True)

    def stop(self) -> None:
        """Stop showing the bar."""
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
    console : where it is drawn; by default in a terminal or notebook (`fitting_bar`), else nowhere.
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
        """Show a task of unknown duration."""
        self._show(what, None)

    def compiling(self, done: int, total: int, what: str) -> None:
        """Show that kernels are compiled: the `report` of `engine.warm_up`."""
        self._show(f"compiling: {what}", done / total)

    def of(self, scenario: Scenario) -> Callable[[Progress, float, float], None]:
        """The callback for `engine.runs.loop.simulate` with a run of this scenario."""
        kind = system_of(scenario)
        return lambda reached, wall_s, share: self.simulating(kind, reached, wall_s, share)

    def simulating(self, kind: System, reached: Progress, wall_s: float, share: float) -> None:
        """Show the progress of the simulation after this many seconds of work; share : fraction of the run that is
        over, 0…1."""
        if self._bar is not None:
            self._show(kind.words(reached, reached.happened / wall_s if wall_s > 0.0 else 0.0), share)

    def filming(self, done: int, total: int) -> None:
        """Show the number of painted frames of a film."""
        self._show(f"frame {count(done)} of {count(total)}", done / total)

    def _show(self, what: str, share: float | None) -> None:
        if self._bar is None:
            return
        now = self._now()
        left = None if share is None else self._left.tell(now, share)
        clock = clock_text(now - self._began) + ("" if left is None else f", {clock_text(left)} left")
        self._bar.update(what, clock, 0.0 if share is None else share)
