"""The film of a lesson: steps are played by themselves, and what stands in it is what the runs give."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest
from PyQt6.QtGui import QImage
from pytestqt.qtbot import QtBot

from aggviewer.canvas.qt_images import from_qimage
from aggviewer.lessons.conditions import CONDITIONS
from aggviewer.lessons.film.caption import Caption, told_of
from aggviewer.lessons.film.demonstration import Demonstration
from aggviewer.lessons.film.film import LessonFilm, write_lesson_film
from aggviewer.lessons.model import Step
from aggviewer.lessons.player import LessonPlayer
from aggviewer.lessons.source import Found, find_lesson, read_lesson
from aggviewer.session import TakenOut
from aggviewer.style.theme import DARK
from engine.errors import InputError

SHORT = """
format = 1
title = "Short"
summary = "A film of it is soon made."
minutes = 1

[[step]]
title = "Discs"
say = "They fly."
[step.set]
scenario = "lattice-100"
values = { seed = 2 }
plots = []

[[step]]
title = "How many?"
[step.predict]
id = "left"
ask = "**How many** are left?"
choices = [{ text = "Many", when = ">= 50" }, { text = "Few", when = "< 50" }]

[[step]]
title = "Run"
[step.set]
hold = { time = 2.0 }
plots = ["coarsening"]
[step.do]
what = "Run it."
when = { time = ">= 2", state = "held" }
hint = "Space."

[[step]]
title = "Counted"
explain = "So it is."
[step.measure]
of = "left"
value = "clusters"
name = "Clusters"
"""


def lesson(folder: Path, text: str = SHORT) -> Found:
    """The lesson of a text."""
    (folder / "lesson.toml").write_text(text, encoding="utf-8")
    return read_lesson(folder / "lesson.toml")


def demonstration(folder: Path) -> Demonstration:
    """Somebody who shows a lesson."""
    return Demonstration(folder, lambda done, total, what: None)


def played(found: Found, folder: Path) -> tuple[LessonPlayer, Demonstration]:
    """A lesson after all its steps, without pictures."""
    shown = demonstration(folder)
    player = LessonPlayer(found, shown, lambda: 0.0)
    player.begin()
    for number, step in enumerate(found.lesson.step):
        if number:
            player.skip()
        if step.do is not None:
            for _ in shown.show(tuple(step.do.conditions()), 3):
                pass
            player.look()
            assert player.complete, step.title
        assert not player.problem, f"{step.title}: {player.problem}"
    return player, shown


@pytest.mark.parametrize("name", ["two-four-many"])
def test_a_lesson_that_plays_itself_measures_what_it_expects(name: str, tmp_path: Path, qtbot: QtBot) -> None:
    found = find_lesson(name)
    player, _ = played(found, tmp_path)
    for number, step in enumerate(found.lesson.step):
        if step.measure is not None and step.measure.expected is not None:
            assert abs(player.measured[number].value - step.measure.expected) <= step.measure.within, step.title


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["dust-to-cluster", "fractal", "exact-or-steps", "gas-forgets", "losing-energy", "stuck"]
)
def test_other_lessons_play_themselves_too(name: str, tmp_path: Path, qtbot: QtBot) -> None:
    test_a_lesson_that_plays_itself_measures_what_it_expects(name, tmp_path, qtbot)


@pytest.mark.parametrize(
    ("when", "time", "clusters", "events"),
    [
        ("time = '>= 1.5'", 1.5, None, None),
        ("clusters = '<= 80'", None, 80, None),
        ("events = '>= 10'", None, None, 10),
    ],
)
def test_a_run_goes_as_far_as_the_task_asks(
    tmp_path: Path, qtbot: QtBot, when: str, time: float | None, clusters: int | None, events: int | None
) -> None:
    text = SHORT.replace("hold = { time = 2.0 }\n", "").replace('time = ">= 2", state = "held"', when)
    _, shown = played(lesson(tmp_path, text), tmp_path)
    (run,) = shown.runs
    assert time is None or run.progress.time == time
    assert clusters is None or run.progress.clusters == clusters
    assert events is None or run.progress.happened == events


def test_a_run_goes_on_to_where_it_is_held_and_past_it_in_the_next_task(tmp_path: Path, qtbot: QtBot) -> None:
    first = SHORT.replace('time = ">= 2", state = "held"', 'events = ">= 1", state = "held"')
    _, shown = played(lesson(tmp_path, first), tmp_path)
    assert shown.runs[0].progress.time == 2.0
    on = '[[step]]\ntitle = "On"\n[step.do]\nwhat = "Go on."\nwhen = { clusters = "<= 10" }\nhint = "Space."\n'
    _, shown = played(lesson(tmp_path, first + on), tmp_path)
    assert shown.runs[0].progress.clusters == 10


def test_values_and_views_that_a_task_asks_for_are_set(tmp_path: Path, qtbot: QtBot) -> None:
    when = 'values = { "discs.count" = "<= 64" }, view = { color_by = "speed" }, time = ">= 2", state = "held"'
    _, shown = played(lesson(tmp_path, SHORT.replace('time = ">= 2", state = "held"', when)), tmp_path)
    assert shown.runs[0].scenario.value("discs.count") == 64
    assert shown.runs[0].simulation.count == 64
    assert shown.view.color_by == "speed"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('time = ">= 2", state = "held"', "own = { 'ball.event' = '>= 1' }", "takes a person at the window"),
        ('time = ">= 2", state = "held"', "command = 'view.fit'", "takes a person at the window"),
        ('time = ">= 2", state = "held"', "time = '>= 9'", "is not done by letting it run"),
        ('time = ">= 2", state = "held"', "values = { 'discs.count' = '< 64' }", "which discs.count is to be set"),
        ("hold = { time = 2.0 }\n", "commands = ['view.bouncing_ball']\n", "needs the command view.bouncing_ball"),
    ],
)
def test_what_needs_a_person_is_told_with_its_step(
    tmp_path: Path, qtbot: QtBot, old: str, new: str, words: str
) -> None:
    assert old in SHORT
    found = lesson(tmp_path, SHORT.replace(old, new))
    path = tmp_path / "film.mp4"
    with pytest.raises(InputError, match="step 3, Run, cannot be shown in a film: .*" + words):
        write_lesson_film(found, path, size=(320, 180), fps=2.0)
    assert not path.exists(), "a film is complete or not there"


PACKING = """
format = 1
title = "Packing"
summary = "A disc is taken out."
minutes = 1

[[step]]
title = "Packing"
say = "It holds."
[step.set]
scenario = "packing.toml"
run = true

[[step]]
title = "Take out"
[step.do]
what = "Take a disc out."
when = { taken_out = "rattler", state = "finished" }
hint = "Click."
"""


@pytest.mark.parametrize(("which", "held", "rounds"), [("rattler", 0, range(2)), ("held", 1, range(2, 100))])
def test_a_disc_is_taken_out_of_a_packing(tmp_path: Path, qtbot: QtBot, which: str, held: int, rounds: range) -> None:
    for file in (find_lesson("stuck").folder).glob("packing.*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (states := tmp_path / "states").mkdir()
    _, shown = played(lesson(tmp_path, PACKING.replace('"rattler"', f'"{which}"')), states)
    assert shown.situation().taken_out == TakenOut(1, held)
    (run,) = shown.runs
    assert run.simulation.count == 149
    assert run.progress.time in rounds


def test_a_disc_of_a_gas_cannot_be_taken_out(tmp_path: Path, qtbot: QtBot) -> None:
    found = lesson(tmp_path, SHORT.replace('time = ">= 2", state = "held"', "taken_out = 'held'"))
    with pytest.raises(InputError, match="the contacts of these discs are not known"):
        write_lesson_film(found, tmp_path / "film.mp4", size=(320, 180), fps=2.0)


def test_all_conditions_say_whether_they_can_be_brought_about() -> None:
    refused = {name for name, kind in CONDITIONS.items() if "bring_about" not in vars(kind)}
    assert refused == {"iterations", "command", "plot", "past", "own"}


def test_a_film_has_caption_picture_and_plot(tmp_path: Path, qtbot: QtBot) -> None:
    found, path = lesson(tmp_path), tmp_path / "film.mp4"
    told: list[str] = []
    seconds = write_lesson_film(found, path, lambda done, total, title: told.append(title), size=(640, 360), fps=4.0)
    assert told == [*(step.title for step in found.lesson.step), ""]
    with av.open(str(path)) as film:
        frames = [frame.to_ndarray(format="rgb24").astype(int) for frame in film.decode(video=0)]
    assert len(frames) == round(4.0 * seconds)
    assert frames[0].shape == (360, 640, 3)
    first, last = frames[0], frames[-1]
    left, right = slice(0, 200), slice(640 - 160, 640)
    assert (first[:, left].max(axis=2) > 180).sum() > 100, "there is text"
    changed = np.abs(last - first).max(axis=2) > 60
    assert changed[:, left].any()
    assert changed[:, 210:460].any(), "the discs have moved"
    assert (last[:, right].max(axis=2) > 120).sum() > 300, "the plot is there"


def test_an_answer_is_told_when_it_has_been_measured_and_not_before(tmp_path: Path, qtbot: QtBot) -> None:
    found = lesson(tmp_path)
    player, _ = played(found, tmp_path)
    asked, measured = found.lesson.step[1], found.lesson.step[3]
    assert told_of(asked, player.question, None) == ""
    words = told_of(measured, found.lesson.predictions["left"], player.measured[3])
    assert words.startswith("Clusters: **")
    assert ("Many" in words) == (player.measured[3].value >= 50)


def test_a_long_text_is_made_smaller_until_it_fits(qtbot: QtBot, tmp_path: Path) -> None:
    caption = Caption((300, 400), tmp_path, DARK)

    def last_row(words: int) -> int:
        step = Step(title="Long", say="many words " * words)
        image = caption.paint(1, 1, step, "", "", explain=True)
        assert isinstance(image, QImage)
        rows = np.flatnonzero((from_qimage(image)[:394, :, :3].max(axis=2) > 150).any(axis=1))
        return int(rows[-1])

    assert last_row(5) < 200
    assert last_row(110) < 392, "it would go beyond the foot in its usual size"


@pytest.mark.parametrize("name", ["film.gif", "film", "film.txt"])
def test_other_endings_are_refused(tmp_path: Path, qtbot: QtBot, name: str) -> None:
    with pytest.raises(InputError, match=r"must end in"):
        write_lesson_film(lesson(tmp_path), tmp_path / name)


def test_frames_of_one_film_have_its_size(tmp_path: Path, qtbot: QtBot) -> None:
    film = LessonFilm(lesson(tmp_path), (320, 180), 1.0, demonstration(tmp_path))
    sizes = {(image.width(), image.height()) for image in film.frames(lambda done, total, title: None)}
    assert sizes == {(320, 180)}
