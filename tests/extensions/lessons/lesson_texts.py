"""A small lesson with each kind of step, and a classroom that does what the test says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from aggviewer.document.view import ViewModel
from aggviewer.extensions.lessons.conditions import Situation
from aggviewer.extensions.lessons.model import Ensemble, Setting
from aggviewer.extensions.lessons.player import LessonPlayer
from aggviewer.extensions.lessons.room import Answer
from aggviewer.extensions.lessons.source import LessonFile, read_lesson
from aggviewer.session import Status
from aggviewer.session.log import Log

LESSON = """
format = 1
title = "Small"
summary = "Each kind of step."
minutes = 1

[[step]]
title = "Begin"
say = "Some words."
[step.set]
scenario = "lattice-100"
view = { color_by = "speed" }

[[step]]
title = "Ask"
[step.predict]
id = "left"
ask = "How many?"
unit = "clusters"
low = 1
high = 100
tolerance = 2

[[step]]
title = "Do"
[step.set]
speed = 3.0
[step.do]
what = "Run it."
when = { time = ">= 2", state = "held" }
hint = "Space."
after = 10.0

[[step]]
title = "Measure"
explain = "Because."
[step.measure]
of = "left"
value = "clusters * scale"
name = "Clusters"
remember = { scale = "1" }

[[step]]
title = "Another"
say = "The end."
[step.set]
scenario = "lattice-400"
"""


def found(folder: Path, text: str = LESSON) -> LessonFile:
    """The lesson of a text."""
    path = folder / "lesson.toml"
    path.write_text(text, encoding="utf-8")
    return read_lesson(path)


def situation(status: Status | None = None, **parts: Any) -> Situation:
    """What there is to be seen before anything is done, but for these parts."""
    nothing = Situation(Status(), None, 0, frozenset(), ViewModel().model_dump(), (), frozenset(), {}, Log())
    return replace(nothing, **parts, **({} if status is None else {"status": status}))


class PlainClassroom:
    """Notes what it is asked for. `answers` : those who wait for numbers; `keeps` : whether it can keep pages."""

    def __init__(self) -> None:
        self.put_in_place: list[Setting] = []
        self.seen: Situation | None = situation()
        self.answers: list[Answer] = []
        self.shares: list[Callable[[float], None]] = []
        self.fresh: list[bool] = []
        self.stopped = 0
        self.runs = 0
        self.keeps = True
        self.pages: list[int] = []
        self.returned: list[tuple[int, Setting]] = []

    def keep(self, found: LessonFile, page: int) -> bool:
        self.pages.append(page)
        return self.keeps

    def has_kept(self, found: LessonFile, page: int) -> bool:
        return self.keeps

    def return_to(self, found: LessonFile, page: int, setting: Setting) -> None:
        self.returned.append((page, setting))

    def set_up(self, found: LessonFile, setting: Setting) -> None:
        self.put_in_place.append(setting)

    def begin_step(self, *, fresh: bool) -> None:
        self.fresh.append(fresh)

    def situation(self) -> Situation | None:
        return self.seen

    def measure(self, answer: Answer) -> None:
        self.answers.append(answer)

    def study(self, ensemble: Ensemble, progress: Callable[[float], None], answer: Answer) -> None:
        self.shares.append(progress)
        self.answers.append(answer)

    def stop_study(self) -> None:
        self.stopped += 1

    def run(self) -> None:
        self.runs += 1


class Clock:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def player_of(lesson: LessonFile, *, keeps: bool = True) -> tuple[LessonPlayer, PlainClassroom, Clock]:
    """A player at the first step."""
    classroom, clock = PlainClassroom(), Clock()
    classroom.keeps = keeps
    player = LessonPlayer(lesson, classroom, clock)
    player.begin()
    return player, classroom, clock
