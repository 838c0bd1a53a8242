"""Texts in widgets: labels that keep their size as they change, symbols such as ``V_f`` with a subscript in lists,
tables and combo boxes, and tool tips with formulas.

Qt paints the text of lists plainly. Here, text with symbols is painted as HTML; other text is left to Qt."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, QSize, Qt
from PyQt6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextDocument,
    QTextOption,
)
from PyQt6.QtWidgets import (
    QComboBox,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionComboBox,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QStylePainter,
    QToolTip,
    QWidget,
)

from aggviewer.style.formula_pictures import Ink, formulas_drawn
from aggviewer.style.formulas import plain_html
from aggviewer.style.theme import tabular
from engine.study.labels import as_html, has_symbols

AROUND = 4  # pixels beside the text of a label
_ROUNDED = 2  # pixels that a text may be wider than Qt says


class ElidedLabel(QLabel):
    """A label that elides its text to fit; the tool tip shows the whole text.

    It paints the text itself, because `QLabel.setText` makes Qt compute the layouts of the whole window again.

    Parameters
    ----------
    most : greatest width in pixels that it asks for, for a text that seldom changes; 0 to take only the space left.
    """

    def __init__(self, parent: QWidget | None = None, *, most: int = 0) -> None:
        super().__init__(parent)
        self._whole = ""
        self._most = most
        across = QSizePolicy.Policy.Maximum if most else QSizePolicy.Policy.Ignored
        self.setSizePolicy(across, QSizePolicy.Policy.Preferred)

    def set_whole_text(self, text: str) -> None:
        """Set the text, which is elided to fit."""
        if text != self._whole:
            self._whole = text
            self.setToolTip(text)
            self.setAccessibleName(text)
            self.update()
            if self._most:
                self.updateGeometry()

    def text(self) -> str:
        """The part of the text that is shown."""
        room = max(0, self.width() - AROUND)
        return QFontMetrics(self.font()).elidedText(self._whole, Qt.TextElideMode.ElideRight, room)

    def sizeHint(self) -> QSize:
        """The width of the text, if it asks for any, and the height of a line."""
        metrics = QFontMetrics(self.font())
        return QSize(min(self._most, metrics.horizontalAdvance(self._whole) + AROUND + _ROUNDED), metrics.height())

    def minimumSizeHint(self) -> QSize:
        """No width is too small."""
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the text in the colour of the style."""
        style = self.style()
        if style is not None:
            style.drawItemText(
                QPainter(self), self.rect(), self.alignment().value, self.palette(), self.isEnabled(), self.text(),
                self.foregroundRole(),
            )  # fmt: skip


class SteadyLabel(QLabel):
    """A label of fixed size, as large as the widest text that it will have.

    Any other label makes Qt compute all layouts up to the window's again when its text changes, and paint the window a
    second time.
    """

    def __init__(self, widest: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._widest = widest
        self.setFont(tabular())
        self._fit()

    def make_room_for(self, widest: str) -> None:
        """Set the widest text."""
        self._widest = widest
        self._fit()

    def changeEvent(self, event: QEvent | None) -> None:
        """Fit the size to a change of the font."""
        super().changeEvent(event)
        if event is not None and event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        metrics = QFontMetrics(self.font())
        self.setFixedSize(metrics.horizontalAdvance(self._widest), metrics.height())


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


def set_tip(widget: QWidget, html: str) -> None:
    """Give a widget a tool tip, HTML with formulas between dollar signs.

    `QWidget.toolTip` returns the same with formulas as plain characters, for screen readers.
    """
    widget.setToolTip(plain_html(html))
    tip = widget.findChild(_FormulaTip, options=Qt.FindChildOption.FindDirectChildrenOnly)
    if tip is None and "$" in html:
        tip = _FormulaTip(widget)
    if tip is not None:
        tip.html = html


def show_tip(corner: QPoint, html: str, widget: QWidget) -> None:
    """Show a tool tip of a widget now, at a point of the screen."""
    QToolTip.showText(corner, formulas_drawn(html, Ink.of_tool_tips(widget)), widget)


class _FormulaTip(QObject):
    """Shows the tool tip of its parent."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.html = ""
        self._widget = widget
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Show the formulas instead of the characters."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self.html:
            show_tip(event.globalPos(), self.html, self._widget)
            return True
        return False
