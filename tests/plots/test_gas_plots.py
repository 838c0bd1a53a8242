"""The plots of discs that bounce, with made-up data: what is drawn is what was given."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aggviewer.plots import RunStyle
from aggviewer.session.data import Analysis
from aggviewer.style.theme import colors_on
from aggviewer.systems.aggregation.structure import BoxCountingPlot
from aggviewer.systems.hard_discs.analysis import GasData
from aggviewer.systems.hard_discs.collisions import (
    PressurePlot,
    SeparationsPlot,
    equation_of_state_path,
)
from aggviewer.systems.hard_discs.energy_decay import EnergyDecayPlot, decay
from aggviewer.systems.hard_discs.motion import MeanSquareDisplacementPlot, SpeedsPlot, mean_square_displacement
from aggviewer.systems.hard_discs.structure import FluctuationsPlot, PairCorrelationPlot
from aggviewer.systems.registry import view_of
from aggviewer.systems.state_plots import HeightProfilePlot, RadialProfilePlot
from engine.hard_discs.cooling import NO_LAW, Stretch
from engine.hard_discs.pressure import pressure_in_pieces
from engine.hard_discs.theory import FLUID_TO, REFERENCE_Z, fluid_z, haff, henderson, maxwell_speed
from engine.scenario import Scenario
from tests.plots.gas_data import BOX, COUNT, FRACTION, RADIUS, RATE, START, gas, history
from tests.plots.panels import data_of, open_plot, plots_panel, shown_panel, style_of, system_of, unfold_all

ELASTIC, LOSSY = RunStyle("ε = 1", "event-driven"), RunStyle("ε = 0.9", "event-driven", 1)


@pytest.fixture
def panel(qtbot):
    return shown_panel(qtbot, "hard-discs", height=1500)


def test_the_plots_follow_the_system(qtbot):
    panel = plots_panel()
    qtbot.addWidget(panel)
    panel.show()
    assert len(panel.cards) == 11
    panel.set_kind("hard-discs")
    assert [card.number for card in panel.cards] == list(range(1, 13))
    assert all(card.isVisible() for card in panel.cards)
    assert not open_plot(panel, BoxCountingPlot).isVisible()
    panel.show_only(12)
    panel.set_kind("aggregation")
    assert panel.shown is None  # there is no plot 12 now
    assert open_plot(panel, BoxCountingPlot).isVisible()
    assert not open_plot(panel, SpeedsPlot).isVisible()
    with pytest.raises(ValueError):
        panel.show_only(12)
    panel.set_kind("jamming")
    assert len(panel.cards) == 6
    panel.set_kind("of the future")  # none of its own
    assert panel.cards == ()
    assert not open_plot(panel, BoxCountingPlot).isVisible()


def test_every_plot_says_what_it_shows_while_it_is_empty(panel):
    for card in unfold_all(panel).cards:
        assert len(card.view.empty_text) > 20
        assert card.view._empty.isVisible()
        assert card.plot.definition
        assert card.minimumSizeHint().width() <= 250  # beside a scroll bar in a panel of 280 pixels


def test_energy_follows_haffs_law(panel):
    given = gas(0.9)
    panel.refresh(given)
    card = open_plot(panel, EnergyDecayPlot)
    x, y = data_of(card, "energy")
    assert_allclose(y, haff(x, 0.9, RATE), rtol=1e-9)
    x, y = data_of(card, "haff")
    assert_allclose(y, haff(x, 0.9, RATE), rtol=0.01)  # the rate is known to a collision
    assert "E/Haff = <b>1" in card.view.value
    assert "drift" not in card.view.value


def test_energy_that_is_conserved_shows_its_drift(panel):
    panel.refresh(gas(1.0))
    card = open_plot(panel, EnergyDecayPlot)
    assert_allclose(data_of(card, "energy")[1], 1.0, atol=1e-12)
    assert len(data_of(card, "haff")[0]) == 0
    assert "drift = <b>2.5·10⁻¹⁴</b>" in card.view.value
    low, high = card.view.getPlotItem().getViewBox().viewRange()[1]
    assert (low, high) == pytest.approx((-1.0, 0.12))  # a straight line, with room for the numbers below it


def test_walls_of_a_periodic_box_take_no_energy():
    lossy = {"hard_discs.wall_restitution": 0.5}
    assert decay(gas(values=lossy)).drift == 2.5e-14
    assert decay(gas(values=lossy, periodic=False)).drift is None


def test_haffs_law_is_left_out_where_it_says_nothing():
    for changes in ({"hard_discs.gravity": [0.0, -1.0], "box.boundary": "walls"}, {"hard_discs.growth_rate": 0.1}):
        assert decay(gas(1.0, values=changes)).drift is None
    for stretches in (
        (),  # of a recording
        (Stretch(0.0, NO_LAW, START, RATE),),
        (Stretch(0.0, 0.9, START, 0.0),),  # dense, and never measured
        (Stretch(0.0, 1.0, START, RATE),),
    ):
        assert decay(gas(0.9, stretches=stretches)).haff is None


def test_haffs_law_begins_anew_where_the_restitution_is_changed(panel):
    moments = (Stretch(0.0, 1.0, START, RATE), Stretch(4.0, 0.9, 300.0, 5.0), Stretch(8.0, NO_LAW, 200.0, 4.0))
    given = gas(0.9, stretches=(*moments, Stretch(12.0, 0.5, 100.0, 3.0)))
    found = decay(given)
    assert found.energy[found.time == 4.0][-1] == pytest.approx(300.0 / START)
    want = np.full(len(found.time), 1.0)
    for one in given.data.stretches[1:]:
        later = found.time >= one.time
        want[later] = haff(found.time[later] - one.time, abs(one.restitution), one.rate, one.energy / START)
    silent = (found.time >= 8.0) & (found.time < 12.0)
    assert_allclose(found.haff[~silent], want[~silent], rtol=1e-12)
    assert np.isnan(found.haff[silent]).all()
    panel.refresh(given)
    law = open_plot(panel, EnergyDecayPlot).drawings[0]["haff"]
    assert not law.joined[np.searchsorted(law.x, 4.0, side="left") - 1]  # no line from one law to the next
    assert "E/Haff" in open_plot(panel, EnergyDecayPlot).view.value


def test_energy_of_discs_that_start_at_rest_is_over_the_largest():
    given = gas(0.9)
    past = replace(given.history, thermal_energy=np.linspace(0.0, 8.0, len(given.history.time)))
    found = decay(replace(given, history=past))
    assert found.energy.max() == pytest.approx(1.0)
    nothing = replace(given.history, thermal_energy=np.zeros(len(given.history.time)))
    assert decay(replace(given, history=nothing)) is None


def test_speeds_beside_maxwells(panel):
    given = gas()
    assert not open_plot(panel, SpeedsPlot).view.shown
    panel.refresh(given)
    card, seen = open_plot(panel, SpeedsPlot), given.indicators.speeds
    x, y = data_of(card, "steps")
    assert_allclose(x, seen.edges)
    assert_allclose(y, seen.density)
    u, density = data_of(card, "maxwell")
    assert_allclose(density, maxwell_speed(u))
    assert f"{seen.temperature:.3g}" in card.view.value
    assert "a₂" in card.view.value
    panel.clear()
    assert not card.view.shown
    assert card.view.empty_text


def in_space(given: Analysis) -> Analysis:
    return replace(given, system=replace(given.system, box=np.array([20.0, 20.0, 20.0])))


def test_speeds_of_spheres_are_beside_maxwells_law_in_space():
    found = SpeedsPlot().prepare(in_space(gas()), {}, None)
    assert found is not None
    law = found["maxwell"]
    assert_allclose(law.y, np.sqrt(2.0 / np.pi) * law.x**2 * np.exp(-0.5 * law.x**2))
    assert "Maxwell 0.0" in found["steps"].words(0)


def test_displacement_of_spheres_is_six_times_d_and_time():
    t = np.linspace(0.0, 50.0, 200)
    given = in_space(gas(displacement=(t, 6.0 * 0.3 * t)))
    assert mean_square_displacement(given).diffusion(None).coefficient == pytest.approx(0.3 / (2 * RADIUS) ** 2)
    line = MeanSquareDisplacementPlot().prepare(given, {}, None)["diffusive"]
    assert_allclose(line.y, 6.0 * 0.3 * line.x / (2 * RADIUS) ** 2)


def test_every_plot_of_a_gas_has_a_place_among_those_of_spheres():
    assert all(3 in plot.dimensions for plot in view_of("hard-discs").plots())


def test_pressure_among_the_literature(panel):
    panel.refresh(gas())
    card = open_plot(panel, PressurePlot)
    phi, z = data_of(card, "references")
    assert_allclose(phi, [one.phi for one in REFERENCE_Z])
    assert_allclose(z, [one.z for one in REFERENCE_Z])
    phi, z = data_of(card, "literature")
    assert_allclose(z, fluid_z(phi))
    assert phi[-1] == FLUID_TO[2]
    phi, z = data_of(card, "now")
    assert_allclose([phi[0], z[0]], [FRACTION, henderson(FRACTION)])
    assert f"Z = <b>{henderson(FRACTION):.3f} ± 0.002</b>" in card.view.value


def test_the_pressure_of_spheres_is_among_theirs():
    plane = gas(
        measures=SimpleNamespace(
            compressibility=3.9, compressibility_error=None, volume_fraction=0.3, energy_drift=0.0, time_measured=20.0
        )
    )
    found = PressurePlot().prepare(in_space(plane), {}, None)
    assert found is not None
    curve = found["literature"]
    assert_allclose(curve.y, fluid_z(curve.x, 3))
    assert curve.x[-1] == pytest.approx(0.494)
    assert len(found["references"].x) == 0
    law = found.panes[0].numbers["Kolafa"]
    assert law[0] == "3.984"


def test_pressure_on_the_way_of_discs_that_grow(panel):
    given = gas(growing=True)
    phi, z = pressure_in_pieces(given.history, COUNT)
    panel.refresh(given)
    assert_allclose(data_of(open_plot(panel, PressurePlot), "trail")[0], phi)
    assert_allclose(data_of(open_plot(panel, PressurePlot), "now")[0], phi[-1:])
    assert (
        f"Z = <b>{z[-1]:.3f}</b>" in open_plot(panel, PressurePlot).view.value
    )  # of now, not the mean of the whole way


def test_no_pressure_between_walls(panel):
    given = gas(periodic=False)
    assert equation_of_state_path(given) is None
    panel.refresh(given)
    assert open_plot(panel, PressurePlot).view.empty_text.endswith("only in a periodic box; this one has walls.")
    assert not open_plot(panel, PressurePlot).view.shown


@pytest.mark.parametrize(
    ("missing", "why"),
    [
        (
            {"measures": None, "stretches": ()},
            "Measured from the collisions of a run, which a recording does not keep.",
        ),
        ({"measures": None}, "Measured from the collisions of a run, which an earlier state does not keep."),
        ({"measures": SimpleNamespace(compressibility=float("nan"))}, "There was no collision yet."),
        (
            {"values": {"hard_discs.gravity": (0.0, -1.0)}, "measures": SimpleNamespace(compressibility=None)},
            "Measured only without gravity.",
        ),
    ],
)
def test_a_periodic_box_without_a_pressure_is_not_told_to_be_periodic(panel, missing, why):
    panel.refresh(gas(**missing))
    assert open_plot(panel, PressurePlot).view.empty_text == f"Pressure divided by that of an ideal gas. {why}"


def test_nobody_is_told_to_run_what_has_run_already(panel):
    panel.refresh(replace(gas(), history=None))
    card = open_plot(panel, EnergyDecayPlot)
    assert card.view.empty_text == "Kinetic energy over time, with Haff's law if collisions lose energy."
    panel.begin()
    assert card.view.empty_text.endswith("Run to see it.")


def test_pair_correlation_over_the_diameter(panel):
    given = gas()
    panel.refresh(given)
    card, seen = open_plot(panel, PairCorrelationPlot), given.indicators.pair_correlation
    r, g = data_of(card, "curve")
    assert_allclose(r, seen.r / (2 * RADIUS))
    assert_allclose(g, seen.g)
    assert_allclose(data_of(card, "contact"), [[1.0], [given.indicators.contact_value]])
    assert f"± {given.indicators.contact_value_error:.3f}" in card.view.value
    unknown = replace(given, indicators=replace(given.indicators, contact_value=None, contact_value_error=None))
    panel.refresh(unknown)
    assert len(data_of(card, "contact")[0]) == 0
    assert card.view.value == ""


def test_separations_on_a_log_axis(panel):
    given = gas()
    panel.refresh(given)
    card = open_plot(panel, SeparationsPlot)
    edges, counts = given.data.impacts
    x, y = data_of(card, "steps")
    assert_allclose(x, edges)
    assert_allclose(y, counts)
    share = 100 * counts[edges[1:] <= 0].sum() / counts.sum()
    assert f"{share:.1f} %" in card.view.value
    left, right = card.view.getPlotItem().getViewBox().viewRange()[0]
    assert (left, right) == (-6.5, 6.5)  # as far as anything was counted


def test_separations_with_open_ends_and_without_any(panel):
    edges, counts = gas().data.impacts
    opened = np.concatenate([[-np.inf], edges, [np.inf]]), np.concatenate([[3], counts, [4]])
    panel.refresh(gas(impacts=opened))
    assert_allclose(data_of(open_plot(panel, SeparationsPlot), "steps")[0], edges)
    panel.refresh(gas(impacts=None))
    assert open_plot(panel, SeparationsPlot).view.empty_text
    panel.refresh(gas(impacts=(edges, np.zeros_like(counts))))
    assert open_plot(panel, SeparationsPlot).view.empty_text


def test_fluctuations_over_the_diameter(panel):
    given = gas()
    panel.refresh(given)
    x, y = data_of(open_plot(panel, FluctuationsPlot), "curve")
    seen = given.indicators.fluctuations
    assert_allclose(x, seen.side / (2 * RADIUS))
    assert_allclose(y, seen.ratio)
    assert "ideal" in open_plot(panel, FluctuationsPlot).view.shown


def test_displacement_with_its_beginning_and_its_end(panel):
    t = np.linspace(0.0, 50.0, 200)
    squared = np.where(t < 1.0, 2.0 * t**2, 4.0 * 0.3 * t)
    given = gas(displacement=(t, squared))
    found = mean_square_displacement(given)
    assert found.ballistic == 2.0 / (2 * RADIUS) ** 2
    diffusion = found.diffusion(None)
    assert diffusion.coefficient == pytest.approx(0.3 / (2 * RADIUS) ** 2)
    assert diffusion.low == pytest.approx(25.0, abs=0.3)
    panel.refresh(given)
    card = open_plot(panel, MeanSquareDisplacementPlot)
    _, y = data_of(card, "curve")
    assert_allclose(y, squared[1:] / (2 * RADIUS) ** 2)
    ends, heights = data_of(card, "ballistic")
    assert_allclose(heights, 2.0 * ends**2 / (2 * RADIUS) ** 2)
    assert "D/σ² = <b>0.469 / time</b>" in card.view.value
    x, y = data_of(card, "diffusive")
    assert_allclose(y, 4.0 * 0.3 * x / (2 * RADIUS) ** 2)
    assert (x[0], x[-1]) == pytest.approx((diffusion.low, 50.0))
    card.fits.choose((0.1, 2.0))  # where discs have flown straight
    flight = found.diffusion((0.1, 2.0))
    assert f"D/σ² = <b>{flight.coefficient:.3g}" in card.view.value
    table = card.table()
    assert table["D/σ² [1/time]"] == pytest.approx([flight.coefficient])
    assert not any("standard error" in heading for heading in table)
    assert table["D/σ² from t [time]"][0] >= 0.1
    assert table["D/σ² to t [time]"][0] <= 2.0
    card.fits.choose(None)
    panel.refresh(gas(displacement=(t[:1], squared[:1])))
    assert card.view.empty_text


def test_two_runs_are_both_drawn_and_read(panel):
    unfold_all(panel).set_runs([ELASTIC, LOSSY])
    for run, restitution in enumerate((1.0, 0.9)):
        panel.begin(run)
        panel.refresh(gas(restitution, seed=run), run)
    for card in panel.cards:
        for run in range(2):
            assert any(isinstance(name, tuple) and name[0] == run for name in card.view.shown), card.title
        assert "●" in card.view.value
        assert "○" in card.view.value
    first, second = (style_of(open_plot(panel, EnergyDecayPlot), "energy", run) for run in range(2))
    assert first.colour != second.colour
    panel.set_runs([LOSSY])  # the other one ends
    assert len(open_plot(panel, EnergyDecayPlot).drawings) == 1
    assert data_of(open_plot(panel, EnergyDecayPlot), "energy")[1][-1] < 0.1


def test_themes(panel):
    unfold_all(panel)
    panel.refresh(gas(0.9))
    for dark in (False, True):
        panel.set_theme(colors_on(dark))
        assert style_of(open_plot(panel, SpeedsPlot), "maxwell").colour == colors_on(dark).text


def test_the_smallest_gas_makes_no_trouble(panel):
    from engine.analysis import analyse_gas

    one = analyse_gas(BOX[None] / 2, np.zeros((1, 2)), np.ones(1), np.ones(1), BOX, periodic=False)
    scenario = Scenario(system="hard-discs")
    given = Analysis(system_of(scenario, 1, 1.0), 0.0, one, history(rows=1), GasData(scenario))
    unfold_all(panel).refresh(given)
    profiles = (HeightProfilePlot, RadialProfilePlot)  # of one disc there is one
    assert all(card.view.empty_text for card in panel.cards[1:] if not isinstance(card.plot, profiles))
    since = SimpleNamespace(energy_drift=0.0, compressibility=None)
    later = replace(given, time=3.0, data=GasData(scenario, measures=since))
    others = [card for card in panel.cards[1:] if not isinstance(card.plot, profiles)]
    assert [card.plot.prepare(later, {}, None) for card in others] == [None] * 9
