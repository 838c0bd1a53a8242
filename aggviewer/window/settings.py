"""What the window remembers between starts. Only unreadable parts of a damaged file are lost.

A setting is an attribute of `WindowSettings` with everything that a dialog needs to show it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, overload

import platformdirs
from psygnal import Signal
from PyQt6.QtCore import QByteArray, QSettings
from PyQt6.QtWidgets import QMainWindow

from aggviewer.canvas.surface import DrawingTimes, measured_from
from aggviewer.document.document import Document, FieldChange
from aggviewer.document.model import use_of
from aggviewer.document.registry import dump_part, read_state
from aggviewer.names import BACKGROUNDS
from aggviewer.session.notices import log
from aggviewer.session.past.memory import USUAL_BUDGET
from aggviewer.widgets.screen import room

T = TypeVar("T", bound=bool | int | str)


class SettingsKeeper(Protocol):
    """A store of settings, which are its attributes."""

    document: Document | None

    def stored(self, key: str) -> str:
        """The text stored under a key, "" if there is none."""

    def store(self, key: str, text: str, name: str) -> None:
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
        return self if keeper is None else self._read(keeper.stored(self.key))

    def __set__(self, keeper: SettingsKeeper, value: T) -> None:
        keeper.store(self.key, str(value).lower() if isinstance(value, bool) else str(value), self.name)

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


_RECENT = 8
_LOOK, _PICTURE, _TIMELINE, _KEYS = "Appearance", "Drawing", "Timeline", "Keyboard"
_THEMES = {"system": "Same as the desktop", "dark": "Dark", "light": "Light", "projector": "Projector, high contrast"}
_WORDS = "settings preferences options appearance"
TEXT_SIZES = {"90": "Small", "100": "Normal", "115": "Large", "130": "Larger", "150": "Largest"}
"""Percent of the desktop's size."""
_LAYOUT_VERSION = 1  # of the stored docks; another number forgets them


class WindowSettings:
    """An ini file in the user's configuration folder. Settings shown in *Preferences* are marked here.

    Signals: ``changed(name)`` after a setting has changed.
    """

    changed = Signal(str)

    theme = DocumentSetting(
        "view", "theme", Offered(_LOOK, "Theme", choices=_THEMES, command="view.theme", words=f"{_WORDS} dark mode")
    )
    background = DocumentSetting(
        "view",
        "background",
        Offered(
            _LOOK,
            "Background of the picture",
            choices={"theme": "Same as the theme"} | {name: name.capitalize() for name in BACKGROUNDS},
            command="view.background",
            words=_WORDS,
        ),
    )
    text_size = StoredSetting(
        "window/text_size",
        "100",
        Offered(
            _LOOK,
            "Text size",
            choices=TEXT_SIZES,
        ),
    )
    projector_to_present = StoredSetting(
        "presenter/projector_theme",
        False,
        Offered(
            _LOOK,
            "Projector theme in presenter mode",
            "Use high contrast on white when presenting",
            command="view.presenter_theme",
            words=_WORDS,
        ),
    )
    surface = StoredSetting(
        "picture/surface",
        "auto",
        Offered(
            _PICTURE,
            "Renderer",
            "Software rendering is faster without a graphics card. A change to OpenGL takes effect in the next window.",
            {"auto": "Automatic (the faster one)", "opengl": "OpenGL (graphics card)", "painter": "Software rendering"},
            command="view.surface",
            words=f"{_WORDS} graphics card gpu drawing",
        ),
    )
    memory = StoredSetting(
        "memory/megabytes",
        USUAL_BUDGET >> 20,
        Offered(
            _TIMELINE,
            "Timeline memory (MB)",
            "Memory for the frames that you can look back at. More memory keeps more frames.",
            limits=(16, 65_536),
            unit="MB",
        ),
    )
    log_time = StoredSetting(
        "timeline/log",
        False,
        Offered(_TIMELINE, "Logarithmic timeline", "Give the first moments of a run more room on the timeline"),
    )
    single_keys = StoredSetting(
        "keys/single",
        True,
        Offered(
            _KEYS,
            "Single-letter shortcuts",
            "Keys such as R, S and 1 without Ctrl or Alt. Turn off if you press them by accident.",
            command="help.single_keys",
            words=f"{_WORDS} keyboard",
        ),
    )

    welcome_dismissed = StoredSetting("welcome/dismissed", False)
    software_opengl = StoredSetting("picture/software_opengl", "")

    def __init__(self, path: Path | None = None) -> None:
        folder = Path(platformdirs.user_config_dir("aggviewer", appauthor=False))
        self._store = QSettings(str(path or folder / "window.ini"), QSettings.Format.IniFormat)
        self.document: Document | None = None  # whose changes are kept until `close`

    def restore_usual(self) -> None:
        """Reset everything in *Preferences* to its default, but for the list of plug-ins."""
        assert self.document is not None
        with self.document.together("restoring the defaults"):
            for setting in self.offered():
                usual = setting.usual_in(self.document) if isinstance(setting, DocumentSetting) else setting.usual
                setattr(self, setting.name, usual)

    @property
    def new(self) -> bool:
        """Whether the program has not been used yet; measurements of the machine at start-up do not count."""
        return all(key.startswith("picture/") for key in self._store.allKeys())

    @classmethod
    def offered(cls) -> list[StoredSetting[Any] | DocumentSetting]:
        """The settings shown in *Preferences*, in order."""
        kept = [one for one in vars(cls).values() if isinstance(one, StoredSetting | DocumentSetting)]
        return [one for one in kept if one.offered is not None]

    def save_layout(self, window: QMainWindow) -> None:
        """Store size, position and docks of a window for the next start."""
        self._store.setValue("window/geometry", window.saveGeometry())
        self._store.setValue("window/docks", window.saveState(_LAYOUT_VERSION))

    def restore_layout(self, window: QMainWindow) -> None:
        """Restore the layout of a window, or fit it to the screen at a first start."""
        if not window.restoreGeometry(self._bytes("window/geometry") or QByteArray()):
            window.resize(window.sizeHint().boundedTo(room(window)))
        docks = self._bytes("window/docks")
        if docks is not None:
            window.restoreState(docks, _LAYOUT_VERSION)

    @property
    def recent(self) -> list[Path]:
        """Recent files, newest first, without those that no longer exist."""
        kept = self.plain("files/recent")
        found = [Path(text) for text in kept if isinstance(text, str)] if isinstance(kept, list) else []
        return [path for path in found if path.is_file()][:_RECENT]

    def add_recent(self, path: Path) -> None:
        """Put a file first among the recent ones."""
        path = path.resolve()
        paths = [path, *(other for other in self.recent if other != path)]
        self._store.setValue("files/recent", json.dumps([str(p) for p in paths[:_RECENT]]))

    def remove_recent(self, path: Path) -> None:
        """Remove a file from the recent files."""
        path = path.resolve()
        self._store.setValue("files/recent", json.dumps([str(p) for p in self.recent if p != path]))

    def folder(self, use: str, default: Path) -> Path:
        """The last folder for `use`, if it still exists."""
        text = self._store.value(f"folders/{use}", "")
        path = Path(text) if isinstance(text, str) and text else default
        return path if path.is_dir() else default

    def set_folder(self, use: str, path: Path) -> None:
        """Remember a folder."""
        self._store.setValue(f"folders/{use}", str(path))

    @property
    def plug_ins(self) -> list[Path]:
        """The files of the plug-ins to load at the start, in this order."""
        kept = self.plain("plug_ins/files")
        return [Path(text) for text in kept if isinstance(text, str)] if isinstance(kept, list) else []

    @plug_ins.setter
    def plug_ins(self, files: Sequence[Path]) -> None:
        self._store.setValue("plug_ins/files", json.dumps([str(file) for file in files]))

    @property
    def picture_times(self) -> DrawingTimes | None:
        """Drawing time on this machine with each renderer, None if not yet measured."""
        return measured_from(self.plain("picture/times"))

    @picture_times.setter
    def picture_times(self, measured: DrawingTimes | None) -> None:
        self._store.setValue("picture/times", "" if measured is None else json.dumps(measured.to_plain()))

    @property
    def faster_surface(self) -> str:
        """The faster renderer, ``opengl`` or ``painter``; "" if not yet measured."""
        if self.software_opengl:
            return "painter"
        times = self.picture_times
        return "" if times is None else times.faster

    def read_document(self, document: Document) -> None:
        """Load stored values into a document. Values that are no longer valid are skipped."""
        kept = {}
        for namespace in document.namespaces:
            # without the group: as versions before 0.2.0 have kept it
            part = self.plain(f"document/{namespace}") or self.plain(namespace)
            if isinstance(part, dict):
                kept[namespace] = part
        with document.unrecorded():
            document.restore(read_state(kept, "settings", lambda error: log.info("settings: %s", error)))

    def keep_document(self, document: Document, change: FieldChange) -> None:
        """Store the changed part of a document, if it is the user's own."""
        namespace, name = change.path
        part = document[namespace]
        if document.is_own and use_of(type(part), name).settings:
            kept = dump_part(type(part), dict(part), "settings")
            self._store.setValue(f"document/{namespace}", json.dumps(kept))

    def follow(self, document: Document) -> None:
        """Store every change of a document until `close`."""
        self.document = document
        document.changed.connect(self._on_change)

    def _on_change(self, change: FieldChange) -> None:
        if self.document is not None:
            self.keep_document(self.document, change)
        for setting in self.offered():
            if isinstance(setting, DocumentSetting) and setting.path == change.path:
                self.changed.emit(setting.name)

    def close(self) -> None:
        """Stop following documents, and write pending changes."""
        if self.document is not None:
            self.document.changed.disconnect(self._on_change, missing_ok=True)
        self._store.sync()

    def stored(self, key: str) -> str:
        """The text stored under a key, "" if there is none."""
        return str(self._store.value(key, ""))

    def store(self, key: str, text: str, name: str = "") -> None:
        """Store a text, and announce that the setting `name` has changed; "" for what is not a setting."""
        self._store.setValue(key, text)
        if name:
            self.changed.emit(name)

    def forget(self, group: str) -> dict[str, str]:
        """Delete everything under the keys that begin with ``group/``. Returns it: the texts by key."""
        gone = {key: self.stored(key) for key in self._store.allKeys() if key.startswith(f"{group}/")}
        self._store.remove(group)
        return gone

    def plain(self, key: str) -> Any:
        """The value of the JSON text stored under a key, None if there is none or it cannot be read."""
        text = self._store.value(key, "")
        try:
            return json.loads(text) if isinstance(text, str) and text else None
        except ValueError:
            return None

    def _bytes(self, key: str) -> QByteArray | None:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None
