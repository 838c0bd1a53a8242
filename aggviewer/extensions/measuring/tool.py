"""The tool that sets the ends of a mark, and the gesture that moves an end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PyQt6.QtCore import QPointF, Qt

from aggviewer.canvas.layers.marks import discs_of_scene
from aggviewer.canvas.mouse import Gesture, Ground, Tool
from aggviewer.document.mark_kinds import MarkKind
from aggviewer.document.run import Anchor, Mark
from engine.geometry.nearest import wrapped

_NEAR = 8.0  # pixels within which a press takes hold of the end of a mark
_AT_THE_PLACE = Qt.KeyboardModifier.ControlModifier


def anchor_at(canvas: Ground, at: QPointF, kind: MarkKind, how: Qt.KeyboardModifier) -> Anchor | None:
    """The anchor for an end at a widget pixel: the disc there, if the kind has ends on discs and Ctrl is not held; else
    the place. In space always the sphere there; None if there is none."""
    scene = canvas.scene
    in_space = scene.dimensions == 3
    disc = canvas.disc_at(at.x(), at.y()) if kind.on_discs and (in_space or not how & _AT_THE_PLACE) else None
    if disc is not None:
        x, y = scene.positions[disc, :2].tolist()
        return Anchor(x=x, y=y, disc=disc)
    if in_space:
        return None
    place = np.array(canvas.camera.to_world(at.x(), at.y()))
    if kind.on_discs:  # a rectangle may reach over an edge, and stays where it was drawn
        place = wrapped(place, scene.box, scene.periodic)
    return Anchor(x=float(place[0]), y=float(place[1]))


class MarkTool(Tool):
    """Sets the ends of a mark by clicks, or the first two by a drag.

    Parameters
    ----------
    kind : of the mark.
    changed() : called when an end was set or the next one has moved.
    done(canvas, mark) : called when all ends are set; then another mark can be started.
    """

    def __init__(self, kind: MarkKind, changed: Callable[[], object], done: Callable[[Ground, Mark], object]) -> None:
        self.kind = kind
        self._changed, self._on_done = changed, done
        self._set: list[Anchor] = []
        self._next: Anchor | None = None

    @property
    def hint(self) -> str:
        """A hint for the next action."""
        return self.kind.hints[len(self._set)]

    @property
    def begun(self) -> bool:
        """Whether an end of the mark is set already."""
        return bool(self._set)

    @property
    def draft(self) -> Mark | None:
        """The mark with its missing ends at the mouse; None before the first end is set."""
        if not self._set:
            return None
        missing = len(self.kind.hints) - len(self._set)
        return Mark(kind=self.kind.name, anchors=(*self._set, *[self._next or self._set[-1]] * missing))

    def start_again(self) -> None:
        """Discard the ends set so far."""
        self._set, self._next = [], None
        self._changed()

    def begin(self, canvas: Ground, at: QPointF, how: Qt.KeyboardModifier) -> Gesture | None:
        """The gesture for a press: a click sets one end, a drag the next two. None beside the spheres of a box in
        space, which is turned by a drag there."""
        found = anchor_at(canvas, at, self.kind, how)
        return None if found is None else _SetEnds(self, canvas, at, how, found)

    def hover(self, canvas: Ground, at: QPointF, how: Qt.KeyboardModifier) -> None:
        """Preview the next end here."""
        if self._set:
            self._next = anchor_at(canvas, at, self.kind, how)
            self._changed()

    def set_end(self, canvas: Ground, end: Anchor) -> None:
        """Set the next end; the last one completes the mark."""
        self._set.append(end)
        self._next = None
        if len(self._set) == len(self.kind.hints):
            mark = Mark(kind=self.kind.name, anchors=tuple(self._set))
            self._set = []
            self._on_done(canvas, mark)
        self._changed()


class _SetEnds(Gesture):
    """The gesture of a press with a `MarkTool`: it sets the ends of the mark."""

    def __init__(self, tool: MarkTool, canvas: Ground, at: QPointF, how: Qt.KeyboardModifier, pressed: Anchor) -> None:
        self._tool, self._canvas, self._pressed, self._how = tool, canvas, pressed, how
        self._at = at
        self._dragged = False

    def move(self, at: QPointF) -> None:
        """Set the first end where the button was pressed."""
        self._at = at
        if not self._dragged:
            self._dragged = True
            if not self._tool.begun and len(self._tool.kind.hints) > 1:
                self._tool.set_end(self._canvas, self._pressed)
        self._tool.hover(self._canvas, at, self._how)

    def release(self, how: Qt.KeyboardModifier) -> None:
        """Set the next end where the drag ends, if there can be one."""
        end = anchor_at(self._canvas, self._at, self._tool.kind, how)
        if end is not None:
            self._tool.set_end(self._canvas, end)

    def click(self, how: Qt.KeyboardModifier) -> bool:
        """Set an end."""
        self._tool.set_end(self._canvas, self._pressed)
        return True


def end_at(canvas: Ground, marks: Sequence[Mark], at: QPointF) -> tuple[int, int] | None:
    """The end at a widget pixel, as the numbers of mark and end; None if there is none. The nearest end wins, or that
    of the newest mark."""
    discs, best, found = discs_of_scene(canvas.scene), _NEAR, None
    for number, mark in enumerate(marks):
        for end, point in enumerate(mark.points(discs)):
            x, y = canvas.camera.seen(point)[0].tolist()
            distance = float(np.hypot(x - at.x(), y - at.y()))
            if distance <= best:
                best, found = distance, (number, end)
    return found


class MoveEnd(Gesture):
    """Drags an end of a mark.

    Parameters
    ----------
    canvas, mark, end : the picture, the mark, and the number of the end.
    show(mark) : called with the intermediate mark.
    done(mark) : called with the new mark, None after a click.
    """

    def __init__(
        self,
        canvas: Ground,
        mark: Mark,
        end: int,
        show: Callable[[Mark], object],
        done: Callable[[Mark | None], object],
    ) -> None:
        self._canvas, self._mark, self._end = canvas, mark, end
        self._show, self._on_done = show, done
        self._at = QPointF()

    def _moved(self, how: Qt.KeyboardModifier) -> Mark:
        anchors = list(self._mark.anchors)
        anchors[self._end] = anchor_at(self._canvas, self._at, self._mark.of_kind, how) or anchors[self._end]
        return self._mark.model_copy(update={"anchors": tuple(anchors)})

    def move(self, at: QPointF) -> None:
        """Move the end with the mouse."""
        self._at = at
        self._show(self._moved(Qt.KeyboardModifier.NoModifier))

    def release(self, how: Qt.KeyboardModifier) -> None:
        """Drop the end here."""
        self._on_done(self._moved(how))

    def click(self, how: Qt.KeyboardModifier) -> bool:
        """Do nothing on a click."""
        self._on_done(None)
        return True
