"""What can be read: for a projector every text on its ground at above 7 : 1, in the themes of every day at 4.5 : 1."""

from __future__ import annotations

import pytest
from PyQt6.QtGui import QColor, QPalette
from PyQt6.QtWidgets import QApplication

from aggviewer.style.theme import DARK, LIGHT, PROJECTOR, Colors, WindowTheme, palette

Group = QPalette.ColorGroup

ENOUGH = 7.0
INKS = (
    "text",
    "muted",
    "accent",
    "info",
    "warning",
    "error",
    "event_driven",
    "event_driven_shade",
    "time_stepping",
    "time_stepping_shade",
)
GROUNDS = ("window", "base", "raised", "hover")


def luminance(color: QColor) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color.getRgbF()[:3])
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(a: QColor, b: QColor) -> float:
    """Of two opaque colours, 1 to 21."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def value(name: str) -> QColor:
    """A colour of the theme."""
    return QColor(str(vars(PROJECTOR)[name]))


@pytest.mark.parametrize("ink", INKS)
@pytest.mark.parametrize("ground", GROUNDS)
def test_every_ink_is_read_on_every_ground(ink: str, ground: str) -> None:
    assert contrast(value(ink), value(ground)) > ENOUGH


@pytest.mark.parametrize("theme", [DARK, LIGHT])
@pytest.mark.parametrize("ink", ["text", "muted"])
@pytest.mark.parametrize("ground", GROUNDS)
def test_text_and_icons_are_read_in_every_day_s_themes(theme: Colors, ink: str, ground: str) -> None:
    colors = vars(theme)
    assert contrast(QColor(colors[ink]), QColor(colors[ground])) > 4.5


def test_words_on_a_button_are_read() -> None:
    assert contrast(value("on_accent"), value("accent")) > ENOUGH


@pytest.mark.parametrize("group", [Group.Active, Group.Inactive, Group.Disabled])
def test_every_text_of_the_palette_is_read_also_what_cannot_be_used(group: Group) -> None:
    made, role = palette(PROJECTOR), QPalette.ColorRole
    for ink, ground in (
        (role.WindowText, role.Window),
        (role.Text, role.Base),
        (role.ButtonText, role.Button),
        (role.ToolTipText, role.ToolTipBase),
        (role.PlaceholderText, role.Base),
        (role.Link, role.Base),
    ):
        color = made.color(group, ink)
        assert color.alpha() == 255
        assert contrast(color, made.color(group, ground)) > ENOUGH


def test_it_can_be_used_for_a_while_whatever_is_chosen(qapp: QApplication) -> None:
    theme = WindowTheme()
    theme.choose("dark")
    assert theme.colors == DARK
    theme.use_instead("projector")
    assert (theme.colors, theme.dark) == (PROJECTOR, False)
    theme.choose("light")  # meanwhile
    assert theme.colors == PROJECTOR
    theme.choose("dark")
    theme.use_instead(None)
    assert theme.colors == DARK
