"""The parts of the document. A new one is registered here, or by a plug-in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aggviewer.document.model import DocumentModel
from aggviewer.document.plots import PlotsModel
from aggviewer.document.run import RunModel
from aggviewer.document.view import ViewModel
from aggviewer.document.window import PaceModel, PanelsModel
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
    """Add this part to all documents that are made from now on."""
    MODELS.add(model)
    return model


def models() -> tuple[type[DocumentModel], ...]:
    """The classes of all parts, those of plug-ins last."""
    return (*MODELS.parts, *plugins.made("document"))


for _model in (ViewModel, PlotsModel, PanelsModel, PaceModel, RunModel):
    register(_model)
