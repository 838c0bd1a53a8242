"""One linear program: both solvers against its conditions and against scipy; rows; the factor; interruption."""

from math import inf
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from engine.geometry.neighbours import DenseState, near_pairs, widest_growth
from engine.jamming.finish import contact_gaps
from engine.jamming.highs import HighsSolver
from engine.jamming.interior_point.factor import Factor
from engine.jamming.interior_point.nested_dissection import eliminate
from engine.jamming.interior_point.search import Search, polish
from engine.jamming.interior_point.solver import InteriorPointSolver
from engine.jamming.linear_program import build_program
from engine.jamming.packing import StableNetwork, coordination, isostatic_count, network_of, rattlers
from engine.jamming.rules import highest_growth
from engine.jamming.run import JammingRun
from tests.builders.boxes import EVERY, every_boundary, in_short
from tests.reference.jamming import best_growth, dense, ended, gaps, images, parts, scattered

SOLVERS = [HighsSolver, InteriorPointSolver]
CASES = [
    (d, periodic, count, seed) for d in (2, 3) for periodic in EVERY[d] for count, seed in ((5, 1), (9, 2), (16, 3))
]


def never():
    return False


def made(d, periodic, count, seed, bound=0.5, ratio=1.4):
    """A start, the limits of its linear program (`bound` in largest radii), and that program."""
    rng = np.random.default_rng(seed)
    state = DenseState(*scattered(count, d, 0.35 if d == 2 else 0.2, periodic, rng, ratio), periodic)
    limits = {"bound": bound * state.radii.max(), "most": 0.3, "fixed": count - 1 if state.periodic.all else -1}
    return state, limits, build_program(state, cutoff=0.0, **limits)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("d", "periodic", "count", "seed"), CASES)
def test_growth_is_that_of_scipy_where_all_pairs_have_rows(solver, d, periodic, count, seed):
    state, limits, _ = made(d, periodic, count, seed)
    solution = solver().solve(build_program(state, cutoff=1.9, **limits), never)
    assert solution.status == "optimal"
    expected = best_growth(*parts(state), **limits)
    assert solution.growth == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("bound", [0.5, 0.02])
@pytest.mark.parametrize(("d", "periodic", "count", "seed"), CASES)
def test_optimality_conditions(solver, bound, d, periodic, count, seed):
    *_, program = made(d, periodic, count, seed, bound)
    solution = solver().solve(program, never)
    assert solution.status == "optimal"
    s, growth, duals = solution.displacements, solution.growth, solution.duals
    scale = program.bound
    left = program.remaining(s, growth)
    assert left.min() > -1e-9 * scale  # primal
    assert np.abs(s).max() <= scale * (1.0 + 1e-9)
    assert 0.0 <= growth <= program.most * (1.0 + 1e-9)
    assert duals.min() >= 0.0  # dual
    push = 2.0 * program.resultants(duals)
    if program.fixed >= 0:
        assert not s[program.fixed].any()
        push[program.fixed] = 0.0
    # what leans on the bound is pushed outwards, what does not is balanced
    leaning = np.abs(s) > scale * (1.0 - 1e-6)
    assert np.abs(push[~leaning]).max(initial=0.0) < 1e-8
    assert (push[leaning] * np.sign(s[leaning])).min(initial=0.0) > -1e-8
    assert (duals * left).max() < 1e-8 * scale  # complementary
    if growth < program.most * (1.0 - 1e-6):
        assert float(duals @ program.inflation) == pytest.approx(1.0, abs=1e-8)
    # and the dual value is the growth
    value = float(duals @ program.slack) + scale * np.abs(push).sum()
    if growth < program.most * (1.0 - 1e-6):
        assert value == pytest.approx(growth, abs=1e-8 * max(scale, growth))


@pytest.mark.parametrize("periodic", [*EVERY[2], *EVERY[3]], ids=in_short)
def test_rows_name_every_pair_in_reach_once(periodic):
    d = len(periodic)
    rng = np.random.default_rng(4)
    positions, radii, box = scattered(12, d, 0.1, periodic, rng, 1.4)
    first, second, vectors = near_pairs(DenseState(positions, radii, box, periodic), cutoff=0.8, growth=0.0, step=0.0)
    assert (first < second).all()
    expected = []
    shifts = images(box, periodic)
    for i in range(12):
        for j in range(i + 1, 12):
            for shift in shifts:
                vector = positions[i] - positions[j] - shift
                if np.linalg.norm(vector) <= 0.8:
                    expected.append((i, j, *np.round(vector, 12)))
    found = [(int(i), int(j), *np.round(v, 12)) for i, j, v in zip(first, second, vectors, strict=True)]
    assert sorted(found) == sorted(expected)


@every_boundary(2)
def test_smallest_gap_is_that_of_all_pairs(periodic):
    for seed in range(6):
        state = DenseState(*scattered(7, 2, 0.2, periodic, np.random.default_rng(seed), 2.0), periodic)
        _, gap = widest_growth(state)
        assert gap == pytest.approx(gaps(*parts(state)).min(), abs=1e-14)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize(("count", "reach"), [(1, 0.0), (3, 1.0), (90, 0.25), (171, 0.4), (500, 2.0)])
def test_factor_solves_what_a_dense_matrix_solves(d, count, reach):
    """A few discs in one block, many narrow blocks, and wide ones (all joined to all) that take several slices."""
    rng = np.random.default_rng(5)
    places = rng.random((count, d))
    near = np.linalg.norm(places[:, None] - places[None], axis=2) < reach
    first, second = (x.astype(np.int32) for x in np.nonzero(np.triu(near, 1)))
    second[rng.random(len(second)) < 0.1] = -1  # links to a disc without a place
    first = np.append(first, np.int32(-1))
    second = np.append(second, np.int32(count - 1))
    direction, weight = rng.normal(size=(len(first), d)), rng.random(len(first))
    diagonal = rng.random(count * d) + 0.01
    tree = eliminate(places, first, second)
    place = np.empty(count, int)
    place[tree.order] = np.arange(count)
    assert sorted(tree.order) == list(range(count))
    signs = np.concatenate([-direction, direction])
    discs, rows = np.concatenate([first, second]), np.tile(np.arange(len(first)), 2)
    there = discs >= 0
    columns = place[discs[there]][:, None] * d + np.arange(d)
    entries = (signs[there].ravel(), (np.repeat(rows[there], d), columns.ravel()))
    links = sparse.csr_array(entries, shape=(len(first), count * d))
    matrix = (links.T @ sparse.diags_array(weight) @ links).toarray() + np.diag(diagonal)
    factor = Factor(tree, direction)
    asked: list[int] = []
    assert factor.factorise(weight, diagonal, lambda: bool(asked.append(0)))
    assert len(asked) > 1 or count < 500
    right = rng.normal(size=(3, count * d))
    wanted = np.linalg.solve(matrix, right.T).T
    assert factor.solve(right[0].copy()) == pytest.approx(wanted[0], abs=1e-9)
    assert factor.solve(right.copy()) == pytest.approx(wanted, abs=1e-9)  # several together
    assert not factor.factorise(weight, diagonal, lambda: True)


@pytest.mark.parametrize(("solver", "fewest"), [("interior-point", 10), ("highs", 1000)])
def test_a_solver_can_be_stopped_all_the_time(solver, fewest):
    """It asks whether to stop many times in a linear program, and hardly more after it has been told to."""
    start = scattered(300, 2, 0.45, True, np.random.default_rng(7), 1.4)

    def questions(last):
        """How often it has asked: it is told to stop at the `last` question."""
        run, asked = JammingRun(*start, solver=solver), []
        run._stop.is_set = lambda: bool(asked.append(None)) or len(asked) >= last
        status = run.step().status
        assert status == "interrupted" if last < inf else status in ("optimal", "stopped early")
        if last < inf:
            np.testing.assert_array_equal(run.positions, start[0])
        return len(asked)

    every = questions(inf)
    assert every > fewest
    for last in (1, every // 3, 2 * every // 3):
        assert questions(last) <= last + 3  # the solver, and who called it


def test_forces_are_not_polished_on_rows_that_cannot_balance():
    """A contact with a small force, taken for an open one, would leave forces that balance nowhere near it."""
    run = ended(JammingRun(*dense(40, 3)))
    search = Search(build_program(run.state, cutoff=0.0, bound=1e-6, most=1e-6, fixed=run._fixed))
    assert search.run(lambda: False) == "optimal"
    point = search.point
    held = np.flatnonzero(point.force > 0.0)
    least = held[point.force[held].argmin()]
    point.room[least] = 10.0 * len(point.force) * point.force[least]
    before = point.force.copy()
    assert not polish(search.factor, search.rows, point, search.gain, last=False)
    np.testing.assert_array_equal(point.force, before)
    assert polish(search.factor, search.rows, point, search.gain, last=True)
    np.testing.assert_array_equal(point.force, before)


@pytest.mark.parametrize("d", [2, 3])
def test_a_disc_grows_until_it_touches_the_wall(d):
    """The row of a wall alone: without a displacement the radius may become the distance; a step towards the wall by s
    costs as much of it, to first order."""
    place, radius = np.full((1, d), 5.0), 1.0
    place[0, 0] = 1.5
    program = build_program(DenseState(place, np.array([radius]), np.full(d, 10.0), False), cutoff=0.0, bound=0.1,
                            most=2.0, fixed=-1)  # fmt: skip
    assert program.second.tolist() == [-1]
    still, towards = np.zeros((1, d)), np.zeros((1, d))
    growth = (1.5 / radius) ** 2 - 1.0  # of the squared radius
    assert program.remaining(still, growth)[0] == pytest.approx(0.0, abs=1e-12)
    towards[0, 0] = -1e-6 / (2.0 * radius)  # in mean diameters
    less = ((1.5 - 1e-6) / radius) ** 2 - 1.0
    assert program.remaining(towards, less)[0] == pytest.approx(0.0, abs=1e-11)
    assert program.remaining(-towards, growth)[0] > 1e-8


def test_the_gap_to_a_wall_is_that_of_the_disc_alone():
    network = StableNetwork.with_forces(
        np.array([0, 0], np.int32), np.array([1, -1], np.int32), np.array([[-2.5, 0.0], [2.2, 0.0]]), np.ones(2),
        np.zeros(2, bool),
    )  # fmt: skip
    np.testing.assert_allclose(contact_gaps(network, np.array([1.0, 1.4])), [0.1, 0.2])


@pytest.mark.parametrize(("periodic", "excess"), [(True, 7 - 5), (False, 7 - 7)])
def test_contacts_are_counted_by_their_ends_and_beyond_isostatic(periodic, excess):
    """Three discs that touch each other, four contacts with walls, one rattler. Isostatic are d N contacts and one,
    in a periodic box d (N - 1) and one."""
    contacts = np.array([[0, 1], [1, 2], [0, 2], [0, -1], [1, -2], [2, -3], [2, -2]], np.int32)
    packing = SimpleNamespace(
        radii=np.ones(4), rattlers=np.array([False, False, False, True]), forces=np.ones(7), contacts=contacts,
        positions=np.zeros((4, 2)), periodic=periodic,
    )  # fmt: skip
    found = coordination(packing)
    assert found["coordination"] == pytest.approx((2 * 3 + 4) / 3)
    assert found["excess_coordination"] == pytest.approx(2.0 * excess / 3)
    assert found["rattler_share"] == 0.25
    assert (isostatic_count(10, 2, True), isostatic_count(10, 2, False)) == (2 * 9 + 1, 2 * 10 + 1)
    assert isostatic_count(10, 3, True) == 3 * 9 + 1
    assert [isostatic_count(10, 3, one) for one in EVERY[3]] == [28, 29, 29, 30, 29, 30, 30, 31]


def test_a_disc_squeezed_between_two_walls_has_equal_forces_on_both():
    """Two discs in a channel as high as they are: each is held by the walls with the forces that a disc of its radius
    would have on its mirror images, and the network says where the walls are."""
    state = DenseState(np.array([[1.2, 1.2], [3.6, 1.2]]), np.ones(2), np.array([4.8, 2.4]), False)
    program = build_program(state, cutoff=0.0, bound=1.0, most=2.0, fixed=-1)
    solution = InteriorPointSolver().solve(program, never)
    assert solution.growth == pytest.approx(1.2**2 - 1.0, abs=1e-8)
    found = network_of(program, solution, state.unit)
    assert found.force_mismatch() < 1e-7
    assert (found.second < 0).any()
    upright = found.vectors[found.second < 0]
    np.testing.assert_allclose(np.linalg.norm(upright, axis=1), 2.4, rtol=1e-6)  # twice the way from a wall


@pytest.mark.parametrize("d", [2, 3])
def test_a_disc_with_as_many_contacts_as_dimensions_is_a_rattler(d):
    """In the plane a disc needs three: two push it away. Without it its neighbours may be rattlers too."""
    count = d + 2  # all in touch with each other: each has d + 1 contacts
    pairs = np.array([(i, j) for i in range(count) for j in range(i)], np.int32)
    assert not rattlers(pairs[:, 0].copy(), pairs[:, 1].copy(), count, d).any()
    hanging = np.concatenate([pairs, [(count, k) for k in range(d)]]).astype(np.int32)
    assert rattlers(hanging[:, 0].copy(), hanging[:, 1].copy(), count + 1, d).tolist() == [False] * count + [True]
    assert rattlers(pairs[1:, 0].copy(), pairs[1:, 1].copy(), count, d).all()
    walls = np.concatenate([pairs[1:], [(0, -1), (1, -1)]]).astype(np.int32)  # a wall holds as a disc does
    assert not rattlers(walls[:, 0].copy(), walls[:, 1].copy(), count, d).any()


def test_no_packing_grows_beyond_a_full_box():
    radii, box = np.array([1.0, 2.0]), np.array([10.0, 8.0])
    growth = highest_growth(radii, box)  # of the squared radius
    assert np.pi * growth * (radii**2).sum() == pytest.approx(80.0)
    cube = np.full(3, 10.0)
    assert 4.0 / 3.0 * np.pi * highest_growth(radii, cube) ** 1.5 * (radii**3).sum() == pytest.approx(1000.0)
