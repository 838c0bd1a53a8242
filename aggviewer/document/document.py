"""The document: the tree of all settings of the presentation, with undo."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from psygnal import Signal

from aggviewer.document.history import Step, UndoHistory, Unrecorded
from aggviewer.document.model import DocumentModel, FieldUse, field_events, use_of, words_of
from aggviewer.document.pace import PaceModel
from aggviewer.document.panels import PanelsModel
from aggviewer.document.plots import PlotsModel
from aggviewer.document.registry import models
from aggviewer.document.run import RunModel
from aggviewer.document.state import DocumentState, FieldPath, Model, of_system
from aggviewer.document.view import ViewModel


@dataclass(frozen=True)
class FieldChange:
    """A change of a field of the document."""

    path: FieldPath
    before: Any
    after: Any


class Document(Unrecorded):
    """The settings of the presentation: parts with fields, see `DocumentModel`.

    Every change goes into the undo history, whatever its source. The document belongs to the GUI thread; `state` and
    `own` may be read on any thread, and `follow` is called on the simulation's.

    Attributes
    ----------
    changed : emitted after each change of a field, with a `FieldChange`.
    history : what can be undone.
    view, plots, panels : how the discs are drawn, the settings of the plots, and which panels are open.
    pace, run : how fast a run is played, and the settings for the discs of the present run.
    lock : held while other discs are followed; for code that reads a value of `run` and then sets it.
    """

    changed = Signal(FieldChange)

    def __init__(self) -> None:
        self.history = UndoHistory()
        self._parts: dict[str, DocumentModel] = {}
        self._values: dict[FieldPath, Any] = {}  # the values of all fields before the next change
        self._unread: dict[str, Any] = {}
        self._aside: DocumentState | None = None
        self._group: dict[FieldPath, FieldChange] | None = None
        self.lock = threading.RLock()
        self._run: object = None
        self._of_runs: WeakKeyDictionary[Any, Mapping[FieldPath, Any]] = WeakKeyDictionary()
        self._of_runs_aside = self._of_runs
        self._follows_on: int | None = None  # the thread that is in `follow`
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

    def _part(self, model: type[Model]) -> Model:
        part = self._parts[model.namespace]
        assert isinstance(part, model)
        return part

    def _add(self, model: type[DocumentModel]) -> None:
        namespace, part = model.namespace, model()
        for name in model.model_fields:
            self._values[namespace, name] = getattr(part, name)
        self._parts[namespace] = part
        for name, event in field_events(part).items():
            event.connect(partial(self._on_change, (namespace, name)))

    # changes, and their undo

    @contextmanager
    def together(self, words: str) -> Iterator[None]:
        """Within the context, all changes are one undo step, called `words`."""
        if self._group is not None:  # nested in another one: part of its step
            yield
            return
        self._group = {}
        try:
            yield
        finally:
            group, self._group = self._group, None
            self._push(words, [change for change in group.values() if change.before != change.after])

    def _on_change(self, path: FieldPath, after: Any) -> None:
        change = FieldChange(path, self._values[path], after)
        self._values[path] = after
        model = type(self._parts[path[0]])
        silent = self._silent or self._follows_on == threading.get_ident()
        if not silent and self._use(path).undo and change.before != after:
            if self._group is None:
                self._push(words_of(model, path[1], change.before, after), [change])
            else:
                before = self._group.get(path, change).before
                self._group[path] = FieldChange(path, before, after)
        self.changed.emit(change)

    def _push(self, words: str, changes: list[FieldChange]) -> None:
        if changes:
            keeps_redo = all(self._use(change.path).keeps_redo for change in changes)
            self.history.push(FieldStep(words, changes, self._give, keeps_redo=keeps_redo))

    def _give(self, values: Mapping[FieldPath, Any]) -> None:
        """Set fields without an undo step. Values that do not fit are ignored."""

        def fits(path: FieldPath, value: Any) -> bool:
            found = self._use(path).fits
            return found is None or found(self._values[path], value)

        with self.unrecorded():
            self._set(values, fits)

    def _set(self, values: Mapping[FieldPath, Any], fits: Callable[[FieldPath, Any], bool]) -> None:
        """Set the fields whose values fit. Values of a plug-in that is not loaded are ignored."""
        for path, value in values.items():
            if path[0] in self._parts:
                with self.lock if self._use(path).by_run else nullcontext():
                    if self._values[path] != value and fits(path, value):
                        setattr(self._parts[path[0]], path[1], value)

    def _use(self, path: FieldPath) -> FieldUse:
        return use_of(type(self._parts[path[0]]), path[1])

    # values that belong to a run

    def follow(self, run: object, begin: Mapping[FieldPath, Any] | None) -> None:
        """Follow the discs of another run: the fields that belong to a run get the values they had with it. On any
        thread; not an undo step.

        run : identifies the discs; remembered as long as the object lives.
        begin : initial values of a new run; other fields begin with their defaults. None: all values stay.
        """
        with self.lock:
            self._follows_on = threading.get_ident()
            try:
                if self._run is not None:
                    self._of_runs[self._run] = self._by_run
                found = self._of_runs.get(run, begin)
                self._run = run
                for namespace, name in () if found is None else self._by_run:
                    part = self._parts[namespace]
                    default = type(part).model_fields[name].get_default(call_default_factory=True)
                    setattr(part, name, (found or {}).get((namespace, name), default))
            finally:
                self._follows_on = None

    @property
    def _by_run(self) -> dict[FieldPath, Any]:
        return {path: value for path, value in self._values.items() if self._use(path).by_run}

    # save and restore

    @property
    def state(self) -> DocumentState:
        """All values as they are now. Any thread."""
        return DocumentState(self._values.copy(), self._unread.copy(), self._run)

    @property
    def own(self) -> DocumentState:
        """The user's own values: those that were set aside, if they are. Any thread."""
        aside = self._aside
        return self.state if aside is None else aside

    def own_of(self, run: object) -> DocumentState:
        """The user's own values, with those that belong to a run as they are, or were, for that run. Any thread."""
        with self.lock:
            own, kept = self.own, self._of_runs if self.is_own else self._of_runs_aside
            return own if own.run is run else replace(own, values={**own.values, **kept.get(run, {})}, run=run)

    @property
    def is_own(self) -> bool:
        """Whether changes are the user's, and not those of a lesson."""
        return self._aside is None

    def restore(self, state: DocumentState, system: str = "") -> None:
        """Set fields to the values of a state; other fields stay as they are. This is an ordinary change, usually made
        within `unrecorded` or `together`. Values of another run are ignored.

        system : for the state of a session file, the system of its run. In fields that are kept by system, the entries
            of other systems stay.
        """
        values = dict(state.values)
        for path in values if system else ():
            if path[0] in self._parts and self._use(path).by_system:
                now, others = self._values[path], dict(self._values[path])
                for key in of_system(now, system):
                    del others[key]
                values[path] = others | dict(values[path])
        self._unread = dict(state.unread) if system else self._unread
        self._set(values, lambda path, _value: not self._use(path).by_run or state.run is self._run is not None)

    def set_aside(self) -> None:
        """Set the user's values and undo steps aside until `bring_back`: later changes, such as those of a lesson,
        affect a copy. Does nothing if they are already set aside."""
        if self._aside is None:
            self._aside = self.state
            with self.lock:
                self._of_runs_aside = WeakKeyDictionary(self._of_runs)
                if self._run is not None:
                    self._of_runs_aside[self._run] = self._by_run
            self.history.set_aside()

    def bring_back(self) -> None:
        """Restore the user's values and undo steps; later changes are discarded."""
        aside, self._aside = self._aside, None
        if aside is not None:
            self.history.bring_back()
            with self.unrecorded():
                with self.lock:  # at once, so that values left for these discs are not kept for others that begin later
                    self._of_runs = self._of_runs_aside
                    kept = {path: aside.values[path] for path in self._by_run if path in aside.values}
                    self.restore(replace(aside, values=kept))
                self.restore(aside)

    @property
    def layout(self) -> DocumentState:
        """The values that are restored when presenter mode ends."""
        values = {path: value for path, value in self._values.items() if self._use(path).layout}
        return DocumentState(values, run=self._run)


class FieldStep(Step):
    """A change of fields of the document. give(values) : sets fields without another undo step."""

    def __init__(self, words: str, changes: list[FieldChange], give: Any, *, keeps_redo: bool = False) -> None:
        super().__init__(words, " ".join(".".join(change.path) for change in changes), keeps_redo=keeps_redo)
        self._before = {change.path: change.before for change in changes}
        self._after = {change.path: change.after for change in changes}
        self._give = give

    def undo(self) -> None:
        """Restore the values from before."""
        self._give(self._before)

    def redo(self) -> None:
        """Restore the values from after."""
        self._give(self._after)

    def absorb(self, newer: Step) -> None:
        """Merge with a newer step of the same gesture that changed the same fields."""
        super().absorb(newer)
        assert isinstance(newer, FieldStep)
        self._after = newer._after
