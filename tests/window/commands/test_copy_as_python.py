"""*Edit → Copy as Python*: the script on the clipboard makes what is shown again, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtGui import QGuiApplication

from aggviewer.document.document import Document
from aggviewer.session.commands.changes import SwitchMethod
from aggviewer.window.commands.undo import _picture
from aggviewer.window.main_window import MainWindow
from engine.scenario import Scenario
from tests.window.conftest import SYSTEMS, hold, wait_until, window_again

COPY = "edit.copy_as_python"


window = window_again


def run_some(window: MainWindow, until: float) -> None:
    """Let it run to about a time, and hold it there."""
    session = window.session
    session.set_speed(10.0)
    session.run()
    wait_until(lambda: session.status().time >= until or session.status().state == "finished")
    session.pause()
    wait_until(lambda: session.status().state in ("paused", "finished"))
    wait_until(lambda: window.refresher.shown().frame.time == session.status().time)


def made_again(window: MainWindow) -> np.ndarray:
    """The positions that the script on the clipboard ends with; its picture is left out, see test_script.py."""
    window.commands.run(COPY)
    names: dict[str, Any] = {}
    exec(compile(QGuiApplication.clipboard().text().partition("axes = ")[0], "<script>", "exec"), names)
    return np.asarray(names["simulation"].frame().positions)


def test_a_box_in_space_is_seen_as_in_the_window() -> None:
    document = Document()
    document.view.slab, document.view.turn = (0.0, 0.5), (0.0, 1.0, 0.0, 0.0)
    in_space = _picture(document, Scenario().with_values({"system": "hard-discs", "dimensions": 3}))
    assert in_space == {"color_by": "speed", "turn": [0.0, 1.0, 0.0, 0.0], "slab": [0.0, 0.5]}
    assert _picture(document, Scenario()) == {"color_by": "cluster"}


@pytest.mark.usefixtures("all_compiled")
def test_a_script_makes_the_shown_state_again_with_all_changes(window: MainWindow, tmp_path: Path) -> None:
    session = window.session
    (tmp_path / "gas.toml").write_text(SYSTEMS["hard-discs"])
    hold(window, tmp_path / "gas.toml")
    session.view.color_by = "collisions"
    run_some(window, 0.5)
    session.set_parameter("hard_discs.restitution", 0.8)
    wait_until(lambda: session.scenario.value("hard_discs.restitution") == 0.8)
    run_some(window, session.status().time + 0.5)
    session.history.undo()  # a change that is taken back belongs to the run too
    wait_until(lambda: session.scenario.value("hard_discs.restitution") == 0.95)
    run_some(window, session.status().time + 0.3)
    assert np.array_equal(made_again(window), window.refresher.shown().frame.positions)
    text = QGuiApplication.clipboard().text()
    assert 'simulation.set("hard_discs.restitution", 0.8)' in text
    assert 'simulation.set("hard_discs.restitution", 0.95)' in text
    assert "color_by='collisions'" in text

    # the other method of discs that stick
    (tmp_path / "small.toml").write_text(SYSTEMS["aggregation"])
    hold(window, tmp_path / "small.toml")
    run_some(window, 0.3)
    session.give(SwitchMethod("time-stepping"))
    wait_until(lambda: session.scenario.value("aggregation.method") == "time-stepping")
    run_some(window, session.status().time + 0.3)
    assert np.array_equal(made_again(window), window.refresher.shown().frame.positions)
    assert "engine.carry_on(" in QGuiApplication.clipboard().text()

    # a saved session has its log
    session.save_session(tmp_path / "kept.aggsession")
    wait_until((tmp_path / "kept.aggsession").is_file)
    session.open(tmp_path / "kept.aggsession")
    wait_until(lambda: session.log.entries[-1].words == "opening kept.aggsession")
    assert np.array_equal(made_again(window), window.refresher.shown().frame.positions)
