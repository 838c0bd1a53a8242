"""The table of a plot has what the plot shows: every curve, under its name, with its unit. For all plots of all
systems, with one run and with two."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from aggviewer.export.files import write_table
from aggviewer.plots import PlotsPanel, RunStyle
from aggviewer.plots.drawing import PlotQuantity, TableCurve, as_table
from aggviewer.systems.aggregation.analysis import Rotation, SizesAt
from aggviewer.systems.aggregation.coarsening import CoarseningPlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot
from aggviewer.systems.hard_discs.collisions import SeparationsPlot
from aggviewer.systems.hard_discs.energy_decay import EnergyDecayPlot
from aggviewer.systems.hard_discs.motion import MeanSquareDisplacementPlot
from engine import __version__
from engine.analysis import analyse, size_distribution
from engine.hard_discs.theory import haff
from engine.simulation import History
from tests.plots import gas_data, jamming_data
from tests.plots.aggregate_data import aggregate
from tests.plots.jamming_data import jammed
from tests.plots.panels import plot_of, plots_panel

RUNS = {
    "one": (RunStyle("TS", "time-stepping"),),
    "two": (RunStyle("ED", "event-driven"), RunStyle("TS", "time-stepping", 1)),
}
FIT_OF_M = (
    "t of M/N by the fit of slope of M [time]",
    "M/N by the fit of slope of M [1]",
    "slope of M [1]",
    "slope of M points [1]",
    "fit from t [time]",
    "fit to t [time]",
)
OF_D = (
    "t of 2dDt + c [time]",
    "2dDt + c [1]",
    "D/σ² [1/time]",
    "D/σ² points [1]",
    "D/σ² from t [time]",
    "D/σ² to t [time]",
)
TURNED = Rotation(np.arange(1.0, 9.0), np.linspace(0.1, 0.4, 8), np.linspace(-3.0, 5.0, 8))
ORIGIN = ("seed [1]", "N [1]", "aggviewer [version]")


def history(seed: int) -> History:
    """M falls from 380 of 400: what a recording may begin with."""
    clusters = 380 - 3 * np.arange(100)
    return History(np.linspace(2.0, 12.0 + seed, 100), clusters, 3.0 * (clusters / 400) ** (1.0 + 0.1 * seed))


def convergence(seed: int) -> SimpleNamespace:
    rng = np.random.default_rng(seed)
    return SimpleNamespace(
        time=np.arange(60.0),
        iterations=rng.integers(1, 500, 60),
        residual=10.0 ** rng.uniform(-5, -2, 60),
        not_converged=(rng.random(60) < 0.2).astype(int),
        links=rng.integers(0, 9, 60),
        place=rng.random((60, 2)),
    )


def fill(panel: PlotsPanel, system: str, run: int) -> None:
    radii = np.full(400, 0.25)
    panel.begin(run)
    if system == "aggregation":
        positions = np.random.default_rng(run + 1).uniform(0.0, 20.0, (400, 2))
        found = analyse(
            positions,
            radii,
            np.array([20.0, 20.0]),
            periodic=False,
            cluster=(np.arange(400, dtype=np.int32) // 20) ** 2 // 9,
            velocities=np.random.default_rng(run).normal(size=(400, 2)),
            masses=np.ones(400),
        )
        sizes = (SizesAt(1.0 + run, size_distribution({1: 10, 2: 30 + run})), SizesAt(3.0, size_distribution({4: 9})))
        known = {"convergence": convergence(run), "sizes": sizes, "rotation": TURNED}
        measured = aggregate(found, history(run), 12.0 + run, **known)
        panel.refresh(measured, run)
    elif system == "hard-discs":
        panel.refresh(
            gas_data.gas(
                0.9 - 0.1 * run,
                seed=run + 1,
                growing=bool(run),
                values={"system": "hard-discs", "shear.rate": 0.5 * (run == 0)},
            ),
            run,
        )
    else:
        panel.refresh(jammed(past=jamming_data.history(30 + run)), run)


@pytest.fixture(
    scope="module",
    params=[("aggregation", "two"), ("hard-discs", "one"), ("jamming", "two")],
    ids=lambda it: f"{it[0]}, {it[1]} run",
)
def panel(request, qapp):
    """One for the tests of the file, which change nothing in it."""
    system, runs = request.param
    made = plots_panel()
    made.set_system(system)
    made.set_runs(RUNS[runs])
    for card in made.cards:
        card.head.fold.setChecked(True)
    made.resize(340, 1500)
    made.show()
    for run in range(len(RUNS[runs])):
        fill(made, system, run)
    yield made
    made.close()
    made.deleteLater()


def test_a_column_has_the_quantity_that_its_heading_names(qtbot):
    """M/N and E/E₀ were once swapped: the items of a plot are not in the order of its label."""
    made = plots_panel()
    qtbot.addWidget(made)
    made.show()
    fill(made, "aggregation", 0)
    table, past = plot_of(made, CoarseningPlot).table(), history(0)
    assert list(table) == ["t [time]", "M/N [1]", "E/E₀ [1]", *FIT_OF_M, *ORIGIN]
    assert_allclose(table["t [time]"][:-1], past.time, rtol=1e-12)
    assert_allclose(table["M/N [1]"][:-1], past.clusters / 400, rtol=1e-12)  # a recording that began with M = 380
    assert_allclose(table["E/E₀ [1]"][:-1], past.kinetic_energy / past.kinetic_energy[0], rtol=1e-12)
    boxes = plot_of(made, BoxCountingPlot).table()
    assert (boxes["N(ε) [1]"] == np.rint(boxes["N(ε) [1]"])).all()  # no rounding of a logarithm left
    made.set_system("hard-discs")
    given = gas_data.gas(0.9)
    made.begin()
    for card in made.cards:
        card.head.fold.setChecked(True)
    made.refresh(given)
    energy = plot_of(made, EnergyDecayPlot).table()
    assert list(energy) == ["t [time]", "E/E₀ [1]", "E/E₀ by Haff's law [1]", *ORIGIN]
    t = energy["t [time]"]
    assert_allclose(energy["E/E₀ by Haff's law [1]"], haff(t, 0.9, gas_data.RATE), rtol=1e-9)
    way = plot_of(made, MeanSquareDisplacementPlot).table()
    assert list(way) == ["t [time]", "⟨Δr²⟩/σ² [1]", "t of ⟨v²⟩t²/σ² [time]", "⟨v²⟩t²/σ² [1]", *OF_D, *ORIGIN]
    assert_allclose(way["t [time]"], given.data.displacement[0], rtol=1e-12)
    assert_allclose(way["⟨Δr²⟩/σ² [1]"], given.data.displacement[1] / (2 * gas_data.RADIUS) ** 2, rtol=1e-12)
    hits = plot_of(made, SeparationsPlot).table()
    edges, counts = gas_data.impacts()
    assert list(hits) == [
        "(|r_ij| - σ)/ulp from [1]",
        "(|r_ij| - σ)/ulp to [1]",
        "collisions [1]",
        "collisions standard error [1]",
        *ORIGIN,
    ]
    assert_allclose(hits["collisions standard error [1]"], np.sqrt(counts), rtol=1e-12)
    assert_allclose(hits["collisions [1]"], counts, rtol=1e-12)
    assert_allclose(hits["(|r_ij| - σ)/ulp to [1]"], edges[1:])


def test_a_table_as_a_file_is_read_by_numpy_and_pandas(panel, tmp_path):
    """numpy.genfromtxt knows no quotation marks, and takes a comment in the first line for the names."""
    for card in panel.cards:
        if 2 not in card.plot.dimensions:
            continue
        table = card.table()
        path = tmp_path / f"{card.number}.csv"
        write_table(path, table)
        assert pd.read_csv(path).columns.tolist() == list(table)
        read = pd.read_csv(path, comment="#")
        lines = np.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding="utf-8")
        assert len(set(lines.dtype.names)) == len(table)
        for name, heading in zip(lines.dtype.names, table, strict=True):
            values = table[heading]
            found = read[heading].to_numpy()[: len(values)]
            if values.dtype.kind == "U":
                assert np.atleast_1d(lines[name])[0] == found[0] == values[0]
            else:
                assert np.array_equal(found, values, equal_nan=True)
                assert np.array_equal(np.atleast_1d(lines[name])[: len(values)].astype(float), values, equal_nan=True)
        seeds = [name for name in table if name.startswith("seed")]
        assert seeds == ["seed [1]"] if len(panel.runs) == 1 else [f"seed ({run.name}) [1]" for run in panel.runs]
        assert table["aggviewer [version]"] == [__version__]


def test_curves_of_different_places_keep_them_apart():
    x = np.array([1.0, 2.0])
    curves = [
        TableCurve(PlotQuantity("t", "time"), PlotQuantity("a"), "", x, x),
        TableCurve(PlotQuantity("t", "time"), PlotQuantity("b"), "", x, 2 * x),
        TableCurve(PlotQuantity("t", "time"), PlotQuantity("c"), "", x[:1], x[:1]),
        TableCurve(PlotQuantity("t", "time"), PlotQuantity("none"), "", x[:0], x[:0]),
    ]
    assert list(as_table(curves)) == ["t [time]", "a [1]", "b [1]", "t of c [time]", "c [1]"]
    with pytest.raises(ValueError, match="two columns"):
        as_table([curves[0], curves[0]])
