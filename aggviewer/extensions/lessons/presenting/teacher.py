"""The bar of presenter mode: one parameter for the class to change, and the teacher's tools."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PyQt6.QtCore import QEvent, QPoint, QSize
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QMenu, QToolButton

from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.parameters import ParametersPanel
from aggviewer.parameters.single import SingleParameter
from aggviewer.widgets.command import PRESENTER_BAR
from aggviewer.widgets.part import Context, Part
from aggviewer.window.settings import WindowSettings
from aggviewer.window.stage.stage import Stage

_BETWEEN = 16  # pixels between two groups of buttons
_ICON = 1.1  # heights of the text
_LEAST = 360  # pixels of width: in a smaller window the font shrinks, and then everything fits again


class TeacherBar(QFrame, Part):
    """At the foot of the picture while presenting. The lesson suggests the parameter until the teacher chooses
    another."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        parameters, stage = context[ParametersPanel], context[Stage]
        self.setObjectName("teacherBar")
        self._parameters, self._settings = parameters, context[WindowSettings]
        self._lessons, self._commands = context[Lessons], context.commands
        self._chosen_in = ""  # the lesson in which the teacher has chosen
        self.control: SingleParameter | None = None
        self._rows = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._rows.setContentsMargins(8, 4, 8, 8)
        self._row, self._tools = QHBoxLayout(), QHBoxLayout()
        self._rows.addLayout(self._row, 1)
        self._rows.addLayout(self._tools)
        self.chooser = QToolButton()
        self.chooser.setObjectName("parameterChooser")
        self.chooser.setText("Change")
        self.chooser.setToolTip("Choose the parameter that the class changes")
        self.chooser.setAccessibleName("Choose the parameter that the class changes")
        self.chooser.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.chooser.setMenu(QMenu(self.chooser))
        self.choices.aboutToShow.connect(self._fill)
        self._row.addWidget(self.chooser)
        self._row.addStretch(0)
        self._covered = False
        self._buttons: list[QToolButton] = []
        parameters.menu_asked.connect(self._open_menu)
        self.hide()
        stage.add_foot(self)
        stage.covered.connect(self._on_covered)

    @property
    def choices(self) -> QMenu:
        """The menu of available parameters."""
        menu = self.chooser.menu()
        assert menu is not None
        return menu

    @property
    def chosen(self) -> str:
        """The key chosen by the teacher, "" for none."""
        return self._settings.teachers_key

    def choose(self, key: str) -> None:
        """Show this parameter from now on; "" for the default."""
        player = self._lessons.player
        self._settings.teachers_key = key
        self._chosen_in = player.found.key if key and player is not None else ""
        self.follow()

    def offered(self) -> Iterator[str]:
        """The keys of the running system that have a slider, in inspector order."""
        for key, row in self._parameters.rows.items():
            if row.editor.slider is not None and self._parameters.form.offers(key):
                yield key

    def menu_of(self, key: str) -> QMenu:
        """Open the menu of a key in the inspector."""
        menu = QMenu(self._parameters)
        action = menu.addAction("Show in presenter")
        assert action is not None
        action.setCheckable(True)
        action.setChecked(self.chosen == key)
        action.setToolTip("Presenter mode shows this parameter below the picture")
        action.triggered.connect(lambda on: self.choose(key if on else ""))
        return menu

    def _fill(self) -> None:
        self.choices.clear()
        for key in self.offered():
            action = self.choices.addAction(self._parameters.rows[key].field.label)
            assert action is not None
            action.setCheckable(True)
            action.setChecked(self.control is not None and key == self.control.key)
            action.triggered.connect(partial(self.choose, key))

    def _key(self) -> str:
        """The parameter to show: the chosen one, the lesson's, or the first with a slider."""
        player = self._lessons.player
        here = player is not None and self._chosen_in == player.found.key
        wanted = (self.chosen if here else "", self._lessons.teachers_key(), self.chosen)
        form = self._parameters.form
        known = (key for key in wanted if key in self._parameters.rows and form.offers(key))
        return next(known, None) or next(self.offered(), "")

    def follow(self) -> None:
        """Show the current parameter, if the discs are visible."""
        key = "" if self._covered else self._key()
        if self.control is not None and self.control.key != key:
            self._take_away()
        if key and self.control is None:
            self.control = SingleParameter(self._parameters, key, across=True)
            self._row.insertWidget(1, self.control, 1)
            self.control.setFont(self.font())  # with a style sheet, Qt does not pass it to new widgets
            self._lay_out()
        self.chooser.setVisible(not self._covered)

    def _take_away(self) -> None:
        if self.control is not None:
            self._row.removeWidget(self.control)
            self.control.hide()
            self.control.deleteLater()
            self.control = None

    def _on_covered(self, covered: bool) -> None:
        """Hide the parameter while the discs are hidden."""
        self._covered = covered
        self.follow()

    def show_commands(self) -> None:
        """One button for each command that belongs in this bar."""
        section = None
        for command in self._commands.in_bar(PRESENTER_BAR):
            assert command.bar is not None
            if section not in (None, command.bar.section):
                self._tools.addSpacing(_BETWEEN)
            section = command.bar.section
            button = self._commands.button(command.id)
            self._buttons.append(button)
            self._tools.addWidget(button)
        self._measure()

    def _lay_out(self) -> None:
        """Place the tools beside the parameter, or below it if they do not fit on one line."""
        margins = self._rows.contentsMargins()
        needed = self._row.minimumSize().width() + self._tools.minimumSize().width() + self._rows.spacing()
        narrow = self.control is not None and self.width() < needed + margins.left() + margins.right()
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if self._rows.direction() != way:
            self._rows.setDirection(way)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Rearrange the buttons for another width."""
        super().resizeEvent(event)
        self._lay_out()

    def minimumSizeHint(self) -> QSize:
        """Narrow enough for a window that becomes smaller."""
        return QSize(_LEAST, super().minimumSizeHint().height())

    def changeEvent(self, event: QEvent | None) -> None:
        """Make icons as large as the text."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange:
            if self.control is not None:
                self.control.setFont(self.font())
            self._measure()

    def _measure(self) -> None:
        side = round(_ICON * self.fontMetrics().height())
        for button in self._buttons:
            button.setIconSize(QSize(side, side))

    def _open_menu(self, key: str, place: QPoint) -> None:
        menu = self.menu_of(key)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)
