"""The lesson "Bouncing ball in floating point": naive and stable detection side by side, event by event."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from html import escape

from PyQt6.QtCore import QEvent, QObject, QSize, Qt
from PyQt6.QtGui import QCloseEvent, QFontMetrics, QHideEvent, QKeyEvent, QShowEvent
from PyQt6.QtWidgets import QApplication, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from aggviewer.extensions.lessons.bouncing_ball import picture
from aggviewer.extensions.lessons.bouncing_ball.controls import BallControls
from aggviewer.extensions.lessons.bouncing_ball.digits import BASES, EventTable, digit_rows, digits_html, fixed_width
from aggviewer.extensions.lessons.bouncing_ball.explanation import announce, explain, words_html
from aggviewer.extensions.lessons.bouncing_ball.model import BallStory
from aggviewer.plots.drawing import Axes, PlotDrawing, PlotSeries
from aggviewer.plots.series_items import SeriesStyle, is_dark
from aggviewer.plots.view import DrawingView
from aggviewer.style.theme import DARK, Colors
from aggviewer.widgets.buttons import SegmentRow
from aggviewer.widgets.gui_thread import GuiJob
from aggviewer.widgets.screen import room
from aggviewer.widgets.transport import PaceRange, SteppingPlayer, SteppingTransport
from engine.hard_discs.ball import BallSample, Detection, Drop
from engine.system import Clock

TITLE = "Bouncing ball in floating point"
PACES = PaceRange(0.25, 20.0, 1.5, lambda pace: f"{pace:g} / s")
"""The range of speeds in flights per second."""
SIDES = ("naive", "stable")

_EVENTS = Clock("event", "event", "", True, "Event", "To the next event")
_TIPS = {
    "play": "Play or pause (Space)",
    "first": "Back to the release (R)",
    "back": "Previous event (←)",
    "forward": "Next event (→)",
    "last": "Last event (End)",
}
_PACE_TIP = (
    f"Speed: flights per second, {PACES.slowest:g} to {PACES.fastest:g}. All flights take the same time on screen\n"
    "and slow down near the plate. Double-click to reset."
)
_WRONG_TIP = "Digits that rounding has made wrong are coloured."
_DIGIT_LINES = 9
_LARGE = 1.2  # text size beside a lesson, relative to the default
_LEAST = (360, 240)  # pixels there
_LINES, _LINES_IN_CLASS = 6, 5  # lines of text, and in presenter mode
_WORDS_IN_CLASS = 0.86  # of its large type
_LONGEST = 0.1  # longest time step of a frame in seconds, for instance after the computer was suspended
_GROUND, _RESTS = 40, 120  # alpha


def ball_colours(theme: Colors) -> dict[str, str]:
    """Purple and green by Okabe and Ito, distinguishable for colour-blind people and not used for methods."""
    naive, stable = ("#e292bd", "#35c498") if is_dark(theme) else ("#a63d77", "#00755a")
    return {"naive": naive, "stable": stable, "exact": theme.muted}


class BallPlot(DrawingView):
    """A plot in which everything that belongs to a ball has the colour of the ball `whose`."""

    def __init__(self, axes: Axes, whose: str, tip: str) -> None:
        super().__init__(axes)
        self._whose = whose
        self.setToolTip(tip)

    def style(self, series: PlotSeries, colors: Colors) -> SeriesStyle:
        """The style of a series."""
        usual, colour = super().style(series, colors), ball_colours(colors)[self._whose]
        match series.key:
            case "ball" | "peak" | "halted" | "endless":
                return replace(usual, colour=colour, rim=colour)
            case "ground":
                return replace(usual, colour=colors.muted, fill=_GROUND)
            case "rest":
                return replace(usual, colour=colors.muted, alpha=_RESTS)
        return usual


class BallLesson(QWidget):
    """The window of the lesson. → and ← go to events, Space plays, R goes back to the release, ↑ and ↓ to another
    plate, Esc closes it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(TITLE)
        self.setObjectName("lesson")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._foretold = False  # the learner has to predict how it ends
        self._theme: Colors = DARK
        self._problem = ""
        self._shown: tuple[BallStory, int, bool] | None = None  # for table, digits and text
        self._side = "naive"
        self._standing_in = False
        self.samples: tuple[BallSample, BallSample] | None = None
        """How the falls on all plates end, naive and stable; None while they are computed."""
        self.controls = BallControls()
        self.views = {name: BallPlot(picture.BALL_AXES, name, picture.BALL_TIP) for name in SIDES}
        self.transport = SteppingTransport(_TIPS, PACES, "Drag to any event of the fall.", first="mdi6.restart")
        self.transport.let_others_stand_out(True)  # Next stands out
        self.transport.describe_pace("Speed, flights per second", _PACE_TIP)
        self.transport.time.make_room_for("Event 1000 of 1000")
        self.words = QLabel()
        self.sides = SegmentRow({name.capitalize(): f"The events of {name} detection" for name in SIDES})
        self.table = EventTable()
        self.bases = SegmentRow({name: f"Digits in base {base}" for name, (base, _) in BASES.items()})
        self._base = "Decimal"
        self.bases.set_current(self._base)
        self.digits = QLabel()
        self.plates = BallPlot(picture.PLATES_AXES, "naive", picture.PLATES_TIP)
        self._job = GuiJob("plates", parent=self)
        self.story = BallStory(self.controls.drop, self.controls.stored)
        keys = {
            Qt.Key.Key_R: lambda: self.steps.move("first"),
            Qt.Key.Key_Up: lambda: self._to_next_plate(-1),
            Qt.Key.Key_Down: lambda: self._to_next_plate(1),
        }
        self.steps: SteppingPlayer = SteppingPlayer(self.transport, _EVENTS, self, keys, longest=_LONGEST)
        self._lay_out()
        self._connect()
        self.set_theme(self._theme)
        self.resize(QSize(1120, 760).boundedTo(room(self)))
        self._begin()

    def _lay_out(self) -> None:
        balls = QHBoxLayout()
        for view in self.views.values():
            view.getPlotItem().getViewBox().setMouseEnabled(False, False)  # the axis follows the ball
            balls.addWidget(view)
        self.words.setObjectName("lessonCard")
        self.words.setMargin(8)
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.digits.setObjectName("lessonCard")
        self.digits.setMargin(8)
        self.digits.setFont(fixed_width(0.8))
        self.digits.setToolTip(_WRONG_TIP)
        self.digits.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.digits.setAlignment(Qt.AlignmentFlag.AlignTop)
        # reserve space for all rows, so that nothing moves when they change
        self.digits.setFixedHeight(_DIGIT_LINES * (self.digits.fontMetrics().lineSpacing() + 2) + 16)
        self.digits.setMinimumWidth(1)
        self.plates.setFixedHeight(132)
        left = QVBoxLayout()
        left.addLayout(balls, 1)
        left.addWidget(self.transport)
        left.addWidget(self.words)
        details = QWidget()
        right = QVBoxLayout(details)
        right.setContentsMargins(0, 0, 0, 0)
        right.addLayout(_head("Events", self.sides))
        right.addWidget(self.table, 1)
        right.addLayout(_head("Last digits", self.bases))
        right.addWidget(self.digits)
        middle = QHBoxLayout()
        middle.setSpacing(16)
        middle.addLayout(left, 52)
        middle.addWidget(details, 48)
        self._details: tuple[QWidget, ...] = (details, self.plates)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.addWidget(self.controls)
        layout.addLayout(middle, 1)
        layout.addWidget(self.plates)
        for part in (left, right, balls, layout):
            part.setSpacing(8)
        self._set_lines(_LINES)

    def _set_lines(self, lines: int) -> None:
        """Reserve space for this many lines of text, so that the balls do not move when it changes."""
        self.words.setFixedHeight(lines * QFontMetrics(self.words.font()).lineSpacing() + 24)

    def _connect(self) -> None:
        self.steps.moved.connect(self._show)
        self.controls.changed.connect(self._on_changed)
        self.controls.refused.connect(self._on_refused)
        self.table.chosen.connect(self.steps.go_to)
        self.sides.chosen.connect(lambda name: self.show_side(name.lower()))
        self.bases.chosen.connect(self._choose_base)
        self.plates.picked.connect(lambda key, k: self.controls.set_plate(float(self.plates.drawn[key].series.x[k])))
        for name, view in self.views.items():
            view.getPlotItem().getViewBox().sigResized.connect(lambda _box: self._show())
            view.clicked.connect(lambda *_, name=name: self.show_side(name))

    # display

    def set_in_lesson(self, on: bool) -> None:
        """Set whether it replaces the picture beside a lesson: then it has large type and only balls and text, Esc
        belongs to the lesson, and the end is not revealed in advance."""
        self._foretold = on
        for widget in self._details:
            widget.setHidden(on)
        window = self.window()
        if window is not None and window is not self:
            window.installEventFilter(self)
        self._standing_in = on
        self._choose_type()
        self._show()
        for part in (self.controls, self):  # before its size hint is read
            layout = part.layout()
            if layout is not None:
                layout.activate()

    def minimumSizeHint(self) -> QSize:
        """Small enough for a small window beside a lesson: the type is scaled."""
        return QSize(*_LEAST) if self._standing_in else super().minimumSizeHint()

    def _choose_type(self) -> None:
        """Use large type beside a lesson, and the type of the window in front of a class."""
        font, lines, words = QApplication.font(), _LINES, 1.0
        window = self.window()
        if self._standing_in and window is not None:
            large, around = _LARGE * font.pointSizeF(), window.font().pointSizeF()
            if around > large:
                lines, words = _LINES_IN_CLASS, _WORDS_IN_CLASS
            font.setPointSizeF(max(large, around) if window is not self else large)
        self.setFont(font)
        font.setPointSizeF(words * font.pointSizeF())
        self.words.setFont(font)
        self._set_lines(lines)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow the type of the window around it."""
        if event is not None and event.type() == QEvent.Type.FontChange and self._standing_in and not self.isWindow():
            self._choose_type()
        return False

    def set_theme(self, theme: Colors) -> None:
        """Apply the theme."""
        self._theme, self._shown = theme, None
        for view in (*self.views.values(), self.plates):
            view.set_theme(theme)
        self.show_side(self._side)
        self._show()
        self._show_plates()

    def show_side(self, name: str) -> None:
        """Show the events of ``naive`` or ``stable`` detection in the table."""
        self._side = name
        self.sides.set_current(name.capitalize())
        self.table.set_wrong_color(ball_colours(self._theme)[name])
        self.table.set_fall(self.story, self.story.fall(name), self.steps.index)

    def _choose_base(self, name: str) -> None:
        self._base, self._shown = name, None
        self._show()

    def _to_next_plate(self, step: int) -> None:
        self.controls.set_plate(picture.next_plate(self.story.drop.plate, step))

    def _on_changed(self, drop: Drop, stored: Detection) -> None:
        self._problem = ""
        anew = (drop.restitution, drop.drop) != (self.story.drop.restitution, self.story.drop.drop)
        self.story = BallStory(drop, stored)
        if anew:
            self._sample(drop)
        self._begin()  # also draws the plates

    def _sample(self, drop: Drop) -> None:
        """Compute the falls of a ball on all plates; an earlier request is dropped."""
        self.samples = None
        self._job.cancel()
        self._job.submit(lambda: picture.sampled(drop), self._on_sampled)

    def _on_sampled(self, samples: tuple[BallSample, BallSample]) -> None:
        self.samples = samples
        self._show_plates()

    def _show_plates(self) -> None:
        self.plates.set_empty("" if self.samples is not None else f"Counting {picture.COUNT} plates …")
        if self.samples is None:
            self.plates.show_drawing(PlotDrawing())
            self.plates.set_value("")
        else:
            self.plates.show_drawing(picture.plates_drawing(self.samples[0], self.story.drop.plate))
            self.plates.set_value(picture.plates_text(*self.samples, ball_colours(self._theme)["naive"]))

    def _begin(self) -> None:
        """Show the start of the fall, where the ball is released."""
        self.show_side(self._side)
        self.steps.set_stops(self.story.times)
        self._show_plates()

    def _on_refused(self, reason: str) -> None:
        self._problem = reason
        self._write_words()

    def numbers(self) -> dict[str, float]:
        """The numbers for lessons: the event shown, the settings of the drop, how the falls end and, once computed, at
        how many of the thousand plates the ball falls through."""
        drop = self.story.drop
        plates = {
            f"ball.{name}_fell": float(sample.halted.sum())
            for name, sample in zip(SIDES, self.samples or (), strict=False)
        }
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
        """The fraction of the flight to the next event that is over, 0 … 1."""
        return self.steps.player.position - self.steps.index

    def _show(self) -> None:
        number, story = self.steps.index, self.story
        if number >= min(story.last, len(story.naive.events) - 1):
            self._foretold = False
        colours = ball_colours(self._theme)
        offset = float(Fraction(story.drop.contact) - story.contact)
        for name, view in self.views.items():
            fall = story.fall(name)
            ulp = 0.0 if fall.detection == "gap" else story.ulp
            shown = story.picture_at(fall, number, self.share)
            axis, box = view.getPlotItem().getAxis("left"), view.getPlotItem().getViewBox()
            axis.setTicks([picture.axis_ticks(shown.top)])
            view.show_drawing(picture.ball_drawing(shown, ulp, offset, box.height()))
            view.set_value(picture.ball_text(name, shown, ulp, colours[name], self._theme.error))
        now = (story, number, self._foretold)
        if now == self._shown:
            return
        self._shown = now
        self.table.follow(number)
        self.digits.setText(digits_html(digit_rows(story, number, self._base), colours))
        of = "" if self._foretold else f" of {story.last}"
        self.transport.show_position(f"Event {number}{of}")
        self.transport.timeline.setHidden(self._foretold)
        self._write_words()

    def _write_words(self) -> None:
        if self._problem:
            self.words.setText(f"<span style='color:{self._theme.error}'>{escape(self._problem)}</span>")
        else:
            words = announce if self._foretold else explain
            self.words.setText(words_html(words(self.story, self.steps.index), ball_colours(self._theme)))

    # Qt

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Esc closes a separate window; beside a lesson it belongs to the lesson."""
        if event is not None and event.key() == Qt.Key.Key_Escape and self.isWindow():
            self.close()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent | None) -> None:
        """Take the keys, and start computing the falls on the plates."""
        self.steps.keys.on = True
        self.setFocus()  # not to a field, since keys control playback
        if self.samples is None:
            self._sample(self.story.drop)
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent | None) -> None:
        """Pause, even if the window is only minimised."""
        self.steps.pause()
        super().hideEvent(event)

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Stop timer, keys and thread. The window can be reopened."""
        self.steps.pause()
        self.steps.keys.on = False
        self._job.cancel()
        self._job.wait()
        super().closeEvent(event)


def _head(title: str, choice: SegmentRow) -> QHBoxLayout:
    """A row with a title and, at its end, a choice."""
    row = QHBoxLayout()
    row.addWidget(QLabel(f"<b>{title}</b>"))
    row.addStretch(1)
    row.addWidget(choice)
    return row
