"""What the picture shows, an evented model to whose events views subscribe; and the fields that discs can be coloured
by."""

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

from aggviewer.document.model import DocumentModel, FieldUse, Words, reason_of, switched
from aggviewer.names import BACKGROUNDS as BACKGROUNDS
from engine.fields import Field
from engine.selection.distance import distance_field
from engine.system import known_fields
from engine.system import system as system_called

Theme = Literal["system", "dark", "light", "projector"]


class ColorScale(BaseModel):
    """How the values of a field become colours, where a person has chosen it. What is None follows from the values.

    Attributes
    ----------
    low, high : the values of the first and the last colour; low is below high.
    log : whether the scale is logarithmic; `low` is above 0 then.
    steps : the number of colours, 2…64; 0 for a smooth scale, None as the field has it.
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
            raise ValueError(f"the lower end of a scale must be below its upper end, not {ends}")
        if self.log and any(end is not None and end <= 0.0 for end in (self.low, self.high)):
            raise ValueError("the ends of a logarithmic scale must be above 0")
        if self.steps is not None and not (self.steps == 0 or 2 <= self.steps <= 64):
            raise ValueError(f"a scale has 2 to 64 steps, or 0 for none, not {self.steps}")
        if self.colormap:
            _check_colormap(self.colormap)
        return self


GRID_LEVELS = 10
"""Sides of boxes that box counting takes: L / 2^m, m = 1 … 10."""


def scale_problem(error: ValueError) -> str:
    """What is wrong with a scale that could not be made, as a sentence without its full stop."""
    return reason_of(error) if isinstance(error, ValidationError) else str(error)


def _check_colormap(name: str) -> None:
    try:
        cmap.Colormap(name)
    except Exception as error:  # cmap raises several kinds, by what the name looks like
        raise ValueError(f"no colour map is called {name!r}") from error


def _colored_by(_before: str, after: str) -> str:
    distance = distance_field(after)
    words = after.replace("_", " ") if distance is None else distance.label[:1].lower() + distance.label[1:]
    return f"colour by {words}"


def _switched_layers(before: tuple[str, ...], after: tuple[str, ...]) -> str:
    words = "showing" if len(after) > len(before) else "hiding"
    return f"{words} the {' and the '.join(sorted({*after} ^ {*before}))}"


def _entries(what: str) -> Words:
    """Words for a mapping whose entries are values of layers or fields."""

    def words(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
        changed = sorted({key for key in {*before, *after} if before.get(key) != after.get(key)})
        return f"{what} of {' and '.join(changed)}".replace("_", " ")

    return words


class ViewModel(DocumentModel):
    """How the discs are drawn.

    Attributes
    ----------
    color_by : what a colour stands for: the name of a field (`engine.fields.Field`). A system whose discs have none of
        that name shows its first one. ``distance:17`` is the distance from disc 17, in every system.
    colormap : name of a cmap colour map for the sequential quantities (all but cluster). It begins near the background,
        or ends there where the name ends with ``_r``.
    background : of the picture: ``theme`` for that of the theme, one of `BACKGROUNDS`, or ``#rrggbb``.
    ground : the background that the theme has, one of `BACKGROUNDS`; the window sets it.
    show_scale_bar, show_legend, show_time, show_box : what lies over the discs.
    show_selection : selected discs are marked; selection_in_pictures : also in pictures and films that are taken away.
    flash_contacts : collisions, merges and wall reflections light up and fade.
    layers : the layers of the picture that are switched on, by their names (`aggviewer.canvas.layers`); those of a
        plug-in that is not loaded draw nothing.
    scales : the scales of colours that a person has chosen, by the names of the fields; those of other fields follow
        from the values.
    opacities : how opaque layers are, 0.05…1, by their names; those that are not in it are as their makers wanted.
    arrow_speed : the speed whose velocity arrow is a mean diameter long; None: a round number near the typical speed of
        what is shown, which may change with it.
    grid_level : m of the counting grid, whose boxes have the side ε = L / 2^m.
    theme : of the window; ``system`` follows the desktop, ``projector`` has a high contrast.
    """

    namespace: ClassVar[str] = "view"

    color_by: Annotated[str, FieldUse(script=True, words=_colored_by)] = "cluster"
    colormap: Annotated[str, FieldUse("colour map", settings=True, script=True)] = "viridis"
    background: Annotated[str, FieldUse("background", settings=True)] = "theme"
    ground: Annotated[Literal["dark", "light"], FieldUse(undo=False, session=False)] = "dark"
    show_scale_bar: Annotated[bool, FieldUse(settings=True, words=switched("scale bar"))] = True
    show_legend: Annotated[bool, FieldUse(settings=True, words=switched("legend"))] = True
    show_time: Annotated[bool, FieldUse(settings=True, words=switched("time in the picture"))] = True
    show_box: Annotated[bool, FieldUse(settings=True, words=switched("outline of the box"))] = True
    show_selection: Annotated[bool, FieldUse(words=switched("marks of the selection"))] = True
    selection_in_pictures: Annotated[bool, FieldUse(words=switched("selection in pictures"))] = False
    flash_contacts: Annotated[bool, FieldUse(settings=True, words=switched("flashes of contacts"))] = False
    layers: Annotated[tuple[str, ...], FieldUse(settings=True, words=_switched_layers)] = ("forces",)
    opacities: Annotated[
        Mapping[str, Annotated[float, Ge(0.05), Le(1.0)]], FieldUse(settings=True, words=_entries("opacity"))
    ] = Described(default_factory=dict)
    scales: Annotated[Mapping[str, ColorScale], FieldUse(words=_entries("scale"))] = Described(default_factory=dict)
    arrow_speed: Annotated[Annotated[float, Gt(0.0), Lt(inf)] | None, FieldUse("speed of an arrow")] = None
    grid_level: Annotated[Annotated[int, Ge(1), Le(GRID_LEVELS)], FieldUse("boxes of the counting grid")] = 4
    theme: Annotated[Theme, FieldUse("theme", settings=True)] = "system"

    def take(self, kept: Mapping[str, Any]) -> None:
        """Set these fields, as a lesson asks for them; a value that is not allowed is passed over."""
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
    def dark(self) -> bool:
        """True where ink on the background has to be light (its luma is below one half)."""
        red, green, blue = self.background_rgb
        return 0.299 * red + 0.587 * green + 0.114 * blue < 128.0


def fields_of(system: str) -> tuple[Field, ...]:
    """What each disc of `system` has; the first is what they are coloured by where nothing else is chosen. InputError
    where there is no such system."""
    return system_called(system).fields


def chosen_of(fields: tuple[Field, ...], name: str) -> Field:
    """The field called `name`; the first one where none has that name. ``distance:17`` is one in every system."""
    return next((field for field in fields if field.name == name), None) or distance_field(name) or fields[0]
