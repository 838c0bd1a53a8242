"""The plots of discs that flow, from runs: viscosity, temperature and velocity profile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import engine
from aggviewer.session.analyst import MeasuredState, StateCopy
from aggviewer.session.data import Analysis, DiscSet
from aggviewer.systems.hard_discs.analysis import GasAnalysis, velocity_profile
from aggviewer.systems.hard_discs.energy_decay import EnergyDecayPlot
from aggviewer.systems.hard_discs.flow import FLOWS, FlowTemperaturePlot, VelocityProfilePlot, ViscosityPlot
from aggviewer.systems.hard_discs.view import HardDiscsView
from engine.frame import FrameDiscs
from engine.scenario import Scenario
from tests.builders.states import gas
from tests.plots.drawn import curve, drawn, number

PLOTS = ViscosityPlot(), FlowTemperaturePlot(), VelocityProfilePlot()
RATE = 0.6


def flow(**values: Any) -> engine.Simulation:
    """A gas that has flowed for 60 collisions of each disc."""
    simulation = gas(200, 0.2, **{"shear.rate": RATE, "seed": 3, **values})
    simulation.advance(max_events=30 * simulation.count)
    return simulation


def measured(simulation: engine.Simulation, *, past: bool = False) -> Analysis:
    """The present state as plots get it."""
    analysis, frame = GasAnalysis(), simulation.frame()
    system = DiscSet.of(simulation.scenario, FrameDiscs.of(simulation))
    observed = analysis.observe(simulation, frame, MeasuredState(past=past))
    state = StateCopy(
        system,
        frame.time,
        frame.positions.copy(),
        1.0,
        simulation.history(),
        observed,
        own=frame.discs,
        strain=frame.strain,
        shear_rate=frame.shear_rate,
    )
    return analysis.measure(state)


@pytest.fixture(scope="module")
def sheared() -> engine.Simulation:
    return flow()


def test_the_viscosity_so_far_ends_with_the_number_beside_it(sheared: engine.Simulation) -> None:
    drawing = drawn(ViscosityPlot(), measured(sheared))
    found = sheared.rheology()
    strain, mean = curve(drawing, "mean")
    assert strain[-1] == pytest.approx(found.strain)
    assert mean[-1] == pytest.approx(found.reduced_viscosity.mean, rel=1e-9)
    assert float(number(drawing, "η*").split()[0]) == pytest.approx(found.reduced_viscosity.mean, abs=0.005)
    assert_allclose(drawing["enskog"].y, found.enskog)
    # pieces as a sum over rows: the stress over the rate and the root of the temperature
    history, discs = sheared.history(), sheared.flowing_discs()
    ends = np.searchsorted(history.strain, curve(drawing, "pieces")[0])
    first, last = ends[-2:]
    time, warm = history.time[first : last + 1], history.thermal_energy[first : last + 1] / (sheared.count - 1.0)
    flown = np.trapezoid(history.flight_xy[first : last + 1], time) + history.virial_xy[last] - history.virial_xy[first]
    speed = np.trapezoid(np.sqrt(warm * sheared.masses[0]), time)
    expected = -flown / discs.size / RATE / speed * 2.0 * sheared.radii[0]
    assert curve(drawing, "pieces")[1][-1] == pytest.approx(expected, rel=1e-9)


def test_the_temperature_is_that_of_velocities_relative_to_the_flow(sheared: engine.Simulation) -> None:
    drawing = drawn(FlowTemperaturePlot(), measured(sheared))
    frame = sheared.frame()
    thermal = frame.velocities.copy()
    thermal[:, 0] -= RATE * (frame.positions[:, 1] - sheared.box[1] / 2.0)
    present = (sheared.masses[:, None] * thermal**2).sum() / (2.0 * (sheared.count - 1))
    assert curve(drawing, "temperature")[1][-1] == pytest.approx(present, rel=0.02)  # the last row is a little earlier
    assert drawing.find("steady") is None, "nothing takes the heat of elastic discs"
    lossy = drawn(FlowTemperaturePlot(), measured(flow(**{"hard_discs.restitution": 0.8})))
    assert lossy["steady"].y[0] == pytest.approx(curve(lossy, "temperature")[1][-1], rel=0.6)


def test_the_profile_is_the_line_that_is_imposed(sheared: engine.Simulation) -> None:
    drawing = drawn(VelocityProfilePlot(), measured(sheared))
    at, velocity = curve(drawing, "profile")
    assert len(at) == 10
    frame, slab = sheared.frame(), sheared.box[1] / 10.0
    inside = (frame.positions[:, 1] >= 3 * slab) & (frame.positions[:, 1] < 4 * slab)
    assert velocity[3] == pytest.approx(frame.velocities[inside, 0].mean())
    assert at[3] == pytest.approx(3.5 * slab / (2.0 * sheared.radii[0]))
    assert drawing["profile"].error[3] == pytest.approx(frame.velocities[inside, 0].std(ddof=1) / np.sqrt(inside.sum()))
    x, line = curve(drawing, "imposed")
    assert_allclose(np.abs(velocity - np.interp(at, x, line)) < 5.0 * drawing["profile"].error, True)
    assert float(number(drawing, "slope/γ̇")) == pytest.approx(1.0, abs=0.25)


def test_an_empty_slab_has_no_velocity() -> None:
    found = velocity_profile(np.array([[0.0, 0.1]] * 40), np.ones((40, 2)), 1.0)
    assert found.velocity[0] == 1.0
    assert np.isnan(found.velocity[1])


def test_plots_of_a_flow_are_offered_only_while_discs_flow(sheared: engine.Simulation) -> None:
    view = HardDiscsView("hard-discs")
    still = sheared.scenario.with_values({"shear.rate": 0.0})
    for scenario, flows in ((sheared.scenario, True), (still, False)):
        runs = view.run_styles([scenario])
        assert (FLOWS in runs[0].traits) == flows
        assert {plot.has_place(runs) for plot in PLOTS} == {flows}
    assert "shear rate is 0" in PLOTS[0].text_without_data(view.run_styles([still]), {})
    quiet = engine.create(still)
    quiet.advance(max_events=500)
    assert all(plot.prepare(measured(quiet), {}, None) is None for plot in PLOTS)


def test_an_earlier_state_has_no_error_but_its_pieces(sheared: engine.Simulation) -> None:
    drawing = drawn(ViscosityPlot(), measured(sheared, past=True))
    assert len(drawing["pieces"].x) > 10
    assert "±" not in number(drawing, "η*")
    assert drawing.find("enskog") is not None


def test_an_earlier_state_is_shown_with_the_rate_at_which_it_flowed() -> None:
    simulation = flow(**{"hard_discs.restitution": 0.9})
    earlier, steady = measured(simulation), number(drawn(FlowTemperaturePlot(), measured(simulation)), "steady")
    simulation.set("shear.rate", 2.0 * RATE)  # the present runs with it; the state shown does not
    state = replace(earlier, data=replace(earlier.data, scenario=simulation.scenario))
    assert float(number(drawn(VelocityProfilePlot(), state), "slope/γ̇")) == pytest.approx(1.0, abs=0.2)
    assert number(drawn(FlowTemperaturePlot(), state), "steady") == steady
    assert float(number(drawn(VelocityProfilePlot(), measured(simulation)), "slope/γ̇")) == pytest.approx(1.0, abs=0.2)


def test_haffs_law_is_not_drawn_for_a_flow() -> None:
    drawing = drawn(EnergyDecayPlot(), measured(flow(**{"hard_discs.restitution": 0.9})))
    assert drawing.find("haff") is None or not np.isfinite(drawing["haff"].y).any()
    assert "drift" not in drawing.panes[0].numbers


def test_the_panel_says_why_walls_have_no_flow() -> None:
    values = {"box.boundary": "walls", "hard_discs.growth_rate": 0.0}
    inert = HardDiscsView("hard-discs").layout().inert(values.get, ())
    assert inert.reasons["shear.rate"] == "Needs a box that is periodic along every axis."
    values["box.boundary"] = ("periodic", "walls")
    assert "shear.rate" in HardDiscsView("hard-discs").layout().inert(values.get, ()).reasons
    values["box.boundary"] = "periodic"
    assert "shear.rate" not in HardDiscsView("hard-discs").layout().inert(values.get, ()).reasons


def test_results_of_a_run_have_the_viscosity(sheared: engine.Simulation) -> None:
    from engine.hard_discs.system import of_flow

    found, rheology = of_flow(sheared.measures().rheology), sheared.rheology()
    assert found["viscosity"] == rheology.viscosity.mean == found["shear"]["viscosity"]
    assert found["reduced_viscosity"] == rheology.reduced_viscosity.mean
    assert found["strain"] == rheology.strain
    assert found["shear"]["stress_xy"] == rheology.stress["xy"].mean
    still = engine.create(Scenario().with_values({"system": "hard-discs", "discs.count": 50}))
    assert still.measures().rheology is None
    assert set(of_flow(None).values()) == {None}
