"""A part of the document: an evented model whose fields say what is done with their values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from psygnal import EventedModel
from pydantic import ConfigDict, ValidationError

Words = Callable[[Any, Any], str]
"""What *Undo* calls a change, from the values before and after it: "colour by speed"."""

Keeper = Literal["session", "settings", "script"]
"""What keeps a document: a session file, the settings of this machine, or a script of *Copy as Python*."""


@dataclass(frozen=True)
class FieldUse:
    """What is done with the value of a field beside showing it. It stands in the annotation of the field:
    ``size: Annotated[float, FieldUse("size of the lamp", settings=True)] = 1.0``.

    Attributes
    ----------
    title : what the field is called in *Undo*; "" for its name.
    undo : a change is a step that can be undone.
    session : a session file keeps the value.
    settings : the next window begins with the value.
    script : a script that draws the picture gives the value to `engine.plot`, as the argument of this name.
    layout : presenter mode, which lays out the window in its own way, gives the value back when it ends.
    by_system : the value is a mapping whose keys begin with the name of a system and a slash. A session file keeps the
        entries of the system that runs, and leaves those of the others alone when it is opened.
    by_run : the value belongs to the discs that run (`Document.follow`).
    fits(now, value) : whether undo may put a value in place of the one that is there now; None for always.
    words : what *Undo* calls a change; None for the title with the value.
    """

    title: str = ""
    undo: bool = True
    session: bool = True
    settings: bool = False
    script: bool = False
    layout: bool = False
    by_system: bool = False
    by_run: bool = False
    fits: Callable[[Any, Any], bool] | None = None
    words: Words | None = None


_USUAL = FieldUse()


class DocumentModel(EventedModel):
    """A part of the document. Each field has an event: ``view.events.colormap.connect(callback)``. Assigning a value
    that is not allowed raises pydantic's ValidationError and changes nothing.

    Values are immutable: another value is assigned, and none is changed in place. They are what JSON can hold, or
    frozen pydantic models. Each field is valid by itself; values that depend on one another are one field.

    Attributes
    ----------
    namespace : the name of this part in the document, in session files and in the settings.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(validate_assignment=True, extra="forbid")

    namespace: ClassVar[str]


def use_of(model: type[DocumentModel], field: str) -> FieldUse:
    """What is done with the value of a field."""
    found = model.model_fields[field].metadata
    return next((one for one in found if isinstance(one, FieldUse)), _USUAL)


def reason_of(error: ValidationError) -> str:
    """Why the first value that is at fault is not allowed, as a sentence without its full stop."""
    first = error.errors(include_url=False)[0]
    return str(first.get("ctx", {}).get("error", first["msg"]))


def words_of(model: type[DocumentModel], field: str, before: Any, after: Any) -> str:
    """What *Undo* calls a change of a field."""
    use = use_of(model, field)
    if use.words is not None:
        return use.words(before, after)
    title = use.title or field.replace("_", " ")
    if isinstance(after, bool):
        return f"{title} {'on' if after else 'off'}"
    if isinstance(after, float):
        return f"{title} {after:.6g}"
    return f"{title} {after}".replace("_", " ") if isinstance(after, str | int) else title


def switched(what: str) -> Words:
    """Words for something that is shown or not: "showing the legend", "hiding the legend"."""
    return lambda _before, after: f"{'showing' if after else 'hiding'} the {what}"
