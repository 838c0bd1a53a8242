"""Watches that a document and its undo history are changed on one thread alone."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from aggviewer.document.document import Document
from aggviewer.document.history import Step, UndoHistory
from aggviewer.document.model import DocumentModel

_OF_DOCUMENT = ("follow_next", "restore", "set_aside", "bring_back", "together", "unrecorded")
_OF_HISTORY = (
    "push",
    "confirm",
    "withdraw",
    "undo",
    "redo",
    "forget",
    "set_aside",
    "bring_back",
    "begin_gesture",
    "attached",
)


class OwnerWatch:
    """Notes every setter of a document and of its undo history that is called on another thread than this one.

    wrong : the calls, each with the name of its thread and where it came from. Empty if there is one owner.
    """

    def __init__(self, document: Document, patch: pytest.MonkeyPatch) -> None:
        self.wrong: list[str] = []
        self._owner = threading.get_ident()
        self._patch = patch
        parts = {id(document[name]) for name in document.namespaces}  # others are read from files, on any thread
        for name in _OF_DOCUMENT:
            self._watch(Document, name, lambda one: one is document)
        for name in _OF_HISTORY:
            self._watch(UndoHistory, name, lambda one: one is document.history)
        self._watch(DocumentModel, "__setattr__", lambda one: id(one) in parts)
        self._watch(Step, "__setattr__", lambda one: True)

    def _watch(self, kind: type[Any], name: str, is_watched: Callable[[object], bool]) -> None:
        usual = getattr(kind, name)

        def called(one: Any, *values: Any, **named: Any) -> Any:
            if is_watched(one) and threading.get_ident() != self._owner:
                stack = "".join(traceback.format_stack(limit=6)[:-1])
                self.wrong.append(f"{kind.__name__}.{name} on {threading.current_thread().name}\n{stack}")
            return usual(one, *values, **named)

        self._patch.setattr(kind, name, called, raising=False)
