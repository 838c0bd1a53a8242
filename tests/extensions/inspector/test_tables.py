"""Tables of discs and clusters: filtered, sorted, written; a million rows without delay."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PyQt6.QtCore import Qt

from aggviewer.extensions.inspector.tables import Ask, RowKind, Table, TableSource, tabulate
from aggviewer.extensions.inspector.view import TableModel
from aggviewer.session.data import DiscSet
from engine.frame import Frame
from engine.scenario import Scenario
from engine.selection import Selection
from tests.reference.measures import pair_radius_of_gyration


def source(count: int = 12) -> TableSource:
    """Clusters 0 and 4 of four and two discs, the others alone; disc 1 is the fastest."""
    rng = np.random.default_rng(2)
    scenario = Scenario().with_values({"discs.count": count})
    box = np.full(2, 10.0 * np.sqrt(count))
    system = DiscSet(scenario, np.full(count, 0.5), np.linspace(1.0, 2.0, count), box, False, count)
    cluster = np.arange(count, dtype=np.int32)
    cluster[:4], cluster[4:6] = 0, 4
    velocities = rng.normal(size=(count, 2))
    velocities[1] = 50.0
    return TableSource(
        Frame(0.0, rng.random((count, 2)) * box, velocities, {"cluster": cluster}, count - 4, 0.0), system
    )


def test_the_table_of_discs_has_what_the_frame_says() -> None:
    made = tabulate(source(), Ask())
    assert made.order.tolist() == list(range(12))
    names = [field.name for field in made.fields]
    assert names[:7] == ["disc", "x", "y", "radius", "mass", "vx", "vy"]
    assert {"cluster", "size", "speed", "contacts"} <= set(names)
    assert made.text(1, names.index("speed")) == "70.711"
    assert made.text(3, names.index("size")) == "4"
    fast = tabulate(made.source, Ask("discs", "size > 1", "speed", True))
    assert fast.order[0] == 1
    assert sorted(fast.order.tolist()) == [0, 1, 2, 3, 4, 5]
    speeds = fast.values["speed"][fast.order]
    assert (np.diff(speeds) <= 0.0).all()
    assert fast.total == 12
    assert np.flatnonzero(fast.discs_of(np.array([0, 1]))).tolist() == sorted(fast.order[:2].tolist())
    assert fast.row_of(1) == 0
    assert fast.row_of(9) == -1
    assert fast.place_of(0) == tuple(fast.source.frame.positions[1])


@pytest.mark.parametrize(
    ("kind", "name", "definition"),
    [("discs", "local_density", "Voronoi cell"), ("clusters", "aspect", "gyration tensor")],
)
def test_the_head_of_a_column_says_how_it_is_named_and_defined(kind: RowKind, name: str, definition: str) -> None:
    model = TableModel()
    made = tabulate(source(), Ask(kind))
    model.show(made, np.zeros(12, bool))
    column = [field.name for field in made.fields].index(name)
    words = model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert f"“{name}” in conditions" in words
    assert definition in words


def test_the_table_of_clusters_has_their_discs_and_shapes() -> None:
    made = tabulate(source(), Ask("clusters", "", "size", True))
    assert made.total == len(made.order) == 8
    assert made.values["size"][made.order].tolist() == [4, 2, 1, 1, 1, 1, 1, 1]
    assert np.flatnonzero(made.discs_of(np.array([0, 1]))).tolist() == [0, 1, 2, 3, 4, 5]
    mask = np.zeros(12, bool)
    mask[[0, 1, 2, 4, 5, 9]] = True  # not the whole first cluster
    assert made.values["cluster"][made.marked(mask)].tolist() == [4, 9]
    assert made.row_of(5) == 1
    assert not made.marked(np.ones(13, bool)).any()  # of other discs
    alone = tabulate(made.source, Ask("clusters", "size == 1 and cluster > 6"))
    assert alone.values["cluster"][alone.order].tolist() == [7, 8, 9, 10, 11]
    assert "–" in [made.text(7, column) for column in range(len(made.fields))]  # one disc has no aspect ratio


def test_the_radius_of_gyration_of_a_selection(monkeypatch: pytest.MonkeyPatch) -> None:
    made = source()
    points = made.frame.positions[[1, 4, 7]]
    expected = pair_radius_of_gyration(points)
    chosen = Selection.discs([1, 4, 7], 12)
    assert made.radius_of_gyration(chosen) == pytest.approx(expected)
    assert np.isnan(made.radius_of_gyration(Selection.none(12)))
    monkeypatch.setattr("aggviewer.extensions.inspector.tables.MOST_AT_ONCE", 2)
    assert np.isnan(made.radius_of_gyration(chosen)), "of too many discs, which would take long"


def test_a_million_rows_ask_for_nothing_but_what_is_seen(qapp: object) -> None:
    """Making the text of a cell does not look at other rows, and marking a row is no work for each of them."""
    from aggviewer.extensions.inspector.view import TableModel

    class Counted(np.ndarray):
        asked = 0

        def __getitem__(self, index: object) -> object:
            Counted.asked += 1
            return np.asarray(self)[index]

    made = tabulate(source(), Ask())
    values = {name: np.resize(column, 10**6).view(Counted) for name, column in made.values.items()}
    system = made.source.disc_set
    large = DiscSet(system.scenario, system.radii, system.masses, system.box, False, 10**6)
    table = Table(TableSource(made.source.frame, large), Ask(), values, np.arange(10**6))
    model = TableModel()
    model.show(table, np.zeros(10**6, bool))
    model.mark(np.ones(10**6, bool))
    assert Counted.asked == 0
    assert model.rowCount() == 10**6
    speed = [field.name for field in table.fields].index("speed")
    assert model.data(model.index(999_999, speed)) == table.text(999_999, speed)
    assert Counted.asked == 2


def test_expensive_columns_are_computed_on_request_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aggviewer.extensions.inspector.tables.MOST_AT_ONCE", 11)
    plain = tabulate(source(), Ask())
    names = [field.name for field in plain.fields]
    assert {"contacts", "hexatic"}.isdisjoint(plain.values)
    assert {"x", "size", "speed"} <= set(plain.values)
    assert plain.text(0, names.index("contacts")) == "…"
    assert "contacts" in tabulate(plain.source, Ask("discs", "", "contacts")).values
    assert "contacts" in tabulate(plain.source, Ask("discs", "contacts < 9")).values
    text = io.StringIO()
    plain.write(text, ",")
    assert "contacts" not in text.getvalue().splitlines()[0]
    clusters = tabulate(plain.source, Ask("clusters"))
    assert "gyration" not in clusters.values
    assert np.isnan(clusters.place_of(0)).all()


def test_the_age_of_clusters() -> None:
    made = source()
    made.frame.time = 10.0
    assert np.isnan(tabulate(made, Ask("clusters")).values["age"]).all()  # the frame does not say it
    merged = np.zeros(12)
    merged[:4] = [7.0, 7.0, 7.0, 7.0]
    made.frame.fields["last_merge"] = merged
    found = tabulate(TableSource(made.frame, made.disc_set), Ask("clusters"))
    assert found.values["age"].tolist() == [3.0, *[10.0] * 7]
