"""The menus and the bar at the top, made of the commands; in the bar also the scenario and the colours."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from PyQt6.QtCore import QEvent, QMetaObject, QRect, QSize, Qt
from PyQt6.QtGui import QAction, QPaintEvent, QResizeEvent
from PyQt6.QtWidgets import (
    QApplication,
    QComboBox,
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

from aggviewer.document.view import ViewModel
from aggviewer.widgets.command import Command
from aggviewer.widgets.command_set import CommandSet
from aggviewer.widgets.narrow import first_fitting
from engine.fields import Field

_BAR, _LAST = ("File", "Edit", "Run", "Method", "View", "Measure", "Learn"), "Help"


def fill_menu_bar(bar: QMenuBar | None, commands: CommandSet) -> None:
    """Fill the menu bar, again where it was filled: for each menu what says that it stands there. Menus of plug-ins
    come before the last one."""
    assert bar is not None  # a main window has one
    bar.clear()
    for old in bar.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        old.setParent(None)
        old.deleteLater()
    others = [title for title in commands.titles if title not in (*_BAR, _LAST)]
    for title in (*_BAR, *others, _LAST):
        menu = bar.addMenu(f"&{title}")
        assert menu is not None
        fill_menu(menu, commands, title)


def fill_menu(menu: QMenu, commands: CommandSet, path: str) -> None:
    """Fill a menu with what says that it stands there, and the menus inside it."""
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


_SCENARIO, _AROUND_NAME = 224, 44  # pixels for the name of the scenario, of them for the frame and the arrow
_SHORT_SCENARIO, _SHORT_COLOR = 128, 112  # of these two fields where the window is very narrow
_COLOR_BY = "What the colour of a disc stands for"
_CHOOSE = "Choose a scenario or a lesson, or open a file (G)"
_TIGHTEST = 4  # how far the bar can be drawn together, see `TopBar._tighten`
_FREE = 16_777_215  # Qt's width of a widget that may be as wide as it likes


class ScenarioButton(QToolButton):
    """Names what runs, and has an arrow at its right edge: something unfolds from it."""

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """The button with its arrow."""
        super().paintEvent(event)
        painter = QStylePainter(self)
        arrow = QStyleOption()
        arrow.initFrom(self)
        arrow.rect = QRect(self.width() - 24, (self.height() - 10) // 2, 10, 10)
        painter.drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorArrowDown, arrow)


class TopBar(QToolBar):
    """The scenarios, the commands that say that they stand left or right, and the colours between them."""

    def __init__(self, commands: CommandSet, view: ViewModel, parent: QWidget) -> None:
        super().__init__("Top bar", parent)
        self.setObjectName("topBar")
        self.setMovable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.setIconSize(QSize(20, 20))
        self._commands = commands
        self._with_words: list[QToolButton] = []
        self._labels = [self._add_label("Scenario")]
        self._title = ""
        self._fitted: object = None  # what the bar was drawn together for
        self.scenario = self._scenario_button()
        self.addWidget(self.scenario)
        self._labels.append(self._add_label("  Colour by"))
        self._more: str | None = None  # the field that is shown and not offered
        self.color_by = QComboBox()
        self.color_by.setToolTip(_COLOR_BY)
        self.color_by.setAccessibleName("Colour by")
        self.color_by.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.color_by.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.color_by.activated.connect(lambda index: setattr(view, "color_by", self.color_by.itemData(index)))
        self.addWidget(self.color_by)
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(space)
        self._placed: list[tuple[QAction, QAction, QMetaObject.Connection]] = []  # place, action, what binds them
        self.fill()

    def fill(self) -> None:
        """A button for each command that has its place here, instead of those of before."""
        for place, action, link in self._placed:
            with suppress(RuntimeError):  # the command has gone, and its action with it
                action.changed.disconnect(link)
            self.removeAction(place)
            place.deleteLater()
        self._placed.clear()
        self._with_words.clear()
        for command in self._commands.in_bar("left"):
            self._add_with_words(command)
        for command in self._commands.in_bar("right"):
            self._add_button(command, None)
        self._fitted = None

    def _add_label(self, text: str) -> QAction:
        place = self.addWidget(QLabel(text))
        assert place is not None
        return place

    def _scenario_button(self) -> QToolButton:
        button = ScenarioButton()
        button.setObjectName("scenarioButton")
        button.setToolTip(_CHOOSE)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setFixedWidth(_SCENARIO)  # the bar does not shift with the name
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(self._commands.action("file.scenarios").trigger)
        return button

    def _add_with_words(self, command: Command) -> None:
        """A button with a word beside its icon where there is room, and with what unfolds from it."""
        button = self._add_button(command, self._labels[-1])
        if command.icon:
            self._with_words.append(button)
        else:
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            button.setProperty("segment", True)
        choices = self._commands.in_bar(command.id)
        if choices:
            menu = QMenu(self)
            menu.setToolTipsVisible(True)
            menu.addActions([self._commands.action(choice.id) for choice in (command, *choices)])
            button.setMenu(menu)
            button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)

    def _add_button(self, command: Command, before: QAction | None) -> QToolButton:
        button = self._commands.button(command.id)
        action = self._commands.action(command.id)
        place = self.addWidget(button) if before is None else self.insertWidget(before, button)
        assert place is not None
        link = action.changed.connect(lambda: place.setVisible(action.isVisible()))
        place.setVisible(action.isVisible())
        self._placed.append((place, action, link))
        return button

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """The bar fits into the window."""
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent | None) -> bool:
        """Fit the buttons anew, also where some have come or gone, or have other words."""
        done = super().event(event)
        if event is not None and event.type() == QEvent.Type.Polish:
            # Qt takes the padding and spacing of a style sheet only where one follows another, not from the first
            QApplication.sendEvent(self, QEvent(QEvent.Type.StyleChange))
        if event is not None and event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return done

    def _fit(self) -> None:
        """Draw the bar together as far as is needed, so that nothing is pushed out."""
        offered = [self.color_by.itemText(index) for index in range(self.color_by.count())]
        seen = [place.isVisible() for place, _, _ in self._placed]
        layout = self.layout()
        if layout is None:
            return
        state = (self.width(), self.font(), offered, seen, layout.spacing())
        if state == self._fitted:
            return
        self._fitted = state

        def needed(tightness: int) -> int:
            self._tighten(tightness)
            return layout.sizeHint().width()

        first_fitting(range(_TIGHTEST + 1), needed, self.width())

    def _tighten(self, tightness: int) -> None:
        """1: no words beside icons; 2: none before the scenario; 3: none before the colours either; 4: short fields."""
        style = Qt.ToolButtonStyle
        for button in self._with_words:
            button.setToolButtonStyle(style.ToolButtonIconOnly if tightness else style.ToolButtonTextBesideIcon)
        for label, most in zip(self._labels, (2, 3), strict=True):
            label.setVisible(tightness < most)
        short = tightness == _TIGHTEST
        self.color_by.setMaximumWidth(_SHORT_COLOR if short else _FREE)
        names = self.color_by.view()
        assert names is not None
        names.setMinimumWidth(self.color_by.sizeHint().width())  # also below a short field
        self.scenario.setFixedWidth(_SHORT_SCENARIO if short else _SCENARIO)
        self._write_title()

    def offer_colors(self, offered: Sequence[Field]) -> None:
        """What the discs can be coloured by."""
        self.color_by.clear()
        self._more = None
        for field in offered:
            self._offer(field)

    def _offer(self, field: Field) -> None:
        self.color_by.addItem(field.label, field.name)
        self.color_by.setItemData(self.color_by.count() - 1, field.meaning, Qt.ItemDataRole.ToolTipRole)

    def show_color_by(self, field: Field) -> None:
        """Follow the view model. A field that is not offered, such as the distance from a disc, stands at the end."""
        if self._more is not None and self._more != field.name:
            self.color_by.removeItem(self.color_by.findData(self._more))
            self._more = None
        if self.color_by.findData(field.name) < 0:
            self._more = field.name
            self._offer(field)
        self.color_by.setCurrentIndex(self.color_by.findData(field.name))
        self.color_by.setToolTip("\n".join(part for part in (_COLOR_BY, field.meaning) if part))

    def show_scenario(self, title: str) -> None:
        """Name what runs."""
        self._title = title
        self._write_title()
        self.scenario.setToolTip(f"{title}\n{_CHOOSE}")

    def _write_title(self) -> None:
        room = self.scenario.maximumWidth() - _AROUND_NAME
        words = self._title or "Choose"
        self.scenario.setText(self.scenario.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, room))
