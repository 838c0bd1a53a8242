"""The counting grid follows the points of the plot N(ε)."""

from __future__ import annotations

from pathlib import Path

from aggviewer.window.main_window import MainWindow
from tests.window.conftest import SMALL, hold, put_back, wait_until


def test_a_click_on_a_point_shows_its_boxes(all_compiled: None, shared_window: MainWindow, tmp_path: Path) -> None:
    window, view = shared_window, shared_window.session.view
    path = tmp_path / "s.toml"
    path.write_text(SMALL)
    hold(window, path)
    card = next(card for card in window.plots.cards if card.key() == "box_counting")
    wait_until(lambda: card.shows_data)
    series = next(one for one, _ in card.view.readable.all())
    before, level = view.layers, view.grid_level
    card.view.pointed.emit(series, 1)  # the mouse passes by
    assert (view.layers, view.grid_level) == (before, level)
    card.view.picked.emit(series, 1)
    assert view.layers == (*before, "boxes")
    assert view.grid_level == 2
    wait_until(lambda: window.canvas.scene.data("boxes") is not None)
    assert len(window.canvas.scene.data("boxes").at(2)) == 16  # a lattice fills all of them
    card.view.pointed.emit(series, 4)
    assert view.grid_level == 5
    window.commands.run("view.grid_coarser")
    assert view.grid_level == 4
    for _ in range(2):
        window.commands.run("edit.undo")
    assert view.layers == before
    put_back(window)
