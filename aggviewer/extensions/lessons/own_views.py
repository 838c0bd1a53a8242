"""Views of lessons, made when they are first opened: as separate windows or, in a lesson, in place of the picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part

if TYPE_CHECKING:
    from aggviewer.extensions.lessons.bouncing_ball.lesson import BallLesson


class OwnViews(Part):
    """Opens the views of lessons, applies the theme to them, and closes them with the program."""

    def __init__(self, context: Context) -> None:
        self._parent = context.window
        self._theme = theme = context.theme
        self.ball: BallLesson | None = None
        self._stand_in: Callable[[QWidget | None], None] | None = None
        theme.changed.connect(self._on_theme)

    def commands(self) -> Iterator[Command]:
        """A command for each."""
        yield Command(
            "view.bouncing_ball",
            "Bouncing ball in floating point",
            self.open_ball,
            tooltip="Naive and stable event detection side by side, to the last digit",
            menu=Place("Learn", 3, 1),
        )

    def numbers(self) -> Mapping[str, float]:
        """The numbers of open views, for lessons."""
        ball = self.ball
        return {} if ball is None or not ball.isVisible() else ball.numbers()

    def open_ball(self) -> None:
        """Open the bouncing ball in front."""
        if self.ball is None:
            # imported here because its modules are not needed before
            from aggviewer.extensions.lessons.bouncing_ball.lesson import BallLesson

            self.ball = BallLesson(self._parent)
            self.ball.set_theme(self._theme.colors)
        if self._stand_in is not None:
            self._stand_in(self.ball)
            self.ball.set_in_lesson(True)
        self.ball.show()
        self.ball.raise_()
        if self._stand_in is None:
            self.ball.activateWindow()
        else:
            self.ball.setFocus()

    def show_in_place(self, show: Callable[[QWidget | None], None] | None) -> None:
        """Show views that are opened from now on in place of the picture, by `show`; None: as windows. The present view
        there is closed."""
        if self._stand_in is not None and self.ball is not None and not self.ball.isWindow():
            self.ball.close()
            self._stand_in(None)
            self.ball.setParent(self._parent, Qt.WindowType.Window)
            self.ball.set_in_lesson(False)
        self._stand_in = show

    def close(self) -> None:
        """Close all of them."""
        if self.ball is not None:
            self.ball.close()

    def _on_theme(self) -> None:
        if self.ball is not None:
            self.ball.set_theme(self._theme.colors)
