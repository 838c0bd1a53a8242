"""The gallery: scenarios and lessons as grouped tiles, searched by typing and chosen by keyboard or mouse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListView,
    QListWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from aggviewer.extensions.gallery.tiles import TILE, TileDelegate
from aggviewer.widgets.matching import Searched, found
from aggviewer.widgets.popup import BELOW_BAR
from aggviewer.widgets.search_popup import SearchPopup
from aggviewer.widgets.tile import Tile, TileGroup

_WIDEST, _HIGHEST = 1000, 720  # pixels of it
_AROUND = 32  # left free of the window on each side
_STEPS = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
_ROWS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 2, Qt.Key.Key_PageUp: -2}


class Gallery(SearchPopup):
    """A popup with all tiles.

    Signals: ``chosen`` before the user's choice is carried out.

    Parameters
    ----------
    groups : returns the contents, called at each opening.
    open_file : called by its file button.
    parent : its window.
    """

    chosen = pyqtSignal()

    def __init__(self, groups: Callable[[], list[TileGroup]], open_file: Callable[[], object], parent: QWidget) -> None:
        super().__init__("gallery", "Scenarios and lessons", "Find a scenario or a lesson", parent)
        self._ask, self._groups = groups, list[TileGroup]()
        self.field.setClearButtonEnabled(True)
        self.file_button = QToolButton()
        self.file_button.setText("Open a file…")
        self.file_button.setAutoRaise(True)
        self.file_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.file_button.clicked.connect(lambda: (self.close(), open_file()))
        self.list.setAccessibleName("Scenarios and lessons")
        self.list.setFlow(QListView.Flow.LeftToRight)
        self.list.setWrapping(True)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMouseTracking(True)
        self.list.currentItemChanged.connect(lambda item: self._tell(item))
        self.delegate = TileDelegate(self.list)
        self.list.setItemDelegate(self.delegate)
        bar = self.list.verticalScrollBar()
        if bar is not None:
            bar.setSingleStep(24)
        self.about = QLabel()
        self.about.setObjectName("galleryAbout")
        self.about.setWordWrap(True)
        self.about.setFixedHeight(2 * self.fontMetrics().lineSpacing() + 2)
        self.about.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        top = QHBoxLayout()
        top.setContentsMargins(0, 0, 8, 0)
        top.addWidget(self.field, 1)
        top.addWidget(self.file_button)
        foot = QHBoxLayout()
        foot.setContentsMargins(20, 8, 16, 8)
        foot.addWidget(self.about)
        line = QFrame()
        line.setObjectName("galleryLine")
        line.setFixedHeight(1)
        middle = QHBoxLayout()
        middle.setContentsMargins(8, 0, 0, 0)
        middle.addWidget(self.list)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(line)
        layout.addLayout(middle, 1)
        layout.addLayout(foot)

    def open(self, heading: str = "", title: str = "") -> None:
        """Open it with an empty search field.

        heading : the first group to show; title : the tile to select. If missing, the first ones.
        """
        parent = self.parentWidget()
        assert parent is not None
        width = min(_WIDEST, parent.width() - 2 * _AROUND)
        self._groups = self._ask()
        self.begin()
        self.open_below_bar(width, min(_HIGHEST, parent.height() - BELOW_BAR - _AROUND))
        self.field.setFocus()
        QTimer.singleShot(0, lambda: self._begin_with(heading, title))  # after the rows have been laid out

    def _begin_with(self, heading: str, title: str) -> None:
        if self.field.text():  # something was typed meanwhile: the best match stays marked
            return
        items = list(self._items())
        headings = [item for item in items if item.data(TILE) is None and item.text() == heading]
        if headings:
            self.list.scrollToItem(headings[0], QAbstractItemView.ScrollHint.PositionAtTop)
            self.list.setCurrentRow(self.list.row(headings[0]) + 1)
            return
        for item in self.lines:
            if item.data(TILE).title == title:
                self.list.setCurrentItem(item)
                self.list.scrollToItem(item, QAbstractItemView.ScrollHint.EnsureVisible)

    def _items(self) -> Iterator[QListWidgetItem]:
        for row in range(self.list.count()):
            item = self.list.item(row)
            if item is not None:
                yield item

    @property
    def titles(self) -> list[str]:
        """The available tiles."""
        return [item.data(TILE).title for item in self.lines]

    def _fill(self, query: str) -> QListWidgetItem | None:
        """Add the matching tiles in their groups, the group with the best match first."""
        tiles = [(group.heading, tile) for group in self._groups for tile in group.tiles]
        lines = (Searched(tile.title, f"{tile.line} {tile.words} {heading}") for heading, tile in tiles)
        fitting: dict[str, list[Tile]] = {}
        for number, _ in found(query, lines):
            heading, tile = tiles[number]
            fitting.setdefault(heading, []).append(tile)
        for heading, members in fitting.items():
            self.add_heading(heading)
            for tile in members:
                self._add_tile(tile)
        return self.lines[0] if fitting else None

    def _add_tile(self, tile: Tile) -> None:
        item = QListWidgetItem(tile.title)
        item.setData(TILE, tile)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, tile.title)
        item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, tile.line)
        item.setToolTip(tile.line)
        self.list.addItem(item)

    def _tell(self, item: QListWidgetItem | None) -> None:
        """Show the full text of the selected tile, also to screen readers while the search field has the focus."""
        tile = item.data(TILE) if item is not None else None
        words = f"<b>{escape(tile.title)}</b> &nbsp; {escape(tile.line)}" if tile is not None else ""
        self.about.setText(words)
        self.field.setAccessibleDescription(f"{tile.title}: {tile.line}" if tile is not None else "")

    def _use(self, item: QListWidgetItem | None) -> None:
        tile = item.data(TILE) if item is not None else None
        if tile is not None:
            self.close()
            self.chosen.emit()
            tile.use()

    # keys

    def _step_rows(self, step: int) -> None:
        """Select a tile this many rows further, in about the same column."""
        current = self.list.currentItem()
        tiles = self.lines
        if current not in tiles:
            return
        middles = {row: self.list.visualItemRect(item).center() for row, item in enumerate(tiles)}
        here = middles[tiles.index(current)]
        rows = sorted({middle.y() for middle in middles.values()})
        wanted = rows[min(max(rows.index(here.y()) + step, 0), len(rows) - 1)]
        in_row = [row for row, middle in middles.items() if middle.y() == wanted]
        self.list.setCurrentItem(tiles[min(in_row, key=lambda row: abs(middles[row].x() - here.x()))])
        if wanted == rows[0]:
            self.list.scrollToTop()  # with its heading

    def _move(self, key: Qt.Key, plain: bool) -> bool:
        if key in _STEPS and plain:
            self._step(_STEPS[key])
        elif key in _ROWS and plain:
            self._step_rows(_ROWS[key])
        else:
            return False
        return True
