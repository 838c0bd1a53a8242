"""The bar of the view inside a step: parts of the step, transport, explanation, and a plot of the residual."""

from __future__ import annotations

from math import sqrt

import numpy as np
from PyQt6.QtCore import QEvent, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout

from aggviewer.extensions.stepping.story import ChapterKind, StepStory, StoryFrame, counted
from aggviewer.plots.axes import power_text
from aggviewer.plots.drawing import NO_VALUES, PLAIN, Axes, PlotDrawing, PlotSeries, Role, drawing, level
from aggviewer.plots.view import DrawingView
from aggviewer.widgets.buttons import SegmentRow, icon
from aggviewer.widgets.labels import SteadyLabel
from aggviewer.widgets.transport import LEAVE_OUT, PaceRange, SteppingTransport, flat_button
from engine.system import Clock
from engine.words import count

TICKS = Clock("tick", "tick", "", True, "Tick", "One tick of a step; each iteration is one tick")
PACES = PaceRange(1.0, 60.0, 12.0, lambda pace: f"{pace:.0f} /s")
"""Ticks per second."""

TITLES: dict[ChapterKind, str] = {
    "flight": "Flight",
    "overlaps": "Overlaps",
    "minimisation": "Minimisation",
    "velocities": "Velocities",
}
_PARTS = {
    "Flight": "Free flight of the clusters",
    "Overlaps": "Discs that overlap after the flight",
    "Minimisation": "Overlapping discs are pushed apart, in one or more rounds",
    "Velocities": "New velocities of the clusters",
}
_TIPS = {
    "first": "Start of the step (Home)",
    "back": "Back one tick (←)",
    "play": "Play or pause (Space)",
    "forward": "Forward one tick (→)",
    "last": "End of the step (End)",
}
_TIP = "Drag to any tick of the step. Marks show where its parts begin."
# in heights of a line of text
_WITH_PLOT, _WITH_WORDS = 32, 30  # width from which there is a plot, and of what is left for words beside icons
_LEAST_PLOT, _MOST_PLOT = 9, 16  # its width
_LINES = 3  # of the explanation


class StepBar(QFrame):
    """Shows the position in the story and emits requests; it does not know the picture.

    Signals: ``part_asked(str)`` with a title of `TITLES`; ``iteration_asked(int)``; ``place_asked(int)``, +1 or -1;
    ``next_asked()``; ``leave_asked()``.
    """

    part_asked = pyqtSignal(str)
    iteration_asked = pyqtSignal(int)
    place_asked = pyqtSignal(int)
    next_asked = pyqtSignal()
    leave_asked = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("stepBar")
        self._story: StepStory | None = None
        self.iteration: int | None = None  # that the plot has a line at
        self.parts = SegmentRow(_PARTS)
        self.next_step = flat_button("Show the next step with a collision", "Next step")
        self.leave = flat_button("Back to the simulation (Esc)", "Leave")
        self.transport = SteppingTransport(_TIPS, PACES, _TIP, leave_out=(*LEAVE_OUT, "last", "first", "place"))
        self.place = SteadyLabel("")
        self.place.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.place.make_room_for("Collision 00 of 00")
        places = {
            "previous_place": flat_button("Show the previous collision"),
            "next_place": flat_button("Show the next collision"),
        }
        self.transport.add_right({"previous_place": places["previous_place"], "place": self.place, **places})
        tip = f"Speed: ticks per second, {PACES.slowest:g} to {PACES.fastest:g}. One iteration is one tick."
        self.transport.describe_pace("Speed, ticks per second", f"{tip}\nDouble-click to reset it.")
        self.transport.time.make_room_for("tick 0000 of 0000")
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.plot = DrawingView(AXES)
        self.plot.setToolTip(TIP)
        for button, name in (
            (places["previous_place"], "mdi6.chevron-left"),
            (places["next_place"], "mdi6.chevron-right"),
            (self.next_step, "mdi6.page-next-outline"),
            (self.leave, "mdi6.close"),
        ):
            button.setIcon(icon(name))
        self._lay_out()
        self._connect()
        self.show_message("")

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 4, 8, 0)
        head.setSpacing(8)
        head.addWidget(self.parts, 1)
        head.addWidget(self.next_step)
        head.addWidget(self.leave)
        words = QHBoxLayout()
        words.setContentsMargins(8, 0, 8, 4)
        words.addWidget(self.text)
        left = QVBoxLayout()
        left.setSpacing(0)
        left.addLayout(head)
        left.addWidget(self.transport)
        left.addLayout(words)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addLayout(left, 1)
        row.addWidget(self.plot)
        self.plot.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)

    def _connect(self) -> None:
        self.parts.chosen.connect(self.part_asked)
        self.plot.clicked.connect(self._on_plot)
        self.next_step.clicked.connect(lambda: self.next_asked.emit())
        self.leave.clicked.connect(lambda: self.leave_asked.emit())
        for name, step in (("previous_place", -1), ("next_place", 1)):
            button = self.transport.buttons[name]
            button.setAutoRepeat(True)
            button.clicked.connect(lambda _checked, step=step: self.place_asked.emit(step))

    # what is shown

    def set_story(self, story: StepStory) -> None:
        """Set another step."""
        self._story = story
        self._enable(True)
        self.parts.set_choices({TITLES[chapter.kind]: _PARTS[TITLES[chapter.kind]] for chapter in story.chapters})
        self.plot.set_empty("" if len(story.trace.residual) else "no iterations")
        self._mark(None)
        self.plot.follow()
        self.set_place(None)

    def show_frame(self, tick: int, frame: StoryFrame) -> None:
        """Show the position in the story."""
        story, chapter = self._story, frame.chapter
        if story is None:
            return
        self.transport.show_position(f"tick {tick} of {story.last}")
        self.parts.set_current(TITLES[chapter.kind])
        self.text.setText(frame.text if frame.iteration is None else f"{frame.text}\n{_numbers(story, frame)}")
        iteration = chapter.before + frame.iteration - 1 if frame.iteration else None
        if iteration != self.iteration:  # most ticks of a step are of its flight
            self._mark(iteration)

    def _mark(self, iteration: int | None) -> None:
        """Show the residual, with a line at an iteration."""
        self.iteration = iteration
        if self._story is not None:
            self.plot.show_drawing(residual_drawing(self._story, iteration))

    def set_place(self, index: int | None) -> None:
        """Show the number of the collision in view, None for none."""
        count = len(self._story.places) if self._story is not None else 0
        for name in ("previous_place", "next_place"):
            self.transport.buttons[name].setEnabled(count > 0)
        found = counted(count, "collision") if count else "No collision"
        self.place.setText(found if index is None else f"Collision {index + 1} of {count}")

    def show_message(self, text: str) -> None:
        """Show why there is no story, or what it is waiting for; only leaving is possible."""
        self._story = None
        self.transport.show_position("")
        self.text.setText(text)
        self.set_place(None)
        self._enable(False)

    def _enable(self, enabled: bool) -> None:
        for widget in (self.transport, self.parts, self.plot, self.next_step):
            widget.setEnabled(enabled)

    def _on_plot(self, iteration: float, _residual: float) -> None:
        count = 0 if self._story is None else len(self._story.trace.residual)
        if count:
            self.iteration_asked.emit(min(max(round(iteration) - 1, 0), count - 1))

    # size

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Show the parts that fit."""
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """Narrow enough for a small window."""
        return QSize(self.transport.minimumSizeHint().width(), super().minimumSizeHint().height())

    def changeEvent(self, event: QEvent | None) -> None:
        """Follow the font, for instance that of presenter mode."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        line = self.fontMetrics().lineSpacing()
        with_plot = self.width() >= _WITH_PLOT * line
        plot = max(_LEAST_PLOT * line, min(_MOST_PLOT * line, self.width() // 4))
        with_words = self.width() - with_plot * plot >= _WITH_WORDS * line
        words = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if with_words else Qt.ToolButtonStyle.ToolButtonIconOnly
        for button in (self.next_step, self.leave):
            button.setToolButtonStyle(words)
            button.setIconSize(QSize(line, line))
        self.plot.setVisible(with_plot)
        self.plot.setFixedWidth(plot)
        self.text.setFixedHeight(_LINES * line + 4)


def _numbers(story: StepStory, frame: StoryFrame) -> str:
    """The iteration of a frame, its round if there are several, and its residual."""
    chapter = frame.chapter
    rounds = max(one.round for one in story.chapters)
    of = f"round {chapter.round} of {rounds}, " if rounds > 1 else ""
    residual = "" if frame.residual is None else f" · residual {residual_text(frame.residual)}"
    last = count(chapter.last - chapter.first)
    return f"{of}iteration {count(frame.iteration or 0)} of {last}{residual}"


AXES = Axes("", "max |φ| / s", y_log=True, name="Residual over the iterations")
TIP = (
    "Residual: the largest |φ| / s (3.4) of any link after each iteration.\n"
    "Dashed: the tolerance. Click to go to an iteration."
)
_LEAST = 1e-16


def residual_text(residual: float) -> str:
    """A residual with two digits."""
    return power_text(max(residual, _LEAST), 2)


def residual_drawing(story: StepStory, shown: int | None) -> PlotDrawing:
    """The residual after each iteration, the starts of rounds, and the tolerance; nothing if there are no iterations.

    shown : the iteration marked by a line, from 0; None for none.
    """
    values = np.maximum(np.nan_to_num(story.trace.residual, nan=1e3, posinf=1e3), _LEAST)
    tolerance = story.trace.tolerance
    if not len(values):
        return drawing([])
    begins = np.array([chapter.before for chapter in story.chapters if chapter.round > 1], float) + 0.5
    series = [
        PlotSeries("rounds", begins, NO_VALUES, "upright", Role("guide"), shared=True),
        PlotSeries(
            "residual",
            np.arange(1.0, len(values) + 1.0),
            values,
            role=Role("method", "time-stepping"),
            words=lambda k: f"iteration {count(k + 1)}: {residual_text(values[k])}",
        ),
        level("tolerance", tolerance, dash="dashed"),
    ]
    if shown is not None:
        series.append(PlotSeries("now", np.array([shown + 1.0]), NO_VALUES, "upright", PLAIN, shared=True))
    low, high = min(float(values.min()), tolerance), max(float(values.max()), tolerance)
    return drawing(series, (1.0, max(2.0, float(len(values))), low / 2.0, high * sqrt(10.0)))
