"""How a plot is looked at: scales of its axes and ranges that stay, as the person has chosen them."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.fit_range import FitRange
from aggviewer.plots.plot_menu import ask_range, read_ends
from aggviewer.plots.view import PlotView


class PlotLook(QWidget):
    """A plot whose scales and ranges can be chosen; what it draws is that of the subclass.

    Attributes
    ----------
    made : whether there is more of it than its head, and the room for what comes below; until then a look is kept.
    """

    look_chosen = pyqtSignal()
    """The person has chosen other scales, or a range that stays."""

    made = False

    title = ""
    """In the head of the plot."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._given_look: object = None  # what the plot begins with when it is made

    @property
    def views(self) -> tuple[PlotView, ...]:
        """All drawing areas, the upper one first."""
        raise NotImplementedError

    @property
    def fits(self) -> FitRange:
        """The fits, and the row with the ends of their range."""
        raise NotImplementedError

    def _compose(self) -> None:
        """Bring what belongs to all runs together in line with what is drawn."""
        raise NotImplementedError

    def set_logarithmic(self, place: int, axis: int, logarithmic: bool) -> None:
        """Show an axis, 0 for x and 1 for y, of the view at `place` on a logarithmic scale or a linear one. All views
        of a plot have the same scale of x."""
        for view in self.views if axis == 0 else (self.views[place],):
            view.set_logarithmic(axis, logarithmic)
        self.fits.rescale()
        self._compose()

    def choose_logarithmic(self, place: int, axis: int, logarithmic: bool) -> None:
        """The same, as the person's choice, which is remembered."""
        self.set_logarithmic(place, axis, logarithmic)
        self.look_chosen.emit()

    def ask_range(self, place: int) -> None:
        """Ask the person for the ends of both axes of the view at `place`."""
        view = self.views[place]
        found = ask_range(view, self.title, self)
        if found is not None:
            view.set_range(found[0], lock=found[1])
            self.look_chosen.emit()

    def lock_range(self, place: int, locked: bool) -> None:
        """Keep the range of the view at `place` as it is, also in the following runs; or follow the data again."""
        view = self.views[place]
        if locked:
            view.set_range(view.ends, lock=True)
        else:
            view.follow()
        self.look_chosen.emit()

    def reset_look(self) -> None:
        """Scales, range and fit as the plot has them by itself."""
        self.take_look(None)
        self.fits.reset()
        self.look_chosen.emit()

    @property
    def changed(self) -> bool:
        """Whether scales, range or fit are not those that the plot has by itself."""
        return bool(self.look()) or self.fits.chosen is not None or not all(view.following for view in self.views)

    def look(self) -> list[dict[str, Any]]:
        """Scales and ranges that the person has chosen, for each view, as plain numbers; empty where there are none."""
        found = []
        for view in self.views:
            shown = [scale.shown for scale in view.scales]
            one: dict[str, Any] = {} if tuple(shown) == view.logarithmic else {"logarithmic": shown}
            found.append(one | ({"range": list(view.ends)} if view.locked else {}))
        return found if any(found) else []

    def take_look(self, look: object) -> None:
        """Go on with what `look` has made; None for the plot's own. What cannot be read is left out."""
        self._given_look = look
        if not self.made:
            return
        given = look if isinstance(look, list) and len(look) == len(self.views) else [{}] * len(self.views)
        for place, (view, one) in enumerate(zip(self.views, given, strict=True)):
            one = one if isinstance(one, dict) else {}
            logs = one.get("logarithmic")
            if not (isinstance(logs, list) and len(logs) == 2 and all(isinstance(log, bool) for log in logs)):
                logs = list(view.logarithmic)
            for axis, shown in enumerate(logs):
                if shown == view.logarithmic[axis] or view.scalable:
                    self.set_logarithmic(place, axis, shown)
            ends = read_ends(one.get("range"), view)
            if ends is not None:
                view.set_range(ends, lock=True)
            elif view.locked:
                view.follow()
