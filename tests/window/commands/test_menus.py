"""What menus, palette and sheet of keys make of the commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication, QGridLayout, QLabel, QMainWindow, QMenu, QMenuBar
from pytestqt.qtbot import QtBot

from aggviewer.lessons.source import bundled
from aggviewer.session import Session
from aggviewer.systems.registry import view_of
from aggviewer.systems.running import RunningSystem
from aggviewer.widgets.command import Command, Place, Submenu
from aggviewer.widgets.command_set import CommandSet
from aggviewer.window.commands.help import CommandPalette, KeySheet
from aggviewer.window.commands.top_bar import fill_menu_bar
from aggviewer.window.main_window import MainWindow
from tests.window.conftest import part_of, put_away, settings_in

MENUS = """
&File
    Open…  [Ctrl+O]
    Scenarios…  [G]
    Open recent
    Kept work
    Save session…  [Ctrl+Alt+S]
    Save scenario…  [Ctrl+S]
    Save state as…  [Ctrl+E]
    Save selected discs as…
    Save contacts…
    ---
    Record…  [Ctrl+R]
    Film…  [Ctrl+F]
    Snapshot  [S]
    Export picture…  [Ctrl+Shift+S]
    Export plots…  [Ctrl+P]
    Export figure…  [Ctrl+Shift+F]
    Copy the picture  [Ctrl+C]
    ---
    Load plug-in…
    ---
    Quit  [Ctrl+Q]
&Edit
    Undo  [Ctrl+Z]
    Redo  [Ctrl+Shift+Z Ctrl+Y]
    ---
    Select all discs  [Ctrl+A]
    Select nothing
    Invert the selection  [Ctrl+I]
    Select whole clusters
    Select discs by condition…  [/]
    ---
    Select by box
    Select by lasso
    ---
    Copy as Python  [Ctrl+Alt+C]
&Run
    Run or pause  [Space]
    Single event  [Right]
    Single frame  [Shift+Right .]
    ---
    Restart  [R]
    Restart with a new seed  [Shift+R]
    ---
    Jam this  [J]
    Jam the next seed  [Shift+J]
    Jam the next seeds…
    Take out of the packing  [Ctrl+Del]
    ---
    Back by one frame  [Left]
    To the present  [End]
    Start from here  [N]
    Play backwards  [B]
    Loop  [L]
    ---
    Line of time: log scale
    Memory for looking back…
    ---
    Slower  [-]
    Faster  [+ =]
    Fast  [A]
    No limit  [Shift+A]
    ---
    Study…  [Ctrl+Shift+D]
    Studies
&Method
    Event-driven  [E]
    Time stepping  [T]
    ---
    Compare  [C]
    Compare from the start  [Ctrl+Shift+C]
    Compare two time steps  [Shift+C]
    ---
    Inside one step  [I]
&View
    Fit the box  [F]
    ---
    Colour by
        Colour by cluster
        Colour by cluster size
        Colour by speed
        Colour by direction of the velocity
        Colour by time since the last merge
        Colour by contacts
        Colour by radius over the mean
        Colour by local density
        Colour by hexatic order
        Colour by angle of the hexatic order
        Colour by collisions
        Colour by time since contact
        Colour by pressure
        Colour by sum of forces
        Colour by largest force
        Colour by rattlers
        Colour by extra self-stress
    Colour map
        Colour map viridis
        Colour map cividis
        Colour map plasma
        Colour map magma
        Colour map batlow
    Scale of the colours…  [U]
    Background
        Dark background
        Light background
        Black background
        White background
    Theme
        Theme: as the desktop
        Theme: dark
        Theme: light
        Theme: projector
        ---
        Projector theme in presenter mode
    Drawn by
        Draw with the faster one
        Draw with OpenGL
        Draw with the processor
    Discs
        Follow
        Show its path
        Colour by the distance from it
        ---
        Isolate
        Hide
        Show all discs
        ---
        History of merges…
    ---
    Scale bar
    Legend
    Time in the picture
    Outline of the box
    Marks of the selection
    Selection in pictures
    Layers…  [Y]
    Local density
    Cluster hulls
    Voronoi cells
    Force network  [W]
    Contacts
    Tracks
    Velocity arrows  [V]
    Flash contacts  [X]
    Measurements and notes
    ---
    Parameters  [F9]
    Plots  [F10]
    Table of discs  [F8]
    One plot alone
        Plot N(ε), fractal dimension  [1]
        Plot P(r)  [2]
        Plot Contacts  [3]
        Plot Clusters and energy  [4]
        Plot Convergence  [5]
        Plot Cluster sizes  [6]
        Plot Scaling of cluster sizes  [7]
        Plot S(k)  [8]
        Plot Cluster profile  [9]
        Plot C(r) of velocities  [0]
        Plot least N(ε), minimum cover
        Plot 12
    Keep as reference  [K]
    Python console  [Ctrl+`]
    ---
    Presenter mode  [P]
    Full screen  [F11]
&Measure
    Distance  [M]
    Angle
    Density in a rectangle
    ---
    Note
    ---
    List of marks  [Shift+M]
    Name the mark…
    Delete the mark  [Del]
    Delete all marks
    ---
    Copy the numbers
&Help
    Commands…  [Ctrl+Shift+P]
    Keys  [? F1]
    Welcome
    ---
    Lessons
    System information…
    About aggviewer…
""".strip()

KEYS = {
    "Run": "Run or pause, Single event, Single frame, Restart, Restart with a new seed, Jam this, Back by one frame, "
    "To the present, Start from here, Play backwards, Loop, Slower, Faster, Fast, No limit, Study",
    "Method": "Event-driven, Time stepping, Compare, Compare from the start, Compare two time steps, Inside one step",
    "View": "Fit the box, Scale of the colours, Layers, Flash contacts, Parameters, Plots, "
    "Table of discs, Python console, Presenter mode, Full screen, Leave",
    "Plots": "Keep as reference, Plot N(ε), fractal dimension, Plot P(r), Plot Contacts, Plot Clusters and energy, "
    "Plot Convergence, Plot Cluster sizes, Plot Scaling of cluster sizes, Plot S(k), Plot Cluster profile, "
    "Plot C(r) of velocities",
    "File": "Open, Scenarios, Save session, Save scenario, Save state as, Record, Film, Snapshot, "
    "Export picture, Export plots, Export figure, Copy the picture, Quit",
    "Help": "Commands, Keys, Next step of the lesson, Step back in the lesson",
    "Edit": "Undo, Redo, Select all discs, Invert the selection, Select discs by condition, Copy as Python",
    "Measure": "Distance, List of marks, Delete the mark",
}


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    """A window with nothing in it, which is not on the screen."""
    made = MainWindow(Session(), settings_in(tmp_path))
    yield made
    put_away([made])


def tree(menu: QMenu | QMenuBar, without: tuple[str, ...] = (), depth: int = 0) -> list[str]:
    """A line for each entry. without : menus whose entries are left out."""
    lines = []
    for action in menu.actions():
        keys = " ".join(key.toString() for key in action.shortcuts())
        text = "---" if action.isSeparator() else action.text()
        lines.append(f"{' ' * 4 * depth}{text}{f'  [{keys}]' if keys else ''}")
        inner = action.menu()
        if inner is not None and not text.startswith(without or "\n"):
            lines += tree(inner, without, depth + 1)
    return lines


def test_the_menu_of_lessons_has_the_lessons_in_their_order_and_the_ways_through_one(window: MainWindow) -> None:
    lessons = [f"{number}. {found.lesson.title}" for number, found in enumerate(bundled(), 1)]
    ways = [
        "---",
        "Next step of the lesson  [PgDown]",
        "Step back in the lesson  [PgUp]",
        "This step once more",
        "Begin the lesson again",
        "Leave the lesson",
    ]
    menus = [menu for menu in window.findChildren(QMenu) if menu.title() == "Lessons"]
    assert len(menus) == 1
    assert tree(menus[0])[: len(lessons) + len(ways)] == lessons + ways


def sheet_of(commands: CommandSet) -> dict[str, str]:
    """Title of each group of the sheet of keys to what stands there."""
    sheet = KeySheet(commands)
    found = {}
    for grid in sheet.findChildren(QGridLayout):
        labels = [grid.itemAtPosition(row, 1 if row else 0) for row in range(grid.rowCount())]
        texts = [item.widget().text() for item in labels if item is not None and isinstance(item.widget(), QLabel)]
        found[texts[0]] = ", ".join(texts[1:])
    sheet.deleteLater()
    return found


def test_the_menus_are_as_they_were(window: MainWindow) -> None:
    menu_bar = window.menuBar()
    assert menu_bar is not None
    assert tree(menu_bar, ("Lessons",)) == MENUS.splitlines()


def test_the_sheet_has_the_keys_in_the_order_of_the_menus(window: MainWindow) -> None:
    sheet = sheet_of(window.commands)
    assert sheet.pop("Mouse, in the picture")
    assert sheet == KEYS


def test_the_palette_lists_what_can_be_used_once_and_the_inner_menus_last(window: MainWindow) -> None:
    palette = part_of(window, CommandPalette)
    palette.open()
    listed = [palette.list.item(row).text().split("   ")[0] for row in range(palette.list.count())]
    palette.close()
    enabled = [command for command in window.commands if window.commands.action(command.id).isEnabled()]
    assert len(listed) == len(enabled) > 60
    assert listed.index("Open") < listed.index("Quit") < listed.index("Fit the box") < listed.index("Bouncing ball")
    assert listed.index("Full screen") < listed.index("Colour by cluster")


def test_a_command_that_is_declared_is_in_menu_sheet_and_palette(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    commands, there, reason = CommandSet(window), [True], [""]
    commands.add(
        Command("run.second", "Second", lambda: None, menu=Place("Run", 2, 1)),
        Command("file.deep", "Deep", lambda: None, menu=Place("File/More", 1, 1)),
        Command(
            "run.first",
            "First",
            lambda: None,
            ("K",),
            "What comes first",
            menu=Place("Run", 1, 7),
            available=lambda: there[0],
            reason=lambda: reason[0],
        ),
        Submenu("More", Place("File", 1, 1)),
    )
    bar = window.menuBar()
    assert bar is not None
    fill_menu_bar(bar, commands)
    assert [line for line in tree(bar) if not line.startswith("&")] == [
        "    More",
        "        Deep",
        "    First  [K]",
        "    ---",
        "    Second",
    ]
    assert sheet_of(commands)["Run"] == "First"
    assert [command.id for command in commands] == ["run.first", "run.second", "file.deep"]
    action = commands.action("run.first")
    reason[0] = "Not today."
    commands.update()
    assert (action.isVisible(), action.isEnabled(), action.toolTip()) == (True, False, "Not today.")
    there[0] = False
    commands.update()
    assert (action.isVisible(), action.isEnabled()) == (False, False)
    assert "Run" not in sheet_of(commands)
    there[0], reason[0] = True, ""
    commands.update()
    assert (action.isVisible(), action.isEnabled(), action.toolTip()) == (True, True, "What comes first (K)")


def test_a_command_of_a_plug_in_has_its_key_on_the_sheet_and_may_have_a_menu_of_its_own(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    commands = CommandSet(window)
    commands.add(
        Command("points.heat", "Heat up", lambda: None, ("Ctrl+H",), menu=Place("Run", 9, 1)),
        Command("points.cool", "Cool down", lambda: None, ("Ctrl+L",), menu=Place("Points", 1, 1)),
    )
    bar = window.menuBar()
    assert bar is not None
    fill_menu_bar(bar, commands)
    assert tree(bar)[-3:] == ["&Points", "    Cool down  [Ctrl+L]", "&Help"]
    assert sheet_of(commands)["Run"] == "Heat up"
    assert sheet_of(commands)["View"] == "Cool down"


def test_a_menu_is_declared_once(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    commands = CommandSet(window)
    commands.add(Submenu("More", Place("File", 1, 1)))
    with pytest.raises(ValueError, match="File/More"):
        commands.add(Submenu("More", Place("File", 2, 2)))


def test_a_system_says_what_is_offered_and_one_that_nobody_knows_has_no_methods() -> None:
    running = RunningSystem(view_of("aggregation"))
    assert running.offers("methods")
    running.view = view_of("jamming")
    assert running.offers("packings")
    assert not running.offers("frames")
    running.view = view_of("a system of a plug-in")
    assert [what for what in ("frames", "methods", "jam", "forces", "packings") if running.offers(what)] == [
        "frames",
        "jam",
    ]
