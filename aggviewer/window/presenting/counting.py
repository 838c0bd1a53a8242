"""Count answers: in front of a class, the predictions of many at one question; and the class sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PyQt6.QtCore import QObject, Qt
from PyQt6.QtWidgets import QMainWindow

from aggviewer.lessons.class_sheet import write_class_sheet
from aggviewer.lessons.count_view import CountView
from aggviewer.session import Notice
from aggviewer.style.theme import DARK, Colors
from aggviewer.widgets.command import PRESENTER_BAR, Command, Place
from aggviewer.widgets.input_guard import ModeKeys
from aggviewer.window.files.file_dialogs import FileChooser
from aggviewer.window.lesson.lessons import Lessons
from aggviewer.window.stage.stage import Stage
from engine.errors import InputError

_FILES = "Table (*.csv);;Web page (*.html);;PDF (*.pdf)"


class Counting(QObject):
    """Lays the answers of a class over the picture.

    Parameters
    ----------
    window, lessons, stage : of the program.
    chooser : asks for a file.
    notify : tells the person.
    update() : has all commands show how they are now.
    to_picture() : gives the picture the focus.
    """

    def __init__(
        self,
        window: QMainWindow,
        lessons: Lessons,
        stage: Stage,
        chooser: FileChooser,
        notify: Callable[[Notice], object],
        update: Callable[[], object],
        to_picture: Callable[[], None],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._lessons, self._stage, self._chooser, self._notify = lessons, stage, chooser, notify
        self._update, self._to_picture = update, to_picture
        self._colors: Colors = DARK
        self._presenting: Callable[[], bool] = lambda: False
        self.view: CountView | None = None
        digits = [Qt.Key(Qt.Key.Key_0.value + k) for k in range(10)]
        self._choosing = ModeKeys(window, {key: partial(self._choose, k) for k, key in enumerate(digits) if k})
        typed = {key: str(k) for k, key in enumerate(digits)} | {Qt.Key.Key_Minus: "-", Qt.Key.Key_Period: "."}
        self._typing = ModeKeys(window, {key: partial(self._type, text) for key, text in typed.items()})
        self._taking_back = ModeKeys(window, {Qt.Key.Key_Backspace: self._take_back})
        lessons.panel.count_asked.connect(self.toggle)
        lessons.panel.moved.connect(self.close)

    def commands(self, presenting: Callable[[], bool]) -> Iterator[Command]:
        """Count, and save. presenting() : whether presenter mode is on."""
        self._presenting = presenting
        yield Command(
            "presenter.count",
            "Count answers",
            self.toggle,
            ("H", "Ctrl+H"),
            "Presenter mode: count the predictions of a class, and compare them with the measurement",
            "mdi6.hand-back-right-outline",
            checked=lambda: self.on,
            bar=Place(PRESENTER_BAR, 2, 1),
            available=presenting,
            reason=self._why_not,
        )
        yield Command(
            "lesson.class_sheet",
            "Class sheet…",
            self.save,
            tooltip="Save the answers that were counted in presenter mode, as a table or for print",
            menu=Place("Help/Lessons", 2, 6),
            reason=lambda: "" if self._counted else "No answers have been counted in presenter mode",
        )

    @property
    def on(self) -> bool:
        """Whether answers are shown."""
        return self.view is not None

    @property
    def _counted(self) -> bool:
        player = self._lessons.player
        return player is not None and len(player.counted) > 0

    def toggle(self) -> None:
        """Show the answers to the question of the step, or the picture again."""
        if self.on:
            self.close()
        elif not self._why_not():
            self._open()
        self._update()

    def close(self) -> None:
        """The picture again."""
        view, self.view = self.view, None
        if view is None:
            return
        view.end()
        self._choosing.on = self._typing.on = self._taking_back.on = False
        self._stage.lay_over(None)
        self._lessons.point_to = None
        self._to_picture()
        self._update()

    def save(self) -> None:
        """Ask for a file, and write the class sheet."""
        player = self._lessons.player
        if player is None:
            return
        path = self._chooser.to_save("class", f"{player.found.name} class.csv", "Save the class sheet", _FILES)
        if path is None:
            return
        try:
            write_class_sheet(player, path)
        except InputError as error:
            self._notify(Notice("error", str(error), "The answers are kept.", about="class"))
            return
        self._notify(Notice("info", f"Saved {path.name}", folder=str(path.parent), about="class"))

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        self._colors = colors
        if self.view is not None:
            self.view.set_colors(colors)

    def refit(self) -> None:
        """Follow the window's type."""
        if self.view is not None and self.view.font() != self._window.font():
            typed = self.view.field.text()
            self.view.end()
            self._open()
            self.view.field.setText(typed)

    # inside

    def _why_not(self) -> str:
        player = self._lessons.player
        if player is None:
            return "Open a lesson: its questions are answered by the class"
        if player.question is None:
            return "This step asks no question"
        if player.step.predict is None and not player.counted.of.get(player.question.id):
            return "No answers to this question were counted"
        return ""

    def _open(self) -> None:
        player = self._lessons.player
        assert player is not None
        view = self.view = CountView(player, self._lessons.panel)
        view.leave_asked.connect(self.close)
        view.sheet_asked.connect(self.save)
        view.set_colors(self._colors)
        view.setFont(self._window.font())
        self._stage.lay_over(view)
        choice = view.question.kind == "choice"
        self._choosing.on = view.counts and choice
        self._typing.on = view.counts and not choice
        self._taking_back.on = view.counts
        if view.counts and view.question.kind == "point":
            self._lessons.point_to = view.add
        view.take_focus()

    def _choose(self, number: int) -> None:
        if self.view is not None:
            self.view.choose(number)

    def _type(self, text: str) -> None:
        if self.view is not None:
            self.view.type_in(text)

    def _take_back(self) -> None:
        if self._lessons.player is not None:
            self._lessons.player.uncount()
