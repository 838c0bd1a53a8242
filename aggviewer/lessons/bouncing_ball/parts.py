"""What the parts of the lesson about the bouncing ball share: colours, a font, and a title row with a choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QFont, QFontDatabase
from PyQt6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QPushButton, QWidget

from aggviewer.style.theme import DARK, LIGHT, Colors


@dataclass(frozen=True)
class BallColors:
    """The colours of both balls: purple and green by Okabe and Ito, which colour-blind people can tell apart.

    No method has these colours elsewhere in the program.
    """

    window: Colors
    naive: str
    stable: str


ON_DARK = BallColors(DARK, naive="#e292bd", stable="#35c498")
ON_LIGHT = BallColors(LIGHT, naive="#a63d77", stable="#00755a")


def ball_colors(dark: bool) -> BallColors:
    """The colours for a dark or a light background."""
    return ON_DARK if dark else ON_LIGHT


def digits_font(scale: float = 1.0) -> QFont:
    """A font with characters of equal width, at `scale` times the usual size."""
    result = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    usual = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).pointSizeF()
    result.setPointSizeF(max(6.0, usual * scale))
    return result


def head_with_choice(
    owner: QWidget, title: str, tips: Mapping[str, str], chosen: Callable[[str], None]
) -> tuple[QHBoxLayout, dict[str, QPushButton]]:
    """A row with a title and, at its end, a button for each of several choices, one of which is checked.

    Parameters
    ----------
    owner : the widget that the row will be in.
    title : shown in bold.
    tips : the tool tip of each choice by its name. The name, with a capital, is the text of the button.
    chosen : called with the name of the choice that is clicked.
    """
    row = QHBoxLayout()
    row.setSpacing(4)
    label = QLabel(title)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    row.addWidget(label)
    row.addStretch(1)
    group = QButtonGroup(owner)
    buttons = {}
    for name, tip in tips.items():
        button = buttons[name] = QPushButton(name.capitalize())
        button.setCheckable(True)
        button.setProperty("segment", True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setToolTip(tip)
        button.clicked.connect(lambda _checked, name=name: chosen(name))
        group.addButton(button)
        row.addWidget(button)
    return row, buttons
