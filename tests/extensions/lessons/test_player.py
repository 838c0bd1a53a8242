"""The way through a lesson: forward and back, predictions, tasks, measurements, and what is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aggviewer.extensions.lessons.answers import Measurement
from aggviewer.extensions.lessons.conditions import Situation
from aggviewer.extensions.lessons.panel import summary
from aggviewer.extensions.lessons.player import LessonPlayer
from aggviewer.session import Status
from engine.errors import InputError
from tests.extensions.lessons.lesson_texts import LESSON, Clock, PlainClassroom, found, player_of, situation


@pytest.fixture
def at_start(tmp_path: Path) -> tuple[LessonPlayer, PlainClassroom, Clock]:
    return player_of(found(tmp_path))


def held(time: float) -> Situation:
    return situation(Status(state="paused", time=time))


def at_measure(player: LessonPlayer, classroom: PlainClassroom) -> None:
    """Go to the step that measures."""
    player.forward()
    player.predict("40")
    player.forward()
    classroom.seen = held(2.5)
    player.check_progress()
    player.forward()


def test_a_lesson_is_played_to_its_end(at_start: tuple[LessonPlayer, PlainClassroom, Clock]) -> None:
    player, classroom, _clock = at_start
    assert classroom.put_in_place[0].scenario == "lattice-100"
    assert player.complete, "a step of words alone"
    at_measure(player, classroom)
    assert player.step.title == "Measure"
    assert player.busy == 0.0
    assert not player.complete
    classroom.answers[-1]({"clusters": 41})
    assert player.busy is None
    assert player.found_here == Measurement(41.0, pytest.approx(float("nan"), nan_ok=True))
    player.forward()
    assert player.last
    assert classroom.put_in_place[-1].scenario == "lattice-400"
    assert not player.ended
    player.forward()
    assert player.ended, "the page at the end"
    player.forward()
    assert player.step.title == "Another", "there is nothing beyond it"
    (outcome,) = player.outcomes()
    assert outcome[1] == 40.0
    assert outcome[3] == Measurement(41.0, pytest.approx(float("nan"), nan_ok=True))
    assert summary(player) == "Your prediction was right."
    player.back()
    assert (player.ended, player.step.title) == (False, "Another")


def test_nobody_passes_a_task_that_is_not_done(at_start: tuple[LessonPlayer, PlainClassroom, Clock]) -> None:
    player, _classroom, _clock = at_start
    player.forward()
    player.forward()
    assert player.step.title == "Ask"
    player.skip()
    assert player.step.title == "Do"
    assert player.skipped == {1}
    player.back()
    player.predict(3)
    assert player.skipped == set()


def test_the_first_press_starts_the_run_of_a_task_and_later_ones_leave_it_alone(
    at_start: tuple[LessonPlayer, PlainClassroom, Clock],
) -> None:
    player, classroom, _clock = at_start
    player.skip()
    player.skip()
    classroom.seen = None
    assert (player.advance(), classroom.runs) == ("", 0), "the step is still being set up"
    classroom.seen = held(0.0)
    assert (player.advance(), classroom.runs) == ("", 1)
    for state in ("compiling", "running"):
        classroom.seen = situation(Status(state=state, time=1.0))
        assert player.advance().startswith("The run of this task has not ended yet.")
    classroom.seen = held(2.0)
    player.check_progress()
    assert (player.step.title, player.skipped) == ("Do", {1})
    assert (player.advance(), player.step.title, classroom.runs) == ("", "Measure", 1)


def test_a_press_at_an_open_question_warns_and_the_next_one_skips_it(
    at_start: tuple[LessonPlayer, PlainClassroom, Clock],
) -> None:
    player, classroom, clock = at_start
    assert (player.advance(), player.step.title) == ("", "Ask"), "nothing is open in a step of words"
    warning = "This question has no answer yet. Press again to skip it."
    assert player.advance() == warning
    clock.now = 60.0
    assert player.advance() == warning, "the sentence is no longer shown"
    assert (player.step.title, player.skipped) == ("Ask", set())
    assert (player.advance(), player.step.title, player.skipped) == ("", "Do", {1})
    player.back()
    assert player.advance() == warning, "each visit warns"
    player.predict("40")
    assert (player.advance(), player.step.title, classroom.runs) == ("", "Do", 0)


@pytest.mark.parametrize("when", ['command = "run.jam"', 'changed = "turn"', 'system = "jamming", state = "finished"'])
def test_a_press_at_a_task_for_the_hand_warns_and_the_next_one_skips_it(tmp_path: Path, when: str) -> None:
    text = LESSON.replace('time = ">= 2", state = "held"', when)
    player, classroom, _clock = player_of(found(tmp_path, text))
    player.skip()
    player.skip()
    classroom.seen = held(3.0)
    assert player.advance() == "This task is not done yet. Press again to skip it."
    assert (player.step.title, classroom.runs) == ("Do", 0)
    player.advance()
    assert (player.step.title, player.skipped) == ("Measure", {1, 2})


def test_in_class_a_question_needs_no_answer_and_a_press_does_a_task_that_the_lesson_can_show(tmp_path: Path) -> None:
    text = LESSON.replace('time = ">= 2", state = "held" }', 'changed = "turn" }\nshow = { commands = ["view.fit"] }')
    player, classroom, _clock = player_of(found(tmp_path, text))
    player.in_class = True
    player.advance()
    assert (player.step.title, player.press) == ("Ask", "next")
    player.advance()
    assert (player.step.title, player.skipped) == ("Do", set()), "the class has answered aloud"
    classroom.seen = situation(Status(state="running", time=3.0))
    assert player.press == "running", "the command needs the discs at the end of the run"
    classroom.seen = held(3.0)
    assert player.press == "show"
    assert player.advance() == ""
    assert (player.step.title, classroom.put_in_place[-1].commands) == ("Do", ("view.fit",))
    assert player.press == "skip", "it is shown once"
    player.repeat()
    assert player.press == "show"


def test_a_measurement_that_goes_on_is_not_ended_by_a_press(
    at_start: tuple[LessonPlayer, PlainClassroom, Clock],
) -> None:
    player, classroom, _clock = at_start
    at_measure(player, classroom)
    stopped = classroom.stopped
    assert player.advance() == player.advance() == "The measurement is not finished yet. Skip continues without it."
    assert (player.step.title, classroom.stopped) == ("Measure", stopped)
    classroom.answers[-1](InputError("there is no simulation"))
    assert player.advance() == "This is not measured yet. Press again to skip it."
    assert (player.advance(), player.step.title, player.skipped) == ("", "Another", {3})


def test_later_pages_name_what_was_skipped_until_it_is_done(longer: tuple[LessonPlayer, PlainClassroom]) -> None:
    player, classroom = longer
    assert player.skipped_titles == ["Ask", "Do"]
    classroom.seen = held(2.0)
    player.check_progress()
    assert player.skipped_titles == ["Ask"], "the run has got there"
    player.back()
    assert player.skipped_titles == ["Ask"]
    player.back()
    assert player.skipped_titles == [], "it is the page that is shown"
    player.number = len(player.lesson.step) - 1
    player.forward()
    assert (player.ended, player.skipped_titles) == (True, ["Ask"])


@pytest.mark.parametrize("answer", ["", "many", "0.5", 101, "nan", "inf"])
def test_an_invalid_prediction_is_refused(at_start: tuple[LessonPlayer, PlainClassroom, Clock], answer: object) -> None:
    player, _classroom, _clock = at_start
    player.forward()
    with pytest.raises(InputError):
        player.predict(answer)
    assert not player.complete


@pytest.mark.parametrize(("text", "number"), [("40", 40.0), (" 40 clusters", 40.0), ("4,5", 4.5), ("1e1", 10.0)])
def test_numbers_are_read_as_people_write_them(
    at_start: tuple[LessonPlayer, PlainClassroom, Clock], text: str, number: float
) -> None:
    player, _classroom, _clock = at_start
    player.forward()
    player.predict(text)
    assert player.answers == {"left": number}


def test_an_answer_that_comes_late_belongs_to_nothing(
    at_start: tuple[LessonPlayer, PlainClassroom, Clock],
) -> None:
    player, classroom, _clock = at_start
    at_measure(player, classroom)
    player.back()
    classroom.answers[-1]({"clusters": 41})
    assert player.measured == {}
    assert player.step.title == "Do"


def test_a_measurement_has_the_error_that_its_run_has(tmp_path: Path) -> None:
    text = LESSON.replace('name = "Clusters"', 'name = "Clusters"\nerror = "spread"')
    player, classroom, _clock = player_of(found(tmp_path, text))
    at_measure(player, classroom)
    classroom.answers[-1]({"clusters": 41, "spread": 2.0})
    assert player.found_here == Measurement(41.0, 2.0)
    player.measure()
    classroom.answers[-1]({"clusters": 41, "spread": None})
    assert player.complete
    assert player.found_here == Measurement(41.0, pytest.approx(float("nan"), nan_ok=True))


def test_a_failed_measurement_gives_its_reason_and_can_be_skipped(
    at_start: tuple[LessonPlayer, PlainClassroom, Clock],
) -> None:
    player, classroom, _clock = at_start
    at_measure(player, classroom)
    classroom.answers[-1](InputError("there is no simulation"))
    assert player.problem == "there is no simulation"
    assert not player.complete
    player.measure()
    assert player.problem == ""
    classroom.answers[-1]({})
    assert "clusters" in player.cause, "for who wrote the lesson"
    assert "clusters" not in player.problem, "learners do not know the names of quantities"
    assert player.problem.startswith("the run is too short")
    player.skip()
    assert player.last


def test_back_from_another_run_puts_the_earlier_one_in_place_where_no_page_could_be_kept(tmp_path: Path) -> None:
    player, classroom, _clock = player_of(found(tmp_path), keeps=False)
    for _ in range(4):
        player.skip()
    assert player.last
    before = len(classroom.put_in_place)
    player.back()
    put = classroom.put_in_place[before:]
    assert [setting.scenario for setting in put] == ["lattice-100", None]
    assert put[1].speed == 3.0


def test_a_lesson_continues_at_the_step_where_it_was_left(
    tmp_path: Path, at_start: tuple[LessonPlayer, PlainClassroom, Clock]
) -> None:
    player, classroom, _clock = at_start
    at_measure(player, classroom)
    classroom.answers[-1]({"clusters": 41})
    plain = json.loads(json.dumps(player.to_plain()))
    again, other, _ = player_of(found(tmp_path))
    other.put_in_place.clear()
    again.take_plain(plain)
    again.begin(again.number)
    assert (again.step.title, [page for page, _ in other.returned]) == ("Measure", [3])
    assert again.answers == {"left": 40.0}
    assert again.found_here is not None
    assert again.found_here.value == 41.0
    assert again.remembered == {"scale": 1.0}
    lost, _, _ = player_of(found(tmp_path), keeps=False)
    lost.take_plain(plain)
    lost.begin(lost.number)
    assert (lost.step.title, lost.complete) == ("Do", False), "without its picture: where that is made"


def run_through(player: LessonPlayer, classroom: PlainClassroom) -> None:
    """Do everything up to the last step."""
    at_measure(player, classroom)
    classroom.answers[-1]({"clusters": 41})
    player.forward()
    assert player.last


def test_back_shows_each_page_with_the_picture_that_it_had_and_so_does_forward_again(
    at_start: tuple[LessonPlayer, PlainClassroom, Clock],
) -> None:
    player, classroom, _clock = at_start
    run_through(player, classroom)
    assert classroom.pages == [0, 1, 2, 3, 4]
    put, measured = len(classroom.put_in_place), len(classroom.answers)
    for _ in range(4):
        player.back()
    assert [page for page, _ in classroom.returned] == [3, 2, 1, 0]
    assert player.done == {1, 2, 3}, "what was done stays done"
    for _ in range(4):
        player.forward()
    assert [page for page, _ in classroom.returned][4:] == [1, 2, 3, 4]
    assert (len(classroom.put_in_place), len(classroom.answers)) == (put, measured), "nothing is done anew"
    assert len(classroom.pages) == 5


def test_in_class_a_press_does_the_task_of_a_page_once_more_that_was_gone_back_to(
    at_start: tuple[LessonPlayer, PlainClassroom, Clock],
) -> None:
    player, classroom, _clock = at_start
    player.in_class = True
    run_through(player, classroom)
    player.back()
    player.back()
    player.check_progress()
    assert 3 in player.measured, "the picture of before is still there: nothing was done again"
    classroom.seen = held(0.0)
    player.check_progress()
    assert (player.press, player.complete) == ("run", True)
    player.advance()
    assert classroom.runs == 1
    classroom.seen = situation(Status(state="running", time=1.0))
    player.check_progress()
    assert player.press == "next", "whoever does not want to wait goes on to the kept picture"
    classroom.seen = held(2.5)
    player.check_progress()
    assert player.kept == {0, 1, 2, 4}, "what followed belongs to another run"
    player.advance()
    assert player.step.title == "Measure"
    assert (player.busy, 3 in player.measured) == (0.0, False), "it is another run: measured anew"
    assert [page for page, _ in classroom.returned] == [3, 2], "and its picture is that of this run"


def test_a_task_whose_outcome_no_later_page_holds_is_open_again_when_its_page_is_shown_again(
    at_start: tuple[LessonPlayer, PlainClassroom, Clock],
) -> None:
    player, classroom, _clock = at_start
    player.forward()
    player.predict("40")
    player.forward()
    classroom.seen = held(2.5)
    player.check_progress()
    player.back()
    player.forward()
    assert (player.step.title, player.complete) == ("Do", False), "its run is as it was before the task"
    assert classroom.returned[-1][0] == 2


@pytest.mark.parametrize(
    "change",
    [
        {"steps": 9},
        {"step": 99},
        {"studies": 3},
        {"answers": {"gone": 1}},
        {"answers": 3},
        {"done": ["x"]},
        {"measured": {"1": 3}},
    ],
)
def test_a_lesson_with_damaged_saved_progress_begins_anew(
    tmp_path: Path, at_start: tuple[LessonPlayer, PlainClassroom, Clock], change: dict[str, object]
) -> None:
    player, _classroom, _clock = at_start
    player.forward()
    player.predict("40")
    plain = player.to_plain() | change
    again, _, _ = player_of(found(tmp_path))
    again.take_plain(plain)
    again.take_plain(None)
    assert (again.number, again.answers) == (0, {})


def test_a_measurement_after_a_skipped_task_does_not_start_by_itself(
    at_start: tuple[LessonPlayer, PlainClassroom, Clock],
) -> None:
    player, classroom, _clock = at_start
    for _ in range(3):
        player.skip()
    assert player.step.title == "Measure"
    assert player.problem == "“Do” was skipped"
    assert classroom.answers == []
    player.measure()
    classroom.answers[-1]({"clusters": 90})
    assert player.complete, "whoever wants to can measure all the same"
    player.back()
    classroom.seen = held(2.5)
    player.check_progress()
    player.forward()
    assert len(classroom.answers) == 2, "the run has gone on since: what was measured before is forgotten"


ANOTHER_TASK = """
[[step]]
title = "Do more"
[step.set]
hold = { time = 4.0 }
[step.do]
what = "Run on."
when = { time = ">= 4", state = "held" }
hint = "Space."

[[step]]
title = "Measure again"
[step.measure]
value = "clusters"
name = "Clusters"

[[step]]
title = "Another"
"""


@pytest.fixture
def longer(tmp_path: Path) -> tuple[LessonPlayer, PlainClassroom]:
    """A lesson with two tasks in one run, whose first was skipped."""
    text = LESSON.replace('\n[[step]]\ntitle = "Another"\n', ANOTHER_TASK)
    player, classroom, _clock = player_of(found(tmp_path, text))
    for _ in range(3):
        player.skip()
    assert (player.step.title, player.problem) == ("Measure", "“Do” was skipped")
    return player, classroom


def test_a_skipped_task_is_done_when_its_run_gets_there(longer: tuple[LessonPlayer, PlainClassroom]) -> None:
    player, classroom = longer
    classroom.seen = held(1.0)
    player.check_progress()
    assert classroom.answers == []
    classroom.seen = held(2.0)
    player.check_progress()
    assert player.problem == ""
    classroom.answers[-1]({"clusters": 41})
    assert player.found_here is not None
    assert player.skipped == {1}, "the question only"
    assert classroom.fresh == [True, True, True, False], "events are counted on for the task that is open"


def test_what_follows_a_skipped_task_that_changes_only_what_is_shown_is_measured(tmp_path: Path) -> None:
    text = LESSON.replace('time = ">= 2", state = "held"', 'changed = "turn"')
    player, classroom, _clock = player_of(found(tmp_path, text))
    for _ in range(3):
        player.skip()
    assert (player.step.title, player.problem, len(classroom.answers)) == ("Measure", "", 1)


def test_going_back_to_a_skipped_task_heals_what_follows(longer: tuple[LessonPlayer, PlainClassroom]) -> None:
    player, classroom = longer
    player.skip()
    classroom.seen = held(4.0)
    player.check_progress()
    player.forward()
    classroom.answers[-1]({"clusters": 20})
    player.back()
    assert player.complete
    classroom.seen = held(0.0)
    player.back()
    player.back()
    assert [page for page, _ in classroom.returned] == [4, 3, 2]
    player.check_progress()
    assert (player.step.title, player.complete) == ("Do", False)
    classroom.seen = held(2.0)
    player.check_progress()
    player.forward()
    classroom.answers[-1]({"clusters": 41})
    player.forward()
    assert (player.step.title, player.complete) == ("Do more", False), "it belongs to the run that was there before"
    classroom.seen = held(4.0)
    player.check_progress()
    player.forward()
    assert player.busy == 0.0, "what was measured in the run before is forgotten"


def test_a_lesson_that_was_finished_begins_clean(
    tmp_path: Path, at_start: tuple[LessonPlayer, PlainClassroom, Clock]
) -> None:
    player, classroom, _clock = at_start
    at_measure(player, classroom)
    classroom.answers[-1]({"clusters": 41})
    in_the_middle = json.loads(json.dumps(player.to_plain()))
    player.forward()
    assert player.last
    again, _, _ = player_of(found(tmp_path))
    again.take_plain(json.loads(json.dumps(player.to_plain())))
    assert (again.number, again.answers, again.measured, again.done) == (0, {}, {}, set())
    assert again.finished, "it keeps its tick"
    assert again.to_plain()["finished"]
    again.take_plain(in_the_middle)
    assert (again.number, again.answers) == (3, {"left": 40.0})
    ends_with_a_task = LESSON[: LESSON.rindex("[[step]]")]
    skipped, _, _ = player_of(found(tmp_path, ends_with_a_task))
    while not skipped.ended:
        skipped.skip()
    once_more, _, _ = player_of(found(tmp_path, ends_with_a_task))
    once_more.take_plain(skipped.to_plain())
    assert (once_more.number, once_more.skipped) == (0, set()), "its last page was seen, whatever was skipped"
