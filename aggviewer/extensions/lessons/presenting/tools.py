"""The teacher's tools in presenter mode: pointer, black screen, counted answers, one parameter, and a clicker."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QFontInfo
from PyQt6.QtWidgets import QApplication

from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.extensions.lessons.presenting.blank import Blank
from aggviewer.extensions.lessons.presenting.counting import AnswerCounter
from aggviewer.extensions.lessons.presenting.pointer import PointerRing
from aggviewer.extensions.lessons.presenting.teacher import TeacherBar
from aggviewer.widgets.command import PRESENTER_BAR, Command, Place
from aggviewer.widgets.input_guard import ModeKeys
from aggviewer.widgets.part import OVERLAYS, Context, Part
from aggviewer.window.stage.stage import Stage


class PresenterTools(Part):
    """Enables the tools, with their commands and keys.

    Attributes
    ----------
    teacher : the bar with the teacher's parameter and the buttons of the tools.
    counter : counts the answers of a class.
    pointer : the ring around the mouse.
    blank : the black screen.
    on : whether the tools are enabled.
    """

    leaves = OVERLAYS

    def __init__(self, context: Context) -> None:
        self._window = window = context.window
        self._lessons = context[Lessons]
        self.teacher, self.counter = context[TeacherBar], AnswerCounter(context)
        self.on = False
        self.pointer = PointerRing(window)
        self.blank = Blank(window)
        key = Qt.Key
        # a clicker also sends F5 to begin, B to go black and Esc to end; some begin with F5 each time
        self._keys = ModeKeys(
            window, {key.Key_Period: self.blank.cover, key.Key_B: self.blank.cover, key.Key_F5: lambda: None}
        )
        forward, back = self._next_step, self._previous_step
        # a clicker has two keys: Page Down and Page Up, or the arrows
        self._clicker = ModeKeys(window, {key.Key_PageDown: forward, key.Key_PageUp: back})
        self._arrows = ModeKeys(window, {key.Key_Right: forward, key.Key_Left: back})
        self._stage = context[Stage]
        self._stage.covered.connect(lambda _covered: self._share_arrows())

    def commands(self) -> Iterator[Command]:
        """The commands in the bar of presenter mode."""
        yield Command(
            "presenter.pointer",
            "Pointer",
            lambda: self.pointer.switch(not self.pointer.on),
            ("O",),
            "Presenter mode: put a ring around the mouse pointer that the last row can see",
            "mdi6.cursor-default-click-outline",
            checked=lambda: self.pointer.on,
            bar=Place(PRESENTER_BAR, 1, 1),
            available=lambda: self.on,
            absent="Only in presenter mode",
        )
        yield Command(
            "presenter.blank",
            "Black screen",
            self.blank.cover,
            tooltip="Presenter mode: black out the screen until a key or click (. or B)",
            icon="mdi6.projector-screen-off-outline",
            bar=Place(PRESENTER_BAR, 3, 1),
            available=lambda: self.on,
            absent="Only in presenter mode",
        )
        yield from self.counter.commands(lambda: self.on)

    @property
    def keeps_focus(self) -> bool:
        """Whether the focus is where the lesson has put it while presenting."""
        task, focus = self._lessons.panel.task, QApplication.focusWidget()
        return self.on and task is not None and focus is not None and task.isAncestorOf(focus)

    def ways_back(self) -> Iterator[tuple[bool, Callable[[], object]]]:
        """Replace the answers by the picture."""
        yield self.counter.on, self.counter.close

    def begin(self) -> None:
        """Enable the tools at the start of presenter mode."""
        self.on = True
        self.teacher.follow()
        self.teacher.show()
        self._keys.on = True
        self._clicker.on = self._lessons.on
        self._share_arrows()

    def end(self) -> None:
        """Put all tools away at the end of presenter mode."""
        self.on = False
        self.blank.uncover()
        self.pointer.switch(False)
        self.counter.close()
        self._keys.on = self._clicker.on = self._arrows.on = False
        self.teacher.hide()

    def fit(self) -> None:
        """Follow the window's font size."""
        self.pointer.fit(QFontInfo(self._window.font()).pixelSize())
        self.counter.refit()

    def _share_arrows(self) -> None:
        """Leave the arrows to a lesson's own view, which goes from event to event with them."""
        self._arrows.on = self._clicker.on and self._stage.cover is None

    def _next_step(self) -> None:
        """Scroll on in a long text, then go on as *Next* does; the last page stays."""
        player, panel = self._lessons.player, self._lessons.panel
        if player is not None and not panel.read_on() and not player.ended:
            panel.forward()

    def _previous_step(self) -> None:
        """Scroll back, then go to the previous step."""
        player = self._lessons.player
        if player is not None and not self._lessons.panel.read_on(-1):
            player.back()
