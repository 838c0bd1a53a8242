"""Changes of the view as steps that can be undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from psygnal import EmissionInfo

from aggviewer.session.undo.history import History, Step, Unrecorded
from aggviewer.session.view import ViewModel
from engine.selection.distance import distance_field

_WORDS = {"color_by": "colour by", "colormap": "colour map", "background": "background", "theme": "theme"}
_SWITCHES = {
    "show_scale_bar": "scale bar",
    "show_legend": "legend",
    "show_time": "time in the picture",
    "show_box": "outline of the box",
    "flash_contacts": "flashes of contacts",
    "show_selection": "marks of the selection",
    "selection_in_pictures": "selection in pictures",
}


class ViewStep(Step):
    """A field of the view has another value. give(name, value) : sets it without another step."""

    def __init__(self, name: str, before: Any, after: Any, give: Callable[[str, Any], None]) -> None:
        super().__init__(change_of_view(name, before, after), name)
        self._name, self._before, self._after = name, before, after
        self._give = give

    def undo(self) -> None:
        """See `Step`."""
        self._give(self._name, self._before)

    def redo(self) -> None:
        """See `Step`."""
        self._give(self._name, self._after)

    def absorb(self, newer: Step) -> None:
        """See `Step`."""
        super().absorb(newer)
        assert isinstance(newer, ViewStep)
        self._after = newer._after


class ViewSteps(Unrecorded):
    """Puts every change of the view on the history, whoever makes it. One thread changes the view."""

    def __init__(self, view: ViewModel, history: History) -> None:
        self._view = view
        self._history = history
        self._values = view.model_dump()
        view.events.connect(self._on_change)

    def close(self) -> None:
        """Stop listening to the view."""
        self._view.events.disconnect(self._on_change)

    def _on_change(self, change: EmissionInfo) -> None:
        name, after = change.signal.name, change.args[0]
        before, self._values[name] = self._values[name], after
        if not self._silent and before != after:
            self._history.push(ViewStep(name, before, after, self._give))

    def _give(self, name: str, value: Any) -> None:
        with self.unrecorded():
            setattr(self._view, name, value)


def change_of_view(name: str, before: Any, value: Any) -> str:
    """A field of the view with its value: "colour by speed", "hiding the legend", "showing the velocities"."""
    if name == "layers":
        words = "showing" if len(value) > len(before) else "hiding"
        return f"{words} the {' and the '.join(sorted({*value} ^ {*before}))}"
    if name in ("scales", "opacities"):
        changed = sorted({key for key in {*before, *value} if before.get(key) != value.get(key)})
        what = "scale of" if name == "scales" else "opacity of"
        return f"{what} {' and '.join(changed)}".replace("_", " ")
    if name in _SWITCHES:
        return f"{'showing' if value else 'hiding'} the {_SWITCHES[name]}"
    distance = distance_field(value) if name == "color_by" else None
    words = str(value).replace("_", " ") if distance is None else distance.label[:1].lower() + distance.label[1:]
    return f"{_WORDS.get(name, name.replace('_', ' '))} {words}"
