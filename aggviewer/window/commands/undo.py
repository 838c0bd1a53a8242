"""Undo and redo in the window: names in the menu, gestures that form one step, and typed text; and *Copy as Python*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PyQt6.QtCore import QEvent, QObject
from PyQt6.QtGui import QKeyEvent, QKeySequence
from PyQt6.QtWidgets import QApplication, QPlainTextEdit, QTextEdit, QWidget

from aggviewer.document.document import Document
from aggviewer.document.history import Step
from aggviewer.document.view import chosen_of, fields_of
from aggviewer.session import Notice
from aggviewer.session.log import repeatable, script
from aggviewer.session.run.run import MOST_BYTES
from aggviewer.session.undoing import CommandStep
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.input_guard import line_of
from aggviewer.widgets.part import Context, Part
from aggviewer.widgets.screen import copy_text
from engine.scenario import Scenario
from engine.system import system
from engine.words import count

_UNDO_TIP = "Undo the last action"
UNDO, REDO = "edit.undo", "edit.redo"
_SAID_MS = 8000  # duration of the hint on how to get a run back
_DONE = {
    "restart": "Restarted",
    "new seed": "Restarted with a new seed",
    "start from the state shown": "Started from the state shown",
    "comparison": "Comparison started",
    "end of the comparison": "Comparison ended",
}
_PARTICIPLES = {"moving": "moved", "removing": "removed", "stopping": "stopped", "throwing": "thrown"}
_PRESSES = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick)
_KEYS = (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)


def done(text: str) -> str:
    """What a step did, as the start of a sentence: "Disc thrown" for "throwing a disc"."""
    if text in _DONE:
        return _DONE[text]
    verb, _, what = text.partition(" ")
    if verb == "opening":
        return f"Opened {what}"
    if verb in _PARTICIPLES:
        text = f"{what.removeprefix('a ')} {_PARTICIPLES[verb]}"
    return text[:1].upper() + text[1:] if text[1:2].islower() else text  # the symbol in α = 0.2 stays as it is


class UndoActions(QObject, Part):
    """Names the two commands after the step that they would undo or redo. All changes after one key or mouse press form
    one gesture, and so does a command. A field handles the undo keys itself while it contains typed text that can be
    undone."""

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._history = context.document.history
        self._undoing, self._tip = context.session.undoing, _UNDO_TIP
        self._commands = context.commands
        self._repeats = False  # auto-repeat of a held key
        self._status = context.window.statusBar()
        self._before: Step | None = None  # the newest step when a command with a single-letter key was used
        self._watches = False  # for a run that this command replaces
        self._hint_shown: tuple[Step | None, str] = None, ""  # the step of the hint in the status bar, and its words
        context.listen(self._history.changed, self._name)
        self._commands.used.connect(self._on_used)

    def commands(self) -> Iterator[Command]:
        """Undo and redo."""
        history = self._history
        yield Command(
            UNDO,
            "Undo",
            history.undo,
            ("Ctrl+Z",),
            _UNDO_TIP,
            "mdi6.undo",
            menu=Place("Edit", 1, 1),
            reason=lambda: "" if history.undo_text else "There is nothing to undo",
        )
        yield Command(
            REDO,
            "Redo",
            history.redo,
            ("Ctrl+Shift+Z", "Ctrl+Y"),
            "Redo the last action that was undone",
            "mdi6.redo",
            menu=Place("Edit", 1, 2),
            reason=lambda: "" if history.redo_text else "There is nothing to redo",
        )

    def _on_used(self, command: str) -> None:
        if not self._repeats:
            self._history.begin_gesture()
        self._before, self._watches = self._history.newest, self._commands.has_single_key(command)

    def _name(self) -> None:
        """Update the two commands from the history."""
        commands = self._commands
        kept = self._undoing.kept_bytes
        tip = (
            f"{_UNDO_TIP}. Earlier runs take {_megabytes(kept)} of at most {_megabytes(MOST_BYTES)}"
            if kept
            else _UNDO_TIP
        )
        if tip != self._tip:
            self._tip = tip
            commands.rename(UNDO, "Undo", tip)
        commands.name_action(UNDO, self._history.undo_text or "Undo")
        commands.name_action(REDO, self._history.redo_text or "Redo")
        commands.update()
        newest, status = self._history.newest, self._status
        if status is None:
            return
        lost = newest is not None and bool(newest.undo_note)  # what was before is not in memory
        if (lost or newest is not self._hint_shown[0]) and self._hint_shown[1]:  # Ctrl+Z does something else by now
            if status.currentMessage() == self._hint_shown[1]:
                status.clearMessage()
            self._hint_shown = None, ""
        if self._watches and newest is not self._before and isinstance(newest, CommandStep) and not lost:
            self._watches = False
            self._hint_shown = newest, f"{done(newest.text)}. Ctrl+Z restores the previous run."
            status.showMessage(self._hint_shown[1], _SAID_MS)

    def sees(self, watched: QObject | None, event: QEvent) -> bool:
        """Handle input before anything else; return True to stop it."""
        kind = event.type()
        if kind in _PRESSES:
            self._repeats = False
            self._history.begin_gesture()
        elif kind in _KEYS and isinstance(event, QKeyEvent):
            self._repeats = event.isAutoRepeat()
            if not self._repeats:
                self._history.begin_gesture()
            if kind == QEvent.Type.ShortcutOverride and isinstance(watched, QWidget) and _is_for_window(watched, event):
                event.ignore()
                return True
        return False


def _megabytes(size: int) -> str:
    return f"{count(size / (1 << 20))} MB"


def _is_for_window(widget: QWidget, event: QKeyEvent) -> bool:
    """Whether a field would swallow an undo or redo key without using it, as Qt's fields always do."""
    if widget is not QApplication.focusWidget():
        return False
    if event.matches(QKeySequence.StandardKey.Undo):
        return not _can_undo_text(widget)
    if event.matches(QKeySequence.StandardKey.Redo):
        return not _can_redo_text(widget)
    return False


def _can_undo_text(widget: QWidget) -> bool:
    """Whether the field contains typed text that is not yet committed."""
    line = line_of(widget)
    if line is not None:
        return line.isModified() and line.isUndoAvailable()
    document = widget.document() if isinstance(widget, QPlainTextEdit | QTextEdit) else None
    return document is not None and document.isUndoAvailable()


def _can_redo_text(widget: QWidget) -> bool:
    line = line_of(widget)
    if line is not None:
        return line.isRedoAvailable()
    document = widget.document() if isinstance(widget, QPlainTextEdit | QTextEdit) else None
    return document is not None and document.isRedoAvailable()


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
        if self._session.played_file is not None:
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
