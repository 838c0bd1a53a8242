"""Discs much larger than the others: the same results as from all pairs, and no more work for each disc."""

from __future__ import annotations

import numpy as np
import pytest

from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping.simulation import TimeStepping
from engine.analysis import contact_pairs
from engine.boundary import Periodic
from engine.geometry import neighbours
from engine.geometry.cells import SLACK, cell_grid, usual_radius
from engine.geometry.neighbours import DenseState, near_pairs
from engine.geometry.pairs import sweep
from engine.overlaps import deepest_overlap
from engine.simulation import Checkpoint
from engine.state import InitialState
from tests.builders.states import CLUSTERS, STEP, stepping


def with_giants(count, seed, *, giants=1, times=30.0, d=2, periodic=True, fraction=0.15):
    """Small discs on a lattice, shaken, around large ones that do not overlap: positions, radii, box."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil((2.0 * count) ** (1.0 / d)))
    spots = (np.stack(np.meshgrid(*[np.arange(side)] * d), -1).reshape(-1, d) + 0.5) / side
    small = 0.4 * (fraction**0.5) / side
    centres = (np.arange(giants)[:, None] + 0.5) / giants * np.ones(d)
    large = min(times * small, 0.3 / giants)
    apart = np.ones(len(spots), bool)
    for centre in centres:
        away = spots - centre
        away -= np.where(periodic, np.round(away), 0.0)
        apart &= np.linalg.norm(away, axis=1) > large + 1.5 / side
    spots = rng.permutation(spots[apart])[: count - giants]
    positions = np.vstack([centres, spots + rng.uniform(-0.2, 0.2, spots.shape) / side])
    radii = np.append(np.full(giants, large), small * rng.uniform(0.7, 1.3, len(spots)))
    order = rng.permutation(len(radii))
    return positions[order], radii[order], np.ones(d)


def distances(positions, box, periodic):
    away = positions[:, None] - positions[None]
    if periodic:
        away -= box * np.round(away / box)
    return np.linalg.norm(away, axis=2)


def test_usual_discs_are_all_discs_unless_some_are_much_larger():
    assert usual_radius(np.array([1.0, 1.4, 2.0])) == 2.0
    assert usual_radius(np.array([1.0] * 99 + [50.0])) == pytest.approx(4.0 * 1.49)


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("giants", [1, 2])
def test_the_deepest_overlap_is_that_of_all_pairs(giants, periodic):
    for seed in range(12):
        positions, radii, box = with_giants(150, seed, giants=giants, times=30.0, periodic=periodic)
        radii = radii * (1.0 + 0.4 * (seed % 4))  # overlaps of small ones, with the large one, and none
        cluster = np.arange(len(radii), dtype=np.int32) // 2
        reach = radii[:, None] + radii[None]
        depth = (reach - distances(positions, box, periodic)) / reach
        depth[np.tril_indices(len(radii))] = 0.0
        depth[cluster[:, None] == cluster[None]] = 0.0
        found, i, j = deepest_overlap(positions, radii, cluster, box, periodic)
        assert found == pytest.approx(max(depth.max(), 0.0), abs=1e-14)
        if found > 0.0:
            assert (i, j) == np.unravel_index(depth.argmax(), depth.shape)


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("d", [2, 3])
def test_pairs_that_can_meet_are_those_of_all_pairs(d, periodic):
    for seed, (cutoff, growth, step) in enumerate(
        [(0.0, 1.6, 0.0), (0.0, 1.5, 0.02), (0.2, 0.0, 0.0), (0.15, 1.6, 0.0)]
    ):
        positions, radii, box = with_giants(160, seed, giants=1 + seed % 2, times=30.0, d=d, periodic=periodic)
        assert radii.max() > usual_radius(radii)
        state = DenseState(positions, radii, box, periodic)
        first, second, vectors = near_pairs(state, cutoff=cutoff, growth=growth, step=step)
        assert (first < second).all()
        shifts = np.array(np.meshgrid(*[[-1, 0, 1]] * d)).reshape(d, -1).T if periodic else np.zeros((1, d))
        expected = set()
        for shift in shifts:
            away = positions[:, None] - positions[None] - shift
            distance = np.linalg.norm(away, axis=2)
            nearer = distance - 2.0 * step * np.abs(away).sum(axis=2) / np.maximum(distance, 1e-300)
            near = np.triu((distance <= cutoff) | (nearer < growth * (radii[:, None] + radii[None])), 1)
            expected |= {(i, j, *np.round(away[i, j], 9)) for i, j in zip(*np.nonzero(near), strict=True)}
        found = [(i, j, *np.round(v, 9)) for i, j, v in zip(first, second, vectors, strict=True)]
        assert len(found) == len(set(found))
        assert set(found) == expected


def moving(count, seed, *, joined=False, periodic=True, giants=1, times=30.0, d=2):
    """Small discs that fly between slow large ones; joined: each large one with a small one that touches it. In a box
    with walls along some axes a large one lies across the periodic edges."""
    positions, radii, box = with_giants(count, seed, giants=giants, times=times, periodic=periodic, d=d)
    periodic = Periodic.of(periodic, d)
    if periodic.mixed:
        positions = np.where(periodic, (positions + 0.25) % 1.0, positions)
    rng = np.random.default_rng(seed)
    velocities = rng.normal(size=positions.shape)
    cluster = np.arange(len(radii), dtype=np.int32)
    large = np.flatnonzero(radii > usual_radius(radii))
    velocities[large] *= 0.05
    if joined:
        for one in large:
            away = positions - positions[one]
            away -= np.where(periodic, np.round(away), 0.0)
            gap = np.linalg.norm(away, axis=1) - radii - radii[one]
            gap[large] = np.inf
            other = int(gap.argmin())
            contact = positions[one] + away[other] * (radii[one] + radii[other]) / np.linalg.norm(away[other])
            positions[other], velocities[other], cluster[other] = contact % 1.0, velocities[one], one
    return InitialState(positions, velocities, radii, np.pi * radii**2, cluster, box, periodic)


def started(state, step, clusters="deformable"):
    values = {"dimensions": len(state.box), "box.boundary": state.periodic.boundary, STEP: step, CLUSTERS: clusters}
    return TimeStepping(stepping(**values), state)


@pytest.mark.parametrize("clusters", ["deformable", "rigid"])
@pytest.mark.parametrize(
    ("periodic", "d"),
    [(True, 2), (False, 2), ((1, 0), 2), ((0, 1), 2), (True, 3), (False, 3), ((1, 0, 0), 3), ((0, 1, 1), 3)],
)
def test_time_steps_find_the_same_links_as_in_cells_for_the_largest(periodic, clusters, d, monkeypatch):
    state = moving(250, 3, joined=True, periodic=periodic, giants=2, times=12.0, d=d)
    small = state.radii.min()
    made = started(state, 0.3 * small, clusters)
    with monkeypatch.context() as patch:
        patch.setattr(ts, "usual_radius", lambda radii: float(radii.max()))
        wanted = started(state, 0.3 * small, clusters)
    assert len(made._st.wide) == 2
    assert len(wanted._st.wide) == 0
    assert {tuple(sorted(pair)) for pair in made.links().tolist()} == {
        tuple(sorted(pair)) for pair in wanted.links().tolist()
    }
    assert len(made.links()) == 2  # at the start, those that were joined
    for number in (5, 30, 90):
        for simulation in (made, wanted):
            simulation.advance(number * 0.3 * small)
        links = [{tuple(sorted(pair)) for pair in one.links().tolist()} for one in (made, wanted)]
        assert links[0] == links[1]
        np.testing.assert_allclose(made.state().positions, wanted.state().positions, atol=1e-6)
        assert made.invariants()["max_overlap"] < 1e-3 / 8 * 1.01
    large = set(np.flatnonzero(state.radii > usual_radius(state.radii)).tolist())
    assert sum(bool(large & set(pair)) for pair in links[0]) > 3
    assert len(links[0]) > 20


def test_a_checkpoint_amid_a_search_for_giants_goes_on_to_the_same_bits():
    state = moving(300, 4, giants=2, times=12.0)
    one, whole = (started(state, 0.3 * state.radii.min()) for _ in range(2))
    seen = set()
    for _ in range(400):
        one.advance(budget=0.0)
        st = one._st
        steps = st.sim["steps"][0]
        if st.sim["phase"][0] == ts.DETECT and st.sim["cursor"][0] >= st.sim["rows"][0]:
            seen.add(int(st.sim["cursor"][0] - st.sim["rows"][0]))
            saved = one.checkpoint()
            one = TimeStepping.from_checkpoint(Checkpoint(saved.system, saved.method, saved.scenario, saved.arrays))
            while one._st.sim["steps"][0] == steps:
                one.advance(budget=0.0)
    whole.advance(one.time)
    while whole._st.sim["steps"][0] < one._st.sim["steps"][0]:
        whole.advance(whole.time + 0.3 * state.radii.min())
    np.testing.assert_array_equal(one._st.wide, whole._st.wide)
    assert one.settled().time == whole.settled().time
    np.testing.assert_array_equal(one.settled().positions, whole.settled().positions)


def looked_at(count, times):
    """Pairs for each disc that the three searches look at: overlaps, neighbours of jamming, ten time steps."""
    state = moving(count, 5, times=times)
    positions, radii, box = state.positions, state.radii, state.box
    grid = cell_grid(positions, box, periodic=True, width=2.0 * usual_radius(radii) * SLACK)
    overlaps = sweep(grid, radii[grid.order], 1.0, False, np.empty((0, 2), np.int32))[1]
    answers = []
    with pytest.MonkeyPatch.context() as patched:
        list_pairs = neighbours._list_pairs
        patched.setattr(neighbours, "_list_pairs", lambda *given: answers.append(list_pairs(*given)) or answers[-1])
        near_pairs(DenseState(positions, radii, box, True), cutoff=0.0, growth=1.1, step=0.0)
    jamming = answers[-1][1]
    simulation = started(state, 0.1 * float(radii.min()))
    simulation.advance(10.5 * 0.1 * float(radii.min()))
    steps = simulation._st.sim["looked"][0] / simulation._st.sim["steps"][0]
    return np.array([overlaps, jamming, steps]) / len(radii)


def test_the_work_for_a_disc_does_not_grow_with_their_number():
    """A giant that covers a quarter of the box, whatever the number of discs: its radius goes with the root of it."""
    few, many = looked_at(1000, 1e9), looked_at(16_000, 1e9)
    assert (many < 100.0).all(), many
    assert (many < 1.5 * few + 5.0).all(), (few, many)


def test_contacts_of_a_giant_are_counted():
    """The search of the indicators is the same."""
    positions, radii, box = with_giants(300, 6, times=12.0)
    giant = int(radii.argmax())
    away = positions - positions[giant]
    away -= np.round(away)
    gap = np.linalg.norm(away, axis=1) - radii - radii[giant]
    gap[giant] = np.inf
    near = np.argsort(gap)[:1]
    direction = away[near[0]] / np.linalg.norm(away[near[0]])
    positions[near[0]] = positions[giant] + direction * (radii[giant] + radii[near[0]])
    pairs = contact_pairs(positions % 1.0, radii, box, periodic=True)
    assert sorted((giant, int(near[0]))) in pairs.tolist()
