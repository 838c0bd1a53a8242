"""Colours and fonts that the panels share. The hue of a method is the same everywhere: blue event-driven, orange
time-stepping (Okabe and Ito's pair, which stays apart for colour-blind eyes), lighter on a dark ground."""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtGui import QFont


@dataclass(frozen=True)
class Theme:
    """Colours as ``#rrggbb``; `grid` and `band` are drawn over the panel and carry their own alpha (0 to 255). A second
    run of the same method has a shade of its hue."""

    text: str
    muted: str
    ground: str
    grid: int
    band: tuple[int, int, int, int]
    error: str
    event_driven: str
    event_driven_shade: str
    time_stepping: str
    time_stepping_shade: str


LIGHT = Theme(
    text="#1b1f24",
    muted="#59636e",
    ground="#f3f4f6",
    grid=36,
    band=(0, 0, 0, 14),
    error="#b3261e",
    event_driven="#0072b2",
    event_driven_shade="#00304d",
    time_stepping="#d55e00",
    time_stepping_shade="#6b2a00",
)
DARK = Theme(
    text="#e6e9ed",
    muted="#a3adb8",
    ground="#1c2026",
    grid=44,
    band=(255, 255, 255, 16),
    error="#ff8f86",
    event_driven="#56b4e9",
    event_driven_shade="#c9e8fa",
    time_stepping="#ff9a5c",
    time_stepping_shade="#ffe9da",
)


def theme(dark: bool) -> Theme:
    """The colours for a dark or a light ground."""
    return DARK if dark else LIGHT


def tabular(font: QFont, scale: float = 1.0) -> QFont:
    """`font` with digits of one width, so that numbers which change do not move, at `scale` times its size."""
    result = QFont(font)
    result.setFeature(QFont.Tag("tnum"), 1)
    if result.pointSizeF() > 0:
        result.setPointSizeF(result.pointSizeF() * scale)
    return result
