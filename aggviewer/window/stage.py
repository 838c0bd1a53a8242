"""The centre of the window: the picture, the transport below it, and overlays."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, pyqtSignal
from PyQt6.QtWidgets import QFrame, QLabel, QProgressBar, QStackedLayout, QVBoxLayout, QWidget

from aggviewer.session import Status
from aggviewer.window.canvases import Canvases
from aggviewer.window.toasts import Toast, ToastStack

_FOOT = 72  # pixels between the card and the foot of the picture: the legend stands there
_USUAL_LINE = 16.0  # line spacing in pixels at the default text size
_EDGE = 8  # pixels between the card and the side of the picture
_WIDE, _NARROW = 320, 184  # pixels, of the card in the middle of the picture, and beside the box


class PreparationCard(QFrame):
    """Shows what the program is doing before there is anything to see, or beside what there is.

    hidden : how much of the discs a rectangle of the picture would hide.
    """

    def __init__(self, parent: QWidget, hidden: Callable[[QRect], float]) -> None:
        super().__init__(parent)
        self._hidden = hidden
        self._place = 0  # in use, of `_places`
        self._chosen = False  # once there are discs
        self.setObjectName("preparation")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 16)
        layout.setSpacing(8)
        self.title = QLabel()
        self.title.setWordWrap(True)
        self.text = QLabel()
        self.text.setObjectName("preparationText")
        self.text.setWordWrap(True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(8)
        for widget in (self.title, self.bar, self.text):
            layout.addWidget(widget)
        self.hide()

    def show_status(self, status: Status) -> None:
        """Show the progress, and whether a recorded run is shown meanwhile; hide when done."""
        preparation = status.preparation
        if status.stand_in:
            self.title.setText("Recorded, paused" if status.state == "paused" else "Recorded")
            what = "Loading the engine" if preparation is None else f"Compiling: {preparation.what}"
            self.text.setText(f"A recording of this run. The live run takes over when the engine is ready.\n{what}")
            self.bar.setRange(0, 0 if preparation is None else preparation.total)
            self.bar.setValue(0 if preparation is None else preparation.done)
        elif status.state == "compiling" and preparation is not None:
            self.title.setText("Preparing the engine")
            self.text.setText(f"Compiling: {preparation.what}\nOnly the first start of a version takes this long.")
            self.bar.setRange(0, preparation.total)
            self.bar.setValue(preparation.done)
        elif status.state == "loading":
            self.title.setText("Building the scenario")
            self.text.setText("Placing discs and finding the first events.")
            self.bar.setRange(0, 0)
        else:
            self.hide()
            return
        if self.isHidden() or not self._chosen:
            self.place()
        self.show()
        self.raise_()

    def event(self, event: QEvent | None) -> bool:
        """Adapt the height to the font and texts."""
        done = super().event(event)
        if event is not None and event.type() == QEvent.Type.LayoutRequest and self.isVisible():
            self.setGeometry(self._places()[self._place])
        return done

    def place(self) -> None:
        """Place it at the centre of the picture, or where it hides the fewest discs: beside the box, or at the foot of
        the picture."""
        found = self._places()
        hidden = [self._hidden(place) for place in found]
        self._place, self._chosen = hidden.index(min(hidden)), any(hidden)
        self.setGeometry(found[self._place])

    def _places(self) -> list[QRect]:
        """The rectangles that it may have."""
        parent = self.parentWidget()
        assert parent is not None
        room, found = parent.rect(), []
        enlarged = self.fontMetrics().height() / _USUAL_LINE
        for width in (round(enlarged * _WIDE), round(enlarged * _NARROW)):
            height = self.heightForWidth(width)
            middle, beside = (room.width() - width) // 2, room.width() - width - _EDGE
            found.append(QRect(middle, (room.height() - height) // 2, width, height))
            found.append(QRect(middle, room.height() - height - _FOOT, width, height))
            found.append(QRect(beside, (room.height() - height) // 2, width, height))
        return found


def _column() -> QWidget:
    """A column of bars."""
    made = QWidget()
    column = QVBoxLayout(made)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    return made


def _add(column: QWidget, bar: QWidget, at: int = -1) -> None:
    """Put a bar below the others of a column, or at a place among them."""
    layout = column.layout()
    assert isinstance(layout, QVBoxLayout)
    layout.insertWidget(at, bar)


class Stage(QWidget):
    """Holds the pictures and the bars below, and places the overlays.

    ``covered(on)`` when another widget replaces the picture, or it returns; ``laid_over`` when something comes over
    pictures and bars, or goes.
    """

    covered = pyqtSignal(bool)
    laid_over = pyqtSignal()

    def __init__(self, canvases: Canvases, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._canvases = canvases
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._middle = QWidget()
        self._column.addWidget(self._middle, 1)
        self._pages = QStackedLayout(self._middle)
        inside = QWidget()
        self._pages.addWidget(inside)
        self._layout = QVBoxLayout(inside)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self.picture = QWidget()
        picture_layout = QVBoxLayout(self.picture)
        picture_layout.setContentsMargins(0, 0, 0, 0)
        picture_layout.addWidget(canvases)
        self._layout.addWidget(self.picture, 1)
        self._bars, self._feet = _column(), _column()  # below the picture, and below all that stands in its place
        self._beside: QWidget | None = None
        self._layout.addWidget(self._bars)
        self._column.addWidget(self._feet)
        self.toasts = ToastStack(self._middle, self._room, self._covered)
        self.preparation = PreparationCard(self.picture, self._hidden)
        self._over: QWidget | None = None
        self._middle.installEventFilter(self)
        self.picture.installEventFilter(self)
        canvases.lower()  # under everything else
        canvases.canvases_changed.connect(self._watch)
        self._watch()

    def _watch(self) -> None:
        for canvas in self._canvases.canvases:
            canvas.installEventFilter(self)

    def add_below(self, bar: QWidget, *, at: int = -1) -> None:
        """Put a bar below the picture: under those that are there, or at a place among them, 0 for the first."""
        _add(self._bars, bar, at)

    def place_below(self, bar: QWidget) -> int:
        """The place of a bar among those below the picture."""
        layout = self._bars.layout()
        return -1 if layout is None else layout.indexOf(bar)

    def add_foot(self, bar: QWidget) -> None:
        """Put a bar below everything; it stays visible when something else replaces the picture."""
        _add(self._feet, bar)

    def put_beside(self, column: QWidget | None, width: int = 0) -> None:
        """Show a column of this width right of pictures and bars, above the foot; None gives them its room again."""
        self._beside = column if width else None
        self._middle.setContentsMargins(0, 0, width if self._beside else 0, 0)
        self._place_beside()

    def _place_beside(self) -> None:
        if self._beside is not None:
            room, width = self._middle.rect(), self._middle.contentsMargins().right()
            self._beside.setGeometry(room.right() + 1 - width, 0, width, room.height())

    def minimumSizeHint(self) -> QSize:
        """The smallest size of the pictures; whatever is beside them shrinks with the window."""
        return super().minimumSizeHint() - QSize(self._middle.contentsMargins().right(), 0)

    def lay_over(self, widget: QWidget | None) -> None:
        """Place a widget over pictures and bars, which stay active below it; None removes it."""
        if self._over is not None:
            self._over.hide()
            self._over.deleteLater()
        self._over = widget
        if widget is not None:
            widget.setParent(self._middle)
            widget.setGeometry(self._middle.contentsRect())
            widget.show()
            widget.raise_()
        self.laid_over.emit()

    @property
    def over(self) -> QWidget | None:
        """The widget over pictures and bars."""
        return self._over

    @property
    def ground(self) -> QWidget:
        """The picture, or the widget that replaces it."""
        return self.cover or self.picture

    @property
    def cover(self) -> QWidget | None:
        """The widget that replaces pictures and bars."""
        return self._pages.currentWidget() if self._pages.currentIndex() else None

    def set_cover(self, widget: QWidget | None) -> None:
        """Replace pictures and bars by something else, or show them again."""
        old = self.cover
        if old is widget:
            return
        if old is not None:
            self._pages.removeWidget(old)
            old.setParent(None)
        if widget is not None:
            self._pages.setCurrentIndex(self._pages.addWidget(widget))
        self.toasts.place()  # over it
        self.covered.emit(widget is not None)

    def _room(self) -> QRect:
        """The rectangle of the pictures without the headers of a comparison, which must stay accessible; or of what
        stands in their place."""
        if self.cover is not None:
            return self._middle.contentsRect()
        room = QRect()
        for canvas in self._canvases.canvases:
            room = room.united(QRect(canvas.mapTo(self._middle, QPoint(0, 0)), canvas.size()))
        return room

    def _covered(self, rectangle: QRect) -> float:
        """How much a message would hide there: cards weigh most, then the legend, then discs; discs that might arrive
        from above or below weigh a little."""
        if self.cover is not None:
            return 0.0
        rectangle = QRect(self.picture.mapFrom(self._middle, rectangle.topLeft()), rectangle.size())
        hidden = self._hidden(rectangle)
        for card in self.picture.findChildren(QFrame, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if card.isVisible() and not isinstance(card, Toast) and card.geometry().intersects(rectangle):
                hidden += 1e9
        return hidden

    def _hidden(self, rectangle: QRect) -> float:
        """How much of legends and discs a rectangle of the picture would hide."""
        return sum(
            canvas.hidden_by(QRect(canvas.mapFrom(self.picture, rectangle.topLeft()), rectangle.size()))
            for canvas in self._canvases.canvases
        )

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Keep the overlays in their places."""
        if event is None:
            return False
        if watched is self.picture and event.type() == QEvent.Type.Resize:
            self.preparation.place()
        elif watched is self._middle:
            if event.type() in (QEvent.Type.Resize, QEvent.Type.ContentsRectChange):
                self._place_beside()
                if self._over is not None:
                    self._over.setGeometry(self._middle.contentsRect())
        elif watched is not self.picture and event.type() == QEvent.Type.Resize:
            self.toasts.place()  # also if a comparison starts under a message
        return False
