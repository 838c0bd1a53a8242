"""Whatever a person switches on while it runs, or while it is held, gets what it reads of the frames."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from aggviewer.canvas.layers.layer import Layer
from aggviewer.canvas.layers.registry import switches
from aggviewer.canvas.layers.velocities import velocities_of
from aggviewer.session import Notice, Shown
from aggviewer.window.main_window import MainWindow
from aggviewer.window.picking.controller import SelectionController
from engine.frame import Frame
from tests.window.conftest import GAS, SMALL, load, part_of, told, wait_until
from tests.window.panels.test_inspector import panel

ALL = {"aggregation": {"velocities", "last_merge"}, "gas": {"velocities", "images", "collisions", "last_contact"}}
READ = {"aggregation": set(), "gas": {"velocities", "images"}}
"""What is read where nobody has chosen anything: a gas is coloured by speed, and tracks are kept."""


@pytest.fixture
def window(all_compiled: None, window_again: MainWindow) -> MainWindow:
    return window_again


@pytest.fixture
def running(request: pytest.FixtureRequest, window: MainWindow, tmp_path: Path) -> Iterator[tuple[MainWindow, str]]:
    """A run that never comes to its end, with nothing chosen: its frames lack what can be left out. A gas, if nothing
    else is asked for."""
    name = getattr(request, "param", "gas")
    path = tmp_path / "s.toml"
    path.write_text({"aggregation": SMALL, "gas": GAS}[name])
    load(window, path, run=True)
    window.session.set_speed(1e-6)
    window.session.view.layers = ()
    wait_until(lambda: shown(window).frame.left_out == ALL[name] - READ[name])
    yield window, name
    window.session.pause()
    wait_until(lambda: window.session.status().state == "paused")


def shown(window: MainWindow) -> Shown:
    found = window.refresher.shown()
    assert found is not None
    return found


def frame_of(window: MainWindow) -> Frame:
    return shown(window).frame


def is_drawn(window: MainWindow, layer: Layer) -> bool:
    """Whether the layer has had a frame with all that it reads, and has nothing to say against it."""
    return not frame_of(window).lacks(layer.reads) and window.canvas.notice == ""


@pytest.fixture
def unnoticed(running: tuple[MainWindow, str]) -> Iterator[None]:
    """Nothing is to be said to the person."""
    notices: list[Notice] = []
    sent = running[0].session.notices.sent
    sent.connect(notices.append)
    yield
    assert not notices
    sent.disconnect(notices.append)


@pytest.mark.parametrize("running", ["aggregation", "gas"], indirect=True)
def test_every_layer_gets_what_it_reads(running: tuple[MainWindow, str], unnoticed: None) -> None:
    window, _ = running
    view = window.session.view
    for layer in switches():
        layer.show(view, True)
        wait_until(lambda layer=layer: is_drawn(window, layer))  # type: ignore[misc]
        QApplication.processEvents()  # what fails is said
        assert layer.shown(view), f"{layer.name} was switched off, as it has failed"
        if layer.name == "velocities":
            wait_until(lambda: window.canvas.scene.data("velocities") is not None)
            system, found = shown(window).system, window.canvas.scene.data("velocities")
            usual = velocities_of(frame_of(window), system.radii, system.box, system.periodic)
            assert np.array_equal(found.velocities, usual.velocities)
        layer.show(view, False)


def test_the_table_and_a_condition_have_everything(running: tuple[MainWindow, str]) -> None:
    window, name = running
    window.commands.run("view.inspector")
    wait_until(lambda: not frame_of(window).left_out)
    wait_until(lambda: panel(window).model.table is not None)
    window.commands.run("view.inspector")
    picks = part_of(window, SelectionController)
    picks.line.open()
    wait_until(lambda: not frame_of(window).left_out)
    picks.choose("speed > 0")
    picks.line.close()
    assert len(picks.selected) == shown(window).system.count
    window.commands.run("edit.select_none")
    window.session.run()
    wait_until(lambda: frame_of(window).left_out == ALL[name] - READ[name])


def test_the_line_about_a_disc_says_all_of_it_once_it_is_there(running: tuple[MainWindow, str]) -> None:
    window, name = running
    x, y = window.canvas.camera.to_pixel(*frame_of(window).positions[7])
    QTest.mouseMove(window.canvas, QPoint(round(x), round(y)))
    last = {"aggregation": "time since the last merge", "gas": "time since contact"}[name]
    wait_until(lambda: last in window.status.hover.toolTip() and "|V|" in window.status.hover.toolTip())
    QTest.mouseMove(window.transport, QPoint(3, 3))
    wait_until(lambda: frame_of(window).left_out == ALL[name] - READ[name])


def test_frames_are_asked_for_where_the_run_makes_none(running: tuple[MainWindow, str]) -> None:
    """A step takes long, or nothing moves: the picture is not to wait for it."""
    window, _ = running
    asked = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window.session, "refresh", lambda: asked.append(1))
        patch.setattr(window.refresher, "held", True)  # no frame comes
        window.session.view.layers = ("velocities",)
        window.session.view.flash_contacts = True
        wait_until(lambda: bool(asked) or not frame_of(window).left_out)
        told(window)
    assert len(asked) == (1 if frame_of(window).lacks(("velocities", "last_contact")) else 0)
