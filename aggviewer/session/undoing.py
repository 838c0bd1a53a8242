"""Commands as steps that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from aggviewer.document.history import Step, UndoHistory, UndoRecorder
from aggviewer.session.run.run import return_freed_memory

if TYPE_CHECKING:
    from aggviewer.session.loader import Loader
    from aggviewer.session.log import RunCommand
    from aggviewer.session.run.run import Run

MUCH_FREED = 32 << 20
"""Bytes: when at least so many have left the shelf, the system gets them back. That takes milliseconds, so less is left
to the C library."""

Post = Callable[[Callable[[], None]], None]
"""Leaves a call for another thread."""


@dataclass(eq=False)
class StepOutcome:
    """What the commands of a step have changed: another run, values while it goes on, or both. The simulation's thread
    writes it.

    Attributes
    ----------
    before, after : the previous and the new run, both None if unchanged.
    back, forth : the commands that undo and redo changes of a run that goes on, by their subject.
    """

    before: Run | None = None
    after: Run | None = None
    back: dict[str, Sequence[RunCommand]] = field(default_factory=dict)
    forth: dict[str, Sequence[RunCommand]] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether the commands have changed nothing."""
        return self.before is None and not self.back


class CommandStep(Step):
    """One or more commands. It is added to the history as soon as they are given.

    Parameters
    ----------
    text, subject : see `Step`.
    undoing : undoes it and does it again.

    Attributes
    ----------
    outcome : what they have changed, as far as they have been carried out.
    waiting : how often commands were given that are not yet carried out.
    """

    def __init__(self, text: str, subject: str, undoing: Undoing) -> None:
        super().__init__(text, subject)
        self._undoing = undoing
        self.outcome = StepOutcome()
        self.waiting = 0

    def undo(self) -> None:
        """Have the worker restore what was before this step."""
        self._undoing.restore(self, onward=False)

    def redo(self) -> None:
        """Have the worker restore what was after this step."""
        self._undoing.restore(self, onward=True)

    @property
    def undo_note(self) -> str:
        """A remark before undoing it, usually ""."""
        return _note(self.outcome.before)

    @property
    def redo_note(self) -> str:
        """A remark before redoing it, usually ""."""
        return _note(self.outcome.after)


def _note(run: Run | None) -> str:
    return "the earlier run is no longer in memory and starts again" if run is not None and run.lost else ""


class Undoing(UndoRecorder):
    """Has commands carried out, adds them to the history, and undoes them. Commands are given on the thread that owns
    the history, which alone changes it; the simulation's thread carries them out, and leaves a call for the owner.

    A run and its log go on when a value is undone: the log gets the command that sets the earlier value. Where a
    command has put another run in place of the present one, the earlier run returns with its own log.

    Parameters
    ----------
    loader : what commands change.
    history : gets the steps.
    post, post_at_once : leave a call for the simulation's thread; the second one interrupts long work there.
    post_to_owner : leaves a call for the thread that owns the history.

    Attributes
    ----------
    kept_bytes : of the earlier runs that are kept in memory, as the owner of the history knows it.
    """

    def __init__(
        self, loader: Loader, history: UndoHistory, post: Post, post_at_once: Post, post_to_owner: Post
    ) -> None:
        self._loader = loader
        self._history = history
        self._post = post
        self._post_at_once = post_at_once
        self._post_to_owner = post_to_owner
        self._kept_runs: tuple[Run, ...] = ()
        self.kept_bytes = 0

    def queue(self, *commands: RunCommand, words: str = "", before: Callable[[], None] = lambda: None) -> None:
        """Have commands carried out, in order, as one step.

        words : the name of the step; "" for that of the first command. before : called on the simulation's
        thread before the commands.
        """
        step = None if self._silent else self._new_step(commands, words)

        def carry_out_step() -> None:
            before()
            try:
                for command in commands:
                    self._carry_out(command, None if step is None else step.outcome)
            finally:
                self._post_to_owner(partial(self._on_carried_out, step))

        (self._post_at_once if any(one.at_once for one in commands) else self._post)(carry_out_step)

    def restore(self, step: CommandStep, *, onward: bool) -> None:
        """Restore what was before or after a step."""
        self._post_at_once(lambda: self._restore(step, onward))

    def _new_step(self, commands: Sequence[RunCommand], words: str) -> CommandStep:
        """A step in the history; of a gesture, the one that there is already."""
        text = words or commands[0].words(self._loader.signals.scenario)
        subject = commands[0].subject if len(commands) == 1 else ""
        step = self._history.push(CommandStep(text, subject, self), sure=False)
        assert isinstance(step, CommandStep)
        step.waiting += 1
        return step

    def _on_carried_out(self, step: CommandStep | None) -> None:
        """Keep a step only if it has changed something."""
        if step is not None:
            step.waiting -= 1
            if step.waiting == 0:
                (self._history.withdraw if step.outcome.empty else self._history.confirm)(step)
        self._keep_needed_runs()

    def _on_failed(self, step: CommandStep) -> None:
        """A step could not be undone, or done again."""
        self._history.withdraw(step)
        self._keep_needed_runs()

    def _keep_needed_runs(self) -> None:
        """Have those runs kept that the steps need."""
        steps = self._history.steps
        self._post(partial(self._keep_runs, [step.outcome for step in steps if isinstance(step, CommandStep)]))

    # on the simulation's thread

    def _carry_out(self, command: RunCommand, outcome: StepOutcome | None) -> None:
        before = self._loader.present
        refused = command.against_recording() if before.replay is not None else None
        if refused is not None:
            raise refused
        back = command.carry_out(self._loader)
        after = self._loader.present
        if outcome is None:
            return
        if after is not before and before in self._loader.runs.shelf.runs:
            outcome.before, outcome.after = outcome.before or before, after
        if back and outcome.before is None:  # otherwise the change is a part of the later run
            outcome.back.setdefault(command.subject, back)
            outcome.forth[command.subject] = (command,)

    def _restore(self, step: CommandStep, onward: bool) -> None:
        outcome, done = step.outcome, False
        run = outcome.after if onward else outcome.before
        try:
            if run is not None and not self._loader.restore(run):
                return
            if onward:
                given = [] if outcome.after is not None else list(outcome.forth.values())
            else:
                given = list(outcome.back.values())[::-1]
            for commands in given:
                for command in commands:
                    command.carry_out(self._loader)
            done = True
        finally:
            self._post_to_owner(self._keep_needed_runs if done else partial(self._on_failed, step))

    def _keep_runs(self, outcomes: Sequence[StepOutcome]) -> None:
        """Keep the runs that undo or the end of a comparison may restore, as far as they fit."""
        wanted = {run for outcome in outcomes for run in (outcome.before, outcome.after) if run is not None}
        compared_runs = {run.compared_from for run in (self._loader.present, *wanted) if run.compared_from is not None}
        shelf = self._loader.runs.shelf
        before = shelf.nbytes
        shelf.keep_only(wanted | compared_runs)
        if before - shelf.nbytes >= MUCH_FREED:
            return_freed_memory()
        self._post_to_owner(partial(self._on_kept, shelf.runs, shelf.nbytes))

    def _on_kept(self, runs: tuple[Run, ...], size: int) -> None:
        """Remember what is kept now; if it has changed, the names of the steps may say something else."""
        if (runs, size) != (self._kept_runs, self.kept_bytes):
            self._kept_runs, self.kept_bytes = runs, size
            self._history.changed.emit()
