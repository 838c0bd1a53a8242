"""The menus and the top bar, built from the commands. The bar also has the scenario and the colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PyQt6.QtCore import QEvent, QRect, QSize, Qt
from PyQt6.QtGui import QAction, QPaintEvent, QResizeEvent
from PyQt6.QtWidgets import (
    QApplication,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QMenuBar,
    QSizePolicy,
    QStyle,
    QStyleOption,
    QStylePainter,
    QToolBar,
    QToolButton,
    QWidget,
)

from aggviewer.document.document import Document
from aggviewer.widgets.buttons import icon
from aggviewer.widgets.command import SCENARIO, Command, CommandSet
from aggviewer.widgets.lists import ElidingCombo
from aggviewer.widgets.screen import first_fitting
from engine.fields import Field
from engine.words import body_names

_BAR, _LAST = ("File", "Edit", "Run", "Method", "View", "Measure", "Learn"), "Help"


def fill_menu_bar(bar: QMenuBar | None, commands: CommandSet) -> None:
    """Fill the menu bar with the commands of each menu. Menus of plug-ins come before the last one."""
    assert bar is not None  # a main window has one
    others = [title for title in commands.titles if title not in (*_BAR, _LAST)]
    for title in (*_BAR, *others, _LAST):
        menu = bar.addMenu(f"&{title}")
        assert menu is not None
        fill_menu(menu, commands, title)


def fill_menu(menu: QMenu, commands: CommandSet, path: str) -> None:
    """Fill a menu with its commands and submenus."""
    menu.setToolTipsVisible(True)
    for number, section in enumerate(commands.within(path)):
        if number:
            menu.addSeparator()
        for entry in section:
            if isinstance(entry, Command):
                menu.addAction(commands.action(entry.id))
                continue
            inner = menu.addMenu(entry.title)
            assert inner is not None
            fill_menu(inner, commands, entry.path)
            if entry.fill is not None:
                inner.aboutToShow.connect(lambda fill=entry.fill, inner=inner: fill(inner))


_BEFORE = 2  # pixels at the left end, besides padding and spacing
_AROUND_NAME = 40  # pixels of the scenario's button that its frame and its arrow take
_WIDEST_NAME = 248  # pixels of the scenario's button with a long name, which is cut off there or where room is short
_STAGES = (
    (224, 208, True),
    (224, 160, True),
    (196, 160, True),
    (196, 144, True),
    (188, 112, False),  # in a window of 1440 pixels
)
"""Widths of the scenario if its name is not long, and of the colours, and whether the colours have a label, from wide
to narrow windows."""
_LEAST = 128, 112, False  # if not even the menu behind » makes enough room
_COLOR_BY = "What the colours show"
_CHOOSE = "Choose a scenario or lesson, or open a file (G)"


class ScenarioButton(QToolButton):
    """Shows the name of the running scenario, with an arrow at the right edge that opens the gallery."""

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the button with its arrow."""
        super().paintEvent(event)
        painter = QStylePainter(self)
        arrow = QStyleOption()
        arrow.initFrom(self)
        arrow.rect = QRect(self.width() - 24, (self.height() - 10) // 2, 10, 10)
        painter.drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorArrowDown, arrow)


@dataclass(frozen=True)
class BarItem:
    """A button in the bar, or a frame with several buttons of which one is on.

    Parameters
    ----------
    widget, place : the widget, and the action with which the bar shows or hides it.
    commands : the commands it runs.
    """

    widget: QWidget
    place: QAction
    commands: tuple[Command, ...]


def _importance(item: BarItem) -> tuple[bool, bool]:
    """What stays in a narrow bar: what beginners need, then what shows whether it is on, such as *Record*."""
    simple = any(command.simple for command in item.commands)
    return simple, any(command.checked is not None for command in item.commands)


class TopBar(QToolBar):
    """The scenario, the commands on the left and right, and the colours between them. Whatever does not fit is in the
    menu behind ».

    Without *Show everything*, only commands marked as simple are shown.
    """

    def __init__(self, commands: CommandSet, document: Document, parent: QWidget) -> None:
        super().__init__("Top bar", parent)
        self.setObjectName("topBar")
        self.setMovable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.setIconSize(QSize(18, 18))
        self._commands, self._panels, view = commands, document.panels, document.view
        self._title, self._whole = "", False
        self._fitted: object = None  # the width that the bar was last fitted to
        self.scenario = self._scenario_button()
        before = QWidget()  # the style sheet has one padding for all sides
        before.setFixedWidth(_BEFORE)
        self.addWidget(before)
        self.addWidget(self.scenario)
        label = self.addWidget(QLabel("  Colour by"))
        assert label is not None
        self._label = label
        sign = QToolButton()  # in its place where there is little room
        sign.setIcon(icon("mdi6.palette-outline", "muted"))
        sign.setAutoRaise(True)
        sign.setToolTip(_COLOR_BY)
        sign.setAccessibleName("Colour by")
        sign.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        sign.clicked.connect(lambda: self.color_by.showPopup())
        place = self.addWidget(sign)
        assert place is not None
        self._sign = place
        self._more: str | None = None  # the current field if it is not in the list
        self.color_by = ElidingCombo()
        self.color_by.setToolTip(_COLOR_BY)
        self.color_by.setAccessibleName("Colour by")
        self.color_by.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.color_by.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.color_by.activated.connect(lambda index: setattr(view, "color_by", self.color_by.itemData(index)))
        self.addWidget(self.color_by)
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(space)
        self._items: list[BarItem] = []
        self._overflow: list[BarItem] = []
        self.rest = QToolButton()
        self.rest.setIcon(icon("mdi6.chevron-double-right", "text"))
        self.rest.setAutoRaise(True)
        self.rest.setToolTip("More")
        self.rest.setAccessibleName("More")
        self.rest.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.rest.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.rest)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(lambda: self._fill_rest(menu))
        self.rest.setMenu(menu)
        rest = self.addWidget(self.rest)
        assert rest is not None
        self._rest = rest
        self._fill()
        self._panels.events.everything.connect(self._fit)

    def _fill(self) -> None:
        """Add the buttons: one for each command that belongs here."""
        left, right = self._commands.in_bar("left"), self._commands.in_bar("right")
        choices = [command for command in left if not command.icon]  # one of them is on
        if choices:
            self._add(self._segments(choices), choices, self._label)
        for command in left:
            if command.icon:
                self._add(self._button(command), [command], self._label)
        for command in right:
            self._add(self._button(command), [command], self._rest)
        self._fit()

    def _add(self, widget: QWidget, commands: Sequence[Command], before: QAction) -> None:
        place = self.insertWidget(before, widget)
        assert place is not None
        self._items.append(BarItem(widget, place, tuple(commands)))
        for command in commands:
            self._commands.action(command.id).changed.connect(self._fit)

    def _scenario_button(self) -> QToolButton:
        button = ScenarioButton()
        button.setObjectName("scenarioButton")
        button.setToolTip(_CHOOSE)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setFixedWidth(_STAGES[0][0])  # a fixed width, so that the bar does not shift
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        chooses = self._commands.in_bar(SCENARIO)[0]
        button.clicked.connect(self._commands.action(chooses.id).trigger)
        return button

    def _segments(self, commands: Sequence[Command]) -> QWidget:
        """Buttons side by side in one frame."""
        frame = QFrame()
        frame.setProperty("segments", True)
        row = QHBoxLayout(frame)
        row.setContentsMargins(1, 1, 1, 1)
        row.setSpacing(0)
        for command in commands:
            button = self._commands.button(command.id)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            button.setAutoRaise(False)
            button.setProperty("segment", True)
            row.addWidget(button)
        return frame

    def _button(self, command: Command) -> QToolButton:
        """A button with a word beside its icon, and a menu."""
        button = self._commands.button(command.id)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        choices = self._commands.in_bar(command.id)
        if choices:
            menu = QMenu(self)
            menu.setToolTipsVisible(True)
            menu.addActions([self._commands.action(choice.id) for choice in (command, *choices)])
            button.setMenu(menu)
            button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        return button

    def _fill_rest(self, menu: QMenu) -> None:
        """Put the items that do not fit into the menu at the end of the bar, in order."""
        menu.clear()
        for item in self._items:
            for command in item.commands if item in self._overflow else ():
                for one in (command, *self._commands.in_bar(command.id)):
                    menu.addAction(self._commands.action(one.id))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Fit the bar to the window."""
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent | None) -> bool:
        """Fit the buttons again, after some were added or renamed."""
        done = super().event(event)
        if event is not None and event.type() == QEvent.Type.Polish:
            # Qt takes the padding and spacing of a style sheet only where one follows another, not from the first
            QApplication.sendEvent(self, QEvent(QEvent.Type.StyleChange))
        if event is not None and event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return done

    def _belongs_here(self, item: BarItem) -> bool:
        """Whether an item belongs here now, if it fits."""
        there = any(self._commands.action(command.id).isVisible() for command in item.commands)
        return there and (self._panels.everything or any(command.simple for command in item.commands))

    def _fit(self) -> None:
        """Keep the words of buttons. If there is little room the two fields get narrower, and a long name is cut off;
        then items that do not fit move into the menu behind »: first those that beginners do not need, from the right,
        and of these first those that show no state. A long name takes what room they leave."""
        layout = self.layout()
        if layout is None:
            return
        offered = [item for item in self._items if self._belongs_here(item)]
        colors = [self.color_by.itemText(index) for index in range(self.color_by.count())]
        hints = [item.widget.sizeHint().width() for item in offered]
        there = [id(item) for item in offered]
        state = (self.width(), self.font(), colors, there, hints, layout.spacing(), self._title, self._whole)
        if state == self._fitted:
            return
        self._fitted = state
        self._overflow.clear()
        for item in self._items:
            item.place.setVisible(item in offered)
        self._rest.setVisible(False)

        def needed_at(stage: tuple[int, int, bool]) -> int:
            self._shorten(*stage)
            return layout.sizeHint().width()

        first_fitting(_STAGES, needed_at, self.width())
        name, least = self.scenario.maximumWidth(), _STAGES[-1][0]
        needed = layout.sizeHint().width() - (name - least)
        if needed > self.width():
            self._rest.setVisible(True)
            needed = layout.sizeHint().width() - (name - least)
            rarest_first = offered[::-1]
            rarest_first.sort(key=_importance)
            for item in rarest_first:
                if needed <= self.width():
                    break
                self._overflow.append(item)
                item.place.setVisible(False)
                needed -= item.widget.sizeHint().width() + max(0, layout.spacing())
        self.scenario.setFixedWidth(min(name, least + max(0, self.width() - needed)))
        self._write_title()
        if needed > self.width():
            self._shorten(*_LEAST)
            self.scenario.setFixedWidth(_LEAST[0])
            self._write_title()

    def _shorten(self, scenario: int, color: int, named: bool) -> None:
        """The widths of the two fields, of which the first is wider for a long name of a bundled scenario, and whether
        the second one is named."""
        self._label.setVisible(named)
        self._sign.setVisible(not named)
        self.color_by.setMaximumWidth(color)
        names = self.color_by.view()
        assert names is not None
        names.setMinimumWidth(self.color_by.sizeHint().width())  # also below a narrow field
        name = self.scenario.fontMetrics().horizontalAdvance(self._words) + 1 + _AROUND_NAME
        self.scenario.setFixedWidth(max(scenario, min(name, _WIDEST_NAME if self._whole else 0)))
        self._write_title()

    def offer_colors(self, offered: Sequence[Field]) -> None:
        """Set the fields that can colour the discs."""
        self.color_by.clear()
        self._more = None
        for field in offered:
            self._offer(field)

    def _offer(self, field: Field) -> None:
        self.color_by.addItem(body_names(self._commands.dimensions).fill(field.label), field.name)
        self.color_by.setItemData(self.color_by.count() - 1, field.meaning, Qt.ItemDataRole.ToolTipRole)

    def show_color_by(self, field: Field) -> None:
        """Follow the view model. A field that is not in the list, such as the distance from a disc, is added at the
        end."""
        if self._more is not None and self._more != field.name:
            self.color_by.removeItem(self.color_by.findData(self._more))
            self._more = None
        if self.color_by.findData(field.name) < 0:
            self._more = field.name
            self._offer(field)
        self.color_by.setCurrentIndex(self.color_by.findData(field.name))
        self.color_by.setToolTip("\n".join(part for part in (_COLOR_BY, field.meaning) if part))

    def show_scenario(self, title: str, *, whole: bool = False) -> None:
        """Show the name of the running scenario. whole : make room for a long one, instead of cutting it off."""
        self._title, self._whole = title, whole
        self._fit()
        self.scenario.setToolTip(f"{title}\n{_CHOOSE}")

    @property
    def _words(self) -> str:
        """The text on the scenario's button, if it has room."""
        return self._title or "Choose"

    def _write_title(self) -> None:
        room = self.scenario.maximumWidth() - _AROUND_NAME
        self.scenario.setText(self.scenario.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room))
