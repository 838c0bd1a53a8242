"""Parts of the document: evented models whose fields declare how their values are used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from psygnal import EventedModel, SignalInstance
from pydantic import ConfigDict, ValidationError

from engine.words import count, typeset

WordsOfChange = Callable[[Any, Any], str]
"""Names a change for *Undo*, from the values before and after: "colour by speed"."""

Keeper = Literal["session", "settings", "script"]
"""Where a document is saved: a session file, the settings of this machine, or a script of *Copy as Python*."""


@dataclass(frozen=True)
class FieldUse:
    """How the value of a field is used. It is given in the annotation of the field: ``size: Annotated[float,
    FieldUse("size of the lamp", settings=True)] = 1.0``.

    Attributes
    ----------
    title : the name of the field in *Undo*; "" for the field's own name.
    undo : whether a change can be undone.
    keeps_redo : whether what was undone before can still be redone after a change: so it is where neither the run nor
        what is drawn of it has changed, such as where the picture is looked at from.
    session : whether session files keep the value.
    settings : whether the next window starts with the value.
    script : whether `engine.plot` gets the value in a script that draws the picture, as the argument of this name.
    layout : whether the value is restored when presenter mode, which has its own layout, ends.
    by_system : whether the value is a mapping whose keys begin with the name of a system and a slash. A session file
        keeps the entries of the running system, and opening it does not change those of other systems.
    by_run : whether the value belongs to the discs of a run (`Document.follow_next`).
    fits(now, value) : whether undo may replace the present value by this one; None for always.
    words : names a change for *Undo*; None for the title with the value.
    """

    title: str = ""
    undo: bool = True
    keeps_redo: bool = False
    session: bool = True
    settings: bool = False
    script: bool = False
    layout: bool = False
    by_system: bool = False
    by_run: bool = False
    fits: Callable[[Any, Any], bool] | None = None
    words: WordsOfChange | None = None


_USUAL = FieldUse()


class DocumentModel(EventedModel):
    """A part of the document. Each field has an event: ``view.events.colormap.connect(callback)``. Assigning a value
    that is not allowed raises pydantic's ValidationError and changes nothing.

    Values are immutable: they are replaced, never changed in place. They are JSON values or frozen pydantic models.
    Each field is validated on its own; values that depend on one another are one field.

    Attributes
    ----------
    namespace : the name of this part in the document, in session files and in the settings.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(validate_assignment=True, extra="forbid")

    namespace: ClassVar[str]


def field_events(part: DocumentModel) -> dict[str, SignalInstance]:
    """The event of each field, by name, for those who listen to all of them.

    The one event of the group is not used: it learns which field has changed from what all threads emitted last, and
    takes one for another, or tells nothing, where two of them emit at once.
    """
    return {name: getattr(part.events, name) for name in type(part).model_fields}


def use_of(model: type[DocumentModel], field: str) -> FieldUse:
    """The `FieldUse` of a field: how its value is used."""
    found = model.model_fields[field].metadata
    return next((one for one in found if isinstance(one, FieldUse)), _USUAL)


def reason_of(error: ValidationError) -> str:
    """Why the first invalid value is not allowed, as a sentence without a full stop."""
    first = error.errors(include_url=False)[0]
    return str(first.get("ctx", {}).get("error", first["msg"]))


def words_of(model: type[DocumentModel], field: str, before: Any, after: Any) -> str:
    """What a change of a field from `before` to `after` is called in *Undo*."""
    use = use_of(model, field)
    if use.words is not None:
        return use.words(before, after)
    title = use.title or field.replace("_", " ")
    if isinstance(after, bool):
        return f"{title} {'on' if after else 'off'}"
    if isinstance(after, float):
        return f"{title} {typeset(after, '.6g')}"
    if isinstance(after, int):
        return f"{title} {count(after)}"
    return f"{title} {after}".replace("_", " ") if isinstance(after, str) else title


def switched(what: str) -> WordsOfChange:
    """Words for something that is shown or not: "showing the legend", "hiding the legend"."""
    return lambda _before, after: f"{'showing' if after else 'hiding'} the {what}"
