"""A single setting: an attribute of a settings class, with everything a dialog needs to show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar, overload

from aggviewer.document.document import Document

T = TypeVar("T", bound=bool | int | str)


class SettingsKeeper(Protocol):
    """A store of settings, which are its attributes."""

    document: Document | None

    def kept(self, key: str) -> str:
        """The text stored under a key, "" if there is none."""

    def keep(self, key: str, text: str, name: str) -> None:
        """Store a text, and announce that the setting `name` has changed."""


@dataclass(frozen=True)
class Offered:
    """How *Preferences* shows a setting.

    Parameters
    ----------
    section, title
        Its heading and its label.
    tip
        One sentence.
    choices
        Value to text, for a setting with a few values.
    limits, unit
        Smallest and largest value of an integer.
    command
        The name of its palette commands: of the switch, or of its choices with ``_value`` appended; "" for none.
    words
        Other words that find these commands.
    """

    section: str
    title: str
    tip: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    limits: tuple[int, int] | None = None
    unit: str = ""
    command: str = ""
    words: str = ""


class StoredSetting(Generic[T]):
    """An attribute whose value is stored in a file. An unreadable value is replaced by the default."""

    def __init__(self, key: str, usual: T, offered: Offered | None = None) -> None:
        self.key, self.usual, self.offered = key, usual, offered
        self.name = ""

    def __set_name__(self, _owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, keeper: None, owner: type) -> StoredSetting[T]: ...

    @overload
    def __get__(self, keeper: SettingsKeeper, owner: type) -> T: ...

    def __get__(self, keeper: SettingsKeeper | None, owner: type) -> Any:
        return self if keeper is None else self._read(keeper.kept(self.key))

    def __set__(self, keeper: SettingsKeeper, value: T) -> None:
        keeper.keep(self.key, str(value).lower() if isinstance(value, bool) else str(value), self.name)

    def _read(self, text: str) -> Any:
        if isinstance(self.usual, bool):
            return text == "true" if text else self.usual
        if isinstance(self.usual, int):
            limits = self.offered.limits if self.offered is not None else None
            if not text.isdigit():
                return self.usual
            return int(text) if limits is None else min(max(int(text), limits[0]), limits[1])
        known = self.offered.choices if self.offered is not None else {}
        return text if text and (not known or text in known) else self.usual


class DocumentSetting:
    """An attribute that is a field of the document."""

    def __init__(self, namespace: str, field_name: str, offered: Offered) -> None:
        self.path, self.offered = (namespace, field_name), offered
        self.name = ""

    def __set_name__(self, _owner: type, name: str) -> None:
        self.name = name

    def __get__(self, keeper: SettingsKeeper | None, owner: type) -> Any:
        if keeper is None:
            return self
        assert keeper.document is not None, "no document is being followed"
        return getattr(keeper.document[self.path[0]], self.path[1])

    def __set__(self, keeper: SettingsKeeper, value: Any) -> None:
        assert keeper.document is not None, "no document is being followed"
        setattr(keeper.document[self.path[0]], self.path[1], value)

    def usual_in(self, document: Document) -> Any:
        """The default value."""
        return type(document[self.path[0]]).model_fields[self.path[1]].default
