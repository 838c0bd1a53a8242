"""The buttons for playing something step by step, which the step view and the lessons share."""

from __future__ import annotations

from collections.abc import Mapping

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from aggviewer.widgets.icons import icon

ICON = QSize(20, 20)

_ICONS = {
    "play": "mdi6.play",
    "first": "mdi6.skip-backward-outline",
    "back": "mdi6.step-backward",
    "forward": "mdi6.step-forward",
    "last": "mdi6.skip-forward-outline",
}


def step_button(tip: str, main: bool = False) -> QToolButton:
    """A button with only an icon.

    Parameters
    ----------
    tip : the tool tip. Its part before " (" is the name for screen readers.
    main : whether it stands out, as the button that plays does.
    """
    button = QToolButton()
    button.setIconSize(ICON)
    button.setToolTip(tip)
    button.setAccessibleName(tip.partition(" (")[0])
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if main:
        button.setObjectName("runButton")
    else:
        button.setProperty("flat", True)
        button.setAutoRaise(True)
    return button


class PlaybackButtons(QWidget):
    """Buttons for play and pause, first, back, forward and last.

    Parameters
    ----------
    tips
        The tool tip of each: ``play``, ``first``, ``back``, ``forward``, ``last``; see `step_button`.
    first
        The icon of the button that goes to the first step.

    Signals: ``moved(str)`` with the name of the button.
    """

    moved = pyqtSignal(str)

    def __init__(self, tips: Mapping[str, str], first: str = _ICONS["first"], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = {**_ICONS, "first": first}
        self._playing = False
        self.buttons = {name: step_button(tips[name], name == "play") for name in _ICONS}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for name, button in self.buttons.items():
            button.clicked.connect(lambda _checked, name=name: self.moved.emit(name))
            row.addWidget(button)
        self._draw_icons()

    def set_playing(self, playing: bool) -> None:
        """Show the icon for pausing while it plays, else that for playing."""
        if playing != self._playing:
            self._playing = playing
            self._draw_icons()

    def _draw_icons(self) -> None:
        for name, button in self.buttons.items():
            drawn = "mdi6.pause" if name == "play" and self._playing else self._icons[name]
            button.setIcon(icon(drawn, "on_accent" if name == "play" else "text"))
