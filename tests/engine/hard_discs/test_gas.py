"""The gas as a simulation: what it keeps, how it is cut, stopped, changed, and what it refuses."""

from __future__ import annotations

import re

import numpy as np
import pytest

from engine import InputError, slices
from engine.hard_discs import discs as d
from engine.hard_discs.log import totals
from engine.hard_discs.simulation import HardDiscGas
from tests.builders.states import bouncing, discs, gas


def same(a, b):
    one, two = a.frame(), b.frame()
    assert one.time == two.time
    for name in ("positions", "velocities"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert set(one.fields) == set(two.fields) == {"collisions", "last_contact", "images"}
    for name in one.fields:
        assert np.array_equal(one.fields[name], two.fields[name]), name
    assert np.array_equal(one.impacts.time, two.impacts.time)
    assert np.array_equal(one.impacts.pairs, two.impacts.pairs)
    assert np.array_equal(a.history().kinetic_energy, b.history().kinetic_energy)
    assert a.measures() == b.measures()


KINDS = {
    "elastic": {},
    "granular": {"hard_discs__restitution": 0.98},
    "growing": {"hard_discs__growth_rate": 0.001, "fraction": 0.3},
    "falling": {"box__boundary": "walls", "hard_discs__gravity": (0.0, -0.1), "hard_discs__wall_restitution": 0.9},
    "polydisperse": {"discs__radii": "lognormal", "discs__spread": 0.5, "discs__arrangement": "random"},
    "thin": {"fraction": 0.02},  # no neighbour lists are kept
}

SPHERES = {
    "spheres": {"dimensions": 3},
    "spheres, granular": {"dimensions": 3, "hard_discs__restitution": 0.98},
    "spheres, growing": {"dimensions": 3, "hard_discs__growth_rate": 0.001, "fraction": 0.2},
    "spheres, falling": {
        "dimensions": 3,
        "box__boundary": "walls",
        "hard_discs__gravity": (0.0, 0.0, -0.1),
        "hard_discs__wall_restitution": 0.9,
    },
    "spheres, polydisperse": {"dimensions": 3, "discs__radii": "uniform", "discs__spread": 0.8, "fraction": 0.2},
    "spheres, thin": {"dimensions": 3, "fraction": 0.005},
}
EVERY_KIND = KINDS | SPHERES


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_cutting_a_run_into_slices_changes_no_bit(kind):
    whole, parts = gas(**EVERY_KIND[kind]), gas(**EVERY_KIND[kind])
    whole.advance(max_events=15_000)
    end = whole.time
    rng = np.random.default_rng(1)
    for _ in range(500):
        how = rng.integers(3)
        if how == 0:
            parts.advance(max_events=int(rng.integers(1, 30)))
        elif how == 1:
            parts.advance(until_time=parts.time + rng.exponential(0.001) * end)
        else:
            parts.advance(until_time=parts.time + rng.exponential(0.002) * end, max_events=20, budget=1e-5)
        if rng.random() < 0.01:
            parts = HardDiscGas.from_checkpoint(parts.checkpoint())
    done = parts.advance(max_events=0)
    assert done.happened < 15_000
    parts.advance(max_events=15_000 - done.happened)
    assert parts._st.state.epochs == whole._st.state.epochs > 1
    whole.advance(until_time=end * 1.01)
    parts.advance(until_time=end * 1.01)
    same(whole, parts)


@pytest.mark.parametrize("kind", ["granular", "falling", "growing"])
def test_an_event_and_its_time_are_the_same_place(kind):
    """Also in a later epoch, the beginning of which takes digits from the time: held at an event and then changed, a
    run goes on as one that was asked for that very time."""
    one, other = gas(**KINDS[kind]), gas(**KINDS[kind])
    last = 0.0
    for number in range(60):
        one.advance(max_events=int(17 + 13 * (number % 5 == 0)))
        assert one.time >= last
        last = one.time
        other.advance(until_time=one.time)
        same(one, other)
        if number % 7 == 3:
            for simulation in (one, other):
                simulation.set("hard_discs.restitution", 1.0 - 0.01 * (number % 3))
                if simulation is other:
                    other.advance(until_time=one.time)  # no time passes
                simulation.set("hard_discs.wall_restitution", 0.9)
    assert one.advance(max_events=0).happened == other.advance(max_events=0).happened > 1000
    assert one._st.state.epoch > 0.0


def test_the_beginning_of_an_epoch_moves_nothing(monkeypatch):
    """A gas that is left while an epoch begins shows what its checkpoint shows, which is of the epoch begun."""
    monkeypatch.setattr(slices, "LONGEST_SLICE", 1e-9)
    one, epochs = gas(**KINDS["growing"]), set()
    while len(epochs) < 12:
        one.advance(budget=0.0)
        if one._beginning is not None and one._st.state.epochs not in epochs:
            epochs.add(int(one._st.state.epochs))
            before = one.frame()
            after = HardDiscGas.from_checkpoint(one.checkpoint()).frame()
            assert np.array_equal(before.positions, after.positions)
            assert (before.time, before.radius_factor) == (after.time, after.radius_factor)


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_of_a_setting_moves_nothing(kind):
    """An epoch begins with each change, exactly at the time of the run: the sum of the former beginning and the time
    since would be rounded, the more the longer that time, and some coordinates with it. Growing discs may be slowed
    down, so their speeds may change.
    """
    rng = np.random.default_rng(1)
    for seed in range(2):
        one = gas(count=60, seed=seed, **KINDS[kind])
        for number in range(8):
            one.advance(until_time=2.5 * one.time + rng.uniform(0.01, 0.1))
            before = one.frame()
            one.set("hard_discs.wall_restitution", 0.9 if number % 2 else 0.8)
            for now in (one, HardDiscGas.from_checkpoint(one.checkpoint())):
                after = now.frame()
                assert np.array_equal(before.positions, after.positions)
                assert (before.time, before.radius_factor) == (after.time, after.radius_factor)
                if kind != "growing":
                    assert np.array_equal(before.velocities, after.velocities)


def test_a_checkpoint_goes_on_bit_for_bit():
    first = gas(hard_discs__restitution=0.95)
    first.count_impacts = True
    first.advance(max_events=5000)
    second = HardDiscGas.from_checkpoint(first.checkpoint())
    same(first, second)
    for simulation in (first, second):
        simulation.advance(max_events=20_000)
    same(first, second)
    assert np.array_equal(first.impact_histogram()[1], second.impact_histogram()[1])


@pytest.mark.parametrize(
    "more", [{}, {"discs__radii": "bidisperse", "discs__spread": 1.4}, {"box__boundary": "walls"}], ids=str
)
def test_elastic_discs_keep_energy_and_momentum(more):
    simulation = gas(count=400, **more)
    simulation.advance(max_events=200_000)
    measures = simulation.measures()
    assert abs(measures.energy_drift) < 1e-13
    assert measures.momentum_error < 1e-13
    assert simulation.invariants()["max_overlap"] < 1e-12
    assert measures.pair_collisions + measures.wall_collisions == 200_000


def test_energy_with_gravity():
    simulation = gas(box__boundary="walls", hard_discs__gravity=(0.1, -0.3))
    simulation.advance(max_events=50_000)
    assert abs(simulation.measures().energy_drift) < 1e-11


@pytest.mark.parametrize("changes", [{}, {"box__boundary": "walls", "hard_discs__gravity": (0.1, -0.3)}])
def test_energy_of_a_frame_is_that_of_the_measures_to_the_bit(changes):
    """Both are summed in the same order of discs, and with the same velocities."""
    simulation = gas(**changes)
    for _ in range(5):
        simulation.advance(max_events=777)
        assert simulation.frame().kinetic_energy == totals(simulation._st)[2]


def test_the_history_stays_short():
    simulation = gas(count=32, fraction=0.3)
    simulation.advance(max_events=60_000)
    history = simulation.history()
    assert 4000 < len(history.time) <= d.MOST_ROWS
    assert history.collisions[0] == 0
    assert len(np.unique(np.diff(history.collisions))) == 1
    assert history.collisions[-1] > 50_000


def test_time_loses_no_digits():
    """After many epochs, the positions of two discs that bounce in a line are those of theory."""
    simulation = bouncing(discs([[2.0, 5.0], [7.0, 5.0]], [[1.0, 0.0], [-1.0, 0.0]], 0.5, 10.0))
    simulation.advance(until_time=1.0e5)
    assert simulation._st.state.epochs > 3
    # equal discs exchange their speeds: points on a line of 8 that pass through each other
    frame = simulation.frame()
    left, right = frame.positions[:, 0]
    points = sorted(8.0 - abs(8.0 - way % 16.0) for way in (1.5 + 1.0e5, 16.0 - 5.5 + 1.0e5))
    assert left - 0.5 == pytest.approx(points[0], abs=1e-8)
    assert right - 1.5 == pytest.approx(points[1], abs=1e-8)


def test_set_while_it_runs():
    simulation = gas(box__boundary="walls")
    simulation.advance(max_events=1000)
    simulation.set("hard_discs.restitution", 0.7)
    before = simulation.frame().kinetic_energy
    simulation.advance(max_events=3000)
    assert simulation.frame().kinetic_energy < 0.9 * before
    simulation.set("hard_discs.gravity", (0.0, -1.0))
    simulation.set("hard_discs.wall_restitution", 0.5)
    simulation.advance(max_events=3000)
    assert simulation.frame().positions[:, 1].mean() < 0.5 * simulation.box[1]
    assert simulation.scenario.hard_discs.gravity == (0.0, -1.0)
    assert simulation.invariants()["max_overlap"] < 1e-9
    with pytest.raises(InputError, match="restitution"):
        simulation.set("hard_discs.restitution", 1.5)
    with pytest.raises(InputError, match="cannot change"):
        simulation.set("discs.count", 5)


def test_collapse_is_named():
    """400 discs at restitution 0.3 collapse within ten collisions a disc."""
    settings = {"count": 400, "fraction": 0.3, "hard_discs__restitution": 0.3}
    simulation = gas(**settings)
    progress = simulation.advance(until_time=50.0)
    collapse = simulation.measures().collapse
    assert progress.finished
    assert 3 <= len(collapse.discs) <= 30
    assert progress.stop_reason == collapse.text
    assert str(collapse.discs[0]) in collapse.text
    assert progress.time == pytest.approx(collapse.time)
    newest = simulation.frame().impacts
    # D <= 5 discs that collapse have D + 2 collisions at once, more have 256
    assert newest.time[-1] - newest.time[-5] < 1e-12
    restored = HardDiscGas.from_checkpoint(simulation.checkpoint()).measures().collapse
    assert restored.text == collapse.text
    # the contact-time rule carries it over
    progress = gas(**settings, hard_discs__contact_time=1e-3).advance(until_time=20.0)
    assert not progress.finished
    assert progress.time == 20.0
    # going on is possible too, and does not hang the caller
    simulation = gas(**settings, hard_discs__on_collapse="continue")
    progress = simulation.advance(until_time=50.0, max_events=20_000)
    assert not progress.finished
    assert simulation.measures().collapse is not None


def test_a_moment_of_many_collisions_is_no_collapse():
    """A thousand pairs that all meet at one moment, again and again."""
    k = np.arange(2048)
    x = np.stack([(k % 64) + 0.5 + 0.0, (k // 64) + 0.5], axis=1)
    v = np.zeros((2048, 2))
    v[:, 0] = np.where(k % 2 == 0, 1.0, -1.0)
    simulation = bouncing(discs(x, v, 0.25, [64.0, 32.0], periodic=True))
    progress = simulation.advance(until_time=10.1)
    assert not progress.finished
    assert progress.events["collision"] == 20 * 1024
    assert simulation.measures().collapse is None


def test_a_ball_comes_to_rest():
    """Closed form: at rest after sqrt(2 h / g) (1 + e) / (1 - e)."""
    state = discs([[5.0, 3.5]], [[0.0, 0.0]], 0.5, 10.0)
    simulation = bouncing(state, gravity=(0.0, -2.0), wall_restitution=0.5)
    progress = simulation.advance()
    assert progress.finished
    assert "rest" in progress.stop_reason
    assert progress.events["wall"] < 60
    end = np.sqrt(2 * 3.0 / 2.0) * 3.0
    assert simulation.history().time[-1] <= end
    assert simulation._clock() == pytest.approx(end, abs=1e-6)
    frame = simulation.frame()
    assert frame.kinetic_energy == 0.0
    assert frame.positions[0, 1] == pytest.approx(0.5, abs=1e-12)


def test_something_that_hits_a_resting_disc_wakes_it():
    state = discs([[5.0, 0.5], [5.3, 6.0]], [[0.0, 0.0], [0.0, 0.0]], 0.5, 10.0)
    simulation = bouncing(state, gravity=(0.0, -2.0), wall_restitution=0.5, restitution=0.9)
    simulation.advance(until_time=2.0)
    assert simulation.frame().positions[0, 1] == pytest.approx(0.5, abs=1e-12)
    assert simulation.frame().velocities[0, 1] == 0.0
    # the upper one falls 4.546 until it touches: 2.13
    simulation.advance(until_time=2.3)
    assert simulation.frame().velocities[0, 0] < 0.0
    progress = simulation.advance(until_time=1e9)
    assert simulation.invariants()["max_overlap"] < 1e-9
    # both lie on the floor and slide apart and back so slowly that the time is over first
    frame = simulation.frame()
    assert progress.time == 1e9
    assert progress.reached
    assert not progress.finished
    assert frame.positions[:, 1] == pytest.approx(0.5, abs=1e-12)
    assert (frame.velocities[:, 1] == 0.0).all()
    assert 0.0 < np.abs(frame.velocities[:, 0]).max() < 1e-6


def test_a_heap_comes_to_rest():
    simulation = gas(
        count=100,
        fraction=0.3,
        box__boundary="walls",
        velocities__distribution="circle",
        hard_discs__gravity=(0.0, -1.0),
        hard_discs__restitution=0.5,
        hard_discs__wall_restitution=0.5,
        hard_discs__contact_time=5e-3,
    )
    start = simulation.frame().kinetic_energy
    progress = simulation.advance(until_time=2000.0, max_events=20_000_000)
    assert progress.finished
    assert "rest" in progress.stop_reason
    assert simulation.frame().kinetic_energy < 1e-4 * start
    assert simulation.invariants()["max_overlap"] < 1e-9


def test_growth_ends_at_a_fraction():
    simulation = gas(count=100, fraction=0.3, hard_discs__growth_rate=0.01, hard_discs__growth_to_fraction=0.6)
    progress = simulation.advance()
    assert progress.finished
    assert "0.6" in progress.stop_reason
    assert simulation.measures().volume_fraction == pytest.approx(0.6, rel=1e-12)
    frame = simulation.frame()
    assert frame.radius_factor == pytest.approx(np.sqrt(2.0), rel=1e-12)
    assert simulation.invariants()["max_overlap"] < 1e-10
    assert frame.kinetic_energy < 5 * gas(count=100, fraction=0.3).frame().kinetic_energy
    more = simulation.advance(max_events=1000)
    assert not more.finished
    assert simulation.measures().volume_fraction == pytest.approx(0.6, rel=1e-12)


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("hard_discs.gravity", {"hard_discs__gravity": (0.0, -1.0)}),
        ("hard_discs.growth_to_fraction", {"hard_discs__growth_rate": 0.1, "hard_discs__growth_to_fraction": 0.3}),
        ("hard_discs.restitution", {"hard_discs__restitution": 1.01}),
        ("hard_discs.wall_restitution", {"hard_discs__wall_restitution": -0.1}),
        ("box.size", {"count": 2}),
    ],
)
def test_impossible_scenarios_of_a_gas_are_refused(key, values):
    with pytest.raises(InputError) as raised:
        gas(**values)
    assert raised.value.key == key


def test_no_more_than_200_bytes_a_disc():
    simulation = gas(count=40_000, fraction=0.5)
    simulation.advance(max_events=200_000)
    # cells and their reference points are the same memory; the history has the same number of rows for any gas
    held = sum(array.nbytes for array in simulation._st) - simulation._st.spots.nbytes - simulation._st.log.nbytes
    assert held / simulation.count < 200 + 24


def test_a_gas_at_rest_has_no_events():
    simulation = gas(velocities__distribution="rest")
    progress = simulation.advance(until_time=5.0)
    assert progress.finished
    assert progress.time == 5.0
    assert sum(progress.events.values()) == 0


def test_the_drift_is_that_of_the_settings_of_the_moment():
    simulation = gas(hard_discs__restitution=0.9)
    simulation.advance(max_events=1000)
    assert simulation.measures().energy_drift is None
    simulation.set("hard_discs.restitution", 1.0)
    simulation.advance(max_events=1000)
    assert abs(simulation.measures().energy_drift) < 1e-13


@pytest.mark.parametrize("count", [9, 36])
def test_growth_ends_at_the_pressure_of_the_last_collisions(count):
    """Z over the last 25 collisions a disc, from the history alone: Z = 1 + Σ |Δp · r| (N - 1) / (2 N ∫ K dt) in a
    periodic box, where the centre of mass is at rest."""
    settings = {"hard_discs__growth_rate": 0.01, "hard_discs__growth_to_pressure": 40.0}
    simulation = gas(count=count, fraction=0.4, hard_discs__growth_to_fraction=0.99, **settings)
    progress = simulation.advance()
    assert progress.finished
    history = simulation.history()
    first = int(np.searchsorted(history.collisions, history.collisions[-1] - 25 * count))
    assert history.collisions[-1] - history.collisions[first] == 25 * count, "every collision has a row"
    heat = float((history.kinetic_energy[first:-1] * np.diff(history.time[first:])).sum())
    z = 1.0 + float(history.virial[-1] - history.virial[first]) * (count - 1) / (2.0 * count * heat)
    assert z > 40.0
    said = float(progress.stop_reason.partition("Z = ")[2].split()[0])
    assert said == pytest.approx(z, rel=2e-3)


def test_a_fall_along_a_periodic_axis_is_refused_with_the_gravity_that_is_allowed():
    with pytest.raises(
        InputError, match=re.escape("must be [0, -1] when box.boundary is periodic along x, not [0.5, -1]")
    ):
        gas(box__boundary=("periodic", "walls"), hard_discs__gravity=(0.5, -1.0))
