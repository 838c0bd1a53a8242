"""What the window remembers between two starts. Of a damaged file only what cannot be read is lost."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import platformdirs
from PyQt6.QtCore import QByteArray, QSettings
from PyQt6.QtWidgets import QMainWindow

from aggviewer.canvas.trial import DrawingTimes, measured_from
from aggviewer.document.document import Document, FieldChange
from aggviewer.document.model import use_of
from aggviewer.document.state import dump_part, read_state
from aggviewer.session.notices import log
from aggviewer.session.past.memory import USUAL_BUDGET
from aggviewer.widgets.screen import room

SURFACES = {
    "auto": "Draw with the faster one",
    "opengl": "Draw with OpenGL",
    "painter": "Draw with the processor",
}
"""What may draw the discs, and the words for it."""

_RECENT = 8
LEAST_MEMORY, MOST_MEMORY = 16, 65_536
"""Megabytes that a person may give to the past of a run."""

_LAYOUT_VERSION = 1  # of the stored docks; another number forgets them


class WindowSettings:
    """An ini file in the user's configuration folder."""

    def __init__(self, path: Path | None = None) -> None:
        folder = Path(platformdirs.user_config_dir("aggviewer", appauthor=False))
        self._store = QSettings(str(path or folder / "window.ini"), QSettings.Format.IniFormat)
        self._document: Document | None = None  # whose changes are kept

    @property
    def welcome_dismissed(self) -> bool:
        """True when the welcome strip was seen and sent away."""
        return self._flag("welcome/dismissed")

    @welcome_dismissed.setter
    def welcome_dismissed(self, value: bool) -> None:
        self._set_flag("welcome/dismissed", value)

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
    def memory(self) -> int:
        """Megabytes that the past of a run may take."""
        text = str(self._store.value("memory/megabytes", ""))
        return min(max(int(text), LEAST_MEMORY), MOST_MEMORY) if text.isdigit() else USUAL_BUDGET >> 20

    @memory.setter
    def memory(self, megabytes: int) -> None:
        self._store.setValue("memory/megabytes", str(megabytes))

    @property
    def surface(self) -> str:
        """What draws the discs: ``opengl``, ``painter``, or ``auto`` for the faster one."""
        kept = str(self._store.value("picture/surface", ""))
        return kept if kept in SURFACES else "auto"

    @surface.setter
    def surface(self, name: str) -> None:
        self._store.setValue("picture/surface", name)

    @property
    def picture_times(self) -> DrawingTimes | None:
        """How long a picture takes on this machine with either, None as long as nobody has measured it."""
        return measured_from(self._json("picture/times"))

    @picture_times.setter
    def picture_times(self, measured: DrawingTimes | None) -> None:
        self._store.setValue("picture/times", "" if measured is None else json.dumps(measured.to_plain()))

    @property
    def software_opengl(self) -> str:
        """What computes OpenGL on the processor of this machine, as a start has found; "" where none has."""
        return str(self._store.value("picture/software_opengl", ""))

    @software_opengl.setter
    def software_opengl(self, renderer: str) -> None:
        self._store.setValue("picture/software_opengl", renderer)

    @property
    def faster_surface(self) -> str:
        """``opengl`` or ``painter``, whichever was found to be the faster one; "" as long as neither was."""
        if self.software_opengl:
            return "painter"
        times = self.picture_times
        return "" if times is None else times.faster

    @property
    def log_time(self) -> bool:
        """Whether the line of time has a logarithmic scale."""
        return self._flag("timeline/log")

    @log_time.setter
    def log_time(self, value: bool) -> None:
        self._set_flag("timeline/log", value)

    @property
    def teachers_key(self) -> str:
        """The parameter that presenter mode offers, by its key; empty for none."""
        return str(self._store.value("presenter/parameter", ""))

    @teachers_key.setter
    def teachers_key(self, key: str) -> None:
        self._store.setValue("presenter/parameter", key)

    @property
    def projector_to_present(self) -> bool:
        """Whether presenter mode has the projector's colours instead of those of the window."""
        return self._flag("presenter/projector_theme")

    @projector_to_present.setter
    def projector_to_present(self, value: bool) -> None:
        self._set_flag("presenter/projector_theme", value)

    def lesson(self, name: str) -> Any:
        """How far a lesson is: what `aggviewer.lessons.player.LessonPlayer.to_plain` has made, None at first."""
        return self._json(f"lessons/{name}")

    def set_lesson(self, name: str, plain: dict[str, Any]) -> None:
        """Remember how far a lesson is."""
        self._store.setValue(f"lessons/{name}", json.dumps(plain))

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
        self._document = document
        document.changed.connect(self._on_change)

    def _on_change(self, change: FieldChange) -> None:
        if self._document is not None:
            self.keep_document(self._document, change)

    def close(self) -> None:
        """Follow no document any more, and write what has changed."""
        if self._document is not None:
            self._document.changed.disconnect(self._on_change)
            self._document = None
        self._store.sync()

    def _flag(self, key: str) -> bool:
        return str(self._store.value(key, "")) == "true"

    def _set_flag(self, key: str, value: bool) -> None:
        self._store.setValue(key, "true" if value else "")

    def _bytes(self, key: str) -> QByteArray | None:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None

    def _json(self, key: str) -> Any:
        text = self._store.value(key, "")
        try:
            return json.loads(text) if isinstance(text, str) and text else None
        except ValueError:
            return None
