"""The mode inside one step: the bar, the keys, the clock, coming in and going out."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from aggviewer.session.step.story import StepStory
from aggviewer.window.step_view.bar import StepBar
from aggviewer.window.step_view.mode import ONE_CLUSTER, SEARCHING
from tests.window.conftest import PATIENCE
from tests.window.inside_stage import Stage, press, simulation
from tests.window.inside_stage import colliding as colliding
from tests.window.inside_stage import shown as shown
from tests.window.inside_stage import stage as stage


def test_entering_asks_for_a_step_and_waits(stage: Stage) -> None:
    assert stage.inside.active
    assert stage.asked == [None]
    bar = stage.inside.bar
    assert bar.isVisible()
    assert bar.reading.text.text() == SEARCHING
    assert bar.leave.isEnabled()
    assert not any(button.isEnabled() for button in (bar.run_button, *bar.buttons.values()))
    assert not bar.next_step.isEnabled()


def test_a_step_plays_to_its_end_tick_by_tick_and_starts_again(
    stage: Stage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, colliding: StepStory
) -> None:
    ticks: list[int] = []
    show_frame = stage.inside.bar.show_frame
    monkeypatch.setattr(
        stage.inside.bar, "show_frame", lambda tick, frame: (ticks.append(tick), show_frame(tick, frame))
    )
    stage.inside.bar.speed.number = 60.0
    stage.inside.show(colliding)
    assert stage.inside.playing
    qtbot.waitUntil(lambda: not stage.inside.playing, timeout=PATIENCE)
    assert ticks == list(range(colliding.last + 1))
    stage.inside.toggle()
    assert stage.inside.tick == 0
    assert stage.inside.playing
    stage.inside.toggle()
    assert not stage.inside.playing


def test_the_speed_is_that_of_the_clock(shown: Stage) -> None:
    shown.inside.bar.speed.number = 5.0
    assert shown.inside.player.pace == 5.0
    assert shown.inside.bar.value.text() == "5 /s"


def test_the_keys_of_the_mode_go_to_it_and_come_back_afterwards(shown: Stage, colliding: StepStory) -> None:
    inside = shown.inside
    shown.canvas.setFocus()
    press(shown, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left)
    assert inside.tick == 1
    press(shown, Qt.Key.Key_End)
    assert inside.tick == colliding.last
    press(shown, Qt.Key.Key_Home)
    assert inside.tick == 0
    press(shown, Qt.Key.Key_Left)
    assert inside.tick == 0
    press(shown, Qt.Key.Key_Space)
    assert inside.playing
    press(shown, Qt.Key.Key_Space)
    assert not inside.playing
    assert shown.commands == []
    press(shown, Qt.Key.Key_Escape)
    assert not inside.active
    assert shown.left == [True]
    assert shown.commands == []
    press(shown, Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_Escape)
    assert shown.commands == ["Space", "Right", "Home", "Escape"]


def test_fields_and_sliders_keep_their_keys(shown: Stage) -> None:
    shown.field.setFocus()
    press(shown, Qt.Key.Key_A, Qt.Key.Key_Space, Qt.Key.Key_B, Qt.Key.Key_Home)
    assert shown.field.text() == "a b"
    assert shown.field.cursorPosition() == 0
    assert not shown.inside.playing
    shown.slider.setFocus()
    press(shown, Qt.Key.Key_Up, Qt.Key.Key_Up)
    assert shown.slider.value() == 2
    press(shown, Qt.Key.Key_End)
    assert shown.commands == ["End"]  # left to the window
    assert shown.inside.tick == 0


def test_return_presses_a_button_that_has_the_focus(shown: Stage) -> None:
    button = shown.inside.bar.buttons["forward"]
    button.setFocus()
    press(shown, Qt.Key.Key_Return)
    assert shown.inside.tick == 1


def shown_at(bar: StepBar) -> float:
    """The tick at which the line stands."""
    assert bar.timeline.timeline is not None
    return bar.timeline.timeline.shown


def test_buttons_and_slider_move_through_the_step(shown: Stage, qtbot: QtBot, colliding: StepStory) -> None:
    bar, inside = shown.inside.bar, shown.inside
    left = Qt.MouseButton.LeftButton
    qtbot.mouseClick(bar.buttons["last"], left)
    assert inside.tick == shown_at(bar) == colliding.last
    assert not bar.buttons["forward"].isEnabled()
    qtbot.mouseClick(bar.buttons["back"], left)
    assert inside.tick == colliding.last - 1
    qtbot.mouseClick(bar.buttons["first"], left)
    assert inside.tick == shown_at(bar) == 0
    assert not bar.buttons["back"].isEnabled()
    bar.timeline.asked.emit(17.0)
    assert inside.tick == 17
    qtbot.mouseClick(bar.run_button, left)
    assert inside.playing
    bar.timeline.asked.emit(40.0)
    assert not inside.playing
    qtbot.mouseClick(bar.timeline, left, pos=bar.timeline.rect().center())
    assert inside.tick == pytest.approx(colliding.last / 2, abs=2)


def test_a_click_on_a_chapter_goes_to_its_start(shown: Stage, qtbot: QtBot, colliding: StepStory) -> None:
    bar = shown.inside.bar
    assert [button.text() for button in bar.strip.buttons] == [chapter.title for chapter in colliding.chapters]
    for chapter, button in zip(colliding.chapters, bar.strip.buttons, strict=True):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert shown.inside.tick == chapter.first
        assert [other.isChecked() for other in bar.strip.buttons] == [other is button for other in bar.strip.buttons]
        assert bar.reading.text.text() == colliding.at(chapter.first).text
    qtbot.mouseClick(bar.strip.buttons[-1], Qt.MouseButton.LeftButton)
    assert bar.strip.buttons[-1].isChecked()  # a second click does not switch it off


def test_collisions_are_gone_through_in_both_directions(shown: Stage, qtbot: QtBot, colliding: StepStory) -> None:
    bar, canvas = shown.inside.bar, shown.canvas
    count = len(colliding.places)
    assert count > 3
    canvas.set_view_rect(0.0, 0.0, *(0.01 * colliding.box).tolist())
    shown.inside.show(colliding)
    assert bar.place.text() == f"Collision 1 of {count}"
    for name, k in (("next", 1), ("next", 2), ("previous", 1), ("previous", 0), ("previous", count - 1), ("next", 0)):
        qtbot.mouseClick(bar.buttons[f"{name}_place"], Qt.MouseButton.LeftButton)
        assert bar.place.text() == f"Collision {k + 1} of {count}"
        assert canvas.camera.middle == pytest.approx(colliding.places[k].middle)
        left, bottom, width, height = canvas.camera.rect
        place = colliding.places[k]
        assert left <= place.x + 1e-9
        assert left + width >= place.x + place.width - 1e-9
        assert bottom <= place.y + 1e-9
        assert bottom + height >= place.y + place.height - 1e-9


def test_the_next_step_is_the_one_after_the_end_of_this_one(shown: Stage, qtbot: QtBot, colliding: StepStory) -> None:
    qtbot.mouseClick(shown.inside.bar.next_step, Qt.MouseButton.LeftButton)
    end = colliding.trace.time + colliding.trace.dt
    assert shown.asked == [None, end]
    made = simulation()
    made.advance(end)
    assert made.time == end
    assert made.trace_step().time == end


def test_leaving_takes_everything_away(shown: Stage) -> None:
    shown.inside.toggle()
    shown.inside.leave()
    assert not shown.inside.playing
    assert shown.inside.bar.isHidden()
    assert shown.canvas.scene.data("steps") is None
    assert shown.left == [True]
    shown.inside.leave()
    assert shown.left == [True]


def test_a_step_that_comes_after_leaving_is_not_shown(stage: Stage, colliding: StepStory) -> None:
    stage.inside.leave()
    stage.inside.show(colliding)
    stage.inside.refuse(ONE_CLUSTER)
    assert stage.canvas.scene.data("steps") is None
    assert not stage.canvas.scene.shown
    assert stage.inside.bar.isHidden()
