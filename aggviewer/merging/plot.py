"""The plot of a tree of merges: axes, zoom, what is under the mouse, keys that go from merge to merge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QEvent, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QWidget

from aggviewer.merging.branches import Branches
from aggviewer.merging.item import MergeHit, MergeTreeItem
from aggviewer.style.numbers import count
from aggviewer.style.theme import DARK, Colors, tabular

_NOTCH = 1.25  # zoom of a key
_SMALLER = 0.92  # text, beside that of the window
_MARGIN = 0.05  # of all rows, above the first one and below the last one
_LABEL = 14.0  # pixels from one number at the left to the next, at least


class _ZoomBox(pg.ViewBox):  # type: ignore[misc]
    """The wheel shows more and smaller branches, with Ctrl less of the time."""

    def wheelEvent(self, event: object, axis: int | None = None) -> None:
        """Zoom one axis."""
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)  # type: ignore[attr-defined]
        super().wheelEvent(event, (0 if control else 1) if axis is None else axis)


class _TimeAxis(pg.AxisItem):  # type: ignore[misc]
    """Times of a logarithmic axis as plain numbers."""

    def logTickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        """What stands at positions of the axis, powers of ten."""
        return [f"{10.0**value:.6g}" for value in values]


class MergePlot(pg.PlotWidget):  # type: ignore[misc]
    """Draws a tree and lets a person look closer.

    The wheel shows more and smaller branches, with Ctrl less of the time; a drag moves both; a double click beside the
    branches, or the key 0, shows all. The arrow keys go from merge to merge, Enter chooses one.

    Notes
    -----
    Signals: ``chosen(MergeHit)`` on a click or Enter, ``hovered(MergeHit or None)`` for what is under the mouse or
    where the arrow keys are, ``looked()`` when another part is seen.
    """

    chosen = pyqtSignal(object)
    hovered = pyqtSignal(object)
    looked = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            parent, viewBox=_ZoomBox(enableMenu=False, invertY=True), axisItems={"bottom": _TimeAxis("bottom")}
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Tree of merges")
        self.setFrameShape(self.Shape.NoFrame)
        self.setMinimumSize(200, 96)
        self.tree = MergeTreeItem()
        self._now = pg.InfiniteLine(angle=90, movable=False)
        self._now.setZValue(10)
        self._time: float | None = None
        plot = self.plotItem
        plot.hideButtons()
        plot.setLabel("bottom", "time t")
        plot.setLabel("left", "discs")
        for name in ("bottom", "left"):
            plot.getAxis(name).enableAutoSIPrefix(False)
        plot.addItem(self.tree)
        plot.addItem(self._now, ignoreBounds=True)
        self._now.hide()
        self.setMouseTracking(True)
        self.scene().sigMouseMoved.connect(self._on_moved)
        self.scene().sigMouseClicked.connect(self._on_clicked)
        plot.vb.sigRangeChanged.connect(self._on_range)
        plot.vb.sigResized.connect(self._on_range)
        self.set_colors(DARK)

    # what is drawn

    def show_branches(self, branches: Branches | None, log: bool, *, anew: bool = True) -> None:
        """Draw these; None for none. `anew`: all of them are seen; else what is seen stays as far as it can."""
        other = self.tree.axis.log
        self.tree.set_branches(branches if branches is not None and branches.count > 1 else None, log)
        self.plotItem.setVisible(self.tree.branches is not None)
        if self.tree.branches is None:
            return
        self.plotItem.getAxis("bottom").setLogMode(self.tree.axis.log)
        self.set_now(self._time)
        all_of_it = self._whole
        self.plotItem.vb.setLimits(
            xMin=all_of_it.left(),
            xMax=all_of_it.right(),
            yMin=all_of_it.top(),
            yMax=all_of_it.bottom(),
            minYRange=3.0,
            minXRange=1e-4 * all_of_it.width(),
        )
        if anew:
            self.tree.focus = self.tree.hot = -1
        if anew or other != self.tree.axis.log:
            self.show_all()
        self._on_range()

    @property
    def seen(self) -> QRectF:
        """The part of the plot that is seen, in time (its power of ten on a logarithmic axis) and rows."""
        return QRectF(self.plotItem.vb.viewRect())

    @property
    def shown_count(self) -> int:
        """How many branches are drawn, also those beyond the edges."""
        return 0 if self.tree.branches is None else len(self.tree.shown)

    def show_all(self) -> None:
        """The whole tree in view."""
        self.plotItem.vb.setRange(self._whole, padding=0.0)

    @property
    def _whole(self) -> QRectF:
        """The whole tree with a margin, in the units of the plot."""
        tree = self.tree.boundingRect()
        margin = max(1.0, _MARGIN * tree.height())
        return tree.adjusted(0.0, -margin, 0.0, margin)

    def zoom(self, factor: float) -> None:
        """Show more branches, smaller ones too, or fewer."""
        self.plotItem.vb.scaleBy(y=1.0 / factor)

    def set_now(self, time: float | None) -> None:
        """The time that the picture shows, which is marked."""
        self._time = time
        self._now.setVisible(time is not None)
        if time is not None:
            self._now.setValue(float(self.tree.axis.place(time)))

    def mark(self, node: int) -> None:
        """Paint a node with all that led to it in the accent colour; -1 for none."""
        self.tree.chosen = node
        self.tree.update()

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        self.setBackground(colors.base)
        self.tree.set_colors(colors)
        self._now.setPen(pg.mkPen(colors.accent, width=1.5, style=Qt.PenStyle.DashLine))
        font = tabular(self.font(), _SMALLER)
        for name in ("bottom", "left"):
            axis = self.plotItem.getAxis(name)
            axis.setPen(colors.border)
            axis.setTextPen(colors.muted)
            axis.setTickFont(font)
            axis.label.setFont(font)

    def _on_range(self) -> None:
        """The numbers at the left are the discs of the branches that are drawn."""
        branches = self.tree.branches
        if branches is not None:
            labelled: list[int] = []
            apart = _LABEL * self.plotItem.vb.viewPixelSize()[1]
            for row in self.tree.shown.tolist():
                if not labelled or row - labelled[-1] >= apart:
                    labelled.append(row)
            self.plotItem.getAxis("left").setTicks([[(row, count(int(branches.sizes[row]))) for row in labelled]])
        self.looked.emit()

    # the mouse

    def position(self, place: QPointF) -> QPointF:
        """A position of the plot in pixels of this widget."""
        return QPointF(self.mapFromScene(self.plotItem.vb.mapViewToScene(place)))

    def _hit(self, scene: QPointF) -> MergeHit | None:
        box = self.plotItem.vb
        return self.tree.hit(box.mapSceneToView(scene)) if box.sceneBoundingRect().contains(scene) else None

    def _on_moved(self, scene: QPointF) -> None:
        self._hover(self._hit(scene))

    def _on_clicked(self, event: object) -> None:
        hit = self._hit(event.scenePos())  # type: ignore[attr-defined]
        if event.double():  # type: ignore[attr-defined]
            if hit is None:
                self.show_all()
        elif hit is not None and event.button() == Qt.MouseButton.LeftButton:  # type: ignore[attr-defined]
            self.tree.focus = hit.merge
            self.chosen.emit(hit)

    def leaveEvent(self, event: QEvent | None) -> None:
        """Nothing is under the mouse any more."""
        super().leaveEvent(event)
        self._hover(None)

    def _hover(self, hit: MergeHit | None) -> None:
        self.setCursor(Qt.CursorShape.ArrowCursor if hit is None else Qt.CursorShape.PointingHandCursor)
        self.tree.hot = -1 if hit is None else hit.merge
        self.tree.update()
        self.hovered.emit(hit)

    # the keyboard

    def event(self, event: QEvent | None) -> bool:
        """Keep the keys that go about in the tree, which are else shortcuts of the window."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._action(event):
            event.accept()
            return True
        return bool(super().event(event))

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
        if self.tree.branches is None or event.modifiers() & ~allowed:
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
        if self.tree.focus >= 0:
            self.chosen.emit(self._hit_of(self.tree.focus))

    def _hit_of(self, merge: int) -> MergeHit:
        branches = self.tree.branches
        assert branches is not None
        return MergeHit(branches.branch_of(merge), float(branches.tree.time[merge]), merge)

    def _go(self, along: int, down: int) -> None:
        """Go to the next merge in time on the same branch (`along`), or to the nearest on a branch above or below.

        After the last merge of a branch comes the one in which it ends.
        """
        branches, focus = self.tree.branches, self.tree.focus
        assert branches is not None
        merges = np.sort(self.tree.shown_merges)
        if focus not in merges:
            self._go_to(int(merges[-1]))
            return
        on = np.array([branches.branch_of(int(merge)) for merge in merges])
        own = branches.branch_of(focus)
        if along:
            same = merges[on == own]
            place = int(np.searchsorted(same, focus)) + along
            if 0 <= place < len(same):
                self._go_to(int(same[place]))
            elif along > 0 and branches.into[own] >= 0:
                self._go_to(int(branches.merge[own]))
            return
        beyond = np.unique(on[on > own]) if down > 0 else np.unique(on[on < own])[::-1]
        if len(beyond):
            there = merges[on == beyond[0]]
            time = branches.tree.time
            self._go_to(int(there[np.argmin(np.abs(self.tree.axis.place(time[there]) - self.tree.place(focus).x()))]))

    def _go_to(self, merge: int) -> None:
        """Put the mark of the keyboard around a merge, and see it."""
        self.tree.focus, at, box = merge, self.tree.place(merge), self.plotItem.vb
        seen = box.viewRect()
        if not seen.contains(at):
            box.translateBy(x=at.x() - seen.center().x(), y=at.y() - seen.center().y())
        self.tree.update()
        self.hovered.emit(self._hit_of(merge))
