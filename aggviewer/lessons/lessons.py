"""The lessons: windows of their own, which are made when they are first opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QWidget

from aggviewer.style.theme import WindowTheme
from aggviewer.widgets.command import Command, Entry, Place, Submenu

if TYPE_CHECKING:
    from aggviewer.lessons.bouncing_ball.lesson import BallLesson


class Lessons:
    """Opens the lessons, has them follow the program's theme, and closes them with the program.

    Parameters
    ----------
    parent : the program's window.
    theme : the theme that they follow.
    """

    def __init__(self, parent: QWidget, theme: WindowTheme) -> None:
        self._parent = parent
        self._theme = theme
        self.ball: BallLesson | None = None
        theme.changed.connect(self._on_theme)

    def commands(self) -> Iterator[Entry]:
        """The menu of the lessons, and a command for each."""
        menu = Submenu("Lessons", Place("Help", 2, 1))
        yield menu
        yield Command(
            "lesson.bouncing_ball",
            "Bouncing ball in floating point",
            self.open_ball,
            tooltip="Naive and stable event detection side by side, to the last digit",
            icon="mdi6.school-outline",
            menu=Place(menu.path, 1, 1),
        )

    def open_ball(self) -> None:
        """Show the lesson about the bouncing ball in front."""
        if self.ball is None:
            # imported here, because its modules are not needed before
            from aggviewer.lessons.bouncing_ball.lesson import BallLesson

            self.ball = BallLesson(self._parent)
            self.ball.set_dark(self._theme.dark)
        self.ball.show()
        self.ball.raise_()
        self.ball.activateWindow()

    def close(self) -> None:
        """Close all lessons."""
        if self.ball is not None:
            self.ball.close()

    def _on_theme(self, dark: bool) -> None:
        if self.ball is not None:
            self.ball.set_dark(dark)
