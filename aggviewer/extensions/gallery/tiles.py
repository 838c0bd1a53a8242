"""Gallery tiles: picture, name and one line each, painted only when visible."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QModelIndex, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPen, QPixmap, QTextLayout, QTextOption
from PyQt6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from aggviewer.names import BACKGROUNDS
from aggviewer.style.theme import colors_in_use
from aggviewer.widgets.icons import icon
from aggviewer.widgets.tile import SIZE, Tile, ground_in_use

TILE = Qt.ItemDataRole.UserRole
"""The item role that holds the `Tile`; headings have none."""

_WIDTH = 176  # pixels of a tile at least
_GAP, _PAD, _LINES = 4, 8, 2  # between tiles and around what is in one; lines of its text
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
        metrics = QFontMetrics(self._view.font())
        words = QFontMetrics(_bold(self._view.font())).height() + _LINES * metrics.lineSpacing()
        return QSize(width, round(self._picture_height(width)) + words + 3 * _PAD + 2 * _GAP)

    def _picture_height(self, width: int) -> float:
        return (width - 2 * (_GAP + _PAD)) * SIZE[1] / SIZE[0]

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
        font = _bold(self._view.font())
        metrics = QFontMetrics(font)
        title = QRectF(inner.left(), picture.bottom() + _PAD, inner.width(), metrics.height())
        painter.setFont(font)
        painter.setPen(QColor(colors.text))
        shown = metrics.elidedText(tile.title, Qt.TextElideMode.ElideRight, int(title.width()))
        painter.drawText(title, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.setFont(self._view.font())
        painter.setPen(QColor(colors.muted))
        top = title.bottom()
        spacing = QFontMetrics(self._view.font()).lineSpacing()
        for line in lines_of(tile.line, self._view.font(), inner.width(), _LINES):
            room = QRectF(inner.left(), top, inner.width(), spacing)
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, line)
            top += spacing

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
