"""The plots of discs that jam, with made-up data: what is shown is what was given."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aggviewer.plots.drawing import LiveNumber, PlotDrawing, interval_of_counts
from aggviewer.systems.jamming.convergence import JamConvergencePlot
from aggviewer.systems.jamming.packing import (
    ForcesPlot,
    GapsPlot,
    JamContactsPlot,
    JamFractionPlot,
    JamStructureFactorPlot,
    disc_contacts,
)
from engine.frame import StressPatch
from engine.simulation import History
from tests.plots.drawn import curve, drawn, number
from tests.plots.gas_data import gas
from tests.plots.jamming_data import density, history, indicators, jammed

FORCES, GAPS, CHAIN = ForcesPlot(), GapsPlot(), JamConvergencePlot()
ISO = "N<sub>c</sub> - iso."


def tolerances(drawing: PlotDrawing) -> list[float]:
    """Where the dashed lines stand."""
    return [one.y[0] for one in drawing.series if one.key.startswith("tolerance")]


def test_convergence_shows_both_lengths_their_tolerance_and_the_gap() -> None:
    drawing, k = drawn(CHAIN, jammed()), np.arange(1, 31)
    assert_allclose(drawing["inflation"].x, k)
    assert_allclose(np.log10(drawing["inflation"].y), -2.0 - k / 3.0)
    assert_allclose(np.log10(drawing["displacement"].y), -0.5 - k / 3.0)
    gap = drawing["gap"].y
    assert np.isnan(gap[:2]).all()  # no contacts yet
    assert_allclose(gap[2:], np.arange(3, 31) - 30)
    assert tolerances(drawing) == [1e-8]
    assert "10⁻¹²" in number(drawing, "√Γ - 1")
    assert number(drawing, ISO, 1) == "0"
    low, high = np.log10(drawing.panes[0].bounds[2:])
    assert low < -12.0
    assert high > -0.5
    assert tolerances(drawn(CHAIN, jammed(values={"jamming.tolerance_inflation": 1e-10}))) == [1e-10, 1e-8]
    words = drawing["inflation"].words(4)
    assert "iteration 5" in words
    assert "gap −25" in words


def test_at_the_end_contacts_are_those_of_the_packing_and_too_many_have_their_reason() -> None:
    hexagon = StressPatch(np.arange(12), np.arange(7), 1, 1)

    def told(gap: int, *, ended: bool = True, patches: tuple[StressPatch, ...] = ()) -> str:
        return number(drawn(CHAIN, jammed(ended=ended, found=indicators(isostatic_gap=gap), patches=patches)), ISO, 1)

    assert told(3) == "3"
    assert told(3, ended=False) == "0"
    assert told(1, patches=(hexagon,)) == "1</b>: 1 extra self-stress<br>in a hexagon of touching discs<b>"
    assert told(0, patches=(hexagon,)) == "0"


def test_the_first_program_is_a_dot() -> None:
    steps = history()
    for count, marker in ((2, "o"), (5, "")):  # the first entry is the start
        fields = {name: getattr(steps, name)[:count] for name in steps.__dataclass_fields__}
        drawing = drawn(CHAIN, jammed(past=replace(steps, **fields)))
        assert [drawing[key].marker for key in ("inflation", "displacement", "gap")] == [marker] * 3


def test_forces_and_gaps_have_fits_that_name_range_and_count() -> None:
    drawing, given = drawn(FORCES, jammed()), density(0.42)
    x, y = curve(drawing, "points")
    assert_allclose(x, np.sqrt(given.edges[1:] * given.edges[:-1]))
    assert_allclose(y, given.density)
    counts = np.maximum(np.rint(given.density * given.count * np.diff(given.edges)), 1.0)
    _, low, y, high = drawing["points"].bars()
    seen = np.isin(given.density, y)
    assert_allclose(
        [low / y, high / y], np.array(interval_of_counts(counts[seen], given.count)) / counts[seen], rtol=1e-9
    )
    for key, exponent in (("fit", 0.42), ("more_fit", 0.17)):
        x, y = np.log10(curve(drawing, key))
        assert_allclose(x, [-3.0, -1.0])
        assert np.diff(y) / np.diff(x) == pytest.approx(exponent)
    told = drawing.panes[0].numbers
    extended, bucklers = told.values()
    assert all(one in " ".join(told) for one in ("extended θ<sub>e</sub>", "bucklers θ<sub>l</sub>"))
    assert isinstance(extended, LiveNumber)
    assert isinstance(bucklers, LiveNumber)
    assert extended.text.startswith("0.42(3)")
    assert "(f/⟨f⟩&nbsp;≤&nbsp;0.1,&nbsp;n&nbsp;=&nbsp;123)" in extended.text
    assert (extended.short, bucklers.short) == ("0.42(3)", "0.17(3)"), "beside another run there is no room for more"
    assert drawing["points"].words(0).startswith("extended contacts: f/⟨f⟩ =")
    gaps = drawn(GAPS, jammed())
    assert number(gaps, "γ").startswith("0.41(3)")
    x, y = np.log10(curve(gaps, "fit"))
    assert np.diff(y) / np.diff(x) == pytest.approx(-0.41)


def test_tables_have_every_value_behind_what_is_shown() -> None:
    values = {one.name: len(one.values) for plot in (FORCES, GAPS) for one in drawn(plot, jammed()).table}
    assert values == {
        "f/⟨f⟩ of extended contacts (all values)": 300,
        "f/⟨f⟩ of contacts of bucklers (all values)": 100,
        "gap h (all values)": 200,
    }


def test_without_power_laws_the_plots_say_why() -> None:
    few = indicators(
        extended_forces=density(0.4, fit=False), buckler_forces=None, gaps=density(-0.4, 1e-6, 0.5, fit=False)
    )
    for given, note in (
        (jammed(ended=False), "power laws are fitted when the packing has jammed"),
        (jammed(found=few), "too few small values for a power law"),
    ):
        for plot in (FORCES, GAPS):
            drawing = drawn(plot, given)
            assert drawing.note.endswith(note)
            assert drawing.find("fit") is None
            assert len(drawing["points"].x) > 0
            assert not drawing.panes[0].numbers
    assert drawn(FORCES, jammed(found=few)).find("more_points") is None


def test_contacts_per_disc_are_shares_with_their_mean_and_the_rattlers() -> None:
    drawing = drawn(JamContactsPlot(), jammed())
    assert_allclose(drawing["bars"].y, np.array([12, 0, 0, 70, 104, 60, 10, 0, 0]) / 256)
    assert number(drawing, "z") == f"{(3 * 70 + 4 * 104 + 5 * 60 + 6 * 10) / 244:.3f}"
    assert number(drawing, "rattlers") == "4.7 %"
    assert drawing["bars"].words(3).startswith("3: 27.3 %, 70 discs")
    found = disc_contacts(np.array([0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1]), 0)
    assert found is not None
    assert found.mean == pytest.approx((3 + 4 + 8 + 9 + 10) / 5), "more than eight are counted as many as they are"
    assert disc_contacts(np.array([256]), 256) is None  # nothing is held


def test_of_a_recording_there_is_no_chain_and_no_volume_fraction() -> None:
    plain = jammed(past=History(np.zeros(1), np.ones(1, np.int64), np.zeros(1)), found=None)
    for plot in (CHAIN, JamContactsPlot(), JamFractionPlot()):
        assert plot.prepare(plain, {}, None) is None


def test_a_packing_has_a_structure_factor_before_it_has_contacts() -> None:
    plot, given = JamStructureFactorPlot(), jammed(arrangement=SimpleNamespace(structure_factor=None))
    assert plot.prepare(given, {}, None) is None
    found = gas().indicators
    early = replace(given, indicators=None, data=replace(given.data, arrangement=found))
    assert_allclose(drawn(plot, early)["curve"].y, found.structure_factor.s)
