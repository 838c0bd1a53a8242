"""The lessons: windows beside the program's own, made when they are opened first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QWidget

from aggviewer.style.theme import WindowTheme
from aggviewer.widgets.command import Command, Entry, Place, Submenu

if TYPE_CHECKING:
    from aggviewer.lessons.bouncing_ball.lesson import BallLesson


class Lessons:
    """Opens them; they follow the theme of the program and are closed with it.

    parent : the program's window.
    """

    def __init__(self, parent: QWidget, theme: WindowTheme) -> None:
        self._parent = parent
        self._theme = theme
        self.ball: BallLesson | None = None
        theme.changed.connect(self._on_theme)

    def commands(self) -> Iterator[Entry]:
        """One for each lesson."""
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
        """The bouncing ball, in front."""
        if self.ball is None:
            # its modules are not needed before
            from aggviewer.lessons.bouncing_ball.lesson import BallLesson

            self.ball = BallLesson(self._parent)
            self.ball.set_dark(self._theme.dark)
        self.ball.show()
        self.ball.raise_()
        self.ball.activateWindow()

    def close(self) -> None:
        """Close all of them."""
        if self.ball is not None:
            self.ball.close()

    def _on_theme(self, dark: bool) -> None:
        if self.ball is not None:
            self.ball.set_dark(dark)
