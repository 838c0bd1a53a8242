"""The answers of a class: counted, taken back, kept, and compared with the measurement."""

from __future__ import annotations

from pathlib import Path

import pytest

from aggviewer.extensions.lessons.answers import Measurement, class_sentence
from aggviewer.extensions.lessons.model import Question
from aggviewer.extensions.lessons.player import LessonPlayer
from engine.errors import InputError
from tests.extensions.lessons.lesson_texts import found, player_of
from tests.extensions.lessons.test_worksheet import LESSON

SPEED = Question(id="speed", ask="How fast?", tolerance=0.1)


@pytest.fixture
def player(tmp_path: Path) -> LessonPlayer:
    """A class has answered a number and a choice; the number has been measured."""
    made = player_of(found(tmp_path, LESSON))[0]
    made.forward()
    for text in ("0.25", "0,3", "1", "0.3 length / time"):
        made.count(text)
    made.forward()
    for index in (0, 1, 1):
        made.count(index)
    made.measured[5] = Measurement(0.25, 0.01)
    return made


def test_a_question_that_the_class_has_answered_is_done(tmp_path: Path) -> None:
    player = player_of(found(tmp_path, LESSON))[0]
    player.forward()
    assert not player.complete
    player.count("0.5")
    assert player.complete
    with pytest.raises(InputError, match="type a number"):
        player.count("fast")
    assert player.counted.to_plain() == {"speed": [0.5]}
    player.uncount()
    assert not player.complete
    player.predict("0.4")
    player.count("0.5")
    player.uncount()
    assert player.complete, "the learner's own answer is still there"


def test_counts_and_clears_are_undone_one_by_one(player: LessonPlayer) -> None:
    player.clear_counted()
    assert "part" not in player.counted.to_plain()
    assert not player.complete
    player.count(0)
    player.uncount()
    player.uncount()
    assert player.counted.to_plain()["part"] == [0, 1, 1]
    assert player.complete
    for _ in range(3):
        player.uncount()
    assert "part" not in player.counted.to_plain()
    assert player.question is not None
    assert not player.counted.can_undo(player.question)
    assert player.counted.to_plain()["speed"] == [0.25, 0.3, 1.0, 0.3], "another question keeps its answers"


def test_counts_are_kept_with_the_lesson_until_they_are_cleared(player: LessonPlayer, tmp_path: Path) -> None:
    player.start_over()
    player.forward()
    assert player.complete, "the class has answered already"
    kept = player.to_plain()
    later = player_of(found(tmp_path, LESSON))[0]
    later.take_plain(kept)
    assert later.counted.to_plain() == {"speed": [0.25, 0.3, 1.0, 0.3], "part": [0, 1, 1]}
    later.uncount()
    assert later.counted.to_plain()["speed"] == [0.25, 0.3, 1.0], "answers of another day are taken back too"
    damaged = player_of(found(tmp_path, LESSON))[0]
    damaged.take_plain(kept | {"counted": {"part": [7]}})
    assert damaged.counted.to_plain() == {}
    older = {name: value for name, value in kept.items() if name != "counted"}
    damaged.take_plain(older)
    assert damaged.number == later.number


def test_the_sentence_says_how_many_are_right() -> None:
    answers = [0.2, 0.31, 0.34, 0.36, 2.0]
    assert class_sentence(SPEED, answers, Measurement(0.25)) == "3 of 5 answers are right (within ±0.1)."
    assert class_sentence(SPEED, answers, Measurement(9.0)) == "None of 5 answers are right (within ±0.1)."
    assert class_sentence(SPEED, [0.3], Measurement(0.25)) == "The only answer is right (within ±0.1)."
