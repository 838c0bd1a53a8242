"""A list of items for a figure, export or film, which the user can tick and reorder."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PyQt6.QtCore import QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import QAbstractItemView

from aggviewer.export.kinds import ExportItem
from aggviewer.widgets.tick_list import TickList

_LINES = (3, 8)  # that are seen at once, at least and at most


class ItemList(TickList):
    """Items with check boxes that can be moved with the mouse or Ctrl+Up and Ctrl+Down; ``changed`` after each change.

    Parameters
    ----------
    title : of the list, for screen readers.
    where : what the items go into, for the tool tip.
    items : the items.
    ticked : keys of the ticked items in order; they come first.
    most : number of visible lines.
    """

    changed = pyqtSignal()

    def __init__(
        self, title: str, where: str, items: Sequence[ExportItem], ticked: Sequence[str], most: int = _LINES[1]
    ) -> None:
        super().__init__(title)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setToolTip(f"Tick what goes into {where}. Drag, or press Ctrl+Up and Ctrl+Down, to change the order")
        first = {key: number for number, key in enumerate(ticked)}
        for one in sorted(items, key=lambda one: first.get(one.key, len(first))):
            item = self.add(one.title, one.key, one.key in first)
            item.setFlags(
                Qt.ItemFlag.ItemIsUserCheckable
                | Qt.ItemFlag.ItemIsEnabled
                | Qt.ItemFlag.ItemIsSelectable
                | Qt.ItemFlag.ItemIsDragEnabled
            )
        self.setSpacing(2)
        self.setCurrentRow(0)
        self.show_lines(min(most, max(_LINES[0], len(items))))
        self.itemChanged.connect(lambda _item: self.changed.emit())
        model = self.model()
        assert model is not None
        model.rowsMoved.connect(lambda *_: self.changed.emit())
        for keys, step in (("Ctrl+Up", -1), ("Ctrl+Down", 1)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(lambda step=step: self.move_line(step))

    @property
    def value(self) -> tuple[str, ...]:
        """The keys of the ticked items in order."""
        return tuple(map(str, self.ticked))

    def mark_empty(self, keys: Collection[str]) -> None:
        """Show that these items have no data yet. They can still be ticked."""
        with QSignalBlocker(self):
            for row in range(self.count()):
                item = self.item(row)
                if item is not None:
                    empty = item.data(Qt.ItemDataRole.UserRole) in keys
                    item.setForeground(self.palette().placeholderText() if empty else self.palette().text())
                    item.setToolTip("No data yet" if empty else "")
        self.viewport().update()  # type: ignore[union-attr]

    def move_line(self, step: int) -> None:
        """Move the current line down by this many lines."""
        row = self.currentRow()
        if 0 <= row + step < self.count():
            item = self.takeItem(row)
            assert item is not None
            self.insertItem(row + step, item)
            self.setCurrentRow(row + step)
            self.changed.emit()
