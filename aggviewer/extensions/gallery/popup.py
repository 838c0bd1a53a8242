"""The gallery: bundled scenarios by system, lessons and recent files, as grouped tiles with pictures.

They are searched by typing and chosen by keyboard or mouse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path

from PyQt6.QtCore import QModelIndex, QRectF, QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPen, QPixmap, QTextLayout, QTextOption
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListView,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from aggviewer.names import BACKGROUNDS
from aggviewer.style.theme import colors_in_use
from aggviewer.systems.registry import Catalog
from aggviewer.widgets.buttons import icon
from aggviewer.widgets.command import SCENARIO, Command, Place
from aggviewer.widgets.part import TILE_SIZE, Context, Part, Tile, TileGroup, ground_in_use, pictures_of
from aggviewer.widgets.popup import BELOW_BAR, Searched, SearchPopup, found
from aggviewer.window.files import Opening
from aggviewer.window.settings import WindowSettings

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
        self.list.currentItemChanged.connect(lambda item: self._show_whole_text(item))
        self.delegate = TileDelegate(self.list)
        self.list.setItemDelegate(self.delegate)
        bar = self.list.verticalScrollBar()
        if bar is not None:
            bar.setSingleStep(24)
            bar.valueChanged.connect(self._mark_group)
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
        self.index = QVBoxLayout()
        self.index.setContentsMargins(4, 12, 8, 0)
        self.index.setSpacing(0)
        side = QWidget()  # as narrow as its buttons
        side.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        around = QVBoxLayout(side)
        around.setContentsMargins(0, 0, 0, 0)
        around.addLayout(self.index)
        around.addStretch(1)
        middle = QHBoxLayout()
        middle.setContentsMargins(8, 0, 0, 0)
        middle.setSpacing(0)
        middle.addWidget(side)
        middle.addWidget(self.list, 1)
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
        self._fill_index(group.heading for group in self._groups)
        self.begin()
        self.open_below_bar(width, min(_HIGHEST, parent.height() - BELOW_BAR - _AROUND))
        self.field.setFocus()
        QTimer.singleShot(0, lambda: self._begin_with(heading, title))  # after the rows have been laid out

    def _begin_with(self, heading: str, title: str) -> None:
        if self.field.text():  # something was typed meanwhile: the best match stays marked
            return
        if self.go_to(heading):
            return
        for item in self.lines:
            if item.data(TILE).title == title:
                self.list.setCurrentItem(item)
                self.list.scrollToItem(item, QAbstractItemView.ScrollHint.EnsureVisible)
        self._mark_group()

    def _jump(self, heading: str) -> None:
        """Show all groups, this one first."""
        self.field.clear()
        self.go_to(heading)

    def go_to(self, heading: str) -> bool:
        """Show the group with this heading and select its first tile. False if there is none."""
        for item in self._headings():
            if item.text() == heading:
                self.list.setCurrentRow(self.list.row(item) + 1)
                self.list.scrollToItem(item, QAbstractItemView.ScrollHint.PositionAtTop)
                self._mark(heading)
                return True
        return False

    def _headings(self) -> list[QListWidgetItem]:
        return [item for item in self._items() if item.data(TILE) is None]

    def _mark_group(self) -> None:
        """Mark the group at the top of the list in the index."""
        above = [item for item in self._headings() if self.list.visualItemRect(item).top() < _HEADING]
        self._mark(above[-1].text() if above else "")

    def _mark(self, heading: str) -> None:
        for button in self.entries:
            button.setChecked(button.text() == heading)

    @property
    def entries(self) -> list[QPushButton]:
        """The entries of the index."""
        found = (self.index.itemAt(place) for place in range(self.index.count()))
        return [item.widget() for item in found if item is not None]  # type: ignore[misc]

    def _fill_index(self, headings: Iterable[str]) -> None:
        """An entry for each group, beside the list."""
        for button in self.entries:
            self.index.removeWidget(button)
            button.deleteLater()
        for heading in headings:
            button = QPushButton(heading)
            button.setObjectName("galleryEntry")
            button.setAutoDefault(False)
            button.setCheckable(True)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(partial(self._jump, heading))
            self.index.addWidget(button)

    def _items(self) -> Iterator[QListWidgetItem]:
        for row in range(self.list.count()):
            item = self.list.item(row)
            if item is not None:
                yield item

    @property
    def titles(self) -> list[str]:
        """The titles of the tiles that are shown."""
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

    def _show_whole_text(self, item: QListWidgetItem | None) -> None:
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


TILE = Qt.ItemDataRole.UserRole
"""The item role that holds the `Tile`; headings have none."""

_WIDTH = 176  # pixels of a tile at least
_GAP, _PAD = 4, 8  # between tiles and around what is in one
_LINES, _TITLE_LINES = 4, 2  # lines of its title and text together, and most of them that the title has
_HEADING = 36
_TICK = 22  # pixels of the tick on a finished lesson


class TileDelegate(QStyledItemDelegate):
    """Paints tiles and headings. A picture is read when its tile is first painted.

    pictures_read : number of pictures read so far.
    """

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view
        self._pixmaps: dict[tuple[Path, int], QPixmap] = {}
        self.pictures_read = 0

    # sizes

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        """Tiles share the width of the view evenly; a heading takes a whole row."""
        viewport = self._view.viewport()
        room = (viewport.width() if viewport is not None else _WIDTH) - 1
        if not isinstance(index.data(TILE), Tile):
            return QSize(room, _HEADING)
        width = room // max(1, room // _WIDTH)
        words = _LINES * QFontMetrics(_bold(self._view.font())).lineSpacing()
        return QSize(width, round(self._picture_height(width)) + words + 3 * _PAD + 2 * _GAP)

    def _picture_height(self, width: int) -> float:
        return (width - 2 * (_GAP + _PAD)) * TILE_SIZE[1] / TILE_SIZE[0]

    # painting

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        """Paint a tile, framed if selected, or a heading."""
        assert painter is not None
        tile = index.data(TILE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if isinstance(tile, Tile):
            self._paint_tile(painter, option, tile)
        else:
            painter.setFont(_bold(self._view.font()))
            painter.setPen(QColor(colors_in_use().muted))
            room = option.rect.adjusted(_GAP + _PAD, 0, 0, -_GAP)
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, str(index.data()))
        painter.restore()

    def _paint_tile(self, painter: QPainter, option: QStyleOptionViewItem, tile: Tile) -> None:
        colors = colors_in_use()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        over = bool(option.state & QStyle.StateFlag.State_MouseOver)
        frame = QRectF(option.rect).adjusted(_GAP + 0.5, _GAP + 0.5, -_GAP - 0.5, -_GAP - 0.5)
        painter.setPen(QPen(QColor(colors.accent if chosen else colors.border), 2.0 if chosen else 1.0))
        painter.setBrush(QColor(colors.hover if over or chosen else colors.window))
        painter.drawRoundedRect(frame, 8, 8)
        inner = QRectF(option.rect).adjusted(_GAP + _PAD, _GAP + _PAD, -_GAP - _PAD, -_GAP - _PAD)
        picture = QRectF(inner.left(), inner.top(), inner.width(), self._picture_height(option.rect.width()))
        self._paint_picture(painter, picture, tile)
        font, bold = self._view.font(), _bold(self._view.font())
        title = lines_of(tile.title, bold, inner.width(), _TITLE_LINES)
        text = lines_of(tile.line, font, inner.width(), _LINES - len(title))
        spacing = QFontMetrics(bold).lineSpacing()
        top = picture.bottom() + _PAD
        for row, line in enumerate((*title, *text)):
            in_title = row < len(title)
            painter.setFont(bold if in_title else font)
            painter.setPen(QColor(colors.text if in_title else colors.muted))
            room = QRectF(inner.left(), top + row * spacing, inner.width(), spacing)
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, line)

    def _paint_picture(self, painter: QPainter, room: QRectF, tile: Tile) -> None:
        painter.save()
        path = QPainterPath()
        path.addRoundedRect(room, 4, 4)
        painter.setClipPath(path)
        painter.fillRect(room, QColor(BACKGROUNDS[ground_in_use()]))
        pixmap = self._pixmap(tile.pictures.get(ground_in_use()), room)
        if pixmap.isNull():
            side = 0.4 * room.height()
            place = QRectF(room.center().x() - side / 2, room.center().y() - side / 2, side, side)
            icon(tile.icon, "muted").paint(painter, place.toRect())
        else:
            painter.drawPixmap(room, pixmap, QRectF(pixmap.rect()))
        painter.restore()
        if tile.done:
            place = QRectF(room.right() - _TICK - 4, room.top() + 4, _TICK, _TICK)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors_in_use().accent))
            painter.drawEllipse(place)
            icon("mdi6.check", "on_accent").paint(painter, place.adjusted(3, 3, -3, -3).toRect())

    def _pixmap(self, path: Path | None, room: QRectF) -> QPixmap:
        """The picture scaled smoothly to this size on any screen; a null pixmap if there is none."""
        if path is None:
            return QPixmap()
        width = round(room.width() * self._view.devicePixelRatioF())
        if (path, width) not in self._pixmaps:
            whole = QPixmap(str(path))
            self.pictures_read += 1
            if not whole.isNull() and width < whole.width():
                whole = whole.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
            self._pixmaps[path, width] = whole
        return self._pixmaps[path, width]


def lines_of(text: str, font: QFont, width: float, most: int) -> list[str]:
    """The text wrapped to a width, at most `most` lines, ending in an ellipsis if cut."""
    layout = QTextLayout(text, font)
    layout.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
    layout.beginLayout()
    lines: list[str] = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        if len(lines) == most - 1:
            rest = text[line.textStart() :]
            lines.append(QFontMetrics(font).elidedText(rest, Qt.TextElideMode.ElideRight, int(width)))
            break
        lines.append(text[line.textStart() : line.textStart() + line.textLength()].rstrip())
    layout.endLayout()
    return lines


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setWeight(QFont.Weight.DemiBold)
    return bold


_FIRST = ("lattice-2500", "cooling-16384", "spheres-13500", "jam-1024")
"""The scenarios that represent their groups in the welcome tiles; of other groups, the first scenario."""
_SCENARIO_ICON, _FILE_ICON = "mdi6.circle-multiple-outline", "mdi6.file-outline"


class Scenarios(Part):
    """The gallery of a window and its command. Choosing a scenario or lesson runs the command of that entry."""

    def __init__(self, context: Context) -> None:
        self._context, self._commands, self._catalog = context, context.commands, context[Catalog]
        self._opening, self._settings, self._theme = context[Opening], context[WindowSettings], context.theme
        self.gallery = Gallery(self.contents, partial(self._commands.run, "file.open"), context.window)

    def commands(self) -> Iterator[Command]:
        """The command that opens the gallery."""
        yield Command(
            "file.scenarios",
            "Scenarios…",
            self.open,
            ("G",),
            "All scenarios and lessons, with pictures",
            "mdi6.view-grid-outline",
            menu=Place("File", 1, 2),
            bar=Place(SCENARIO, 1, 0),
            words="gallery examples presets 3d spheres space",
        )

    def open(self, heading: str = "") -> None:
        """Open the gallery at the group with this heading."""
        running = self._context.session.scenario
        self.gallery.open(heading, "" if running is None else self._catalog.title_of(running))

    def contents(self) -> list[TileGroup]:
        """Everything that can be chosen now. Pictures are not read yet."""
        groups = [
            TileGroup(heading, [self._scenario(entry.name, entry.title, entry.description) for entry in entries])
            for heading, entries in self._catalog.groups()
        ]
        groups += self._others()
        groups.append(TileGroup("Opened last", [self._file(path) for path in self._settings.recent]))
        return [group for group in groups if group.tiles]

    def _others(self) -> list[TileGroup]:
        """What other parts of the window offer, such as lessons."""
        return [group for part in self._context.parts for group in part.tiles()]

    def cards(self) -> list[Tile]:
        """The entries of the welcome tiles: a scenario of each system, named after what its discs do, one of spheres,
        and what other parts offer, such as lessons."""
        cards, there = [], set[object]()
        groups = self._catalog.groups()
        for heading, entries in sorted(groups, key=lambda group: self._catalog.kind_of(group[1][0].name)[1]):
            entry = next((entry for entry in entries if entry.name in _FIRST), entries[0])
            kind = self._catalog.kind_of(entry.name)
            if there.issuperset(kind):
                continue
            there.update(kind)
            tile = self._scenario(entry.name, entry.title, entry.description)
            title = heading if 2 in kind else "Spheres"
            cards.append(replace(tile, title=title, line=f"{entry.title}: {entry.description}"))
        for group in self._others():
            if group.line and group.tiles:
                use = partial(self.open, group.heading)
                cards.append(replace(group.tiles[0], title=group.heading, line=group.line, use=use))
        return cards

    def _scenario(self, name: str, title: str, line: str) -> Tile:
        use = partial(self._commands.run, f"scenario.{name}")
        return Tile(title, line, use, pictures_of(name), _SCENARIO_ICON, words=name)

    def _file(self, path: Path) -> Tile:
        return Tile(self._opening.label_of(path), str(path), partial(self._open_file, path), {}, _FILE_ICON)

    def _open_file(self, path: Path) -> None:
        self._opening.open(path)
        self._opening.chosen.emit()
