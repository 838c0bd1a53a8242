"""Lessons: step by step in the window, with the presenter mode, counted answers, and the bouncing ball."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aggviewer.widgets.part import Context, Part
    from engine.plugins import PlugPoints

PLUG_POINTS = 1


def register(points: PlugPoints) -> None:
    """Add the parts of the window, each of which uses those before it, and the command ``aggviewer lesson``."""
    points.part("own_views", _own_views)
    points.part("classroom", _classroom)
    points.part("lessons", _lessons)
    points.part("presenter_bar", _presenter_bar)
    points.part("presenter_tools", _presenter_tools)
    points.part("presenter", _presenter)
    points.subcommand("lesson", _subcommand)


def _own_views(context: Context) -> Part:
    from aggviewer.extensions.lessons.classroom import OwnViews

    return OwnViews(context)


def _classroom(context: Context) -> Part:
    from aggviewer.extensions.lessons.classroom import WindowClassroom

    return WindowClassroom(context)


def _lessons(context: Context) -> Part:
    from aggviewer.extensions.lessons.lessons import Lessons

    return Lessons(context)


def _presenter_bar(context: Context) -> Part:
    from aggviewer.extensions.lessons.presenting.tools import PresenterBar

    return PresenterBar(context)


def _presenter_tools(context: Context) -> Part:
    from aggviewer.extensions.lessons.presenting.tools import PresenterTools

    return PresenterTools(context)


def _presenter(context: Context) -> Part:
    from aggviewer.extensions.lessons.presenting.presenter import Presenter

    return Presenter(context)


def _subcommand() -> Callable[..., int]:
    from aggviewer.extensions.lessons.command_line import lesson

    return lesson
