"""A process that runs spoiled checkpoints: a kernel that reads outside of an array ends it, or raises
IndexError where kernels check their indices (NUMBA_BOUNDSCHECK=1, as `make fuzz` has it), and the test sees that.

`python -m tests.fuzz.session_child`; one line in, `<system> <seed>`; one line out: `refused <sentence>`, `ran`, or
`wrong <what>`.
"""

from __future__ import annotations

import faulthandler
import os
import random
import sys
import traceback
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import engine
from engine import InputError, Scenario, load_scenario
from engine.simulation import Checkpoint, Simulation
from tests.engine.test_saved_states import RUNS, kept
from tests.session.saved_scenarios import SCENARIOS, one_of_each
from tests.session.session_files import HOW

MOST_SECONDS = 120  # of one case; it takes some milliseconds
SHORT = 64  # entries
STEPS = 50  # events for which a case runs that is not refused
STEPS_OF = {"jamming": 4}  # each of its events is a linear program

_WHOLE = (
    0,
    1,
    2,
    -1,
    -2,
    3,
    13,
    14,
    15,
    16,
    31,
    59,
    60,
    61,
    64,
    65535,
    65536,
    1 << 30,
    (1 << 31) - 1,
    -(1 << 31),
    1 << 62,
)
_REAL = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-9, 1e-170, 1e-300, 5e-324, 1e9, 1e16, 1e100, 1e300, np.inf, -np.inf, np.nan, 2e9)


SYSTEMS = tuple(dict.fromkeys(load_scenario(name).system for name in SCENARIOS))

_WALLS = {"box.boundary": "walls", "box.size": [9.0, 7.0], "hard_discs.wall_restitution": 0.5}
_PACKING = {"discs.radii": "bidisperse", "discs.spread": 1.4, "velocities.distribution": "rest"}
_PACKING |= {"discs.count": 30, "discs.arrangement": "random", "discs.volume_fraction": 0.6}
MORE: dict[str, list[dict[str, Any]]] = {
    # both methods, both searches, all boundaries, discs and spheres
    "aggregation": [
        {"dimensions": dimensions, "box.boundary": boundary, "discs.radii": radii, "discs.spread": 0.5} | how
        for how in HOW.values()
        for dimensions in (2, 3)
        for boundary in ("walls", "periodic")
        for radii in ("equal", "uniform")
    ]
    + [
        {"aggregation.rotation": True, "velocities.spin": spin, "box.boundary": boundary, "discs.volume_fraction": full}
        | {"aggregation.method": method}
        for method in ("event-driven", "time-stepping")
        for boundary in ("walls", "periodic")
        for spin, full in ((0.0, 0.1), ("thermal", 0.3), (1e3, 0.05))
    ],
    # discs and spheres: of very different sizes, which stand in several grids; fast growth; at rest on the floor
    "hard-discs": [
        {"box.boundary": "periodic", "discs.radii": "lognormal", "discs.spread": 1.5, "discs.arrangement": "random"},
        {"box.boundary": "periodic", "hard_discs.growth_rate": 0.1, "discs.radii": "uniform", "discs.spread": 0.5},
        _WALLS | {"hard_discs.gravity": [0.0, -1.0], "hard_discs.contact_time": 1e-2, "hard_discs.restitution": 0.5},
        _WALLS | {"hard_discs.gravity": [0.5, -1.0], "hard_discs.growth_rate": 0.01},
        _WALLS | {"discs.volume_fraction": 0.01, "discs.count": 2},
        {"dimensions": 3, "box.boundary": "periodic", "discs.radii": "bidisperse", "discs.spread": 9.0},
        {"box.boundary": "periodic", "shear.rate": 2.0, "discs.radii": "uniform", "discs.spread": 0.5},
        {"dimensions": 3, "box.boundary": "periodic", "shear.rate": -0.5, "hard_discs.restitution": 0.8},
        _WALLS | {"dimensions": 3, "box.size": [5.0, 4.0, 6.0], "hard_discs.gravity": [0.5, 0.0, -1.0]},
    ],
    # both rules, programs after programs, and discs amid their growth
    "jamming": [
        _PACKING | {"jamming.rules": "calippso", "box.boundary": "periodic"},
        _PACKING | {"box.boundary": "walls"},
        _PACKING | {"box.boundary": "periodic", "jamming.start": "grown"},
    ],
}


@cache
def bases(system: str) -> list[Checkpoint]:
    """Checkpoints of small runs of every kind and in many moments; `make fuzz` has those of every bundled scenario."""
    names = SCENARIOS if "AGGVIEWER_FUZZ_SESSIONS" in os.environ else one_of_each()
    scenarios = [_small(name) for name in names]
    scenarios += [Scenario().with_values({"system": system, "discs.count": 50} | values) for values in MORE[system]]
    found = [run.checkpoint() for one in scenarios if one.system == system for run in _moments(one)]
    return found + [one for one in map(kept, RUNS) if one.system == system]


def _small(name: str) -> Scenario:
    scenario = load_scenario(name)
    return scenario.with_values({"discs.count": min(40, scenario.discs.count)} | _ROOMY.get(name, {}))


# so few discs of two sizes do not fit at random between walls, and so few make smaller triangles
_ROOMY = {"jam-256": {"discs.volume_fraction": 0.6}, "sierpinski-729": {"discs.volume_fraction": 0.1}}


def _moments(scenario: Scenario) -> Iterator[Simulation]:
    """At the start, on the way, also amid a step or the growth of discs, and at the end or after many events; the same
    simulation goes on."""
    run = engine.create(scenario)
    yield run
    for events in (0, 1, 5, 30, 3000):
        run.advance(max_events=events, budget=0.5)
        yield run
        run.advance(budget=1e-3 if scenario.system == "jamming" else 0.0)
        yield run


def changed(system: str, seed: int) -> Checkpoint:
    """A checkpoint with one to four entries of its arrays changed, or an array swapped, cut or of another type."""
    rng = random.Random(seed)
    base = rng.choice(bases(system))
    arrays = {name: array.copy() for name, array in base.arrays.items()}
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        columns = _columns(arrays)
        name = rng.choice(sorted(rng.choice(_kinds_of(columns))))
        if rng.random() < 0.03:
            _misshape(arrays, name.partition(".")[0], rng)
        elif columns[name].size:
            _change(columns, name, rng)
    return Checkpoint(base.system, base.method, base.scenario, arrays)


def _columns(arrays: dict) -> dict:
    """Arrays of plain numbers; of records a view of each field."""
    found = {}
    for name, array in arrays.items():
        if array.dtype.names is None:
            found[name] = array
        for field in array.dtype.names or ():
            found[f"{name}.{field}"] = array[field]
    return found


def _kinds_of(arrays: dict) -> list[list[str]]:
    """Arrays of indices, which rule where kernels go; short ones, which hold what there is once: settings, counters,
    lengths that follow from others; all."""
    whole = [name for name in arrays if arrays[name].dtype.kind in "iu"]
    short = [name for name in arrays if arrays[name].size <= SHORT]
    return [kind for kind in (whole, short, list(arrays)) if kind]


def _change(arrays: dict, name: str, rng: random.Random) -> None:
    array = arrays[name]
    flat, size = array.flat, array.size  # of a field of a record too, which reshape would copy
    at = rng.randrange(size)
    way = rng.randrange(5)
    if way == 0:
        flat[at] = flat[rng.randrange(size)]
    elif way == 1:
        other = rng.randrange(size)
        flat[at], flat[other] = flat[other], flat[at]
    elif rng.random() < 0.05:  # many at once: all, or a column of a table
        flat[at % rng.choice((1, 2, 8)) :: rng.choice((1, 2, 8))] = flat[at]
    elif array.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            flat[at] = rng.choice((rng.choice(_REAL), flat[at] * rng.choice((-1, 0.5, 2, 1 + 1e-9, 1e6)), rng.random()))
    elif way == 2:
        value = int(flat[at]) + rng.choice((-2, -1, 1, 2))
        flat[at] = np.array(value).astype(array.dtype)
    else:
        flat[at] = np.array(rng.choice(_WHOLE)).astype(array.dtype)


def _misshape(arrays: dict, name: str, rng: random.Random) -> None:
    array = arrays[name]
    way = rng.randrange(5)
    if way == 0:
        arrays[name] = array[: len(array) // 2] if array.ndim else np.zeros(2, array.dtype)
    elif way == 1:
        arrays[name] = np.concatenate([array, array]) if array.ndim else array[None]
    elif way == 2:
        plain = np.zeros(array.shape) if array.dtype.names else array
        arrays[name] = plain.astype(np.float32 if array.dtype != np.float32 else np.float64)
    elif way == 3:
        del arrays[name]
    else:
        arrays["more_" + name] = array


def go_on(checkpoint: Checkpoint) -> str:
    """Refuse it or run it; a run may end with a sentence."""
    try:
        engine.check_checkpoint(checkpoint)
        simulation = engine.restore(checkpoint)
        for _ in range(STEPS_OF.get(checkpoint.system, STEPS)):
            simulation.advance(max_events=1, budget=0.02)
    except InputError as error:  # a grown gas may turn out not to be one that can be jammed
        message = str(error)
        return f"refused {message}" if message.isprintable() and len(message) < 600 else f"wrong message: {message!r}"
    simulation.frame()
    simulation.history()
    simulation.invariants()
    return "ran"


def main() -> None:
    print("ready", flush=True)
    for line in sys.stdin:
        system, seed = line.split()
        bases(system)  # not within the time of a case: what is compiled anew may take minutes
        faulthandler.dump_traceback_later(MOST_SECONDS, exit=True)
        try:
            answer = go_on(changed(system, int(seed)))
        except Exception:
            answer = "wrong " + traceback.format_exc().replace("\n", " | ")
        faulthandler.cancel_dump_traceback_later()
        print(answer, flush=True)


if __name__ == "__main__":
    main()
