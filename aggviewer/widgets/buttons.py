"""Buttons and their icons: one that opens and closes a part of a panel, and a row of which one is selected.

The icons are those of the Material Design font from qtawesome, in the colours of the theme.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PyQt6.QtCore import QEvent, QPoint, QRect, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap, QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from aggviewer.style.theme import colors_in_use

_LETTERS = 12  # least number of visible letters of a long name


class FoldButton(QToolButton):
    """A bold name with an arrow; the part is open while the button is checked.

    Space and Enter press it like any button. Where there is little room it shows its short name, and shortens that with
    an ellipsis if it does not fit either.
    """

    def __init__(self, title: str, parent: QWidget | None = None, *, short: str = "") -> None:
        super().__init__(parent)
        self._title, self._short = title, short or title
        self.setText(title)
        self.setAccessibleName(title)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setCheckable(True)
        self.setChecked(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(12, 12))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        font = self.font()
        font.setBold(True)
        self.setFont(font)
        self.toggled.connect(self._turn)
        self._turn(True)

    def set_title(self, title: str) -> None:
        """Change the name."""
        self._title = self._short = title
        self.setText(title)
        self.setAccessibleName(title)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """The size needed for the whole name."""
        return self._hint(self._title)

    @property
    def short_width(self) -> int:
        """The width in pixels that the short name needs."""
        return self._hint(self._short).width()

    def minimumSizeHint(self) -> QSize:
        """The size needed for the start of the short name."""
        beginning = self._short if len(self._short) <= _LETTERS else self._short[:_LETTERS] + "…"
        return self._hint(beginning)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Show the name, or as much of the short one as fits."""
        super().resizeEvent(event)
        metrics, room = self.fontMetrics(), self.width() - self._hint("").width()
        name = self._title if metrics.horizontalAdvance(self._title) <= room else self._short
        self.setText(metrics.elidedText(name, Qt.TextElideMode.ElideRight, room))

    def _hint(self, text: str) -> QSize:
        metrics, flag = self.fontMetrics(), Qt.TextFlag.TextShowMnemonic
        more = metrics.size(flag, text).width() - metrics.size(flag, self.text()).width()
        return super().sizeHint() + QSize(more, 0)

    def _turn(self, opened: bool) -> None:
        self.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)


_AROUND = 4  # characters beside the words of a button


class SegmentRow(QWidget):
    """One button per choice; the selected one is filled.

    Signal: ``chosen(name)`` when the user clicks one.
    """

    chosen = pyqtSignal(str)

    def __init__(self, tips: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(2)
        self.buttons: dict[str, QPushButton] = {}
        self.set_choices(tips or {})

    def set_choices(self, tips: Mapping[str, str]) -> None:
        """Set the choices: the text and tool tip of each button."""
        if list(tips) == list(self.buttons):
            return
        for button in self.buttons.values():
            button.hide()
            button.deleteLater()
        self.buttons = {name: self._button(name, tip) for name, tip in tips.items()}

    def _button(self, name: str, tip: str) -> QPushButton:
        button = QPushButton(name)
        button.setProperty("segment", True)
        button.setCheckable(True)
        button.setToolTip(tip)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click does not move the keyboard focus
        button.setFont(self.font())  # a new widget inherits its parent's font only without a style sheet
        button.clicked.connect(lambda: self._choose(name))
        button.setMinimumWidth(1)  # buttons share the width in proportion to their text
        self._row.addWidget(button, len(name) + _AROUND)
        return button

    def _choose(self, name: str) -> None:
        self.set_current(name)
        self.chosen.emit(name)

    def set_current(self, name: str) -> None:
        """Set the selected one; clicking it again does not deselect it."""
        for other, button in self.buttons.items():
            button.setChecked(other == name)

    def changeEvent(self, event: QEvent | None) -> None:
        """Follow changes of the font, such as in presenter mode."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange:
            for button in self.buttons.values():
                button.setFont(self.font())


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
