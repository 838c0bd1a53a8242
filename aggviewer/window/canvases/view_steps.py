"""What the person does with the view of the picture, as steps that can be undone: zooms, pans, fits."""

from __future__ import annotations

from collections.abc import Callable

from aggviewer.canvas.camera import Place
from aggviewer.session.undo.history import History, Step
from aggviewer.window.canvases.canvases import Canvases

_SERIES_MS = 700  # notches of the wheel that follow one another within this are one step
_NAMES = {"zoom": "zoom", "pan": "moving the picture", "fit": "fit the box", "look": "looking closer"}


class PictureStep(Step):
    """The picture was looked at from elsewhere. place, go_to : where it looks, and how to look elsewhere."""

    def __init__(self, how: str, before: Place, place: Callable[[], Place], go_to: Callable[[Place], None]) -> None:
        super().__init__(_NAMES[how])
        self._other = before
        self._place, self._go_to = place, go_to

    def undo(self) -> None:
        before, self._other = self._other, self._place()
        self._go_to(before)

    redo = undo


class MoveSteps:
    """Puts the person's moves on the history: one drag, or one series of notches of the wheel, is one step."""

    def __init__(self, canvases: Canvases, history: History) -> None:
        self._canvases = canvases
        self._history = history
        self._coming: tuple[str, int, Place] | None = None
        self._last: tuple[Step, str, int] | None = None
        canvases.about_to_move.connect(self._on_about_to_move)
        canvases.moved.connect(self._on_moved)

    def _on_about_to_move(self, how: str, number: int) -> None:
        self._coming = (how, number, self._canvases.first.place)

    def _on_moved(self) -> None:
        coming, self._coming = self._coming, None
        if coming is None:
            return
        how, number, before = coming
        if self._goes_on(how, number):
            return
        if self._canvases.first.place != before:
            step = PictureStep(how, before, lambda: self._canvases.first.place, self._canvases.first.go_to)
            self._last = (self._history.push(step), how, number)

    def _goes_on(self, how: str, number: int) -> bool:
        """Whether a move belongs to the newest step."""
        if self._last is None or not self._history.is_newest(self._last[0]):
            return False
        step, before, then = self._last
        if how == before == "zoom" and number - then < _SERIES_MS:
            self._last = (step, how, number)
            return True
        return how == before == "pan" and number == then
