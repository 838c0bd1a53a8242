"""The contents of the gallery: bundled scenarios by system, lessons, and recent files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from aggviewer.extensions.gallery.popup import Gallery
from aggviewer.systems.catalog import Catalog
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part, Tile, TileGroup, pictures_of
from aggviewer.window.files import Opening
from aggviewer.window.settings import WindowSettings

_FIRST = ("lattice-2500", "cooling-16384", "spheres-13500", "jam-1024")
"""The scenarios that represent their groups in the welcome strip; of other groups, the first scenario."""
_SCENARIO_ICON, _FILE_ICON = "mdi6.circle-multiple-outline", "mdi6.file-outline"


class Scenarios(Part):
    """The gallery of a window and its command. Choosing a scenario or lesson runs the command of that entry."""

    def __init__(self, context: Context) -> None:
        self._context, self._commands, self._catalog = context, context.commands, context[Catalog]
        self._opening, self._settings, self._theme = context[Opening], context[WindowSettings], context.theme
        self.gallery = Gallery(self.contents, partial(self._commands.run, "file.open"), context.window)

    def commands(self) -> Iterator[Command]:
        """The command that opens the gallery."""
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
        running = self._context.session.scenario
        self.gallery.open(heading, "" if running is None else self._catalog.title_of(running))

    def contents(self) -> list[TileGroup]:
        """Everything that can be chosen now. Pictures are not read yet."""
        groups = [
            TileGroup(heading, [self._scenario(entry.name, entry.title, entry.description) for entry in entries])
            for heading, entries in self._catalog.groups()
        ]
        groups += self._others()
        groups.append(TileGroup("Opened last", [self._file(path) for path in self._settings.recent]))
        return [group for group in groups if group.tiles]

    def _others(self) -> list[TileGroup]:
        """What other parts of the window offer, such as lessons."""
        return [group for part in self._context.parts for group in part.tiles()]

    def cards(self) -> list[Tile]:
        """The entries of the welcome strip: a scenario of each system, named after what its discs do, one of spheres,
        and what other parts offer, such as lessons."""
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
        for group in self._others():
            if group.line and group.tiles:
                use = partial(self.open, group.heading)
                cards.append(replace(group.tiles[0], title=group.heading, line=group.line, use=use))
        return cards

    def _scenario(self, name: str, title: str, line: str) -> Tile:
        use = partial(self._commands.run, f"scenario.{name}")
        return Tile(title, line, use, pictures_of(name), _SCENARIO_ICON, words=name)

    def _file(self, path: Path) -> Tile:
        return Tile(path.name, str(path.parent), partial(self._open_file, path), {}, _FILE_ICON)

    def _open_file(self, path: Path) -> None:
        self._opening.open(path)
        self._opening.chosen.emit()
