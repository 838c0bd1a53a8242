"""What a lesson needs from the window, in which it is played. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from aggviewer.extensions.lessons.conditions import Situation
from aggviewer.extensions.lessons.model import Ensemble, Setting
from aggviewer.extensions.lessons.source import LessonFile
from engine.errors import InputError

MeasuredNumbers = Mapping[str, Any]
Answer = Callable[[MeasuredNumbers | InputError], None]


class Classroom(Protocol):
    """What a lesson needs from the window."""

    def set_up(self, found: LessonFile, setting: Setting) -> None:
        """Apply the settings of a step. Errors are shown in the window."""
        ...

    def keep(self, found: LessonFile, page: int) -> bool:
        """Keep what is shown now as the start of a page. False if it cannot be kept."""
        ...

    def has_kept(self, found: LessonFile, page: int) -> bool:
        """Whether the start of a page was kept, also at an earlier start of the program."""
        ...

    def return_to(self, found: LessonFile, page: int, setting: Setting) -> None:
        """Show the start of a page again. setting : what does not belong to a kept picture."""
        ...

    def begin_step(self, *, fresh: bool) -> None:
        """Another step is shown. fresh : count events and commands from now on; else go on counting for a task that was
        skipped."""
        ...

    def situation(self) -> Situation | None:
        """The present situation; None until the settings of the step are applied."""
        ...

    def measure(self, answer: Answer) -> None:
        """Measure the run; `answer` is called later with the numbers, on this thread."""
        ...

    def study(self, ensemble: Ensemble, progress: Callable[[float], None], answer: Answer) -> None:
        """Run a small study of the running scenario; `progress` gets the fraction done, `answer` the means ``y0``…"""
        ...

    def stop_study(self) -> None:
        """Stop a running study."""
        ...

    def run(self) -> None:
        """Start the run of the step, or go on with it."""
        ...
