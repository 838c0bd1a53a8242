"""What the picture shows, an evented model to whose events views subscribe; and the fields that discs can be coloured
by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import cmap
from psygnal import EmitLoopError, EventedModel
from pydantic import ConfigDict, field_validator, model_validator

from aggviewer.names import BACKGROUNDS as BACKGROUNDS
from engine.fields import Field
from engine.selection.distance import distance_field
from engine.system import known_fields
from engine.system import system as system_called

Theme = Literal["system", "dark", "light", "projector"]


def upgraded(kept: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of a view as they are called today.

    Files of version 0.1.0 have a field ``show_forces`` for the force network, which is one of the layers.
    """
    if "show_forces" not in kept:
        return kept
    layers = kept.get("layers")
    others = [name for name in layers if name != "forces"] if isinstance(layers, list | tuple) else []
    rest = {name: value for name, value in kept.items() if name != "show_forces"}
    return rest | {"layers": ["forces", *others] if kept["show_forces"] else others}


class ViewModel(EventedModel):
    """How the discs are drawn. Each field has an event: ``view.events.colormap.connect(callback)``. Assigning a value
    that is not allowed raises pydantic's ValidationError and changes nothing.

    Attributes
    ----------
    color_by : what a colour stands for: the name of a field (`engine.fields.Field`). A system whose discs have none of
        that name shows its first one. ``distance:17`` is the distance from disc 17, in every system.
    colormap : name of a cmap colour map for the sequential quantities (all but cluster).
    background : one of `BACKGROUNDS`, or ``#rrggbb``; of the picture alone, whatever the theme.
    show_scale_bar, show_legend, show_time, show_box : what lies over the discs.
    show_selection : selected discs are marked; selection_in_pictures : also in pictures and films that are taken away.
    flash_contacts : collisions, merges and wall reflections light up and fade.
    layers : the layers of the picture that are switched on, by their names (`aggviewer.canvas.layers`); those of a
        plug-in that is not loaded draw nothing.
    theme : of the window; ``system`` follows the desktop, ``projector`` has a high contrast.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(validate_assignment=True, extra="forbid")

    color_by: str = "cluster"
    colormap: str = "viridis"
    background: str = "dark"
    show_scale_bar: bool = True
    show_legend: bool = True
    show_time: bool = True
    show_box: bool = True
    show_selection: bool = True
    selection_in_pictures: bool = False
    flash_contacts: bool = False
    layers: tuple[str, ...] = ("forces",)
    theme: Theme = "system"

    def take(self, kept: Mapping[str, Any]) -> None:
        """Take over what a file has kept of a view; a value that is not allowed is passed over."""
        for name, value in upgraded(kept).items():
            try:
                setattr(self, name, value)
            except (ValueError, EmitLoopError):  # of another version, or damaged
                continue

    @model_validator(mode="before")
    @classmethod
    def _upgraded(cls, values: Any) -> Any:
        return upgraded(values) if isinstance(values, Mapping) else values

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
        try:
            cmap.Colormap(name)
        except Exception as error:  # cmap raises several kinds, by what the name looks like
            raise ValueError(f"no colour map is called {name!r}") from error
        return name

    @field_validator("background")
    @classmethod
    def _known_background(cls, name: str) -> str:
        if name not in BACKGROUNDS and not re.fullmatch(r"#[0-9a-fA-F]{6}", name):
            raise ValueError(f"background must be one of {', '.join(BACKGROUNDS)} or #rrggbb, not {name!r}")
        return name

    @property
    def background_rgb(self) -> tuple[int, int, int]:
        """The background as red, green, blue in 0…255."""
        text = BACKGROUNDS.get(self.background, self.background)
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
