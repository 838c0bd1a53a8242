"""The teacher's tools in presenter mode: the bar with one parameter, pointer, black screen, counted answers, and a
clicker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

from PyQt6.QtCore import QEvent, QPoint, QSize, Qt
from PyQt6.QtGui import QFontInfo, QResizeEvent
from PyQt6.QtWidgets import QApplication, QFrame, QHBoxLayout, QMenu, QToolButton, QWidget

from aggviewer.canvas.layers.registry import switches
from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.extensions.lessons.presenting.pointer import Blank, CountView, PointerRing
from aggviewer.parameters import ParametersPanel
from aggviewer.parameters.single import SingleParameter
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.input_guard import ModeKeys
from aggviewer.widgets.part import OVERLAYS, Context, Part
from aggviewer.window.settings import WindowSettings
from aggviewer.window.stage import Stage
from aggviewer.window.transport import RunTransport

PRESENTER_BAR = "presenter"
"""The path of `Command.bar` for a button in the bar of presenter mode."""

_LAYERS = 4  # the section of that bar with layers
_TEACHERS_KEY = "presenter/parameter"  # where the settings keep the parameter that the teacher chose


class PresenterTools(Part):
    """Enables the tools, with their commands and keys.

    Attributes
    ----------
    bar : at the foot of the window, with transport, the teacher's parameter, and the menu of the tools.
    counter : counts the answers of a class.
    pointer : the ring around the mouse.
    blank : the black screen.
    on : whether the tools are enabled.
    """

    leaves = OVERLAYS

    def __init__(self, context: Context) -> None:
        self._window = window = context.window
        self._lessons = context[Lessons]
        self.bar, self.counter = context[PresenterBar], AnswerCounter(context)
        self.on = False
        self.pointer = PointerRing(window)
        self.blank = Blank(window)
        key = Qt.Key
        # a clicker also sends F5 to begin, B to go black and Esc to end; some begin with F5 each time
        self._keys = ModeKeys(
            window, {key.Key_Period: self.blank.cover, key.Key_B: self.blank.cover, key.Key_F5: lambda: None}
        )
        forward, back = self._next_step, self._previous_step
        # a clicker has two keys: Page Down and Page Up, or the arrows
        self._clicker = ModeKeys(window, {key.Key_PageDown: forward, key.Key_PageUp: back})
        self._arrows = ModeKeys(window, {key.Key_Right: forward, key.Key_Left: back})
        self._stage = context[Stage]
        self._stage.covered.connect(lambda _covered: self._share_arrows())

    def commands(self) -> Iterator[Command]:
        """The commands in the bar of presenter mode."""
        yield Command(
            "presenter.pointer",
            "Pointer",
            lambda: self.pointer.switch(not self.pointer.on),
            ("O",),
            "Presenter mode: put a ring around the mouse pointer that the last row can see",
            "mdi6.cursor-default-click-outline",
            checked=lambda: self.pointer.on,
            bar=Place(PRESENTER_BAR, 1, 1),
            available=lambda: self.on,
            absent="Only in presenter mode",
        )
        yield Command(
            "presenter.blank",
            "Black screen",
            self.blank.cover,
            tooltip="Presenter mode: black out the screen until a key or click (. or B)",
            icon="mdi6.projector-screen-off-outline",
            bar=Place(PRESENTER_BAR, 3, 1),
            available=lambda: self.on,
            absent="Only in presenter mode",
        )
        yield from self.counter.commands(lambda: self.on)

    @property
    def keeps_focus(self) -> bool:
        """Whether the focus is where the lesson has put it while presenting."""
        task, focus = self._lessons.panel.task, QApplication.focusWidget()
        return self.on and task is not None and focus is not None and task.isAncestorOf(focus)

    def ways_back(self) -> Iterator[tuple[bool, Callable[[], object]]]:
        """Replace the answers by the picture."""
        yield self.counter.on, self.counter.close

    def begin(self) -> None:
        """Enable the tools at the start of presenter mode."""
        self.on = True
        self.bar.begin()
        self._keys.on = True
        self._clicker.on = self._lessons.on
        self._share_arrows()

    def end(self) -> None:
        """Put all tools away at the end of presenter mode."""
        self.on = False
        self.blank.uncover()
        self.pointer.switch(False)
        self.counter.close()
        self._keys.on = self._clicker.on = self._arrows.on = False
        self.bar.end()

    def fit(self) -> None:
        """Follow the window's font size."""
        self.pointer.fit(QFontInfo(self._window.font()).pixelSize())
        self.counter.refit()

    def _share_arrows(self) -> None:
        """Leave the arrows to a lesson's own view, which goes from event to event with them."""
        self._arrows.on = self._clicker.on and self._stage.cover is None

    def _next_step(self) -> None:
        """Do what stands on *Next*."""
        if self._lessons.player is not None:
            self._lessons.panel.forward()

    def _previous_step(self) -> None:
        """Scroll back, then go to the previous step."""
        player = self._lessons.player
        if player is not None and not self._lessons.panel.read_on(-1):
            player.back()


class AnswerCounter:
    """Shows the answers of a class over the picture, and hides them."""

    def __init__(self, context: Context) -> None:
        self._window, self._lessons, self._stage = context.window, context[Lessons], context[Stage]
        self._update, self._to_picture = context.commands.update, context.focus_picture
        lessons = self._lessons
        self._keys: ModeKeys | None = None
        self.view: CountView | None = None
        lessons.panel.count_asked.connect(self.toggle)
        lessons.panel.moved.connect(self.close)

    def commands(self, presenting: Callable[[], bool]) -> Iterator[Command]:
        """The command that shows and hides the answers. presenting() : whether presenter mode is on."""
        yield Command(
            "presenter.count",
            "Count answers",
            self.toggle,
            ("H", "Ctrl+H"),
            "Presenter mode: count the predictions of your class and compare them with the result",
            "mdi6.hand-back-right-outline",
            checked=lambda: self.on,
            bar=Place(PRESENTER_BAR, 2, 1),
            available=presenting,
            absent="Only in presenter mode",
            reason=self._why_not,
        )

    @property
    def on(self) -> bool:
        """Whether the answers are shown."""
        return self.view is not None

    def toggle(self) -> None:
        """Show the answers to the question of the step, or the picture again."""
        if self.on:
            self.close()
        elif not self._why_not():
            self._open()
        self._update()

    def close(self) -> None:
        """Show the picture again."""
        if self.view is None:
            return
        self._end(self.view)
        self._to_picture()
        self._update()

    def refit(self) -> None:
        """Follow the window's font."""
        if self.view is not None and self.view.font().pointSizeF() != self._window.font().pointSizeF():
            typed = self.view.field.text()
            self._end(self.view)
            self._open().field.setText(typed)

    def _why_not(self) -> str:
        player = self._lessons.player
        if player is None:
            return "Open a lesson first; its questions are for the class"
        if player.question is None:
            return "This step has no question"
        if player.step.predict is None and not player.counted.of(player.question):
            return "No answers were counted for this question"
        return ""

    def _open(self) -> CountView:
        player = self._lessons.player
        assert player is not None
        view = self.view = CountView(player, self._lessons.panel, self.close)
        self._stage.lay_over(view)
        self._keys = ModeKeys(self._window, view.keys())
        self._keys.on = True
        view.setFocus()
        return view

    def _end(self, view: CountView) -> None:
        self.view = None
        view.end()
        self._stage.lay_over(None)
        if self._keys is not None:
            self._keys.on = False
            self._keys.deleteLater()
            self._keys = None


_LEAST = 360  # pixels of width: in a smaller window the font shrinks, and then everything fits again
_PARTS = ("run", "run.step_event", "run.live", "time")  # of the transport; the others have keys
_MORE = ("run.restart", "run.slower", "run.faster", "view.plots")  # in the menu of the tools


class PresenterBar(QFrame, Part):
    """At the foot of the window while presenting, in a place of its own: transport, one parameter, and a menu of tools.
    The lesson suggests the parameter until the teacher chooses another."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        parameters, stage = context[ParametersPanel], context[Stage]
        self.setObjectName("presenterBar")
        self._parameters, self._settings, self._stage = parameters, context[WindowSettings], stage
        self._lessons, self._commands = context[Lessons], context.commands
        self._transport, self._place = context[RunTransport], 0
        self._chosen_in = ""  # the lesson in which the teacher has chosen
        self._covered = False
        self.control: SingleParameter | None = None
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 8, 0)
        self._row.setSpacing(8)
        self._run = QWidget()  # holds the transport
        QHBoxLayout(self._run).setContentsMargins(0, 0, 0, 0)
        self.tools = QToolButton()
        self.tools.setText("Tools")
        self.tools.setToolTip("Pointer, black screen, layers, speed, and which parameter is here")
        self.tools.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.tools.setMenu(QMenu(self.tools))
        self.end_button = QToolButton()
        self.end_button.setText("End")
        self.end_button.setAccessibleName("End presenting")
        self.end_button.setToolTip("Back to the usual window (Esc)")
        self.end_button.clicked.connect(lambda: self._commands.run("view.presenter"))
        self._row.addWidget(self._run, 1)
        self._row.addStretch(0)
        for button in (self.tools, self.end_button):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._row.addWidget(button)
        self.choices = QMenu("Parameter", self.tools)
        self.choices.aboutToShow.connect(self._fill)
        parameters.menu_asked.connect(self._open_menu)
        self.hide()
        stage.add_foot(self)
        stage.covered.connect(self._on_covered)

    @property
    def chosen(self) -> str:
        """The key chosen by the teacher, "" for none."""
        return self._settings.stored(_TEACHERS_KEY)

    def begin(self) -> None:
        """Take the transport, and show it with the parameter."""
        self._place = self._stage.place_below(self._transport)
        layout = self._run.layout()
        assert layout is not None
        layout.addWidget(self._transport)
        self._transport.set_one_line(_PARTS)
        self.follow()
        self.show()

    def end(self) -> None:
        """Give the transport back."""
        self._transport.set_one_line(None)
        self._stage.add_below(self._transport, at=self._place)
        self.hide()

    def choose(self, key: str) -> None:
        """Show this parameter from now on; "" for the default."""
        player = self._lessons.player
        self._settings.store(_TEACHERS_KEY, key)
        self._chosen_in = player.found.key if key and player is not None else ""
        self.follow()

    def offered(self) -> Iterator[str]:
        """The keys of the running system that have a slider, in the order of the parameters panel."""
        for key, row in self._parameters.rows.items():
            if row.editor.slider is not None and self._parameters.form.offers(key):
                yield key

    def menu_of(self, key: str) -> QMenu:
        """Open the menu of a key in the parameters panel."""
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
            self._row.insertWidget(1, self.control)
            self.control.setFont(self.font())  # with a style sheet, Qt does not pass it to new widgets

    def _take_away(self) -> None:
        if self.control is not None:
            self._row.removeWidget(self.control)
            self.control.hide()
            self.control.deleteLater()
            self.control = None

    def _on_covered(self, covered: bool) -> None:
        """Hide transport and parameter while the discs are hidden."""
        self._covered = covered
        self._run.setVisible(not covered)
        self.choices.menuAction().setVisible(not covered)  # type: ignore[union-attr]
        self._row.setStretch(self._row.count() - 3, int(covered))
        self.follow()

    def show_commands(self) -> None:
        """Fill the menu: the commands that belong in this bar, and each layer that has an icon."""
        tools = [(one.bar.section, one.id) for one in self._commands.in_bar(PRESENTER_BAR) if one.bar is not None]
        known = {command.id for command in self._commands}
        layers = [layer.command_id for layer in switches() if layer.icon]
        tools += [(_LAYERS, command) for command in layers if command in known]
        tools += [(_LAYERS + 1, command) for command in _MORE if command in known]
        menu = self.tools.menu()
        assert menu is not None
        for (before, _), (section, command) in pairwise([tools[0], *tools]):
            if section != before:
                menu.addSeparator()
            menu.addAction(self._commands.action(command))
        menu.addSeparator()
        menu.addMenu(self.choices)

    def minimumSizeHint(self) -> QSize:
        """Narrow enough for a window that becomes smaller."""
        return QSize(_LEAST, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Fit the parameter to the window."""
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent | None) -> bool:
        """Fit it again to larger type, and to longer numbers."""
        done = super().event(event)
        if event is not None and event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return done

    def _fit(self) -> None:
        """Show the parameter without its slider where the time would be cut off."""
        slider = None if self.control is None else self.control.row.editor.slider
        if slider is not None:
            hidden = slider.isHidden()
            needed = self._row.minimumSize().width() + (slider.minimumWidth() + self._row.spacing() if hidden else 0)
            if hidden == (needed <= self.width()):
                slider.setVisible(hidden)

    def changeEvent(self, event: QEvent | None) -> None:
        """Pass the type on to the parameter."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange and self.control is not None:
            self.control.setFont(self.font())

    def _open_menu(self, key: str, place: QPoint) -> None:
        menu = self.menu_of(key)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)
