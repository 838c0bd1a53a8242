"""The gallery of scenarios and lessons: what stands in it, how it is used, and its pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.canvas.qt_drawing import pixels_of
from aggviewer.extensions.gallery import popup
from aggviewer.extensions.gallery.popup import TILE, Gallery, Scenarios, lines_of
from aggviewer.extensions.gallery.welcome import Welcome
from aggviewer.extensions.lessons import source as lessons
from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.systems.registry import Catalog
from aggviewer.widgets.part import picture_of, tile_folder
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from benchmarks.pictures import SCENARIOS, painted
from engine.scenario import load_scenario
from tests.waiting import laid_out
from tests.window.conftest import PATIENCE, hold, part_of

_MOST_BYTES = 13_500
"""Of a picture, on average."""


@pytest.fixture
def window(window_again: MainWindow) -> Iterator[MainWindow]:
    """The window of this file, with nothing opened before."""
    part_of(window_again, WindowSettings)._store.remove("files/recent")
    yield window_again
    part_of(window_again, Scenarios).gallery.close()


def opened(window: MainWindow, qtbot: QtBot) -> Gallery:
    """The gallery, with its tiles in their places."""
    window.commands.run("file.scenarios")
    gallery = part_of(window, Scenarios).gallery
    qtbot.waitUntil(lambda: gallery.isVisible() and gallery.delegate.pictures_read > 0, timeout=PATIENCE)
    return gallery


def marked(gallery: Gallery) -> str:
    """The title of the tile that Enter would use."""
    item = gallery.list.currentItem()
    return item.text() if item is not None else ""


# pictures


def test_there_is_no_picture_without_a_scenario_or_lesson_and_all_are_small() -> None:
    names = {
        "scenarios": {entry.name for entry in Catalog().entries},
        "lessons": {found.name for found in lessons.bundled()},
    }
    files = [path for path in tile_folder().rglob("*") if path.is_file()]
    for path in files:
        assert path.suffix == ".png"
        assert path.stem in names[path.parent.name], path
    assert sum(path.stat().st_size for path in files) <= _MOST_BYTES * len(files)


@pytest.mark.parametrize("name", ["lattice-100", "sierpinski-729"])
def test_a_picture_is_what_the_program_paints_of_the_scenario(name: str, qapp: QApplication, compiled: None) -> None:
    for ground, made in painted(load_scenario(name), SCENARIOS.get(name)).items():
        fresh, kept = (_pixels(QImage.fromData(data)) for data in (made, picture_of(name, ground).read_bytes()))
        assert fresh.shape == kept.shape
        assert np.mean(np.abs(fresh - kept)) < 2.0, "make pictures NAMES=" + name
        assert np.std(kept) > 10.0, "there is something in it"


def _pixels(image: QImage) -> np.ndarray:
    return pixels_of(image.convertToFormat(QImage.Format.Format_RGBA8888)).astype(float)[:, :, :3]


# what stands in it


@pytest.mark.slow
def test_scenarios_lessons_and_files_stand_in_groups(held: MainWindow, qtbot: QtBot, small: Path) -> None:
    part_of(held, WindowSettings).add_recent(small)
    gallery = opened(held, qtbot)
    headings = [
        item.text() for row in range(gallery.list.count()) if (item := gallery.list.item(row)) and not item.data(TILE)
    ]
    systems = [f"{kind} that {verb}" for verb in ("stick", "bounce", "jam") for kind in ("Discs", "Spheres")]
    assert headings == [*systems, "Lessons", "Opened last"]
    assert {entry.title for entry in Catalog().entries} < set(gallery.titles)
    assert any("Two, four, many" in title for title in gallery.titles)
    assert gallery.titles[-1] == "small.toml"
    for row in range(gallery.list.count()):
        item = gallery.list.item(row)
        assert item is not None
        assert item.text(), "each has an accessible name"
        tile = item.data(TILE)
        assert tile is None or item.data(Qt.ItemDataRole.AccessibleDescriptionRole) == tile.line
        assert (tile is None) == (item.flags() == Qt.ItemFlag.NoItemFlags), "headings cannot be chosen"


# using it


def test_typing_arrows_and_enter_open_a_scenario(held: MainWindow, qtbot: QtBot) -> None:
    gallery = opened(held, qtbot)
    assert gallery.field.hasFocus()
    qtbot.keyClicks(gallery.field, "latt discs")
    assert len(gallery.titles) > 2
    assert all("lattice" in title for title in gallery.titles[:2])
    first = marked(gallery)
    qtbot.keyClick(gallery.field, Qt.Key.Key_Right)
    assert marked(gallery) == gallery.titles[1] != first
    qtbot.keyClick(gallery.field, Qt.Key.Key_Left)
    qtbot.keyClick(gallery.field, Qt.Key.Key_Left)
    assert marked(gallery) == first
    assert first in gallery.field.accessibleDescription()
    gallery.field.setText("lattice-400")
    qtbot.keyClick(gallery.field, Qt.Key.Key_Return)
    assert not gallery.isVisible()
    qtbot.waitUntil(lambda: held.top_bar.scenario.text() == "400 discs on a lattice", timeout=PATIENCE)


def test_escape_leaves_everything_as_it_was_and_nothing_found_is_said(held: MainWindow, qtbot: QtBot) -> None:
    scenario = held.session.scenario
    gallery = opened(held, qtbot)
    gallery.field.setText("there is no such thing")
    assert gallery.titles == []
    item = gallery.list.item(0)
    assert item is not None
    assert item.text() == "No match"
    qtbot.keyClick(gallery.field, Qt.Key.Key_Return)
    assert gallery.isVisible(), "there is nothing to choose"
    qtbot.keyClick(gallery.field, Qt.Key.Key_Escape)
    assert not gallery.isVisible()
    assert held.session.scenario == scenario


def test_every_title_is_whole_and_the_index_leads_to_each_group(window: MainWindow, qtbot: QtBot) -> None:
    gallery = opened(window, qtbot)
    narrowest = popup._WIDTH - 2 * (popup._GAP + popup._PAD)
    bold = popup._bold(gallery.list.font())
    cut = {title: lines_of(title, bold, narrowest, popup._TITLE_LINES) for title in gallery.titles}
    assert {title for title, lines in cut.items() if "…" in lines[-1]} == set()
    gallery.field.setText("spheres")
    for entry in (gallery.entries[-1], gallery.entries[1]):
        entry.click()
        assert gallery.field.text() == "", "what was searched for no longer hides the group"
        assert [each.text() for each in gallery.entries if each.isChecked()] == [entry.text()]
        item = gallery.list.currentItem()
        assert item is not None
        heading = gallery.list.item(gallery.list.row(item) - 1)
        assert heading is not None
        assert heading.text() == entry.text()
        assert gallery.list.visualItemRect(item).top() < gallery.list.height() / 2


def test_the_running_scenario_is_marked(held: MainWindow, qtbot: QtBot) -> None:
    hold(held, "jam-256")
    qtbot.waitUntil(lambda: held.top_bar.scenario.text() == "Jamming, 256 discs", timeout=PATIENCE)
    gallery = opened(held, qtbot)
    qtbot.waitUntil(lambda: marked(gallery) == "Jamming, 256 discs", timeout=PATIENCE)
    item = gallery.list.currentItem()
    assert item is not None
    view = gallery.list.viewport()
    assert view is not None
    assert view.rect().contains(gallery.list.visualItemRect(item).center())


# the welcome tiles


def test_the_welcome_tiles_have_a_card_for_each_system_and_the_lessons(
    make_window: Callable[[], MainWindow], settings: WindowSettings, qtbot: QtBot
) -> None:
    settings.welcome_dismissed = False
    window = make_window()
    tiles = part_of(window, Welcome).shown
    assert tiles is not None
    names = [card.card.title for card in tiles.cards]
    assert names == ["Discs that stick", "Discs that bounce", "Discs that jam", "Spheres", "Lessons"]
    assert all(card.accessibleName() and card.toolTip() for card in tiles.cards)
    card = tiles.cards[0]
    for width, pictured in ((110, False), (200, True)):
        card.resize(width, card.height())
        assert card.picture.isVisibleTo(card) == pictured, "words have room first"
    qtbot.mouseClick(tiles.cards[-1], Qt.MouseButton.LeftButton)
    gallery = part_of(window, Scenarios).gallery
    qtbot.waitUntil(lambda: marked(gallery).startswith("1. "), timeout=PATIENCE)
    qtbot.waitUntil(lambda: gallery.delegate.pictures_read > 0, timeout=PATIENCE)
    gallery.close()

    gallery = opened(window, qtbot)  # from its beginning: the pictures of both places have been read, and no other one
    laid_out(gallery)
    read = gallery.delegate.pictures_read
    assert 0 < read < len(gallery.titles), "a picture that is not in sight is not read"
    gallery.close()
    assert opened(window, qtbot) is gallery
    laid_out(gallery)
    assert gallery.delegate.pictures_read == read, "they are kept"
    gallery.close()

    qtbot.mouseClick(tiles.cards[-1], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: marked(gallery).startswith("1. "), timeout=PATIENCE)
    qtbot.keyClick(gallery.field, Qt.Key.Key_Return)
    assert part_of(window, Lessons).on
