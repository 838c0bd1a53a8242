"""Commands for how the picture is drawn: colours, layers and overlays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from aggviewer.canvas.layers import boxes
from aggviewer.canvas.layers.layer import Layer
from aggviewer.canvas.layers.registry import switches
from aggviewer.document.view import GRID_LEVELS, ViewModel, chosen_of
from aggviewer.plots.drawing import PointLayer
from aggviewer.plots.panel import PlotsPanel
from aggviewer.session import Shown
from aggviewer.systems.base import RunningSystem
from aggviewer.widgets.command import PRESENTER_BAR, Command, Entry, Group, Place, Submenu
from aggviewer.widgets.part import Context, Part
from engine.fields import Field
from engine.system import known_fields

COLORMAPS = ("viridis", "cividis", "plasma", "magma", "batlow")
OVERLAYS = {
    "show_scale_bar": "Scale bar",
    "show_legend": "Legend",
    "show_time": "Time in exported pictures",
    "show_box": "Outline of the box",
    "show_selection": "Selected discs",
    "selection_in_pictures": "Selected discs in exported pictures",
}
_COLOR_BY = Submenu("Colour by", Place("View", 2, 1))


class ViewCommands(Part):
    """The commands for the picture: fixed ones, and one for each field and layer."""

    def __init__(self, context: Context) -> None:
        self._view, self._running, self._shown = context.document.view, context[RunningSystem], context.shown
        self._document = context.document
        context[PlotsPanel].layer_asked.connect(self._show_point)

    def commands(self) -> Iterator[Entry]:
        """The fixed commands, and one for each field that can colour the discs."""
        return view_commands(self._view, self._running)

    def _show_point(self, layer: PointLayer, value: Any, clicked: bool) -> None:
        """Show in the picture what a point in a plot represents: the clicked point or, if its layer is already on, the
        one under the mouse."""
        view, on = self._view, layer.name in self._view.layers
        if clicked:
            with self._document.together(f"showing the {layer.name}"):
                setattr(view, layer.field, value)
                view.layers = (*(name for name in view.layers if name != layer.name), layer.name)
        elif on:
            with self._document.unrecorded():
                setattr(view, layer.field, value)

    def groups(self) -> Iterator[Group]:
        """The command of each layer."""
        return layer_groups(self._view, self._running, self._shown)


def view_commands(view: ViewModel, running: RunningSystem) -> Iterator[Entry]:
    """The fixed commands of the view, and one for each field that can colour the discs."""
    yield _COLOR_BY
    yield from _choice("Colour map", 2, view, "colormap", {name: f"Colour map {name}" for name in COLORMAPS})
    for name, text, step in (("finer", "smaller", 1), ("coarser", "larger", -1)):
        yield Command(
            f"view.grid_{name}",
            f"Counting grid: {text} boxes",
            partial(_regrid, view, step),
            tooltip="Halve or double the side of the boxes",
            reason=partial(_why_no_grid, view, step),
        )
    for name, text in OVERLAYS.items():
        yield Command(
            f"view.{name}", text, partial(_toggle, view, name), checked=partial(getattr, view, name), words="show hide"
        )
    for position, field in enumerate(known_fields()):
        yield _color_by(view, running, field, position)


def layer_groups(view: ViewModel, running: RunningSystem, shown: Callable[[], Shown | None]) -> Iterator[Group]:
    """The command of each layer. shown() : returns the frame on the screen."""
    for layer in switches():
        yield Group(layer, partial(_layer, view, running, shown, layer))


def _color_by(view: ViewModel, running: RunningSystem, field: Field, position: int) -> Command:
    return Command(
        f"view.color_by_{field.name}",
        f"Colour by {field.label.lower()}",
        partial(setattr, view, "color_by", field.name),
        tooltip=field.meaning,
        checked=lambda: chosen_of(running.fields, view.color_by).name == field.name,
        menu=Place(_COLOR_BY.path, 1, position),
        available=lambda: field.name in [one.name for one in running.fields],
    )


def _layer(
    view: ViewModel, running: RunningSystem, shown: Callable[[], Shown | None], layer: Layer
) -> Iterator[Command]:
    yield Command(
        layer.command or f"view.show_{layer.name}",
        layer.label,
        partial(_switch, layer, view),
        layer.keys,
        layer.tip,
        layer.icon,
        checked=partial(layer.shown, view),
        bar=Place(PRESENTER_BAR, 4, 1) if layer.icon else None,
        available=partial(_offered, layer, running, shown),
        reason=lambda: "" if running.dimensions in layer.dimensions else running.not_in_space(),
        words="layer show hide",
    )


def _choice(title: str, position: int, view: ViewModel, field: str, texts: Mapping[Any, str]) -> Iterator[Entry]:
    """A menu with a command for each value of a view field. texts : value to text."""
    menu = Submenu(title, Place("View", 2, position))
    yield menu
    for number, (value, text) in enumerate(texts.items()):
        yield Command(
            f"view.{field}_{value}",
            text,
            partial(setattr, view, field, value),
            checked=lambda value=value: getattr(view, field) == value,  # type: ignore[misc]
            menu=Place(menu.path, 1, number),
            words="settings preferences appearance",
        )


def _regrid(view: ViewModel, step: int) -> None:
    view.grid_level += step


def _why_no_grid(view: ViewModel, step: int) -> str:
    if boxes.NAME not in view.layers:
        return "The counting grid is not shown"
    return "" if 1 <= view.grid_level + step <= GRID_LEVELS else "These are the largest or smallest boxes"


def _toggle(view: ViewModel, field: str) -> None:
    setattr(view, field, not getattr(view, field))


def _switch(layer: Layer, view: ViewModel) -> None:
    layer.show(view, not layer.shown(view))


def _offered(layer: Layer, running: RunningSystem, shown: Callable[[], Shown | None]) -> bool:
    """Whether the system or the frame on the screen has data for a layer."""
    found = shown()
    return running.offers(layer.name) or layer.available(None if found is None else found.frame)
