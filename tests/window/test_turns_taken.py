"""What takes long on the GUI thread is divided among turns of the event loop, or is done beside it: a window must not
stand still. How long is measured in `benchmarks/test_heartbeat.py`; here it is counted who had a turn."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.plots import paper
from aggviewer.plots.paper import PlotPanel
from aggviewer.style.theme import WindowTheme
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.dialogs import film_files
from aggviewer.window.dialogs.figure import FigureDialog
from aggviewer.window.dialogs.film import FilmDialog
from aggviewer.window.main_window import MainWindow
from tests.window.conftest import hold, wait_until, window_again
from tests.window.test_figure import in_dialog

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


def test_a_theme_is_given_in_turns_and_painted_last(qtbot: QtBot, qapp: QApplication, turn: Turn) -> None:
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
    theme.close()


def test_the_page_of_a_figure_is_painted_a_panel_a_turn(
    window: MainWindow, turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[int] = []
    usual = paper.PlotPanel.parts

    @contextmanager
    def parts(self: PlotPanel, *arguments: Any) -> Iterator[Any]:
        with usual(self, *arguments) as found:
            yield found
        painted.append(turn.number)

    monkeypatch.setattr(PlotPanel, "parts", parts)
    wait_until(lambda: window.plots.cards[0].shows_data)

    def act(dialog: FigureDialog) -> None:
        wait_until(lambda: not dialog.preview.pixmap().isNull())

    in_dialog(window, act)
    assert len(painted) > 1
    assert len(set(painted)) == len(painted)


def test_the_film_dialog_waits_for_the_simulation_in_turns(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
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
