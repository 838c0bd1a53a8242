"""The command that copies what is shown as a Python script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aggviewer.document.document import Document
from aggviewer.document.view import chosen_of, fields_of
from aggviewer.session import Notice
from aggviewer.widgets.clipboard import copy_text
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part
from engine.runs.script import script
from engine.system import system

COPY = "edit.copy_as_python"


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
            "A script that makes this run and its picture again, to the clipboard",
            "mdi6.language-python",
            menu=Place("Edit", 4, 1),
            reason=self._why_not,
        )

    def _why_not(self) -> str:
        recipe = self._session.recipe
        if self._shown() is None:
            return "There is nothing to copy yet"
        if self._session.replay is not None:
            return "A recording is played: there is no run to make again"
        if recipe is None:
            return "The run began in a saved session or in Python, which a script cannot make again"
        if system(recipe.scenario.system).origin:
            return "The system comes from a plug-in, which a script alone does not have"
        return ""

    def _copy(self) -> None:
        now, recipe = self._shown(), self._session.recipe
        if now is None or recipe is None:
            return
        copy_text(script(recipe, now.frame.time, **_picture(self._session.document, recipe.scenario.system)))
        words = "A script that makes this run and its picture again, bit for bit"
        self._notify(Notice("info", "Copied as Python", words))


def _picture(document: Document, system: str) -> dict[str, Any]:
    """What the picture is drawn with (`FieldUse.script`), where it is not as usual; and by what discs are coloured, a
    field of this system."""
    usual = Document().state.dump("script")
    told = {
        name: value
        for namespace, part in document.state.dump("script").items()
        for name, value in part.items()
        if value != usual[namespace][name]
    }
    return told | {"color_by": chosen_of(fields_of(system), document.view.color_by).name}
