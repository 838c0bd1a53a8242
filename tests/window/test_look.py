"""What has room and what stays where it is, in each theme and in a small window."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from aggviewer.parameters.form import ParameterForm
from aggviewer.session import DiscSet, Shown, Status
from aggviewer.session.coloring import Coloring
from aggviewer.style.theme import LIGHT, Colors, WindowTheme
from aggviewer.systems.registry import layouts
from aggviewer.window.main_window import MainWindow
from aggviewer.window.side_panels import SidePanels
from aggviewer.window.status_bar import WindowStatusBar
from engine.frame import Frame, Network
from engine.scenario import Scenario
from tests.waiting import laid_out
from tests.window.conftest import PATIENCE, part_of, window_again

window = window_again


# the layout


def picture_share(window: MainWindow) -> float:
    return window.stage.width() / window.width()


def test_panels_take_about_a_fifth_of_the_window_each(held: MainWindow, qtbot: QtBot) -> None:
    width = 1200
    held.resize(width, 800)
    laid_out(held)
    assert held.width() == width
    for dock in (part_of(held, SidePanels).left, part_of(held, SidePanels).right):
        assert dock.isVisible()
        assert not dock.visibleRegion().isEmpty()
        assert dock.width() == pytest.approx(0.2 * width, abs=0.02 * width) or dock.width() <= 320
    assert picture_share(held) > 0.52


def test_in_a_narrow_window_the_plots_are_a_tab_beside_the_parameters(held: MainWindow, qtbot: QtBot) -> None:
    held.resize(1024, 700)
    laid_out(held)
    assert part_of(held, SidePanels).together
    assert part_of(held, SidePanels).is_covered(part_of(held, SidePanels).right)
    assert picture_share(held) > 0.65
    held.commands.run("plots.2")  # a plot that is asked for comes to the front
    laid_out(held)
    assert not part_of(held, SidePanels).is_covered(part_of(held, SidePanels).right)
    assert held.plots.only_plot == 2
    held.commands.run("plots.2")
    held.commands.run("view.parameters")
    laid_out(held)
    assert part_of(held, SidePanels).is_covered(part_of(held, SidePanels).right)
    assert not part_of(held, SidePanels).left.isHidden()
    held.resize(1300, 700)
    laid_out(held)
    assert not part_of(held, SidePanels).together
    assert not part_of(held, SidePanels).right.visibleRegion().isEmpty()
    assert not part_of(held, SidePanels).left.visibleRegion().isEmpty()


def test_a_comparison_fits_into_a_small_window(held: MainWindow, qtbot: QtBot, all_compiled: None) -> None:
    held.resize(1024, 700)
    held.commands.run("method.compare")
    qtbot.waitUntil(lambda: len(held.canvases.canvases) == 2, timeout=PATIENCE)
    laid_out(held)
    assert (held.width(), held.height()) == (1024, 700)
    assert held.minimumSizeHint().width() <= 1024
    assert min(canvas.width() for canvas in held.canvases.canvases) > 270
    held.resize(1500, 900)
    laid_out(held)
    assert held.minimumSizeHint().width() <= 1024, "with both panels"
    held.resize(1024, 700)
    laid_out(held)
    assert held.width() == 1024, "and back again"


def test_a_panel_that_the_person_has_made_wider_stays_so(
    held: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    held.resize(1500, 800)
    laid_out(held)
    panels, left = part_of(held, SidePanels), Qt.MouseButton.LeftButton
    before = dict(panels._shares)
    monkeypatch.setattr(QApplication, "mouseButtons", lambda: left)
    held.resizeDocks([panels.right], [400], Qt.Orientation.Horizontal)
    laid_out(held)
    assert panels._shares == before, "pressed somewhere else"
    held.setCursor(Qt.CursorShape.SplitHCursor)  # that Qt shows over the edge
    held.resizeDocks([panels.right], [450], Qt.Orientation.Horizontal)
    laid_out(held)
    held.unsetCursor()
    monkeypatch.undo()
    assert panels._shares[panels.right] == pytest.approx(0.3, abs=0.01)
    held.resize(1400, 800)
    laid_out(held)
    assert part_of(held, SidePanels).right.width() == pytest.approx(420, abs=8)


def test_words_stay_and_what_has_no_room_in_the_bar_stands_in_a_menu(held: MainWindow, qtbot: QtBot) -> None:
    bar = held.top_bar
    named = {"Event-driven", "Time stepping", "Compare", "Inside one step", "Layers", "Film", "Present"}
    bar.show_scenario("2 500 discs, time stepping", whole=True)
    heights, fewer = set(), len(named)
    for width in (1920, 1440, 1024, 780):
        held.resize(width, 700)
        qtbot.waitUntil(lambda width=width: held.width() == width, timeout=PATIENCE)
        laid_out(held)
        pushed_out = bar.findChild(QToolButton, "qt_toolbar_ext_button")
        assert pushed_out is None or not pushed_out.isVisible(), width
        buttons = [button for button in bar.findChildren(QToolButton) if button.isVisible() and button.defaultAction()]
        seen = {button.text() for button in buttons}
        for button in buttons:
            assert button.toolButtonStyle() != Qt.ToolButtonStyle.ToolButtonIconOnly
            assert button.width() >= button.sizeHint().width(), "its words are whole"
        menu = bar.rest.menu()
        assert menu is not None
        menu.aboutToShow.emit()
        assert named <= seen | {action.iconText() for action in menu.actions()}, "nothing is lost"
        assert bar.rest.isVisible() == bool(menu.actions())
        assert len(named & seen) <= fewer
        assert width < 1440 or not bar.rest.isVisible(), "all have room"
        assert width < 1280 or "Record" in seen, "it shows whether the run is recorded"
        fewer = len(named & seen)
        for key, row in held.parameters.rows.items():
            beside = row.editor.x() > row.label.x()
            assert width < 1024 or beside or not row.isVisible(), f"{key} is not beside its name"
        assert bar.color_by.view().minimumWidth() == bar.color_by.sizeHint().width()
        heights.add(bar.height())
    assert len(heights) == 1
    assert fewer < len(named)


def test_a_listener_that_fails_does_not_keep_a_theme_from_others(window: MainWindow, qtbot: QtBot) -> None:
    def fail(colors: Colors) -> None:
        raise ValueError(colors.window)

    theme = part_of(window, WindowTheme)
    told: list[Colors] = []
    window.session.view.theme = "dark"
    theme.changed.connect(fail)
    theme.changed.connect(told.append)
    with qtbot.captureExceptions() as caught:
        window.session.view.theme = "light"
    theme.changed.disconnect(fail)
    theme.changed.disconnect(told.append)
    assert [str(error) for _, error, _ in caught] == [LIGHT.window]
    assert told == [LIGHT]


def test_the_status_bar_has_what_is_slow_and_the_rates_and_says_what_draws_in_a_tip(qtbot: QtBot) -> None:
    bar = WindowStatusBar()
    qtbot.addWidget(bar)
    bar.resize(1024, 24)
    bar.show()
    bar.show_status(Status("running", "aggregation", speed=2.0, events_per_second=31.0), 60.0, "Software rendering")
    laid_out(bar)
    assert [label.text() for label in (bar.state, bar.events, bar.frames)] == ["", "31 events/s", "60 fps"]
    assert "Software rendering" in bar.frames.toolTip()
    right = bar.frames.geometry().right()
    bar.show_status(
        Status("running", "aggregation", speed=100.0, speed_reached=12.3, slow=True, events_per_second=3.1e5), 5.0, ""
    )
    assert bar.state.text() == "engine reaches 12 of 100 t/s"
    assert bar.frames.geometry().right() == right, "nothing moves when the numbers do"


def test_all_that_is_known_of_a_sphere_in_a_packing_is_read_in_a_small_window(qtbot: QtBot) -> None:
    bar = WindowStatusBar()
    qtbot.addWidget(bar)
    bar.resize(1280, 24)
    bar.show()
    laid_out(bar)
    scenario = Scenario().with_values({"system": "jamming", "dimensions": 3, "discs.count": 512})
    fields = {"force": np.full(512, 12.3456), "largest_force": np.full(512, 5.4321), "pressure": np.full(512, 12.3456)}
    frame = Frame(1.0, np.ones((512, 3)), np.zeros((512, 3)), fields, 512, 0.0)
    held = np.zeros(512, bool)
    contacts = np.column_stack((np.full(12, 511), np.arange(12))).astype(np.int32)
    frame.network = Network(contacts, np.ones(12), np.tile([1.0, 0.0, 0.0], (12, 1)), held)
    system = DiscSet(scenario, np.full(512, 0.4153), np.ones(512), np.full(3, 8.0), True, 512)
    coloring = Coloring("contacts", "Contacts", "", (0.0, 9.0))
    bar.show_hover(Shown(system, frame, np.full(512, 12, np.float32), coloring), 511)
    whole = bar.hover.toolTip()
    assert "contacts 12, " in whole
    assert whole.endswith("max f = 5.43 mean force, held")
    assert bar.hover.text() == whole


def test_no_symbol_stands_in_a_line_alone(held: MainWindow, qtbot: QtBot) -> None:
    for key in ("discs.count", "discs.volume_fraction"):
        assert "&nbsp;<i>" in held.parameters.rows[key].label.text()
    form = ParameterForm(layouts())
    qtbot.addWidget(form)
    widths = []
    for width in (280, 330, 400):
        form.resize(width, 600)
        form.show()
        row = form.rows["discs.count"]
        widths.append(row.label.width())
        beside = [one for one in form.rows.values() if one.editor.x() > one.label.x()]
        assert len({one.label.width() for one in beside}) == 1
        assert row in beside
    assert widths[0] < widths[-1]
    assert widths[-1] >= row.whole_label_width()
