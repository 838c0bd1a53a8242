"""A plug-in that is loaded while the window is open: menus, inspector, layers and plots follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QMimeData, Qt, QUrl
from PyQt6.QtWidgets import QCheckBox, QMessageBox, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.canvas.layers import registry as layers
from aggviewer.lessons.source import bundled
from aggviewer.session import Notice
from aggviewer.systems import registry as looks
from aggviewer.widgets import file_dialogs
from aggviewer.window.commands.help import SystemInformation
from aggviewer.window.console.console import Console
from aggviewer.window.files.opening import dropped_file
from aggviewer.window.files.plug_ins import PlugIns
from aggviewer.window.lesson.lessons import Lessons
from aggviewer.window.main_window import MainWindow
from aggviewer.window.picture.layer_list import LayerList
from aggviewer.window.presenting.presenter import Presenter
from engine import indicators, plugins
from engine.files import formats
from engine.scenario import Scenario, tables
from tests.extension.conftest import POINTS
from tests.extension.test_layer import RINGS
from tests.extension.test_window import found_in_palette, frame_of, run_to, texts
from tests.waiting import delete_now
from tests.window.conftest import hold, part_of, put_away, put_back, settings_in, shown, wait_until
from tests.window.conftest import qapp as qapp
from tests.window.conftest import surface as surface

RING_MAKER = RINGS.partition("PLUG_POINTS = 1\n")[2].partition("def register")[0]
TEXT = (
    POINTS.read_text(encoding="utf-8").replace("def register(", RING_MAKER.strip() + "\n\n\ndef register(")
    + '    points.layer("rings", rings)\n'
)
GAS = Scenario().with_values({"system": "hard-discs", "discs.count": 100})


@pytest.fixture(scope="module")
def opened(qapp, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """One window for all tests of this file."""
    folder = tmp_path_factory.mktemp("settings")
    (folder / "gas.toml").write_text(GAS.to_toml(), encoding="utf-8")
    made = [shown(settings_in(folder))]
    hold(made[0], folder / "gas.toml")
    for variant in ({"hard_discs.restitution": 0.5}, None):  # a second simulation has a thread that stays
        made[0].session.compare(variant)
        wait_until(lambda count=1 if variant is None else 2: len(made[0].canvases.canvases) == count)  # type: ignore[misc]
    yield made[0]
    put_away(made)


@pytest.fixture
def window(opened: MainWindow, tmp_path: Path, registries_as_they_were: tuple[Any, ...]) -> Iterator[MainWindow]:
    """The window with a gas, paused, and without a plug-in; after a test it is so again."""
    gas = tmp_path / "gas.toml"
    gas.write_text(GAS.to_toml(), encoding="utf-8")
    yield opened
    part_of(opened, Lessons).leave()
    put_back(opened)
    hold(opened, gas)
    # what was loaded is taken out, and the window follows with the next plug-in
    registries = (tables.SYSTEMS, indicators.INDICATORS, formats.FORMATS)
    for registry, parts in zip(registries, registries_as_they_were, strict=True):
        registry.parts = parts
    plugins.LATE_PARTS.parts = ()
    nothing = tmp_path / "nothing.py"
    nothing.write_text("PLUG_POINTS = 1\n\n\ndef register(points): ...\n", encoding="utf-8")
    assert plugins.load_file(nothing).problem == ""
    opened.stage.toasts.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(TEXT, encoding="utf-8")
    return path


def told(window: MainWindow) -> list[Notice]:
    return [toast.notice for toast in window.stage.toasts.toasts]


def loaded(window: MainWindow, file: Path) -> None:
    """Load the plug-in as from the console."""
    part_of(window, PlugIns).load(file)
    assert [notice.title for notice in told(window)] == [f"{file.name} is loaded"]


def answer(monkeypatch: pytest.MonkeyPatch, file: Path, button: str) -> list[str]:
    """Choose this file, and that button of what is asked then; gives what was asked."""
    asked: list[str] = []

    def click(box: QMessageBox) -> int:
        asked.append(f"{box.text()} {box.informativeText()}")
        found = {one.text().replace("&", ""): one for one in box.findChildren(QPushButton)}
        box.show()
        found[button].click()
        return 0

    monkeypatch.setattr(file_dialogs, "ask_open", lambda *_: file)
    monkeypatch.setattr(QMessageBox, "exec", click)
    return asked


def rows_of_layers(window: MainWindow) -> list[str]:
    """What the list of layers has, from above."""
    window.commands.run("view.layers")
    popup = part_of(window, LayerList)
    found = [box for box in popup.findChildren(QCheckBox) if box.isVisibleTo(popup)]
    popup.close()
    return [box.text() for box in sorted(found, key=lambda box: box.y())]


def systems_offered(window: MainWindow) -> list[str]:
    return list(window.parameters.rows["system"].field.choices)


def test_a_person_loads_a_file_and_runs_what_is_in_it(
    window: MainWindow, file: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = QMimeData()  # a Python file is not among what can be opened or dropped
    data.setUrls([QUrl.fromLocalFile(str(file))])
    assert dropped_file(data) is None
    assert "*.py" not in file_dialogs.open_filter()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    answer(monkeypatch, file, "Cancel")
    window.commands.action("file.load_plug_in").trigger()
    assert plugins.known() == ()
    asked = answer(monkeypatch, file, "Load")
    window.commands.action("file.load_plug_in").trigger()
    assert len(asked) == 1
    assert asked[0].startswith("Load mine.py? A plug-in is a program and can do anything on this computer")
    (notice,) = told(window)
    assert (notice.title, notice.level) == ("mine.py is loaded", "info")
    assert "system points" in notice.text
    assert "layer rings" in notice.text
    window.commands.update()
    assert {"Rings", "Colour by impacts with walls"} <= {command.text for command in window.commands}
    assert rows_of_layers(window)[0] == "Rings"
    assert systems_offered(window)[-1] == "points"
    assert window.session.status().system == "hard-discs", "what runs is left alone"

    window.parameters.rows["system"].editor.edited.emit("points")  # the chooser of the inspector
    wait_until(lambda: window.session.status().system == "points")
    wait_until(lambda: [card.title for card in window.plots.cards] == ["Impacts"])
    wait_until(lambda: window.parameters.rows["points.heat"].isVisibleTo(window.parameters))
    wait_until(lambda: "Heat up" in texts(window.menuBar()))
    assert window.top_bar.color_by.itemText(0) == "Impacts with walls"
    run_to(window, 20.0)
    window.commands.run("view.show_rings")
    wait_until(lambda: "rings" in window.canvas.scene.of_frame)
    impacts = frame_of(window).fields["hits"].sum() // 100 * 100
    assert impacts > 0
    card = window.plots.cards[0]
    wait_until(lambda: card.shows_data and card.drawings[0]["curve"].y[-1] == impacts)
    assert found_in_palette(window, qtbot, "heat up") == 1


BROKEN = [
    ("def register(points", "def register(points))", "SyntaxError: unmatched ')' (mine.py, line "),
    ('"Ctrl+Shift+H"', '"Ctrl+Q"', "Ctrl+Q is already the key of file.quit"),
    ('name, label, tip = "rings"', 'name, label, tip = "forces"', "there is a layer forces already"),
    ("    return Rings()", "    return 3", "what it adds as a layer is of the type int, not a Layer"),
    ('return PointsView("points")', "return 3", "what it adds as a view is of the type int, not a SystemView"),
    ("    return Command(\n", "    return Command(1 / 0)\n    Command(\n", "ZeroDivisionError: division by zero"),
]
"""What is replaced in the file, and what is said of it then."""


def test_nothing_of_a_broken_file_is_there_and_a_mended_one_is_loaded(
    window: MainWindow, file: Path, tmp_path: Path
) -> None:
    def all_that_is_there() -> list[object]:
        ids = sorted((command.id, command.keys) for command in window.commands)
        found = [ids, sorted(texts(window.menuBar())), layers.layers(), looks.views(), window.plots.cards]
        return [*found, list(window.parameters.rows), list(window.parameters.rows["system"].field.choices)]

    before = all_that_is_there()
    for old, new, words in BROKEN:
        assert old in TEXT
        file.write_text(TEXT.replace(old, new), encoding="utf-8")
        part_of(window, PlugIns).load(file)
        (notice,) = told(window)
        assert notice.level == "error"
        assert notice.title.startswith("mine.py was not loaded: ")
        assert words in notice.title
        assert notice.text == "Nothing was added"
        assert bool(notice.details) == ("Error: " in words)
        assert all_that_is_there() == before
        window.stage.toasts.close()
    file.write_text(TEXT, encoding="utf-8")
    loaded(window, file)
    assert "points" in systems_offered(window)

    # another process, which looks around for the report, does not know it
    dialog = SystemInformation(window)
    dialog._on_finished()
    assert "  mine.py  system points, indicator mean_height, view points" in dialog.text.toPlainText()
    dialog.done(0)

    # a key of two plug-ins is the first one's
    second = tmp_path / "second.py"
    second.write_text(
        TEXT.replace("points", "seconds").replace("mean_height", "second_height").replace('"rings"', '"second rings"'),
        encoding="utf-8",
    )
    found = plugins.load_file(second)
    assert found.problem == "Ctrl+Shift+H is already the key of points.heat_up"
    assert "seconds" not in systems_offered(window)
    assert [command.id for command in window.commands if command.id.startswith(("points.", "seconds."))] == [
        "points.heat_up"
    ]


@pytest.mark.slow
def test_the_console_loads_once(window: MainWindow, file: Path) -> None:
    names = part_of(window, Console)._names.lasting["window"]
    with pytest.raises(ValueError, match=r"there is no plug-in none\.py"):
        names.load_plugin("none.py")
    names.load_plugin(str(file))
    assert plugins.known() == (), "when the cell is through"
    wait_until(lambda: "points" in systems_offered(window))
    file.write_text(TEXT.replace("Free points", "Quick points"), encoding="utf-8")
    names.load_plugin(file)
    wait_until(lambda: told(window)[-1].title == "mine.py is already loaded")
    assert window.parameters.rows["system"].field.choices["points"] == "Free points"


@pytest.mark.slow
def test_another_look_of_the_system_that_runs_and_a_command_of_a_bar_are_there_at_once(
    window: MainWindow, file: Path
) -> None:
    file.write_text(LOOK, encoding="utf-8")
    loaded(window, file)
    wait_until(lambda: [card.title for card in window.plots.cards] == ["Clock"])
    assert window.commands.action("plots.1").text() == "Plot Clock"
    wait_until(lambda: window.plots.cards[0].shows_data)
    found = buttons_of(window.top_bar)
    assert found.count("Ring the bell") == 1
    assert len(found) == len(set(found))
    presenting = buttons_of(part_of(window, Presenter).tools.teacher)
    assert len(presenting) == len(set(presenting)) > 3


def buttons_of(bar: QWidget) -> list[str]:
    delete_now()
    return [button.accessibleName() for button in bar.findChildren(QToolButton) if button.accessibleName()]


LOOK = """PLUG_POINTS = 1


def view():
    from functools import cache

    from aggviewer.plots.drawing import Axes
    from aggviewer.systems.base import SystemView
    from aggviewer.systems.plain_plots import HistoryPlot

    class ClockPlot(HistoryPlot):
        title, column, symbol = "Clock", "kinetic_energy", "E"
        axes = Axes("t", "E")

    class View(SystemView):
        def plots(self):
            return (ClockPlot(),)

    return View("hard-discs")


def bell(session):
    from aggviewer.widgets.command import Command, Place

    return Command("bell.ring", "Ring the bell", session.pause, icon="mdi6.bell", bar=Place("left", 5, 1))


def register(points):
    points.view("hard-discs", view)
    points.command("bell.ring", bell)
"""


@pytest.mark.slow
def test_it_is_loaded_in_presenter_mode_and_in_a_lesson(window: MainWindow, file: Path) -> None:
    """What runs goes on, and both can be left."""
    lessons, presenter = part_of(window, Lessons), part_of(window, Presenter)
    lessons.open(bundled()[0].folder)
    wait_until(lambda: lessons.on)
    presenter.toggle()
    loaded(window, file)
    assert lessons.on
    presenter.tools.teacher.choose("points.heat")
    presenter.tools.teacher.choose("")
    presenter.toggle()
    lessons.leave()
    assert np.isfinite(window.session.status().time)
