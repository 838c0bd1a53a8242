"""The outline of check boxes can be seen in both themes."""

from __future__ import annotations

from PyQt6.QtGui import QColor

from aggviewer.style.theme import DARK, LIGHT

_LEAST = 3.0  # WCAG 2.1, 1.4.11: what is needed to see a control


def contrast(one: QColor, other: QColor) -> float:
    """Of two colours, 1 to 21 (WCAG)."""

    def luminance(color: QColor) -> float:
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color.getRgbF()[:3]]  # type: ignore[operator]
        return sum(part * weight for part, weight in zip(parts, (0.2126, 0.7152, 0.0722), strict=True))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_outline_is_seen_on_every_ground() -> None:
    for theme in (DARK, LIGHT):
        for ground in (theme.window, theme.base, theme.raised):
            assert contrast(QColor(theme.outline), QColor(ground)) >= _LEAST
