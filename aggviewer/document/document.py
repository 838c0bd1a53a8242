"""The document: the tree of all settings of the presentation, with undo."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from psygnal import Signal

from aggviewer.document.history import Step, UndoHistory, UndoRecorder
from aggviewer.document.model import DocumentModel, FieldUse, field_events, use_of, words_of
from aggviewer.document.registry import DocumentState, FieldPath, FieldValues, M, models, of_system
from aggviewer.document.run import RunModel
from aggviewer.document.view import ViewModel
from aggviewer.document.window import PaceModel, PanelsModel, PlotsModel

FirstValues = Callable[[FieldValues], FieldValues | None]
"""The values of new discs in the fields that belong to a run, from all values with the discs before. Fields that it
leaves out begin with their defaults; None: all values stay."""


@dataclass(frozen=True)
class FieldChange:
    """One field of the document that has changed, with its values before and after."""

    path: FieldPath
    before: Any
    after: Any


class Document(UndoRecorder):
    """The settings of the presentation: parts with fields, see `DocumentModel`.

    Every change goes into the undo history, whatever its source. One thread owns the document, in the window the GUI's,
    and it alone changes anything. Any thread may read it. The simulation's tells it of new discs by `expect`.

    Attributes
    ----------
    changed : emitted after each change of a field, with a `FieldChange`.
    history : what can be undone.
    view, plots, panels : how the discs are drawn, the settings of the plots, and which panels are open.
    pace, run : how fast a run is played, and the settings for the discs of the present run.
    """

    changed = Signal(FieldChange)

    def __init__(self) -> None:
        self.history = UndoHistory()
        self._parts: dict[str, DocumentModel] = {}
        self._last_told: dict[FieldPath, Any] = {}  # the value of each field at its last event
        # the discs that are followed, and all values with them
        self._now: tuple[object, dict[FieldPath, Any]] = None, {}
        self._unread: dict[str, Any] = {}
        self._of_discs: WeakKeyDictionary[Any, FieldValues] = WeakKeyDictionary()
        self._aside: tuple[DocumentState, WeakKeyDictionary[Any, FieldValues]] | None = None
        self._coming: deque[tuple[object, FirstValues]] = deque()  # the discs that will be followed next, in order
        self._group: dict[FieldPath, FieldChange] | None = None
        for model in models():
            self._add(model)
        self.view = self._part(ViewModel)
        self.plots = self._part(PlotsModel)
        self.panels = self._part(PanelsModel)
        self.pace = self._part(PaceModel)
        self.run = self._part(RunModel)

    def __getitem__(self, namespace: str) -> DocumentModel:
        """A part. KeyError if no model of that namespace is loaded."""
        return self._parts[namespace]

    @property
    def namespaces(self) -> tuple[str, ...]:
        """The names of all parts."""
        return tuple(self._parts)

    def _part(self, model: type[M]) -> M:
        part = self._parts[model.namespace]
        assert isinstance(part, model)
        return part

    def _add(self, model: type[DocumentModel]) -> None:
        namespace, part = model.namespace, model()
        for name in model.model_fields:
            self._last_told[namespace, name] = self._now[1][namespace, name] = getattr(part, name)
        self._parts[namespace] = part
        for name, event in field_events(part).items():
            event.connect(partial(self._on_change, (namespace, name)))

    # changes, and their undo

    @contextmanager
    def together(self, words: str) -> Iterator[None]:
        """Within the context, all changes are one undo step, called `words`."""
        if self._group is not None:  # inside another group: the changes are a part of its step
            yield
            return
        self._group = {}
        try:
            yield
        finally:
            group, self._group = self._group, None
            self._push(words, [change for change in group.values() if change.before != change.after])

    def _on_change(self, path: FieldPath, after: Any) -> None:
        change = FieldChange(path, self._last_told[path], after)
        self._last_told[path] = self._now[1][path] = after
        model = type(self._parts[path[0]])
        if not self._silent and self._use(path).undo and change.before != after:
            if self._group is None:
                self._push(words_of(model, path[1], change.before, after), [change])
            else:
                before = self._group.get(path, change).before
                self._group[path] = FieldChange(path, before, after)
        self.changed.emit(change)

    def _push(self, words: str, changes: list[FieldChange]) -> None:
        if changes:
            keeps_redo = all(self._use(change.path).keeps_redo for change in changes)
            self.history.push(FieldStep(words, changes, self._set_without_step, keeps_redo=keeps_redo))

    def _set_without_step(self, values: FieldValues) -> None:
        """Set fields without an undo step. Values that do not fit are ignored."""

        def fits(path: FieldPath, value: Any) -> bool:
            found = self._use(path).fits
            return found is None or found(self._last_told[path], value)

        with self.unrecorded():
            self._set(values, fits)

    def _set(self, values: FieldValues, fits: Callable[[FieldPath, Any], bool] = lambda _path, _value: True) -> None:
        """Set the fields whose values fit. Values of a plug-in that is not loaded are ignored."""
        for path, value in values.items():
            if path[0] in self._parts and self._last_told[path] != value and fits(path, value):
                setattr(self._parts[path[0]], path[1], value)

    def _use(self, path: FieldPath) -> FieldUse:
        return use_of(type(self._parts[path[0]]), path[1])

    # values that belong to a run

    def expect(self, discs: object, begin: FirstValues) -> None:
        """Tell the document that these discs have begun, or are back. Its owner then calls `follow_next`. On the
        simulation's thread.

        discs : an object that stands for them (`DiscSet`); remembered as long as it lives.
        begin : their first values. Discs that are back have those that they had.
        """
        self._coming.append((discs, begin))

    def follow_next(self) -> None:
        """Follow the first of the discs that are expected: the fields that belong to a run get the values that these
        discs had or begin with. Not an undo step."""
        discs, begin = self._coming[0]
        before, values = self._now
        if before is not None:
            self._of_discs[before] = self._by_run
        after = self._for_discs(values, self._of_discs.get(discs), begin)
        self._now = discs, after  # replaced as a whole, so that other threads never see a half
        self._coming.popleft()
        with self.unrecorded():
            self._set({path: after[path] for path in self._by_run})

    def _for_discs(self, values: FieldValues, kept: FieldValues | None, begin: FirstValues) -> dict[FieldPath, Any]:
        """The values of all fields for other discs, made from those for the present ones.

        kept : values that the other discs had before.
        """
        found = begin(values) if kept is None else kept
        if found is None:
            return dict(values)
        return {**values, **{path: found.get(path, self._default(path)) for path in self._by_run}}

    def _default(self, path: FieldPath) -> Any:
        return type(self._parts[path[0]]).model_fields[path[1]].get_default(call_default_factory=True)

    @property
    def _by_run(self) -> dict[FieldPath, Any]:
        return {path: value for path, value in self._last_told.items() if self._use(path).by_run}

    # save and restore

    @property
    def state(self) -> DocumentState:
        """The present values of all fields, as a copy. Any thread may ask for it."""
        discs, values = self._now
        return DocumentState(values.copy(), self._unread.copy(), discs)

    @property
    def own(self) -> DocumentState:
        """The user's own values, also while a lesson has set them aside. Any thread."""
        aside = self._aside
        return self.state if aside is None else aside[0]

    def state_of(self, discs: object, *, own: bool = False) -> DocumentState:
        """All values, with those that belong to a run as they are for these discs; or as they were, or will be if they
        are expected. Any thread.

        own : the user's own values, see `own`.
        """
        coming = tuple(self._coming)  # before the values: discs that are followed meanwhile are in both
        aside = self._aside if own else None
        state, kept = (self.state, self._of_discs) if aside is None else aside
        if state.discs is not discs and discs in kept:
            return replace(state, values={**state.values, **kept[discs]}, discs=discs)
        for other, begin in coming:
            if state.discs is not discs:
                values = self._for_discs(state.values, kept.get(other), begin)
                state = replace(state, values=values, discs=other)
        return state

    @property
    def is_own(self) -> bool:
        """Whether the present values are the user's own, and not those of a lesson."""
        return self._aside is None

    def restore(self, state: DocumentState, system: str = "") -> None:
        """Set fields to the values of a state; other fields stay as they are. This is an ordinary change, usually made
        within `unrecorded` or `together`. Values that belong to other discs are ignored.

        system : for the state of a session file, the system of its run. In fields that are kept by system, the entries
            of other systems stay.
        """
        values = dict(state.values)
        for path in values if system else ():
            if path[0] in self._parts and self._use(path).by_system:
                now, others = self._last_told[path], dict(self._last_told[path])
                for key in of_system(now, system):
                    del others[key]
                values[path] = others | dict(values[path])
        self._unread = dict(state.unread) if system else self._unread
        same = state.discs is self._now[0] is not None
        self._set(values, lambda path, _value: same or not self._use(path).by_run)

    def set_aside(self) -> None:
        """Set the user's values and undo steps aside until `bring_back`: later changes, such as those of a lesson,
        affect a copy. Does nothing if they are already set aside."""
        if self._aside is None:
            of_discs, discs = WeakKeyDictionary(self._of_discs), self._now[0]
            if discs is not None:
                of_discs[discs] = self._by_run
            self._aside = self.state, of_discs
            self.history.set_aside()

    def bring_back(self) -> None:
        """Restore the user's values and undo steps; later changes are discarded."""
        if self._aside is None:
            return
        own, self._of_discs = self._aside
        discs, values = self._now
        same = own.discs is discs is not None
        back = {path: value for path, value in own.values.items() if same or not self._use(path).by_run}
        self._now, self._aside = (discs, {**values, **back}), None
        self.history.bring_back()
        with self.unrecorded():
            self._set(back)

    @property
    def layout(self) -> DocumentState:
        """The values that are restored when presenter mode ends."""
        values = {path: value for path, value in self._last_told.items() if self._use(path).layout}
        return DocumentState(values, discs=self._now[0])


class FieldStep(Step):
    """An undo step for changes of fields.

    set_without_step(values) : sets fields without another undo step.
    """

    def __init__(
        self, words: str, changes: list[FieldChange], set_without_step: Any, *, keeps_redo: bool = False
    ) -> None:
        super().__init__(words, " ".join(".".join(change.path) for change in changes), keeps_redo=keeps_redo)
        self._before = {change.path: change.before for change in changes}
        self._after = {change.path: change.after for change in changes}
        self._set_without_step = set_without_step

    def undo(self) -> None:
        """Restore the values from before."""
        self._set_without_step(self._before)

    def redo(self) -> None:
        """Restore the values from after."""
        self._set_without_step(self._after)

    def absorb(self, newer: Step) -> None:
        """Merge with a newer step of the same gesture that changed the same fields."""
        super().absorb(newer)
        assert isinstance(newer, FieldStep)
        self._after = newer._after
