"""The plots of discs that jam, with made-up data: what is drawn is what was given."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aggviewer.plots import RunStyle
from aggviewer.systems.jamming.convergence import JamConvergencePlot
from aggviewer.systems.jamming.packing import JamContactsPlot, JamFractionPlot, disc_contacts
from aggviewer.systems.jamming.power_laws import ForcesPlot, GapsPlot
from engine.frame import StressPatch
from engine.simulation import History
from tests.plots.jamming_data import density, history, indicators, jammed
from tests.plots.panels import data_of, open_plot, shown_panel, style_of, told, unfold_all
from tests.waiting import laid_out

TRUST, PACKAGE = RunStyle("trust region", "event-driven"), RunStyle("CALiPPSO", "event-driven", 1)


@pytest.fixture
def panel(qtbot):
    return shown_panel(qtbot, "jamming", height=1500)


def tolerances(card):
    """Where the dashed lines stand."""
    return [one.y[0] for one in card.drawings[0].series if one.key.startswith("tolerance")]


def test_six_plots_that_say_what_they_will_show(panel):
    assert [card.number for card in panel.cards] == [1, 2, 3, 4, 5, 6]
    for card in unfold_all(panel).cards:
        assert card.isVisible()
        assert len(card.view.empty_text) > 20
        assert len(card.plot.definition) > 100
    assert not open_plot(panel, JamConvergencePlot).views[1].isVisible()


def test_convergence_shows_both_lengths_their_tolerance_and_the_gap(panel):
    panel.refresh(jammed())
    card = open_plot(panel, JamConvergencePlot)
    k = np.arange(1, 31)
    assert_allclose(data_of(card, "inflation")[0], k)
    assert_allclose(np.log10(data_of(card, "inflation")[1]), -2.0 - k / 3.0)
    assert_allclose(np.log10(data_of(card, "displacement")[1]), -0.5 - k / 3.0)
    gap = data_of(card, "gap")[1]
    assert np.isnan(gap[:2]).all()  # no contacts yet
    assert_allclose(gap[2:], np.arange(3, 31) - 30)
    assert open_plot(panel, JamConvergencePlot).views[1].isVisible()
    assert tolerances(card) == [1e-8]
    assert "10⁻¹²" in open_plot(panel, JamConvergencePlot).view.value
    assert "<b>0</b>" in open_plot(panel, JamConvergencePlot).views[1].value
    low, high = open_plot(panel, JamConvergencePlot).view.getPlotItem().getViewBox().viewRange()[1]
    assert low < -12.0
    assert high > -0.5


def test_at_the_end_contacts_are_those_of_the_packing(panel):
    panel.refresh(jammed(ended=True, found=indicators(isostatic_gap=3)))
    assert "<b>3</b>" in open_plot(panel, JamConvergencePlot).views[1].value
    panel.refresh(jammed(ended=False, found=indicators(isostatic_gap=3)))
    assert "<b>0</b>" in open_plot(panel, JamConvergencePlot).views[1].value


def test_more_contacts_than_isostatic_have_their_reason(panel):
    hexagon = StressPatch(np.arange(12), np.arange(7), 1, 1)
    ended = {"ended": True, "found": indicators(isostatic_gap=1)}
    panel.refresh(jammed(**ended, patches=(hexagon,)))
    assert (
        "<b>1</b>: 1 extra self-stress<br>in a hexagon of touching discs"
        in open_plot(panel, JamConvergencePlot).views[1].value
    )
    panel.refresh(jammed(**ended))
    assert open_plot(panel, JamConvergencePlot).views[1].value.endswith("<b>1</b>")
    panel.refresh(jammed(patches=(hexagon,)))
    assert open_plot(panel, JamConvergencePlot).views[1].value.endswith("<b>0</b>")


def test_the_first_program_is_a_dot(panel):
    steps = history()
    for count, symbol in ((2, "o"), (5, "")):  # the first entry is the start
        fields = {name: getattr(steps, name)[:count] for name in steps.__dataclass_fields__}
        panel.refresh(jammed(past=replace(steps, **fields)))
        card = open_plot(panel, JamConvergencePlot)
        assert [style_of(card, key).marker for key in ("inflation", "displacement", "gap")] == [symbol] * 3


def test_two_tolerances_are_two_lines(panel):
    panel.refresh(jammed(values={"jamming.tolerance_inflation": 1e-10}))
    assert tolerances(open_plot(panel, JamConvergencePlot)) == [1e-10, 1e-8]


def test_a_displacement_of_zero_leaves_a_gap_and_no_error(panel):
    steps = history()
    panel.refresh(jammed(past=replace(steps, displacement=steps.displacement * 0.0)))
    assert not data_of(open_plot(panel, JamConvergencePlot), "displacement")[1].any()
    assert "max |s| = <b>0</b>" in open_plot(panel, JamConvergencePlot).view.value
    panel.refresh(jammed(past=replace(steps, inflation=steps.inflation * 0.0 - 2e-16)))
    assert "√Γ - 1 = <b>0</b>" in open_plot(panel, JamConvergencePlot).view.value


def test_forces_show_both_kinds_with_fits_that_name_range_and_count(panel):
    panel.refresh(jammed())
    given = density(0.42)
    x, y = data_of(open_plot(panel, ForcesPlot), "points")
    assert_allclose(x, np.sqrt(given.edges[1:] * given.edges[:-1]))
    assert_allclose(y, given.density)
    for line, exponent in (("fit", 0.42), ("more_fit", 0.17)):
        x, y = np.log10(data_of(open_plot(panel, ForcesPlot), line))
        assert_allclose(x, [-3.0, -1.0])
        assert (y[1] - y[0]) / (x[1] - x[0]) == pytest.approx(exponent)
    for words in (
        "extended θ<sub>e</sub>",
        "0.42(3)",
        "bucklers θ<sub>l</sub>",
        "0.17(3)",
        "(f/⟨f⟩&nbsp;≤&nbsp;0.1,&nbsp;n&nbsp;=&nbsp;123)",
    ):
        assert words in open_plot(panel, ForcesPlot).view.value


def test_gaps_tell_the_exponent_of_their_decrease(panel):
    panel.refresh(jammed())
    assert "γ = <b>0.41(3)</b>" in open_plot(panel, GapsPlot).view.value
    x, y = np.log10(data_of(open_plot(panel, GapsPlot), "fit"))
    assert (y[1] - y[0]) / (x[1] - x[0]) == pytest.approx(-0.41)


def test_before_the_end_there_are_no_power_laws(panel):
    panel.refresh(jammed(ended=False))
    for card in (open_plot(panel, ForcesPlot), open_plot(panel, GapsPlot)):
        assert card.view.value.endswith("power laws are fitted when the packing has jammed")
        assert len(data_of(card, "fit")[0]) == 0
        assert len(data_of(card, "points")[0]) > 0


def test_too_few_values_for_a_fit_are_said_to_be(panel):
    few = indicators(
        extended_forces=density(0.4, fit=False), buckler_forces=None, gaps=density(-0.4, 1e-6, 0.5, fit=False)
    )
    panel.refresh(jammed(found=few))
    for card in (open_plot(panel, ForcesPlot), open_plot(panel, GapsPlot)):
        assert "too few" in card.view.value
        assert len(data_of(card, "fit")[0]) == 0
        assert not card.view.empty_text
    assert len(data_of(open_plot(panel, ForcesPlot), "more_points")[0]) == 0


def test_contacts_per_disc_and_rattlers(panel):
    panel.refresh(jammed())
    _, heights = data_of(open_plot(panel, JamContactsPlot), "bars")
    assert_allclose(heights, np.array([12, 0, 0, 70, 104, 60, 10, 0, 0]) / 256)
    mean = (3 * 70 + 4 * 104 + 5 * 60 + 6 * 10) / 244
    assert f"{mean:.3f}" in open_plot(panel, JamContactsPlot).view.value
    assert "4.7 %" in open_plot(panel, JamContactsPlot).view.value


def test_more_than_eight_contacts_are_in_the_last_bar():
    found = disc_contacts(np.array([0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1]), 0)
    assert found is not None
    assert found.mean == pytest.approx((3 + 4 + 8 + 9 + 10) / 5)
    assert disc_contacts(np.array([256]), 256) is None  # nothing is held


def test_the_volume_fraction_begins_with_the_start(panel):
    panel.refresh(jammed())
    x, y = data_of(open_plot(panel, JamFractionPlot), "curve")
    assert x[0] == 0.0
    assert y[0] == pytest.approx(0.8)
    assert f"{y[-1]:.5f}" in open_plot(panel, JamFractionPlot).view.value


def test_what_is_not_known_stays_empty(panel):
    panel.refresh(jammed())
    panel.refresh(jammed(past=history(0), found=None))
    for card in (
        open_plot(panel, JamConvergencePlot),
        open_plot(panel, ForcesPlot),
        open_plot(panel, GapsPlot),
        open_plot(panel, JamContactsPlot),
    ):
        assert card.view.empty_text
    assert not open_plot(panel, JamFractionPlot).view.empty_text  # that of the start
    plain = History(np.zeros(1), np.ones(1, np.int64), np.zeros(1))  # of a recording
    given = jammed(past=plain, found=None)
    plots = (JamConvergencePlot(), JamContactsPlot(), JamFractionPlot())
    steps, contacts, filling = (plot.prepare(given, {}, None) for plot in plots)
    assert (steps, contacts, filling) == (None, None, None)


def test_two_runs_side_by_side(panel):
    panel.set_runs([TRUST, PACKAGE])
    panel.refresh(jammed(), 0)
    panel.refresh(jammed(past=history(45)), 1)
    assert len(data_of(open_plot(panel, JamConvergencePlot), "inflation", 1)[0]) == 45
    assert open_plot(panel, JamConvergencePlot).views[1].value.count("<b>0</b>") == 2
    assert "123" not in open_plot(panel, ForcesPlot).view.value  # there is no room for ranges
    assert open_plot(panel, ForcesPlot).view.value.count("0.42(3)") == 2
    panel.set_runs([TRUST])
    assert len(data_of(open_plot(panel, JamConvergencePlot), "inflation")[0]) == 30


def test_the_mouse_reads_iterations_and_densities(panel):
    panel.refresh(jammed())
    words = told(open_plot(panel, JamConvergencePlot), "inflation", 4)
    assert "iteration 5" in words
    assert "gap −25" in words
    assert told(open_plot(panel, ForcesPlot), "points", 0).startswith("extended contacts: f/⟨f⟩ =")
    assert told(open_plot(panel, JamContactsPlot), "bars", 3).startswith("3: 27.3 %, 70 discs")


def every_value(card):
    """How many values the tables have of each kind, without what is said of the bins of the plot."""
    return {name: len(values) for name, values in card.contents.values().items() if "all values" in name}


def test_tables_have_every_value_behind_what_is_shown(panel):
    panel.refresh(jammed())
    assert every_value(open_plot(panel, ForcesPlot)) == {
        "f/⟨f⟩ of extended contacts (all values) [1]": 300,
        "f/⟨f⟩ of contacts of bucklers (all values) [1]": 100,
    }
    assert every_value(open_plot(panel, GapsPlot)) == {"gap h (all values) [1]": 200}


@pytest.mark.parametrize("width", [240, pytest.param(280, marks=pytest.mark.slow), 420])
def test_nothing_is_cut_off_in_a_narrow_panel(panel, qtbot, width):
    unfold_all(panel)
    for card in panel.cards:
        card.head.reveal(True)
    few = indicators(extended_forces=density(0.4, fit=False), gaps=density(-0.4, 1e-6, 0.5, fit=False))
    for found in (indicators(), few):
        panel.resize(width, 900)
        panel.refresh(jammed(found=found))
        laid_out(panel)
        for card in panel.cards:
            assert card.mapTo(panel, card.rect().bottomRight()).x() < width
            text = card.view._text
            assert card.view.rect().contains(text.geometry()), (card.title, text.text())
            for button in (card.head.help, card.head.alone):
                assert button.mapTo(panel, button.rect().bottomRight()).x() < width
    panel.refresh(jammed())
    assert ("≤" in open_plot(panel, ForcesPlot).view._text.text()) == (width > 280), "range and count, if there is room"
