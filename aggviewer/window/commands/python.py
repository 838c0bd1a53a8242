"""The command *Copy as Python*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aggviewer.document.document import Document
from aggviewer.document.view import chosen_of, fields_of
from aggviewer.session import Notice
from aggviewer.session.log.script import repeatable, script
from aggviewer.widgets.clipboard import copy_text
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part
from engine.scenario import Scenario
from engine.system import system

COPY = "edit.copy_as_python"
_IN_SPACE = ("turn", "slab")
"""What only a box in space has."""


class PythonCommands(Part):
    """Copy as Python."""

    def __init__(self, context: Context) -> None:
        self._session, self._shown, self._notify = context.session, context.shown, context.notify

    def commands(self) -> Iterator[Command]:
        """Copy as Python."""
        yield Command(
            COPY,
            "Copy as Python",
            self._copy,
            ("Ctrl+Alt+C",),
            "Copy a Python script that reproduces this run and its picture",
            "mdi6.language-python",
            menu=Place("Edit", 4, 1),
            reason=self._why_not,
        )

    def _why_not(self) -> str:
        beginning = self._session.log.beginning()
        if self._shown() is None:
            return "There is nothing to copy yet"
        if self._session.played is not None:
            return "A recording cannot be reproduced by a script"
        if beginning is None or not repeatable(self._session.log):
            return "A script cannot reproduce this run: it was started from a saved session or from Python"
        if system(beginning.scenario.system).origin:
            return "A script cannot reproduce this run: its system comes from a plug-in"
        return ""

    def _copy(self) -> None:
        now, log = self._shown(), self._session.log
        beginning = log.beginning()
        if now is None or beginning is None:
            return
        copy_text(script(log, now.frame.time, **_picture(self._session.document, beginning.scenario)))
        words = "The script reproduces this run and its picture, bit for bit"
        self._notify(Notice("info", "Copied as Python", words))


def _picture(document: Document, scenario: Scenario) -> dict[str, Any]:
    """The options of the picture that differ from the defaults (`FieldUse.script`), and the field that colours the
    discs."""
    usual = Document().state.dump("script")
    told = {
        name: value
        for namespace, part in document.state.dump("script").items()
        for name, value in part.items()
        if value != usual[namespace][name] and (scenario.dimensions > 2 or name not in _IN_SPACE)
    }
    return told | {"color_by": chosen_of(fields_of(scenario.system), document.view.color_by).name}
