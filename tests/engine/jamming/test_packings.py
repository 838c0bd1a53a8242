"""Whole runs: packings known by hand, the same ones from both solvers, nothing ever overlaps."""

from math import cos, pi, radians, sqrt

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from engine.arrangements.relaxation import relax
from engine.geometry.neighbours import DenseState
from engine.jamming import JammingRun, jam
from engine.jamming.finish import closed_contacts
from engine.jamming.packing import LOOSE, PUSHED
from tests.builders.boxes import EVERY, every_boundary, in_short
from tests.reference.jamming import crystal, dense, ended, gaps, scattered

SOLVERS = ["interior-point", "highs"]


def check(packing):
    """What holds for every jammed packing."""
    assert packing.jammed
    assert packing.reason.startswith("jammed")
    assert packing.force_mismatch <= 1e-10
    assert packing.min_gap > -1e-12
    assert all(entry.min_gap > -1e-12 for entry in packing.history)
    assert all(entry.inflation > (-1e-9 if entry.status == PUSHED else -1e-12) for entry in packing.history)
    assert packing.iterations == len(packing.history)
    assert packing.forces.min() > 0.0
    assert packing.forces.mean() == pytest.approx(1.0)
    stable = int((~packing.rattlers).sum())
    d = len(packing.box)
    wanted = d * stable - len(packing.periodic.axes) + 1
    assert packing.isostatic == (len(packing.contacts) == wanted)
    # forces by hand: the contact vectors are what separates the discs, and they balance
    total = np.zeros_like(packing.positions)
    for (i, j), force, vector in zip(packing.contacts, packing.forces, packing.contact_vectors, strict=True):
        push = force * vector / np.linalg.norm(vector)
        total[i] += push
        reach = packing.radii[i] + (packing.radii[j] if j >= 0 else packing.radii[i])
        assert np.linalg.norm(vector) == pytest.approx(reach, rel=1e-8)
        if j >= 0:
            total[j] -= push
            away = packing.positions[i] - packing.positions[j] - vector
            assert away == pytest.approx(np.rint(away / packing.box) * packing.box, abs=1e-9 * packing.box.max())
    assert np.linalg.norm(total, axis=1).max() <= 1e-10
    assert not packing.rattlers[packing.contacts[packing.contacts >= 0]].any()


@pytest.mark.parametrize("solver", SOLVERS)
def test_three_discs_between_walls(solver):
    """The best three circles in a square: one in a corner, the others at 15 and 75 degrees from it."""
    side = 1.0 / (2.0 * cos(radians(15.0)) + 2.0)  # the radius: 2 R cos 15° + 2 R = 1
    start = np.array([[0.2, 0.2], [0.75, 0.35], [0.35, 0.75]])
    packing = jam(start, np.full(3, 0.1), [1.0, 1.0], periodic=False, solver=solver)
    check(packing)
    assert packing.isostatic
    assert packing.radii == pytest.approx(np.full(3, side), rel=1e-9)
    assert packing.volume_fraction == pytest.approx(3.0 * pi * side**2, rel=1e-9)
    contacts = {tuple(pair): force for pair, force in zip(packing.contacts.tolist(), packing.forces, strict=True)}
    # walls: -1 left, -2 right, -3 bottom, -4 top
    assert set(contacts) == {(0, 1), (0, 2), (1, 2), (0, -1), (0, -3), (1, -2), (2, -4)}
    pair = contacts[0, 1]
    assert contacts[0, 2] == pytest.approx(pair, rel=1e-6)
    assert contacts[1, 2] == pytest.approx(pair * sqrt(2.0) * cos(radians(75.0)), rel=1e-6)
    for wall in ((0, -1), (0, -3), (1, -2), (2, -4)):
        assert contacts[wall] == pytest.approx(pair * sqrt(1.5), rel=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_hexagonal_crystal(solver):
    packing = jam(*crystal(), solver=solver)
    check(packing)
    count = len(packing.radii)
    assert packing.volume_fraction == pytest.approx(pi / (2.0 * sqrt(3.0)), rel=1e-9)
    assert packing.contacts_by_gap == 3 * count
    assert packing.self_stresses == 3 * count - 2 * (count - 1) - 1


@pytest.mark.parametrize("rules", ["trust-region", "calippso"])
@pytest.mark.parametrize("seed", [1, 2])
def test_both_solvers_find_the_same_packing_near_jamming(rules, seed):
    positions, radii, box = dense(60, seed)
    near = jam(positions, radii, box, solver="interior-point")
    check(near)
    found = [jam(near.positions, near.radii * (1.0 - 1e-5), box, solver=solver, rules=rules) for solver in SOLVERS]
    for packing in found:
        check(packing)
        assert packing.isostatic
        assert packing.contacts_by_gap == len(packing.contacts)
        assert packing.self_stresses == 0
        assert packing.volume_fraction == pytest.approx(near.volume_fraction, rel=1e-12)
    one, other = (dict(zip(map(tuple, packing.contacts.tolist()), packing.forces, strict=True)) for packing in found)
    assert set(one) == set(other)
    assert [one[pair] for pair in one] == pytest.approx([other[pair] for pair in one], rel=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@every_boundary(3)
def test_spheres_jam_to_an_isostatic_packing(solver, periodic):
    # of two sizes, since thirty equal ones between walls may end as a crystal
    positions, radii, box = scattered(30, 3, 0.25, periodic, np.random.default_rng(5), 1.4)
    packing = jam(positions, radii, box, periodic=periodic, solver=solver)
    check(packing)
    assert packing.isostatic
    assert packing.contacts_by_gap == len(packing.contacts)
    if periodic.all:
        assert packing.volume_fraction > 0.56


@pytest.mark.parametrize("rules", ["trust-region", "calippso"])
@every_boundary(2)
def test_a_packing_jams_from_a_low_density(rules, periodic):
    positions, radii, box = scattered(40, 2, 0.35, periodic, np.random.default_rng(4), 1.4)
    packing = jam(positions, radii, box, periodic=periodic, rules=rules)
    check(packing)
    assert packing.volume_fraction > 0.68
    assert gaps(packing.positions, packing.radii, box, periodic).min() > -1e-12 * 2.0 * packing.radii.mean()
    assert packing.radii / packing.radii[0] == pytest.approx(radii / radii[0], rel=1e-12)


@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(
    count=st.integers(4, 11),
    periodic=st.sampled_from([*EVERY[2], *EVERY[3]]),
    fraction=st.floats(0.02, 0.25),
    ratio=st.floats(1.0, 3.0),
    stretch=st.floats(0.4, 1.0),
    seed=st.integers(0, 10**6),
    rules=st.sampled_from(["trust-region", "calippso"]),
    solver=st.sampled_from(SOLVERS),
)
def test_discs_never_overlap_on_the_way_to_a_packing(count, periodic, fraction, ratio, stretch, seed, rules, solver):
    d = len(periodic)
    try:
        positions, radii, box = scattered(count, d, fraction, periodic, np.random.default_rng(seed), ratio)
    except LookupError:
        reject()
    # a box that is not square: what was apart stays apart along the others
    positions[:, 0] /= stretch
    box = box / np.append(stretch, np.ones(d - 1))
    run = JammingRun(positions, radii, box, periodic=periodic, rules=rules, solver=solver)
    filled = [(pi if d == 2 else 4.0 * pi / 3.0) * (radii**d).sum() / box.prod()]
    for _ in range(8):
        entry = run.step()
        unit = 2.0 * run.radii.mean()
        assert gaps(run.positions, run.radii, box, periodic).min() > -1e-12 * unit
        assert run.radii == pytest.approx(radii * (run.radii[0] / radii[0]), rel=1e-12)  # all by one factor
        assert entry.volume_fraction == pytest.approx(filled[0] * (run.radii[0] / radii[0]) ** d, rel=1e-12)
        assert entry.volume_fraction == pytest.approx(run.volume_fraction, rel=1e-15)
        if run.reason:
            break
    fractions = filled + [entry.volume_fraction for entry in run.history]
    assert (np.diff(fractions) > -1e-12).all()
    assert fractions[1] > fractions[0]  # discs that are apart grow in the first iteration


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("periodic", [one for one in EVERY[2] if one.mixed], ids=in_short)
def test_a_channel_jams_to_an_isostatic_packing(periodic, solver):
    """Forces balance to rounding on every disc, those of the walls included, though none is fixed."""
    positions, radii, box = scattered(60, 2, 0.4, periodic, np.random.default_rng(2), 1.4)
    packing = jam(positions, radii, box, periodic=periodic, solver=solver)
    check(packing)
    stable = int((~packing.rattlers).sum())
    assert packing.isostatic
    assert len(packing.contacts) == 2 * stable  # d N_s less the one translation, and one more
    assert packing.self_stresses == 0
    assert packing.force_mismatch < 1e-12
    hit = set(packing.contacts[packing.contacts < 0].tolist())
    assert hit == ({-3, -4} if periodic[0] else {-1, -2})
    net = np.zeros(2)  # what the walls push adds up to nothing
    for (_, j), force, vector in zip(packing.contacts, packing.forces, packing.contact_vectors, strict=True):
        net += force * vector / np.linalg.norm(vector) if j < 0 else 0.0
    assert np.abs(net).max() < 1e-10
    assert across_edges(packing) > 0


def across_edges(packing):
    """How many contacts of two discs are with an image across a periodic edge."""
    i, j = packing.contacts.T
    pairs = j >= 0
    apart = packing.positions[i] - packing.positions[np.maximum(j, 0)] - packing.contact_vectors
    return int((np.abs(apart[pairs]) > 0.5 * packing.box).any(axis=1).sum())


def test_iterations_used_up_and_the_callback_end_the_run():
    positions, radii, box = dense(40, 5)
    seen = []
    packing = jam(positions, radii, box, max_iterations=2, callback=seen.append)
    assert (packing.jammed, packing.reason, packing.iterations) == (False, "not jammed after 2 iterations", 2)
    assert list(packing.history) == seen
    assert [entry.number for entry in seen] == [1, 2]
    packing = jam(positions, radii, box, callback=lambda entry: entry.number == 3)
    assert (packing.jammed, packing.reason, packing.iterations) == (False, "ended by the callback", 3)


def test_fine_tuning_mends_forces_and_moves_nothing():
    run = ended(JammingRun(*dense(40, 7), solver="highs"))
    good = run.packing()
    # forces of a linear program that were spoiled: half of the contacts are lost
    network = run.network
    keep = np.arange(len(network.first)) % 2 == 0
    run.network = type(network)(
        network.first[keep],
        network.second[keep],
        network.vectors[keep],
        network.forces[keep],
        network.rattlers,
        network.residual,
    )
    mended = run.packing()
    check(mended)
    np.testing.assert_array_equal(mended.positions, good.positions)
    assert sorted(map(tuple, mended.contacts.tolist())) == sorted(map(tuple, good.contacts.tolist()))


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_gap_just_below_the_tolerances_is_no_contact(solver):
    """Discs 2 and 3 come within 5e-9 of a diameter of each other and bear no force."""
    start, radii, box = scattered(6, 2, 0.3, False, np.random.default_rng(0), 1.4)
    near = jam(start, radii, box, periodic=False, solver=solver, rules="calippso")

    def jammed(factor):
        """The packing where disc 5 is so much larger, and the gap of discs 2 and 3."""
        radii = near.radii * np.where(np.arange(6) == 5, 0.98 * factor, 0.98)
        packing = jam(near.positions, radii, box, periodic=False, solver=solver)
        apart = np.linalg.norm(packing.positions[2] - packing.positions[3]) - packing.radii[2] - packing.radii[3]
        return packing, apart / (2.0 * packing.radii.mean())

    # the gap is nearly linear in the factor; beyond its zero other discs touch, so that it is not aimed at at once
    before, now = 0.992, 0.99
    gap_before, gap = jammed(before)[1], jammed(now)[1]
    assert 1e-3 < gap < gap_before < 1e-2
    while gap > 5.1e-9:
        aim = max(5e-9, 0.01 * gap)
        before, now, gap_before = now, now - (gap - aim) * (now - before) / (gap - gap_before), gap
        packing, gap = jammed(now)
        assert gap < 0.1 * gap_before
    assert gap == pytest.approx(5e-9, abs=2e-10)
    check(packing)
    assert not packing.rattlers[[2, 3]].any()
    assert {2, 3} not in [set(pair) for pair in packing.contacts.tolist()]
    assert packing.isostatic
    assert packing.contacts_by_gap == len(packing.contacts)
    assert packing.self_stresses == 0


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("tolerance", [1e-4, 1e-6])
def test_wide_tolerances_leave_wider_contacts(tolerance, solver):
    """Contacts close to the square of the last displacements, and all of them are found where tolerances are wide."""
    start = dense(40, 8)
    exact = jam(*start, solver=solver)
    packing = jam(*start, solver=solver, tolerance_displacement=tolerance, tolerance_inflation=tolerance)
    assert packing.jammed
    assert packing.iterations <= exact.iterations
    reach = packing.radii[packing.contacts].sum(axis=1)
    widest = (np.linalg.norm(packing.contact_vectors, axis=1) - reach).max() / (2.0 * packing.radii.mean())
    assert widest < 4.0 * tolerance**2 + 1e-13
    assert sorted(map(tuple, packing.contacts.tolist())) == sorted(map(tuple, exact.contacts.tolist()))
    assert packing.contacts_by_gap == exact.contacts_by_gap == len(exact.contacts)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_thousand_discs(seed):
    packing = jam(*dense(1024, seed, 0.83))
    check(packing)
    assert packing.isostatic == (packing.self_stresses == 0)
    assert packing.self_stresses < 4  # hexagons of equal discs among them
    assert packing.contacts_by_gap == len(packing.contacts)
    assert 0.83 < packing.volume_fraction < 0.845
    assert 15 < packing.rattlers.sum() < 90


def equal_discs(seed):
    """400 of them in a periodic box, without overlaps at a volume fraction of 0.82: positions, radii, box."""
    radii = np.ones(400)
    box = np.full(2, sqrt(pi * len(radii) / 0.82))
    return relax(np.random.default_rng(seed).random((len(radii), 2)) * box, radii, box, True), radii, box


@pytest.mark.slow
def test_a_disc_that_may_leave_into_a_hole_does_not_keep_equal_discs_from_being_jammed():
    packing = jam(*equal_discs(seed=1))
    check(packing)
    assert packing.reason == "jammed, but nothing holds 1 disc with forces from all sides"
    fractions = [entry.volume_fraction for entry in packing.history if entry.status == LOOSE]
    assert len(fractions) == 5
    assert fractions == pytest.approx([packing.volume_fraction] * 5, rel=1e-12)


@pytest.mark.slow
def test_equal_discs_have_more_contacts_than_forces():
    positions, radii, box = equal_discs(seed=2)
    count = len(radii)
    vertex, middle = (jam(positions, radii, box, solver=solver) for solver in ("highs", "interior-point"))
    for packing in (vertex, middle):
        check(packing)
        assert packing.reason == "jammed"
        # counted by hand: discs that touch, of those that three or more others hold
        away = packing.positions[:, None] - packing.positions[None]
        away -= box * np.round(away / box)
        # rounding leaves gaps of 1e-14; pairs that are open but nearly touch have gaps of 1e-10 and more
        touching = np.linalg.norm(away, axis=2) < 2.0 * packing.radii[0] * (1.0 + 1e-12)
        np.fill_diagonal(touching, False)
        while ((held := touching.sum(axis=1)) * (held <= 2)).any():
            touching[held <= 2] = touching[:, held <= 2] = False
        closed, stable = int(touching.sum()) // 2, int(touching.any(axis=1).sum())
        assert packing.contacts_by_gap == closed
        # nothing is floppy in a crystal: every contact beyond the isostatic number is a state of self-stress
        assert packing.self_stresses == closed - (2 * (stable - 1) + 1)
        assert packing.self_stresses > 50
    # the last linear program of a vertex has no force on many of them; at the end all that can carry one do, and the
    # others can only pull
    assert vertex.history[-1].contacts < vertex.contacts_by_gap - 20
    for packing in (vertex, middle):
        first, second, vectors = closed_contacts(DenseState(packing.positions, packing.radii, box, True), 1e-12)
        assert len(first) == packing.contacts_by_gap
        bearing = {tuple(sorted(pair)) for pair in packing.contacts.tolist()}
        for k, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            if tuple(sorted(pair)) not in bearing:
                assert greatest_force(first, second, vectors, count, k) < 1e-4


def greatest_force(first, second, vectors, count, k):
    """The most that contact k can bear where no contact pulls and the mean of all forces is 1, by a linear program.
    Sums of forces up to 1e-6 are rounding."""
    units = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    sums = sparse.lil_array((2 * count, len(first)))
    for contact, unit in enumerate(units):
        sums[2 * first[contact] : 2 * first[contact] + 2, [contact]] = unit[:, None]
        sums[2 * second[contact] : 2 * second[contact] + 2, [contact]] = -unit[:, None]
    sums, one = sums.tocsr(), np.ones((1, len(first)))
    found = linprog(
        -np.eye(len(first))[k],
        A_ub=sparse.vstack([sums, -sums]),
        b_ub=np.full(4 * count, 1e-6),
        A_eq=one,
        b_eq=[len(first)],
    )
    assert found.success
    return -found.fun


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_some_hundred_spheres(seed):
    packing = jam(*scattered(512, 3, 0.3, True, np.random.default_rng(seed), 1.4))
    check(packing)
    assert packing.isostatic
    assert packing.self_stresses == 0
    assert 0.63 < packing.volume_fraction < 0.65
