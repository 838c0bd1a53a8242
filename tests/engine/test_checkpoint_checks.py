"""What may be given to `engine.restore` when it comes from a file: every real state, nothing that breaks a kernel."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine import InputError, Scenario
from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.simulation import EventDriven
from engine.aggregation.saved import PAST
from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping.simulation import TimeStepping
from engine.simulation import Checkpoint
from tests.builders.states import CLUSTERS, FRACTION, STEP, discs, random_state, stepping
from tests.engine.aggregation.event_driven.test_soak import system, tuning


def drawn(count=120, periodic=False, seed=3):
    rng = np.random.default_rng(seed)
    return random_state(rng, count, periodic=periodic, fraction=0.25, spread=0.3, joined=3)


@pytest.mark.parametrize("seed", range(40))
def test_event_driven_states_are_accepted_whatever_they_are(seed):
    """Odd boxes, scales, masses and tunings, and every few events of their runs."""
    rng = np.random.default_rng(seed)
    dimensions = 2 if seed < 30 else 3
    state, speed = system(rng, dimensions)
    simulation = EventDriven(Scenario().with_values({"dimensions": dimensions}), state, tuning(rng))
    for k in range(12):
        engine.check_checkpoint(simulation.checkpoint())
        if k % 2:
            simulation.advance(10.0 / speed, budget=1e-7, max_events=3)
        else:
            fewer = max(1, int(0.7 * simulation.frame().clusters))
            simulation.advance(simulation.time + 3.0 / speed, until_clusters=fewer, max_events=2000)


@pytest.mark.parametrize("seed", range(30))
def test_time_stepping_states_are_accepted_in_every_moment_of_a_step(seed):
    rng = np.random.default_rng(seed)
    dimensions = 2 if seed < 24 else 3
    count, periodic = int(rng.choice([1, 2, 5, 30, 100])), bool(rng.integers(2))
    state = random_state(
        rng,
        count,
        periodic=periodic,
        fraction=float(rng.choice([0.05, 0.2 if dimensions == 2 else 0.1])),
        spread=float(rng.choice([0.0, 0.3, 0.7])),
        box=[(1.0,) * dimensions, (5.0, 2.0, 2.0)[:dimensions]][rng.integers(2)],
        joined=int(rng.choice([0, 3])),
    )
    scenario = stepping(
        **{
            "dimensions": dimensions,
            "box.boundary": "periodic" if periodic else "walls",
            CLUSTERS: ["rigid", "deformable"][rng.integers(2)],
            FRACTION: float(rng.choice([0.1, 0.5, 1.0])),
            STEP: "adaptive" if rng.integers(3) else float(rng.choice([0.01, 0.3, 5.0])),
            "aggregation.damping.adaptive": bool(rng.integers(2)),
            "aggregation.damping.max_iterations": int(rng.choice([5, 100, 5000])),
        },
    )
    simulation = TimeStepping(scenario, state)
    for k in range(25):
        engine.check_checkpoint(simulation.checkpoint())
        if simulation._sim["phase"] == ts.REST and k % 3 == 0:
            fewer = max(1, int(0.8 * simulation._sim["clusters"]))
            simulation.advance(simulation.time + 1.0, until_clusters=fewer, budget=0.2)
        elif k % 2:
            simulation.advance(1e3, budget=1e-7)
        else:
            simulation._carry_on(int(rng.integers(0, 5)))


@pytest.mark.parametrize("periodic", [False, True])
def test_states_at_rest_and_at_their_end_are_accepted(periodic):
    still = drawn(periodic=periodic)
    still.velocities[:] = 0.0
    scenario = stepping(**{"box.boundary": "periodic" if periodic else "walls"})
    for simulation in (
        EventDriven(Scenario(), still),
        TimeStepping(scenario, still),
        EventDriven(Scenario(), drawn(40, periodic)),
        TimeStepping(scenario, drawn(40, periodic)),
        EventDriven(Scenario(), discs([[0.5, 0.5]], [[1, 0]], 0.1, 1.0, periodic=periodic)),
    ):
        simulation.advance(500.0)
        engine.check_checkpoint(simulation.checkpoint())


def test_a_large_state_is_accepted():
    simulation = engine.create(engine.load_scenario("lattice-10000"))
    for clusters in (9999, 3000, 20, 1):
        simulation.advance(until_clusters=clusters)
        engine.check_checkpoint(simulation.checkpoint())


def events():
    """Many clusters in a periodic box, some big and some that watch them."""
    simulation = EventDriven(Scenario(), drawn(200, True), cl.Tuning(big_cells=4, envelope=0.3))
    kept = simulation.checkpoint()
    while not len(kept.arrays["watchers"]):
        simulation.advance(max_events=1)
        kept = simulation.checkpoint()
    assert 1 < len(kept.arrays["bigs"]) < len(kept.arrays["live"]) - 5
    return kept


def steps(clusters):
    """In the middle of a minimisation, with walls that turn clusters round."""
    simulation = TimeStepping(stepping(**{CLUSTERS: clusters}), drawn(200))
    simulation.advance(until_clusters=100)
    for _ in range(10_000):
        simulation._carry_on(2)
        sim, links = simulation._sim, simulation._st.group["links"][0]
        if sim["group_state"] == ts.UNDER_WAY and sim["hits"] > 0 and sim["moved"] > 2 and links > 1:
            break
    else:
        pytest.fail("there is no such moment")
    return simulation.checkpoint()


@pytest.fixture(scope="module")
def real():
    return {"events": events(), "deformable": steps("deformable"), "rigid": steps("rigid")}


def tampered(checkpoint, change):
    arrays = {name: array.copy() for name, array in checkpoint.arrays.items()}
    change(arrays)
    return Checkpoint(checkpoint.system, checkpoint.method, checkpoint.scenario, arrays)


def column(arrays, name):
    """An array of a checkpoint, or one field of it: "label", "clusters.vx"."""
    array, *field = name.split(".")
    return arrays[array][field[0]] if field else arrays[array]


def put(name, where, value):
    """A change of one entry; `where` may be a function of the arrays."""

    def change(arrays):
        array = column(arrays, name)
        at = where(arrays) if callable(where) else where
        before = array[at].copy()
        new = value(arrays) if value is merged else value(before) if callable(value) else value
        array[at] = new
        assert not np.array_equal(before, array[at], equal_nan=True)

    return change


def once(name, value):
    """A change of what there is once."""
    return put(f"sim.{name}", 0, value)


def living(arrays):
    return arrays["live"][: arrays["sim"]["clusters"][0]]


def of_small(field, value):
    """A change of a cluster that is not big."""

    def where(arrays):
        return int(np.flatnonzero(~np.isin(arrays["live"], arrays["bigs"]["cluster"]))[0])

    return put(f"clusters.{field}", where, value)


def merged(a):
    """A disc that names no cluster."""
    return int(np.flatnonzero(a["label"] != np.arange(len(a["label"])))[0])


def impact(a):
    """A cluster whose impact holds."""
    return int(np.flatnonzero(np.isfinite(a["clusters"]["impact_time"]) & (a["clusters"]["holds"] == 1))[0])


EVENTS = {
    "label out of range": put("label", 5, 1 << 20),
    "label below 0": put("label", 5, -1),
    "label of another cluster": put("label", 5, lambda c: 0 if c != 0 else 1),
    "live twice": lambda a: put("live", 0, a["live"][1])(a),
    "live that is gone": put("live", 0, merged),
    "order twice": lambda a: put("original", 0, a["original"][1])(a),
    "radius": put("radii", 3, lambda r: 1e-14 * r),
    "mass": put("masses", 3, -1.0),
    "mass of a cluster": of_small("mass", lambda m: 2.0 * m),
    "place of a disc": put("discs.x", 3, 1e9),
    "not a number": put("discs.x", 3, np.nan),
    "box": once("box_x", 0.0),
    "box of infinite size": once("box_x", np.inf),
    "box too long and narrow": once("box_x", 1e8),
    "time": once("time", -1.0),
    "speed of the horizons": once("typical_speed", 1e-9),
    "grid": once("grid_clusters", 1 << 20),
    "no grid": once("grid_clusters", 0),
    "setting": once("big_cells", 1 << 20),
    "counter": once("work", 1 << 61),
    "merges": lambda a: a.__setitem__("log", a["log"][:-1]),
    "big out of range": put("bigs.cluster", 0, 1 << 20),
    "big twice": lambda a: put("bigs.cluster", 0, a["bigs"]["cluster"][1])(a),
    "big that is gone": put("bigs.cluster", 0, merged),
    "envelope": put("bigs.envelope", 0, 1e9),
    "horizon of a big cluster": put("bigs.horizon", 0, 1e9),
    "a watcher": put("watchers.cluster", 0, 1 << 20),
    "a watcher that is gone": put("watchers.cluster", 0, merged),
    "watched, and not big": lambda a: put("watchers.big", 0, a["live"][~np.isin(a["live"], a["bigs"]["cluster"])][0])(
        a
    ),
    "partner": of_small("partner", 1 << 20),
    "partner that is gone": put("clusters.partner", impact, merged),
    "disc of an impact": put("clusters.disc", impact, merged),
    "momentum": of_small("px", 1e12),
    "reference": of_small("x", 1e300),
    "box of a cluster": of_small("x_max", 1e9),
    "event in the past": of_small("own_time", -1.0),
    "horizon without end": of_small("own_time", 1e200),
    "kind of event": of_small("own_kind", 7),
    "log": put("log.i", 1, 1 << 20),
    "missing": lambda a: a.pop("clusters"),
    "other fields": lambda a: a.__setitem__("bigs", a["bigs"][["cluster", "horizon"]]),
    "type": lambda a: a.__setitem__("label", a["label"].astype(np.int64)),
    "shape": lambda a: a.__setitem__("clusters", a["clusters"][:8]),
    "no discs": lambda a: a.__setitem__("radii", a["radii"][:0]),
    "past": lambda a: a.__setitem__("past", np.zeros(0, PAST.dtype)),
    "past with impossible clusters": lambda a: a.__setitem__("past", np.array([(0.0, 1 << 40, 1.0, 0)], PAST.dtype)),
    "past without names": lambda a: a.__setitem__("past", np.ones((4, 2))),
}


@pytest.mark.parametrize("what", EVENTS)
def test_events_that_were_tampered_with_are_refused(real, what):
    engine.check_checkpoint(tampered(real["events"], lambda arrays: None))
    with pytest.raises(InputError, match=r"^the saved state is damaged: [^\n]+$"):
        engine.check_checkpoint(tampered(real["events"], EVENTS[what]))


STEPS = {
    "disc wider than the box": put("radii", 3, 0.6),
    "time": once("time", 1e9),
    "step": once("dt", -1.0),
    "no energy": once("energy", np.nan),
    "counter": once("rounds", -1),
    "ring": put("ring", 0, lambda k: (k + 1) % 200),
    "ring out of range": put("ring", 0, 1 << 20),
    "two rings": lambda a: split_ring(a),
    "live twice": lambda a: put("live", 0, a["live"][1])(a),
    "not a number": put("discs.x", 0, np.nan),
    "place of a disc": put("discs.x", 0, 1e30),
    "anchor out of the box": put("clusters.x", 0, 1e30),
    "anchor at the other side": put("clusters.x", 0, lambda x: x + 2.0),
    "anchor to come": put("clusters.time", 0, 1e9),
    "mass": put("clusters.mass", slice(None), lambda m: 2 * m + 1),
    "momentum": put("clusters.px", 0, 1e30),
    "a link": put("links.i", 0, 1 << 20),
    "a link to itself": lambda a: put("links.i", 0, a["links"]["j"][0])(a),
    "a link that is neither": put("links.slack", 0, 2),
    "log": once("steps", lambda k: k + 1),
    "merges": lambda a: a.__setitem__("joins", a["joins"][:-1]),
    "missing": lambda a: a.pop("links"),
    "type": lambda a: a.__setitem__("ring", a["ring"].astype(np.float64)),
}


def split_ring(a):
    """A ring of two clusters' sizes as two circles: a permutation all the same."""
    ring = a["ring"]
    i = next(i for i in range(len(ring)) if ring[i] != i and ring[ring[i]] != i)
    j = int(ring[ring[i]])
    ring[i], ring[ring[i]] = j, ring[i]


@pytest.mark.parametrize("what", STEPS)
@pytest.mark.parametrize("clusters", ["deformable", "rigid"])
def test_steps_that_were_tampered_with_are_refused(real, clusters, what):
    engine.check_checkpoint(tampered(real[clusters], lambda arrays: None))
    with pytest.raises(InputError, match=r"^the saved state is damaged: [^\n]+$"):
        engine.check_checkpoint(tampered(real[clusters], STEPS[what]))


def test_scenarios_that_do_not_belong_to_the_arrays(real):
    kept = real["rigid"]
    other = stepping().to_toml()
    for text, words in (
        (Scenario().to_toml(), "another method"),
        (other, "clusters are not those"),
        ("seed = 1" + "0" * 5000, "scenario of the saved state"),
        ("a = " + "[" * 100_000, "not valid TOML"),
        ("#" * (2 << 20), "too long"),
        ("\N{NULL}", "not valid TOML"),
    ):
        with pytest.raises(InputError, match=words):
            engine.check_checkpoint(Checkpoint(kept.system, kept.method, text, kept.arrays))
    with pytest.raises(InputError, match="cannot restore"):
        engine.check_checkpoint(Checkpoint("jamming", "chain", kept.scenario, kept.arrays))
    with pytest.raises(InputError, match="is damaged"):
        engine.check_checkpoint(Checkpoint(kept.system, kept.method, kept.scenario, {}))
