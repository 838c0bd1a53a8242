"""Lists, table headings and combo boxes that show symbols such as ``V_f`` with a subscript.

Qt paints their text plainly. Here, text with symbols is painted as HTML; other text is left to Qt.
"""

from __future__ import annotations

from PyQt6.QtCore import QModelIndex, QRect, Qt
from PyQt6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextDocument,
    QTextOption,
)
from PyQt6.QtWidgets import (
    QComboBox,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionComboBox,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QStylePainter,
    QWidget,
)

from engine.study.symbols import as_html, has_symbols

_LINE = "\N{LINE SEPARATOR}"  # which Qt makes of a new line in an item


class SymbolDelegate(QStyledItemDelegate):
    """Paints the items of a list or table."""

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        """Paint an item: all but its text as Qt does."""
        item = QStyleOptionViewItem(option)
        self.initStyleOption(item, index)
        style = None if item.widget is None else item.widget.style()
        if painter is None or style is None or not has_symbols(item.text or ""):
            super().paint(painter, option, index)
            return
        place = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, item, item.widget)
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, item, item.widget) + 1
        place.adjust(margin, 0, -margin, 0)
        text, item.text = item.text, ""
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, item, painter, item.widget)
        selected = bool(item.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        draw_symbols(painter, place, text or "", item.font, item.palette.color(role), item.displayAlignment)


class SymbolHeader(QHeaderView):
    """The head of the columns of a table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self._texts: dict[int, QStyleOptionHeader] = {}

    def initStyleOptionForIndex(self, option: QStyleOptionHeader | None, logicalIndex: int) -> None:
        """Keep Qt from painting a text with symbols."""
        super().initStyleOptionForIndex(option, logicalIndex)
        if option is not None and has_symbols(option.text or ""):
            self._texts[logicalIndex] = QStyleOptionHeader(option)
            option.text = ""

    def paintSection(self, painter: QPainter | None, rect: QRect, logicalIndex: int) -> None:
        """Paint the head of a column."""
        self._texts.pop(logicalIndex, None)
        super().paintSection(painter, rect, logicalIndex)
        option = self._texts.get(logicalIndex)
        if painter is not None and option is not None:
            color = option.palette.color(QPalette.ColorRole.ButtonText)
            draw_symbols(painter, rect, option.text or "", self.font(), color, option.textAlignment)


class SymbolComboBox(QComboBox):
    """A combo box with names of quantities."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._delegate = SymbolDelegate(self)
        self.setItemDelegate(self._delegate)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the chosen name."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        style = self.style()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        if style is None or not has_symbols(option.currentText or ""):
            painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
            return
        field = QStyle.SubControl.SC_ComboBoxEditField
        place = style.subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self)
        alignment = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        color = option.palette.color(QPalette.ColorRole.ButtonText)
        draw_symbols(painter, place, option.currentText or "", self.font(), color, alignment)


def draw_symbols(
    painter: QPainter, place: QRect, text: str, font: QFont, color: QColor, alignment: Qt.AlignmentFlag
) -> None:
    """Draw a plain text with its symbols as HTML, centred vertically in a rectangle."""
    document, across = QTextDocument(), QTextOption(alignment & Qt.AlignmentFlag.AlignHorizontal_Mask)
    across.setWrapMode(QTextOption.WrapMode.NoWrap)
    document.setDocumentMargin(0.0)
    document.setDefaultFont(font)
    document.setDefaultTextOption(across)
    document.setHtml(as_html(text).replace(_LINE, "<br>"))
    document.setTextWidth(place.width())
    context = QAbstractTextDocumentLayout.PaintContext()
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Text, color)
    context.palette = palette
    layout = document.documentLayout()
    assert layout is not None
    painter.save()
    painter.setClipRect(place)
    painter.translate(place.left(), place.top() + 0.5 * (place.height() - document.size().height()))
    layout.draw(painter, context)
    painter.restore()
