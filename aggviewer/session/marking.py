"""Tells the document which discs run, and changes what belongs to these: selection, hidden discs and marks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from psygnal import Signal

from aggviewer.document.document import Document
from aggviewer.document.registry import FieldPath, FieldValues
from aggviewer.document.run import MAX_TEXT, MOST_MARKS, Mark, RunMarks, RunModel
from aggviewer.document.view import ViewModel
from aggviewer.session.data import DiscSet
from aggviewer.session.saved.state import SessionState
from aggviewer.session.undoing import Post
from engine.errors import InputError
from engine.plotting.projection import WHOLE, first_turn
from engine.selection import Selection
from engine.system import gravity_of, system_of

_MARKS: FieldPath = (RunModel.namespace, "marks")
_CAMERA: FieldPath = (RunModel.namespace, "camera")
_TURN: FieldPath = (ViewModel.namespace, "turn")
_SLAB: FieldPath = (ViewModel.namespace, "slab")


class Announcer:
    """Announces new discs to a document, whose owner then lets it follow them. Belongs to the simulation's thread.

    New discs start without marks; if the box has another size, the picture shows all of it. A box in space stays turned
    and cut by its slab as it is, unless another scenario is opened: that is seen whole, and gravity points down.

    Parameters
    ----------
    document : the document.
    post_to_owner : leaves a call for the thread that owns it.
    """

    def __init__(self, document: Document, post_to_owner: Post) -> None:
        self._document, self._post_to_owner = document, post_to_owner
        self._disc_set: DiscSet | None = None
        self._opened: SessionState | None = None  # a session, whose discs come next
        self._is_new_start = False

    def announce(self, disc_set: DiscSet) -> None:
        """Tell the document that these discs are simulated from now on."""
        begin = partial(_begin, self._disc_set, disc_set, self._opened, self._is_new_start)
        self._disc_set, self._opened, self._is_new_start = disc_set, None, False
        self._document.expect(disc_set, begin)
        self._post_to_owner(self._document.follow_next)

    def expect_new_start(self) -> None:
        """The next discs are those of another scenario or recording: they are shown as if it were opened for the first
        time."""
        self._is_new_start = True

    def expect_session(self, state: SessionState) -> None:
        """The next discs are those of an opened session, which brings their marks."""
        self._opened = state


def _begin(
    before: DiscSet | None, disc_set: DiscSet, opened: SessionState | None, anew: bool, now: FieldValues
) -> FieldValues | None:
    """Initial values for new discs, from those of the discs before; None if the discs are the same. opened : the
    session that they come from; anew : see `Announcer.expect_new_start`."""
    if opened is not None:
        saved = opened.document.values
        return {**saved, _MARKS: saved.get(_MARKS, RunMarks.none(0)).of_count(disc_set.count)}
    first_seen = {_TURN: first_turn(gravity_of(disc_set.scenario)), _SLAB: WHOLE}
    if before is not None and _same_discs(before, disc_set):
        return {**now, **first_seen} if anew else None
    same_box = before is None or np.array_equal(before.box, disc_set.box)
    begin = {_MARKS: RunMarks.none(disc_set.count), _CAMERA: now[_CAMERA] if same_box else None}
    if anew or (before is None and now[_TURN] == first_turn()):
        return {**begin, **first_seen}
    # in the plane there is no slab, nor a way to end it
    return {**begin, _TURN: now[_TURN], _SLAB: now[_SLAB] if len(disc_set.box) > 2 else WHOLE}


class Marking:
    """Changes the `RunMarks` of the discs that a document follows, on the thread that owns it.

    changed : emitted after every change of the marks.
    """

    changed = Signal()

    def __init__(self, document: Document) -> None:
        self._document = document
        document.run.events.marks.connect(self._on_changed)

    @property
    def value(self) -> RunMarks:
        """Selection, hidden discs and marks as they are now."""
        return self._document.run.marks

    def _on_changed(self) -> None:
        self.changed.emit()

    # discs

    def select(self, selected: Selection) -> None:
        """Select only these discs. Does nothing if they belong to another set of discs."""
        self._set(lambda now: replace(now, selected=selected))

    def hide(self, hidden: Selection) -> None:
        """Hide only these discs. Does nothing if they belong to another set of discs."""
        self._set(lambda now: replace(now, hidden=hidden))

    # measurements and notes

    def add(self, mark: Mark) -> int:
        """Append a mark and return its index. InputError if there are too many."""
        if len(self.value.marks) >= MOST_MARKS:
            raise InputError(f"no more than {MOST_MARKS} marks are possible; delete some first")
        self._set_marks(lambda marks: (*marks, mark))
        return len(self.value.marks) - 1

    def change(self, place: int, mark: Mark) -> None:
        """Replace a mark."""
        if place < len(self.value.marks):
            self._set_marks(lambda marks: (*marks[:place], mark, *marks[place + 1 :]))

    def rename(self, place: int, text: str) -> None:
        """Change the name of a mark or the text of a note, cut after `MAX_TEXT` characters."""
        self.change(place, self.value.marks[place].model_copy(update={"text": " ".join(text.split())[:MAX_TEXT]}))

    def remove(self, place: int) -> None:
        """Remove a mark."""
        if place < len(self.value.marks):
            self._set_marks(lambda marks: (*marks[:place], *marks[place + 1 :]))

    def clear_marks(self) -> None:
        """Remove all measurements and notes."""
        self._set_marks(lambda _: ())

    def _set_marks(self, change: Callable[[tuple[Mark, ...]], tuple[Mark, ...]]) -> None:
        self._set(lambda now: replace(now, marks=change(now.marks)))

    def _set(self, change: Callable[[RunMarks], RunMarks]) -> None:
        """Change the value in an undoable step."""
        before, after = self.value, change(self.value)
        if after != before and after.selected.count == after.hidden.count == before.count:
            self._document.run.marks = after


def _same_discs(one: DiscSet, other: DiscSet) -> bool:
    """Whether two runs start with the same discs."""
    if one.count != other.count or one.scenario.system != other.scenario.system:
        return False
    return one.scenario.first_difference(other.scenario, apart_from=system_of(one.scenario).table) is None
