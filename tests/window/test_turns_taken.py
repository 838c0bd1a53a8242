"""What takes long on the GUI thread is divided among turns of the event loop, or is done beside it: a window must not
stand still. How long is measured in `benchmarks/test_heartbeat.py`; here it is counted who had a turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.parameters import ParametersPanel
from aggviewer.plots import PlotsPanel
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import RunLegend
from aggviewer.style.theme import LIGHT, PROJECTOR, Colors, WindowTheme
from aggviewer.systems.registry import plots_of
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.canvases.comparing import Comparing
from aggviewer.window.dialogs import film_files
from aggviewer.window.dialogs.film import FilmDialog
from aggviewer.window.gui_thread import GuiThread
from aggviewer.window.lesson.lessons import Lessons
from aggviewer.window.main_window import MainWindow
from aggviewer.window.refresher import Refresher
from aggviewer.window.step_view.controller import StepView
from tests.window.conftest import GAS, SMALL, hold, part_of, wait_until, window_again

window = window_again


class Turn:
    """Counts the turns of the event loop."""

    def __init__(self) -> None:
        self.number = 0
        self.timer = QTimer()
        self.timer.timeout.connect(self._next)
        self.timer.start(0)

    def _next(self) -> None:
        self.number += 1


@pytest.fixture
def turn() -> Iterator[Turn]:
    """The turn that it is now."""
    made = Turn()
    yield made
    made.timer.stop()


def test_a_theme_is_given_in_turns_and_painted_last(
    qtbot: QtBot, qapp: QApplication, turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    theme = WindowTheme()
    theme.choose("dark")
    dark = qapp.styleSheet()
    shown = QWidget()
    qtbot.addWidget(shown)
    shown.show()
    qtbot.waitExposed(shown)
    seen: list[tuple[str, str, bool]] = []
    said: list[int] = []
    theme.changed.connect(lambda: said.append(turn.number))
    placed: list[int] = []
    usual = QApplication.sendPostedEvents

    def send(*values: Any) -> None:
        placed.append(turn.number)
        usual(*values)

    monkeypatch.setattr(QApplication, "sendPostedEvents", staticmethod(send))

    def look() -> None:
        state = (qapp.palette().window().color().name(), qapp.styleSheet(), shown.updatesEnabled())
        if not seen or seen[-1] != state:
            seen.append(state)

    turn.timer.timeout.connect(look)
    qtbot.waitUntil(lambda: bool(seen))
    theme.choose("light")
    qtbot.waitUntil(lambda: bool(said) and shown.updatesEnabled())
    qtbot.waitUntil(lambda: seen[-1][2])
    light = theme.colors.window
    last = qapp.styleSheet()
    assert last != dark
    steps = [one for one in seen[1:] if one[1:] != (dark, True)]
    if steps[0][0] != light:
        del steps[0]  # held, and nothing else yet
    assert steps == [(light, dark, False), (light, "", False), (light, last, False), (light, last, True)]
    assert placed
    assert placed[-1] < said[-1]
    theme.close()


def noted(patch: pytest.MonkeyPatch, owner: type, name: str, note: Callable[[], None]) -> None:
    """Have `note` called after each call of a method."""
    usual = getattr(owner, name)

    def call(self: Any, *values: Any, **named: Any) -> Any:
        made = usual(self, *values, **named)
        note()
        return made

    patch.setattr(owner, name, call)


def test_a_comparison_begins_and_ends_a_plot_a_turn_with_its_pictures_last(
    window: MainWindow, turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_until(lambda: all(card.made for card in window.plots.cards if card.seen))
    done: list[tuple[str, int]] = []
    for name, owner, method in (
        ("parameters", ParametersPanel, "set_methods"),
        ("plot", Plot, "set_runs"),
        ("legend", RunLegend, "set_runs"),
        ("pictures", Canvases, "set_scenarios"),
        ("frame", Refresher, "_show"),
    ):
        noted(monkeypatch, owner, method, lambda name=name: done.append((name, turn.number)))  # type: ignore[misc]
    plots = [card for card in window.plots.cards if card.made]
    for on in (True, False):
        assert part_of(window, Comparing).on is not on
        window.commands.run("method.compare")
        wait_until(lambda on=on: part_of(window, Comparing).on is on)  # type: ignore[misc]
        wait_until(lambda: done[-1][0] == "frame")
        names = [name for name, _ in done]
        begun = names.index("parameters")
        until = names.index("pictures")
        assert names[begun:until] == ["parameters", *["plot"] * len(window.plots.cards), "legend"], (
            "no frame comes between"
        )
        turns = [number for name, number in done[begun : until + 1] if name != "legend"]
        assert len(set(turns)) >= 2 + len(plots)
        assert names[until + 1] == "frame"
        del done[:]


def test_the_plots_of_another_system_are_made_before_it_is_shown_a_head_a_turn(
    make_window: Any, turn: Turn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, all_compiled: None
) -> None:
    window = make_window()
    (tmp_path / "small.toml").write_text(SMALL)
    (tmp_path / "gas.toml").write_text(GAS)
    hold(window, tmp_path / "small.toml")
    wait_until(lambda: all(card.made for card in window.plots.cards if card.seen))
    made: list[int] = []
    shown: list[tuple[str, int]] = []
    noted(monkeypatch, PlotsPanel, "_head", lambda: made.append(turn.number))
    window.refresher.system_shown.connect(lambda lane, system: shown.append((window.plots.kind, len(made))))
    hold(window, tmp_path / "gas.toml")
    heads = len(plots_of("hard-discs"))
    assert shown == [("hard-discs", heads)]
    assert len(set(made)) == heads


def test_no_frame_is_shown_while_the_window_is_being_told(window: MainWindow) -> None:
    free: list[bool] = []

    def told() -> Iterator[None]:
        while not free:
            yield

    shown: list[float] = []
    window.refresher.frame_shown.connect(lambda lane, one: shown.append(one.frame.time))
    part_of(window, GuiThread).later(told)
    before = window.session.status().time
    window.session.step_frame()
    wait_until(lambda: window.session.status().time > before)
    QTest.qWait(100)
    assert shown == []
    free.append(True)
    wait_until(lambda: shown[-1:] == [window.session.status().time])


def test_what_a_person_does_finds_a_window_that_knows_what_was_said(window: MainWindow, qtbot: QtBot) -> None:
    gui_thread = part_of(window, GuiThread)
    said: list[str] = []

    def told(word: str) -> Iterator[None]:
        for _ in range(1000):
            yield
        said.append(word)

    gui_thread.later(told, "command")
    window.commands.run("view.fit")
    assert said == ["command"]
    gui_thread.later(told, "key")
    qtbot.keyClick(window.canvas, Qt.Key.Key_F)
    assert said == ["command", "key"]
    gui_thread.later(told, "click")
    qtbot.mouseClick(window.plots, Qt.MouseButton.LeftButton)
    assert said == ["command", "key", "click"]


def test_inside_a_step_the_picture_has_the_discs_that_run(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(SMALL.replace("225", "100") + '[aggregation]\nmethod = "time-stepping"\n')
    assert window.canvas.scene.count == 225
    window.refresher._timer.stop()  # late, as on a busy machine
    window.session.open(tmp_path / "other.toml", run=False)
    wait_until(lambda: window.session.status().count == 100 and window.session.status().state == "paused")
    assert window.canvas.scene.count == 225
    window.commands.run("method.inside")
    assert window.canvas.scene.count == 100
    window.refresher._timer.start()
    wait_until(lambda: part_of(window, StepView).mode.story is not None)


def test_an_answer_to_a_lesson_comes_after_what_was_said_before(window: MainWindow, tmp_path: Path) -> None:
    classroom = part_of(window, Lessons).classroom
    gui_thread = part_of(window, GuiThread)
    (tmp_path / "other.toml").write_text(SMALL.replace("225", "100"))
    counts: list[int] = []

    def told() -> Iterator[None]:
        for _ in range(20):
            yield
        counts.append(0)

    gui_thread.later(told)
    window.session.open(tmp_path / "other.toml", run=False)
    classroom.after_commands(lambda: counts.append(part_of(window, Comparing).scenarios[0].discs.count))
    wait_until(lambda: len(counts) == 2)
    assert counts == [0, 100]


def test_what_nobody_sees_has_the_theme_too(qtbot: QtBot, qapp: QApplication) -> None:
    theme = WindowTheme()
    theme.choose("dark")
    shown = QWidget()
    qtbot.addWidget(shown)
    layout = QVBoxLayout(shown)
    hidden, own, gone, inside = QLabel("a"), QLabel("b"), QLabel("c"), QLabel("d")
    own.setStyleSheet("font-weight: bold;")
    for one in (hidden, own, gone, inside):
        one.setObjectName("bubble")
        layout.addWidget(one)
    shown.show()
    qtbot.waitExposed(shown)
    for one in (hidden, own, gone):
        one.hide()

    def colors() -> set[str]:
        return {one.palette().color(one.foregroundRole()).name() for one in (hidden, own, inside)}

    theme.choose("light")
    gone.deleteLater()  # meanwhile
    qtbot.waitUntil(shown.updatesEnabled)
    assert colors() == {LIGHT.error}
    theme.choose("dark")
    while qapp.styleSheet():
        qapp.processEvents()
    theme.choose("projector")  # before the first is through
    qtbot.waitUntil(shown.updatesEnabled)
    assert colors() == {PROJECTOR.error}
    polished = Qt.WidgetAttribute.WA_WState_Polished
    assert all(one.testAttribute(polished) for one in (hidden, own, inside))
    theme.close()


def test_the_followers_of_a_theme_share_its_steps(qtbot: QtBot, turn: Turn) -> None:
    theme = WindowTheme()
    theme.choose("dark")
    shown = QWidget()
    qtbot.addWidget(shown)
    shown.show()
    qtbot.waitExposed(shown)
    told: list[tuple[Colors, int]] = []

    def slow(colors: Colors) -> None:
        told.append((colors, turn.number))
        end = perf_counter() + 0.02
        while perf_counter() < end:
            pass

    theme.follow(slow, slow)
    theme.changed.connect(lambda: told.append((theme.colors, turn.number)))
    theme.choose("light")
    qtbot.waitUntil(shown.updatesEnabled)
    assert [colors for colors, _ in told] == [LIGHT] * 3
    assert len({number for _, number in told}) == 3
    theme.close()


def test_the_film_dialog_waits_for_the_simulation_in_turns(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(film_files, "_PATIENCE", 60.0)
    free, freed = threading.Event(), []
    window.session._worker.post(lambda: freed.append(free.wait(5.0)))

    def leave() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, FilmDialog):
            dialog.reject()
        else:
            QTimer.singleShot(20, leave)

    QTimer.singleShot(20, leave)
    QTimer.singleShot(20, free.set)  # the window has to go on for this
    window.commands.run("file.film")
    assert freed == [True]


def test_threads_are_told_to_end_before_the_widgets_are_closed(
    make_window: Any, small: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    hold(window, small)
    closing: list[bool] = []
    usual = Canvases.close

    def close(self: Canvases) -> bool:
        closing.append(window.session._worker.closing)
        return usual(self)

    monkeypatch.setattr(Canvases, "close", close)
    window.close()
    assert closing == [True]
