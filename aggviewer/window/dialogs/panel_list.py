"""A list of what can stand in a figure or in a film: ticked, and in the order that the person likes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import QAbstractItemView

from aggviewer.widgets.tick_list import TickList

_LINES = (3, 8)  # that are seen at once, at least and at most


@dataclass(frozen=True)
class Offered:
    """A line of the list. chosen : whether it is ticked at first; key : what it is called by whom it is offered, its
    name where that is empty."""

    name: str
    chosen: bool
    key: str = ""

    @property
    def called(self) -> str:
        """Its key or name."""
        return self.key or self.name


class PanelList(TickList):
    """Lines that are ticked, and moved with the mouse or with Ctrl+Up and Ctrl+Down; ``changed`` after each of these.

    Parameters
    ----------
    title : of the list, for screen readers.
    where : what the lines stand in, for the tool tip.
    offered : the lines.
    names : those that were ticked before, in their order; None where that is not known.
    most : lines that are seen at once.
    """

    changed = pyqtSignal()

    def __init__(
        self,
        title: str,
        where: str,
        offered: Sequence[Offered],
        names: Sequence[str] | None = None,
        most: int = _LINES[1],
    ) -> None:
        super().__init__(title)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setToolTip(f"Tick what is in {where}; drag a line, or press Ctrl+Up and Ctrl+Down, to change the order")
        first = {name: number for number, name in enumerate(names or ())}
        for one in sorted(offered, key=lambda one: first.get(one.called, len(first))):
            item = self.add(one.name, one.called, one.chosen if names is None else one.called in first)
            item.setFlags(
                Qt.ItemFlag.ItemIsUserCheckable
                | Qt.ItemFlag.ItemIsEnabled
                | Qt.ItemFlag.ItemIsSelectable
                | Qt.ItemFlag.ItemIsDragEnabled
            )
        self.setSpacing(2)
        self.setCurrentRow(0)
        line = self.sizeHintForRow(0) + 2 * self.spacing()
        self.setFixedHeight(min(most, max(_LINES[0], len(offered))) * line + 2 * self.frameWidth())
        self.itemChanged.connect(lambda _item: self.changed.emit())
        model = self.model()
        assert model is not None
        model.rowsMoved.connect(lambda *_: self.changed.emit())
        for keys, step in (("Ctrl+Up", -1), ("Ctrl+Down", 1)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(lambda step=step: self.move_line(step))

    @property
    def chosen(self) -> tuple[str, ...]:
        """The keys of the lines that are ticked, in their order."""
        return tuple(map(str, self.ticked))

    def move_line(self, step: int) -> None:
        """The line that the keyboard is on, so many lines down."""
        row = self.currentRow()
        if 0 <= row + step < self.count():
            item = self.takeItem(row)
            assert item is not None
            self.insertItem(row + step, item)
            self.setCurrentRow(row + step)
            self.changed.emit()
