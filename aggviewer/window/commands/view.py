"""The commands about how the picture is drawn: colours, ground, what lies over the discs, theme."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from aggviewer.canvas.layers.layer import Layer
from aggviewer.canvas.layers.registry import switches
from aggviewer.session import Shown
from aggviewer.session.view import BACKGROUNDS, Theme, ViewModel, chosen_of, fields_of
from aggviewer.widgets.command import PRESENTER_BAR, Command, Entry, Place, Submenu
from aggviewer.window.commands.systems import RunningSystem
from engine.system import known_fields

COLORMAPS = ("viridis", "cividis", "plasma", "magma", "batlow")
THEMES: dict[Theme, str] = {"system": "As the desktop", "dark": "Dark", "light": "Light", "projector": "Projector"}
OVERLAYS = {
    "show_scale_bar": "Scale bar",
    "show_legend": "Legend",
    "show_time": "Time in the picture",
    "show_box": "Outline of the box",
    "show_selection": "Marks of the selection",
    "selection_in_pictures": "Selection in pictures",
}


def view_commands(view: ViewModel, running: RunningSystem, shown: Callable[[], Shown | None]) -> Iterator[Entry]:
    """All of them. shown() : the frame on the screen."""
    yield from _choice(
        "Colour by",
        1,
        view,
        "color_by",
        {field.name: f"Colour by {field.label.lower()}" for field in known_fields()},
        lambda: chosen_of(fields_of(running.name), view.color_by).name,
        lambda name: name in [field.name for field in fields_of(running.name)],
        {field.name: field.meaning for field in known_fields()},
    )
    yield from _choice("Colour map", 2, view, "colormap", {name: f"Colour map {name}" for name in COLORMAPS})
    grounds = {name: f"{name.capitalize()} background" for name in BACKGROUNDS}
    yield from _choice("Background", 4, view, "background", grounds)
    yield from _choice("Theme", 5, view, "theme", {name: f"Theme: {text.lower()}" for name, text in THEMES.items()})
    for position, (name, text) in enumerate(OVERLAYS.items()):
        yield Command(
            f"view.{name}",
            text,
            partial(_toggle, view, name),
            checked=partial(getattr, view, name),
            menu=Place("View", 3, position),
        )
    for position, layer in enumerate(switches()):
        yield Command(
            layer.command or f"view.show_{layer.name}",
            layer.label,
            partial(_switch, layer, view),
            layer.keys,
            layer.tip,
            layer.icon,
            checked=partial(layer.shown, view),
            menu=Place("View", 3, 10 + position),
            bar=Place(PRESENTER_BAR, 4, 1) if layer.icon else None,
            available=partial(_offered, layer, running, shown),
        )


def _choice(
    title: str,
    position: int,
    view: ViewModel,
    field: str,
    texts: Mapping[Any, str],
    now: Callable[[], object] | None = None,
    offered: Callable[[Any], bool] | None = None,
    tips: Mapping[Any, str] = MappingProxyType({}),
) -> Iterator[Entry]:
    """A menu with a command for each value that a field of the view can have.

    texts : value to text; now() : the value that is in use, where it is not that of the field; offered(value) : whether
    it can be chosen; tips : what there is to say of a value.
    """
    menu = Submenu(title, Place("View", 2, position))
    yield menu
    for number, (value, text) in enumerate(texts.items()):
        yield Command(
            f"view.{field}_{value}",
            text,
            partial(setattr, view, field, value),
            tooltip=tips.get(value, ""),
            checked=lambda value=value: (now() if now else getattr(view, field)) == value,  # type: ignore[misc]
            menu=Place(menu.path, 1, number),
            available=None if offered is None else partial(offered, value),
        )


def _toggle(view: ViewModel, field: str) -> None:
    setattr(view, field, not getattr(view, field))


def _switch(layer: Layer, view: ViewModel) -> None:
    layer.show(view, not layer.shown(view))


def _offered(layer: Layer, running: RunningSystem, shown: Callable[[], Shown | None]) -> bool:
    """Whether the system has something for a layer, or the frame on the screen."""
    found = shown()
    return running.offers(layer.name) or layer.available(None if found is None else found.frame)
