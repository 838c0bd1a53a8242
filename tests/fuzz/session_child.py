"""A process that runs spoiled checkpoints: a kernel that reads outside of an array ends it, or raises
IndexError where kernels check their indices (NUMBA_BOUNDSCHECK=1, as `make fuzz` has it), and the test sees that.

`python -m tests.fuzz.session_child FOLDER`; one line in, `<system> <kind> <seed>`; one line out: `refused <sentence>`,
`ran`, or `wrong <what>`.
"""

from __future__ import annotations

import faulthandler
import io
import os
import random
import sys
import traceback
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np

import engine
from aggviewer.session.saved.records import column, columns_of
from aggviewer.session.saved.session_file import read_session, write_session
from engine import InputError, Scenario, load_scenario
from engine.aggregation.section import METHODS
from engine.simulation import Checkpoint
from tests.fuzz.mutation import spoiled
from tests.session.saved_scenarios import SCENARIOS, one_of_each
from tests.session.session_files import amid, carried_on, started, state_of

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


@cache
def bases(system: str) -> list[Checkpoint]:
    """Checkpoints of small runs of every kind and in many moments; `make fuzz` has those of every bundled scenario."""
    names = SCENARIOS if "AGGVIEWER_FUZZ_SESSIONS" in os.environ else one_of_each()
    found = [run.checkpoint() for name in names if _small(name).system == system for run in _moments(_small(name))]
    return found + [checkpoint for make in _MORE.get(system, ()) for checkpoint in make()]


def _small(name: str) -> Scenario:
    scenario = load_scenario(name)
    return scenario.with_values({"discs.count": min(40, scenario.discs.count)} | _ROOMY.get(name, {}))


# so few discs of two sizes do not fit at random between walls, and so few make smaller triangles
_ROOMY = {"jam-256": {"discs.volume_fraction": 0.6}, "sierpinski-729": {"discs.volume_fraction": 0.1}}


def _moments(scenario: Scenario) -> Iterator[engine.simulation.Simulation]:
    """At the start, on the way, and at the end or after many events; the same simulation goes on."""
    run = engine.create(scenario)
    yield run
    for events in (1, 5, 30, 3000):
        run.advance(max_events=events, budget=0.5)
        yield run


def _aggregating() -> Iterator[Checkpoint]:
    """Both methods, all boundaries, spheres, and every moment inside a time step."""
    runs = [started("event-driven", "walls", count=40), carried_on()]
    for boundary in ("walls", "periodic"):
        for method in ("event-driven", "deformable", "rigid"):
            for spread in (0.0, 0.4):
                runs.append(amid(method, boundary, spread, count=60, seed=7))
    yield from (run.checkpoint() for run in runs)
    for method in ("deformable", "rigid"):
        for boundary in ("walls", "periodic"):
            run = started(method, boundary, 0.3, count=50, seed=9)
            run.advance(until_clusters=40)
            for moment in range(60):
                run.advance(budget=1e-9) if moment % 2 else run._carry_on(2)
                if moment % 6 == 0:
                    yield run.checkpoint()
    for boundary in ("walls", "periodic"):
        values = {"dimensions": 3, "discs.count": 50, "discs.radii": "uniform", "discs.spread": 0.5}
        for method in METHODS:
            values |= {"box.boundary": boundary, "aggregation.method": method}
            spheres = engine.create(Scenario().with_values(values))
            for clusters in (50, 40, 20, 3):
                spheres.advance(until_clusters=clusters)
                yield spheres.checkpoint()
    run = started("event-driven", "periodic", count=60, seed=11)
    run.advance(until_clusters=20)
    for _ in range(8):
        run.advance(max_events=2)
        yield run.checkpoint()


def _bouncing() -> Iterator[Checkpoint]:
    """Discs and spheres: of very different sizes, which stand in several grids; fast growth; at rest on the floor."""
    walls = {"box.boundary": "walls", "box.size": [9.0, 7.0], "hard_discs.wall_restitution": 0.5}
    kinds: tuple[dict[str, object], ...] = (
        {"box.boundary": "periodic", "discs.radii": "lognormal", "discs.spread": 1.5, "discs.arrangement": "random"},
        {"box.boundary": "periodic", "hard_discs.growth_rate": 0.1, "discs.radii": "uniform", "discs.spread": 0.5},
        walls | {"hard_discs.gravity": [0.0, -1.0], "hard_discs.contact_time": 1e-2, "hard_discs.restitution": 0.5},
        walls | {"hard_discs.gravity": [0.5, -1.0], "hard_discs.growth_rate": 0.01},
        walls | {"discs.volume_fraction": 0.01, "discs.count": 2},
        {"dimensions": 3, "box.boundary": "periodic", "discs.radii": "bidisperse", "discs.spread": 9.0},
        walls | {"dimensions": 3, "box.size": [5.0, 4.0, 6.0], "hard_discs.gravity": [0.5, 0.0, -1.0]},
    )
    for values in kinds:
        scenario = Scenario().with_values({"system": "hard-discs", "discs.count": 50} | values)
        run = engine.create(scenario)
        for events in (0, 3, 100, 1000, 5000, 20_000):
            run.advance(max_events=events, until_time=60.0)
            yield run.checkpoint()


def _jamming() -> Iterator[Checkpoint]:
    """Both rules, programs after programs, and discs amid their growth."""
    values = {"system": "jamming", "discs.count": 30, "discs.arrangement": "random", "discs.volume_fraction": 0.6}
    values |= {"discs.radii": "bidisperse", "discs.spread": 1.4, "velocities.distribution": "rest"}
    for more in ({"jamming.rules": "calippso", "box.boundary": "periodic"}, {"box.boundary": "walls"}):
        run = engine.create(Scenario().with_values(values | more))
        for _ in range(8):
            run.advance(max_events=2)
            yield run.checkpoint()
    run = engine.create(Scenario().with_values(values | {"jamming.start": "grown", "box.boundary": "periodic"}))
    for _ in range(8):
        run._growing.advance(max_events=500)
        yield run.checkpoint()


_MORE = {"aggregation": (_aggregating,), "hard-discs": (_bouncing,), "jamming": (_jamming,)}


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
        for way in columns_of(array.dtype):
            found[".".join((name, *way))] = column(array, way)
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
    except InputError as error:
        return sentence(error)
    simulation = engine.restore(checkpoint)
    try:
        for _ in range(STEPS_OF.get(checkpoint.system, STEPS)):
            simulation.advance(max_events=1, budget=0.02)
    except InputError as error:  # a grown gas may turn out not to be one that can be jammed
        return sentence(error)
    simulation.frame()
    simulation.history()
    simulation.invariants()
    return "ran"


def sentence(error: InputError) -> str:
    message = str(error)
    return f"refused {message}" if message.isprintable() and len(message) < 600 else f"wrong message: {message!r}"


def entries(system: str, seed: int, folder: Path) -> str:
    """Numbers in the arrays are changed."""
    return go_on(changed(system, seed))


def _through_file(path: Path) -> str:
    try:
        state = read_session(path)
    except InputError as error:
        return sentence(error) if str(path) in str(error) and error.key == str(path) else f"wrong {error!r} {error.key}"
    return go_on(state.lanes[0])


@cache
def _real_files(system: str, folder: Path) -> list[bytes]:
    path = folder / "real.aggsession"
    found = []
    some = bases(system)
    for checkpoint in some[:: len(some) // 8 + 1]:
        write_session(path, state_of(engine.restore(checkpoint)))
        found.append(path.read_bytes())
    return found


def file_bytes(system: str, seed: int, folder: Path) -> str:
    """Bytes of the file are changed."""
    path = folder / "spoiled.aggsession"
    whole = random.Random(seed).choice(_real_files(system, folder))
    path.write_bytes(spoiled(".aggsession", seed, whole))
    return _through_file(path)


def members(system: str, seed: int, folder: Path) -> str:
    """Bytes of a member are changed, or a whole one, and the file is whole all the same."""
    rng = random.Random(seed)
    path = folder / "packed.aggsession"
    source = io.BytesIO(rng.choice(_real_files(system, folder)))
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        names = old.namelist()
        victim = rng.choice(names) if rng.random() < 0.7 else "session.json"
        for name in names:
            data = old.read(name)
            if name == victim:
                way = rng.randrange(8)
                if way == 0:
                    continue
                if way == 1:
                    data = old.read(rng.choice(names))
                elif way == 2:
                    name = rng.choice(("lane1/radii.npy", "../evil.npy", "lane0/evil.npy", "/etc/passwd", name.upper()))
                elif way == 3 and len(data) > 128:  # the header of the array
                    head = bytearray(data[:128])
                    head[rng.randrange(128)] = rng.randrange(256)
                    data = bytes(head) + data[128:]
                else:
                    data = spoiled(".json", seed, data)
            new.writestr(name, data)
    return _through_file(path)


KINDS: dict[str, Callable[[str, int, Path], str]] = {"entries": entries, "bytes": file_bytes, "members": members}


def main(folder: Path) -> None:
    print("ready", flush=True)
    for line in sys.stdin:
        system, kind, seed = line.split()
        _real_files(system, folder)  # not within the time of a case: what is compiled anew may take minutes
        faulthandler.dump_traceback_later(MOST_SECONDS, exit=True)
        try:
            answer = KINDS[kind](system, int(seed), folder)
        except Exception:
            answer = "wrong " + traceback.format_exc().replace("\n", " | ")
        faulthandler.cancel_dump_traceback_later()
        print(answer, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
