"""Commands as steps that can be undone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from aggviewer.document.history import Step, UndoHistory, Unrecorded
from engine.errors import InputError

if TYPE_CHECKING:
    from aggviewer.session.load.loader import Loader
    from aggviewer.session.log.command import RunCommand
    from aggviewer.session.run.run import Run

Post = Callable[[Callable[[], None]], None]
"""Leaves work for the simulation's thread."""


class CommandStep(Step):
    """What one or more commands have changed: another run, values while it goes on, or both. It is added to the history
    as soon as they are given, and filled in when the simulation's thread has carried them out.

    Parameters
    ----------
    text, subject : see `Step`.
    undoing : undoes it and does it again.

    Attributes
    ----------
    before, after : the previous and the new run, both None if unchanged.
    back, forth : the commands that undo and redo changes of a run that goes on, by their subject.
    waiting : number of commands not yet carried out.
    """

    def __init__(self, text: str, subject: str, undoing: Undoing) -> None:
        super().__init__(text, subject)
        self._undoing = undoing
        self.before: Run | None = None
        self.after: Run | None = None
        self.back: dict[str, Sequence[RunCommand]] = {}
        self.forth: dict[str, Sequence[RunCommand]] = {}
        self.waiting = 0

    @property
    def empty(self) -> bool:
        """Nothing has changed."""
        return self.before is None and not self.back

    def undo(self) -> None:
        """Have the worker restore what was before this step."""
        self._undoing.bring(self, onward=False)

    def redo(self) -> None:
        """Have the worker restore what was after this step."""
        self._undoing.bring(self, onward=True)

    @property
    def undo_note(self) -> str:
        """A remark before undoing it, usually ""."""
        return _note(self.before)

    @property
    def redo_note(self) -> str:
        """A remark before redoing it, usually ""."""
        return _note(self.after)


def _note(run: Run | None) -> str:
    return "the earlier run is no longer in memory and starts again" if run is not None and run.lost else ""


class Undoing(Unrecorded):
    """Has commands carried out, adds them to the history, and undoes them. `give` may be called on any thread.

    A run and its log go on when a value is undone: the log gets the command that sets the earlier value. Where a
    command has put another run in place of the present one, the earlier run returns with its own log.

    Parameters
    ----------
    loader : what commands change.
    history : gets the steps.
    post, post_at_once : leave work for the simulation's thread; the second one interrupts long work there.
    """

    def __init__(self, loader: Loader, history: UndoHistory, post: Post, post_at_once: Post) -> None:
        self._loader = loader
        self._history = history
        self._post = post
        self._post_at_once = post_at_once
        self._counting = threading.Lock()

    def give(self, *commands: RunCommand, words: str = "", begins: Callable[[], None] = lambda: None) -> None:
        """Have commands carried out, in order, as one step.

        words : the name of the step; "" for that of the first command. begins : called before they are carried out.
        """
        step = None if self._silent else self._begun(commands, words)

        def carry_out() -> None:
            begins()
            try:
                for command in commands:
                    self._carry_out(command, step)
            finally:
                if step is not None:
                    self._count(step)
                self._settle()

        (self._post_at_once if any(one.at_once for one in commands) else self._post)(carry_out)

    def bring(self, step: CommandStep, *, onward: bool) -> None:
        """Restore what was before or after a step."""
        self._post_at_once(lambda: self._bring(step, onward))

    def _begun(self, commands: Sequence[RunCommand], words: str) -> CommandStep:
        """A step in the history; of a gesture, the one that there is already."""
        text = words or commands[0].words(self._loader.signals.scenario)
        subject = commands[0].subject if len(commands) == 1 else ""
        with self._counting:
            step = self._history.push(CommandStep(text, subject, self), sure=False)
            assert isinstance(step, CommandStep)
            step.waiting += 1
        return step

    # on the simulation's thread

    def _carry_out(self, command: RunCommand, step: CommandStep | None) -> None:
        before = self._loader.present
        refused = command.against_recording() if before.replay is not None else None
        if refused is not None:
            raise refused
        back = command.carry_out(self._loader)
        after = self._loader.present
        if step is None:
            return
        if after is not before and before in self._loader.runs.shelf.runs:
            step.before, step.after = step.before or before, after
        if back and step.before is None:  # else it belongs to the later run, which returns as it is
            step.back.setdefault(command.subject, back)
            step.forth[command.subject] = (command,)

    def _count(self, step: CommandStep) -> None:
        with self._counting:
            step.waiting -= 1
            if step.waiting == 0:
                (self._history.withdraw if step.empty else self._history.confirm)(step)

    def _bring(self, step: CommandStep, onward: bool) -> None:
        run = step.after if onward else step.before
        try:
            if run is not None and not self._loader.bring(run):
                self._history.withdraw(step)
                return
            if onward:
                changes = [] if step.after is not None else list(step.forth.values())
            else:
                changes = list(step.back.values())[::-1]
            for commands in changes:
                for command in commands:
                    command.carry_out(self._loader)
        except InputError:
            self._history.withdraw(step)
            raise
        finally:
            self._settle()

    def _settle(self) -> None:
        """Keep the runs that undo or the end of a comparison may restore, as far as they fit."""
        steps = [step for step in self._history.steps if isinstance(step, CommandStep)]
        wanted = {run for step in steps for run in (step.before, step.after) if run is not None}
        singles = {run.single for run in (self._loader.present, *wanted) if run.single is not None}
        shelf = self._loader.runs.shelf
        kept = shelf.runs
        shelf.settle(wanted | singles)
        if shelf.runs != kept:
            self._history.changed.emit()
