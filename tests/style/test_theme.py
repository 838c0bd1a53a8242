"""One theme for all widgets, in one piece, and the colours that what draws itself asks for."""

from __future__ import annotations

import pytest
from PyQt6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.style.theme import DARK, LIGHT, PROJECTOR, Colors, WindowTheme, colors_in_use, style_sheet

THEMES = {"dark": DARK, "light": LIGHT, "projector": PROJECTOR}


@pytest.mark.parametrize("name", THEMES)
def test_all_widgets_have_the_colours_of_a_theme_before_others_are_told_of_it(
    qtbot: QtBot, qapp: QApplication, name: str
) -> None:
    theme = WindowTheme()
    theme.choose("light" if name == "dark" else "dark")
    shown = QWidget()
    qtbot.addWidget(shown)
    layout = QVBoxLayout(shown)
    seen, hidden = QLabel("a"), QLabel("b")
    for one in (seen, hidden):
        one.setObjectName("bubble")
        layout.addWidget(one)
    hidden.hide()
    shown.show()
    told: list[Colors] = []

    def tell(colors: Colors) -> None:
        told.append(colors)
        assert qapp.styleSheet() == style_sheet(colors)
        assert {one.palette().color(one.foregroundRole()).name() for one in (seen, hidden)} == {colors.error}

    theme.changed.connect(tell)
    theme.choose(name)  # type: ignore[arg-type]
    assert told == [THEMES[name]] == [colors_in_use()]
    theme.choose(name)  # type: ignore[arg-type]
    assert len(told) == 1
    theme.use_instead("projector")
    assert theme.colors == PROJECTOR
    theme.choose("light" if name == "dark" else "dark")  # meanwhile
    assert theme.colors == PROJECTOR
    theme.choose(name)  # type: ignore[arg-type]
    theme.use_instead(None)
    assert told[-1] == theme.colors == THEMES[name]
    theme.close()
