"""Commands that change the run, as undoable steps."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from aggviewer.document.history import Step, UndoHistory, Unrecorded
from aggviewer.session.load.loader import Loader
from aggviewer.session.load.runs import Run
from aggviewer.session.load.tuning import RunTuning, Tuned
from engine.scenario import fields

if TYPE_CHECKING:
    from engine.scenario import Scenario

_MOST_NAMED = 2  # changes that are named one by one

Post = Callable[[Callable[[], None]], None]
"""Leaves a command for the simulation's thread."""


class RunStep(Step):
    """The change made by a command: another run, new values of live keys, or both. It is added to the history as soon
    as the command is given, and filled in when the simulation's thread has carried it out.

    Parameters
    ----------
    text, subject : see `Step`.
    carry_out : undoes a step (False) or redoes it (True).

    Attributes
    ----------
    before, after : the previous and the new run, both None if unchanged.
    tuned : values before and after, by key.
    waiting : number of commands not yet carried out.
    """

    def __init__(self, text: str, subject: str, carry_out: Callable[[RunStep, bool], None]) -> None:
        super().__init__(text, subject)
        self.before: Run | None = None
        self.after: Run | None = None
        self.tuned: dict[str, tuple[Tuned, Tuned]] = {}
        self.waiting = 0
        self._carry_out = carry_out

    @property
    def empty(self) -> bool:
        """Nothing has changed."""
        return self.before is None and not self.tuned

    def undo(self) -> None:
        """Tell the worker to restore the run before this step."""
        self._carry_out(self, False)

    def redo(self) -> None:
        """Tell the worker to restore the run after this step."""
        self._carry_out(self, True)

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
    """Adds changes by commands to the history, and undoes them. `command` may be called on any thread.

    Parameters
    ----------
    loader, tuning : report changes, and restore earlier states.
    history : gets the steps.
    post, post_at_once : queue a command for the simulation's thread; the second one interrupts long work there.
    """

    def __init__(self, loader: Loader, tuning: RunTuning, history: UndoHistory, post: Post, post_at_once: Post) -> None:
        self._loader = loader
        self._tuning = tuning
        self._history = history
        self._post = post
        self._post_at_once = post_at_once
        self._together = ""
        self._counting = threading.Lock()
        self._step: RunStep | None = None  # what the command that is carried out belongs to
        loader.replaced = self._on_replaced
        tuning.tuned = self._on_tuned

    def command(self, text: str, do: Callable[[], object], subject: str = "", *, at_once: bool = True) -> None:
        """Carry out `do` as one undoable step. text, subject : see `Step`."""
        post = self._post_at_once if at_once else self._post
        if self._silent:
            post(lambda: self._without_step(do))
            return
        if self._together:
            text, subject = self._together, f"together: {self._together}"
        with self._counting:
            step = self._history.push(RunStep(text, subject, self._go), sure=False)
            assert isinstance(step, RunStep)
            step.waiting += 1

        def carry_out() -> None:
            self._step = step
            try:
                do()
            finally:
                self._step = None
                with self._counting:
                    step.waiting -= 1
                    if step.waiting == 0:
                        (self._history.withdraw if step.empty else self._history.confirm)(step)
                self._settle()

        post(carry_out)

    @contextmanager
    def as_one_step(self, text: str) -> Iterator[None]:
        """Context in which all commands form one step."""
        self._together = text
        try:
            yield
        finally:
            self._together = ""

    # on the simulation's thread

    def _without_step(self, do: Callable[[], object]) -> None:
        try:
            do()
        finally:
            self._settle()

    def _on_replaced(self, before: Run, after: Run) -> None:
        step = self._step
        if step is not None:
            step.before = step.before or before
            step.after = after

    def _on_tuned(self, before: Tuned, after: Tuned) -> None:
        step = self._step
        if step is not None and before != after:
            step.tuned[after.key] = (step.tuned[after.key][0] if after.key in step.tuned else before, after)

    def _go(self, step: RunStep, onward: bool) -> None:
        """Restore the run before or after a step."""
        self._post_at_once(lambda: self._bring(step, onward))

    def _bring(self, step: RunStep, onward: bool) -> None:
        run = step.after if onward else step.before
        try:
            if run is not None and not self._loader.bring(run):
                self._history.withdraw(step)
                return
            for before, after in step.tuned.values():
                self._tuning.set_back(after if onward else before)
        finally:
            self._settle()

    def _settle(self) -> None:
        """Keep the runs that undo or the end of a comparison may restore, as far as they fit."""
        steps = [step for step in self._history.steps if isinstance(step, RunStep)]
        wanted = {run for step in steps for run in (step.before, step.after) if run is not None}
        singles = {run.single for run in (self._loader.run, *wanted) if run is not None and run.single is not None}
        shelf = self._loader.shelf
        kept = shelf.runs
        shelf.settle(wanted | singles)
        if shelf.runs != kept:
            self._history.changed.emit()


def change_of_key(key: str, value: Any) -> str:
    """A key of a scenario with its value: "N = 500", "Arrangement: Random"."""
    field = fields().get(key)
    if field is None:  # the command will be refused
        return key
    if isinstance(value, str) and value in field.choices:
        return f"{field.label}: {field.choices[value]}"
    if isinstance(value, bool):
        return f"{field.label} {'on' if value else 'off'}"
    name = field.label if "_" in field.symbol else field.symbol or field.label  # menus have no subscripts
    return f"{name} = {_value(value)}"


def change_of_scenario(before: Scenario | None, now: Scenario) -> str:
    """Describe the changes by another scenario: one or two values, or their number."""
    if before is None:
        return "opening"
    changed = [key for key in fields() if now.value(key) != before.value(key)]
    if not changed:
        return "restart"
    if changed == ["seed"]:
        return "new seed"
    if len(changed) > _MOST_NAMED:
        return f"{len(changed)} parameters"
    return ", ".join(change_of_key(key, now.value(key)) for key in changed)


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_value(one) for one in value)
    return "none" if value is None else str(value)
