"""How the picture is drawn: commands for colours, layers, overlays and the view of a box in space. It keeps the camera
of the document and the views of the pictures the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from PyQt6.QtCore import QPointF

from aggviewer.canvas import DiscCanvas
from aggviewer.canvas.layers import grids
from aggviewer.canvas.layers.layer import Layer
from aggviewer.canvas.layers.registry import switches
from aggviewer.canvas.mouse import Gesture
from aggviewer.canvas.slab import EndCut, handle_at
from aggviewer.canvas.turning import ALONG, along
from aggviewer.document.run import CameraPlace
from aggviewer.document.view import GRID_LEVELS, ViewModel, chosen_of
from aggviewer.plots.drawing import PointLayer
from aggviewer.plots.panel import PlotsPanel
from aggviewer.session import Shown
from aggviewer.systems.base import RunningSystem
from aggviewer.widgets.command import Command, Group, MenuEntry, Place, Submenu
from aggviewer.widgets.part import Context, Part
from aggviewer.window.canvases import Canvases
from aggviewer.window.refresher import Refresher
from engine.fields import Field
from engine.plotting.projection import WHOLE, Quaternion, first_turn
from engine.system import known_fields

COLORMAPS = ("viridis", "cividis", "plasma", "magma", "batlow")
OVERLAYS = {
    "show_scale_bar": "Scale bar",
    "show_legend": "Legend",
    "show_time": "Time in exported pictures",
    "show_box": "Outline of the box",
    "show_gravity": "Gravity: arrow and floor",
    "show_axes": "Axes in space",
    "show_selection": "Selected {discs}",
    "selection_in_pictures": "Selected {discs} in exported pictures",
}
_COLOR_BY = Submenu("Colour by", Place("View", 2, 1))


class ViewCommands(Part):
    """The commands for the picture: fixed ones, and one for each field and layer."""

    def __init__(self, context: Context) -> None:
        self._view, self._running, self._shown = context.document.view, context[RunningSystem], context.shown
        self._document = context.document
        context[PlotsPanel].layer_asked.connect(self._show_point)

    def commands(self) -> Iterator[MenuEntry]:
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
        """The commands that switch the layers on and off."""
        return layer_groups(self._view, self._running, self._shown)


def view_commands(view: ViewModel, running: RunningSystem) -> Iterator[MenuEntry]:
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
        available=lambda: field.name in [one.name for one in running.colors],
    )


def _layer(
    view: ViewModel, running: RunningSystem, shown: Callable[[], Shown | None], layer: Layer
) -> Iterator[Command]:
    yield Command(
        layer.command_id,
        layer.label,
        partial(_switch, layer, view),
        layer.keys,
        layer.tip,
        layer.icon,
        checked=partial(layer.switched_on, view),
        available=partial(_has_data, layer, running, shown),
        reason=lambda: "" if running.dimensions in layer.dimensions else running.not_in_space(),
        words="layer show hide",
    )


def _choice(title: str, position: int, view: ViewModel, field: str, texts: Mapping[Any, str]) -> Iterator[MenuEntry]:
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
    if grids.BOXES not in view.layers:
        return "The counting grid is not shown"
    return "" if 1 <= view.grid_level + step <= GRID_LEVELS else "These are the largest or smallest boxes"


def _toggle(view: ViewModel, field: str) -> None:
    setattr(view, field, not getattr(view, field))


def _switch(layer: Layer, view: ViewModel) -> None:
    layer.show(view, not layer.switched_on(view))


def _has_data(layer: Layer, running: RunningSystem, shown: Callable[[], Shown | None]) -> bool:
    """Whether the system or the frame on the screen has data for a layer."""
    found = shown()
    return running.offers(layer.name) or layer.available(None if found is None else found.frame)


_MENU = Submenu("Space", Place("View", 1, 2))
_SWITCHES = {
    "perspective": ("Perspective", "Nearer spheres look larger; without perspective the projection is parallel"),
    "depth_fades": ("Fade with depth", "Distant spheres fade into the background"),
    "soft_shadows": ("Soft shadows", "Spheres are darker where neighbours block the light"),
}


class SpaceView(Part):
    """Turns a box in space by commands, which are not available in the plane, and cuts it by handles in the picture."""

    def __init__(self, context: Context) -> None:
        self._view, self._running = context.document.view, context[RunningSystem]
        self._canvases = context[Canvases]
        self._canvases.add_grips(self._grip)

    def _grip(self, canvas: DiscCanvas, at: QPointF) -> Gesture | None:
        """The gesture for a press on a handle of the slab, or on the card that ends it."""
        if canvas.cut_card().contains(at):
            return EndCut(self._show_whole)
        return handle_at(canvas.scene, canvas.camera, self._view, at)

    def commands(self) -> Iterator[MenuEntry]:
        """Views along the axes and from above, how depth is drawn, and the end of a slab."""
        yield _MENU
        views: dict[str, tuple[str, tuple[str, ...], Callable[[Sequence[float]], Quaternion]]] = {
            axis: (f"Look along {axis}", (f"Shift+{axis.upper()}",), partial(along, axis)) for axis in ALONG
        }
        views["first"] = "Look from above", ("Shift+F",), first_turn
        for position, (name, (text, keys, turn)) in enumerate(views.items()):
            yield Command(
                f"view.along_{name}",
                text,
                partial(self._turn_by, turn),
                keys,
                "Return to the first view, from above at an angle"
                if name == "first"
                else f"Turn the box to look along {name}",
                menu=Place(_MENU.path, 1, position),
                available=self._in_space,
                words="camera axis turn rotate 3d",
                absent="For spheres only. Open some with G",
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
                absent="For spheres only. Open some with G",
            )
        yield Command(
            "view.whole_depth",
            "Show the whole depth",
            self._show_whole,
            tooltip="Show what is in front of the slab and behind it again",
            menu=Place(_MENU.path, 2, len(_SWITCHES)),
            reason=lambda: (
                "" if self._view.slab != WHOLE else "Nothing is cut off. The sliders are in the list of layers"
            ),
            available=self._in_space,
            words="slab slice cut clip plane section 3d",
            absent="For spheres only. Open some with G",
        )

    def _in_space(self) -> bool:
        return self._running.dimensions > 2

    def _turn_by(self, turn: Callable[[Sequence[float]], Quaternion]) -> None:
        self._view.turn = turn(self._canvases.first.scene.gravity)

    def _show_whole(self) -> None:
        self._view.slab = WHOLE

    def _toggle(self, name: str) -> None:
        setattr(self._view, name, not getattr(self._view, name))


_SERIES_MS = 700  # wheel notches within this time form one gesture
_WORDS = {"zoom": "zoom", "pan": "moving the picture", "fit": "fit the box", "look": "zooming to {discs}"}


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
        context.listen(self._document.run.events.camera, self._show_camera)

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
        if self._refresher.takes_no_frames or place == self._place:
            return
        self._place = place
        document = self._document
        with document.together(_WORDS[by_hand]) if by_hand else document.unrecorded():
            document.run.camera = place

    def _show_camera(self, place: CameraPlace | None) -> None:
        """Let the pictures show the camera of the document."""
        if place != self._place:
            self._place = place
            self._canvases.first.set_place(place)
