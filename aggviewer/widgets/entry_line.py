"""A line of text that is read when Enter is pressed, and may be refused; and the message at a field that says why,
drawn over the rows below it so that these do not move when it appears."""

from __future__ import annotations

from PyQt6 import sip
from PyQt6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import QLabel, QLineEdit, QWidget


class EntryLine(QLineEdit):
    """A line edit whose owner checks the entry on ``returnPressed`` or ``editingFinished``, and may refuse it.

    Attributes
    ----------
    refused : whether the last entry was refused; set by the owner. Enter then leaves the focus in the line, with the
        text selected.

    Signals: ``entered()`` after those two, when Enter was pressed and the entry was accepted.
    """

    entered = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.refused = False
        self._clicked = False

    @property
    def in_use(self) -> bool:
        """Whether somebody types in it, or has clicked into it to do so: the focus alone may have come by itself."""
        return bool(self.text()) or self._clicked

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """From now on it is in use."""
        self._clicked = True
        super().mousePressEvent(event)

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        """Unless there is something in it, it is no longer in use."""
        self._clicked = False
        super().focusOutEvent(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """If the entry is refused, Enter does nothing else."""
        super().keyPressEvent(event)
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not self.refused:
                self.entered.emit()
            if self.refused:  # set by a slot of returnPressed
                self.selectAll()
                event.accept()


_GAP = 2  # pixels between the field and the message
_LEAST = 200  # smallest width in pixels, if the page is wide enough
_AROUND = 18  # pixels of frame and padding, left and right together; half as many above and below


class Bubble(QLabel):
    """A message below `anchor`, a row or a field of a page: as wide as that, as high as its text.

    It takes no mouse events; they reach what is below it.

    Attributes
    ----------
    spares : widgets that it does not cover because the message says to change them.
    """

    def __init__(self, anchor: QWidget) -> None:
        super().__init__(anchor)
        self._anchor = anchor
        self._page: QWidget = anchor
        self.setObjectName("bubble")
        self.setWordWrap(True)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        anchor.destroyed.connect(self.deleteLater)  # the page may outlive the anchor
        self._waits = False  # a new placement is scheduled
        self.spares: list[QWidget] = []
        self.hide()

    def lie_over(self, page: QWidget) -> None:
        """Set the page that holds the row and the rows that the message may cover."""
        self._page = page
        self.setParent(page)
        self.hide()
        page.installEventFilter(self)
        self._anchor.installEventFilter(self)

    def show_message(self, text: str) -> None:
        """Show a text; an empty one hides the message."""
        if text != self.text():
            self.setText(text)
        self.place()

    def place(self) -> None:
        """Move below the row and the widgets to spare, or above the row at the end of the page; hide together with the
        row."""
        self._waits = False
        if sip.isdeleted(self._anchor):  # with its dialog, while this waited
            self.hide()
            return
        shown = bool(self.text()) and self._anchor.isVisibleTo(self._page)
        self.setVisible(shown)
        if not shown:
            return
        width = max(self._anchor.width(), min(_LEAST, self._page.width()))
        lines = self.fontMetrics().boundingRect(
            *(0, 0, width - _AROUND, 10_000), Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextWrapAnywhere, self.text()
        )
        height = max(self.heightForWidth(width), lines.height() + _AROUND // 2)
        self.resize(width, height)
        corner = self._below(self._anchor)
        spared = [one for one in self.spares if one.isVisibleTo(self._page)]
        for end, tall in sorted((self._below(one).y(), one.height()) for one in spared):
            if end > corner.y() and end - tall < corner.y() + height:
                corner.setY(end)
        if corner.y() + height > self._page.height():
            corner = self._anchor.mapTo(self._page, QPoint(0, -_GAP - height))
        self.move(max(0, min(corner.x(), self._page.width() - width)), corner.y())
        self.raise_()

    def _below(self, widget: QWidget) -> QPoint:
        """The top of a message below a widget of the page."""
        return widget.mapTo(self._page, QPoint(0, widget.height() + _GAP))

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow the row when it moves, after the layout is done."""
        moves = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.LayoutRequest, QEvent.Type.ShowToParent)
        if self._waits or event is None or not self.text():
            return False
        if event.type() in (*moves, QEvent.Type.HideToParent, QEvent.Type.Show, QEvent.Type.Hide):
            self._waits = True
            QTimer.singleShot(0, self.place)  # Qt drops the call if the window is gone by then
        return False
