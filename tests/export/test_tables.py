"""Tables of plots: the numbers behind what is drawn."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from aggviewer.export.files import write_table
from aggviewer.plots.plot import Plot
from aggviewer.style.theme import LIGHT
from engine.analysis import analyse
from engine.errors import InputError
from tests.plots.aggregate_data import aggregate
from tests.plots.panels import plots_panel


@pytest.fixture
def card(qtbot: QtBot) -> Plot:
    """The box counts of random discs, shown."""
    panel = plots_panel()
    qtbot.addWidget(panel)
    panel.resize(340, 760)
    panel.show()
    panel.begin()
    positions = np.random.default_rng(1).uniform(0.0, 20.0, (400, 2))
    found = analyse(positions, np.full(400, 0.25), np.array([20.0, 20.0]), periodic=False)
    panel.set_theme(LIGHT)
    panel.refresh(aggregate(found, None, 1.0))
    made = panel.cards[0]
    made.frames = panel  # type: ignore[attr-defined]
    return made


def test_the_table_of_a_plot_holds_the_quantities_not_their_logarithms(card: Plot, tmp_path: Path) -> None:
    columns = card.table()
    assert all(np.all(values > 0.0) for values in columns.values() if values.dtype.kind == "f")
    path = tmp_path / "plot.csv"
    write_table(path, columns)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == list(columns)
    for index, values in enumerate(columns.values()):
        read = [type(values.tolist()[0])(row[index]) for row in rows[1:] if row[index]]
        assert read == [value for value in values.tolist() if value == value]
    boxes = next(values for name, values in columns.items() if name.startswith("N"))
    assert boxes.max() > 100.0  # boxes, and no logarithm of a number of boxes


def test_columns_of_different_length_and_gaps(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", {"t": [0.1, 0.2, 0.3], "M": [5, 4], "E": [1.0, np.nan, 2.0]})
    assert (tmp_path / "t.csv").read_text() == "t,M,E\n0.1,5,1.0\n0.2,4,\n0.3,,2.0\n"


def test_texts_have_no_quotation_marks(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", {"M (dense, #2)": [0.1], "note": ['a, "b"']})
    assert (tmp_path / "t.csv").read_text() == "M (dense; №2),note\n0.1,a; 'b'\n"


def test_a_table_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        write_table(tmp_path / "nowhere" / "plot.csv", {"t": [1.0]})
    assert list(tmp_path.iterdir()) == []
