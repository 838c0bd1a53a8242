"""The second-order term: its gain, that both solvers take it into account, and what it does to a run."""

from dataclasses import replace

import numpy as np
import pytest

from engine.geometry.neighbours import DenseState
from engine.jamming import jam
from engine.jamming.highs import HighsSolver
from engine.jamming.interior_point.solver import InteriorPointSolver
from engine.jamming.linear_program import build_program
from engine.jamming.run import JammingRun
from engine.jamming.second_order import second_order_gain
from tests.reference.jamming import dense, scattered


def never():
    return False


def program_of(seed, periodic):
    state = DenseState(*scattered(12, 2, 0.35, periodic, np.random.default_rng(seed), 1.4), periodic)
    return build_program(state, cutoff=0.0, bound=0.3 * state.radii.max(), most=0.3, fixed=11 if periodic else -1)


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_worth_is_the_slope_of_the_room_that_is_left(seed, periodic):
    program = program_of(seed, periodic)
    solution = InteriorPointSolver().solve(program, never)
    pairs = program.second >= 0

    def room(moved):
        apart = moved[program.first[pairs]] - moved[program.second[pairs]]
        return float((solution.duals[pairs] * (apart**2).sum(axis=1) / (4.0 * program.inflation[pairs])).sum())

    found = second_order_gain(program, solution)
    step = 1e-6
    for disc, axis in ((0, 0), (5, 1), (11, 0)):
        moved = np.zeros(program.shape)
        moved[disc, axis] = step
        here = solution.displacements
        slope = (room(here + moved) - room(here - moved)) / (2.0 * step)
        assert found[disc, axis] == pytest.approx(slope, abs=1e-8)


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_solvers_take_the_second_order_gain_into_account(seed, periodic):
    program = program_of(seed, periodic)
    gain = np.random.default_rng(seed).normal(0.0, 0.02, program.shape)
    if periodic:
        gain[11] = 0.0
    program = replace(program, gain=gain)
    values = []
    for solver in (InteriorPointSolver, HighsSolver):
        solution = solver().solve(program, never)
        assert solution.status == "optimal"
        assert program.remaining(solution.displacements, solution.growth).min() > -1e-9
        # forces add up to what displacements are found wherever the bound does not push
        push = 2.0 * program.resultants(solution.duals) + gain
        if program.fixed >= 0:
            push[program.fixed] = 0.0
        free = np.abs(solution.displacements) < program.bound * (1.0 - 1e-6)
        assert np.abs(push[free]).max() < 1e-7
        values.append(solution.growth + float((gain * solution.displacements).sum()))
    assert values[0] == pytest.approx(values[1], abs=1e-8)
    plain = HighsSolver().solve(replace(program, gain=None), never)
    assert values[0] > plain.growth + float((gain * plain.displacements).sum()) + 1e-6


def test_discs_that_go_to_the_bound_stay_numbers():
    """One minus a displacement in units of the bound is smaller than the rounding of the displacement."""
    program = program_of(4, True)
    gain = np.full(program.shape, 10.0)
    solution = InteriorPointSolver().solve(replace(program, gain=gain), never)
    assert solution.status in ("optimal", "stopped early")
    assert np.isfinite(solution.displacements).all()
    assert np.abs(solution.displacements).max() <= program.bound * (1.0 + 1e-9)
    assert np.abs(solution.displacements).max() > program.bound * (1.0 - 1e-6)


def test_only_rules_that_hurry_use_it():
    positions, radii, box = dense(60, 3, 0.7)
    hurried = JammingRun(positions, radii, box)
    exact = JammingRun(positions, radii, box, rules="calippso")
    for _ in range(6):
        hurried.step()
        exact.step()
    assert any(entry.status == "stopped early" for entry in hurried.history)
    assert all(entry.status == "optimal" for entry in exact.history)


def test_a_program_that_stops_early_names_a_network():
    """Its duals are not those of a vertex, but nearly all discs are held by contacts already."""
    run = JammingRun(*dense(256, 1, 0.83))
    early = 0
    while not run.reason and early < 8:
        entry = run.step()
        if entry.status == "stopped early":
            early += 1
            assert entry.rattlers < 64
            assert entry.contacts > 300
    assert early


def test_shrinking_is_not_worth_what_comes_later():
    """Growth never goes back, however much the displacements of the last program promise."""
    run = JammingRun(*dense(60, 5, 0.75), solver="highs")
    run.step()
    run._gain = np.random.default_rng(1).normal(0.0, 5.0, run.positions.shape)
    before = run.volume_fraction
    entry = run.step()
    assert entry.inflation >= 0.0
    assert run.volume_fraction >= before


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_four_thousand_discs(seed):
    packing = jam(*dense(4096, seed, 0.83))
    assert packing.jammed
    assert packing.force_mismatch <= 1e-10
    assert packing.min_gap > -1e-12
    assert packing.iterations < 300
    assert packing.isostatic == (packing.self_stresses == 0)
