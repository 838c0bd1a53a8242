"""What can be undone and redone: a stack of steps with names, whatever a step does."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from psygnal import Signal

MOST_STEPS = 200
"""Steps that are remembered; beyond that the oldest are forgotten."""


class Step(ABC):
    """Something that was done and can be undone.

    Parameters
    ----------
    text : what it was, for "Undo restart" and "Redo restart".
    subject : what it has changed. Two steps of one gesture with the same subject, such as the many values of one drag,
        become one.

    Attributes
    ----------
    also : steps that belong to this one, and are undone and redone with it.
    """

    def __init__(self, text: str, subject: str = "") -> None:
        self.text = text
        self.subject = subject
        self.also: list[Step] = []

    @abstractmethod
    def undo(self) -> None:
        """Bring back what was before."""

    @abstractmethod
    def redo(self) -> None:
        """Bring back what was after."""

    def absorb(self, newer: Step) -> None:
        """Become one step with a newer one of the same gesture. What was before stays this step's."""
        self.text = newer.text

    @property
    def undo_note(self) -> str:
        """What a person should know before undoing it, empty as a rule."""
        return ""

    @property
    def redo_note(self) -> str:
        """What a person should know before redoing it, empty as a rule."""
        return ""


class History:
    """The steps that were done, and those that were undone. From any thread; steps are undone on the caller's.

    changed : emitted after every change. gesture : number of the press of a key or mouse button that is going on; None
    where nobody counts them, and then no two steps become one.
    """

    changed = Signal()

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._done: list[Step] = []
        self._undone: list[Step] = []
        self._cut: dict[Step, list[Step]] = {}  # of steps that are not sure yet: what could be redone before
        self._mark: tuple[Step, int] | None = None  # the newest step, and the gesture that it was made in
        self._attaching = False
        self.gesture: int | None = None

    def begin_gesture(self) -> None:
        """A key or a mouse button went down: what follows is another step than what was before."""
        self.gesture = (self.gesture or 0) + 1

    def push(self, step: Step, *, sure: bool = True) -> Step:
        """Something was done. Returns the step that stands for it: this one, or an older one of the same gesture.

        sure : it has been done; else `confirm` or `withdraw` follows.
        """
        with self._lock:
            top = self._done[-1] if self._done else None
            if self._attaching and top is not None:
                top.also.append(step)
                return step
            if top is not None and self._is_more_of(top, step):
                top.absorb(step)
                step = top
            else:
                self._done.append(step)
                del self._done[:-MOST_STEPS]
                if not sure:
                    self._cut[step] = self._undone
                self._undone = []
                self._mark = None if self.gesture is None else (step, self.gesture)
        self.changed.emit()
        return step

    def _is_more_of(self, top: Step, step: Step) -> bool:
        same = type(top) is type(step) and top.subject == step.subject != ""
        return same and self.gesture is not None and self._mark == (top, self.gesture)

    @contextmanager
    def attached(self) -> Iterator[None]:
        """What is pushed meanwhile belongs to the newest step."""
        self._attaching = True
        try:
            yield
        finally:
            self._attaching = False

    def confirm(self, step: Step) -> None:
        """A step that was pushed with `sure` False has been done."""
        with self._lock:
            self._cut.pop(step, None)

    def withdraw(self, step: Step) -> None:
        """A step has changed nothing, and is removed. What could be redone before it can be redone again, unless
        something else was done since."""
        with self._lock:
            cut = self._cut.pop(step, [])
            if step in self._done:
                place = self._done.index(step)
                self._done.remove(step)
                if place == len(self._done):
                    self._undone = self._undone or cut
                elif self._done[place] in self._cut:  # not sure yet either
                    self._cut[self._done[place]] = cut
            elif step in self._undone:
                self._undone.remove(step)
        self.changed.emit()

    def undo(self) -> None:
        """Undo the newest step that is done, if there is one."""
        with self._lock:
            if not self._done:
                return
            step = self._done.pop()
            self._undone.append(step)
            self._mark = None
        for part in reversed(step.also):
            part.undo()
        step.undo()
        self.changed.emit()

    def redo(self) -> None:
        """Redo the step that was undone last, if there is one."""
        with self._lock:
            if not self._undone:
                return
            step = self._undone.pop()
            self._done.append(step)
            self._mark = None
        step.redo()
        for part in step.also:
            part.redo()
        self.changed.emit()

    def is_newest(self, step: Step) -> bool:
        """Whether this is what would be undone, and nothing was undone since it was done."""
        with self._lock:
            return bool(self._done) and self._done[-1] is step and not self._undone

    @property
    def steps(self) -> tuple[Step, ...]:
        """All that may be undone or redone: those that are done, the newest last, then those that were undone."""
        with self._lock:
            cut = [step for steps in self._cut.values() for step in steps]
            return (*self._done, *reversed(self._undone), *cut)

    @property
    def undo_text(self) -> str:
        """What would be undone: "Undo restart"; empty where there is nothing."""
        with self._lock:
            return _named("Undo", self._done[-1].text, self._done[-1].undo_note) if self._done else ""

    @property
    def redo_text(self) -> str:
        """What would be redone; empty where there is nothing."""
        with self._lock:
            return _named("Redo", self._undone[-1].text, self._undone[-1].redo_note) if self._undone else ""


def _named(verb: str, text: str, note: str) -> str:
    return f"{verb} {text} ({note})" if note else f"{verb} {text}"
