"""Links of the time-stepping method: at contact at the end of every step, or no links."""

from __future__ import annotations

import numpy as np
import pytest

from engine.aggregation.event_driven.simulation import EventDriven
from engine.aggregation.time_stepping.simulation import TimeStepping
from engine.initial import initial_state
from engine.scenario import Scenario
from tests.builders.states import CLUSTERS, FRACTION, STEP, discs, link_overlaps, random_state, stepping

TOLERANCE = 1e-3  # of |φ| in units of ((R_i + R_j) / 2)²


def parts(count, pairs):
    """Number of parts into which links join so many discs."""
    name = np.arange(count)
    for _ in range(count):
        before = name.copy()
        for i, j in pairs:
            name[[i, j]] = min(name[i], name[j])
        name = name[name]
        if (name == before).all():
            break
    return len(np.unique(name))


@pytest.mark.parametrize("periodic", [(1, 0), (0, 1), (1, 1), (0, 0)])
def test_a_run_begins_with_the_links_that_there_are_across_periodic_edges(periodic):
    """Two discs on either side of an edge along each axis, of one cluster: they touch where the box is periodic."""
    state = discs(
        [[0.5, 4], [9.5, 4], [6, 0.5], [6, 9.5]], np.zeros((4, 2)), 0.5, 10, periodic=periodic, cluster=[0] * 4
    )
    simulation = TimeStepping(stepping(), state)
    wanted = [(2 * axis, 2 * axis + 1) for axis in simulation.periodic.axes]
    assert sorted(tuple(sorted(pair)) for pair in simulation.links().tolist()) == wanted


@pytest.mark.parametrize("clusters", ["deformable", "rigid"])
@pytest.mark.parametrize("boundary", ["walls", "periodic", ("periodic", "walls")])
@pytest.mark.parametrize("fraction", [0.5, 1.0])
def test_links_are_contacts_and_hold_the_clusters_together(clusters, boundary, fraction):
    for seed in range(6):
        values = {"seed": seed, "discs.count": 225, "discs.volume_fraction": 0.3, "box.boundary": boundary}
        chosen = stepping(**values, **{FRACTION: fraction, CLUSTERS: clusters})
        simulation = TimeStepping(chosen, initial_state(chosen))
        for until in (60, 15, 1):
            left = simulation.advance(1e4, until_clusters=until).clusters
            links = simulation.links()
            assert np.abs(link_overlaps(simulation, links)).max() <= TOLERANCE * 1.05
            assert parts(225, links.tolist()) == left


@pytest.mark.parametrize("boundary", ["walls", "periodic", ("walls", "periodic")])
def test_rigid_clusters_keep_their_shape(boundary):
    chosen = stepping(**{"discs.count": 100, "box.boundary": boundary, FRACTION: 1.0, CLUSTERS: "rigid"})
    simulation = TimeStepping(chosen, initial_state(chosen))
    links = {}
    while not simulation.advance(max_events=1).finished:
        state = simulation.state()
        for (i, j), d in links.items():
            now = state.positions[i] - state.positions[j]
            now -= np.array(state.periodic) * state.box * np.round(now / state.box)
            np.testing.assert_allclose(now, d, rtol=0, atol=1e-9)
        for i, j in simulation.links().tolist():
            d = state.positions[i] - state.positions[j]
            links[i, j] = d - np.array(state.periodic) * state.box * np.round(d / state.box)
    assert len(links) > 90


def test_four_discs_in_one_place():
    """Six links of which four discs in a plane can keep five at most: the others are dropped, not left stretched."""
    state = discs(
        [[4, 5], [6, 5], [5, 4], [5, 6]], [[1, 0], [-1, 0], [0, 1], [0, -1]], 0.5, 10, masses=[1.0, 1.1, 1.2, 1.3]
    )
    simulation = TimeStepping(stepping(**{STEP: 1.0}), state)
    progress = simulation.advance(1.0)
    assert progress.clusters == 1
    links = simulation.links()
    assert 3 <= len(links) <= 5
    assert np.abs(link_overlaps(simulation, links)).max() <= TOLERANCE
    assert simulation.invariants()["max_overlap"] < TOLERANCE / 8


def beside_a_hole(place, velocity, *, periodic=False):
    """A disc, and a cluster of three at rest with a hole at (5, 5) that is too small for it."""
    angle = np.radians([95, 215, 335])
    ring = 5 + 0.45 / np.sin(np.pi / 3) * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return discs(
        [*ring.tolist(), place],
        [[0, 0], [0, 0], [0, 0], velocity],
        [0.45 - 1e-9, 0.45 - 1e-9, 0.45 - 1e-9, 0.2],
        [12, 10],
        periodic=periodic,
        masses=[4, 4, 4, 1],
        cluster=[0, 0, 0, 3],
    )


@pytest.mark.parametrize("periodic", [False, True])
def test_a_disc_caught_in_a_rigid_cluster_goes_back_to_its_first_contact(periodic):
    """It lands in a hole too small for it, from where no translation leads out: the flight ends where the exact method
    has the impact."""
    state = beside_a_hole([3.7, 5.02], [1.3, 0], periodic=periodic)
    simulation = TimeStepping(stepping(**{STEP: 1.0, CLUSTERS: "rigid"}), state)
    exact = EventDriven(Scenario(), state)
    progress = simulation.advance(1.0)
    exact.advance()
    assert progress.steps["undone"] == 1
    assert progress.clusters == 1
    apart, expected = (s.state().positions - s.state().positions[0] for s in (simulation, exact))
    np.testing.assert_allclose(apart, expected, rtol=0, atol=1e-6)
    assert simulation.invariants()["momentum_error"] < 1e-14
    assert np.abs(link_overlaps(simulation, simulation.links())).max() <= TOLERANCE


def test_discs_that_stay_when_flights_are_undone_are_not_listed_as_moved():
    """A disc that begins deep inside a rigid cluster at rest, as in a damaged file: the step finds no end. The list of
    displaced discs has room for each of them once."""
    state = beside_a_hole([5.0, 5.02], [0.1, 0])
    simulation = TimeStepping(stepping(**{STEP: 1.0, CLUSTERS: "rigid"}), state)
    simulation.advance(1.0, budget=0.05)
    arrays = simulation._st
    moved = arrays.moved[: arrays.sim["moved"][0]]
    assert len(np.unique(moved)) == len(moved) <= 4
    assert arrays.sim["step_undone"][0] + arrays.sim["undone"][0] > 4


def test_flights_are_undone_with_their_reflections():
    """A rigid run near walls: whoever is taken back to before its reflection keeps its velocity, and momentum is
    accounted for."""
    undone = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        state = random_state(rng, 40, periodic=False, fraction=0.35, spread=0.5, joined=15, free_masses=True)
        simulation = TimeStepping(stepping(**{FRACTION: 1.0, CLUSTERS: "rigid"}), state)
        # two that each reach from wall to wall may never meet
        progress = simulation.advance(100.0)
        kept = simulation.invariants()
        assert kept["momentum_error"] < 1e-14
        assert kept["max_overlap"] < TOLERANCE / 8 * 1.01
        positions = simulation.state().positions
        assert (positions >= state.radii[:, None] - 1e-12).all()
        assert (positions <= state.box - state.radii[:, None] + 1e-12).all()
        undone += progress.steps["undone"]
    assert undone > 4
