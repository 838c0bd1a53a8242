"""One theme for all widgets, in one piece, and the colours that what draws itself asks for."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QSize
from PyQt6.QtGui import QColor, QIcon, QImage
from PyQt6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.style.theme import DARK, LIGHT, PROJECTOR, Colors, WindowTheme, colors_in_use, style_sheet
from aggviewer.widgets.buttons import icon

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


def color_of(drawn: QIcon, mode: QIcon.Mode = QIcon.Mode.Normal, state: QIcon.State = QIcon.State.Off) -> str:
    """The colour that most of an icon has."""
    image = drawn.pixmap(QSize(32, 32), 1.0, mode, state).toImage().convertToFormat(QImage.Format.Format_RGBA8888)
    colors = [image.pixelColor(x, y) for x in range(32) for y in range(32)]
    inked = [color.name() for color in colors if color.alpha() > (250 if mode == QIcon.Mode.Normal else 100)]
    return max(set(inked), key=inked.count)


def test_icons_follow_the_theme_by_themselves(qapp: QApplication) -> None:
    theme = WindowTheme()
    plain, fixed = icon("mdi6.square", on="accent"), icon("mdi6.square", "#123456")
    for name, colors in THEMES.items():
        theme.choose(name)  # type: ignore[arg-type]
        assert QColor(color_of(plain)) == QColor(colors.text)
        assert QColor(color_of(plain, state=QIcon.State.On)) == QColor(colors.accent)
        assert color_of(fixed) == "#123456"
    theme.close()
