"""What the picture shows, as an evented model to which views subscribe, and the fields by which discs can be
coloured."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from typing import Annotated, Any, ClassVar, Literal

import cmap
from annotated_types import Ge, Gt, Le, Lt
from psygnal import EmitLoopError
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator, model_validator
from pydantic import Field as Described

from aggviewer.document.model import DocumentModel, FieldUse, WordsOfChange, reason_of, switched
from aggviewer.names import BACKGROUNDS as BACKGROUNDS
from engine.fields import Field
from engine.plotting import PictureStyle
from engine.plotting.projection import FROM_ABOVE, WHOLE, Quaternion, checked_slab, checked_turn
from engine.selection.measures import distance_field
from engine.system import known_fields
from engine.system import system as system_called

Theme = Literal["system", "dark", "light", "projector"]


class ColorScale(BaseModel):
    """The user's colour scale of a field. None: determined by the values.

    Attributes
    ----------
    low, high : the values of the first and the last colour; low is below high.
    log : whether the scale is logarithmic; then `low` must be above 0.
    steps : the number of colours, 2…64; 0 for a smooth scale, None for the field's default.
    colormap : name of a cmap colour map, "" for that of the view.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    low: float | None = None
    high: float | None = None
    log: bool | None = None
    steps: int | None = None
    colormap: str = ""

    @model_validator(mode="after")
    def _fits(self) -> ColorScale:
        if self.low is not None and self.high is not None and not self.low < self.high:
            ends = f"{self.low:g} and {self.high:g}"
            raise ValueError(f"the lower limit of a scale must be below the upper one, not {ends}")
        if self.log and any(end is not None and end <= 0.0 for end in (self.low, self.high)):
            raise ValueError("the limits of a logarithmic scale must be above 0")
        if self.steps is not None and not (self.steps == 0 or 2 <= self.steps <= 64):
            raise ValueError(f"a scale has 2 to 64 steps, or 0 for none, not {self.steps}")
        if self.colormap:
            _check_colormap(self.colormap)
        return self


GRID_LEVELS = 10
"""The number of box sides in box counting: L / 2^m, m = 1 … 10."""


def scale_problem(error: ValueError) -> str:
    """What is wrong with an invalid scale, as a sentence without a full stop."""
    return reason_of(error) if isinstance(error, ValidationError) else str(error)


def _check_colormap(name: str) -> None:
    try:
        cmap.Colormap(name)
    except Exception as error:  # cmap raises several kinds of errors, depending on the name
        raise ValueError(f"no colour map is called {name!r}") from error


_TURN = FieldUse("turning the picture", layout=True, by_run=True, script=True, keeps_redo=True)


def _colored_by(_before: str, after: str) -> str:
    distance = distance_field(after)
    words = after.replace("_", " ") if distance is None else distance.label[:1].lower() + distance.label[1:]
    return f"colour by {words}"


def _switched_layers(before: tuple[str, ...], after: tuple[str, ...]) -> str:
    words = "showing" if len(after) > len(before) else "hiding"
    return f"{words} the {' and the '.join(sorted({*after} ^ {*before}))}"


def _entries(what: str) -> WordsOfChange:
    """A function that names a change of a mapping from layers or fields to values, for *Undo*."""

    def words(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
        changed = sorted({key for key in {*before, *after} if before.get(key) != after.get(key)})
        return f"{what} of {' and '.join(changed)}".replace("_", " ")

    return words


class ViewModel(DocumentModel):
    """How the discs are drawn.

    Attributes
    ----------
    color_by : the name of the field that is shown by colour (`engine.fields.Field`). A system without it shows its
        first field. ``distance:17`` is the distance from disc 17, in every system.
    colormap : name of a cmap colour map for the sequential quantities (all but cluster). It begins near the background,
        or ends there if the name ends with ``_r``.
    background : of the picture: ``theme`` for the theme's, one of `BACKGROUNDS`, or ``#rrggbb``.
    ground : the background of the theme, one of `BACKGROUNDS`, ``white`` for a projector; set by the window.
    show_scale_bar, show_legend, show_time, show_box : overlays.
    show_gravity : whether the floor and the arrow g are shown where there is gravity.
    show_axes : whether the directions of x, y and z are shown in space.
    show_selection : whether selected discs are marked; selection_in_pictures : also in exported pictures and films.
    flash_contacts : whether collisions, merges and wall reflections light up and fade.
    layers : the names of the layers that are switched on (`aggviewer.canvas.layers`); those of plug-ins that are not
        loaded draw nothing.
    scales : the user's colour scales, by field; those of other fields follow from the values.
    opacities : the opacities of layers, 0.05…1, by name; other layers have their default opacity.
    arrow_speed : the speed whose velocity arrow is a mean diameter long; None: a round number near the typical speed,
        which may change with it.
    grid_level : m of the counting grid, whose boxes have the side ε = L / 2^m.
    turn : how a box in space is turned: takes its axes to those of the picture (right, up, towards the viewer).
    perspective : whether what is nearer looks larger in space; otherwise the projection is parallel.
    depth_fades : whether what is farther away fades into the background in space.
    soft_shadows : whether spheres are darker where neighbours keep light from them.
    slab : in space, the part of the box that is shown, between two planes across the line of sight: shares of its depth
        from the back, 0, to the front, 1.
    picture : what the discs are in vector files: ``rendered``, an image of the painter, or ``drawn``, vectors; ``auto``
        is rendered in space and for very many discs, else drawn.
    resolution : of such an image, in pixels per inch.
    theme : of the window; ``system`` follows the desktop, ``projector`` has high contrast.
    """

    namespace: ClassVar[str] = "view"

    color_by: Annotated[str, FieldUse(script=True, words=_colored_by)] = "cluster"
    colormap: Annotated[str, FieldUse("colour map", settings=True, script=True)] = "viridis"
    background: Annotated[str, FieldUse("background", settings=True)] = "theme"
    ground: Annotated[Literal["dark", "light", "white"], FieldUse(undo=False, session=False)] = "dark"
    show_scale_bar: Annotated[bool, FieldUse(settings=True, words=switched("scale bar"))] = True
    show_legend: Annotated[bool, FieldUse(settings=True, words=switched("legend"))] = True
    show_time: Annotated[bool, FieldUse(settings=True, words=switched("time display"))] = True
    show_box: Annotated[bool, FieldUse(settings=True, words=switched("outline of the box"))] = True
    show_gravity: Annotated[bool, FieldUse(settings=True, words=switched("floor and arrow of gravity"))] = True
    show_axes: Annotated[bool, FieldUse(settings=True, words=switched("axes"))] = True
    show_selection: Annotated[bool, FieldUse(words=switched("selection rings"))] = True
    selection_in_pictures: Annotated[bool, FieldUse(words=switched("selection in pictures"))] = False
    flash_contacts: Annotated[bool, FieldUse(settings=True, words=switched("contact flashes"))] = False
    layers: Annotated[tuple[str, ...], FieldUse(settings=True, words=_switched_layers)] = ("forces",)
    opacities: Annotated[
        Mapping[str, Annotated[float, Ge(0.05), Le(1.0)]], FieldUse(settings=True, words=_entries("opacity"))
    ] = Described(default_factory=dict)
    scales: Annotated[Mapping[str, ColorScale], FieldUse(words=_entries("scale"))] = Described(default_factory=dict)
    arrow_speed: Annotated[Annotated[float, Gt(0.0), Lt(inf)] | None, FieldUse("scale of the arrows")] = None
    grid_level: Annotated[Annotated[int, Ge(1), Le(GRID_LEVELS)], FieldUse("box size of the counting grid")] = 4
    turn: Annotated[Quaternion, _TURN] = FROM_ABOVE
    perspective: Annotated[bool, FieldUse(settings=True, keeps_redo=True)] = True
    depth_fades: Annotated[bool, FieldUse(settings=True, words=switched("depth by fading"))] = True
    soft_shadows: Annotated[bool, FieldUse(settings=True, words=switched("soft shadows"))] = True
    slab: Annotated[tuple[float, float], FieldUse("slab", by_run=True, script=True)] = WHOLE
    picture: Annotated[PictureStyle, FieldUse(undo=False, settings=True)] = "auto"
    resolution: Annotated[Annotated[int, Ge(72), Le(1200)], FieldUse(undo=False, settings=True)] = 300
    theme: Annotated[Theme, FieldUse("theme", settings=True, keeps_redo=True)] = "system"

    def set_for_lesson(self, kept: Mapping[str, Any]) -> None:
        """Set the fields that a lesson asks for; invalid values are ignored."""
        for name, value in kept.items():
            try:
                setattr(self, name, value)
            except (ValueError, EmitLoopError):
                continue

    @field_validator("color_by")
    @classmethod
    def _known_field(cls, name: str) -> str:
        names = [field.name for field in known_fields()]
        if name not in names and distance_field(name) is None:
            raise ValueError(f"color_by must be {', '.join(names)}, not {name!r}")
        return name

    @field_validator("turn")
    @classmethod
    def _unit_turn(cls, turn: Quaternion) -> Quaternion:
        return checked_turn(turn)

    @field_validator("slab")
    @classmethod
    def _within_the_box(cls, slab: tuple[float, float]) -> tuple[float, float]:
        return checked_slab(slab)

    @field_validator("colormap")
    @classmethod
    def _known_colormap(cls, name: str) -> str:
        _check_colormap(name)
        return name

    @field_validator("background")
    @classmethod
    def _known_background(cls, name: str) -> str:
        if name not in ("theme", *BACKGROUNDS) and not re.fullmatch(r"#[0-9a-fA-F]{6}", name):
            raise ValueError(f"background must be theme, {', '.join(BACKGROUNDS)} or #rrggbb, not {name!r}")
        return name

    @property
    def background_rgb(self) -> tuple[int, int, int]:
        """The background as red, green, blue in 0…255."""
        name = self.ground if self.background == "theme" else self.background
        text = BACKGROUNDS.get(name, name)
        return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)

    @property
    def bold(self) -> bool:
        """Whether colours are darker and lines thicker, as the projector theme has them."""
        return self.background == "theme" and self.ground == "white"

    @property
    def dark(self) -> bool:
        """Whether the background is dark (its luma is below one half), so that lines and text must be light."""
        red, green, blue = self.background_rgb
        return 0.299 * red + 0.587 * green + 0.114 * blue < 128.0


def fields_of(system: str) -> tuple[Field, ...]:
    """The fields of the discs of `system`; the first is the default colouring. InputError if there is no such
    system."""
    return system_called(system).all_fields


def chosen_of(fields: tuple[Field, ...], name: str) -> Field:
    """The field called `name`; the first one if there is none of that name. ``distance:17`` exists in every system."""
    return next((field for field in fields if field.name == name), None) or distance_field(name) or fields[0]
