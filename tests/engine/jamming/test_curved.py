"""The interior-point method with the distances of the moved discs: its rows, its tension, what it returns, runs."""

import numpy as np
import pytest

from engine.geometry.neighbours import DenseState
from engine.jamming import jam
from engine.jamming.interior_point.factor import Factor
from engine.jamming.interior_point.nested_dissection import eliminate
from engine.jamming.interior_point.solver import CurvedSearch, InteriorPointSolver, follow, stretch
from engine.jamming.linear_program import build_program
from engine.jamming.packing import network_of
from engine.jamming.run import JammingRun
from tests.builders.boxes import EVERY
from tests.reference.jamming import dense, gaps, scattered

CASES = [(d, periodic, seed) for d in (2, 3) for periodic in EVERY[d] for seed in (1, 2)]


def never():
    return False


def made(d, periodic, seed):
    """A start and its linear program."""
    count = 12
    rng = np.random.default_rng(seed)
    state = DenseState(*scattered(count, d, 0.35 if d == 2 else 0.2, periodic, rng, 1.4), periodic)
    limits = {"bound": 0.4 * state.radii.max(), "most": 0.3, "fixed": count - 1 if state.periodic.all else -1}
    return state, build_program(state, cutoff=0.0, **limits)


def moved_search(d, periodic, seed):
    """A search at a random place: the search, the displacements by disc in mean diameters, Γ - 1."""
    _, program = made(d, periodic, seed)
    search = CurvedSearch(program)
    rng = np.random.default_rng(seed)
    point = search.point
    point.moved[:] = rng.uniform(-0.8, 0.8, len(point.moved))
    point.force[:] = rng.uniform(0.1, 1.0, len(point.force))
    point.limit["growth"] = -0.7
    moved = np.zeros(program.shape)
    moved[search.discs[search.tree.order]] = point.moved.reshape(-1, d) * search.scale
    return search, moved, -0.7 * search.scale


def vectors_of(program, moved):
    """r of every row, or twice the way from the wall, of the discs at the start and of moved ones, and σ."""
    wall = (program.second < 0)[:, None]
    reach = np.where(wall[:, 0], 4.0, 2.0) * program.inflation
    start = program.direction * reach[:, None]
    apart = np.where(
        wall, 2.0 * moved[program.first] * (program.direction != 0.0), moved[program.first] - moved[program.second]
    )
    return start, start + apart, reach


@pytest.mark.parametrize(("d", "periodic", "seed"), CASES)
def test_rows_are_those_of_the_moved_discs(d, periodic, seed):
    search, moved, growth = moved_search(d, periodic, seed)
    program = search.program
    follow(search.rows, search.straight, search.wall, search.scale, search.point)
    _, now, reach = vectors_of(program, moved)
    assert search.rows.direction == pytest.approx(now / reach[:, None], abs=1e-13)
    # |r|² - Γ σ² over 2σ; for walls, with r = 2x and σ = 2R, x² - Γ R² over 2R
    left = ((now**2).sum(axis=1) - (1.0 + growth) * reach**2) / (np.where(program.second < 0, 4.0, 2.0) * reach)
    assert search.point.room * search.scale == pytest.approx(left, abs=1e-12)


@pytest.mark.parametrize(("d", "seed"), [(2, 1), (2, 2), (3, 1)])
def test_tension_is_how_forces_turn_with_their_rows(d, seed):
    """-Σ T (u_i - u_j) is the change of Σ λ c on disc i while all λ stay the same."""
    search, _, _ = moved_search(d, True, seed)
    rows, point = search.rows, search.point
    count = len(search.discs)

    def pushes():
        follow(rows, search.straight, search.wall, search.scale, point)
        total = np.zeros((count + 1, d))
        np.add.at(total, rows.one, point.force[:, None] * rows.direction)
        np.add.at(total, rows.other, -point.force[:, None] * rows.direction)
        return total[:count]  # the last one stands for -1, the disc that does not move

    stretch(rows, search.wall, point, search.scale, search.tension)
    step = np.random.default_rng(seed).normal(size=len(point.moved))
    apart = np.vstack((step.reshape(-1, d), np.zeros(d)))
    pull = search.tension[:, None] * (apart[rows.one] - apart[rows.other])
    wanted = np.zeros((count + 1, d))
    np.add.at(wanted, rows.one, pull)
    np.add.at(wanted, rows.other, -pull)
    before = point.moved.copy()
    point.moved[:] = before + 1e-5 * step
    forward = pushes()
    point.moved[:] = before - 1e-5 * step
    assert (forward - pushes()) / 2e-5 == pytest.approx(wanted[:count], abs=1e-7)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("share", [0.2, 5.0])
def test_factor_with_tension(d, share):
    """It solves what a dense matrix solves, and says where the matrix is not positive definite."""
    rng = np.random.default_rng(6)
    places = rng.random((80, d))
    near = np.linalg.norm(places[:, None] - places[None], axis=2) < 0.35
    first, second = (x.astype(np.int32) for x in np.nonzero(np.triu(near, 1)))
    direction, weight = rng.normal(size=(len(first), d)), rng.random(len(first))
    tension, diagonal = share * 0.1 * rng.random(len(first)), np.full(80 * d, 0.3)
    tree = eliminate(places, first, second)
    place = np.empty(80, int)
    place[tree.order] = np.arange(80)
    matrix = np.diag(diagonal)
    for k, (i, j) in enumerate(zip(place[first], place[second], strict=True)):
        block = weight[k] * np.outer(direction[k], direction[k]) - tension[k] * np.eye(d)
        for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
            matrix[a * d : a * d + d, b * d : b * d + d] += sign * block
    factor = Factor(tree, direction)
    assert factor.factorise(weight, diagonal, never, tension)
    assert factor.positive == (np.linalg.eigvalsh(matrix)[0] > 0.0) == (share < 1.0)
    if factor.positive:
        right = rng.normal(size=(2, 80 * d))
        assert factor.solve(right.copy()) == pytest.approx(np.linalg.solve(matrix, right.T).T, abs=1e-9)
    assert factor.factorise(weight, diagonal)
    assert factor.positive


@pytest.mark.parametrize(("d", "periodic", "seed"), CASES)
def test_curved_steps_grow_discs_farther_without_overlap(d, periodic, seed):
    state, program = made(d, periodic, seed)
    solution = InteriorPointSolver().solve(program, never, loose=True)
    assert solution.status == "stopped early"
    assert solution.curved
    assert np.abs(solution.displacements).max() <= program.bound
    moved = state.positions + solution.displacements * state.unit
    grown = state.radii * np.sqrt(1.0 + solution.growth)
    assert gaps(moved, grown, state.box, periodic).min() > 0.0
    assert solution.growth > 0.8 * InteriorPointSolver().solve(program, never).growth


def test_the_contacts_of_a_solution_are_those_of_the_moved_discs():
    state = DenseState(*dense(60, 1), True)
    program = build_program(state, cutoff=0.0, bound=0.3 * state.radii.max(), most=0.1, fixed=59)
    solution = InteriorPointSolver().solve(program, never, loose=True)
    network = network_of(program, solution, state.unit)
    assert len(network.first) > 50
    moved = state.positions + solution.displacements * state.unit
    away = moved[network.first] - moved[network.second] - network.vectors
    assert away == pytest.approx(np.rint(away / state.box) * state.box, abs=1e-12)
    _, now, reach = vectors_of(program, solution.displacements)
    forces = solution.duals * np.linalg.norm(now, axis=1) / reach
    carried = {(int(i), int(j)): f for i, j, f in zip(program.first, program.second, forces, strict=True)}
    own = np.array([carried[int(i), int(j)] for i, j in zip(network.first, network.second, strict=True)])
    assert network.forces == pytest.approx(own / own.mean(), rel=1e-9)


def test_far_fewer_iterations_than_linear_programs_take():
    """With both solvers; HiGHS solves each linear program exactly."""
    start = dense(128, 1, 0.83)
    fast, exact = (jam(*start, solver=solver) for solver in ("interior-point", "highs"))
    assert fast.jammed
    assert exact.jammed
    assert fast.iterations < exact.iterations
    early = [entry.status for entry in fast.history]
    assert early[0] == "optimal"
    assert early[1] == "stopped early"
    assert early[-1] == "optimal"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_packing_without_its_rattlers_stays_as_it_is(seed):
    """Rattlers hold nothing: discs that are jammed rest in the first iteration."""
    packing = jam(*dense(128, seed))
    assert packing.jammed
    held = ~packing.rattlers
    assert not held.all()
    again = jam(packing.positions[held], packing.radii[held], packing.box)
    assert again.iterations == 1
    assert again.jammed
    assert len(again.contacts) == len(packing.contacts)
    away = again.positions - packing.positions[held]
    away -= packing.box * np.rint(away / packing.box)
    assert np.abs(away).max() < 1e-8
    assert again.radii == pytest.approx(packing.radii[held], rel=1e-8)


def test_the_linear_program_is_solved_if_a_curved_step_fails(monkeypatch):
    positions, radii, box = dense(60, 1)
    monkeypatch.setattr(CurvedSearch, "run", lambda self, stop: "failed: discs find no way to grow")
    run = JammingRun(positions, radii, box)
    run.step()
    entry = run.step()
    assert entry.status == "optimal"
    assert entry.inflation > 0.0
