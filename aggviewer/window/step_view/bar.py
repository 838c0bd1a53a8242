"""The transport of the mode inside a step, with its chapters and what is read of it; it stands in the usual one's
place."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QWidget

from aggviewer.session.data import Timeline
from aggviewer.session.step.story import StepStory, StoryFrame, counted
from aggviewer.style.theme import Colors
from aggviewer.widgets.icons import icon
from aggviewer.widgets.labels import SteadyLabel
from aggviewer.widgets.transport import PaceRange, SteppingTransport, flat_button
from aggviewer.window.step_view.chapters import ChapterStrip
from aggviewer.window.step_view.reading import StepReading
from engine.system import Clock

TICKS = Clock("tick", "tick", "", True, "Tick", "One tick of a step; an iteration is a tick")
PACES = PaceRange(1.0, 60.0, 12.0, lambda pace: f"{pace:.0f} /s")
"""Ticks per second."""

_ICONS = {
    "previous_place": "mdi6.chevron-left",
    "next_place": "mdi6.chevron-right",
    "next_step": "mdi6.page-next-outline",
    "leave": "mdi6.close",
}
_TIPS = {
    "first": "To the start of the step (Home)",
    "back": "One tick back (←)",
    "play": "Play or pause (Space)",
    "forward": "One tick on (→)",
    "last": "To the end of the step (End)",
    "previous_place": "Previous collision: moves the view there",
    "next_place": "Next collision: moves the view there",
}
_TIP = "Drag to any tick of the step. A mark stands where a part of it begins."
_LEAVE_OUT = ("time", "speed word", "place word", "words", "value", "run word", "long slider")


class StepBar(SteppingTransport):
    """Shows where the story is and says what was asked for; knows nothing of the canvas.

    Signals: those of `SteppingTransport`; tick_asked(int); iteration_asked(int); place_asked(int), +1 or -1;
    next_asked(); leave_asked().
    """

    tick_asked = pyqtSignal(int)
    iteration_asked = pyqtSignal(int)
    place_asked = pyqtSignal(int)
    next_asked = pyqtSignal()
    leave_asked = pyqtSignal()

    def __init__(self) -> None:
        super().__init__(_TIPS, PACES, _TIP, leave_out=_LEAVE_OUT)
        self._story: StepStory | None = None
        self._collision: int | None = None
        self.strip = ChapterStrip()
        self.place = SteadyLabel("")
        self.place.setAlignment(Qt.AlignmentFlag.AlignCenter)
        places = {name: flat_button(_TIPS[name]) for name in ("previous_place", "next_place")}
        self.add_right({"previous_place": places["previous_place"], "place": self.place, **places})
        self.next_step = flat_button("Trace the next step with a collision, and show it", "Next step")
        self.leave = flat_button("Back to the simulation (Esc)", "Leave")
        self.worded += (self.next_step, self.leave)
        for name, button in (*places.items(), ("next_step", self.next_step), ("leave", self.leave)):
            button.setIcon(icon(_ICONS[name]))
        self.reading = StepReading()
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.strip, 1)
        head.addWidget(self.next_step)
        head.addWidget(self.leave)
        self.add_above(head)
        self.add_below(self.reading)
        self.time.make_room_for("tick 0000 of 0000")
        slowest, fastest = PACES.slowest, PACES.fastest
        tip = f"Speed: ticks per second, {slowest:g} to {fastest:g}; an iteration is a tick.\nA double click resets it."
        self.describe_pace("Speed, ticks per second", tip)
        self._connect()
        self.show_message("")
        self.measure()

    def _connect(self) -> None:
        self.strip.chosen.connect(self.tick_asked)
        self.asked.connect(lambda position: self.tick_asked.emit(round(position)))
        self.reading.curve.chosen.connect(self.iteration_asked)
        self.next_step.clicked.connect(lambda: self.next_asked.emit())
        self.leave.clicked.connect(lambda: self.leave_asked.emit())
        for name, step in (("previous_place", -1), ("next_place", 1)):
            self.buttons[name].setAutoRepeat(True)
            self.buttons[name].clicked.connect(lambda _checked, step=step: self.place_asked.emit(step))

    # what is shown

    def set_story(self, story: StepStory) -> None:
        """Another step."""
        self._story = story
        self._enable(True)
        self.strip.set_chapters(story.chapters)
        self.reading.set_story(story)
        self.set_place(None)

    def show_frame(self, tick: int, frame: StoryFrame) -> None:
        """Where the story is."""
        story = self._story
        if story is None:
            return
        marks = np.array([chapter.first for chapter in story.chapters[1:]], float)
        self.timeline.show_timeline(Timeline(0.0, float(story.last), float(tick), marks, replay=True), TICKS)
        self.show_position(f"tick {tick} of {story.last}")
        self.show_ends(at_first=tick == 0, at_last=tick == story.last)
        self.strip.set_current(frame.chapter)
        self.reading.show_frame(frame)

    def set_place(self, index: int | None) -> None:
        """The collision that the view has gone to, None for no one in particular."""
        self._collision = index
        for name in ("previous_place", "next_place"):
            self.buttons[name].setEnabled(self._collisions > 0)
        self.fit()

    @property
    def _collisions(self) -> int:
        return len(self._story.places) if self._story is not None else 0

    def show_message(self, text: str) -> None:
        """No story: what is waited for, or why there is none. Leaving is all that can be done."""
        self._story = None
        self._enable(False)
        self.timeline.show_timeline(None)
        self.show_position("")
        self.reading.show_message(text)
        self.set_place(None)

    def _enable(self, enabled: bool) -> None:
        widgets: list[QWidget] = [self.run_button, self.speed, *self.buttons.values()]
        widgets += [self.strip, self.timeline, self.reading.curve, self.next_step]
        for widget in widgets:
            widget.setEnabled(enabled)

    def set_colors(self, colors: Colors) -> None:
        """Follow the colours of a theme."""
        self.reading.curve.set_theme(colors)

    def _give_words(self, out: frozenset[str]) -> None:
        """The word of a collision goes before its number does."""
        super()._give_words(out)
        count, word = self._collisions, "" if "place word" in out else "Collision "
        found = counted(count, "collision") if count else "No collision"
        self.place.make_room_for(f"{word}00 of 00" if word else "00 collisions")
        self.place.setText(
            ""
            if self._story is None
            else found
            if self._collision is None
            else f"{word}{self._collision + 1} of {count}"
        )

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """What is read of a step follows the width."""
        super().resizeEvent(event)
        self.reading.fit(self.width())

    def measure(self) -> None:
        """Find anew what the parts take with the present font: the large type of the presenter, and back."""
        super().measure()
        self.reading.fit(self.width())
