"""Connects marks with pictures, panel and session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PyQt6 import sip
from PyQt6.QtCore import QObject, QPointF
from PyQt6.QtWidgets import QLineEdit

from aggviewer.canvas import DiscCanvas
from aggviewer.canvas.layers.marks import NAME, MarkList, discs_of_scene
from aggviewer.canvas.mouse import Gesture, Ground
from aggviewer.document.mark_kinds import KINDS, MarkKind, VisibleDiscs, in_words
from aggviewer.document.run import MAX_TEXT, Mark, point_of
from aggviewer.export.files import table_text
from aggviewer.extensions.measuring.panel import MarkPanel
from aggviewer.extensions.measuring.tool import MarkTool, MoveEnd, end_at
from aggviewer.session import Notice
from aggviewer.session.data import DiscSet
from aggviewer.systems.base import RunningSystem
from aggviewer.widgets.command import Command, MenuEntry, Place
from aggviewer.widgets.part import Context, Part
from aggviewer.widgets.screen import copy_text
from aggviewer.window.canvases import Canvases
from aggviewer.window.refresher import Refresher
from aggviewer.window.stage import Stage
from engine.errors import InputError
from engine.words import count

_MENU = "Measure"


class MarkController(QObject, Part):
    """Tools, marks, and the panel with their list."""

    leaves = 60

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._session, self._commands, self._notify = context.session, context.commands, context.notify
        self._canvases = canvases = context[Canvases]
        self._running = context[RunningSystem]
        self._tools = {name: MarkTool(kind, self.show, self._on_done) for name, kind in KINDS.items()}
        self._chosen = -1
        self._moving: Mark | None = None  # the chosen mark, while an end of it is dragged
        self._field: NoteField | None = None
        self.panel = MarkPanel()
        self.panel.chosen.connect(self.choose)
        self.panel.renamed.connect(self._on_renamed)
        self._has_new_frame = False  # whose numbers are not in the list yet
        canvases.add_grips(self._grip)
        canvases.canvases_changed.connect(self.show)
        canvases.tool_changed.connect(self._on_tool)
        context.listen(self._session.marking.changed, self._on_marks)
        refresher = context[Refresher]
        refresher.discs_shown.connect(self._on_discs)
        refresher.frame_shown.connect(self._on_frame)
        refresher.status_found.connect(self._on_status)
        context[Stage].add_below(self.panel, at=0)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """All marks."""
        return self._session.marking.value.marks

    @property
    def tool(self) -> MarkTool | None:
        """The active tool; None if there is none."""
        return next((tool for tool in self._tools.values() if tool is self._canvases.tool), None)

    @property
    def chosen(self) -> int:
        """The number of the selected mark, -1 for none."""
        return self._chosen if self._chosen < len(self.marks) else -1

    def choose(self, number: int) -> None:
        """Select a mark, -1 for none."""
        self._chosen = number
        self._show_all()

    # the pictures and the list

    def show(self) -> None:
        """Update pictures, list and hint from the marks."""
        if self.tool is not None:
            where = "" if self._canvases.first.scene.dimensions == 2 else ", on a sphere"
            self.panel.hint.setText(f"{self.tool.hint}{where}. Esc ends the tool.")
        else:
            self.panel.hint.setText("" if self.marks else "Choose a tool, then click in the picture.")
        marks, chosen = self._marks_now(), self.chosen
        draft = self.tool.draft if self.tool is not None else None
        if draft is not None:
            marks, chosen = (*marks, draft), len(marks)
        for canvas in self._canvases.canvases:
            canvas.pin(NAME, MarkList(marks, chosen) if marks else None)
        self._show_numbers()

    def _show_all(self) -> None:
        """Update the list of marks and the commands for them."""
        self.show()
        self._commands.update()

    def _on_frame(self) -> None:
        self._has_new_frame = True

    def _on_status(self) -> None:
        """Update the values as often as those of the status bar."""
        if self._has_new_frame and self.panel.isVisible() and self.marks:
            self._has_new_frame = False
            self._show_numbers()

    def _on_discs(self, _lane: int, disc_set: DiscSet) -> None:
        self._leave_field()
        self._moving = None
        if self.tool is not None and len(disc_set.box) == 3 and not self.tool.kind.in_space:
            self._canvases.tool = None
        if self.tool is not None:
            self.tool.start_again()
        self._chosen = -1
        self.show()

    def _on_marks(self) -> None:
        """React to a change of the marks by the user, undo, or another run."""
        self._chosen = self.chosen
        self._show_all()

    def _marks_now(self) -> tuple[Mark, ...]:
        """All marks, including the intermediate state of one being moved."""
        chosen = self.chosen
        if self._moving is None or chosen < 0:
            return self.marks
        return (*self.marks[:chosen], self._moving, *self.marks[chosen + 1 :])

    def _show_numbers(self) -> None:
        if not self.panel.isVisibleTo(self.panel.parentWidget()):
            return
        pictures = self._pictures()
        rows = [
            (mark.text, mark.of_kind.label, *(in_words(mark.measure(discs)) for _, discs in pictures))
            for mark in self._marks_now()
        ]
        self.panel.show_marks([f"Values, {run}" if run else "Values" for run, _ in pictures], rows, self.chosen)

    def _pictures(self) -> list[tuple[str, VisibleDiscs]]:
        """The discs of each picture, with the name of its run if there are two."""
        canvases, runs = self._canvases.canvases, self._canvases.runs
        names = [run.name for run in runs] if len(canvases) == len(runs) > 1 else [""] * len(canvases)
        return [(name, discs_of_scene(canvas.scene)) for name, canvas in zip(names, canvases, strict=True)]

    # the mouse

    def _on_done(self, ground: Ground, mark: Mark) -> None:
        if not mark.of_kind.asks_text:
            self._add(mark)
            return
        canvas = next((one for one in self._canvases.canvases if one is ground), None)
        if canvas is not None:  # a comparison may have ended, with its picture, while the button was down
            self._ask_text(canvas, mark)

    def _add(self, mark: Mark) -> None:
        try:
            self._chosen = self._session.marking.add(mark)
        except InputError as error:
            self._notify(Notice("warning", f"{error}."))
        self._show_panel(True)

    def _on_tool(self) -> None:
        for tool in self._tools.values():
            if tool is not self.tool and tool.begun:
                tool.start_again()
        self._show_all()

    def _grip(self, canvas: DiscCanvas, at: QPointF) -> Gesture | None:
        """The gesture that moves the end of a mark, for a press on it; None if there is no end."""
        if self.tool is not None or NAME not in self._session.view.layers:
            return None  # another mark may begin where one ends
        found = end_at(canvas, self.marks, at)
        if found is None:
            return None
        number, end = found

        def show(mark: Mark) -> None:
            self._chosen, self._moving = number, mark
            self.show()

        def done(mark: Mark | None) -> None:
            self._moving, self._chosen = None, number
            if mark is not None:
                self._session.marking.change(number, mark)
            self._show_all()

        return MoveEnd(canvas, self.marks[number], end, show, done)

    def _ask_text(self, canvas: DiscCanvas, mark: Mark) -> None:
        """Ask for the text of a note at its place in the picture. Enter adds it, Esc cancels."""
        self._leave_field()
        point = point_of(mark.anchors[0], discs_of_scene(canvas.scene))
        if point is None:
            return

        def typed(text: str) -> None:
            self._leave_field()
            if text:
                self._add(mark.model_copy(update={"text": text}))
            canvas.setFocus()

        x, y = canvas.camera.seen(point)[0].tolist()
        self._field = NoteField(canvas, x, y, typed)

    def _leave_field(self) -> None:
        field, self._field = self._field, None
        if field is not None and not sip.isdeleted(field):  # with its picture, when a comparison ended
            field.hide()
            field.deleteLater()

    # commands

    def commands(self) -> Iterator[MenuEntry]:
        """A tool for each kind of mark, and commands for marks."""
        for position, kind in enumerate(KINDS.values()):
            yield self._tool_command(kind, position)
        yield Command(
            "measure.list",
            "List of marks",
            lambda: self._show_panel(not self.panel.isVisible()),
            ("Shift+M",),
            "Show measuring tools, and a list of marks with their values, below the picture",
            "mdi6.table",
            checked=self.panel.isVisible,
            menu=Place(_MENU, 3, 1),
        )
        yield Command(
            "measure.rename",
            "Name the mark…",
            self._name_chosen,
            tooltip="Name the selected mark; the name appears before its values",
            icon="mdi6.rename-outline",
            menu=Place(_MENU, 3, 2),
            reason=self._none_chosen,
        )
        yield Command(
            "measure.delete",
            "Delete the mark",
            self.delete,
            ("Del",),
            "Delete the selected mark",
            "mdi6.delete-outline",
            menu=Place(_MENU, 3, 3),
            reason=self._none_chosen,
        )
        yield Command(
            "measure.clear",
            "Delete all marks",
            self._session.marking.clear_marks,
            menu=Place(_MENU, 3, 4),
            reason=self._no_marks,
        )
        yield Command(
            "measure.copy",
            "Copy values",
            self._copy,
            tooltip="Copy the values of all marks as CSV",
            title="Copy values of all marks",
            icon="mdi6.content-copy",
            menu=Place(_MENU, 4, 1),
            reason=self._no_marks,
        )
        yield Command(
            "measure.close",
            "Close the list of marks",
            lambda: self._show_panel(False),
            tooltip="End measuring. The marks are kept",
            icon="mdi6.close",
        )

    def _tool_command(self, kind: MarkKind, position: int) -> Command:
        free = "; in the plane, hold Ctrl to fix an end to the place instead of the disc" if kind.on_discs else ""
        return Command(
            f"measure.{kind.name}",
            kind.label,
            partial(self._use, kind),
            kind.keys,
            kind.tip + free,
            kind.icon,
            checked=lambda: self.tool is self._tools[kind.name],
            reason=None if kind.in_space else self._running.not_in_space,
            menu=Place(_MENU, 2 if kind.asks_text else 1, position),
        )

    def show_commands(self) -> None:
        """Give the panel its buttons."""
        tools, others = KINDS, ("copy", "delete", "close")
        button = self._commands.button
        self.panel.add_buttons(*([button(f"measure.{name}") for name in names] for names in (tools, others)))

    def _use(self, kind: MarkKind) -> None:
        """Make the tool for this kind of mark the active one, or put it away if it is."""
        tool = self._tools[kind.name]
        self._canvases.tool = None if tool is self._canvases.tool else tool
        self._show_panel(True)

    def _show_panel(self, on: bool) -> None:
        """Show the panel and the layer, or end measuring."""
        view = self._session.view
        self.panel.setVisible(on)
        if not on and self.tool is not None:
            self._canvases.tool = None
        if on and NAME not in view.layers:
            with self._session.document.unrecorded():
                view.layers = (*view.layers, NAME)
        self._show_all()

    def _name_chosen(self) -> None:
        self._show_panel(True)
        self.panel.edit_name(self.chosen)

    def _none_chosen(self) -> str:
        return "" if self.chosen >= 0 else "No mark is selected; click one of its ends, or its row in the list"

    def _no_marks(self) -> str:
        return "" if self.marks else "There are no marks"

    def ways_back(self) -> list[tuple[bool, Callable[[], object]]]:
        """What Esc does here: pairs of whether it applies and the action."""
        tool = self.tool
        return [
            (self._field is not None, self._leave_field),
            (tool is not None and tool.begun, tool.start_again if tool is not None else self.show),
            (tool is not None, lambda: setattr(self._canvases, "tool", None)),
            (self.chosen >= 0, lambda: self.choose(-1)),
        ]

    def delete(self) -> None:
        """Delete the selected mark."""
        if self.chosen >= 0:
            number, self._chosen = self.chosen, -1
            self._session.marking.remove(number)

    def _on_renamed(self, number: int, text: str) -> None:
        if number < len(self.marks):
            self._session.marking.rename(number, text)

    def _copy(self) -> None:
        pictures = self._pictures()
        rows = [
            (number, mark.kind, mark.text, each.name, each.symbol, each.value, each.unit, each.note, run)
            for number, mark in enumerate(self.marks)
            for run, discs in pictures
            for each in mark.measure(discs)
        ]
        names = ["number", "kind", "name", "quantity", "symbol", "value", "unit", "note"]
        names += ["run"] if len(pictures) > 1 else []
        copy_text(table_text({name: [row[column] for row in rows] for column, name in enumerate(names)}))
        self._notify(Notice("info", f"Copied the values of {count(len(self.marks))} marks"))


_WIDTH = 220  # pixels
_RIGHT, _ABOVE = 12, 8  # pixels from the place of the note


class NoteField(QLineEdit):
    """Keeps the keyboard focus until Enter. Its creator closes it.

    Parameters
    ----------
    canvas : the picture.
    x, y : the place of the note, in its pixels.
    typed(text) : called on Enter with the text, which may be empty.
    """

    def __init__(self, canvas: DiscCanvas, x: float, y: float, typed: Callable[[str], object]) -> None:
        super().__init__(canvas)
        self.setMaxLength(MAX_TEXT)
        self.setPlaceholderText("Text; Enter")
        self.setAccessibleName("Text of the note")
        self.resize(_WIDTH, self.sizeHint().height())
        left, top = round(x) + _RIGHT, round(y) - self.height() - _ABOVE
        left, top = min(left, canvas.width() - self.width()), min(top, canvas.height() - self.height())
        self.move(max(0, left), max(0, top))
        self.returnPressed.connect(lambda: typed(" ".join(self.text().split())))
        self.show()
        self.setFocus()
