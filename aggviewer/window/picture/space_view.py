"""How a box is looked at: keeps the camera of the document and the views of the pictures the same, with commands for
a box in space."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aggviewer.canvas.pose import ALONG
from aggviewer.document.run import CameraPlace
from aggviewer.systems.base import RunningSystem
from aggviewer.widgets.command import Command, Entry, Place, Submenu
from aggviewer.widgets.part import Context, Part
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.refresher import Refresher
from engine.plotting.projection import FROM_ABOVE, WHOLE, Turn

_MENU = Submenu("Space", Place("View", 1, 2))
_SWITCHES = {
    "perspective": ("Perspective", "What is nearer looks larger; otherwise the projection is parallel"),
    "depth_fades": ("Fade with depth", "What is farther away fades into the background"),
}


class SpaceView(Part):
    """Turns a box in space by commands. In the plane they are not available."""

    def __init__(self, context: Context) -> None:
        self._view, self._running = context.document.view, context[RunningSystem]

    def commands(self) -> Iterator[Entry]:
        """Views along the axes and from above, how depth is drawn, and the end of a slab."""
        yield _MENU
        views = {axis: (f"Look along {axis}", (f"Shift+{axis.upper()}",), turn) for axis, turn in ALONG.items()}
        views["first"] = "Look from above", ("Shift+F",), FROM_ABOVE
        for position, (name, (text, keys, turn)) in enumerate(views.items()):
            yield Command(
                f"view.along_{name}",
                text,
                partial(self._turn_to, turn),
                keys,
                "The first view, from above and the side" if name == "first" else f"Turn the box to look along {name}",
                menu=Place(_MENU.path, 1, position),
                available=self._in_space,
                words="camera axis turn rotate 3d",
                absent="For spheres only",
            )
        for position, (name, (text, tip)) in enumerate(_SWITCHES.items()):
            yield Command(
                f"view.{name}",
                text,
                partial(self._toggle, name),
                tooltip=tip,
                checked=partial(getattr, self._view, name),
                menu=Place(_MENU.path, 2, position),
                available=self._in_space,
                words="camera depth parallel orthographic 3d",
                absent="For spheres only",
            )
        yield Command(
            "view.whole_depth",
            "Show the whole depth",
            self._show_whole,
            tooltip="Show what is in front of the slab and behind it again",
            menu=Place(_MENU.path, 2, len(_SWITCHES)),
            reason=lambda: "" if self._view.slab != WHOLE else "Nothing is cut off: see Layers",
            available=self._in_space,
            words="slab slice cut clip plane section 3d",
            absent="For spheres only",
        )

    def _in_space(self) -> bool:
        return self._running.dimensions > 2

    def _turn_to(self, turn: Turn) -> None:
        self._view.turn = turn

    def _show_whole(self) -> None:
        self._view.slab = WHOLE

    def _toggle(self, name: str) -> None:
        setattr(self._view, name, not getattr(self._view, name))


_SERIES_MS = 700  # wheel notches within this time form one gesture
_WORDS = {"zoom": "zoom", "pan": "moving the picture", "fit": "fit the box", "look": "zooming to discs"}


class CameraBinding(Part):
    """Keeps ``document.run.camera`` and the views of the pictures the same. A move by the user is one undoable step: a
    drag, or a series of wheel notches. Moves by following a disc or by the program are not. While the picture shows
    something other than the run, its view is not stored.
    """

    def __init__(self, context: Context) -> None:
        self._document = context.document
        self._canvases, self._refresher = context[Canvases], context[Refresher]
        canvases = self._canvases
        self._place = canvases.first.place  # where the pictures look, as the document knows it
        self._by_hand = ""
        self._series: tuple[int, int | None] = -_SERIES_MS, None  # when the last notch was, and its gesture
        canvases.about_to_move.connect(self._on_about_to_move)
        canvases.moved.connect(self._on_moved)
        context.listen(self._document.run.events.camera, self._look)

    def _on_about_to_move(self, how: str, number: int) -> None:
        self._by_hand = how
        if how == "zoom":
            history, (last, gesture) = self._document.history, self._series
            if number - last >= _SERIES_MS or history.gesture != gesture:
                history.begin_gesture()
            self._series = number, history.gesture

    def _on_moved(self) -> None:
        by_hand, self._by_hand = self._by_hand, ""
        place = self._canvases.first.place
        if self._refresher.held or place == self._place:
            return
        self._place = place
        document = self._document
        with document.together(_WORDS[by_hand]) if by_hand else document.unrecorded():
            document.run.camera = place

    def _look(self, place: CameraPlace | None) -> None:
        """Apply the document's camera."""
        if place != self._place:
            self._place = place
            self._canvases.first.go_to(place)
