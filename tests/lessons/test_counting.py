"""The answers of a class: counted, taken back, kept, put into bars, and written down."""

from __future__ import annotations

import csv
import itertools
import random
from pathlib import Path

import pandas
import pytest
from PyQt6.QtPdf import QPdfDocument
from pytestqt.qtbot import QtBot

from aggviewer.lessons.answers import Measurement
from aggviewer.lessons.class_sheet import COLUMNS, write_class_sheet
from aggviewer.lessons.counting import bars_of, summed_up
from aggviewer.lessons.model import Predict
from aggviewer.lessons.player import LessonPlayer
from engine.errors import InputError
from tests.lessons.lesson_texts import found, player_of
from tests.lessons.test_worksheet import LESSON

SPEED = Predict(id="speed", ask="How fast?", tolerance=0.1)


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
    with pytest.raises(InputError, match="write a number"):
        player.count("fast")
    assert player.counted.of == {"speed": [0.5]}
    player.uncount()
    assert not player.complete
    player.predict("0.4")
    player.count("0.5")
    player.uncount()
    assert player.complete, "the learner's own answer is still there"


def test_what_was_cleared_can_be_brought_back_until_something_else_is_counted(player: LessonPlayer) -> None:
    player.clear_counted()
    assert "part" not in player.counted.of
    assert not player.complete
    player.uncount()
    assert player.counted.of["part"] == [0, 1, 1]
    player.uncount()
    assert player.counted.of["part"] == [0, 1]
    player.clear_counted()
    player.count(1)
    player.uncount()
    player.uncount()
    assert "part" not in player.counted.of


def test_counts_are_kept_with_the_lesson_until_they_are_cleared(player: LessonPlayer, tmp_path: Path) -> None:
    player.again()
    player.forward()
    assert player.complete, "the class has answered already"
    kept = player.to_plain()
    later = player_of(found(tmp_path, LESSON))[0]
    later.take_plain(kept)
    assert later.counted.of == {"speed": [0.25, 0.3, 1.0, 0.3], "part": [0, 1, 1]}
    damaged = player_of(found(tmp_path, LESSON))[0]
    damaged.take_plain(kept | {"counted": {"part": [7]}})
    assert len(damaged.counted) == 0
    older = {name: value for name, value in kept.items() if name != "counted"}
    damaged.take_plain(older)
    assert damaged.number == later.number


def test_each_answer_is_in_one_bar_and_the_measured_number_has_its_place() -> None:
    dice = random.Random(4)
    for scale, measured in itertools.product((1e-3, 1.0, 40.0, 1e6), (None, 0.1, 3.0)):
        answers = [scale * dice.uniform(0.2, 1.7) for _ in range(50)]
        found_here = None if measured is None else Measurement(scale * measured)
        bars = bars_of(SPEED, answers, found_here)
        assert sum(bar.count for bar in bars.bars) == 50
        assert 3 <= len(bars.bars) <= 14
        assert all(low < high for low, high in itertools.pairwise(bars.ends))
        if found_here is not None:
            assert 0.0 <= bars.share(found_here.value) <= 1.0
    spread = bars_of(SPEED, [1.0, 10.0, 100.0, 5000.0], Measurement(20.0))
    assert spread.log
    assert sum(bar.count for bar in spread.bars) == 4
    assert bars_of(SPEED, [0.0, 0.4, 0.9], None).ends[0] == 0.0, "no bar below 0"
    assert sum(bar.count for bar in bars_of(SPEED, [7.0], None).bars) == 1


def test_the_bars_and_the_sentence_say_how_many_are_right() -> None:
    answers = [0.2, 0.31, 0.34, 0.36, 2.0]
    bars = bars_of(SPEED, answers, Measurement(0.25))
    assert sum(bar.right for bar in bars.bars) == 3
    assert summed_up(SPEED, answers, Measurement(0.25)) == "Of 5 answers 3 are right (within ±0.1)."
    assert summed_up(SPEED, answers, Measurement(9.0)) == "Of 5 answers none is right (within ±0.1)."
    assert summed_up(SPEED, [0.3], Measurement(0.25)) == "The one answer is right (within ±0.1)."


def test_the_table_has_all_answers(player: LessonPlayer, tmp_path: Path) -> None:
    write_class_sheet(player, tmp_path / "class.csv")
    table = pandas.read_csv(tmp_path / "class.csv")
    assert tuple(table.columns) == COLUMNS
    speeds = table[table["id"] == "speed"]
    assert speeds["answer"].astype(float).tolist() == [0.25, 0.3, 1.0, 0.3]
    assert speeds["answer_number"].tolist() == [1, 2, 3, 4]
    assert speeds["right"].tolist() == [1, 1, 0, 1]
    assert set(speeds["measured"]) == {0.25}
    assert set(speeds["unit"]) == {"length / time"}
    assert set(speeds["step"]) == {2}
    with (tmp_path / "class.csv").open(newline="", encoding="utf-8") as file:
        parts = [row for row in csv.DictReader(file) if row["id"] == "part"]
    assert [row["answer"] for row in parts] == ["Half", "Less", "Less"]
    assert {(row["measured"], row["right"], row["lesson"]) for row in parts} == {("", "", "Predict <all>")}


def test_it_is_printed_too_and_other_names_are_refused(player: LessonPlayer, tmp_path: Path, qtbot: QtBot) -> None:
    write_class_sheet(player, tmp_path / "class.html")
    text = (tmp_path / "class.html").read_text(encoding="utf-8")
    assert "Of 4 answers 3 are right (within ±0.1 length / time)." in text
    assert "<b>2</b>&nbsp;&nbsp;</td><td>Less</td>" in text
    assert ">measured</text>" in text
    assert "Not measured yet" in text
    write_class_sheet(player, tmp_path / "class.pdf")
    document = QPdfDocument(None)
    document.load(str(tmp_path / "class.pdf"))
    assert "Of 4 answers 3 are right" in document.getAllText(0).text()
    with pytest.raises(InputError, match=r"class.txt must end in .csv, .html or .pdf"):
        write_class_sheet(player, tmp_path / "class.txt")
