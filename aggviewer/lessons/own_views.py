"""Views that lessons bring: windows of their own, which are made when they are first opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QWidget

from aggviewer.style.theme import WindowTheme
from aggviewer.widgets.command import Command, Place

if TYPE_CHECKING:
    from aggviewer.lessons.bouncing_ball.lesson import BallLesson


class OwnViews:
    """Opens the views that lessons bring, has them follow the program's theme, and closes them with the program.

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

    def commands(self) -> Iterator[Command]:
        """A command for each."""
        yield Command(
            "view.bouncing_ball",
            "Bouncing ball in floating point",
            self.open_ball,
            tooltip="Naive and stable event detection side by side, to the last digit",
            menu=Place("Help/Lessons", 3, 1),
        )

    def numbers(self) -> Mapping[str, float]:
        """What those that are open tell to lessons."""
        ball = self.ball
        return {} if ball is None or not ball.isVisible() else ball.numbers()

    def open_ball(self) -> None:
        """Show the bouncing ball in front."""
        if self.ball is None:
            # imported here, because its modules are not needed before
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

    def _on_theme(self) -> None:
        if self.ball is not None:
            self.ball.set_dark(self._theme.dark)
