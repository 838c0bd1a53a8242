"""The parts of the document, registered here or by a plug-in, and the values of all of them at one moment: how they are
written to files and read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from aggviewer.document.model import DocumentModel, Keeper, reason_of, use_of
from aggviewer.document.run import RunModel
from aggviewer.document.view import ViewModel
from aggviewer.document.window import PaceModel, PanelsModel, PlotsModel
from engine import plugins
from engine.errors import InputError
from engine.registry import Registry


def _fits(model: type[DocumentModel], others: Sequence[type[DocumentModel]]) -> None:
    if model.namespace in {other.namespace for other in others}:
        raise InputError(f"the document has a part {model.namespace} already")


def _fits_of_plug_in(model: Any, others: Sequence[Any]) -> None:
    if not (isinstance(model, type) and issubclass(model, DocumentModel)):
        raise InputError("what it adds to the document is not a class of models derived from DocumentModel")
    if not isinstance(vars(model).get("namespace"), str):
        raise InputError(f"its part of the document, {model.__name__}, has no namespace")
    _fits(model, (*MODELS.parts, *others))


MODELS: Registry[type[DocumentModel]] = Registry(_fits)
"""The program's own parts of the document."""

plugins.check("document", _fits_of_plug_in)


def register(model: type[DocumentModel]) -> type[DocumentModel]:
    """Add a part to all documents that are made from now on."""
    MODELS.add(model)
    return model


def models() -> tuple[type[DocumentModel], ...]:
    """The classes of all parts, those of plug-ins last."""
    return (*MODELS.parts, *plugins.added_parts("document"))


for _model in (ViewModel, PlotsModel, PanelsModel, PaceModel, RunModel):
    register(_model)


FieldPath = tuple[str, str]
"""A field of the document: the namespace of its part, and its name."""

FieldValues = Mapping[FieldPath, Any]
"""Values of fields."""

M = TypeVar("M", bound=DocumentModel)

_LONGEST = 200  # most characters of a message

Refuse = Callable[[InputError], None]
"""Called with the error of a value that cannot be used; it may raise it."""


@dataclass(frozen=True)
class DocumentState:
    """The values of a document, or of some of its fields.

    Attributes
    ----------
    values : immutable values by their paths.
    unread : parts of a file for which no model is loaded, by namespace. They belong to plug-ins and are written back
        unchanged.
    discs : the `DiscSet` to which the values of a run belong; None for a state of a file.
    """

    values: FieldValues = field(default_factory=dict)
    unread: Mapping[str, Any] = field(default_factory=dict)
    discs: object = field(default=None, compare=False)

    def part(self, model: type[M]) -> M:
        """A part with these values, independent of any document."""
        return model(
            **{name: value for (namespace, name), value in self.values.items() if namespace == model.namespace}
        )

    def dump(self, keeper: Keeper, system: str = "") -> dict[str, Any]:
        """The values that `keeper` saves, ready for JSON: for each namespace, values by field. Any thread.

        system : the name of the running system, for fields that are kept by system.
        """
        kept: dict[str, Any] = {} if keeper == "script" else dict(self.unread)
        for model in models():
            values = {name: value for (of, name), value in self.values.items() if of == model.namespace}
            part = dump_part(model, values, keeper, system)
            if part:
                kept[model.namespace] = part
        return kept


def dump_part(
    model: type[DocumentModel], values: Mapping[str, Any], keeper: Keeper, system: str = ""
) -> dict[str, Any]:
    """The values of one part that `keeper` saves, from its values by field; see `DocumentState.dump`."""
    kept = {}
    for name, value in values.items():
        use = use_of(model, name)
        if getattr(use, keeper):
            of_one = use.by_system and system != "" and keeper == "session"
            kept[name] = to_jsonable_python(of_system(value, system) if of_one else value)
    return kept


def of_system(value: Mapping[str, Any], system: str) -> dict[str, Any]:
    """The entries for one system in a value that is stored by system."""
    return {key: entry for key, entry in value.items() if key.startswith(f"{system}/")}


def read_state(dump: Mapping[str, Any], keeper: Keeper, refuse: Refuse | None = None) -> DocumentState:
    """Read what `DocumentState.dump` wrote for `keeper`. Any thread, once the parts of plug-ins exist.

    refuse : called with each value that cannot be used, which is then left out. Without it, InputError names the first.
    """
    values: dict[FieldPath, Any] = {}
    unread = dict(dump)
    for model in models():
        if model.namespace in unread:
            for name, value in read_part(model, unread.pop(model.namespace), keeper, refuse).items():
                values[model.namespace, name] = value
    return DocumentState(values, unread)


def read_part(model: type[DocumentModel], kept: Any, keeper: Keeper, refuse: Refuse | None = None) -> dict[str, Any]:
    """The values of one part of the document, checked.

    kept : values from any file.
    """
    refuse = refuse or _refuse
    if not isinstance(kept, Mapping):
        refuse(InputError(f"{model.namespace} has no fields", model.namespace))
        return {}
    blank, found = model(), {}
    for name, value in kept.items():
        place = f"{model.namespace}.{name}"
        if name not in model.model_fields:
            refuse(InputError(_printable(f"{place} is not known"), place))
        elif getattr(use_of(model, name), keeper):
            try:
                setattr(blank, name, value)
            except ValidationError as error:
                inner = "".join(f".{key}" for key in error.errors(include_url=False)[0]["loc"] if key != name)
                reason = reason_of(error)
                words = f"{place}{inner} cannot be used: {reason[:1].lower()}{reason[1:]}"
                refuse(InputError(_printable(words), place))
            else:
                found[name] = getattr(blank, name)
    return found


def _printable(text: str) -> str:
    """Text from a file, made safe for a message."""
    return "".join(letter if letter.isprintable() else "·" for letter in text[:_LONGEST])


def _refuse(error: InputError) -> None:
    raise error
