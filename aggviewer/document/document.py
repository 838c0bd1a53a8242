"""The document: the tree of all that a person can change of the presentation, with its undo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from psygnal import EmissionInfo, Signal

from aggviewer.document.history import Step, UndoHistory, Unrecorded
from aggviewer.document.model import DocumentModel, use_of, words_of
from aggviewer.document.panels import PanelsModel
from aggviewer.document.plots import PlotsModel
from aggviewer.document.registry import models
from aggviewer.document.state import DocumentState, FieldPath, Model, Refuse, dump_part, of_system, read_part
from aggviewer.document.view import ViewModel


@dataclass(frozen=True)
class FieldChange:
    """A field of the document has another value."""

    path: FieldPath
    before: Any
    after: Any


class Document(Unrecorded):
    """What a person can change of the presentation: parts with fields, see `DocumentModel`.

    Every change is put on the history, whoever makes it. The document belongs to one thread, that of the GUI; `state`
    and `own` may be read on any.

    Attributes
    ----------
    changed : emitted after each change of a field, with a `FieldChange`.
    history : what can be undone.
    view, plots, panels : how the discs are drawn, what is chosen for the plots, and which panels are open.
    """

    changed = Signal(FieldChange)

    def __init__(self) -> None:
        self.history = UndoHistory()
        self._parts: dict[str, DocumentModel] = {}
        self._values: dict[FieldPath, Any] = {}  # of all fields, so that what was before a change is known
        self._unread: dict[str, Any] = {}
        self._aside: DocumentState | None = None
        self._group: dict[FieldPath, FieldChange] | None = None
        self.renew()
        self.view = self._part(ViewModel)
        self.plots = self._part(PlotsModel)
        self.panels = self._part(PanelsModel)

    def __getitem__(self, namespace: str) -> DocumentModel:
        """A part. KeyError where no model of that namespace is loaded."""
        return self._parts[namespace]

    @property
    def namespaces(self) -> tuple[str, ...]:
        """The names of all parts."""
        return tuple(self._parts)

    def _part(self, model: type[Model]) -> Model:
        part = self._parts[model.namespace]
        assert isinstance(part, model)
        return part

    def renew(self, refuse: Refuse | None = None) -> list[str]:
        """Follow the registry: add the parts of plug-ins that were loaded, with what a session has kept of them, and
        take out those that are gone; what was kept of these stays unread.

        refuse : is told of each kept value that cannot be used, which is left out then. Without it, InputError names
            the first.

        Returns
        -------
        The namespaces of the parts that were added and that nothing was kept of.
        """
        blank = []
        wanted = {model.namespace: model for model in models()}
        for namespace, part in [*self._parts.items()]:
            if wanted.get(namespace) is not type(part):
                self._take_out(namespace)
        for namespace, model in wanted.items():
            if namespace not in self._parts:
                if namespace not in self._unread:
                    blank.append(namespace)
                self._add(model, refuse)
        return blank

    def _add(self, model: type[DocumentModel], refuse: Refuse | None) -> None:
        namespace, part = model.namespace, model()
        if namespace in self._unread:
            for name, value in read_part(model, self._unread[namespace], "session", refuse).items():
                setattr(part, name, value)
            del self._unread[namespace]
        for name in model.model_fields:
            self._values[namespace, name] = getattr(part, name)
        self._parts[namespace] = part
        part.events.connect(partial(self._on_change, namespace))

    def _take_out(self, namespace: str) -> None:
        part = self._parts.pop(namespace)
        part.events.disconnect()
        self._unread[namespace] = dump_part(type(part), dict(part), "session")
        self._values = {path: value for path, value in self._values.items() if path[0] != namespace}

    # changes, and their undo

    @contextmanager
    def together(self, words: str) -> Iterator[None]:
        """The changes within the context are one step, which *Undo* calls `words`."""
        if self._group is not None:  # within another one, which they belong to
            yield
            return
        self._group = {}
        try:
            yield
        finally:
            group, self._group = self._group, None
            self._push(words, [change for change in group.values() if change.before != change.after])

    def _on_change(self, namespace: str, emitted: EmissionInfo) -> None:
        path, after = (namespace, emitted.signal.name), emitted.args[0]
        change = FieldChange(path, self._values[path], after)
        self._values[path] = after
        model = type(self._parts[namespace])
        if not self._silent and use_of(model, path[1]).undo and change.before != after:
            if self._group is None:
                self._push(words_of(model, path[1], change.before, after), [change])
            else:
                before = self._group.get(path, change).before
                self._group[path] = FieldChange(path, before, after)
        self.changed.emit(change)

    def _push(self, words: str, changes: list[FieldChange]) -> None:
        if changes:
            self.history.push(FieldStep(words, changes, self._give))

    def _give(self, values: Mapping[FieldPath, Any]) -> None:
        """Set fields without a step. What belongs to a plug-in that is gone is passed over."""
        with self.unrecorded():
            self._set(values)

    def _set(self, values: Mapping[FieldPath, Any]) -> None:
        for (namespace, name), value in values.items():
            if namespace in self._parts and self._values[namespace, name] != value:
                setattr(self._parts[namespace], name, value)

    # leave and give back

    @property
    def state(self) -> DocumentState:
        """All values as they are now. Any thread."""
        return DocumentState(self._values.copy(), self._unread.copy())

    @property
    def own(self) -> DocumentState:
        """The person's own values: those that were set aside, where they are. Any thread."""
        aside = self._aside
        return self.state if aside is None else aside

    @property
    def is_own(self) -> bool:
        """Whether changes are those of the person, and not of a lesson."""
        return self._aside is None

    def restore(self, state: DocumentState, system: str = "") -> None:
        """Give fields the values of a state; fields that it does not name stay as they are. This is a change like any
        other: within `unrecorded` or `together`, as a rule.

        system : for the state of a session file, the system that runs in it. Fields that are kept by system keep the
            entries of other systems.
        """
        values = dict(state.values)
        for namespace, name in values if system else ():
            path = (namespace, name)
            if namespace in self._parts and use_of(type(self._parts[namespace]), name).by_system:
                now, others = self._values[path], dict(self._values[path])
                for key in of_system(now, system):
                    del others[key]
                values[path] = others | dict(values[path])
        self._unread = dict(state.unread) if system else self._unread
        self._set(values)

    def set_aside(self) -> None:
        """Set the person's own values and steps aside until `bring_back`: what is changed and undone meanwhile, such as
        by a lesson, changes a copy. Does nothing where they are aside already."""
        if self._aside is None:
            self._aside = self.state
            self.history.set_aside()

    def bring_back(self) -> None:
        """The person's own values and steps again; what was changed and done since is discarded."""
        aside, self._aside = self._aside, None
        if aside is not None:
            self.history.bring_back()
            self._give(aside.values)

    @property
    def layout(self) -> DocumentState:
        """The values that presenter mode gives back when it ends."""
        return DocumentState(
            {
                (namespace, name): value
                for (namespace, name), value in self._values.items()
                if use_of(type(self._parts[namespace]), name).layout
            }
        )


class FieldStep(Step):
    """Fields of the document have other values. give(values) : sets fields without another step."""

    def __init__(self, words: str, changes: list[FieldChange], give: Any) -> None:
        super().__init__(words, " ".join(".".join(change.path) for change in changes))
        self._before = {change.path: change.before for change in changes}
        self._after = {change.path: change.after for change in changes}
        self._give = give

    def undo(self) -> None:
        """Give the fields the values from before."""
        self._give(self._before)

    def redo(self) -> None:
        """Give the fields the values from after."""
        self._give(self._after)

    def absorb(self, newer: Step) -> None:
        """Become one step with a newer one of the same gesture, which has changed the same fields."""
        super().absorb(newer)
        assert isinstance(newer, FieldStep)
        self._after = newer._after
