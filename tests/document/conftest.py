"""A document with a part of its own, without a window and without a session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

import pytest
from annotated_types import Gt
from pydantic import Field

from aggviewer.document.document import Document
from aggviewer.document.model import DocumentModel, FieldUse
from aggviewer.document.registry import MODELS, register


class Lamp(DocumentModel):
    """A part with a field of every kind."""

    namespace: ClassVar[str] = "lamp"

    size: Annotated[float, Gt(0.0), FieldUse("size of the lamp", settings=True)] = 1.0
    on: Annotated[bool, FieldUse("lamp", layout=True)] = False
    color: str = "red"
    turned: Annotated[int, FieldUse(undo=False, session=False)] = 0
    shades: Annotated[Mapping[str, int], FieldUse("shades", by_system=True, settings=True)] = Field(
        default_factory=dict
    )
    glow: Annotated[int, FieldUse(session=False, by_run=True)] = 0


@pytest.fixture
def lamp() -> Iterator[type[Lamp]]:
    register(Lamp)
    yield Lamp
    MODELS.remove(Lamp)


@pytest.fixture
def document(lamp: type[Lamp]) -> Document:
    return Document()
