"""Progress of a run on stderr, where a person is watching; silent otherwise."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.simulation import Progress


class ProgressLine:
    """A bar, as a context manager."""

    def __init__(self) -> None:
        self._bar: Any = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("starting", total=1.0)

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
        """What is being done."""
        if self._bar is not None:
            self._bar.update(self._task, description=what)

    def compiling(self, done: int, total: int, what: str) -> None:
        """For `engine.warm_up`."""
        if self._bar is not None:
            self._bar.update(self._task, description=f"compiling: {what}", completed=done / total)

    def simulating(self, reached: Progress, events: int, wall_s: float, share: float) -> None:
        """Where the simulation is; share : of the run that is over, 0…1."""
        if self._bar is not None:
            rate = events / wall_s if wall_s > 0.0 else 0.0
            if "program" in reached.events:
                grown = f"{reached.events['growth']} collisions while discs grow" if "growth" in reached.events else ""
                text = grown or f"program {reached.events['program']}  {rate:.2g} programs/s"
                self._bar.update(self._task, description=text, completed=share)
                return
            clusters = f"M = {reached.clusters}  " if "merge" in reached.events else ""
            text = f"t = {reached.time:.4g}  {clusters}{rate:.2g} events/s"
            self._bar.update(self._task, description=text, completed=share)

    def filming(self, done: int, total: int) -> None:
        """How many frames of a film are painted."""
        if self._bar is not None:
            self._bar.update(self._task, description=f"frame {done} of {total}", completed=done / total)
