"""The tree on the screen: zoomed and moved by mouse and keys, with a word about what is under the mouse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PyQt6.QtCore import QEvent, QPointF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PyQt6.QtWidgets import QApplication, QSizePolicy, QWidget

from aggviewer.merging.branches import Branches
from aggviewer.merging.drawing import ROW, Drawing, Hit, Scale, Seen, scale_of
from aggviewer.style.theme import DARK, Colors, tabular

_NOTCH = 1.25  # zoom of a notch of the wheel, or of a key
_NARROWEST = 1e-4  # share of the axis of time that is seen at least
_SMALLER = 0.92  # text, beside that of the window


class TreeView(QWidget):
    """Draws branches and lets a person look closer.

    The wheel shows more and smaller branches, with Ctrl less of the time; a drag moves both; a double click beside the
    branches, or the key 0, shows all. The arrow keys go from merge to merge, Enter chooses one.

    Notes
    -----
    Signals: ``chosen(Hit)`` on a click or Enter, ``hovered(Hit or None)`` for what is under the mouse or where the
    arrow keys are, ``looked()`` when another part is seen.
    """

    chosen = pyqtSignal(object)
    hovered = pyqtSignal(object)
    looked = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Tree of merges")
        self.empty_text = ""
        self._branches: Branches | None = None
        self._log = False
        self._seen = Seen()
        self._drawing: Drawing | None = None
        self._colors = DARK
        self._now: float | None = None
        self._node = -1
        self._hot = self._focus = -1
        self._pressed: tuple[QPointF, Seen] | None = None
        self._dragged = False

    def sizeHint(self) -> QSize:
        """Room for some ten branches."""
        return QSize(480, 200)

    def minimumSizeHint(self) -> QSize:
        """Room for some three branches."""
        return QSize(200, 96)

    # what is drawn

    def show_branches(self, branches: Branches | None, log: bool, *, anew: bool = True) -> None:
        """Draw these; None for none. `anew`: all of them are seen; else what is seen stays as far as it can."""
        self._branches, self._log = branches, log
        if anew:
            self._seen, self._focus, self._hot = Seen(), -1, -1
        self._look(self._seen)

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        self._colors = colors
        self.update()

    def set_now(self, time: float | None) -> None:
        """The time that the picture shows."""
        if time != self._now:
            self._now = time
            self.update()

    def mark(self, node: int) -> None:
        """Paint a node with all that led to it in the accent colour; -1 for none."""
        self._node = node
        self.update()

    @property
    def drawing(self) -> Drawing | None:
        """What is on the screen; None where there is nothing to draw."""
        if self._branches is None or self._branches.count < 2:
            return None
        if self._drawing is None:
            self._drawing = Drawing(
                self._branches, self.scale, self._seen, float(self.width()), float(self.height()), self._small_font()
            )
        return self._drawing

    @property
    def scale(self) -> Scale:
        """The axis of time."""
        assert self._branches is not None
        return scale_of(self._branches, self._log)

    def _small_font(self) -> QFont:
        return tabular(self.font(), _SMALLER)

    def paint_into(self, page: QPainter, width: float, height: float, colors: Colors) -> None:
        """Paint what is seen into a file of another size."""
        drawing = self.drawing
        if drawing is not None:
            other = replace(drawing, width=width, height=height)
            other.paint(page, colors, now=None, chosen=self._node)

    # what is seen

    def _look(self, seen: Seen) -> None:
        """See another part, within what there is."""
        self._drawing, self._seen = None, seen
        drawing = self.drawing
        if drawing is not None:
            detail = min(max(seen.detail, 1.0), drawing.most_detail)
            wide = min(max(seen.right - seen.left, _NARROWEST), 1.0)
            left = min(max(seen.left, 0.0), 1.0 - wide)
            self._seen = Seen(detail, seen.top, left, left + wide)
            self._drawing = None
            drawing = self.drawing
            assert drawing is not None
            top = min(max(seen.top, 0.0), max(0.0, drawing.length - drawing.room))
            if top != self._seen.top:
                self._seen, self._drawing = replace(self._seen, top=top), None
        self.update()
        self.looked.emit()

    def show_all(self) -> None:
        """The whole tree in view."""
        self._look(Seen())

    def zoom(self, factor: float, at: float | None = None) -> None:
        """Show more branches, smaller ones too, or fewer; what is at the pixel `at` stays there."""
        drawing = self.drawing
        if drawing is None:
            return
        y = drawing.head + 0.5 * drawing.room if at is None else at
        row = min(max((y - drawing.head + self._seen.top) / drawing.pitch - 0.5, 0.0), len(drawing.rows) - 1.0)
        branch = int(drawing.rows[round(row)])
        before = float(drawing.y(round(row)))
        rows, detail = len(drawing.rows), self._seen.detail
        while 1.0 <= detail <= drawing.most_detail:  # many branches may be equally large: one step shows them all
            detail *= factor
            self._look(replace(self._seen, detail=detail))
            drawing = self.drawing
            assert drawing is not None
            if len(drawing.rows) != rows:
                break
        shift = float(drawing.y(int(drawing.row_of(branch)))) - before
        self._look(replace(self._seen, top=self._seen.top + shift))

    def zoom_time(self, factor: float, at: float) -> None:
        """Show less of the time, or more; the time at the pixel `at` stays there."""
        drawing = self.drawing
        if drawing is None:
            return
        share, seen = drawing.share_at(at), self._seen
        wide = min(max((seen.right - seen.left) / factor, _NARROWEST), 1.0)
        left = share - (share - seen.left) * wide / (seen.right - seen.left)
        self._look(replace(seen, left=left, right=left + wide))

    # the mouse

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom."""
        if event is None or self.drawing is None:
            return
        notches = event.angleDelta().y() / 120.0
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_time(_NOTCH**notches, event.position().x())
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._look(replace(self._seen, top=self._seen.top - 3.0 * ROW * notches))
        else:
            self.zoom(_NOTCH**notches, event.position().y())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Begin a drag, or a click."""
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._dragged = (event.position(), self._seen), False

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Move what is seen, or tell what is under the mouse."""
        drawing = self.drawing
        if event is None or drawing is None:
            return
        if self._pressed is None:
            self._hover(drawing.hit(event.position()))
            return
        begun, seen = self._pressed
        by = event.position() - begun
        if not self._dragged and by.manhattanLength() < QApplication.startDragDistance():
            return
        self._dragged = True
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        share = by.x() / (drawing.right - drawing.left) * (seen.right - seen.left)
        self._look(replace(seen, top=seen.top - by.y(), left=seen.left - share, right=seen.right - share))

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """Choose what was clicked."""
        pressed, self._pressed = self._pressed, None
        self.unsetCursor()
        drawing = self.drawing
        if event is None or drawing is None or pressed is None or self._dragged:
            return
        hit = drawing.hit(event.position())
        if hit is not None:
            self._focus = hit.merge
            self.chosen.emit(hit)

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Beside the branches: show all."""
        drawing = self.drawing
        if event is not None and drawing is not None and drawing.hit(event.position()) is None:
            self.show_all()

    def leaveEvent(self, event: QEvent | None) -> None:
        """Nothing is under the mouse any more."""
        super().leaveEvent(event)
        self._hover(None)

    def _hover(self, hit: Hit | None) -> None:
        hot = -1 if hit is None else hit.merge
        self.setCursor(Qt.CursorShape.ArrowCursor if hit is None else Qt.CursorShape.PointingHandCursor)
        if hot != self._hot:
            self._hot = hot
            self.update()
        self.hovered.emit(hit)

    # the keyboard

    def event(self, event: QEvent | None) -> bool:
        """Keep the keys that go about in the tree, which are else shortcuts of the window."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._action(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Go to another merge, choose it, or zoom."""
        action = None if event is None else self._action(event)
        if action is not None:
            action()
        else:
            super().keyPressEvent(event)

    def _action(self, event: QKeyEvent) -> Callable[[], None] | None:
        """What a key does here."""
        allowed = Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier
        if self.drawing is None or event.modifiers() & ~allowed:
            return None
        keys = Qt.Key
        return {
            keys.Key_Left: lambda: self._go(-1, 0),
            keys.Key_Right: lambda: self._go(1, 0),
            keys.Key_Up: lambda: self._go(0, -1),
            keys.Key_Down: lambda: self._go(0, 1),
            keys.Key_Return: self._choose_focus,
            keys.Key_Enter: self._choose_focus,
            keys.Key_Plus: lambda: self.zoom(_NOTCH),
            keys.Key_Equal: lambda: self.zoom(_NOTCH),
            keys.Key_Minus: lambda: self.zoom(1.0 / _NOTCH),
            keys.Key_0: self.show_all,
        }.get(Qt.Key(event.key()))

    def _choose_focus(self) -> None:
        hit = self._hit_of(self._focus)
        if hit is not None:
            self.chosen.emit(hit)

    def _hit_of(self, merge: int) -> Hit | None:
        branches = self._branches
        if branches is None or merge < 0:
            return None
        return Hit(branches.branch_of(merge), float(branches.tree.time[merge]), merge)

    def _go(self, along: int, down: int) -> None:
        """Go to the next merge in time on the same branch (`along`), or to the nearest on a branch above or below.

        After the last merge of a branch comes the one in which it ends.
        """
        drawing = self.drawing
        if drawing is None:
            return
        tree, branches = drawing.branches.tree, drawing.branches
        merges = np.sort(drawing.shown_merges)
        if self._focus not in merges:
            self._go_to(int(merges[-1]))
            return
        on = np.array([branches.branch_of(int(merge)) for merge in merges])
        own = branches.branch_of(self._focus)
        if along:
            same = merges[on == own]
            place = int(np.searchsorted(same, self._focus)) + along
            if 0 <= place < len(same):
                self._go_to(int(same[place]))
            elif along > 0 and branches.into[own] >= 0:
                self._go_to(int(branches.merge[own]))
            return
        beyond = np.unique(on[on > own]) if down > 0 else np.unique(on[on < own])[::-1]
        if len(beyond):
            there = merges[on == beyond[0]]
            gap = np.abs(drawing.x(tree.time[there]) - drawing.x(tree.time[self._focus]))
            self._go_to(int(there[np.argmin(gap)]))

    def _go_to(self, merge: int) -> None:
        """Put the mark of the keyboard around a merge, and see it."""
        drawing = self.drawing
        at = None if drawing is None else drawing.place(merge)
        if drawing is None or at is None:
            return
        self._focus = merge
        top = self._seen.top
        top += min(0.0, at.y() - ROW - drawing.head) + max(0.0, at.y() + ROW - drawing.foot)
        wide = self._seen.right - self._seen.left
        share = drawing.share_at(at.x())
        left = min(max(self._seen.left, share - 0.97 * wide), share - 0.03 * wide)
        self._look(replace(self._seen, top=top, left=left, right=left + wide))
        self.hovered.emit(self._hit_of(merge))

    # Qt

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Keep what is seen within what there is."""
        super().resizeEvent(event)
        self._look(self._seen)

    def changeEvent(self, event: QEvent | None) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event is not None and event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._drawing = None
            self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the tree, or why there is none."""
        drawing, colors = self.drawing, self._colors
        with QPainter(self) as page:
            page.fillRect(self.rect(), self.palette().base())
            if drawing is None:
                page.setPen(self.palette().placeholderText().color())
                inside = self.rect().adjusted(16, 8, -16, -8)
                page.drawText(inside, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.empty_text)
                return
            focus = self._focus if self.hasFocus() else -1
            drawing.paint(page, colors, now=self._now, chosen=self._node, hot=self._hot, focus=focus)
