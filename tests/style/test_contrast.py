"""Text is read on its ground: for a projector at above 7 : 1, in the themes of every day at 4.5 : 1 (WCAG 2)."""

from __future__ import annotations

import pytest
from PyQt6.QtGui import QPalette

from aggviewer.style.theme import DARK, LIGHT, PROJECTOR, Colors, palette
from tests.builders.color_vision import contrast

Group, Role = QPalette.ColorGroup, QPalette.ColorRole
INKS = (
    *("text", "muted", "accent", "info", "warning", "error"),
    *("event_driven", "event_driven_shade", "time_stepping", "time_stepping_shade"),
)


@pytest.mark.parametrize(("theme", "inks", "enough"), [
    (PROJECTOR, INKS, 7.0), (DARK, ("text", "muted"), 4.5), (LIGHT, ("text", "muted"), 4.5)
])  # fmt: skip
def test_every_ink_is_read_on_every_ground(theme: Colors, inks: tuple[str, ...], enough: float) -> None:
    colors = vars(theme)
    for ground in ("window", "base", "raised", "hover"):
        for ink in inks:
            assert contrast(colors[ink], colors[ground]) > enough, (ink, ground)
    if theme is PROJECTOR:
        assert contrast(theme.on_accent, theme.accent) > enough, "words on a button"


@pytest.mark.parametrize("group", [Group.Active, Group.Inactive, Group.Disabled])
def test_every_text_of_the_palette_is_read_also_of_what_cannot_be_used(group: Group) -> None:
    made = palette(PROJECTOR)
    for ink, ground in (
        (Role.WindowText, Role.Window),
        (Role.Text, Role.Base),
        (Role.ButtonText, Role.Button),
        (Role.ToolTipText, Role.ToolTipBase),
        (Role.PlaceholderText, Role.Base),
        (Role.Link, Role.Base),
    ):
        color = made.color(group, ink)
        assert color.alpha() == 255
        assert contrast(color.name(), made.color(group, ground).name()) > 7.0
