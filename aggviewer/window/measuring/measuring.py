"""Measuring: brings marks to the pictures and their numbers to the list, and what the person does there to the
session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from PyQt6.QtCore import QEvent, QObject, QPointF, Qt, QTimer
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QLineEdit, QWidget

from aggviewer.canvas import DiscCanvas
from aggviewer.canvas.gestures import Gesture, Ground
from aggviewer.canvas.layers import measures
from aggviewer.canvas.layers.measures import Shown, state_of
from aggviewer.export.tables import table_text
from aggviewer.plots.runs import looks
from aggviewer.session import Notice, Session
from aggviewer.session.marks.kinds import Kind, State, band_width, kind_of, kinds, profile_of, readings_of
from aggviewer.session.marks.model import MAX_TEXT, MOST_DISCS, Mark, discs_text
from aggviewer.style.theme import Colors
from aggviewer.widgets.clipboard import copy_text
from aggviewer.widgets.command import Command, Entry, Group, Place
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.commands.command_set import CommandSet
from aggviewer.window.measuring.bar import MeasureBar
from aggviewer.window.measuring.tool import MarkTool, MovingEnd, end_at
from engine.errors import InputError

_REFRESH_MS = 150
_FREE = "; with Ctrl an end stays at the place, also on a disc"


class Measuring(QObject):
    """Tools, marks, and the bar with their list.

    Parameters
    ----------
    window : has the menus.
    session, canvases, commands : what is measured, where it is seen, and what can be done.
    notify : tells the person something.
    """

    def __init__(
        self,
        window: QWidget,
        session: Session,
        canvases: Canvases,
        commands: CommandSet,
        notify: Callable[[Notice], object],
    ) -> None:
        super().__init__(window)
        self._session = session
        self._canvases = canvases
        self._commands = commands
        self._notify = notify
        self._tools: dict[Kind, MarkTool] = {}
        self._make_tools()
        self._chosen = -1
        self._moving: Mark | None = None  # the chosen mark, while an end of it is dragged
        self._field: QLineEdit | None = None
        self._colors: Colors | None = None
        self.bar = MeasureBar()
        self.bar.chosen.connect(self.choose)
        self.bar.renamed.connect(self._on_renamed)
        self.bar.width_asked.connect(self._on_width)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_REFRESH_MS)
        self._timer.timeout.connect(self._show_numbers)
        canvases.add_grips(self._grip)
        canvases.canvases_changed.connect(self._on_canvases)
        canvases.tool_changed.connect(self._on_tool)
        self.bar.list.installEventFilter(self)
        self._on_canvases()

    # what there is

    @property
    def marks(self) -> tuple[Mark, ...]:
        """All marks."""
        return self._session.marking.value

    @property
    def tool(self) -> MarkTool | None:
        """The tool that is in use; None where the left button does something else."""
        return next((tool for tool in self._tools.values() if tool is self._canvases.tool), None)

    @property
    def chosen(self) -> int:
        """The number of the mark that is chosen, -1 for none."""
        return self._chosen if self._chosen < len(self.marks) else -1

    @property
    def _layer_on(self) -> bool:
        return measures.NAME in self._session.view.layers

    def _show_layer(self) -> None:
        view = self._session.view
        if not self._layer_on:
            with self._session.document.unrecorded():
                view.layers = (*view.layers, measures.NAME)

    def choose(self, number: int) -> None:
        """Choose a mark, -1 for none."""
        self._chosen = number
        self.show()

    # the pictures and the list

    def show(self) -> None:
        """Bring the marks to the pictures and to the list."""
        tool, marks, chosen = self.tool, self.marks, self.chosen
        if self._moving is not None and chosen >= 0:
            marks = (*marks[:chosen], self._moving, *marks[chosen + 1 :])
        draft = tool.draft if tool is not None else None
        if draft is not None:
            marks, chosen = (*marks, draft), len(marks)
        for canvas in self._canvases.canvases:
            canvas.pin(measures.NAME, Shown(marks, chosen) if marks else None)
        self._show_numbers()

    def on_frame(self, lane: int) -> None:
        """A frame is on the screen."""
        if lane == 0 and self.bar.isVisible() and self.marks and not self._timer.isActive():
            self._timer.start()

    def on_system(self) -> None:
        """Other discs are on the screen."""
        self._leave_field()
        if self.tool is not None:
            self.tool.start_again()
        self._chosen = -1
        self.show()

    def _show_numbers(self) -> None:
        if not self.bar.isVisibleTo(self.bar.parentWidget()):
            return
        states, marks, chosen = self._states, self.marks, self.chosen
        if self._moving is not None and chosen >= 0:
            marks = (*marks[:chosen], self._moving, *marks[chosen + 1 :])
        sides = [[readings_of(mark, state) for mark in marks] for state in states]
        self.bar.show_marks(marks, sides, chosen, self._names)
        banded = self._banded
        if banded is None:
            self.bar.show_profile((), 0.0)
            return
        found = [profile_of(marks[chosen], state) for state in states]
        width = band_width(banded, states[0]) / max(states[0].diameter, 1e-300)
        colours = [] if len(found) == 1 or self._colors is None else looks(self._canvases.runs, self._colors)
        self.bar.show_profile(found, width, [look.colour for look in colours])

    @property
    def _states(self) -> list[State]:
        """The discs of each of the pictures."""
        return [state_of(canvas.scene) for canvas in self._canvases.canvases]

    @property
    def _names(self) -> list[str]:
        """What the pictures are called where there are two."""
        sides, runs = len(self._canvases.canvases), self._canvases.runs
        return [run.name for run in runs] if sides == len(runs) > 1 else [""] * sides

    @property
    def _banded(self) -> Mark | None:
        """The mark that is chosen, where it has a profile."""
        mark = self.marks[self.chosen] if self.chosen >= 0 else None
        kind = kind_of(mark) if mark is not None else None
        return mark if kind is not None and kind.shape == "band" else None

    def _on_canvases(self) -> None:
        for canvas in self._canvases.canvases:
            canvas.removeEventFilter(self)
            canvas.installEventFilter(self)
        self.show()

    # the mouse

    def _on_draft(self) -> None:
        self._say()
        self.show()

    def _on_done(self, ground: Ground, mark: Mark) -> None:
        kind = kind_of(mark)
        if kind is not None and kind.asks:
            self._ask(next(canvas for canvas in self._canvases.canvases if canvas is ground), mark)
        else:
            self._add(mark)

    def _add(self, mark: Mark) -> None:
        try:
            self._chosen = self._session.marking.add(mark)
        except InputError as error:
            self._notify(Notice("warning", f"{error}."))
        self._show_layer()
        self.bar.show()
        self.show()
        self._commands.update()

    def _grip(self, canvas: DiscCanvas, at: QPointF) -> Gesture | None:
        if self.tool is not None or not self._layer_on:
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
            self.show()
            self._commands.update()

        return MovingEnd(canvas, self.marks[number], end, show, done)

    def _ask(self, canvas: DiscCanvas, mark: Mark) -> None:
        """Ask for the words of a note, where it stands in the picture. Enter adds it, Esc does not."""
        self._leave_field()
        place = state_of(canvas.scene).place(mark.anchors[0])
        if place is None:
            return
        x, y = canvas.camera.to_pixel(*place.tolist())
        self._field = field = QLineEdit(canvas)
        field.setMaxLength(MAX_TEXT)
        field.setPlaceholderText("Text, or none; Enter" if len(mark.anchors) > 1 else "Text; Enter")
        field.setAccessibleName("Words of the note")
        field.resize(220, field.sizeHint().height())
        left = min(max(0, round(x) + 12), canvas.width() - field.width())
        field.move(left, min(max(0, round(y) - field.height() - 8), canvas.height() - field.height()))

        def add() -> None:
            text = " ".join(field.text().split())
            self._leave_field()
            if text or len(mark.anchors) > 1:
                self._add(mark.model_copy(update={"text": text}))
            canvas.setFocus()

        field.returnPressed.connect(add)
        field.show()
        field.setFocus()

    def _leave_field(self) -> None:
        field, self._field = self._field, None
        if field is not None:
            field.hide()
            field.deleteLater()

    # commands

    def commands(self) -> Iterator[Entry]:
        """What can be done with marks; see `groups`."""
        place = "Measure"
        yield Command(
            "measure.list",
            "List of marks",
            lambda: self._show_bar(not self.bar.isVisible()),
            ("Shift+M",),
            "Tools, marks and their numbers below the picture",
            "mdi6.table",
            checked=self.bar.isVisible,
            menu=Place(place, 3, 1),
        )
        yield Command(
            "measure.rename",
            "Name the mark…",
            self._name_chosen,
            tooltip="Name the mark that is chosen; its name stands before its numbers",
            icon="mdi6.rename-outline",
            menu=Place(place, 3, 2),
            reason=self._none_chosen,
        )
        yield Command(
            "measure.delete",
            "Delete the mark",
            self.delete,
            tooltip="Delete the mark that is chosen; Del does it too",
            icon="mdi6.delete-outline",
            menu=Place(place, 3, 3),
            reason=self._none_chosen,
        )
        yield Command(
            "measure.clear",
            "Delete all marks",
            self._session.marking.clear,
            menu=Place(place, 3, 4),
            reason=lambda: "" if self.marks else "There is no mark",
        )
        yield Command(
            "measure.copy",
            "Copy the numbers",
            self._copy,
            tooltip="All numbers of all marks as CSV, to paste into a table",
            icon="mdi6.content-copy",
            menu=Place(place, 4, 1),
            reason=lambda: "" if self.marks else "There is no mark",
        )
        yield Command(
            "measure.copy_profile",
            "Copy the profile",
            self._copy_profile,
            tooltip="The profile that is chosen as CSV, to paste into a table",
            icon="mdi6.chart-line",
            menu=Place(place, 4, 2),
            reason=lambda: "" if self._banded is not None else "No profile is chosen",
        )
        yield Command(
            "measure.close",
            "Close the list of marks",
            lambda: self._show_bar(False),
            tooltip="End measuring; the marks stay",
            icon="mdi6.close",
        )

    def groups(self) -> Iterator[Group]:
        """A tool for each kind of marks."""
        for position, kind in enumerate(kinds()):
            place = Place("Measure", 1 if not kind.asks else 2, position)
            yield Group(kind, partial(self._tool_commands, kind, place))

    def _tool_commands(self, kind: Kind, place: Place) -> Iterator[Command]:
        yield self._tool_command(kind, place)

    def _make_tools(self) -> None:
        """A tool for each kind; those that were there stay."""
        before = self._tools
        self._tools = {
            kind: before.get(kind) or MarkTool(kind, self._on_draft, self._on_done)
            for kind in kinds()
            if not kind.of_selection
        }

    def renew(self) -> None:
        """There are other kinds of marks: their tools follow. One that is in use and has gone is put away."""
        self._make_tools()
        if self.tool is not None and self.tool not in self._tools.values():
            self._canvases.tool = None
        self.bar.set_tools([self._commands.button(f"measure.{kind.name}") for kind in kinds()])
        self.show()

    def _tool_command(self, kind: Kind, place: Place) -> Command:
        made = Command(
            f"measure.{kind.name}",
            kind.label,
            lambda: self._use(kind),
            kind.keys,
            kind.tip + (_FREE if kind.on_discs and kind.hints else ""),
            kind.icon,
            menu=place,
        )
        if kind.of_selection:
            return replace(made, reason=self._not_selected)
        return replace(made, checked=lambda: self.tool is self._tools.get(kind))

    def add_buttons(self) -> None:
        """Give the bar its buttons, when there are commands."""
        button = self._commands.button
        others = [button(f"measure.{name}") for name in ("copy", "delete", "close")]
        self.bar.set_tools([button(f"measure.{kind.name}") for kind in kinds()])
        self.bar.add_buttons(others, [button("measure.copy_profile")])

    def _show_bar(self, on: bool) -> None:
        self.bar.setVisible(on)
        if not on and self.tool is not None:
            self._canvases.tool = None
        if on:
            self._show_layer()
        self._say()
        self.show()
        self._commands.update()

    def _name_chosen(self) -> None:
        self._show_bar(True)
        self.bar.edit_name(self.chosen)

    def _use(self, kind: Kind) -> None:
        """Take a tool, or put it away where it is in use; measure the selection where the kind does that."""
        if kind.of_selection:
            self._add(Mark(kind=kind.name, discs=discs_text(self._session.picking.value.selected.numbers.tolist())))
            return
        tool = self._tools[kind]
        self._canvases.tool = None if tool is self._canvases.tool else tool
        self._show_bar(True)

    def _not_selected(self) -> str:
        number = len(self._session.picking.value.selected)
        if number > MOST_DISCS:
            return f"At most {MOST_DISCS} discs can be measured together; {number} are selected"
        return "" if number else "No disc is selected: click one"

    def _none_chosen(self) -> str:
        return "" if self.chosen >= 0 else "No mark is chosen: click one of its ends, or its line in the list"

    def ways_back(self) -> list[tuple[bool, Callable[[], object]]]:
        """What Esc ends, each with whether there is something to end."""
        tool = self.tool
        return [
            (self._field is not None, self._leave_field),
            (tool is not None and tool.begun, tool.start_again if tool is not None else self.show),
            (tool is not None, lambda: setattr(self._canvases, "tool", None)),
            (self.chosen >= 0, lambda: self.choose(-1)),
        ]

    def delete(self) -> None:
        """Delete the mark that is chosen."""
        if self.chosen >= 0:
            number, self._chosen = self.chosen, -1
            self._session.marking.remove(number)

    def _on_tool(self) -> None:
        for tool in self._tools.values():
            if tool is not self.tool and tool.begun:
                tool.start_again()
        self._say()
        self._commands.update()
        self.show()

    def _say(self) -> None:
        tool = self.tool
        if tool is not None:
            self.bar.hint.setText(f"{tool.hint}. Esc ends the tool.")
        else:
            self.bar.hint.setText("" if self.marks else "Choose a tool, then click in the picture.")

    def on_marks(self) -> None:
        """The marks have changed: by the person, by undo, or by another run."""
        if self._chosen >= len(self.marks):
            self._chosen = -1
        self._say()
        self.show()
        self._commands.update()

    def _on_renamed(self, number: int, text: str) -> None:
        if number < len(self.marks):
            self._session.marking.rename(number, text)

    def _on_width(self, diameters: float) -> None:
        mark = self._banded
        if mark is not None:
            each = state_of(self._canvases.first.scene).diameter
            changed = mark.model_copy(update={"width": diameters * each})
            self._session.marking.change(self.chosen, changed, "changing the width of")

    def _copy(self) -> None:
        rows = [
            (number, mark.kind, mark.text, each.name, each.symbol, each.value, each.unit, each.note, run)
            for number, mark in enumerate(self.marks)
            for run, state in zip(self._names, self._states, strict=True)
            for each in readings_of(mark, state)
        ]
        names = ["number", "kind", "name", "quantity", "symbol", "value", "unit", "note"]
        names += ["run"] if any(self._names) else []  # of a comparison
        copy_text(table_text({name: [row[column] for row in rows] for column, name in enumerate(names)}))
        self._notify(Notice("info", f"Copied the numbers of {len(self.marks)} marks"))

    def _copy_profile(self) -> None:
        mark = self._banded
        columns = {}
        for run, state in zip(self._names, self._states, strict=True):
            found = profile_of(mark, state) if mark is not None else None
            if found is not None:
                of = f" {run}" if run else ""
                columns[f"s{of}"] = found.at
                columns[f"volume_fraction{of}"] = found.volume_fraction
                columns[f"number_density{of}"] = found.number_density
        if columns:
            copy_text(table_text(columns))
            self._notify(Notice("info", f"Copied the profile, {max(map(len, columns.values()))} rows"))

    def set_colors(self, colors: Colors) -> None:
        """Another theme."""
        self._colors = colors
        self.bar.set_colors(colors)
        self._show_numbers()

    def close(self) -> None:
        """Stop the timer."""
        self._timer.stop()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Del, in the picture and in the list, deletes the mark that is chosen."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        if event.key() != Qt.Key.Key_Delete or self.chosen < 0:
            return False
        self.delete()
        return True
