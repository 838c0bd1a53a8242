"""The contents of the gallery: bundled scenarios by system, lessons, and recent files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from aggviewer.lessons.source import LessonFile
from aggviewer.systems.catalog import Catalog
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part
from aggviewer.window.files.opening import Opening
from aggviewer.window.gallery.pictures import GROUNDS, picture_of
from aggviewer.window.gallery.popup import Gallery, TileGroup
from aggviewer.window.gallery.tiles import Tile
from aggviewer.window.lesson.lessons import Lessons
from aggviewer.window.settings import WindowSettings

LESSONS = "Lessons"
"""The heading of the lessons."""

_FIRST = ("lattice-2500", "cooling-16384", "spheres-13500", "jam-1024")
"""The scenarios that represent their groups in the welcome strip; of other groups, the first scenario."""
_SCENARIO_ICON, _LESSON_ICON, _FILE_ICON = "mdi6.circle-multiple-outline", "mdi6.school-outline", "mdi6.file-outline"


class Scenarios(Part):
    """The gallery of a window and its command. Choosing a scenario or lesson runs the command of that entry."""

    def __init__(self, context: Context) -> None:
        self._commands, self._catalog, self._lessons = context.commands, context[Catalog], context[Lessons]
        self._opening, self._settings, self._theme = context[Opening], context[WindowSettings], context.theme
        self.gallery = Gallery(self.tiles, partial(self._commands.run, "file.open"), context.window)
        self.running = ""
        """Title of the running scenario, which is highlighted when the gallery opens."""

    def commands(self) -> Iterator[Command]:
        """Open it."""
        yield Command(
            "file.scenarios",
            "Scenarios…",
            self.open,
            ("G",),
            "All scenarios and lessons, with pictures",
            "mdi6.view-grid-outline",
            menu=Place("File", 1, 2),
            words="gallery examples presets",
        )

    def open(self, heading: str = "") -> None:
        """Open the gallery at the group with this heading."""
        self.gallery.open(heading, self.running)

    def tiles(self) -> list[TileGroup]:
        """Everything that can be chosen now. Pictures are not read yet."""
        groups = [
            TileGroup(heading, [self._scenario(entry.name, entry.title, entry.description) for entry in entries])
            for heading, entries in self._catalog.groups()
        ]
        groups.append(
            TileGroup(LESSONS, [self._lesson(number, found) for number, found in enumerate(self._lessons.bundled, 1)])
        )
        groups.append(TileGroup("Opened last", [self._file(path) for path in self._settings.recent]))
        return [group for group in groups if group.tiles]

    def cards(self) -> list[Tile]:
        """The entries of the welcome strip: a scenario of each system, named after what its discs do, one of spheres,
        and the lessons."""
        cards, there = [], set[object]()
        groups = self._catalog.groups()
        for heading, entries in sorted(groups, key=lambda group: self._catalog.kind_of(group[1][0].name)[1]):
            entry = next((entry for entry in entries if entry.name in _FIRST), entries[0])
            kind = self._catalog.kind_of(entry.name)
            if there.issuperset(kind):
                continue
            there.update(kind)
            tile = self._scenario(entry.name, entry.title, entry.description)
            title = heading if 2 in kind else "Spheres"
            cards.append(replace(tile, title=title, line=f"{entry.title}: {entry.description}"))
        if self._lessons.bundled:
            first = self._lesson(1, self._lessons.bundled[0])
            line = "Predict, try, compare: short lessons for you or your class"
            use = partial(self.open, LESSONS)
            cards.append(replace(first, title=LESSONS, line=line, use=use))
        return cards

    def _scenario(self, name: str, title: str, line: str) -> Tile:
        use = partial(self._commands.run, f"scenario.{name}")
        return Tile(title, line, use, _pictures(name), _SCENARIO_ICON, words=name)

    def _lesson(self, number: int, found: LessonFile) -> Tile:
        lesson, done = found.lesson, self._lessons.finished(found)
        use = partial(self._commands.run, f"lesson.{found.name}")
        return Tile(
            f"{number}. {lesson.title}",
            f"{'Finished. ' if done else ''}{lesson.minutes} min. {lesson.summary}",
            use,
            _pictures(found.name, lesson=True),
            _LESSON_ICON,
            words=found.name,
            done=done,
        )

    def _file(self, path: Path) -> Tile:
        return Tile(path.name, str(path.parent), partial(self._open_file, path), {}, _FILE_ICON)

    def _open_file(self, path: Path) -> None:
        self._opening.open(path)
        self._opening.chosen.emit()


def _pictures(name: str, *, lesson: bool = False) -> dict[str, Path]:
    paths = {ground: picture_of(name, ground, lesson=lesson) for ground in GROUNDS}
    return {ground: path for ground, path in paths.items() if path.is_file()}
