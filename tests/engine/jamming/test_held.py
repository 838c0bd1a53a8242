"""Forces that balance are not enough: discs that slide at no cost are pushed, and what is called jammed is held.

What is held follows from plain references: the singular values of the rigidity matrix, and loads on discs that may only
press (`tests.reference.rigidity`).
"""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.boundary import Periodic
from engine.jamming import JammingRun, jam
from engine.jamming.finish import free_motions
from engine.jamming.packing import LOOSE, PUSHED, resultants
from engine.jamming.simulation import JammingPacking
from engine.scenario import Scenario
from engine.words import body_names
from tests.builders.boxes import EVERY, in_short
from tests.reference.jamming import crystal, ended, gaps, scattered
from tests.reference.rigidity import farthest_motion, motions_at_no_cost, of_packing, touching

RULES = ["trust-region", "calippso"]


def cells(sites, sides, radius):
    """Discs on these sites of so many unit cells along each axis: positions, radii, box."""
    corners = np.stack(np.meshgrid(*map(np.arange, sides), indexing="ij"), axis=-1).reshape(-1, len(sides))
    positions = (corners[:, None] + np.array(sites)).reshape(-1, len(sides))
    return positions, np.full(len(positions), radius), np.array(sides, float)


BCC = [[0.25] * 3, [0.75] * 3]
FCC = [[0.25, 0.25, 0.25], [0.75, 0.75, 0.25], [0.75, 0.25, 0.75], [0.25, 0.75, 0.75]]
SQUARE = cells([[0.5, 0.5]], (4, 4), 0.45)
SIMPLE = cells([[0.5] * 3], (2, 2, 2), 0.45)


def check_held(packing):
    """Jammed, by the plain references."""
    assert packing.jammed
    assert packing.reason == "jammed"
    d = len(packing.box)
    state = packing.positions, packing.radii, packing.box, packing.periodic
    contacts, discs = of_packing(packing)
    assert motions_at_no_cost(contacts, d, packing.periodic) == 0
    assert farthest_motion(touching(*state), discs, d, packing.periodic) < 1e-6
    assert gaps(*state).min() > -1e-12
    assert packing.force_mismatch < 1e-10


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("start", "lattice"),
    [(SQUARE, 0.7854), (SIMPLE, 0.5236), (cells(BCC, (2, 2, 2), 0.4), 0.6802)],
    ids=["square", "simple cubic", "body-centred cubic"],
)
def test_a_periodic_lattice_whose_rows_slide_goes_on_to_a_jammed_packing(start, lattice, rules):
    packing = jam(*start, rules=rules)
    check_held(packing)
    assert packing.volume_fraction > lattice + 0.004


def test_the_square_lattice_is_balanced_but_its_rows_and_columns_slide():
    """Four rows and four columns, less the two common translations: six motions at no cost, so that it is pushed."""
    run = JammingRun(*SQUARE)
    while not run.history or run.history[-1].status != LOOSE:
        run.step()
    assert run.volume_fraction == pytest.approx(np.pi / 4.0, rel=1e-9)
    assert not run.jammed
    assert not run.packing().jammed
    assert motions_at_no_cost(touching(run.positions, run.radii, run.box, True), 2, True) == 6
    before = run.positions.copy()
    pushed = run.step()
    assert pushed.status == PUSHED
    assert pushed.moved_stable == pytest.approx(np.abs(run.positions - before).max(), rel=1e-9)
    assert 1e-4 < pushed.moved_stable < 0.1
    assert gaps(run.positions, run.radii, run.box, True).min() > -1e-12
    assert ended(run).jammed


@pytest.mark.parametrize("rules", RULES)
def test_a_large_body_centred_lattice_does_not_end_the_solver(rules):
    """Its linear programs have so many best points that the interior point stopped at a gap of 3e-6."""
    packing = jam(*cells(BCC, (4, 4, 4), 0.43), rules=rules)
    assert packing.reason == "jammed"
    assert motions_at_no_cost(of_packing(packing)[0], 3, True) == 0
    assert packing.volume_fraction > 0.685


LAYER = cells([[0.5, 0.5]], (3, 3), 0.45)
STRIP = cells([[0.5, 0.5]], (4, 3), 0.45)


@pytest.mark.parametrize(
    ("start", "solver"),
    [
        ((np.column_stack((LAYER[0], np.full(9, 1.0))), LAYER[1], np.array([3.0, 3.0, 2.5])), "interior-point"),
        ((STRIP[0], STRIP[1], np.array([4.0, 5.0])), "highs"),
    ],
    ids=["a layer of spheres in a higher box", "rows of discs in a higher box"],
)
def test_between_walls_too_what_can_leave_its_plane_or_row_is_pushed(start, solver):
    packing = jam(*start, periodic=False, solver=solver)
    assert PUSHED in [entry.status for entry in packing.history]
    check_held(packing)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("start", "periodic"),
    [
        (cells(FCC, (2, 2, 2), 0.33), True),
        (cells(FCC, (1, 1, 1), 0.33), True),
        (crystal(), True),
        (cells([[0.5, 0.5]], (5, 5), 0.45), False),
        (cells([[0.5] * 3], (3, 3, 3), 0.45), False),
    ],
    ids=["face-centred", "face-centred, one cell", "hexagonal", "square between walls", "cubic between walls"],
)
def test_lattices_that_are_held_stay_what_they_are(start, periodic, rules):
    packing = jam(*start, periodic=periodic, rules=rules)
    check_held(packing)
    assert [entry.status for entry in packing.history] == ["optimal", "optimal"]


@pytest.mark.parametrize("periodic", [*EVERY[2], *EVERY[3]], ids=in_short)
@pytest.mark.parametrize("rules", RULES)
def test_random_packings_are_not_pushed(periodic, rules):
    d = len(periodic)
    for seed in range(2):
        rng = np.random.default_rng(seed)
        packing = jam(*scattered(14 + 10 * seed, d, 0.15, periodic, rng, 1.4), periodic=periodic, rules=rules)
        check_held(packing)
        assert not {LOOSE, PUSHED} & {entry.status for entry in packing.history}


def test_motions_at_no_cost_are_the_degrees_of_freedom_less_the_rank():
    """Random networks with too few contacts, in both dimensions, periodic and between walls."""
    rng = np.random.default_rng(1)
    seen = set()
    for d in (2, 3):
        for periodic in (True, False):
            for count in (4, 9, 12):
                first = np.arange(count, dtype=np.int32).repeat(d)
                second = ((first + rng.integers(1, count, len(first))) % count).astype(np.int32)
                if not periodic:
                    second[::2] = -1
                first, second = first[count // 2 :], second[count // 2 :]
                vectors = rng.standard_normal((len(first), d))
                units = vectors / np.linalg.norm(vectors, axis=1)[:, None]
                contacts = list(zip(first.tolist(), second.tolist(), units, strict=True))
                wanted = motions_at_no_cost(contacts, d, periodic)
                assert free_motions(first, second, vectors, count, int(first[0]) if periodic else -1) == wanted
                seen.add(wanted)
    assert max(seen) > 0


@pytest.mark.parametrize("rules", RULES)
def test_rows_of_a_lattice_that_slide_along_a_channel_are_pushed(rules):
    """Between walls across them, the rows of a square lattice slide along the periodic axis at no cost."""
    packing = jam(*SQUARE, periodic=Periodic((True, False)), rules=rules)
    assert PUSHED in [entry.status for entry in packing.history]
    check_held(packing)
    assert packing.volume_fraction > 0.7854


def test_spheres_in_a_channel_are_balanced_and_never_called_jammed():
    """Each touches four walls and slides along the channel: five pushes let nothing grow, and it is said."""
    positions = np.array([[0.5, 0.5, 0.6], [0.5, 0.5, 1.8]])
    packing = jam(positions, np.full(2, 0.4), [1.0, 1.0, 2.5], periodic=False)
    assert not packing.jammed
    assert packing.reason == (
        "forces balance, but 2 motions of the spheres meet no resistance, and 5 pushes gave no room to grow"
    )
    assert sum(entry.status == PUSHED for entry in packing.history) == 5
    assert packing.radii == pytest.approx([0.5, 0.5], rel=1e-9)


def test_a_crystal_with_a_hole_of_two_discs_is_jammed_at_its_density():
    """Two of their neighbours may leave their rows into the hole, which lets nothing grow."""
    positions, radii, box = crystal()
    keep = np.setdiff1d(np.arange(len(radii)), [14, 15])
    packing = jam(positions[keep], radii[keep], box)
    assert packing.jammed
    assert packing.volume_fraction == pytest.approx(np.pi / np.sqrt(12.0) * len(keep) / len(radii), rel=1e-9)


def lattice(dimensions: int) -> JammingPacking:
    simulation = engine.create(
        Scenario().with_values(
            {
                "system": "jamming",
                "dimensions": dimensions,
                "box.boundary": "periodic",
                "discs.count": 16 if dimensions == 2 else 8,
                "discs.volume_fraction": 0.5,
                "discs.arrangement": "lattice",
            }
        )
    )
    assert isinstance(simulation, JammingPacking)
    return simulation


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_push_repeats_bit_for_bit_also_from_checkpoints_on_its_way(dimensions):
    simulation, again = lattice(dimensions), lattice(dimensions)
    copies = []
    while not simulation.advance(max_events=1).finished:
        copy = simulation.checkpoint()
        engine.check_checkpoint(copy)
        if simulation.packing().history[-1].status in (LOOSE, PUSHED):
            copies.append(copy)
    assert len(copies) == 2
    statuses = [entry.status for entry in simulation.packing().history]
    assert statuses.count(PUSHED) == 1
    words = simulation.advance().stop_reason
    assert words.startswith("jammed: ")
    assert words.endswith(f"after a push because the {body_names(dimensions).discs} had stopped without being held")
    again.advance()
    for copy in copies:
        one = engine.restore(copy)
        one.advance()
        for other in (one, again):
            assert [entry.status for entry in other.packing().history] == statuses
            np.testing.assert_array_equal(other.frame().positions, simulation.frame().positions)
            np.testing.assert_array_equal(other.packing().radii, simulation.packing().radii)


def test_a_push_that_is_interrupted_is_made_again_the_same():
    run, other = JammingRun(*SQUARE), JammingRun(*SQUARE)
    while not run.history or run.history[-1].status != LOOSE:
        run.step()
        other.step()
    before = run.positions.copy()
    run.interrupt()
    assert run.step().status == "interrupted"
    np.testing.assert_array_equal(run.positions, before)
    run.history.pop()  # as a simulation does
    run.reason = ""
    assert run.step().status == other.step().status == PUSHED
    np.testing.assert_array_equal(run.positions, other.positions)


@pytest.mark.slow
@pytest.mark.parametrize("d", [2, 3])
def test_a_hundred_random_packings_are_held(d):
    rng = np.random.default_rng(d)
    for seed in range(100):
        periodic, ratio = EVERY[d][seed % len(EVERY[d])], (1.0, 1.2, 1.4)[seed % 3]
        start = scattered(int(rng.integers(5, 40)), d, 0.15, periodic, rng, ratio)
        packing = jam(*start, periodic=periodic, rules=RULES[seed % 5 == 0])
        check_held(packing)


def test_the_reference_sees_what_is_free():
    """A disc on two others can leave them; three around it hold it."""
    angles = np.deg2rad([90.0, 210.0, 330.0])
    ring = 2.0 * np.column_stack((np.cos(angles), np.sin(angles)))
    contacts = [(0, k + 1, -ring[k] / 2.0) for k in range(3)]
    assert resultants(*(np.array(c, np.int32) for c in zip(*[(i, j) for i, j, _ in contacts], strict=True)),
                      -ring, np.ones(3), 4)[0] == pytest.approx([0.0, 0.0], abs=1e-12)  # fmt: skip
    assert motions_at_no_cost(contacts, 2, True) == 8 - 3 - 2
    assert farthest_motion(contacts, [1, 2, 3], 2, True) > 0.1
    assert farthest_motion(*of_packing(jam(*crystal(4, 4))), 2, True) < 1e-6
