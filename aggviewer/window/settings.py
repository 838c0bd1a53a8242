"""What the window remembers between two starts. Of a damaged file only what cannot be read is lost."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import platformdirs
from psygnal import Signal
from PyQt6.QtCore import QByteArray, QSettings
from PyQt6.QtWidgets import QMainWindow

from aggviewer.canvas.trial import DrawingTimes, measured_from
from aggviewer.document.document import Document, FieldChange
from aggviewer.document.model import use_of
from aggviewer.document.state import dump_part, read_state
from aggviewer.names import BACKGROUNDS
from aggviewer.session.notices import log
from aggviewer.session.past.memory import USUAL_BUDGET
from aggviewer.widgets.screen import room
from aggviewer.window.setting import DocumentSetting, Offered, StoredSetting

_RECENT = 8
_LOOK, _PICTURE, _TIMELINE, _KEYS = "Appearance", "Drawing", "Timeline", "Keyboard"
_THEMES = {"system": "As the desktop", "dark": "Dark", "light": "Light", "projector": "Projector, high contrast"}
_WORDS = "settings preferences options appearance"
_LAYOUT_VERSION = 1  # of the stored docks; another number forgets them


class WindowSettings:
    """An ini file in the user's configuration folder. The settings that *Preferences* offers say so here.

    Signals: ``changed(name)`` after a setting has another value.
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
            choices={"theme": "As the theme"} | {name: name.capitalize() for name in BACKGROUNDS},
            command="view.background",
            words=_WORDS,
        ),
    )
    projector_to_present = StoredSetting(
        "presenter/projector_theme",
        False,
        Offered(
            _LOOK,
            "Projector theme in presenter mode",
            "High contrast on white, whatever theme you work in",
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
            "What draws the discs. Without a graphics card, software rendering is faster. OpenGL starts with the next "
            "window.",
            {"auto": "Automatic, the faster one", "opengl": "OpenGL, graphics card", "painter": "Software rendering"},
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
            "Memory for the frames that you can look back at. With more of it they are closer together.",
            limits=(16, 65_536),
            unit="MB",
        ),
    )
    log_time = StoredSetting(
        "timeline/log",
        False,
        Offered(_TIMELINE, "Logarithmic timeline", "The first moments of a run take as much room as all later ones"),
    )
    single_keys = StoredSetting(
        "keys/single",
        True,
        Offered(
            _KEYS,
            "Single-letter shortcuts",
            "R, S, 1, … without Ctrl or Alt. Switch them off if you press them by accident.",
            command="help.single_keys",
            words=f"{_WORDS} keyboard",
        ),
    )

    welcome_dismissed = StoredSetting("welcome/dismissed", False)
    software_opengl = StoredSetting("picture/software_opengl", "")
    teachers_key = StoredSetting("presenter/parameter", "")

    def __init__(self, path: Path | None = None) -> None:
        folder = Path(platformdirs.user_config_dir("aggviewer", appauthor=False))
        self._store = QSettings(str(path or folder / "window.ini"), QSettings.Format.IniFormat)
        self.document: Document | None = None  # whose changes are kept until `close`

    def restore_usual(self) -> None:
        """Give all that *Preferences* offers the values of a first start."""
        assert self.document is not None
        with self.document.together("restoring the defaults"):
            for setting in self.offered():
                usual = setting.usual_in(self.document) if isinstance(setting, DocumentSetting) else setting.usual
                setattr(self, setting.name, usual)

    @property
    def new(self) -> bool:
        """Whether nobody has used the program yet; what a start measures of the machine does not count."""
        return all(key.startswith("picture/") for key in self._store.allKeys())

    @classmethod
    def offered(cls) -> list[StoredSetting[Any] | DocumentSetting]:
        """The settings that *Preferences* offers, in their order."""
        kept = [one for one in vars(cls).values() if isinstance(one, StoredSetting | DocumentSetting)]
        return [one for one in kept if one.offered is not None]

    def save_layout(self, window: QMainWindow) -> None:
        """Keep size, place and docks of a window for the next start."""
        self._store.setValue("window/geometry", window.saveGeometry())
        self._store.setValue("window/docks", window.saveState(_LAYOUT_VERSION))

    def restore_layout(self, window: QMainWindow) -> None:
        """Lay a window out as it was left, or as fits the screen at a first start."""
        if not window.restoreGeometry(self._bytes("window/geometry") or QByteArray()):
            window.resize(window.sizeHint().boundedTo(room(window)))
        docks = self._bytes("window/docks")
        if docks is not None:
            window.restoreState(docks, _LAYOUT_VERSION)

    @property
    def recent(self) -> list[Path]:
        """Files opened last, the newest first; those that are gone are left out."""
        kept = self._json("files/recent")
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
        """The folder used last for `use`, while it exists."""
        text = self._store.value(f"folders/{use}", "")
        path = Path(text) if isinstance(text, str) and text else default
        return path if path.is_dir() else default

    def set_folder(self, use: str, path: Path) -> None:
        """Remember a folder."""
        self._store.setValue(f"folders/{use}", str(path))

    @property
    def snapshot_size(self) -> tuple[int, int] | None:
        """Pixels of the last snapshot, None for the size of the window."""
        text = str(self._store.value("snapshot/size", ""))
        width, _, height = text.partition("x")
        if width.isdigit() and height.isdigit() and 0 < int(width) < 32768 and 0 < int(height) < 32768:
            return int(width), int(height)
        return None

    @snapshot_size.setter
    def snapshot_size(self, size: tuple[int, int] | None) -> None:
        self._store.setValue("snapshot/size", "" if size is None else f"{size[0]}x{size[1]}")

    @property
    def picture_times(self) -> DrawingTimes | None:
        """How long a picture takes on this machine with either, None as long as nobody has measured it."""
        return measured_from(self._json("picture/times"))

    @picture_times.setter
    def picture_times(self, measured: DrawingTimes | None) -> None:
        self._store.setValue("picture/times", "" if measured is None else json.dumps(measured.to_plain()))

    @property
    def faster_surface(self) -> str:
        """``opengl`` or ``painter``, whichever was found to be the faster one; "" as long as neither was."""
        if self.software_opengl:
            return "painter"
        times = self.picture_times
        return "" if times is None else times.faster

    def lesson(self, name: str) -> Any:
        """How far a lesson is: what `aggviewer.lessons.player.LessonPlayer.to_plain` has made, None at first."""
        return self._json(f"lessons/{name}")

    def set_lesson(self, name: str, plain: dict[str, Any]) -> None:
        """Remember how far a lesson is."""
        self._store.setValue(f"lessons/{name}", json.dumps(plain))

    def forget_lessons(self) -> dict[str, str]:
        """Forget all answers and ticks, for the next class. Returns them for `bring_back_lessons`."""
        kept = {key: self.kept(key) for key in self._store.allKeys() if key.startswith("lessons/")}
        self._store.remove("lessons")
        return kept

    def bring_back_lessons(self, kept: dict[str, str]) -> None:
        """Undo `forget_lessons`."""
        for key, text in kept.items():
            self._store.setValue(key, text)

    def read_document(self, document: Document, namespaces: Collection[str] | None = None) -> None:
        """Give a document the values that were kept of it, or of some of its parts. A value that can no longer be used
        is passed over."""
        kept = {}
        for namespace in document.namespaces if namespaces is None else namespaces:
            # without the group: as versions before 0.2.0 have kept it
            part = self._json(f"document/{namespace}") or self._json(namespace)
            if isinstance(part, dict):
                kept[namespace] = part
        with document.unrecorded():
            document.restore(read_state(kept, "settings", lambda error: log.info("settings: %s", error)))

    def keep_document(self, document: Document, change: FieldChange) -> None:
        """Keep the part of a document that has changed, if it is the person's own."""
        namespace, name = change.path
        part = document[namespace]
        if document.is_own and use_of(type(part), name).settings:
            kept = dump_part(type(part), dict(part), "settings")
            self._store.setValue(f"document/{namespace}", json.dumps(kept))

    def follow(self, document: Document) -> None:
        """Keep each change of a document until `close`."""
        self.document = document
        document.changed.connect(self._on_change)

    def _on_change(self, change: FieldChange) -> None:
        if self.document is not None:
            self.keep_document(self.document, change)
        for setting in self.offered():
            if isinstance(setting, DocumentSetting) and setting.path == change.path:
                self.changed.emit(setting.name)

    def close(self) -> None:
        """Follow no document any more, and write what has changed."""
        if self.document is not None:
            self.document.changed.disconnect(self._on_change, missing_ok=True)
        self._store.sync()

    def kept(self, key: str) -> str:
        """The text that is kept under a key, "" where there is none."""
        return str(self._store.value(key, ""))

    def keep(self, key: str, text: str, name: str) -> None:
        """Keep a text, and tell that the setting `name` has another value."""
        self._store.setValue(key, text)
        self.changed.emit(name)

    def _bytes(self, key: str) -> QByteArray | None:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None

    def _json(self, key: str) -> Any:
        text = self._store.value(key, "")
        try:
            return json.loads(text) if isinstance(text, str) and text else None
        except ValueError:
            return None
