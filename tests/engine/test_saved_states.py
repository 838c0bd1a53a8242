"""What `engine.restore` may be given when it comes from a file: every real state, and of a spoiled one nothing that the
declaration of its arrays forbids. `tests/fuzz` runs what is not refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import engine
from engine import InputError, Scenario
from engine.aggregation.base import SHARED
from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.saved import saved as saved_events
from engine.aggregation.event_driven.simulation import EventDriven
from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping.saved import saved as saved_steps
from engine.aggregation.time_stepping.simulation import TimeStepping
from engine.aggregation.turning.saved import saved as saved_turning
from engine.hard_discs.saved import saved as saved_gas
from engine.jamming.saved import saved as saved_packing
from engine.saved import SavedArray, Values
from engine.simulation import Checkpoint, Simulation
from engine.system import system_of
from tests.builders.states import CLUSTERS, FRACTION, STEP, discs, gas, random_state, stepping
from tests.engine.aggregation.event_driven.test_soak import system, tuning
from tests.engine.hard_discs.test_gas import EVERY_KIND
from tests.reference.jamming import DENSE
from tests.session.saved_scenarios import assert_the_same

DECLARED = {
    ("aggregation", "event-driven"): lambda dimensions: SHARED | saved_events(dimensions),
    ("aggregation", "time-stepping"): lambda dimensions: SHARED | saved_steps(dimensions),
    ("turning", "event-driven"): lambda dimensions: SHARED | saved_turning(dimensions),
    ("turning", "time-stepping"): lambda dimensions: SHARED | saved_steps(dimensions, turns=True),
    ("hard-discs", "event-driven"): saved_gas,
    ("jamming", "linear-programs"): saved_packing,
}


GASES = ("elastic", "growing", "falling", "spheres, falling")


def drawn(count: int = 120, periodic: bool = False) -> engine.state.InitialState:
    return random_state(np.random.default_rng(3), count, periodic=periodic, fraction=0.25, spread=0.3, joined=3)


def with_watchers() -> Simulation:
    """Many clusters in a periodic box, some big and some that watch them, and a past."""
    simulation = EventDriven(Scenario(), drawn(200, True), cl.Tuning(big_cells=4, envelope=0.3))
    while not len(simulation.checkpoint().arrays["watchers"]) or simulation._sim["merges"] < 2:
        simulation.advance(max_events=1)
    return simulation


def amid_step(clusters: str, dimensions: int = 2, **values: Any) -> Simulation:
    """In the middle of a minimisation, carried on by another method."""
    state = drawn(200) if dimensions == 2 else None
    first = engine.create(Scenario().with_values({"dimensions": dimensions, "discs.count": 200}), state)
    first.advance(until_clusters=150)
    values |= {"dimensions": dimensions, "discs.count": 200}
    simulation = engine.carry_on(first, stepping(**{CLUSTERS: clusters} | values))
    simulation.advance(until_clusters=100)
    while simulation._sim["group_state"] != ts.UNDER_WAY:
        simulation._continue_step(2)
    return simulation


def turning() -> Simulation:
    """Clusters that turn, some of them big, carried on from a run in which they did not."""
    simulation = engine.create(Scenario(), drawn(200, True))
    simulation.advance(until_clusters=180)
    simulation = engine.carry_on(simulation, simulation.scenario.with_values({"aggregation.rotation": True}))
    while not len(simulation.checkpoint().arrays["bigs"]):
        simulation.advance(max_events=1)
    return simulation


def advanced(simulation: Simulation, **limits: Any) -> Simulation:
    simulation.advance(**limits)
    return simulation


RUNS: dict[str, Callable[[], Simulation]] = {
    "event-driven": with_watchers,
    "spheres, event-driven": lambda: advanced(
        engine.create(Scenario().with_values({"dimensions": 3, "discs.count": 100})), until_clusters=60
    ),
    "turning": turning,
    "turning spheres": lambda: advanced(
        engine.create(
            Scenario().with_values(
                {"dimensions": 3, "discs.count": 100, "aggregation.rotation": True, "velocities.spin": "thermal"}
            )
        ),
        until_clusters=60,
    ),
    "deformable": lambda: amid_step("deformable"),
    "rigid": lambda: amid_step("rigid"),
    "turning steps": lambda: amid_step("deformable", **{"aggregation.rotation": True}),
    "turning steps of spheres": lambda: amid_step("rigid", 3, **{"aggregation.rotation": True}),
    **{kind: lambda kind=kind: advanced(gas(**EVERY_KIND[kind]), max_events=3000) for kind in GASES},
    "flowing": lambda: advanced(gas(120, 0.2, shear__rate=1.5), max_events=3000),
    "spheres, flowing": lambda: advanced(gas(120, 0.1, shear__rate=-0.5, dimensions=3), max_events=3000),
    "jamming": lambda: advanced(engine.create(Scenario().with_values(DENSE)), max_events=4),
}


@cache
def run_of(kind: str) -> Simulation:
    return RUNS[kind]()


def kept(kind: str) -> Checkpoint:
    return run_of(kind).checkpoint()


def declared(checkpoint: Checkpoint) -> dict[str, SavedArray]:
    scenario = Scenario.from_toml(checkpoint.scenario)
    system = "turning" if system_of(scenario).turns(scenario) else checkpoint.system
    return DECLARED[system, checkpoint.method](scenario.dimensions)


def refused(checkpoint: Checkpoint, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        engine.check_checkpoint(checkpoint)
    assert str(caught.value).isprintable()


def beyond(values: Values, dtype: np.dtype[Any], count: int) -> list[float]:
    """Values of this type just out of the declared range, and what is no number."""
    high = count - 1 if isinstance(values.high, str) else values.high
    if dtype.kind == "i":
        limits = np.iinfo(dtype)
        return [one for one in (values.low - 1, high + 1) if limits.min <= one <= limits.max]
    with np.errstate(over="ignore"):
        least, most = np.nextafter(dtype.type(values.low), -dtype.type(np.inf)), np.nextafter(dtype.type(high), np.inf)
    return [np.nan, *[least] * bool(np.isfinite(values.low)), *[most] * bool(np.isfinite(high))]


def spoiled(name: str, rule: SavedArray, array: np.ndarray, count: int) -> Iterator[np.ndarray]:
    """The array in every way that its declaration forbids: type, axes, fields, ranges, order."""
    yield array[None]
    if array.dtype.names is None:
        yield array.astype(np.int16 if array.dtype.kind == "f" else np.float64)
    fixed = [side for side in rule.shape if isinstance(side, int)] or ["discs"] * (rule.shape[0] == "discs")
    yield from [array[:-1]] * (rule.shape[0] in fixed and name != "radii")
    yield from [array[: rule.fewest - 1]] * (rule.fewest > 0)
    for field in rule.fields:
        yield array[[other for other in array.dtype.names or () if other != field]]
    for field, values in (rule.fields or {"": rule.of}).items():
        for value in beyond(values, (array[field] if field else array).dtype, count) if array.size else ():
            changed = array.copy()
            column = changed[field] if field else changed
            column.flat[column.size // 2] = value
            yield changed
    if len(array) > 1 and rule.once:
        changed = array.copy()
        column = changed if rule.once == "all" else changed[rule.once]
        column[0] = column[1]
        yield changed
    if len(array) > 1 and rule.rising and array[rule.rising][-1] > array[rule.rising][0]:
        yield array[::-1].copy()


@pytest.mark.parametrize("kind", RUNS)
def test_an_array_that_breaks_its_declaration_is_refused_by_name(kind: str) -> None:
    good = kept(kind)
    engine.check_checkpoint(good)
    count, tried = len(good.arrays["radii"]), 0
    for name, rule in declared(good).items():
        lacks = {key: value for key, value in good.arrays.items() if key != name}
        if not rule.optional:
            refused(Checkpoint(good.system, good.method, good.scenario, lacks), f"has no {name}")
        for array in spoiled(name, rule, good.arrays[name], count) if name in good.arrays else ():
            tried += 1
            words = f"damaged: .*{name}|early version" if name != "radii" else "damaged: "
            refused(Checkpoint(good.system, good.method, good.scenario, good.arrays | {name: array}), words)
    assert tried > 100


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_writes_what_is_declared_and_reads_nothing_else(kind: str) -> None:
    wide, wanted = kept(kind), engine.copy(run_of(kind))
    rules = declared(wide)
    assert set(wide.arrays) <= set(rules)
    for name, array in wide.arrays.items():
        assert set(array.dtype.names or ()) == set(rules[name].fields)
        if array.dtype.names is not None:
            more = np.zeros(array.shape, [*rules[name].dtype.descr, ("nonsense", "f8")])
            more["nonsense"] = 1e9
            for field in array.dtype.names:
                more[field] = array[field]
            wide.arrays[name] = more
    wide.arrays["nonsense"] = np.full(7, 1 << 30)
    engine.check_checkpoint(wide)
    again = engine.restore(wide)
    for run in (again, wanted):
        run.advance(max_events=30)
    assert_the_same(again, wanted)
    assert set(again.checkpoint().arrays) <= set(rules)


def put(name: str, at: Any, value: Any) -> Callable[[dict[str, np.ndarray]], None]:
    """A change of entries of an array, "label", or of a field, "clusters.x"; `at` and `value` may be functions of the
    arrays."""

    def change(arrays: dict[str, np.ndarray]) -> None:
        array, _, field = name.partition(".")
        column = arrays[array][field] if field else arrays[array]
        place, new = (part(arrays) if callable(part) else part for part in (at, value))
        assert not np.array_equal(column[place], new)
        column[place] = new

    return change


def merged(arrays: dict[str, np.ndarray]) -> int:
    """A disc that names no cluster."""
    return int(np.flatnonzero(arrays["label"] != np.arange(len(arrays["label"])))[0])


def impact(arrays: dict[str, np.ndarray]) -> int:
    """A cluster whose impact holds."""
    clusters = arrays["clusters"]
    return int(np.flatnonzero(np.isfinite(clusters["impact_time"]) & (clusters["holds"] == 1))[0])


def small(arrays: dict[str, np.ndarray]) -> int:
    """A cluster that is not big."""
    return int(np.flatnonzero(~np.isin(arrays["live"], arrays["bigs"]["cluster"]))[0])


def split_ring(arrays: dict[str, np.ndarray]) -> None:
    """A ring of a cluster as two circles: a permutation all the same."""
    ring = arrays["ring"]
    first = next(i for i in range(len(ring)) if ring[i] != i)
    second = ring[first]
    ring[first], ring[second] = ring[second], second


def join_rings(arrays: dict[str, np.ndarray]) -> None:
    """The rings of two clusters as one circle."""
    ring, (one, two) = arrays["ring"], arrays["live"][:2]
    ring[one], ring[two] = ring[two], ring[one]


ALL = slice(None)


def joined(arrays: dict[str, Any]) -> int:
    """A cluster of several discs."""
    return int(np.bincount(arrays["label"], minlength=len(arrays["label"]))[arrays["live"]].argmax())


BROKEN = [
    ("event-driven", "label", put("label", lambda a: a["live"][0], lambda a: a["live"][1])),
    ("event-driven", "live", put("live", 0, merged)),
    ("event-driven", "no more merges", lambda a: a.update(log=np.resize(a["log"][:1], 500))),
    ("event-driven", "a radius", put("radii", 3, 1e-14)),
    ("event-driven", "sum of", put("momentum", -1, 0.0)),
    ("event-driven", "grid_clusters", put("sim.grid_clusters", 0, 1 << 20)),
    ("event-driven", "at most 10000 times", put("sim.box_x", 0, 1e8)),
    ("event-driven", "bigs", put("bigs.cluster", 0, merged)),
    ("event-driven", "an impact", put("clusters.partner", impact, merged)),
    ("event-driven", "the speed of a cluster", put("sim.typical_speed", 0, 1e-9)),
    ("event-driven", "too large", put("clusters.x", 3, 1e200)),
    ("event-driven", "too large", put("clusters.own_time", small, 1e200)),
    ("event-driven", "too large", put("bigs.horizon", 0, 1e200)),
    ("turning", "reach must hold", put("clusters.reach", 0, 1e-9)),
    ("turning", "too large", put("clusters.reach", 0, 1e3)),
    ("turning", "turns too far", put("clusters.spin_momentum", 0, 1e12)),
    ("turning", "own_kind", put("clusters.own_kind", 0, 3)),
    ("turning", "own_disc", put("clusters.own_kind", ALL, 1)),
    ("turning", "bigs", put("bigs", 0, merged)),
    ("turning", "an impact", put("clusters.partner", impact, merged)),
    ("turning spheres", "unit quaternion", put("clusters.q_w", 0, 1.5)),
    ("turning spheres", "unit quaternion", put("disc_orientations", 3, 0.1)),
    ("turning spheres", "those of a body", put("clusters.inertia_xx", 0, -1.0)),
    ("turning spheres", "those of a body", put("clusters.inertia_zz", 0, 1e3)),
    ("turning spheres", "those of a body", put("clusters.inertia_xy", 0, 1e300)),
    ("turning spheres", "turns too far", put("clusters.spin_momentum_y", joined, 1e12)),
    ("turning steps", "turns too far", put("clusters.spin_momentum", 0, 1e12)),
    ("turning steps", "outside of the box", put("clusters.centre_x", 0, 5.0)),
    ("turning steps", "inertia", put("clusters.inertia", 0, 0.0)),
    ("turning steps of spheres", "unit quaternion", put("clusters.q_w", 0, 1.5)),
    ("turning steps of spheres", "those of a body", put("clusters.inertia_zz", 0, 1e3)),
    ("turning steps of spheres", "turns too far", put("clusters.spin_momentum_y", joined, 1e12)),
    ("turning steps of spheres", "outside of the box", put("clusters.z", 0, -1e3)),
    ("turning steps of spheres", "far from its cluster", put("discs.x", 0, 1e30)),
    *((kind, "ring must be one", split_ring) for kind in ("deformable", "rigid")),
    *((kind, "ring must lead", join_rings) for kind in ("deformable", "rigid")),
    ("rigid", "a radius", put("radii", 3, 0.6)),
    ("rigid", "links", put("links.i", 0, lambda a: a["links"]["j"][0])),
    ("rigid", "too far in a step", put("sim.now", 0, 1e12)),
    ("rigid", "too far in a step", put("clusters.px", 0, 1e30)),
    ("rigid", "outside of the box", put("clusters.x", 0, lambda a: a["clusters"]["x"][0] + 2.0)),
    ("rigid", "far from its cluster", put("discs.x", 0, 1e30)),
    ("elastic", "rows of state", lambda a: a.update(log=a["log"][:1])),
    ("elastic", "fill no more", put("state.radius_factor", 0, 1.7)),
    ("elastic", "a radius", put("state.radius_factor", 0, 30.0)),
    ("elastic", "growing", put("state.growing", 0, 1)),
    ("elastic", "growth rate", put("state.growth_rate", 0, 1e-3)),
    ("growing", "growth rate", put("state.growth_rate", 0, 1.0)),
    ("falling", "gravity", put("state.periodic", 0, 1)),
    ("elastic", "place", put("place.x", 3, 1e6)),
    ("elastic", "epoch", put("state.epoch", 0, 1e300)),
    ("elastic", "no wall", put("entry.what", 3, -3)),
    ("elastic", "another disc", put("entry.what", 3, 3)),
    ("elastic", "must be an event", put("entry.what", ALL, -1)),
    ("elastic", "bins_per_time", put("state.bins_per_time", 0, 1e300)),
    ("jamming", "overlap", put("positions", ALL, 0.0)),
    ("jamming", "overlap", put("radii", ALL, lambda a: 1.01 * a["radii"])),
    ("jamming", "a radius", put("radii", ALL, lambda a: 30.0 * a["radii"])),
    ("jamming", "positions", put("positions", ALL, lambda a: 2.0 * a["positions"])),
    ("jamming", "gain", lambda a: a.update(gain=np.zeros((1, 2)))),
    ("jamming", "vectors", put("vectors", ALL, 0.0)),
    ("jamming", "fixed", put("fixed", 0, -1)),
    (
        "jamming",
        "jammed",
        lambda a: a.update(
            {name: a[name][:0] for name in ("first", "second", "vectors", "forces")}, jammed=a["jammed"] | 1
        ),
    ),
]


@pytest.mark.parametrize(("kind", "words", "change"), BROKEN)
def test_a_broken_structure_that_would_harm_a_kernel_is_refused(kind: str, words: str, change: Any) -> None:
    checkpoint = kept(kind)
    change(checkpoint.arrays)
    refused(checkpoint, words)


def test_discs_that_still_grow_are_checked_as_hard_discs() -> None:
    grown = DENSE | {"jamming.start": "grown", "discs.volume_fraction": 0.4}
    growing = advanced(engine.create(Scenario().with_values(grown)), budget=1e-3).checkpoint()
    engine.check_checkpoint(growing)
    placed = Scenario.from_toml(growing.scenario).with_values({"jamming.start": "placed"}).to_toml()
    refused(Checkpoint(growing.system, growing.method, placed, growing.arrays), "not to grow")
    motion = growing.arrays["grow_motion"].copy()
    motion["x"] = np.nan
    for changes, words in (
        ({"grow_motion": motion}, "x of motion"),
        ({"initial_radii": 1.000001 * growing.arrays["initial_radii"]}, "initial_radii"),
        ({"iterations": kept("jamming").arrays["iterations"]}, "iterations must be none"),
    ):
        refused(Checkpoint(growing.system, growing.method, growing.scenario, growing.arrays | changes), words)


def test_a_scenario_that_does_not_belong_to_the_arrays_is_refused() -> None:
    real = kept("rigid")
    for text, words in (
        (Scenario().to_toml(), "another method"),
        (Scenario.from_toml(real.scenario).with_values({"dimensions": 3}).to_toml(), "is damaged"),
        ("seed = 1" + "0" * 5000, "scenario of the saved state"),
        ("a = " + "[" * 100_000, "not valid TOML"),
        ("#" * (2 << 20), "too long"),
        ("\N{NULL}", "not valid TOML"),
    ):
        refused(Checkpoint(real.system, real.method, text, real.arrays), words)
    refused(Checkpoint("jamming", "chain", real.scenario, real.arrays), "cannot restore")
    refused(Checkpoint(real.system, real.method, real.scenario, {}), "is damaged")


@pytest.mark.parametrize("seed", range(16))
def test_event_driven_states_are_accepted_whatever_they_are(seed: int) -> None:
    """Odd boxes, scales, masses and tunings, and every few events of their runs."""
    rng = np.random.default_rng(seed)
    dimensions = 2 if seed < 12 else 3
    state, speed = system(rng, dimensions)
    simulation = EventDriven(Scenario().with_values({"dimensions": dimensions}), state, tuning(rng))
    for k in range(12):
        engine.check_checkpoint(simulation.checkpoint())
        if k % 2:
            simulation.advance(10.0 / speed, budget=1e-7, max_events=3)
        else:
            fewer = max(1, int(0.7 * simulation.frame().clusters))
            simulation.advance(simulation.time + 3.0 / speed, until_clusters=fewer, max_events=2000)


@pytest.mark.parametrize("seed", range(14))
def test_time_stepping_states_are_accepted_in_every_moment_of_a_step(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dimensions = 2 if seed < 10 else 3
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
            simulation._continue_step(int(rng.integers(0, 5)))


@pytest.mark.parametrize("periodic", [False, True])
def test_states_at_rest_and_at_their_end_are_accepted(periodic: bool) -> None:
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


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_gases_are_accepted_at_any_time(kind: str) -> None:
    simulation = gas(**EVERY_KIND[kind])
    engine.check_checkpoint(simulation.checkpoint())
    for events in (1, 100, 3000, 20_000):
        simulation.advance(max_events=events)
        engine.check_checkpoint(simulation.checkpoint())
        simulation.advance(until_time=simulation.time * 1.0001)
        engine.check_checkpoint(simulation.checkpoint())


def test_a_heap_of_discs_at_rest_is_accepted() -> None:
    values = {"box__boundary": "walls", "hard_discs__gravity": (0.0, -1.0), "hard_discs__restitution": 0.5}
    heap = gas(100, hard_discs__wall_restitution=0.5, **values)
    progress = heap.advance(until_time=20.0, max_events=2_000_000)
    assert progress.finished
    assert "collapse" in progress.stop_reason
    engine.check_checkpoint(heap.checkpoint())
