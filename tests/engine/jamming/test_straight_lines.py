"""Discs in a line that carries a force and is held by nothing: they go aside, and the chain goes on."""

import numpy as np
import pytest

from engine.boundary import Periodic
from engine.geometry.neighbours import DenseState
from engine.jamming import jam
from engine.jamming.linear_program import Solution, build_program
from engine.jamming.packing import PUSHED
from engine.jamming.run import JammingRun
from engine.jamming.second_order import discs_in_lines, moved_across
from tests.reference.jamming import dense, ended, gaps, parts


def a_row():
    """Five discs of radius 1 in a row between two walls, and two more: positions, box."""
    row = np.column_stack((np.arange(5) * 2.0 + 1.0, np.full(5, 5.0)))
    return np.concatenate((row, [[2.0, 2.0], [7.0, 8.0]])), np.array([10.0, 10.0])


@pytest.mark.parametrize("solver", ["interior-point", "highs"])
def test_a_straight_line_across_the_box_buckles(solver):
    """Five discs in a row between two walls stop all growth to first order and hold nothing from the side."""
    positions, box = a_row()
    packing = jam(positions, np.ones(7), box, periodic=False, solver=solver)
    assert packing.jammed
    assert packing.force_mismatch <= 1e-10
    assert packing.radii.min() > 1.2
    assert gaps(packing.positions, packing.radii, box, False).min() > -1e-12


def test_a_push_leaves_a_line_that_the_published_rules_do_not_leave():
    """They know no way out, and an interior point stays in the middle; after twenty iterations at rest it is pushed."""
    positions, box = a_row()
    as_published = jam(positions, np.ones(7), box, periodic=False, solver="interior-point", rules="calippso")
    assert [entry.status for entry in as_published.history].count(PUSHED) == 1
    assert as_published.jammed
    assert as_published.radii.min() > 1.2


@pytest.mark.parametrize("rules", ["trust-region", "calippso"])
def test_discs_that_are_as_wide_as_a_channel_end_the_run(rules):
    """Two walls hold each from two sides: they slide along the channel, and no push lets them grow."""
    packing = jam([[0.5, 0.6], [0.5, 1.8]], np.full(2, 0.4), [1.0, 2.5], periodic=False, rules=rules)
    assert not packing.jammed
    # a disc that a push has left in a corner has a third contact: then forces balance too
    assert packing.reason.startswith(("growth has stopped, but no discs are held", "forces balance, but 1 motion"))
    assert packing.radii == pytest.approx([0.5, 0.5], rel=1e-9)
    assert packing.iterations < 200


def test_a_sphere_in_a_plane_goes_out_of_it():
    """Three spheres round a fourth press on it in a plane; it leaves the plane, and all can grow."""
    angles = np.deg2rad([90.0, 210.0, 330.0])
    ring = np.column_stack((np.cos(angles), np.sin(angles), np.zeros(3)))
    state = DenseState(5.0 + 2.0 * np.vstack((ring, np.zeros((1, 3)))), np.ones(4), np.full(3, 10.0), False)
    program = build_program(state, cutoff=0.0, bound=0.1, most=0.1, fixed=-1)
    duals = np.where(program.second >= 0, 1.0, 0.0)
    lines = discs_in_lines(program, Solution(np.zeros((4, 3)), 0.0, duals, "optimal", 0.0, 0.0))
    assert set(lines) == {0, 1, 2, 3}  # those of the ring have one contact each
    assert np.abs(lines[3]) == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
    moved = moved_across({3: lines[3]}, state)
    assert np.abs(moved[3] - 5.0) == pytest.approx([0.0, 0.0, 0.1], abs=1e-6)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_disc_goes_where_its_line_pushes_until_it_touches(side):
    """The middle one of three discs, a little off their line, is pushed farther off, to a disc that is beside it."""
    positions = np.array([[2.0, 5.0], [4.0, 5.0 + 1e-6 * side], [6.0, 5.0], [4.0, 5.0 + side * 2.03]])
    state = DenseState(positions, np.ones(4), np.full(2, 10.0), False)
    program = build_program(state, cutoff=0.0, bound=0.1, most=0.1, fixed=-1)
    line = (program.first <= 2) & (program.second <= 2) & (program.second >= 0)
    lines = discs_in_lines(program, Solution(np.zeros((4, 2)), 0.0, np.where(line, 1.0, 0.0), "optimal", 0.0, 0.0))
    assert lines[1] == pytest.approx([0.0, side], abs=1e-5)
    moved = moved_across({1: lines[1]}, state)
    np.testing.assert_array_equal(np.delete(moved, 1, axis=0), np.delete(positions, 1, axis=0))
    assert np.linalg.norm(moved[1] - positions[3]) == pytest.approx(2.0, rel=1e-9)
    assert gaps(moved, *parts(state)[1:]).min() >= 0.0


def test_discs_that_are_not_in_a_line_are_not_moved_aside():
    run = ended(JammingRun(*dense(40, 2)))
    assert run.jammed
    program = build_program(run.state, cutoff=0.0, bound=1e-6, most=1e-6, fixed=run._fixed)
    assert discs_in_lines(program, run._solver.solve(program, lambda: False)) == {}


def test_a_disc_goes_over_a_periodic_edge_but_not_into_a_wall():
    alone, size, box = np.array([[0.52, 5.0], [5.0, 5.0]]), np.full(2, 0.5), np.full(2, 10.0)
    for periodic, room in ((Periodic((True, False)), 0.05), (Periodic((False, True)), 0.02)):
        moved = moved_across({0: np.array([-1.0, 0.0])}, DenseState(alone, size, box, periodic))
        assert alone[0, 0] - moved[0, 0] == pytest.approx(room, rel=1e-6)
