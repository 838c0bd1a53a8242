"""A window in which nothing has been opened says of each command why it cannot be used."""

from __future__ import annotations

from pathlib import Path

from aggviewer.extensions.export_dialogs.exports import Exports
from aggviewer.window.main_window import MainWindow
from tests.window.conftest import hold, part_of, wait_until


def test_exports_recordings_and_comparisons_wait_for_the_first_picture(
    window: MainWindow, small: Path, tmp_path: Path
) -> None:
    for name in ("file.film", "file.snapshot_as", "file.plots", "file.figure", "file.record"):
        window.commands.run(name)
        [toast] = window.stage.toasts.toasts
        assert toast.notice.level == "warning", name
        window.stage.toasts.close()
    assert not part_of(window, Exports).write(tmp_path / "nothing.png")
    assert not (tmp_path / "nothing.png").exists()
    [toast] = window.stage.toasts.toasts
    assert toast.notice.level == "warning"

    compare = window.commands.action("method.compare")
    assert not compare.isEnabled()
    assert compare.toolTip() == "There is no run yet"
    hold(window, small)
    wait_until(compare.isEnabled)
