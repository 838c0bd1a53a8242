"""Icons of the Material Design font from qtawesome, in the colours of the theme.

The font is drawn here because importing qtawesome takes a quarter of a second: it loads eleven other fonts, and its
dependency qtpy inspects all Qt classes.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PyQt6.QtCore import QPoint, QRect, QSize, Qt
from PyQt6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap

from aggviewer.style.theme import colors_in_use

_PREFIX = "mdi6."
_FILES = "materialdesignicons6-webfont"
_SIZE = 0.875  # of the font, in heights of the icon: room for the bearings of the font
_DISABLED = 110  # of 255: how opaque an icon is that cannot be used


def icon(name: str, color: str = "text", on: str = "") -> QIcon:
    """An icon that follows the theme, named as in qtawesome's browser.

    Parameters
    ----------
    name : such as ``mdi6.pencil``. KeyError for an unknown name.
    color : the name of a colour of the theme (`aggviewer.style.theme.Colors`), or a fixed one as ``#rrggbb``.
    on : the icon while its button is checked, if different.
    """
    return QIcon(_Engine(_characters()[name.removeprefix(_PREFIX)], color, on or color))


class _Engine(QIconEngine):
    """Draws one character, the same when hovered."""

    def __init__(self, character: str, color: str, on: str) -> None:
        super().__init__()
        self._character, self._color, self._on = character, color, on

    def clone(self) -> QIconEngine:
        """Qt's hook: a copy."""
        return _Engine(self._character, self._color, self._on)

    def paint(self, painter: QPainter | None, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Qt's hook: the character in the middle of `rect`."""
        if painter is None:
            return
        color = _color(self._on if state == QIcon.State.On and mode != QIcon.Mode.Disabled else self._color)
        if mode == QIcon.Mode.Disabled:
            color.setAlpha(_DISABLED)
        font = QFont(_family())
        font.setPixelSize(max(1, round(_SIZE * rect.height())))
        painter.save()
        painter.setPen(color)
        painter.setFont(font)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self._character)
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """Qt's hook: the icon on a transparent background."""
        drawn = QPixmap(size)
        drawn.fill(Qt.GlobalColor.transparent)
        if drawn.isNull():  # of a button without room
            return drawn
        with QPainter(drawn) as painter:
            self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        return drawn


def _color(name: str) -> QColor:
    """A colour of the theme in use, or a fixed one."""
    return QColor(name if name.startswith("#") else getattr(colors_in_use(), name))


def _family() -> str:
    """The name of the font, known to the present application."""
    families = QFontDatabase.applicationFontFamilies(_loaded[0]) if _loaded else []
    if not families:  # not loaded, or only by an earlier application
        _loaded[:] = [QFontDatabase.addApplicationFontFromData(_file(".ttf").read_bytes())]
        families = QFontDatabase.applicationFontFamilies(_loaded[0])
    return families[0]


_loaded: list[int] = []  # the number that Qt knows the font by


@cache
def _characters() -> dict[str, str]:
    """The character of each name."""
    codes: dict[str, str] = json.loads(_file(".json").read_text(encoding="utf-8"))
    return {name: chr(int(code, 16)) for name, code in codes.items()}


def _file(suffix: str) -> Path:
    """A file of the font in qtawesome's folder, of any version."""
    spec = find_spec("qtawesome")
    places = None if spec is None else spec.submodule_search_locations
    assert places, "qtawesome is not installed"
    return next((Path(places[0]) / "fonts").glob(f"{_FILES}*{suffix}"))
