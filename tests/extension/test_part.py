"""A part of the window that a plug-in adds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication, QDockWidget, QLabel

from aggviewer.window.settings import WindowSettings
from engine import plugins
from tests.waiting import wait_until
from tests.window.conftest import put_away, shown
from tests.window.conftest import qapp as qapp
from tests.window.conftest import settings as settings
from tests.window.conftest import small as small
from tests.window.conftest import surface as surface

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
PANEL = re.search(r"test_part.py loads -->\n```python\n(.*?)```", PAGE, re.S)[1]  # type: ignore[index]


def test_a_panel_of_a_plug_in_follows_the_run_and_has_its_command(
    qapp: QApplication, settings: WindowSettings, tmp_path: Path, small: Path
) -> None:
    path = tmp_path / "speedometer.py"
    path.write_text(PANEL, encoding="utf-8")
    assert plugins.load_file(path).adds == ("part speedometer",)
    made = [shown(settings)]
    try:
        window = made[0]
        window.session.open(small, run=False)
        dock = window.findChild(QDockWidget, "meanSpeedDock")
        assert dock is not None
        assert dock.isHidden()
        window.commands.run("view.mean_speed")
        assert dock.isVisible()
        label = dock.widget()
        assert isinstance(label, QLabel)
        wait_until(lambda: label.text() != "")
        assert 0.0 < float(label.text()) < 10.0
    finally:
        put_away(made)


@pytest.mark.parametrize("fault", ["1 / 0", 'raise SystemExit("no")'])
def test_a_part_that_fails_is_left_out_and_named(
    qapp: QApplication, settings: WindowSettings, tmp_path: Path, fault: str
) -> None:
    path = tmp_path / "broken.py"
    register = 'def register(points):\n    points.part("broken", broken)\n'
    path.write_text(f"PLUG_POINTS = 1\n\n\ndef broken(context):\n    {fault}\n\n\n{register}", encoding="utf-8")
    assert plugins.load_file(path).problem == ""
    made = [shown(settings)]
    try:
        found = {plug_in.name: plug_in.problem for plug_in in plugins.known()}
        assert found["broken.py"].startswith("its part fails: ")
        assert made[0].commands.action("view.inspector") is not None, "the others are there"
    finally:
        put_away(made)
