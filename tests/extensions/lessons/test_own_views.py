"""Views that lessons bring: made once, in a window or in the place of the picture, and told to lessons while seen."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from aggviewer.extensions.lessons.classroom import OwnViews
from aggviewer.style.theme import WindowTheme

if TYPE_CHECKING:
    from aggviewer.widgets.part import Context


@pytest.fixture
def views(qtbot: QtBot) -> Iterator[OwnViews]:
    """Those of a window."""
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    made = OwnViews(cast("Context", SimpleNamespace(window=window, theme=WindowTheme(window))))
    yield made
    made.show_in_place(None)
    made.close()


def test_a_view_is_made_when_it_is_first_opened_and_once(views: OwnViews) -> None:
    assert views.ball is None
    assert views.numbers() == {}
    views.open_ball()
    first = views.ball
    assert first is not None
    assert first.isWindow()
    assert first.isVisible()
    assert views.numbers()["ball.event"] == 0.0
    views.close()
    assert views.numbers() == {}, "what is not seen tells nothing"
    views.open_ball()
    assert views.ball is first


def test_in_a_lesson_it_stands_in_the_place_of_the_picture_and_afterwards_in_a_window(views: OwnViews) -> None:
    host = QWidget(views._parent)
    host.show()
    shown: list[QWidget | None] = []

    def show(widget: QWidget | None) -> None:
        shown.append(widget)
        if widget is not None:
            widget.setParent(host)

    views.show_in_place(show)
    views.open_ball()
    ball = views.ball
    assert ball is not None
    assert shown == [ball]
    assert not ball.isWindow()
    large = ball.font().pointSizeF()
    views.show_in_place(None)
    assert shown == [ball, None], "the picture is there again"
    assert not ball.isVisible()
    views.open_ball()
    assert ball.isWindow()
    assert ball.isVisible()
    assert ball.font().pointSizeF() < large, "beside a lesson the type is larger"


def test_beside_a_lesson_it_does_not_tell_how_it_ends_before_that_is_seen(views: OwnViews) -> None:
    views.show_in_place(lambda widget: None)
    views.open_ball()
    ball = views.ball
    assert ball is not None
    ball.steps.go_to(5)
    assert ball.transport.time.text() == "Event 5", "how many there are is what the learner foretells"
    assert "ulp" not in ball.words.text(), "why it ends is told when it has"
    ball.steps.move("last")
    assert ball.transport.time.text() == f"Event {ball.story.last} of {ball.story.last}"
    assert "fell through" in ball.words.text()
    ball.steps.go_to(5)
    assert ball.transport.time.text() == f"Event 5 of {ball.story.last}", "now it may be told"
    views.show_in_place(None)
    views.open_ball()
    ball.steps.go_to(0)
    assert ball.transport.time.text() == f"Event 0 of {ball.story.last}", "in a window of its own nothing is asked"
