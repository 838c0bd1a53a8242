"""Selecting discs by mouse and keyboard, and commands for the selection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from PyQt6.QtCore import QObject, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QPolygonF
from PyQt6.QtWidgets import QMenu

from aggviewer.canvas.layers.regions import SELECTION
from aggviewer.canvas.mouse import RegionTool, Shape, discs_within
from aggviewer.session import Shown
from aggviewer.widgets.command import EXPORT, Command, MenuEntry, Place, Submenu
from aggviewer.widgets.part import Context, Part
from aggviewer.window.canvases import Canvases
from aggviewer.window.commands.top_bar import fill_menu
from aggviewer.window.picking.choosing import ChoosingLine, Following, PathKeeper
from aggviewer.window.refresher import Refresher
from engine.errors import InputError
from engine.selection import Selection, disc_fields, numbers_in, where
from engine.selection.measures import distance_field
from engine.system import System
from engine.system import system as system_called
from engine.words import BodyNames, body_names, count

_CONTROL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
_OF_DISCS = ("view.follow", "view.isolate", "view.hide_discs", "view.unhide", "view.distance", "view.paths")


class SelectionController(QObject, Part):
    """Connects the selection in the session with the pictures.

    Signals: ``noted(words)`` with a text about the selection for the status bar.
    """

    leaves = 50

    noted = pyqtSignal(str)

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._session, self._commands, self._shown = context.session, context.commands, context.shown
        self._canvases = canvases = context[Canvases]
        self._menu: QMenu | None = None
        self._disc = -1  # that was clicked last
        self._lane = 0  # where that was
        self.hints: list[Callable[[], str]] = []  # what else can be done now, in a sentence
        self._tools: dict[Shape, RegionTool] = {"box": RegionTool("box"), "lasso": RegionTool("lasso")}
        self.following = Following(canvases)
        self.paths = PathKeeper(canvases)
        self.line = ChoosingLine(context.window, self.choose, self._names)
        self.following.changed.connect(self.show_count)
        canvases.clicked.connect(self._on_click)
        canvases.region_drawn.connect(self._on_region)
        canvases.tool_changed.connect(self.show_count)
        canvases.menu_asked.connect(self._on_menu)
        canvases.canvases_changed.connect(self.show)
        context.listen(self._session.marking.changed, self.show)
        refresher = context[Refresher]
        refresher.discs_shown.connect(self._on_discs)
        refresher.frame_shown.connect(self._on_frame)

    # what is picked

    @property
    def selected(self) -> Selection:
        """The selected discs."""
        return self._session.marking.value.selected

    def select(self, selected: Selection) -> None:
        """Select only these discs."""
        self._session.marking.select(selected)

    def target(self) -> tuple[int, int] | None:
        """The lane and disc to which single-disc commands apply; None if no disc is selected."""
        if not self.selected:
            return None
        lane = self._lane if self._lane < len(self._canvases.canvases) else 0
        return lane, self._target

    def choose(self, text: str) -> None:
        """Select discs by numbers and ranges or by a condition. InputError for an invalid one."""
        shown = self._shown(0)
        if shown is None or self.selected.count != shown.disc_set.count:
            raise InputError("there are no discs yet")
        ranges = numbers_in(text)
        if ranges is None:
            self.select(where(text, shown.frame, shown.disc_set, _system(shown)))
            return
        total = shown.disc_set.count
        beyond = next((high for _, high in ranges if high >= total), None)
        if beyond is not None:
            raise InputError(f"there is no disc {count(beyond)}; discs are numbered 0 to {count(total - 1)}")
        self.select(Selection.discs(np.concatenate([np.arange(low, high + 1) for low, high in ranges]), total))

    def _names(self) -> Sequence[str]:
        shown = self._shown(0)
        system, dimensions = (None, 2) if shown is None else (_system(shown), shown.frame.dimensions)
        return [field.name for field in disc_fields(system, dimensions)]

    # the pictures

    def show(self) -> None:
        """Update the pictures from the selection."""
        picked = self._session.marking.value
        numbers = picked.selected.numbers if picked.selected else None
        hidden = picked.hidden.mask if picked.hidden else None
        for canvas in self._canvases.canvases:
            same = canvas.scene.count == picked.count
            canvas.pin(SELECTION, numbers if same else None)
            before = canvas.scene.hidden
            canvas.hide_discs(hidden if same else None)
            if not _same(before, canvas.scene.hidden):
                self._session.refresh()
        self.show_count()

    def _on_discs(self) -> None:
        self._disc = -1
        self.show()

    def _on_frame(self, lane: int, shown: Shown) -> None:
        if lane == 0:
            self.following.on_frame(shown)
            self.paths.on_frame(shown)

    def show_count(self) -> None:
        """Show in the status bar how many discs are selected and hidden, and which is followed."""
        picked, names = self._session.marking.value, self._body_names
        words = []
        if picked.selected:
            words.append(f"{self._discs(len(picked.selected))} selected")
        if picked.hidden:
            words.append(f"{self._discs(len(picked.hidden))} hidden")
        if self.following.disc is not None:
            words.append(f"following {names.disc} {count(self.following.disc)}; press Esc or drag to stop")
        tool = "" if self.tool is None else f"Drag a {self.tool} around {names.discs}. Esc to finish"
        said = (tool, ", ".join(words), *(hint() for hint in self.hints))
        self.noted.emit(". ".join(filter(None, said)))
        self._commands.update()

    # the mouse

    def _on_click(self, lane: int, disc: int, how: Qt.KeyboardModifier) -> None:
        shown = self._shown(lane)
        if disc < 0 or shown is None or not self._fits(shown):
            return
        self._disc, self._lane = disc, lane
        chosen = Selection.discs([disc], shown.disc_set.count)
        if how & _SHIFT:
            chosen = chosen.whole_clusters(shown.frame.cluster)
        if how & _CONTROL:
            chosen = self.selected - chosen if disc in self.selected else self.selected | chosen
        self.select(chosen)

    def _on_region(self, lane: int, outline: QPolygonF, how: Qt.KeyboardModifier) -> None:
        shown, canvas = self._shown(lane), self._canvases.canvases[lane]
        if shown is None or not self._fits(shown) or canvas.scene.count != shown.disc_set.count:
            return
        share = canvas.scene.drawn_share(canvas.view.layers)
        chosen = Selection.of(discs_within(outline, canvas.scene, canvas.camera, share))
        if how & _SHIFT:
            chosen = chosen.whole_clusters(shown.frame.cluster)
        self.select(self.selected | chosen if how & _CONTROL else chosen)

    def _on_menu(self, lane: int, disc: int, place: QPoint) -> None:
        """The menu of a disc and the selection, or of the picture if there is no disc."""
        shown = self._shown(lane)
        if shown is None or not self._fits(shown):
            return
        if disc >= 0:
            self._disc, self._lane = disc, lane
            if disc not in self.selected:
                self.select(Selection.discs([disc], shown.disc_set.count))
        self._commands.update()
        if self._menu is not None:
            self._menu.deleteLater()
        self._menu = menu = QMenu(self._canvases)
        menu.setToolTipsVisible(True)
        if disc >= 0:
            self._fill_menu_of_discs(menu)
        else:
            self._fill_menu_of_picture(menu)
        menu.popup(place)

    def _fill_menu_of_picture(self, menu: QMenu) -> None:
        for command in ("view.fit", "view.layers"):
            menu.addAction(self._commands.action(command))
        for path in ("View/Colour by", "View/Colour map", EXPORT):
            inner = menu.addMenu(path.split("/")[-1])
            assert inner is not None
            fill_menu(inner, self._commands, path)
        menu.addSeparator()
        for command in ("edit.select_all", "edit.select_none", "view.unhide"):
            if self._commands.action(command).isEnabled():
                menu.addAction(self._commands.action(command))

    def _fill_menu_of_discs(self, menu: QMenu) -> None:
        one = len(self.selected) == 1
        head = f"{self._body_names.Disc} {count(self._target)}" if one else self._discs(len(self.selected))
        title = QAction(head, menu)
        title.setEnabled(False)
        menu.addAction(title)
        menu.addSeparator()
        for command in _OF_DISCS:
            menu.addAction(self._commands.action(command))
        menu.addSeparator()
        for own in (known.id for known in self._commands if known.of_discs):
            menu.addAction(self._commands.action(own))
        menu.addSeparator()
        for command in ("edit.select_clusters", "edit.select_invert", "edit.select_where", "edit.select_none"):
            menu.addAction(self._commands.action(command))

    @property
    def _body_names(self) -> BodyNames:
        """What texts call the discs in the pictures."""
        return body_names(self._canvases.first.scene.dimensions)

    def _discs(self, number: int) -> str:
        return f"1 {self._body_names.disc}" if number == 1 else f"{count(number)} {self._body_names.discs}"

    def _fits(self, shown: Shown) -> bool:
        """Whether the selection belongs to the discs that are on the screen."""
        return self.selected.count == shown.disc_set.count

    # commands

    def commands(self) -> Iterator[MenuEntry]:
        """Commands to select discs, and for the selection."""
        yield Command(
            "edit.select_all",
            "Select all {discs}",
            lambda: self.select(Selection.all(self.selected.count)),
            ("Ctrl+A",),
            menu=Place("Edit", 2, 1),
        )
        yield Command(
            "edit.select_none",
            "Select none",
            lambda: self.select(Selection.none(self.selected.count)),
            tooltip="Clear the selection (also Esc)",
            menu=Place("Edit", 2, 2),
            reason=self._nothing,
        )
        yield Command(
            "edit.select_invert",
            "Invert the selection",
            lambda: self.select(~self.selected),
            ("Ctrl+I",),
            "Select the {discs} that are not selected",
            menu=Place("Edit", 2, 3),
        )
        yield Command(
            "edit.select_clusters",
            "Select whole clusters",
            self._select_clusters,
            tooltip="Extend the selection to whole clusters",
            menu=Place("Edit", 2, 4),
            available=self._joins,
            reason=self._nothing,
        )
        yield Command(
            "edit.select_where",
            "Select {discs} by condition…",
            self.line.open,
            ("/",),
            "Select by a condition such as speed > 1, or by numbers",
            menu=Place("Edit", 2, 5),
        )
        for position, shape in enumerate(self._tools):
            yield Command(
                f"edit.select_{shape}",
                f"Select by {shape}",
                lambda shape=shape: self._use_tool(shape),  # type: ignore[misc]
                tooltip=f"Drag a {shape} around {{discs}}. Ctrl adds to the selection, Shift selects whole clusters. "
                "Esc to finish",
                checked=lambda shape=shape: self.tool == shape,  # type: ignore[misc]
                menu=Place("Edit", 3, position),
            )
        yield Submenu("Discs", Place("View", 2, 9))
        path = "View/Discs"
        yield Command(
            "view.follow",
            "Follow",
            self._follow,
            tooltip="Keep the {disc} at the centre of the picture. Press Esc or drag to stop",
            checked=lambda: self.following.disc is not None,
            menu=Place(path, 1, 1),
            reason=self._nothing_to_follow,
        )
        yield Command(
            "view.paths",
            "Show its path",
            self._toggle_paths,
            tooltip="Draw the paths of the selected {discs} from now on. Choose again to remove them",
            checked=lambda: self.paths.on,
            menu=Place(path, 1, 2),
            reason=lambda: "" if self.paths.on else self._nothing(),
        )
        yield Command(
            "view.distance",
            "Colour by distance from this {disc}",
            self._color_by_distance,
            tooltip="Colour each {disc} by its distance from this one",
            menu=Place(path, 1, 3),
            reason=self._nothing,
        )
        yield Command(
            "view.isolate",
            "Isolate",
            lambda: self._session.marking.hide(~self.selected),
            tooltip="Show only the selected {discs}",
            menu=Place(path, 2, 1),
            reason=self._nothing,
        )
        yield Command(
            "view.hide_discs",
            "Hide",
            lambda: self._session.marking.hide(self._session.marking.value.hidden | self.selected),
            tooltip="Hide the selected {discs}",
            menu=Place(path, 2, 2),
            reason=self._nothing,
        )
        yield Command(
            "view.unhide",
            "Show all {discs}",
            lambda: self._session.marking.hide(Selection.none(self.selected.count)),
            tooltip="Show all hidden {discs} again",
            menu=Place(path, 2, 3),
            reason=lambda: "" if self._session.marking.value.hidden else "No {disc} is hidden",
        )

    @property
    def tool(self) -> Shape | None:
        """The shape drawn by dragging to select discs; None if dragging does something else."""
        return next((shape for shape, tool in self._tools.items() if tool is self._canvases.tool), None)

    def _use_tool(self, shape: Shape | None) -> None:
        if shape is not None and shape != self.tool:
            self._canvases.tool = self._tools[shape]
        elif self.tool is not None:
            self._canvases.tool = None

    def ways_back(self) -> list[tuple[bool, Callable[[], object]]]:
        """What Esc does here: pairs of whether it applies and the action."""
        return [
            (self.following.disc is not None, self.following.go_back),
            (self.tool is not None, lambda: self._use_tool(None)),
            (bool(self.selected), lambda: self.select(Selection.none(self.selected.count))),
        ]

    @property
    def _target(self) -> int:
        """The disc to which single-disc commands apply: the last clicked one, else the first selected."""
        return self._disc if self._disc in self.selected else int(self.selected.numbers[0])

    def _nothing(self) -> str:
        return "" if self.selected else "No {disc} is selected; click one"

    def _nothing_to_follow(self) -> str:
        return "" if self.following.disc is not None else self._nothing()

    def _joins(self) -> bool:
        """Whether the discs on the screen stick and form clusters."""
        shown = self._shown(0)
        return shown is None or _system(shown).joins

    def _select_clusters(self) -> None:
        shown = self._shown(0)
        if shown is not None and self._fits(shown):
            self.select(self.selected.whole_clusters(shown.frame.cluster))

    def _follow(self) -> None:
        shown = self._shown(0)
        if self.following.disc is not None:
            self.following.go_back()
        elif shown is not None and self._fits(shown) and self.selected:
            self.following.start(self._target, shown)

    def _toggle_paths(self) -> None:
        shown = self._shown(0)
        if self.paths.on:
            self.paths.stop()
        elif shown is not None and self._fits(shown) and self.selected:
            self.paths.start(self.selected.numbers, shown)

    def _color_by_distance(self) -> None:
        if self.selected:
            field = distance_field(f"distance:{self._target}")
            assert field is not None
            self._session.view.color_by = field.name


def _system(shown: Shown) -> System:
    """The system of the discs on the screen."""
    return system_called(shown.disc_set.scenario.system)


def _same(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))
