"""A plug-in that is loaded, and loaded again, while the window is open: menus, inspector, layers and plots follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QMimeData, Qt, QUrl
from PyQt6.QtWidgets import QCheckBox, QMessageBox, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.canvas.layers import registry as layers
from aggviewer.lessons.source import bundled
from aggviewer.session import Notice
from aggviewer.systems import registry as looks
from aggviewer.window.commands.help import SystemInformation
from aggviewer.window.console.console import Console
from aggviewer.window.dialogs.film_job import Films
from aggviewer.window.files import file_dialogs
from aggviewer.window.files.opening import dropped_file
from aggviewer.window.files.plug_ins import PlugIns
from aggviewer.window.lesson.lessons import Lessons
from aggviewer.window.main_window import MainWindow
from aggviewer.window.picture.layer_list import LayerList
from aggviewer.window.presenting.presenter import Presenter
from engine import plugins
from engine.scenario import Scenario
from tests.extension.conftest import POINTS
from tests.extension.test_layer import RINGS
from tests.extension.test_reload import DRAG, HEAT
from tests.extension.test_window import found_in_palette, frame_of, run_to, texts
from tests.waiting import delete_now
from tests.window.conftest import hold, load, part_of, put_away, put_back, settings_in, shown, wait_until
from tests.window.conftest import qapp as qapp
from tests.window.conftest import surface as surface

RING_MAKER = RINGS.partition("PLUG_POINTS = 1\n")[2].partition("def register")[0]
TEXT = (
    POINTS.read_text(encoding="utf-8").replace("def register(", RING_MAKER.strip() + "\n\n\ndef register(")
    + '    points.layer("rings", rings)\n'
)
GAS = Scenario().with_values({"system": "hard-discs", "discs.count": 100})
SOFT = ("self._velocity[point, axis] *= -1.0", "self._velocity[point, axis] *= -0.5")
Edit = Callable[..., None]


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
def window(opened: MainWindow, tmp_path: Path, registries_as_they_were: None) -> Iterator[MainWindow]:
    """The window with a gas, paused, and without a plug-in; after a test it is so again."""
    gas = tmp_path / "gas.toml"
    gas.write_text(GAS.to_toml(), encoding="utf-8")
    yield opened
    part_of(opened, Lessons).leave()
    put_back(opened)
    hold(opened, gas)
    plugins.LATE_PARTS.parts = ()
    for one in plugins.known():
        path = tmp_path / "nothing.py"
        path.write_text("PLUG_POINTS = 1\n\n\ndef register(points): ...\n", encoding="utf-8")
        Path(one.source).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        assert plugins.load_file(one.source, again=True).problem == ""
    opened.stage.toasts.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture
def edit(window: MainWindow, file: Path) -> Edit:
    """Change pieces of the file, and reload as a person does."""

    def change(*pairs: tuple[str, str]) -> None:
        text = file.read_text(encoding="utf-8")
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")
        window.stage.toasts.close()
        window.commands.update()
        window.commands.action("file.reload_plug_ins").trigger()

    return change


def told(window: MainWindow) -> list[Notice]:
    return [toast.notice for toast in window.stage.toasts.toasts]


def points_file(folder: Path, **values: object) -> Path:
    path = folder / "points.toml"
    keys = {f"points.{key}": value for key, value in values.items()}
    path.write_text(Scenario().with_values({"system": "points", "discs.count": 100} | keys).to_toml())
    return path


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

    monkeypatch.setattr(file_dialogs, "ask_plug_in", lambda *_: file)
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
    assert not window.commands.action("file.reload_plug_ins").isEnabled()
    assert "No plug-in file is loaded" in window.commands.action("file.reload_plug_ins").toolTip()
    answer(monkeypatch, file, "Cancel")
    window.commands.action("file.load_plug_in").trigger()
    assert plugins.known() == ()
    asked = answer(monkeypatch, file, "Load")
    window.commands.action("file.load_plug_in").trigger()
    assert len(asked) == 1
    assert asked[0].startswith("Load mine.py? A plug-in is a program: it can do on this computer all that you can do.")
    (notice,) = told(window)
    assert (notice.title, notice.level) == ("mine.py is loaded", "info")
    assert "system points" in notice.text
    assert "layer rings" in notice.text
    window.commands.update()
    assert window.commands.action("file.reload_plug_ins").isEnabled()
    assert {"Rings", "Colour by impacts with walls"} <= {command.text for command in window.commands}
    assert "Rings" in texts(window.menuBar())
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
    wait_until(lambda: window.plots.cards[0].items[0].curve.yData[-1] == impacts)
    assert found_in_palette(window, qtbot, "heat up") == 1


def test_a_file_that_was_changed_is_there_in_its_new_look_while_the_run_goes_on_as_it_began(
    window: MainWindow, file: Path, edit: Edit, tmp_path: Path
) -> None:
    loaded(window, file)
    load(window, points_file(tmp_path, heat=2.0), run=True)
    wait_until(lambda: window.session.status().time > 1.0)
    window.commands.run("view.show_rings")
    (card,) = window.plots.cards
    energy = frame_of(window).kinetic_energy
    window.parameters.rows["discs.count"].editor.edited.emit(90)  # a change that is not run yet
    window.parameters.bar.at_once.setChecked(False)
    edit(
        SOFT,
        (HEAT, DRAG),
        ('title = "Impacts"', 'title = "All impacts"'),
        ('"Ctrl+Shift+H"', '"Ctrl+Shift+J"'),
        ('"Rings", "A ring around', '"Wheels", "A ring around'),
        ("points.layer", "points.command('points.more', more)\n    points.layer"),
        ("def register", MORE + "def register"),
    )
    (toast,) = window.stage.toasts.toasts
    assert toast.notice.title == "mine.py is loaded again"
    assert toast.notice.text == "Free points goes on as it was before, until it is started anew"
    assert rows_of_layers(window)[0] == "Wheels"
    wait_until(lambda: "rings" in window.canvas.scene.of_frame)
    bar = texts(window.menuBar())
    assert {"Wheels", "Heat up", "More"} <= set(bar)
    assert "Rings" not in bar
    assert bar.count("Heat up") == 1
    assert window.commands.action("points.heat_up").shortcut().toString() == "Ctrl+Shift+J"
    assert window.parameters.rows["points.drag"].editor.isVisibleTo(window.parameters)
    # the run is what it was: its plots, its physics, and what can be changed in it
    assert window.plots.cards == (card,)
    before = window.session.status().time
    wait_until(lambda: window.session.status().time > before + 5.0)
    assert frame_of(window).kinetic_energy == pytest.approx(energy), "the walls of before take nothing"
    window.commands.run("points.heat_up")
    window.session.set_parameter("points.heat", 4.0)
    wait_until(lambda: frame_of(window).kinetic_energy == pytest.approx(4.0 * energy))
    wait_until(lambda: len(card.items[0].curve.xData) > 2)
    window.session.set_parameter("points.drag", 0.5)
    wait_until(lambda: any("drag cannot change" in notice.title.lower() for notice in told(window)))

    (button,) = [one for one in toast.findChildren(QPushButton) if one.text() == "Start anew"]
    button.click()
    wait_until(lambda: not window.refresher.shown().system.former)
    wait_until(lambda: [card.title for card in window.plots.cards] == ["All impacts"])
    wait_until(lambda: frame_of(window).kinetic_energy < 3.0 * energy)
    assert window.session.scenario.value("points.heat") == 4.0
    curve = window.plots.cards[0].items[0].curve
    wait_until(lambda: curve.xData is not None and len(curve.xData) > 2)
    window.session.set_parameter("points.drag", 0.5)
    wait_until(lambda: window.session.scenario.value("points.drag") == 0.5)


MORE = """def more(session):
    from aggviewer.widgets.command import Command, Place

    return Command("points.more", "More", lambda: None, menu=Place("Points", 1, 1))


"""


BROKEN = [
    ("def register(points", "def register(points))", "SyntaxError: unmatched ')' (mine.py, line "),
    ('"Ctrl+Shift+H"', '"Ctrl+Q"', "Ctrl+Q belongs to file.quit already"),
    ('name, label, tip = "rings"', 'name, label, tip = "forces"', "there is a layer forces already"),
    ("    return Rings()", "    return 3", "what it adds as a layer is of the type int, not a Layer"),
    ('return PointsView("points")', "return 3", "what it adds as a view is of the type int, not a SystemView"),
    ("    return Command(\n", "    return Command(1 / 0)\n    Command(\n", "ZeroDivisionError: division by zero"),
    ("    points.system(PointSystem())\n", "", "it has no system points any more, which runs now"),
]
"""What is replaced in the file, and what is said of it then."""


def test_a_file_that_was_broken_leaves_all_as_it_was(
    window: MainWindow, file: Path, edit: Edit, tmp_path: Path
) -> None:
    loaded(window, file)
    text = file.read_text(encoding="utf-8")

    def all_that_is_there() -> list[object]:
        ids = sorted((command.id, command.keys) for command in window.commands)
        found = [ids, sorted(texts(window.menuBar())), layers.layers(), looks.views(), window.plots.cards]
        return [*found, list(window.parameters.rows), plugins.known(), window.parameters.form]

    for old, new, words in BROKEN:
        hold(window, points_file(tmp_path))  # a run of the version that is loaded now
        wait_until(lambda: "Heat up" in texts(window.menuBar()))
        before = all_that_is_there()
        edit((old, new))
        (notice,) = told(window)
        assert notice.level == "error"
        assert notice.title.startswith("mine.py is not loaded again: ")
        assert words in notice.title
        assert notice.text == "What it added before stays as it was"
        assert bool(notice.details) == ("Error: " in words)
        assert all_that_is_there() == before
        window.commands.run("points.heat_up")
        wait_until(lambda: window.session.scenario.value("points.heat") == 2.0)
        file.write_text(text, encoding="utf-8")
        edit()
        assert [notice.title for notice in told(window)] == ["mine.py is loaded again"]


def test_the_console_loads_and_loads_again(window: MainWindow, file: Path) -> None:
    hands = part_of(window, Console)._names.lasting["window"]
    with pytest.raises(ValueError, match="No plug-in file is loaded: load one first"):
        hands.reload_plugins()
    with pytest.raises(ValueError, match=r"there is no plug-in none\.py"):
        hands.load_plugin("none.py")
    hands.load_plugin(str(file))
    assert plugins.known() == (), "when the cell is through"
    wait_until(lambda: "points" in systems_offered(window))
    file.write_text(TEXT.replace("Free points", "Quick points"), encoding="utf-8")
    hands.load_plugin(file)  # once more is again
    wait_until(lambda: window.parameters.rows["system"].field.choices["points"] == "Quick points")
    file.write_text(TEXT.replace("Free points", "Slow points"), encoding="utf-8")
    hands.reload_plugins()
    wait_until(lambda: window.parameters.rows["system"].field.choices["points"] == "Slow points")
    file.unlink()
    hands.reload_plugins()
    wait_until(lambda: told(window)[-1].level == "error")
    assert told(window)[-1].title == "mine.py is not loaded again: there is no such file any more"
    assert window.parameters.rows["system"].field.choices["points"] == "Slow points"


def test_a_new_version_of_a_layer_gets_nothing_of_the_old_one(window: MainWindow, file: Path, edit: Edit) -> None:
    """Neither what it took, nor its memory, nor its failure."""
    loaded(window, file)
    window.commands.run("view.show_rings")
    wait_until(lambda: "rings" in window.canvas.scene.of_frame)
    taken = "return moment.frame.positions.copy(), moment.radii * moment.frame.radius_factor"
    other = "moment.memory.append(1)\n            return [moment.frame.positions.copy()], moment.radii.copy(), 1"
    edit((taken, other), ("Circles(data[0],", "Circles(data[0][0],"), ("        def take", MEMORY))
    wait_until(lambda: len(window.canvas.scene.of_frame.get("rings", ())) == 3)
    edit(("data[0][0]", "data[0][9]"))
    wait_until(lambda: any("“Rings” is left out" in notice.title for notice in told(window)))
    wait_until(lambda: "rings" not in window.session.view.layers)
    edit(("data[0][9]", "data[0][0]"))
    window.commands.run("view.show_rings")
    wait_until(lambda: len(window.canvas.scene.of_frame.get("rings", ())) == 3)
    assert all(notice.level == "info" for notice in told(window))


MEMORY = """        def new_memory(self):
            return []

        def take"""


def test_the_look_alone_is_exchanged_at_once(window: MainWindow, tmp_path: Path, edit: Edit, file: Path) -> None:
    """A plug-in with another view of a system that stays: the plots of the run are those of now."""
    file.write_text(LOOK, encoding="utf-8")
    loaded(window, file)
    wait_until(lambda: [card.title for card in window.plots.cards] == ["Clock"])
    edit(('"Clock"', '"Watch"'))
    assert [notice.text for notice in told(window)] == [""], "the run is that of now"
    assert [card.title for card in window.plots.cards] == ["Watch"]
    assert window.commands.action("plots.1").text() == "Plot Watch"
    wait_until(lambda: window.plots.cards[0].items[0].curve.xData is not None)


LOOK = """PLUG_POINTS = 1


def view():
    from functools import cache

    from aggviewer.plots.axes import thin_history
    from aggviewer.plots.view import Axes
    from aggviewer.systems.base import SystemView
    from aggviewer.systems.plain_plots import HistoryPlot

    class ClockPlot(HistoryPlot):
        title, column, symbol = "Clock", "kinetic_energy", "E"
        axes = Axes("t", "E")

    class View(SystemView):
        def plots(self):
            return (ClockPlot,)

    return View("hard-discs")


def register(points):
    points.view("hard-discs", view)
"""


def test_nothing_is_exchanged_while_a_film_is_made(
    window: MainWindow, file: Path, edit: Edit, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded(window, file)
    before = plugins.known(), layers.layers()
    monkeypatch.setattr(Films, "busy", True)
    edit(("Rings", "Wheels"))
    assert "a film is being made" in told(window)[0].title
    assert (plugins.known(), layers.layers()) == before


def test_it_is_loaded_again_in_every_situation(window: MainWindow, file: Path, edit: Edit, tmp_path: Path) -> None:
    """In a comparison, in presenter mode and in a lesson; what runs goes on, and everything can be left."""
    loaded(window, file)
    hold(window, points_file(tmp_path))
    window.session.compare({"points.heat": 3.0})
    wait_until(lambda: len(window.canvases.canvases) == 2)
    window.session.run()
    wait_until(lambda: window.refresher.shown() is not None and frame_of(window).time > 1.0)
    window.commands.run("view.show_rings")
    edit((HEAT, DRAG), SOFT)
    assert [notice.level for notice in told(window)] == ["info"]
    time = window.session.status().time
    wait_until(lambda: window.session.status().time > time + 1.0)
    wait_until(lambda: all("rings" in canvas.scene.of_frame for canvas in window.canvases.canvases))
    window.session.compare(None)
    wait_until(lambda: len(window.canvases.canvases) == 1)
    wait_until(lambda: window.refresher.shown() is not None and window.refresher.shown(1) is None)

    presenter = part_of(window, Presenter)
    presenter.toggle()
    presenter.teacher.choose("points.drag")
    assert presenter.teacher.control is not None
    edit((DRAG, HEAT))
    assert presenter.teacher.control is None
    edit((HEAT, DRAG))
    assert presenter.teacher.control is not None
    presenter.teacher.choose("")
    presenter.toggle()

    lessons = part_of(window, Lessons)
    lessons.open(bundled()[0].folder)
    wait_until(lambda: lessons.on)
    edit(("Rings", "Wheels"))
    assert [notice.level for notice in told(window)] == ["info"]
    assert lessons.on
    lessons.leave()
    assert np.isfinite(window.session.status().time)


def test_a_key_or_a_menu_of_two_plug_ins_is_the_first_ones(window: MainWindow, file: Path, tmp_path: Path) -> None:
    loaded(window, file)
    second = tmp_path / "second.py"
    second.write_text(
        TEXT.replace("points", "seconds").replace("mean_height", "second_height").replace('"rings"', '"second rings"'),
        encoding="utf-8",
    )
    found = plugins.load_file(second, again=True)
    assert found.problem == "Ctrl+Shift+H belongs to points.heat_up already"
    assert "seconds" not in systems_offered(window)
    assert [command.id for command in window.commands if command.id.startswith(("points.", "seconds."))] == [
        "points.heat_up"
    ]


def test_commands_of_a_bar_come_and_go_with_their_plug_in(window: MainWindow, file: Path, edit: Edit) -> None:
    file.write_text(BAR, encoding="utf-8")
    loaded(window, file)
    assert buttons_of(window.top_bar).count("Ring the bell") == 1
    edit(("Ring the bell", "Toll the bell"))
    found = buttons_of(window.top_bar)
    assert found.count("Toll the bell") == 1
    assert "Ring the bell" not in found
    assert len(found) == len(set(found))
    presenting = buttons_of(part_of(window, Presenter).teacher)
    assert len(presenting) == len(set(presenting)) > 3


def buttons_of(bar: QWidget) -> list[str]:
    delete_now()
    return [button.accessibleName() for button in bar.findChildren(QToolButton) if button.accessibleName()]


BAR = """PLUG_POINTS = 1


def bell(session):
    from aggviewer.widgets.command import Command, Place

    return Command("bell.ring", "Ring the bell", session.pause, icon="mdi6.bell", bar=Place("left", 5, 1))


def register(points):
    points.command("bell.ring", bell)
"""


def test_files_load_nothing(window: MainWindow, file: Path, qtbot: QtBot) -> None:
    """A Python file is not among what can be opened or dropped."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    assert dropped_file(data) is None
    assert "*.py" not in file_dialogs.open_filter()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert plugins.known() == ()


def test_the_system_information_names_what_is_loaded_here(window: MainWindow, file: Path) -> None:
    """Another process, which looks around for the report, does not know it."""
    loaded(window, file)
    dialog = SystemInformation(window)
    dialog._on_finished()
    assert "  mine.py  system points, indicator mean_height, view points" in dialog.text.toPlainText()
    dialog.done(0)
