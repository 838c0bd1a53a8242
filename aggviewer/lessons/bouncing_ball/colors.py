"""Colours and fonts of the lesson about the bouncing ball."""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtGui import QFont, QFontDatabase

from aggviewer.style.theme import DARK, LIGHT, Colors


@dataclass(frozen=True)
class BallColors:
    """Okabe and Ito's purple and green, which stay apart for colour-blind eyes and are no method's colour elsewhere."""

    window: Colors
    naive: str
    stable: str


ON_DARK = BallColors(DARK, naive="#e292bd", stable="#35c498")
ON_LIGHT = BallColors(LIGHT, naive="#a63d77", stable="#00755a")


def ball_colors(dark: bool) -> BallColors:
    """For a dark or a light ground."""
    return ON_DARK if dark else ON_LIGHT


def digits_font(scale: float = 1.0) -> QFont:
    """All characters of one width, at `scale` times the usual size."""
    result = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    usual = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).pointSizeF()
    result.setPointSizeF(max(6.0, usual * scale))
    return result
