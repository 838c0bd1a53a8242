"""The lesson "Bouncing ball in floating point": naive and stable detection side by side, event by event."""

from __future__ import annotations

from fractions import Fraction

from PyQt6.QtCore import QEvent, QObject, QSize, Qt
from PyQt6.QtGui import QCloseEvent, QHideEvent, QKeyEvent, QShowEvent
from PyQt6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget

from aggviewer.lessons.bouncing_ball.controls import BallControls
from aggviewer.lessons.bouncing_ball.digits import DigitsPanel
from aggviewer.lessons.bouncing_ball.explanation import LINES, WordsCard, announce, explain
from aggviewer.lessons.bouncing_ball.model import BallStory
from aggviewer.lessons.bouncing_ball.origins import OriginStrip, sampled
from aggviewer.lessons.bouncing_ball.parts import ON_DARK, BallColors, ball_colors, head_with_choice
from aggviewer.lessons.bouncing_ball.table import EventTable
from aggviewer.lessons.bouncing_ball.view import BallView
from aggviewer.widgets.gui_job import GuiJob
from aggviewer.widgets.screen import room
from aggviewer.widgets.stepping_player import SteppingPlayer
from aggviewer.widgets.transport import PaceRange, SteppingTransport
from engine.hard_discs.ball import Detection, Drop, Fall
from engine.system import Clock

TITLE = "Bouncing ball in floating point"
PACES = PaceRange(0.25, 20.0, 1.5, lambda pace: f"{pace:g} / s")
"""Flights per second."""

_EVENTS = Clock("event", "event", "", True, "Event", "To the next event")
_TIPS = {
    "play": "Play or pause (Space)",
    "first": "Back to the release (R)",
    "back": "To the event before (←)",
    "forward": "To the next event (→)",
    "last": "To the last event (End)",
}
_PACE_TIP = (
    f"Speed: flights per second, {PACES.slowest:g} to {PACES.fastest:g}. Each flight takes as long as any other,\n"
    "and slows down near the plate. A double click resets it."
)
_LARGE = 1.2  # size of type beside a lesson, over the usual one
_LINES_LARGE = 6  # of words there
_LEAST = (360, 240)  # pixels there
_LINES_IN_CLASS = 3  # and in the large type of presenter mode, where a lesson's caption is wide
_LONGEST = 0.1  # seconds that a frame counts at most, for instance after the machine has paused


class BallLesson(QWidget):
    """The window of the lesson. → and ← go to events, Space plays, R goes back to the release, Esc closes it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(TITLE)
        self.setObjectName("lesson")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._foretold = False  # somebody is to foretell how it ends
        self._colors: BallColors = ON_DARK
        self._problem = ""
        self._shown: tuple[BallStory, int, bool] | None = None  # in table, digits and words
        self._standing_in = False
        self.controls = BallControls()
        self.views = {"naive": BallView("Naive detection", True), "stable": BallView("Stable detection", False)}
        self.transport = SteppingTransport(_TIPS, PACES, "Drag to any event of the fall.", first="mdi6.restart")
        self.transport.describe_pace("Speed, flights per second", _PACE_TIP)
        self.transport.time.make_room_for("Event 1000 of 1000")
        self.words = WordsCard()
        tips = {name: f"The events of {name} detection" for name in self.views}
        self._table_head, self.sides = head_with_choice(self, "Events", tips, self.show_side)
        self.table = EventTable()
        self.digits = DigitsPanel()
        self.strip = OriginStrip()
        self._job = GuiJob("plates", parent=self)
        self.story = BallStory(self.controls.drop, self.controls.stored)
        self._side = "naive"
        keys = {Qt.Key.Key_R: lambda: self.steps.move("first")}
        self.steps: SteppingPlayer = SteppingPlayer(self.transport, _EVENTS, self, keys, longest=_LONGEST)
        self._lay_out()
        self._connect()
        self.resize(QSize(1120, 760).boundedTo(room(self)))
        self._begin()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.setSpacing(8)
        layout.addWidget(self.controls)
        middle = QHBoxLayout()
        middle.setSpacing(16)
        left, right = QVBoxLayout(), QVBoxLayout()
        for column in (left, right):
            column.setSpacing(8)
        balls = QHBoxLayout()
        balls.setSpacing(8)
        for view in self.views.values():
            balls.addWidget(view)
        left.addLayout(balls, 1)
        left.addWidget(self.transport)
        left.addWidget(self.words)
        right.setContentsMargins(0, 0, 0, 0)
        details = QWidget()
        details.setLayout(right)
        right.addLayout(self._table_head)
        right.addWidget(self.table, 1)
        right.addWidget(self.digits)
        middle.addLayout(left, 52)
        middle.addWidget(details, 48)
        self._details: tuple[QWidget, ...] = (details, self.strip)
        layout.addLayout(middle, 1)
        layout.addWidget(self.strip)

    def _connect(self) -> None:
        self.steps.moved.connect(self._show)
        self.controls.changed.connect(self._on_changed)
        self.controls.refused.connect(self._on_refused)
        self.table.chosen.connect(self.steps.go_to)
        self.strip.chosen.connect(self.controls.set_plate)
        for name, view in self.views.items():
            view.chosen.connect(lambda name=name: self.show_side(name))

    # display

    def stand_in(self, on: bool) -> None:
        """Whether it stands in the place of the picture beside a lesson: with large type, balls and words alone; Esc is
        the lesson's. How it ends is not told before it has been seen."""
        self._foretold = on
        for widget in self._details:
            widget.setHidden(on)
        self.controls.set_narrow(on)
        window = self.window()
        if window is not None and window is not self:
            window.installEventFilter(self)
        self._standing_in = on
        self._choose_type()
        self._show()
        for part in (self.controls, self):  # before somebody asks how much room it needs
            layout = part.layout()
            if layout is not None:
                layout.activate()

    def minimumSizeHint(self) -> QSize:
        """Small enough beside a lesson for a window that becomes smaller: the type follows."""
        return QSize(*_LEAST) if self._standing_in else super().minimumSizeHint()

    def _choose_type(self) -> None:
        """Large beside a lesson, and as large as that of the window around it in front of a class."""
        font, lines = QApplication.font(), LINES
        window = self.window()
        if self._standing_in and window is not None:
            large, around = _LARGE * font.pointSizeF(), window.font().pointSizeF()
            lines = _LINES_LARGE if around <= large else _LINES_IN_CLASS
            font.setPointSizeF(max(large, around) if window is not self else large)
        self.setFont(font)
        self.words.set_lines(lines)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow the type of the window around it."""
        if event is not None and event.type() == QEvent.Type.FontChange and self._standing_in and not self.isWindow():
            self._choose_type()
        return False

    def set_dark(self, dark: bool) -> None:
        """Follow the theme of the program."""
        self._colors = ball_colors(dark)
        for view in self.views.values():
            view.set_colors(self._colors)
        self.digits.set_colors(self._colors)
        self.strip.set_colors(self._colors)
        self._color_side()
        self._write_words()

    def show_side(self, name: str) -> None:
        """Show the events of ``naive`` or ``stable`` detection in the table."""
        self._side = name
        self._color_side()
        self.table.set_fall(self.story, self._fall(), self.steps.index)

    def _fall(self) -> Fall:
        return self.story.naive if self._side == "naive" else self.story.stable

    def _color_side(self) -> None:
        self.sides[self._side].setChecked(True)
        for name, view in self.views.items():
            view.set_selected(name == self._side)
        self.table.set_wrong_color(self._colors.naive if self._side == "naive" else self._colors.stable)

    def _on_changed(self, drop: Drop, stored: Detection) -> None:
        self._problem = ""
        anew = (drop.restitution, drop.drop) != (self.story.drop.restitution, self.story.drop.drop)
        self.story = BallStory(drop, stored)
        if anew:
            self.strip.set_counting()
            self._sample(drop)
        self._begin()

    def _sample(self, drop: Drop) -> None:
        """Have the falls of a ball on all plates computed; what was asked for before is not shown."""
        self._job.cancel()
        self._job.submit(lambda: sampled(drop), lambda found: self.strip.set_samples(*found))

    def _begin(self) -> None:
        """Go to the release."""
        self.strip.set_plate(self.story.drop.plate)
        self.show_side(self._side)
        self.steps.take(self.story.times)

    def _on_refused(self, reason: str) -> None:
        self._problem = reason
        self._write_words()

    def numbers(self) -> dict[str, float]:
        """What lessons are told of it: the event that is shown, what the ball is dropped with, how its falls end, and
        once they are counted, at how many of the thousand plates it falls through."""
        drop, counted = self.story.drop, self.strip.halts
        plates = {} if counted is None else dict(zip(("ball.naive_fell", "ball.stable_fell"), counted, strict=True))
        return plates | {
            "ball.event": float(self.steps.index),
            "ball.last": float(self.story.last),
            "ball.restitution": float(drop.restitution),
            "ball.height": float(drop.drop),
            "ball.plate": float(drop.plate),
            "ball.naive_halts": float(self.story.naive.halted),
            "ball.naive_events": float(self.story.naive.count),
            "ball.stable_halts": float(self.story.stable.halted),
            "ball.stable_events": float(self.story.stable.count),
            "ball.stable_at_rest": float(self.story.stable.events[-1].kind == "rest"),
            "ball.stores_gap": float(self.story.stable.detection == "gap"),
            "ball.ulp": self.story.ulp,
        }

    # playback

    @property
    def share(self) -> float:
        """How much of the flight to the next event is over, 0 … 1."""
        return self.steps.player.position - self.steps.index

    def _show(self) -> None:
        number, story = self.steps.index, self.story
        if number >= min(story.last, len(story.naive.events) - 1):
            self._foretold = False
        offset = float(Fraction(story.drop.contact) - story.contact)
        for name, fall in (("naive", story.naive), ("stable", story.stable)):
            ulp = 0.0 if fall.detection == "gap" else story.ulp
            self.views[name].set_shown(story.shown(fall, number, self.share), ulp, offset)
        now = (story, number, self._foretold)
        if now == self._shown:
            return
        self._shown = now
        self.table.follow(number)
        self.digits.set_event(story, number)
        of = "" if self._foretold else f" of {story.last}"
        self.transport.show_position(f"Event {number}{of}")
        self.transport.timeline.setHidden(self._foretold)
        self._write_words()

    def _write_words(self) -> None:
        if self._problem:
            self.words.show_problem(self._problem, self._colors)
        else:
            words = announce if self._foretold else explain
            self.words.show_words(words(self.story, self.steps.index), self._colors)

    # Qt

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Esc closes a window of its own; beside a lesson it is for the lesson."""
        if event is not None and event.key() == Qt.Key.Key_Escape and self.isWindow():
            self.close()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent | None) -> None:
        """Take the keys, and start counting what happens at the plates."""
        self.steps.keys.on = True
        self.setFocus()  # not to a field, since keys control playback
        if not self.strip.counted:
            self._sample(self.story.drop)
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent | None) -> None:
        """Pause, also where the window is only minimised."""
        self.steps.pause()
        super().hideEvent(event)

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Stop the timer, the keys and the thread. The window can be opened again."""
        self.steps.pause()
        self.steps.keys.on = False
        self._job.cancel()
        self._job.wait()
        super().closeEvent(event)
