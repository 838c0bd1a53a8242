"""Simple first: what a first start shows, the switch that brings everything, and who keeps what."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtWidgets import QApplication

from aggviewer.document.document import Document
from aggviewer.window.settings import WindowSettings
from tests.window.conftest import hold, put_away, shown


def kept(path: Path) -> bool:
    """Whether the next start shows everything."""
    document = Document()
    settings = WindowSettings(path)
    settings.read_document(document)
    settings.close()
    return document.panels.everything


def test_a_first_start_shows_little_until_everything_is_asked_for(
    qapp: QApplication, compiled: None, tmp_path: Path, small: Path
) -> None:
    settings = WindowSettings(tmp_path / "window.ini")
    assert settings.new
    window = shown(settings)
    hold(window, small)
    rows = window.parameters.rows.values()
    assert sum(row.isVisible() for row in rows) == 3
    assert len(window.plots.seen) == 1
    window.plots.focus_plot(2)
    assert window.plots.seen == (2,), "its key shows any plot"
    window.plots.focus_plot(2)
    assert window.plots.seen == (1,)
    window.parameters.more.setFocus()
    window.parameters.more.click()
    assert window.canvas.hasFocus(), "the button is gone, and the focus is not at the next field"
    assert window.commands.action("view.everything").isChecked()
    assert sum(row.isVisible() for row in rows) > 8
    assert len(window.plots.seen) > 5
    window.commands.run("view.everything")
    assert len(window.plots.seen) == 1
    put_away([window])
    assert not kept(tmp_path / "window.ini")


def test_users_of_earlier_versions_see_everything(tmp_path: Path) -> None:
    path = tmp_path / "window.ini"
    path.write_text("[picture]\nsurface=painter\n")
    assert WindowSettings(path).new, "a start has measured the machine, nobody has used it"
    path.write_text("[welcome]\ndismissed=true\n")
    assert not WindowSettings(path).new
    assert kept(path)
