"""The lessons: windows beside the program's own, made when they are opened first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QWidget

from aggviewer.style.theme import WindowTheme

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


LESSONS: dict[str, tuple[str, str, Callable[[Lessons], None]]] = {
    "lesson.bouncing_ball": (
        "Bouncing ball in floating point",
        "Naive and stable event detection side by side, to the last digit",
        Lessons.open_ball,
    ),
}
"""Command to its text, its tooltip and what it opens."""
