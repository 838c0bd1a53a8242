"""Gases that flow past their images (Lees and Edwards): against brute force, interrupted, tuned, measured, refused."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import engine
from engine import InputError, Scenario
from engine.analysis import GAS, MOTION, measure
from engine.boundary import Periodic
from engine.frame import Frame, Start
from engine.hard_discs.simulation import HardDiscGas
from engine.initial import validate_state
from engine.overlaps import deepest_overlap
from engine.simulation import Checkpoint
from engine.state import InitialState, without_flow
from engine.system import system
from tests.builders.states import gas, random_state, same_bits, through_a_file
from tests.engine.hard_discs.test_drift import without
from tests.reference.bouncing import bounce
from tests.reference.images import shortest

RATES = (0.3, -1.7, 8.0, 0.0, -30.0)
BOX = (1.6, 1.2, 1.3)


def start(seed: int, dimensions: int, strain: float = 0.0, count: int = 12) -> InitialState:
    """A few discs or spheres without overlaps, also with images that are ahead; the velocities have no flow."""
    rng, box = np.random.default_rng(seed), BOX[:dimensions]
    ends = Periodic([True] * dimensions).strained(strain, box)
    fraction = 0.2 if dimensions == 2 else 0.1
    state = random_state(
        rng, count, periodic=ends, fraction=fraction, spread=0.5 * (seed % 2), box=box, free_masses=True
    )
    state.velocities[:] = rng.normal(size=state.velocities.shape)
    state.periodic, state.strain = Periodic([True] * dimensions), strain
    return state


def flowing(state: InitialState, rate: float, **settings: Any) -> HardDiscGas:
    values = {"system": "hard-discs", "dimensions": len(state.box), "box.boundary": "periodic", "shear.rate": rate}
    return HardDiscGas(
        Scenario().with_values(values | {f"hard_discs.{key}": one for key, one in settings.items()}), state
    )


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_every_collision_is_that_of_brute_force(seed: int, dimensions: int) -> None:
    """Rates of both signs, and none with images that are ahead; elastic and granular."""
    rate, restitution = RATES[seed % 5], (0.8, 1.0)[seed % 2]
    strain = 0.9 if rate == 0.0 else 0.37 * (seed % 3) - 0.3 * (seed // 5)
    plain = start(seed, dimensions, strain)
    plain.velocities = without_flow(plain.velocities, plain.positions, -rate, plain.box)
    wanted = bounce(plain, 40, shear=rate, restitution=restitution)
    run = flowing(start(seed, dimensions, strain), rate, restitution=restitution)
    run.advance(max_events=40)
    frame = run.frame()
    assert frame.impacts is not None
    assert np.array_equal(np.sort(frame.impacts.pairs, axis=1), np.sort(wanted.pairs, axis=1))
    assert np.abs(frame.impacts.time - wanted.times).max() < 1e-6
    assert np.abs(frame.velocities - wanted.velocities).max() < 1e-4
    ends = frame.around(run)
    assert np.abs(shortest(frame.positions - wanted.positions, run.box, ends)).max() < 1e-5
    assert frame.strain == pytest.approx(strain + rate * frame.time)
    assert run.invariants()["max_overlap"] < 1e-9


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_run_that_is_interrupted_saved_and_tuned_goes_on_bit_for_bit(dimensions: int) -> None:
    changes = [(0.3, 2.0), (0.7, -5.0), (1.1, 0.0), (1.5, 1.0)]

    def at_once() -> HardDiscGas:
        run = flowing(start(3, dimensions, count=40), 1.3, restitution=0.9)
        for until, rate in changes:
            run.advance(until)
            run.set("shear.rate", rate)
        run.advance(2.0)
        return run

    def in_parts() -> HardDiscGas:
        run, rng = flowing(start(3, dimensions, count=40), 1.3, restitution=0.9), np.random.default_rng(1)
        for until, rate in [*changes, (2.0, None)]:
            while run.time < until:
                run.advance(until, max_events=int(rng.integers(1, 9)))
                again = engine.restore(through_a_file(run.checkpoint()))
                assert isinstance(again, HardDiscGas)
                same_bits(run, again)
                run = again
            if rate is not None:
                run.set("shear.rate", rate)
        return run

    one, other = at_once(), in_parts()
    same_bits(one, other)
    assert one.frame().strain == other.frame().strain
    for name, values in vars(one.history()).items():
        np.testing.assert_array_equal(values, getattr(other.history(), name))


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_rate_that_is_tuned_changes_the_flow_of_all_discs_and_the_strain_adds_up(dimensions: int) -> None:
    run = flowing(start(5, dimensions), 0.8)
    run.advance(0.5)
    before = _copied(run.frame())
    run.set("shear.rate", -2.5)
    after = run.frame()
    assert (after.strain, after.shear_rate) == (pytest.approx(0.4), -2.5)
    assert after.positions == pytest.approx(before.positions, abs=1e-12)
    faster = np.zeros_like(before.velocities)
    faster[:, 0] = (-2.5 - 0.8) * (before.positions[:, 1] - 0.5 * BOX[1])
    assert after.velocities - before.velocities == pytest.approx(faster, abs=1e-12)
    assert after.kinetic_energy == pytest.approx(before.kinetic_energy)
    run.advance(1.5)
    run.set("shear.rate", 0.0)
    run.advance(3.0)
    assert run.frame().strain == pytest.approx(0.4 - 2.5)
    assert run.invariants()["max_overlap"] < 1e-9
    state = run.state()
    assert (state.strain, state.shear_rate) == (run.frame().strain, 0.0)


def _copied(frame: Frame) -> Frame:
    copy = Frame.empty(*frame.positions.shape)
    copy.take(frame)
    return copy


@pytest.mark.parametrize("dimensions", [2, 3])
def test_paths_in_the_laboratory_go_on_across_the_edges(dimensions: int) -> None:
    """Between two near times a disc moves by its velocity in the laboratory, that of the box above included."""
    run = flowing(start(8, dimensions), 6.0)
    step, height = 1e-4, BOX[1]
    crossed = 0
    for until in np.arange(0.1, 4.0, 0.1):
        run.advance(float(until))
        before, frame = engine.unwrapped(run), _copied(run.frame())
        run.advance(float(until) + step)
        after, later = engine.unwrapped(run), run.frame()
        rows = frame.fields["images"][:, 1]
        moves = frame.velocities.copy()
        moves[:, 0] += rows * 6.0 * height
        free = np.abs(later.velocities - frame.velocities)[:, 1] < 1e-12
        assert (after - before)[free] == pytest.approx(step * moves[free], abs=1e-9)
        crossed += int(np.abs(rows).max(initial=0) > 0)
    assert crossed > 10


@pytest.mark.parametrize("dimensions", [2, 3])
def test_momentum_relative_to_the_flow_stays_and_the_stress_heats_an_elastic_gas(dimensions: int) -> None:
    """dK/dt = -γ̇ (Σ m c_x c_y + Σ Δp_x r_y per time) of thermal energy K."""
    run = gas(400, 0.2, shear__rate=0.7, dimensions=dimensions)
    for until in (0.5, 1.0, 2.0):
        run.advance(until)
        assert run.invariants()["momentum_error"] < 1e-12
    frame, history = run.frame(), run.history()
    thermal = without_flow(frame.velocities, frame.positions, 0.7, run.box)
    assert run.masses @ thermal == pytest.approx(np.zeros(dimensions), abs=1e-9)
    kinetic = 0.5 * float(run.masses @ np.square(thermal).sum(axis=1))
    assert frame.kinetic_energy == pytest.approx(kinetic, rel=1e-12)
    flight = np.sum(0.5 * (history.flight_xy[1:] + history.flight_xy[:-1]) * np.diff(history.time))
    heat = -0.7 * (flight + history.virial_xy[-1] - history.virial_xy[0])
    gained = history.thermal_energy[-1] - history.thermal_energy[0]
    assert gained > 0.1 * history.thermal_energy[0]
    assert heat == pytest.approx(gained, rel=0.02)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_overlaps_are_found_across_an_edge_past_which_images_flow(dimensions: int) -> None:
    """Of a start that is checked, and of the invariants of a run."""
    box = np.array(BOX[:dimensions])
    positions = np.full((2, dimensions), 0.6)
    positions[:, :2] = [[0.3, 0.05], [0.3, BOX[1] - 0.05]]  # straight below its image without a strain
    cluster, radii = np.arange(2, dtype=np.int32), np.full(2, 0.06)

    def state(strain: float) -> InitialState:
        return InitialState(
            positions.copy(), np.zeros_like(positions), radii, np.ones(2), cluster, box, True, strain=strain
        )

    whole = BOX[0] / BOX[1]
    for strain in (0.0, 3.0 * whole):
        with pytest.raises(InputError, match="overlap by"):
            validate_state(state(strain))
    validate_state(state(0.5))
    for strain in (0.0, 0.02, 0.5, 3.0 * whole + 0.02):
        one = state(strain)
        apart = shortest(positions[1] - positions[0], box, one.around)
        wanted = max(0.0, 1.0 - float(np.linalg.norm(apart)) / 0.12)
        found = deepest_overlap(positions, radii, cluster, box, one.around)[0]
        assert found == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_disc_thrown_across_the_edge_becomes_the_image_that_flows(dimensions: int) -> None:
    run = flowing(start(2, dimensions), 3.0)
    run.advance(0.7)
    frame = _copied(run.frame())
    disc = int(frame.positions[:, 1].argmax())
    path, goal = engine.unwrapped(run)[disc], frame.positions[disc].copy()
    goal[1] += 0.25
    thrown = engine.throw(run, disc, goal.tolist())
    now = thrown.frame()
    assert thrown.invariants()["max_overlap"] < 1e-8
    moved = engine.unwrapped(thrown)[disc] - path
    assert np.linalg.norm(moved) <= 0.25 + 1e-9
    assert moved[1] > 0.05
    rows = int(now.fields["images"][disc, 1] - frame.fields["images"][disc, 1])
    assert rows == 1, "over the edge"
    change = now.velocities[disc] - frame.velocities[disc]
    assert change == pytest.approx([-3.0 * BOX[1], 0.0, 0.0][:dimensions])
    assert (now.strain, now.shear_rate) == (frame.strain, 3.0)
    thrown.advance(2.0)
    assert thrown.invariants()["max_overlap"] < 1e-9
    flung = engine.throw(run, disc, None, [0.5] * dimensions)
    assert flung.frame().velocities[disc] == pytest.approx(np.full(dimensions, 0.5))


@pytest.mark.parametrize("dimensions", [2, 3])
def test_carrying_on_from_a_state_keeps_strain_and_flow(dimensions: int) -> None:
    run = flowing(start(4, dimensions), -1.1)
    run.advance(1.3)
    frame = run.frame()
    for rate in (-1.1, 0.4):
        again = flowing(run.state(), rate).frame()
        assert again.strain == frame.strain
        faster = (rate + 1.1) * (frame.positions[:, 1] - 0.5 * BOX[1])
        assert again.velocities[:, 0] == pytest.approx(frame.velocities[:, 0] + faster)


def test_what_cannot_flow_is_refused_in_one_sentence() -> None:
    base = Scenario().with_values({"system": "hard-discs", "box.boundary": "periodic"})
    bad: list[tuple[dict[str, Any], str, str]] = [
        ({"box.boundary": "walls"}, "shear.rate", 'shear.rate must be 0 unless box.boundary = "periodic"'),
        ({"box.boundary": ["periodic", "walls"]}, "shear.rate", "shear.rate must be 0 unless"),
        (
            {"system": "aggregation"},
            "shear.rate",
            'shear.rate must be 0 when system = "aggregation"; only "hard-discs"',
        ),
        ({"shear.rate": float("nan")}, "shear.rate", "shear.rate must be"),
        ({"shear.rate": float("inf")}, "shear.rate", "shear.rate must be"),
        ({"shear.rate": 1e7}, "shear.rate", "shear.rate must be a number from"),
    ]
    for values, key, words in bad:
        with pytest.raises(InputError, match=re.escape(words)) as caught:
            base.with_values({"shear.rate": 1.0} | values)
        assert caught.value.key == key
    growing = base.with_values({"discs.count": 20, "hard_discs.growth_rate": 0.01, "shear.rate": 1.0})
    with pytest.raises(InputError, match=r"hard_discs\.growth_rate must be 0 where discs flow") as caught:
        engine.create(growing)
    assert caught.value.key == "hard_discs.growth_rate"
    run = gas(20, 0.1, shear__rate=1.0)
    run.advance(0.1)
    run.set("shear.rate", 0.0)
    with pytest.raises(InputError, match=r"hard_discs\.growth_rate must be 0 where discs flow or have flowed"):
        run.set("hard_discs.growth_rate", 0.1)
    for rate in (float("nan"), float("inf")):
        with pytest.raises(InputError, match=r"shear\.rate must be"):
            run.set("shear.rate", rate)


@pytest.mark.parametrize("strain", [float("nan"), float("inf"), 1e30])
def test_a_start_with_an_impossible_strain_is_refused(strain: float) -> None:
    state = start(1, 2)
    state.strain = strain
    for taken in (validate_state, lambda state: flowing(state, 0.0)):
        with pytest.raises(InputError, match="the strain must be a number"):
            taken(state)
    mixed = replace(state, strain=0.5, periodic=Periodic([True, False]))
    for taken in (validate_state, lambda state: flowing(state, 0.0)):
        with pytest.raises(InputError, match="must be 0 unless the box is periodic along every axis"):
            taken(mixed)


SPOILED = [
    ({"strain": np.nan}, "strain of state must be a finite number"),
    ({"strain": np.inf}, "strain of state must be a finite number"),
    ({"strain": 1e12}, "the strain must be a number, with images at most 1e\\+09 box widths ahead"),
    ({"shear_rate": np.nan}, "shear_rate of state must be a finite number"),
    ({"shear_rate": 2.0}, "shear_rate of state must be 1"),
    ({"sheared": 0}, "sheared of state must be 1 where discs flow"),
    ({"sheared": 2}, "sheared of state must be"),
    ({"virial_xy": np.nan}, "virial_xy of state must be a finite number"),
]


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize(("values", "words"), SPOILED)
def test_damaged_checkpoints_of_a_flow_are_one_sentence(values: dict[str, Any], words: str, dimensions: int) -> None:
    run = flowing(start(6, dimensions), 1.0)
    run.advance(0.8)
    kept = through_a_file(run.checkpoint())
    engine.check_checkpoint(kept)
    state = kept.arrays["state"].copy()
    for name, value in values.items():
        state[name] = value
    spoiled = Checkpoint(kept.system, kept.method, kept.scenario, kept.arrays | {"state": state})
    with pytest.raises(InputError, match=words):
        engine.check_checkpoint(spoiled)


def test_a_strain_needs_a_periodic_box_in_a_checkpoint_too() -> None:
    kept = gas(20, 0.1, box__boundary="walls").checkpoint()
    state = kept.arrays["state"].copy()
    state["sheared"], state["strain"] = 1, 0.5
    spoiled = Checkpoint(kept.system, kept.method, kept.scenario, kept.arrays | {"state": state})
    with pytest.raises(InputError, match="only a box that is periodic along every axis is sheared"):
        engine.check_checkpoint(spoiled)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_checkpoint_from_before_the_flow_goes_on_without_one(dimensions: int) -> None:
    run = gas(40, 0.1, dimensions=dimensions)
    run.advance(0.5)
    kept = through_a_file(run.checkpoint())
    new = "strain|shear|virial_|flight_|push_"  # since then
    older = {name: without(kept.arrays[name], new) for name in ("log", "state", "since")}
    again = engine.restore(Checkpoint(kept.system, kept.method, kept.scenario, kept.arrays | older))
    for one in (run, again):
        one.advance(1.0)
    same_bits(run, again)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_what_is_thermal_is_measured_relative_to_the_flow(dimensions: int) -> None:
    """A gas that is given a flow at once has the speeds and the correlations of the one at rest."""
    still, strong = (gas(600, 0.1, shear__rate=rate, dimensions=dimensions, seed=7) for rate in (0.0, 40.0))
    kind = system("hard-discs")
    names = ("speeds", "velocity_correlation", "velocity_autocorrelation", "radial_profile", "height_profile")
    wanted = [one for one in (*GAS, *MOTION, *kind.indicators()) if one.name in names]
    found = []
    for run in (still, strong):
        frame = run.frame()
        found.append(measure(kind.sample(run, frame, start=Start.of(frame, run.box)), dict.fromkeys(wanted)))
    assert found[1]["speeds"].temperature == pytest.approx(found[0]["speeds"].temperature)
    assert found[1]["speeds"].density == pytest.approx(found[0]["speeds"].density)
    assert found[1]["velocity_correlation"].total == pytest.approx(found[0]["velocity_correlation"].total, abs=1e-9)
    assert found[1]["velocity_autocorrelation"] == pytest.approx(1.0)
    for name in ("radial_profile", "height_profile"):
        assert found[1][name].speed == pytest.approx(found[0][name].speed, nan_ok=True)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_the_displacement_in_a_flow_is_that_across_it(dimensions: int) -> None:
    run = gas(300, 0.1, shear__rate=5.0, dimensions=dimensions)
    first = _copied(run.frame())
    begin, places = Start.of(first, run.box), engine.unwrapped(run)
    run.advance(1.5)
    kind, frame = system("hard-discs"), run.frame()
    (one,) = (one for one in GAS if one.name == "mean_square_displacement")
    found = measure(kind.sample(run, frame, start=begin), [one])["mean_square_displacement"]
    moved = engine.unwrapped(run) - places
    moved -= run.masses @ moved / run.masses.sum()
    across = np.square(moved[:, 1:]).sum(axis=1).mean() * dimensions / (dimensions - 1)
    assert found == pytest.approx(across)
    assert np.square(moved[:, 0]).mean() > 10.0 * found, "the flow carries discs apart"


def measured_viscosity(fraction: float, dimensions: int, count: int, rate: float, time: float) -> Any:
    """Of elastic discs in a flow that heats them, at a rate that stays small beside that of collisions."""
    run = gas(count, fraction, shear__rate=rate, dimensions=dimensions, discs__arrangement="random")
    run.advance(time)
    return run.rheology()


@pytest.mark.parametrize(("fraction", "dimensions"), [(0.2, 2), (0.2, 3)])
def test_the_viscosity_is_that_of_enskog_within_its_error(fraction: float, dimensions: int) -> None:
    found = measured_viscosity(fraction, dimensions, 500, 0.2, 25.0)
    assert found.enskog is not None
    off = found.reduced_viscosity.mean - found.enskog
    assert 0.0 < found.reduced_viscosity.error < 0.2 * found.enskog
    assert abs(off) < 4.0 * found.reduced_viscosity.error + 0.05 * found.enskog


@pytest.mark.slow
@pytest.mark.parametrize(("fraction", "dimensions"), [(0.1, 2), (0.2, 2), (0.2, 3)])
def test_the_viscosity_of_thousands_is_that_of_enskog(fraction: float, dimensions: int) -> None:
    """N = 4000, γ̇ = 0.1 in units of the speed over the length of the scenario."""
    found = measured_viscosity(fraction, dimensions, 4000, 0.1, 60.0)
    assert found.reduced_viscosity.mean == pytest.approx(found.enskog, rel=0.05)
