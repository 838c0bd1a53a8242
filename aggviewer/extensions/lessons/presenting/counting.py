"""*Count answers*: counts the answers of a class to a question, shown over the picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aggviewer.extensions.lessons.count_view import CountView
from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.widgets.command import PRESENTER_BAR, Command, Place
from aggviewer.widgets.input_guard import ModeKeys
from aggviewer.widgets.part import Context
from aggviewer.window.stage.stage import Stage


class AnswerCounter:
    """Shows the answers of a class over the picture, and hides them."""

    def __init__(self, context: Context) -> None:
        self._window, self._lessons, self._stage = context.window, context[Lessons], context[Stage]
        self._update, self._to_picture = context.commands.update, context.focus_picture
        lessons = self._lessons
        self._keys: ModeKeys | None = None
        self.view: CountView | None = None
        lessons.panel.count_asked.connect(self.toggle)
        lessons.panel.moved.connect(self.close)

    def commands(self, presenting: Callable[[], bool]) -> Iterator[Command]:
        """The command that shows and hides the answers. presenting() : whether presenter mode is on."""
        yield Command(
            "presenter.count",
            "Count answers",
            self.toggle,
            ("H", "Ctrl+H"),
            "Presenter mode: count the predictions of your class and compare them with the result",
            "mdi6.hand-back-right-outline",
            checked=lambda: self.on,
            bar=Place(PRESENTER_BAR, 2, 1),
            available=presenting,
            absent="Only in presenter mode",
            reason=self._why_not,
        )

    @property
    def on(self) -> bool:
        """Whether the answers are shown."""
        return self.view is not None

    def toggle(self) -> None:
        """Show the answers to the question of the step, or the picture again."""
        if self.on:
            self.close()
        elif not self._why_not():
            self._open()
        self._update()

    def close(self) -> None:
        """Show the picture again."""
        if self.view is None:
            return
        self._end(self.view)
        self._to_picture()
        self._update()

    def refit(self) -> None:
        """Follow the window's font."""
        if self.view is not None and self.view.font().pointSizeF() != self._window.font().pointSizeF():
            typed = self.view.field.text()
            self._end(self.view)
            self._open().field.setText(typed)

    def _why_not(self) -> str:
        player = self._lessons.player
        if player is None:
            return "Open a lesson first; its questions are for the class"
        if player.question is None:
            return "This step has no question"
        if player.step.predict is None and not player.counted.of(player.question):
            return "No answers were counted for this question"
        return ""

    def _open(self) -> CountView:
        player = self._lessons.player
        assert player is not None
        view = self.view = CountView(player, self._lessons.panel, self.close)
        self._stage.lay_over(view)
        self._keys = ModeKeys(self._window, view.keys())
        self._keys.on = True
        view.setFocus()
        return view

    def _end(self, view: CountView) -> None:
        self.view = None
        view.end()
        self._stage.lay_over(None)
        if self._keys is not None:
            self._keys.on = False
            self._keys.deleteLater()
            self._keys = None
