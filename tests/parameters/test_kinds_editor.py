"""The table of kinds in the parameters panel."""

from __future__ import annotations

import pytest
from PyQt6.QtWidgets import QTableWidgetItem

from aggviewer.parameters.kinds_editor import KindsEditor
from aggviewer.widgets import file_dialogs
from engine.scenario import Scenario
from engine.scenario.kinds import DiscKind
from tests.parameters.live_panel import as_new
from tests.parameters.live_panel import kept_session as kept_session
from tests.parameters.live_panel import session as session


@pytest.fixture
def panel(session):
    return as_new(session, Scenario(), height=760)


def editor_of(panel) -> KindsEditor:
    found = panel.rows["discs.kinds"].editor
    assert isinstance(found, KindsEditor)
    return found


def type_in(editor: KindsEditor, row: int, column: int, text: str) -> None:
    editor.table.setItem(row, column, QTableWidgetItem(text))


def test_a_table_is_begun_filled_in_and_cleared(panel) -> None:
    editor = editor_of(panel)
    assert editor.table.isHidden()
    editor.begin.click()
    two = (DiscKind(radius=1.0), DiscKind(radius=1.4))
    assert panel.value("discs.kinds") == two
    assert not editor.table.isHidden()
    assert panel.rows["discs.radii"].isHidden(), "the table gives the radii"
    assert editor.table.rowCount() == 3, "the last row is for another kind"
    type_in(editor, 2, 0, "2,5")
    type_in(editor, 2, 2, "0.5")
    assert panel.value("discs.kinds") == (*two, DiscKind(radius=2.5, share=0.5))
    for column in range(3):
        type_in(editor, 1, column, "")
    assert panel.value("discs.kinds") == (two[0], DiscKind(radius=2.5, share=0.5)), "an empty row is none"
    editor.clear.click()
    assert panel.value("discs.kinds") == ()
    assert not panel.rows["discs.radii"].isHidden()


def test_what_is_not_allowed_is_told_at_the_table_and_stays_there(panel) -> None:
    editor = editor_of(panel)
    editor.begin.click()
    type_in(editor, 1, 0, "big")
    assert "must be a number, not 'big'" in panel.rows["discs.kinds"].message.text()
    assert editor.table.item(1, 0).text() == "big"
    type_in(editor, 1, 0, "-1")
    assert "radius of kind 2" in panel.rows["discs.kinds"].message.text()
    type_in(editor, 1, 0, "1.2")
    assert panel.rows["discs.kinds"].message.text() == ""


def test_a_file_is_chosen_instead_of_a_table(panel, monkeypatch, tmp_path) -> None:
    path = tmp_path / "sizes.csv"
    path.write_text("radius\n1\n2\n")
    monkeypatch.setattr(file_dialogs, "ask_open", lambda *_arguments: path)
    editor = editor_of(panel)
    editor.button.click()
    assert panel.value("discs.kinds") == str(path)
    assert editor.path.text() == "sizes.csv"
    assert editor.table.isHidden()
