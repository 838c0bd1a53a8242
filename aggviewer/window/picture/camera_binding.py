"""Keeps the camera of the document and the views of the pictures the same."""

from __future__ import annotations

from aggviewer.document.run import CameraPlace
from aggviewer.widgets.part import Context, Part
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.refresher import Refresher

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
