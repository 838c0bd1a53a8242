"""The bar of the mode inside a step; it takes the place of the transport."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QFontMetrics, QKeyEvent, QResizeEvent
from PyQt6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
)

from aggviewer.session.step.story import StepStory, StoryFrame, counted
from aggviewer.style.theme import Colors, tabular
from aggviewer.widgets.icons import icon
from aggviewer.widgets.log_slider import LogSlider
from aggviewer.widgets.playback_buttons import ICON, PlaybackButtons, step_button
from aggviewer.window.step_view.reading import StepReading
from aggviewer.window.step_view.timeline import ChapterStrip, StorySlider

SLOWEST, FASTEST, USUAL = 1.0, 60.0, 12.0
"""Ends and default of the speed, ticks per second."""

_PLACE_ICONS = {"previous_place": "mdi6.chevron-left", "next_place": "mdi6.chevron-right"}
_WORD_ICONS = {"next_step": "mdi6.page-next-outline", "leave": "mdi6.close"}
_TIPS = {
    "first": "To the start of the step (Home)",
    "back": "One tick back (←)",
    "play": "Play or pause (Space)",
    "forward": "One tick on (→)",
    "last": "To the end of the step (End)",
    "previous_place": "Previous collision: moves the view there",
    "next_place": "Next collision: moves the view there",
}
_WIDE = 720  # width of the bar from which there is room for numbers beside the curve
_WORDS = 560  # the same for words on the buttons


class StepBar(QFrame):
    """Shows where the story is and says what was asked for; knows nothing of the canvas.

    Signals: tick_asked(int); iteration_asked(int); moved(str) for ``first``, ``back``, ``play``, ``forward``, ``last``;
    place_asked(int), +1 or -1; speed_changed(float), ticks per second; next_asked(); leave_asked().
    """

    tick_asked = pyqtSignal(int)
    iteration_asked = pyqtSignal(int)
    moved = pyqtSignal(str)
    place_asked = pyqtSignal(int)
    speed_changed = pyqtSignal(float)
    next_asked = pyqtSignal()
    leave_asked = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("transport")  # it looks as what it replaces
        self._story: StepStory | None = None
        self._wide = True
        self._place_texts = ("", "")
        self.strip = ChapterStrip()
        self.slider = StorySlider()
        self._playback = PlaybackButtons(_TIPS)
        places = {name: step_button(_TIPS[name]) for name in _PLACE_ICONS}
        self.buttons = {**self._playback.buttons, **places}
        self.next_step = self._words("Next step", "Trace the next step with a collision, and show it")
        self.leave = self._words("Leave", "Back to the simulation (Esc)")
        self.speed = LogSlider(SLOWEST, FASTEST, USUAL)
        self._speed_word, self._speed_value = QLabel("Speed"), QLabel()
        self.place = QLabel()
        self.reading = StepReading()
        self._lay_out()
        self._connect()
        self._show_speed()
        word_buttons = {"next_step": self.next_step, "leave": self.leave}
        for name, drawn in (*_PLACE_ICONS.items(), *_WORD_ICONS.items()):
            (self.buttons | word_buttons)[name].setIcon(icon(drawn))
        self.show_message("")

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(8)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.strip, 1)
        head.addWidget(self.next_step)
        head.addWidget(self.leave)
        layout.addLayout(head)
        layout.addWidget(self.slider)

        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self._playback)
        row.addSpacing(8)
        row.addWidget(self._speed_word)
        row.addWidget(self.speed)
        row.addWidget(self._speed_value)
        row.addStretch(1)
        row.addWidget(self.buttons["previous_place"])
        row.addWidget(self.place)
        row.addWidget(self.buttons["next_place"])
        layout.addLayout(row)

        layout.addWidget(self.reading)
        self.speed.setMinimumWidth(56)
        self.speed.setMaximumWidth(120)
        tip = f"Speed: ticks per second, {SLOWEST:g} to {FASTEST:g}; an iteration is a tick.\nA double click resets it."
        self.speed.setToolTip(tip)
        self.speed.setAccessibleName("Speed, ticks per second")
        self._speed_word.setBuddy(self.speed)
        self._speed_word.setProperty("quiet", True)
        self._speed_value.setFont(tabular())
        self._speed_value.setToolTip(tip)
        self.place.setFont(tabular())
        self.place.setAlignment(Qt.AlignmentFlag.AlignCenter)

    def _connect(self) -> None:
        self.strip.chosen.connect(self.tick_asked)
        self.slider.valueChanged.connect(self.tick_asked)
        self.reading.curve.chosen.connect(self.iteration_asked)
        self.speed.value_changed.connect(self._on_speed)
        self.next_step.clicked.connect(lambda: self.next_asked.emit())
        self.leave.clicked.connect(lambda: self.leave_asked.emit())
        self._playback.moved.connect(self.moved)
        for name in ("back", "forward", *_PLACE_ICONS):
            self.buttons[name].setAutoRepeat(True)
        self.buttons["previous_place"].clicked.connect(lambda: self.place_asked.emit(-1))
        self.buttons["next_place"].clicked.connect(lambda: self.place_asked.emit(1))

    def _words(self, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setIconSize(ICON)
        button.setToolTip(tip)
        button.setProperty("flat", True)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    # what is shown

    def set_story(self, story: StepStory) -> None:
        """Another step."""
        self._story = story
        self._enable(True)
        self.strip.set_chapters(story.chapters)
        blocked = self.slider.blockSignals(True)
        self.slider.set_chapters(story.chapters)
        self.slider.blockSignals(blocked)
        self.reading.set_story(story)
        self.set_place(None)

    def show_frame(self, tick: int, frame: StoryFrame) -> None:
        """Where the story is."""
        if self._story is None:
            return
        blocked = self.slider.blockSignals(True)
        self.slider.setValue(tick)
        self.slider.blockSignals(blocked)
        self.strip.set_current(frame.chapter)
        self.reading.show_frame(frame)
        self.buttons["back"].setEnabled(tick > 0)
        self.buttons["first"].setEnabled(tick > 0)
        self.buttons["forward"].setEnabled(tick < self._story.last)
        self.buttons["last"].setEnabled(tick < self._story.last)

    def set_place(self, index: int | None) -> None:
        """The collision that the view has gone to, None for no one in particular."""
        count = len(self._story.places) if self._story is not None else 0
        found = counted(count, "collision") if count else "No collision"
        self._place_texts = (
            (f"Collision {index + 1} of {count}", f"{index + 1} of {count}") if index is not None else (found, found)
        )
        self._write_place()
        for name in ("previous_place", "next_place"):
            self.buttons[name].setEnabled(count > 0)

    def _write_place(self) -> None:
        self.place.setText(self._place_texts[0 if self._wide else 1])

    def set_playing(self, playing: bool) -> None:
        """Whether it plays."""
        self._playback.set_playing(playing)

    def show_message(self, text: str) -> None:
        """No story: what is waited for, or why there is none. Leaving is all that can be done."""
        self._story = None
        self._enable(False)
        self.reading.show_message(text)
        self._place_texts = ("", "")
        self._write_place()

    def _enable(self, enabled: bool) -> None:
        for widget in (self.strip, self.slider, self.reading.curve, self.next_step, self.speed, *self.buttons.values()):
            widget.setEnabled(enabled)

    def set_colors(self, colors: Colors) -> None:
        """Another theme."""
        self.reading.curve.set_theme(colors)
        self.strip.set_colors(colors)

    # speed and width

    def _on_speed(self, value: float) -> None:
        self._show_speed()
        self.speed_changed.emit(value)

    def _show_speed(self) -> None:
        self._speed_value.setText(f"{self.speed.number:.0f} /s")

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Leave words out where there is little room."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent | None) -> None:
        """Sizes follow the font: the large type of the presenter, and back."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        width, metrics = self.width(), QFontMetrics(self.place.font())
        self._wide = width >= _WIDE
        self._speed_word.setVisible(self._wide)
        self._speed_value.setVisible(width >= _WORDS)
        self._speed_value.setMinimumWidth(metrics.horizontalAdvance("00 /s "))
        style = Qt.ToolButtonStyle
        for button in (self.next_step, self.leave):
            button.setToolButtonStyle(style.ToolButtonTextOnly if width >= _WORDS else style.ToolButtonIconOnly)
        self.reading.fit(width, wide=self._wide)
        self.place.setMinimumWidth(metrics.horizontalAdvance("Collision 00 of 00" if self._wide else "00 collisions"))
        self._write_place()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Return presses the button that has the focus: a space plays and pauses everywhere."""
        focus = QApplication.focusWidget()
        if event is None or event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif isinstance(focus, QAbstractButton) and self.isAncestorOf(focus):
            focus.click()

    def minimumSizeHint(self) -> QSize:
        """Narrow enough for a small window."""
        return QSize(360, super().minimumSizeHint().height())
