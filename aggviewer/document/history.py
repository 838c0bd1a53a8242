"""Undo and redo: a stack of named steps, of any kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from psygnal import Signal

MOST_STEPS = 200
"""The most steps that are remembered; older ones are dropped."""


class UndoRecorder:
    """Base of classes that record undo steps, unless recording is off."""

    _silent = False

    @contextmanager
    def unrecorded(self) -> Iterator[None]:
        """Within the context, changes and commands are not recorded and cannot be undone."""
        before, self._silent = self._silent, True
        try:
            yield
        finally:
            self._silent = before


class Step(ABC):
    """Something that was done and can be undone.

    Parameters
    ----------
    text : its name, for "Undo restart" and "Redo restart".
    subject : what it changed. Steps of one gesture with the same subject, such as the many values of one drag, are
        merged.

    Attributes
    ----------
    also : steps that are undone and redone together with this one.
    keeps_redo : whether what was undone before it can still be redone.
    """

    def __init__(self, text: str, subject: str = "", *, keeps_redo: bool = False) -> None:
        self.text = text
        self.subject = subject
        self.keeps_redo = keeps_redo
        self.also: list[Step] = []

    @abstractmethod
    def undo(self) -> None:
        """Restore what was before."""

    @abstractmethod
    def redo(self) -> None:
        """Restore what was after."""

    def absorb(self, newer: Step) -> None:
        """Merge with a newer step of the same gesture; the state before is that of this step."""
        self.text = newer.text

    @property
    def undo_note(self) -> str:
        """A note to show before undoing it, usually empty."""
        return ""

    @property
    def redo_note(self) -> str:
        """A note to show before redoing it, usually empty."""
        return ""


class _Pile:
    """The steps that can be undone and redone, and those not yet confirmed."""

    def __init__(self) -> None:
        self.done: list[Step] = []
        self.undone: list[Step] = []
        self.cut: dict[Step, list[Step]] = {}  # the steps that could be redone before each unconfirmed step

    def push(self, step: Step, *, sure: bool) -> None:
        """Add a step. What was undone before can no longer be redone, except after a step that keeps it: then only
        what would set the same again is lost."""
        self.done.append(step)
        del self.done[:-MOST_STEPS]
        if not sure:
            self.cut[step] = self.undone
        kept = self.undone if step.keeps_redo else []
        self.undone = [one for one in kept if not (one.keeps_redo and one.subject == step.subject)]

    def withdraw(self, step: Step) -> None:
        """Remove a step that changed nothing; the steps that could be redone before it can be redone again."""
        cut = self.cut.pop(step, [])
        if step in self.done:
            place = self.done.index(step)
            self.done.remove(step)
            after = next((one for one in self.done[place:] if not one.keeps_redo), None)
            if after is None:
                self.undone = self.undone or cut
            elif after in self.cut:  # not confirmed yet either
                self.cut[after] = cut
        elif step in self.undone:
            self.undone.remove(step)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that can be undone, the newest last, then those that can be redone."""
        cut = [step for steps in self.cut.values() for step in steps]
        return (*self.done, *reversed(self.undone), *cut)


class UndoHistory:
    """The steps that were done and those that were undone. It changes on the thread that owns the document alone.

    changed : emitted after every change of the steps or their names.
    gesture : the number of the present key or mouse press; None if they are not counted, and then no steps are merged.
    """

    changed = Signal()

    def __init__(self) -> None:
        self._pile = _Pile()
        self._aside: _Pile | None = None  # see `set_aside`
        self._mark: tuple[Step, int] | None = None  # the newest step, and the number of its gesture
        self._attaching = False
        self.gesture: int | None = None

    def begin_gesture(self) -> None:
        """A key or mouse button was pressed: later changes are a new step."""
        self.gesture = (self.gesture or 0) + 1

    def push(self, step: Step, *, sure: bool = True) -> Step:
        """Record a step. Returns the recorded step: this one, or an older one of the same gesture into which it was
        merged.

        sure : whether it is confirmed; else `confirm` or `withdraw` follows.
        """
        pile = self._pile
        top = pile.done[-1] if pile.done else None
        if self._attaching and top is not None:
            top.also.append(step)
            return step
        if top is not None and self._is_more_of(top, step):
            text = top.text
            top.absorb(step)
            if top.text == text:
                return top  # merged, as are the moves of a drag, sixty a second
            step = top
        else:
            pile.push(step, sure=sure)
            self._mark = None if self.gesture is None else (step, self.gesture)
        self.changed.emit()
        return step

    def _is_more_of(self, top: Step, step: Step) -> bool:
        same = type(top) is type(step) and top.subject == step.subject != ""
        return same and self.gesture is not None and self._mark == (top, self.gesture)

    @contextmanager
    def attached(self) -> Iterator[None]:
        """Within the context, pushed steps belong to the newest step."""
        self._attaching = True
        try:
            yield
        finally:
            self._attaching = False

    def confirm(self, step: Step) -> None:
        """Confirm a step that was pushed with `sure` False."""
        for pile in self._piles:
            pile.cut.pop(step, None)

    def withdraw(self, step: Step) -> None:
        """Remove a step that changed nothing. The steps that could be redone before it can be redone again, unless
        another step followed."""
        for pile in self._piles:
            pile.withdraw(step)
        self.changed.emit()

    def set_aside(self) -> None:
        """Start with an empty history; `bring_back` restores the present one."""
        if self._aside is None:
            self._aside, self._pile, self._mark = self._pile, _Pile(), None
        self.changed.emit()

    def bring_back(self) -> None:
        """Discard all steps since `set_aside` and restore the earlier ones."""
        if self._aside is not None:
            self._pile, self._aside, self._mark = self._aside, None, None
        self.changed.emit()

    def forget(self) -> None:
        """Discard all steps, except those that were set aside."""
        self._pile, self._mark = _Pile(), None
        self.changed.emit()

    def undo(self) -> None:
        """Undo the newest step, if any."""
        if not self._pile.done:
            return
        step = self._pile.done.pop()
        self._pile.undone.append(step)
        self._mark = None
        for part in reversed(step.also):
            part.undo()
        step.undo()
        self.changed.emit()

    def redo(self) -> None:
        """Redo the step that was undone last, if any."""
        if not self._pile.undone:
            return
        step = self._pile.undone.pop()
        self._pile.done.append(step)
        self._mark = None
        step.redo()
        for part in step.also:
            part.redo()
        self.changed.emit()

    @property
    def _piles(self) -> tuple[_Pile, ...]:
        return (self._pile,) if self._aside is None else (self._pile, self._aside)

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps that can be undone, the newest last, then those that can be redone, including those set aside."""
        return tuple(step for pile in self._piles for step in pile.steps)

    @property
    def newest(self) -> Step | None:
        """The step that would be undone."""
        return self._pile.done[-1] if self._pile.done else None

    @property
    def undo_text(self) -> str:
        """The name of the undo command: "Undo restart"; empty if there is nothing to undo."""
        done = self._pile.done
        return _named("Undo", done[-1].text, done[-1].undo_note) if done else ""

    @property
    def redo_text(self) -> str:
        """The name of the redo command; empty if there is nothing to redo."""
        undone = self._pile.undone
        return _named("Redo", undone[-1].text, undone[-1].redo_note) if undone else ""


def _named(verb: str, text: str, note: str) -> str:
    return f"{verb} {text} ({note})" if note else f"{verb} {text}"
