"""The panel without a window: what it says where a table cannot be made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot

from aggviewer.document.document import Document
from aggviewer.extensions.inspector.panel import InspectorPanel
from aggviewer.extensions.inspector.tables import Ask, tabulate
from aggviewer.session.coloring import Coloring
from aggviewer.session.marking import Marking
from aggviewer.session.publisher import Shown
from tests.extensions.inspector.test_tables import source

PLAIN = Coloring("speed", "Speed", "", (0.0, 1.0))


def test_a_field_that_fails_is_told_and_the_next_table_is_made(qtbot: QtBot, tmp_path: Path) -> None:
    made = source()
    tabulate(made, Ask())  # kernels are loaded: the panel rests for a time that the last table has taken
    failing = replace(made.disc_set)
    del failing.__dict__["radii"]  # as a field of a plug-in that raises
    now = [failing]

    def shown() -> Shown:
        return Shown(now[0], made.frame, np.zeros(12, np.float32), PLAIN)

    panel = InspectorPanel(Marking(Document()), shown, lambda name: tmp_path / name)
    try:
        panel.show()
        qtbot.waitUntil(lambda: "the table failed: AttributeError" in panel.refusal.text())
        now[0] = made.disc_set
        qtbot.waitUntil(lambda: panel.model.table is not None)
        with qtbot.waitSignal(panel.saved) as saved:
            panel.save_rows()
        assert saved.args == [tmp_path / "discs.csv"]
        assert len((tmp_path / "discs.csv").read_text().splitlines()) == 13
        with qtbot.waitSignal(panel.problem):
            panel.write(tmp_path / "no folder" / "discs.csv", panel.model.table)
    finally:
        panel.close()
