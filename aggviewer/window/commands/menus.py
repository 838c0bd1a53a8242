"""The menus and the bar at the top, made of the commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QAction, QResizeEvent
from PyQt6.QtWidgets import QComboBox, QLabel, QMenu, QMenuBar, QSizePolicy, QToolBar, QToolButton, QWidget

from aggviewer.lessons.lessons import LESSONS
from aggviewer.session.fields import known_fields
from aggviewer.session.view import BACKGROUNDS
from aggviewer.systems.registry import most_plots
from aggviewer.window.commands.methods import COMPARISONS, METHODS
from aggviewer.window.commands.view import COLORMAPS, OVERLAYS, THEMES

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow


_SCENARIO, _AROUND_NAME = 224, 44  # pixels for the name of the scenario, of them for the frame and the arrow
_WITH_WORDS = 1160  # pixels of the bar from which its buttons have room for words


def build_menus(w: MainWindow, bar: QMenuBar) -> None:
    """Fill the menu bar."""
    action = w.commands.action

    def menu(title: str, entries: list[str | None], into: QMenuBar | QMenu = bar) -> QMenu:
        made = into.addMenu(title)
        assert made is not None
        made.setToolTipsVisible(True)
        for entry in entries:
            if entry is None:
                made.addSeparator()
            else:
                made.addAction(action(entry))
        return made

    file = menu("&File", ["file.open"])
    scenarios = menu("Scenarios", [], file)
    for heading, entries in w.catalog.groups():
        menu(heading, [f"scenario.{entry.name}" for entry in entries], scenarios)
    recent = menu("Open recent", [], file)
    recent.aboutToShow.connect(lambda: _fill_recent(w, recent))
    kept = menu("Kept work", [], file)
    kept.aboutToShow.connect(lambda: w.keeping.fill_menu(kept))
    saved = ("file.save_session", "file.save", "file.save_state", "file.contacts", None)
    pictures = ("file.record", "file.film", "file.snapshot", "file.snapshot_as", "file.copy", "file.plots", None)
    for name in (*saved, *pictures, "file.quit"):
        if name is None:
            file.addSeparator()
        else:
            file.addAction(action(name))
    menu("&Edit", ["edit.undo", "edit.redo"])
    menu(
        "&Run",
        [
            *("run.toggle", "run.step_event", "run.step_frame", None, "run.restart", "run.new_seed", None),
            *("run.jam", "run.next_seed", "run.next_seeds", None),
            *("run.step_back", "run.live", "run.start_here", "run.backwards", "run.loop", None),
            *("run.log_time", "run.memory", None),
            *("run.slower", "run.faster", "run.fastest", "run.no_limit"),
        ],
    )
    menu(
        "&Method",
        [
            *(f"method.{method}" for method in METHODS),
            *(None, *COMPARISONS, None, "method.inside"),
        ],
    )
    view = menu("&View", ["view.fit", None])
    menu("Colour by", [f"view.color_by_{field.name}" for field in known_fields()], view)
    menu("Colour map", [f"view.colormap_{name}" for name in COLORMAPS], view)
    menu("Background", [f"view.background_{name}" for name in BACKGROUNDS], view)
    menu("Theme", [f"view.theme_{name}" for name in THEMES], view)
    view.addSeparator()
    for name in (
        *(f"view.{overlay}" for overlay in OVERLAYS),
        "view.flash_contacts",
        "view.show_forces",
        None,
        "view.parameters",
        "view.plots",
    ):
        if name is None:
            view.addSeparator()
        else:
            view.addAction(action(name))
    menu("One plot alone", [f"plots.{number}" for number in range(1, most_plots() + 1)], view)
    view.addSeparator()
    view.addAction(action("view.presenter"))
    view.addAction(action("view.full_screen"))
    help_menu = menu("&Help", ["help.palette", "help.keys", "help.welcome", None])
    menu("Lessons", list(LESSONS), help_menu)
    for name in ("help.system", "help.about"):
        help_menu.addAction(action(name))


def _fill_recent(w: MainWindow, menu: QMenu) -> None:
    menu.clear()
    for path in w.settings.recent:
        entry = QAction(path.name, menu)
        entry.setToolTip(str(path))
        entry.triggered.connect(lambda _checked, path=path: w.files.open(path))
        menu.addAction(entry)
    if menu.isEmpty():
        nothing = menu.addAction("Nothing opened yet")
        assert nothing is not None
        nothing.setEnabled(False)


class TopBar(QToolBar):
    """Scenario, colour, snapshot."""

    def __init__(self, w: MainWindow) -> None:
        super().__init__("Top bar", w)
        self.setObjectName("topBar")
        self.setMovable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.setIconSize(QSize(20, 20))
        self.addWidget(QLabel("Scenario"))
        self.scenario = QToolButton()
        self.scenario.setObjectName("scenarioButton")
        self.scenario.setText("Choose")
        self.scenario.setToolTip("Choose a bundled scenario or open a file")
        self.scenario.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.scenario.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.scenario.setFixedWidth(_SCENARIO)  # the bar does not shift with the name
        self.scenario.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        menu = QMenu(self.scenario)
        menu.setToolTipsVisible(True)
        for heading, entries in w.catalog.groups():
            menu.addSection(heading)
            for entry in entries:
                menu.addAction(w.commands.action(f"scenario.{entry.name}"))
        menu.addSeparator()
        menu.addAction(w.commands.action("file.open"))
        self.scenario.setMenu(menu)
        self.addWidget(self.scenario)
        for method in METHODS:
            button = self._button(w, f"method.{method}")
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            button.setProperty("segment", True)
        self._with_words = [self._button(w, name) for name in ("method.compare", "method.inside", "run.jam")]
        choices = QMenu(self)
        choices.setToolTipsVisible(True)
        choices.addActions([w.commands.action(name) for name in COMPARISONS])
        self._with_words[0].setMenu(choices)
        self._with_words[0].setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self.addWidget(QLabel("  Colour by"))
        self.color_by = QComboBox()
        self.color_by.setToolTip("What the colour of a disc stands for")
        self.color_by.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.color_by.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        view = w.session.view
        self.color_by.activated.connect(lambda index: setattr(view, "color_by", self.color_by.itemData(index)))
        self.addWidget(self.color_by)
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(space)
        for name in ("view.fit", "file.snapshot", "file.film", "file.record", "view.presenter"):
            self._button(w, name)

    def _button(self, w: MainWindow, name: str) -> QToolButton:
        button = QToolButton()
        command = w.commands.action(name)
        button.setDefaultAction(command)
        button.setProperty("flat", True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(command.text())
        place = self.addWidget(button)
        assert place is not None
        command.changed.connect(lambda: place.setVisible(command.isVisible()))
        return button

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """In a narrow window icons have no words, so that none is pushed out."""
        super().resizeEvent(event)
        style = Qt.ToolButtonStyle
        words = style.ToolButtonTextBesideIcon if self.width() >= _WITH_WORDS else style.ToolButtonIconOnly
        for button in self._with_words:
            button.setToolButtonStyle(words)

    def offer_colors(self, offered: Mapping[str, str]) -> None:
        """What the discs can be coloured by: names of fields and their labels."""
        self.color_by.clear()
        for name, label in offered.items():
            self.color_by.addItem(label, name)

    def show_color_by(self, key: str) -> None:
        """Follow the view model."""
        self.color_by.setCurrentIndex(self.color_by.findData(key))

    def show_scenario(self, title: str) -> None:
        """Name what runs."""
        room = _SCENARIO - _AROUND_NAME
        self.scenario.setText(self.scenario.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, room))
        self.scenario.setToolTip(f"{title}\nChoose a bundled scenario or open a file")
