"""The plots of discs that bounce, with made-up data: what is shown is what was given."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aggviewer.plots.drawing import interval_of_counts, number_with
from aggviewer.session.analyst import MeasuredState, StateCopy
from aggviewer.session.data import Analysis
from aggviewer.systems.hard_discs.analysis import GasAnalysis
from aggviewer.systems.hard_discs.collisions import PressurePlot, SeparationsPlot, equation_of_state_path
from aggviewer.systems.hard_discs.energy_decay import EnergyDecayPlot, decay
from aggviewer.systems.hard_discs.motion import (
    AutocorrelationPlot,
    FluctuationsPlot,
    MeanSquareDisplacementPlot,
    PairCorrelationPlot,
    SpeedsPlot,
    mean_square_displacement,
)
from aggviewer.systems.state_plots import (
    HeightProfilePlot,
    RadialProfilePlot,
    StructureFactorPlot,
    VelocityCorrelationPlot,
)
from engine.boundary import Periodic
from engine.capabilities import counting
from engine.hard_discs.pressure import NO_LAW, Stretch, pressure_in_pieces
from engine.hard_discs.theory import FLUID_TO, REFERENCE_Z, fluid_z, haff, henderson, maxwell_speed
from engine.initial import initial_state
from engine.scenario import Scenario
from engine.system import system_of as engine_system
from tests.plots.aggregate_data import system_of
from tests.plots.drawn import curve, drawn, number
from tests.plots.gas_data import COUNT, FRACTION, RADIUS, RATE, START, gas


def in_space(given: Analysis) -> Analysis:
    disc_set = replace(given.disc_set, box=np.array([20.0, 20.0, 20.0]), periodic=Periodic.of(True, 3))
    return replace(given, disc_set=disc_set)


def has_bars_of_counts(series: Any, counts: np.ndarray, total: float = np.inf) -> None:
    """The bars of a histogram are the intervals of its counts, over the same number as its values."""
    _, low, y, high = series.bars()
    seen = counts > 0
    each = y / counts[seen]
    ends = np.array(interval_of_counts(counts[seen], total)) * each
    assert_allclose([low, high], ends, rtol=1e-9)


# energy


def test_energy_follows_haffs_law() -> None:
    drawing = drawn(EnergyDecayPlot(), gas(0.9))
    x, y = curve(drawing, "energy")
    assert_allclose(y, haff(x, 0.9, RATE), rtol=1e-9)
    x, y = curve(drawing, "haff")
    assert_allclose(y, haff(x, 0.9, RATE), rtol=0.01)  # the rate is known to a collision
    assert number(drawing, "E/Haff").startswith("1")
    assert "drift" not in drawing.panes[0].numbers


def test_energy_that_is_conserved_shows_its_drift() -> None:
    drawing = drawn(EnergyDecayPlot(), gas(1.0))
    assert_allclose(drawing["energy"].y, 1.0, atol=1e-12)
    assert drawing.find("haff") is None
    assert number(drawing, "drift") == "2.5·10⁻¹⁴"
    low, high = np.log10(drawing.panes[0].bounds[2:])
    assert (low, high) == pytest.approx((-1.0, 0.12))  # a straight line, with room for the numbers below it
    lossy = {"hard_discs.wall_restitution": 0.5}
    assert decay(gas(values=lossy)).drift == 2.5e-14, "walls of a periodic box take no energy"
    assert decay(gas(values=lossy, periodic=False)).drift is None


def test_haffs_law_is_left_out_where_it_says_nothing() -> None:
    for changes in ({"hard_discs.gravity": [0.0, -1.0], "box.boundary": "walls"}, {"hard_discs.growth_rate": 0.1}):
        assert decay(gas(1.0, values=changes)).drift is None
    for stretches in (
        (),  # of a recording
        (Stretch(0.0, NO_LAW, START, RATE),),
        (Stretch(0.0, 0.9, START, 0.0),),  # dense, and never measured
        (Stretch(0.0, 1.0, START, RATE),),
    ):
        assert decay(gas(0.9, stretches=stretches)).haff is None


def test_haffs_law_begins_anew_where_the_restitution_is_changed() -> None:
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
    law = drawn(EnergyDecayPlot(), given)["haff"]
    assert not law.joined[np.searchsorted(law.x, 4.0, side="left") - 1], "no line from one law to the next"


def test_energy_of_discs_that_start_at_rest_is_over_the_largest() -> None:
    given = gas(0.9)
    past = replace(given.history, thermal_energy=np.linspace(0.0, 8.0, len(given.history.time)))
    assert decay(replace(given, history=past)).energy.max() == pytest.approx(1.0)
    nothing = replace(given.history, thermal_energy=np.zeros(len(given.history.time)))
    assert decay(replace(given, history=nothing)) is None
    assert EnergyDecayPlot().why_empty(given) == "Kinetic energy over time, with Haff's law if collisions lose energy."


# speeds and motion


def test_speeds_are_beside_maxwells_law_of_the_plane_or_of_space() -> None:
    given = gas()
    seen, drawing = given.indicators.speeds, drawn(SpeedsPlot(), given)
    assert_allclose(drawing["steps"].x, seen.edges)
    assert_allclose(drawing["steps"].y, seen.density)
    has_bars_of_counts(drawing["steps"], np.rint(seen.density * COUNT * np.diff(seen.edges)), COUNT)
    law = drawing["maxwell"]
    assert_allclose(law.y, maxwell_speed(law.x))
    assert number(drawing, "kT") == f"{seen.temperature:.3g}"
    assert "a₂" in drawing.panes[0].numbers
    spheres = drawn(SpeedsPlot(), in_space(given))
    law = spheres["maxwell"]
    assert_allclose(law.y, np.sqrt(2.0 / np.pi) * law.x**2 * np.exp(-0.5 * law.x**2))
    assert "Maxwell 0.0" in spheres["steps"].words(0)


def test_displacement_has_its_beginning_and_its_end() -> None:
    t = np.linspace(0.0, 50.0, 200)
    squared = np.where(t < 1.0, 2.0 * t**2, 4.0 * 0.3 * t)
    given, plot, area = gas(displacement=(t, squared)), MeanSquareDisplacementPlot(), (2 * RADIUS) ** 2
    found = mean_square_displacement(given)
    assert found.ballistic == 2.0 / area
    diffusion = found.diffusion(None)
    assert diffusion.coefficient == pytest.approx(0.3 / area)
    assert diffusion.low == pytest.approx(25.0, abs=0.3)
    drawing = drawn(plot, given)
    assert_allclose(drawing["curve"].y, squared[1:] / area)
    ends, heights = curve(drawing, "ballistic")
    assert_allclose(heights, 2.0 * ends**2 / area)
    assert number(drawing, "D/σ²") == "0.469 / time"
    x, y = curve(drawing, "diffusive")
    assert_allclose(y, 4.0 * 0.3 * x / area)
    assert (x[0], x[-1]) == pytest.approx((diffusion.low, 50.0))
    assert plot.reads_fit
    flown = drawn(plot, given, (0.1, 2.0))  # a range in which discs have flown straight
    flight = found.diffusion((0.1, 2.0))
    assert number(flown, "D/σ²").startswith(f"{flight.coefficient:.3g}")
    assert [one.name for one in flown.table] == ["D/σ²", "D/σ² points", "D/σ² from t", "D/σ² to t"]
    assert flown.table[0].values == pytest.approx([flight.coefficient])
    assert flight.coefficient != pytest.approx(diffusion.coefficient, rel=0.05)
    assert 0.1 <= flown["diffusive"].x[0] < flown["diffusive"].x[-1] <= 2.0
    assert plot.prepare(gas(displacement=(t[:1], squared[:1])), {}, None) is None


def test_displacement_of_spheres_is_six_times_d_and_time() -> None:
    t = np.linspace(0.0, 50.0, 200)
    given = in_space(gas(displacement=(t, 6.0 * 0.3 * t)))
    assert mean_square_displacement(given).diffusion(None).coefficient == pytest.approx(0.3 / (2 * RADIUS) ** 2)
    line = drawn(MeanSquareDisplacementPlot(), given)["diffusive"]
    assert_allclose(line.y, 6.0 * 0.3 * line.x / (2 * RADIUS) ** 2)


def test_a_gas_is_followed_from_its_first_state() -> None:
    scenario = Scenario().with_values(
        {"system": "hard-discs", "discs.count": 60, "discs.volume_fraction": 0.3, "box.boundary": "periodic"}
    )
    state = initial_state(scenario)
    simulation = engine_system(scenario).create(scenario, state)
    analysis = GasAnalysis()
    system = system_of(scenario, 60, 0.1)
    system = replace(system, radii=state.radii, masses=state.masses, box=state.box, periodic=True)
    assert counting(simulation) is not None
    for _ in range(4):
        frame = simulation.settled()
        observed = analysis.observe(simulation, frame, MeasuredState())
        found = analysis.measure(StateCopy(system, frame.time, frame.positions.copy(), 1.0, None, observed))
        simulation.advance(max_events=60)
    time, alike = found.data.autocorrelation
    assert time[0] == 0.0
    assert len(time) == 4
    assert alike[0] == pytest.approx(1.0)
    assert (np.abs(alike[1:]) < 0.99).all()
    assert found.indicators.velocity_autocorrelation == alike[-1]


# collisions


def test_the_pressure_is_among_the_literature() -> None:
    drawing = drawn(PressurePlot(), gas())
    assert_allclose(np.column_stack(curve(drawing, "references")), [(one.phi, one.z) for one in REFERENCE_Z])
    phi, z = curve(drawing, "literature")
    assert_allclose(z, fluid_z(phi))
    assert phi[-1] == FLUID_TO[2]
    assert_allclose(curve(drawing, "now"), [[FRACTION], [henderson(FRACTION)]])
    assert drawing["now"].error == [0.002]
    assert number(drawing, "Z") == f"{henderson(FRACTION):.4f} ± 0.0020"


def test_the_pressure_of_spheres_is_among_theirs() -> None:
    measures = SimpleNamespace(
        compressibility=3.9, compressibility_error=None, volume_fraction=0.3, energy_drift=0.0, time_measured=20.0
    )
    drawing = drawn(PressurePlot(), in_space(gas(measures=measures)))
    line = drawing["literature"]
    assert_allclose(line.y, fluid_z(line.x, 3))
    assert line.x[-1] == pytest.approx(0.494)
    assert len(drawing["references"].x) == 0
    assert number(drawing, "Kolafa") == "3.984"


def test_the_pressure_of_discs_that_grow_is_that_of_now_at_the_end_of_a_path() -> None:
    given = gas(growing=True)
    phi, z = pressure_in_pieces(given.history, COUNT)
    drawing = drawn(PressurePlot(), given)
    assert_allclose(drawing["trail"].x, phi)
    assert_allclose(drawing["now"].x, phi[-1:])
    assert number(drawing, "Z") == f"{z[-1]:.3f}"


@pytest.mark.parametrize(
    ("missing", "why"),
    [
        ({"periodic": False}, "Measured only in a periodic box; this one has walls."),
        (
            {"measures": None, "stretches": ()},
            "Measured from the collisions of a run, which a recording does not keep.",
        ),
        ({"measures": None}, "Measured from the collisions of a run, which an earlier state does not keep."),
        ({"measures": SimpleNamespace(compressibility=float("nan"))}, "There have been no collisions yet."),
        (
            {"values": {"hard_discs.gravity": (0.0, -1.0)}, "measures": SimpleNamespace(compressibility=None)},
            "Measured only without gravity.",
        ),
    ],
)
def test_a_gas_without_a_pressure_says_why(missing: dict[str, Any], why: str) -> None:
    given = gas(**missing)
    assert equation_of_state_path(given) is None
    assert PressurePlot().prepare(given, {}, None) is None
    assert PressurePlot().why_empty(given) == f"Pressure relative to an ideal gas. {why}"


def test_separations_are_shown_as_far_as_anything_was_counted() -> None:
    given, plot = gas(), SeparationsPlot()
    edges, counts = given.data.impacts
    drawing = drawn(plot, given)
    assert_allclose(drawing["steps"].x, edges)
    assert_allclose(drawing["steps"].y, counts)
    has_bars_of_counts(drawing["steps"], counts)
    _, low, y, _ = drawing["steps"].bars()
    assert low[y == 1.0] == pytest.approx(0.1728, rel=1e-3), "a single collision has a bar that ends above 0"
    assert number(drawing, "overlapping") == f"{100 * counts[edges[1:] <= 0].sum() / counts.sum():.1f} %"
    assert drawing.panes[0].bounds[:2] == (-6.5, 6.5)
    opened = np.concatenate([[-np.inf], edges, [np.inf]]), np.concatenate([[3], counts, [4]])
    assert_allclose(drawn(plot, gas(impacts=opened))["steps"].x, edges)
    for impacts in (None, (edges, np.zeros_like(counts))):
        assert plot.prepare(gas(impacts=impacts), {}, None) is None


# structure


def test_pair_correlation_and_fluctuations_are_over_the_diameter() -> None:
    given = gas()
    seen, drawing = given.indicators, drawn(PairCorrelationPlot(), given)
    assert_allclose(curve(drawing, "curve"), [seen.pair_correlation.r / (2 * RADIUS), seen.pair_correlation.g])
    assert_allclose(curve(drawing, "contact"), [[1.0], [seen.contact_value]])
    assert number(drawing, "g(σ⁺)") == number_with(seen.contact_value_error, seen.contact_value, "")
    without = SimpleNamespace(**vars(seen) | {"contact_value": None, "contact_value_error": None})
    unknown = replace(given, indicators=without)
    without = drawn(PairCorrelationPlot(), unknown)
    assert without.find("contact") is None
    assert not without.panes[0].numbers
    drawing = drawn(FluctuationsPlot(), given)
    assert_allclose(curve(drawing, "curve"), [seen.fluctuations.side / (2 * RADIUS), seen.fluctuations.ratio])


def test_correlations_and_profiles_of_a_gas_are_those_that_are_measured() -> None:
    time = np.linspace(0.0, 10.0, 50)
    given = gas(autocorrelation=(time, np.exp(-time)))
    seen = given.indicators
    waves, factor = drawn(StructureFactorPlot(), given), seen.structure_factor
    assert_allclose(curve(waves, "curve"), [factor.k * factor.diameter, factor.s])
    assert_allclose(waves.table[0].values, factor.error)
    alike, found = drawn(VelocityCorrelationPlot(), given), seen.velocity_correlation
    assert_allclose(curve(alike, "total"), [found.r / found.diameter, found.total])
    assert_allclose(alike["parallel"].y, found.parallel)
    assert_allclose(curve(drawn(AutocorrelationPlot(), given), "curve"), [time[1:], np.exp(-time[1:])])
    for plot, profile in ((RadialProfilePlot(), seen.radial_profile), (HeightProfilePlot(), seen.height_profile)):
        drawing = drawn(plot, given)
        assert_allclose(curve(drawing, "density"), [profile.middle / (2 * RADIUS), profile.density])
        speed = drawing["speed"].y
        ratio = profile.speed / speed
        assert_allclose(ratio[np.isfinite(ratio)], ratio[np.isfinite(ratio)][0])  # over one mean
        area = np.diff(profile.edges**2) if isinstance(plot, RadialProfilePlot) else np.diff(profile.edges)
        weight = profile.density * area
        assert (weight * np.nan_to_num(speed)).sum() / weight.sum() == pytest.approx(1.0)
        assert number(drawing, "max ρ/ρ̄") == f"{profile.density.max():.2f}"
