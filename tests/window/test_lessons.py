"""Each bundled lesson is played to its end in a real window, and one of them in every other way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from aggviewer.lessons.source import bundled
from aggviewer.window.main_window import MainWindow
from tests.window.learner import Act, Learner

LESSONS: dict[str, dict[str, Act]] = {
    "two-four-many": {
        "Let them meet": Learner.run,
        "Four discs": Learner.run,
        "Until one is left": Learner.run,
    },
}
"""What a learner does at the steps that wait for it, by their titles, for each bundled lesson. Answers are taken from
what the lesson expects. To test a lesson, add it here."""

SLOW: tuple[str, ...] = ()
"""Lessons that take longer than 4 s to play."""


@pytest.fixture
def window(window_again: MainWindow) -> MainWindow:
    """One window for all these tests."""
    return window_again


@pytest.fixture
def learner(window: MainWindow) -> Iterator[Learner]:
    """Somebody at the window, which has no lesson open before and afterwards."""
    at_it = Learner(window)
    yield at_it
    window.session.notices.sent.disconnect(at_it._note)
    if at_it.lessons.on:
        at_it.leave()


def names(*, slow: bool) -> list[str]:
    return [name for name in LESSONS if (name in SLOW) == slow]


def played(learner: Learner, name: str) -> None:
    """Play a lesson with right answers; what it measures is what it expects."""
    learner.open(name)
    for step in learner.play(LESSONS[name]):
        found, measure = learner.player.found_here, step.measure
        if measure is not None and measure.expected is not None:
            assert found is not None, step.title
            assert abs(found.value - measure.expected) <= measure.within, f"{step.title}: {found}"
            if measure.of:
                verdict = learner.lessons.panel.task.verdict.text()  # type: ignore[union-attr]
                assert verdict == "Your prediction holds.", f"{step.title}: {found}, {learner.player.answers}"
    assert not learner.player.skipped
    assert not learner.errors
    learner.leave()


def test_each_bundled_lesson_is_played_here() -> None:
    for found in bundled():
        waiting = [step.title for step in found.lesson.step if step.do is not None]
        assert len(set(waiting)) == len(waiting), f"{found.name}: two steps to do have one title"
        assert set(LESSONS.get(found.name, ())) == set(waiting), found.name


@pytest.mark.parametrize("name", names(slow=False))
def test_it_is_played_to_its_end(learner: Learner, name: str) -> None:
    played(learner, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", names(slow=True) or [pytest.param("", marks=pytest.mark.skip("none is slow"))])
def test_it_is_played_to_its_end_slowly(learner: Learner, name: str) -> None:
    played(learner, name)
