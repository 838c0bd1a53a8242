"""What draws the discs: the faster surface is found once and kept; a person can choose another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aggviewer.canvas import create
from aggviewer.canvas.create import missing_opengl
from aggviewer.canvas.surface import DrawingTimes
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from tests.window.conftest import hold, settings_in, wait_until
from tests.window.watching import compare

CROWD = """
format = 1
seed = 5
[discs]
count = 1600
volume_fraction = 0.2
"""


@pytest.fixture(autouse=True)
def by_itself(monkeypatch: pytest.MonkeyPatch, surface: None) -> None:
    monkeypatch.delenv("AGGVIEWER_CANVAS")
    if missing_opengl():
        pytest.skip(missing_opengl())
    monkeypatch.setattr(create, "software_opengl", lambda: "")


def measured(opengl: float, painter: float) -> DrawingTimes:
    return DrawingTimes("OpenGL 4.5, of a test", opengl, painter, 10_000)


@pytest.mark.slow
def test_the_first_run_finds_the_faster_one_and_the_next_window_begins_with_it(
    make_window: Callable[[], MainWindow], settings: WindowSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aggviewer.canvas.surface._WORTH", 1e9)
    (tmp_path / "crowd.toml").write_text(CROWD)
    window = make_window()
    hold(window, tmp_path / "crowd.toml")
    assert settings.picture_times is None

    def measured() -> bool:
        window.canvas.zoom(1.01)
        return settings.picture_times is not None

    window.commands.run("method.compare")
    wait_until(lambda: len(window.canvases.canvases) == 2)
    assert [canvas.surface for canvas in window.canvases.canvases] == ["opengl", "opengl"]
    wait_until(measured)
    wait_until(lambda: [canvas.surface for canvas in window.canvases.canvases] == ["painter", "painter"])
    assert window.canvas.renderer.startswith("Software")
    settings.close()
    again = settings_in(tmp_path)
    assert again.picture_times == settings.picture_times
    window.commands.run("view.surface_auto")
    assert settings.picture_times is None, "measured again at the next start"


def test_a_window_begins_with_what_is_kept(make_window: Callable[[], MainWindow], settings: WindowSettings) -> None:
    settings.picture_times = measured(20.0, 5.0)
    window = make_window()
    assert window.canvas.renderer.startswith("Software")
    assert window.canvas.trial is None
    assert window.canvas.notice == ""
    assert window.commands.action("view.surface_auto").isChecked()


def surfaces(window: MainWindow, scenario: Path) -> list[str]:
    """What draws each of the pictures of a comparison."""
    hold(window, scenario)
    compare(window)
    return [canvas.surface for canvas in window.canvases.canvases]


def test_without_a_graphics_card_every_window_draws_without_opengl(
    make_window: Callable[[], MainWindow],
    settings: WindowSettings,
    tmp_path: Path,
    small: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(create, "software_opengl", lambda: "llvmpipe")
    window = make_window()
    assert window.canvas.renderer.startswith("Software")
    assert window.canvas.notice == ""
    settings.close()
    again = settings_in(tmp_path)
    assert (again.software_opengl, again.faster_surface) == ("llvmpipe", "painter")
    window.commands.run("view.surface_auto")
    assert (settings.software_opengl, settings.faster_surface) == ("", ""), "looked at again at the next start"
    assert surfaces(window, small) == ["painter", "painter"]
