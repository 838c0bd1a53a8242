"""The window opens with the plug-ins of *Preferences*; one that fails is left out and named."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtWidgets import QApplication

from aggviewer.session import Notice
from aggviewer.window.app import load_plug_ins, report_plug_ins
from aggviewer.window.settings import WindowSettings
from tests.extension.conftest import POINTS
from tests.extension.test_layer import RINGS
from tests.extension.test_window import texts
from tests.window.conftest import put_away, shown
from tests.window.conftest import qapp as qapp
from tests.window.conftest import settings as settings
from tests.window.conftest import surface as surface

BELL = """PLUG_POINTS = 1


def bell(session):
    from aggviewer.widgets.command import Command, Place

    return Command("NAME.ring", "Ring NAME", session.pause, KEYS, menu=Place("Run", 9, 1))


def register(points):
    points.command("NAME.ring", bell)
"""
KEYS = {"good": '("Ctrl+Shift+B",)', "second": '("Ctrl+Shift+B",)', "quit": '("Ctrl+Q",)', "broken": "1 / 0"}


def test_each_plug_in_of_the_preferences_is_there_from_the_start_or_named(
    qapp: QApplication, settings: WindowSettings, tmp_path: Path
) -> None:
    for name, keys in KEYS.items():
        (tmp_path / f"{name}.py").write_text(BELL.replace("NAME", name).replace("KEYS", keys), encoding="utf-8")
    (tmp_path / "rings.py").write_text(RINGS, encoding="utf-8")
    (tmp_path / "spelled.py").write_text("PLUG_POINTS = 1\ndef register(points))\n", encoding="utf-8")
    files = [POINTS, *(tmp_path / f"{name}.py" for name in ("rings", *KEYS, "spelled", "missing"))]
    settings.plug_ins = files
    missing = load_plug_ins(settings.plug_ins)
    made = [shown(settings)]
    try:
        window = made[0]
        notices: list[Notice] = []
        window.session.notices.sent.connect(notices.append)
        report_plug_ins(window.session.notices, missing)
        there = {command.text for command in window.commands}
        assert {"Ring good", "Heat up", "Rings", "Colour by impacts with walls"} <= there
        assert "Ring good" in texts(window.menuBar())
        assert "Ring second" not in there
        assert window.commands.action("file.quit").shortcut().toString() == "Ctrl+Q"
        assert "points" in window.parameters.rows["system"].field.choices
    finally:
        put_away(made)
    told = {notice.title.split()[2]: notice.text for notice in notices}
    assert list(told) == ["second.py", "quit.py", "broken.py", "spelled.py", "missing.py"]
    assert told["second.py"] == "its command fails: Ctrl+Shift+B is already the key of good.ring"
    assert told["quit.py"] == "its command fails: Ctrl+Q is already the key of file.quit"
    assert told["broken.py"] == "its command fails: ZeroDivisionError: division by zero"
    assert told["spelled.py"].startswith("SyntaxError: unmatched ')' (spelled.py, line 2)")
    assert told["missing.py"] == f"there is no plug-in {tmp_path / 'missing.py'}"
