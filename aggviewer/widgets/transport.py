"""A playback bar, with timeline, play and step buttons, position and pace; and a player with numbered stops that it
drives."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike
from PyQt6.QtCore import QEvent, QObject, QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFontMetrics, QKeyEvent, QResizeEvent
from PyQt6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from aggviewer.session.data import Timeline
from aggviewer.session.past.memory import Player
from aggviewer.style.theme import set_styled, tabular
from aggviewer.widgets.buttons import icon
from aggviewer.widgets.input_guard import ModeKeys
from aggviewer.widgets.labels import SteadyLabel
from aggviewer.widgets.number_edit import LogSlider
from aggviewer.widgets.screen import first_fitting
from aggviewer.widgets.timeline import TimelineBar
from engine.system import Clock

LEAVE_OUT = ("speed word", "value", "long slider", "run word", "time")
"""The parts hidden when there is little room, see `Transport`."""


@dataclass(frozen=True)
class PaceRange:
    """The range of the pace slider, `slowest` to `fastest` in units per second; double-click resets it to `usual`. text
    : formats a pace with its unit."""

    slowest: float
    fastest: float
    usual: float
    text: Callable[[float], str]


class Transport(QFrame):
    """Shows a state and emits requests; it does not know what is being played.

    Parameters
    ----------
    pace : the range of the slider.
    words : texts of the play button, while paused and while playing. There is room for *Restart*, too.
    leave_out : names of parts to hide when there is little room, in this order. Besides those of `add_left` and
        `add_right` these are ``"speed word"``, ``"value"`` of the pace, ``"long slider"``, ``"words"`` (beside the
        icons of `worded`), ``"run word"`` and ``"time"``.
    tip : tool tip of the timeline, see `TimelineBar`.

    Attributes
    ----------
    timeline, run_button, time, speed, value : the timeline, the play button, the position, the pace slider, and the
        pace in words.
    buttons : the buttons of `add_left` and `add_right`, by name.
    worded : buttons with a word beside the icon if there is room.

    Signals: ``asked(position)`` from the timeline; ``run_asked()``; ``pace_changed(float)``.
    """

    asked = pyqtSignal(float)
    run_asked = pyqtSignal()
    pace_changed = pyqtSignal(float)

    def __init__(
        self,
        pace: PaceRange,
        words: tuple[str, str] = ("Play", "Pause"),
        leave_out: Sequence[str] = LEAVE_OUT,
        tip: str = "",
    ) -> None:
        super().__init__()
        self.setObjectName("transport")
        self._pace = pace
        self._words = words
        self._stages = [frozenset(leave_out[:count]) for count in range(len(leave_out) + 1)]
        self._playing = self._blocked = self._second = False
        self._again = ""  # the word of the play button after the end
        self._beside_timeline: Collection[str] | None = None  # the parts of a bar with one line
        self._no_place: frozenset[str] = frozenset()
        self.timeline = TimelineBar(tip)
        self.timeline.asked.connect(self.asked)
        column = self._lines = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, 2, _MARGIN, 4)
        column.setSpacing(2)
        column.addWidget(self.timeline)
        self._layout = QHBoxLayout()
        self._layout.setSpacing(_GAP)
        column.addLayout(self._layout)

        self.run_button = QToolButton()
        self.run_button.setObjectName("runButton")
        self.run_button.clicked.connect(lambda: self.run_asked.emit())
        self.time = SteadyLabel("")
        self.time.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._speed_word = QLabel("Speed")
        self._speed_word.setProperty("quiet", True)
        self.speed = LogSlider(pace.slowest, pace.fastest, pace.usual)
        self.speed.setMaximumWidth(_LONGEST_SLIDER)
        self.speed.value_changed.connect(self._on_speed)
        self._speed_word.setBuddy(self.speed)
        self.value = QLabel()
        self.value.setFont(tabular())
        self._layout.addWidget(self.run_button)
        self._left_end = 1  # where the next part on the left comes in
        self._layout.addSpacing(_AROUND_TIME)
        self._layout.addStretch(1)
        self._layout.addWidget(self.time)
        self._layout.addStretch(1)
        self._layout.addSpacing(_AROUND_TIME)
        self._layout.addWidget(self._speed_word)
        self._layout.addWidget(self.speed, 2)
        self._layout.addWidget(self.value)
        self._row: dict[str, QWidget] = {
            "run": self.run_button,
            "time": self.time,
            "speed word": self._speed_word,
            "speed": self.speed,
            "value": self.value,
        }
        self.buttons: dict[str, QToolButton] = {}
        self.worded: list[QToolButton] = []
        self.set_playing(False)
        self.show_pace()

    def add_left(self, parts: Mapping[str, QWidget]) -> None:
        """Add parts on the left, after the existing ones."""
        for name, widget in parts.items():
            self._layout.insertWidget(self._left_end, widget)
            self._left_end += 1
            self._add(name, widget)

    def add_right(self, parts: Mapping[str, QWidget]) -> None:
        """Add parts at the end of the row."""
        for name, widget in parts.items():
            self._layout.addWidget(widget)
            self._add(name, widget)

    def _add(self, name: str, widget: QWidget) -> None:
        self._row[name] = widget
        if isinstance(widget, QToolButton):
            self.buttons[name] = widget
            widget.setAutoRaise(True)

    def set_one_line(self, parts: Collection[str] | None) -> None:
        """Show only these parts, with words, and the timeline beside them, which makes the bar half as high; None shows
        all."""
        if parts == self._beside_timeline:
            return
        self._beside_timeline, on = parts, parts is not None
        for button in self.buttons.values():
            button.setToolButtonStyle(_ICON_ONLY)  # those of `worded` are shown with words in `fit`
        if on:
            self._layout.insertWidget(self._left_end + 1, self.timeline, 100)  # nearly all the room
        else:
            self._lines.insertWidget(0, self.timeline)
        self._lines.setContentsMargins(_MARGIN, 4 if on else 2, _MARGIN, 4)
        self.fit()

    # what is shown

    def set_playing(self, playing: bool, again: str = "") -> None:
        """Set word and icon of the play button. again : the word where there is nothing left to play, and the button
        begins anew."""
        self._playing, self._again = playing, again
        word = again or self._words[playing]
        if self.run_button.text() != word:
            self.run_button.setText(word)
            self.run_button.setAccessibleName(word)
        self._draw_run_button()

    def show_position(self, text: str) -> None:
        """Show the position in words."""
        if text != self.time.text():
            self.time.setText(text)

    def show_pace(self, text: str | None = None) -> None:
        """Show the pace in words."""
        self.value.setText(self._pace.text(self.speed.number) if text is None else text)

    def describe_pace(self, name: str, tip: str, text: Callable[[float], str] | None = None) -> None:
        """Set the slider's name and tool tip; text : formats a pace with another unit."""
        if text is not None:
            self._pace = PaceRange(self._pace.slowest, self._pace.fastest, self._pace.usual, text)
        self.speed.setAccessibleName(name)
        for widget in (self.speed, self.value):
            widget.setToolTip(tip)

    def leave_no_place(self, names: frozenset[str]) -> None:
        """Hide these parts, which have no use now; all others are shown if there is room."""
        if names != self._no_place:
            self._no_place = names
            self.fit()

    def _draw_run_button(self) -> None:
        quiet = self._blocked or self._second
        set_styled(self.run_button, "quiet", quiet)
        color = "text" if quiet else "on_accent"
        name = "restart" if self._again else "pause" if self._playing else "play"
        self.run_button.setIcon(icon(f"mdi6.{name}", color))

    def let_others_stand_out(self, back: bool) -> None:
        """Leave it to another button of the window to stand out, such as *Next* of a lesson."""
        self._second = back
        self._draw_run_button()

    def event(self, event: QEvent | None) -> bool:
        """While a dialog or a popup has the window, the button that stands out is theirs."""
        blocked, unblocked = QEvent.Type.WindowBlocked, QEvent.Type.WindowUnblocked
        if event is not None and event.type() in (blocked, unblocked):
            self._blocked = event.type() == blocked or QApplication.activeModalWidget() is not None
            self._draw_run_button()
        return super().event(event)

    def _on_speed(self, value: float) -> None:
        self.show_pace()
        self.pace_changed.emit(value)

    # keys and size

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Press the focused button with Return, because Space always plays and pauses."""
        focus = QApplication.focusWidget()
        if event is None or event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif isinstance(focus, QAbstractButton) and self.isAncestorOf(focus):
            focus.click()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Hide parts to fit the new width."""
        self.fit()
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent | None) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event is not None and event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.measure()

    def measure(self) -> None:
        """Measure the parts again with the present font."""
        side = max(_ICON, round(_ICON_LINES * self.fontMetrics().height()))
        for button in self.findChildren(QToolButton):
            button.setIconSize(QSize(side, side))
        metrics = QFontMetrics(self.value.font())
        paces = (self._pace.slowest, self._pace.fastest)
        self.value.setMinimumWidth(max(metrics.horizontalAdvance(f"{self._pace.text(pace)} ") for pace in paces))
        self.fit()

    def fit(self) -> None:
        """Show the parts that fit."""
        out = first_fitting(self._stages, self._needed, self.width() - 2 * _MARGIN)
        self._give_words(out)
        for name in ("run", "speed"):
            self._row[name].setMinimumWidth(self._least(name, out))
        shown = self._parts_shown(out)
        for name, widget in self._row.items():
            widget.setVisible(name in shown)

    def _parts_shown(self, out: frozenset[str]) -> list[str]:
        shown = [name for name in self._row if name not in out and name not in self._no_place]
        kept = self._beside_timeline
        return shown if kept is None else [name for name in shown if name in kept]

    def _needed(self, out: frozenset[str]) -> int:
        """The width of the row in pixels, without the parts named in `out`."""
        self._give_words(out)
        widths = [self._least(name, out) for name in self._parts_shown(out)]
        if self._beside_timeline is not None:
            widths.append(self.timeline.minimumSizeHint().width())
        return sum(widths) + _GAP * (len(widths) - 1) + 2 * _AROUND_TIME

    def _least(self, name: str, out: frozenset[str]) -> int:
        """The least width of a part of the row, in pixels."""
        if name == "speed":
            return _SHORT_SLIDER if "long slider" in out else _SLIDER
        widget = self._row[name]
        if name != "run":
            return max(widget.minimumWidth(), widget.minimumSizeHint().width())
        hint = widget.minimumSizeHint().width()
        if "run word" in out:
            return hint
        metrics = QFontMetrics(widget.font())
        shown, *words = (self.run_button.text(), _LONGEST_WORD, *self._words)
        width, *widths = (metrics.size(Qt.TextFlag.TextShowMnemonic, word).width() for word in (shown, *words))
        return hint + max(widths) - width  # the bar does not move when the word changes

    def _give_words(self, out: frozenset[str]) -> None:
        """Show or hide the words beside the icons."""
        self.run_button.setToolButtonStyle(_ICON_ONLY if "run word" in out else _WITH_WORD)
        for button in self.worded if self._beside_timeline is None else self.buttons.values():
            button.setToolButtonStyle(_ICON_ONLY if "words" in out else _WITH_WORD)

    def minimumSizeHint(self) -> QSize:
        """Narrow enough for a small window."""
        return QSize(360, super().minimumSizeHint().height())


_STEP_ICONS = {
    "first": "mdi6.skip-backward-outline",
    "back": "mdi6.step-backward",
    "forward": "mdi6.step-forward",
    "last": "mdi6.skip-forward-outline",
}


class SteppingTransport(Transport):
    """A transport with buttons for the first, previous, next and last position.

    Parameters
    ----------
    tips : tool tips of ``play``, ``first``, ``back``, ``forward`` and ``last``; the part before " (" is also the name
        for screen readers.
    first : another icon for the first-position button.
    pace, tip, leave_out : see `Transport`.

    Signal: ``moved(str)`` with the name of a button, ``play`` among them.
    """

    moved = pyqtSignal(str)

    def __init__(
        self,
        tips: Mapping[str, str],
        pace: PaceRange,
        tip: str,
        first: str = _STEP_ICONS["first"],
        leave_out: Sequence[str] = LEAVE_OUT,
    ) -> None:
        super().__init__(pace, tip=tip, leave_out=leave_out)
        self._icons = {**_STEP_ICONS, "first": first}
        self.run_button.setToolTip(tips["play"])
        self.run_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.run_asked.connect(lambda: self.moved.emit("play"))
        steps = {name: flat_button(tips[name]) for name in self._icons}
        for name, button in steps.items():
            button.setIcon(icon(self._icons[name]))
            button.setAutoRepeat(name in ("back", "forward"))
            button.clicked.connect(lambda _checked, name=name: self.moved.emit(name))
        self.add_left(steps)

    def show_ends(self, *, at_first: bool, at_last: bool) -> None:
        """Enable or disable moving back and forward."""
        for name in self._icons:
            self.buttons[name].setEnabled(not (at_first if name in ("first", "back") else at_last))


def flat_button(tip: str, text: str = "") -> QToolButton:
    """A button with an icon, and a text if there is room. tip : the part before " (" is also the name for screen
    readers."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(text or tip.partition(" (")[0])
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setAutoRaise(True)
    return button


_TICK_MS = 16  # between two ticks


class SteppingPlayer(QObject):
    """Plays stops 0, 1, … controlled by a transport and the keys Space, ←, →, Home and End. The transport shows the
    position.

    Parameters
    ----------
    transport : shows the position and controls the player.
    clock : the unit that the stops count.
    window : where the keys work, while `keys` are on.
    keys : further keys and their actions.
    longest : most seconds that one tick may advance; None for the time of one stop, so that no stop is skipped.

    Attributes
    ----------
    player : the position.
    keys : switches the keys on and off.
    ready : whether the picture is finished; until then playback waits.

    Signal: ``moved`` when the position changes.
    """

    moved = pyqtSignal()

    def __init__(
        self,
        transport: SteppingTransport,
        clock: Clock,
        window: QWidget,
        keys: Mapping[Qt.Key, Callable[[], object]],
        *,
        longest: float | None = None,
    ) -> None:
        super().__init__(window)
        self.player = Player()
        self.ready: Callable[[], bool] = lambda: True
        self._transport, self._clock, self._longest = transport, clock, longest
        self._marks = np.empty(0)
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(lambda: self.advance(perf_counter()))
        steps = {"back": Qt.Key.Key_Left, "forward": Qt.Key.Key_Right, "first": Qt.Key.Key_Home, "last": Qt.Key.Key_End}
        own = {key: lambda name=name: self.move(name) for name, key in steps.items()}
        self.keys = ModeKeys(window, {Qt.Key.Key_Space: self.toggle, **own, **keys})
        transport.moved.connect(self.move)
        transport.asked.connect(lambda position: self.go_to(round(position)))
        transport.pace_changed.connect(self._set_pace)
        self._set_pace(transport.speed.number)

    @property
    def index(self) -> int:
        """The stop at the position, or the last one before it."""
        return self.player.index

    @property
    def playing(self) -> bool:
        """Whether it is playing."""
        return self.player.playing

    def set_stops(self, stops: ArrayLike, marks: ArrayLike = ()) -> None:
        """Set the stops and go to the first; marks : on the line. A single stop cannot be played."""
        self.pause()
        self.player.set_stops(stops)
        self._marks = np.asarray(marks, np.float64)
        self.go_to(0)

    def play(self) -> None:
        """Play from here, if there is something to play."""
        if len(self.player.stops) > 1:
            self.player.start(perf_counter())
            self._timer.start()
            self._transport.set_playing(True)

    def pause(self) -> None:
        """Pause."""
        self.player.hold()
        self._timer.stop()
        self._transport.set_playing(False)

    def toggle(self) -> None:
        """Play or pause; at the end, start again."""
        if self.playing:
            self.pause()
        else:
            if self.player.at_end:
                self.go_to(0)
            self.play()

    def move(self, where: str) -> None:
        """Go ``first``, ``back``, ``forward`` or ``last`` and pause, or ``play`` as `toggle` does."""
        if where == "play":
            self.toggle()
        else:
            before, last = ceil(self.player.position) - 1, float(self.player.stops[-1])
            self.go_to({"first": 0, "back": before, "forward": self.index + 1, "last": last}[where])

    def go_to(self, stop: float) -> None:
        """Go to the nearest existing stop, and pause."""
        self.pause()
        self.player.seek(stop)
        self._show()

    def advance(self, now: float) -> None:
        """Advance to the clock time `now`, and stop at the end."""
        if not self.ready():
            return
        before = self.player.position
        self.player.tick(now)
        if not self.playing:
            self.pause()
        if self.player.position != before:
            self._show()

    def _set_pace(self, pace: float) -> None:
        self.player.pace = pace
        self.player.longest = 1.0 / pace if self._longest is None else self._longest

    def _show(self) -> None:
        player = self.player
        line = Timeline(0.0, float(player.stops[-1]), player.position, self._marks, replay=True)
        self._transport.timeline.show_timeline(line if len(player.stops) > 1 else None, self._clock)
        self._transport.show_ends(at_first=player.position == player.stops[0], at_last=player.at_end)
        self.moved.emit()


_LONGEST_WORD = "Restart"  # of the play button, for which there is room
_ICON, _ICON_LINES = 18, 1.1  # pixels of the icons, at least; and in heights of the text
_MARGIN, _GAP, _AROUND_TIME = 8, 4, 8  # pixels
_SLIDER, _SHORT_SLIDER, _LONGEST_SLIDER = 88, 56, 240
_WITH_WORD, _ICON_ONLY = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly
