"""Every function is compiled for one set of types, all of them in the warm-up: what is compiled later, or once more, is
time that people wait."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.kernels import inner, kernel

# functions that have several on purpose, with the reason
SEVERAL = {
    "engine.kernels.whole": "whole numbers and floats; two instructions",
    "engine.geometry.minimum_image.axis_distance": "single and double precision; one expression",
    "engine.geometry.minimum_image.images": "sides of boxes in single and double precision",
    "engine.geometry.minimum_image.box_images": "boxes in single and double precision",
    "engine.geometry.bucket_grid.cell_range": "the grid of clusters and that of discs",
    "engine.geometry.morton.morton_key": "places in the plane and in space, in one kernel",
    "engine.hard_discs.queue._prefetch_neighbours": "what is prefetched: places or motion",
}
# short functions that get arrays which a kernel has made itself, and borrowed ones (`engine.kernels.borrowed`)
SEVERAL |= dict.fromkeys(
    [f"engine.geometry.box_tree.{name}" for name in ("list_pair", "prefetch_pair")]
    + [f"engine.geometry.cells.{name}" for name in ("column_ranges", "row_range", "slots_around")]
    + [f"engine.aggregation.time_stepping.flight.{name}" for name in ("fly", "extent", "reflect_clusters")],
    "arrays of a kernel's own and borrowed ones",
)

RUN = """
import json, sys
import engine
from engine import Scenario
from engine.inner import Inner

def compiled(which=object):
    found = {}
    for name, module in list(sys.modules.items()):
        for function in vars(module).values() if name.startswith("engine.") else ():
            kinds = getattr(function, "signatures", None)
            if isinstance(function, which) and isinstance(kinds, list) and kinds:
                found[f"{function.__module__}.{function.__name__}"] = [str(kind) for kind in kinds]
    return found

def ask_for_everything(method):
    for clusters in ("deformable", "rigid"):
        for boundary in ("walls", "periodic"):
            values = {"discs.count": 100, "box.boundary": boundary, "aggregation.method": method,
                      "aggregation.time_stepping.clusters": clusters, "aggregation.time_stepping.fraction": 1.0}
            simulation = engine.create(Scenario().with_values(values))
            simulation.advance(1.0)
            simulation.advance(9.0, 1e-6)
            if method == "time-stepping":
                simulation.trace_step()
                simulation.links()
                simulation.convergence()
            simulation = engine.carry_on(engine.restore(simulation.checkpoint()), simulation.scenario)
            simulation.advance(until_clusters=5)
            for asked in ("frame", "settled", "state", "history", "invariants"):
                getattr(simulation, asked)()

late = {}
for method in sys.argv[2:]:
    engine.warm_up(kernels=method)
    if method in sys.argv[1].split(","):
        before = compiled()
        assert sum(map(len, before.values())) > 10
        ask_for_everything(method)
        late[method] = [name for name, kinds in compiled().items() if kinds != before.get(name, [])]
print(json.dumps([late, compiled(), list(compiled(Inner))]))
"""

AGGREGATION = ("time-stepping", "event-driven")
METHODS = (*AGGREGATION, "hard-discs", "jamming")


def warmed(
    *methods: str, run: tuple[str, ...] = (), **environment: str
) -> tuple[dict[str, Any], dict[str, list[str]], set[str]]:
    """Warm methods up in a process of their own, and ask those in `run` for everything after their warm-up.

    Returns what was compiled or loaded so late, by method; for which types every function is compiled; and which of
    these are functions that only kernels call, which are in no cache.
    """
    done = subprocess.run(
        [sys.executable, "-c", RUN, ",".join(run), *methods],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | environment,
    )
    late, signatures, inner_ones = json.loads(done.stdout)
    return late, signatures, set(inner_ones)


def with_several(signatures: dict[str, list[str]]) -> dict[str, list[str]]:
    """Functions for several types that are not meant to be, as sums of vectors are: a few instructions each."""
    several = {name: kinds for name, kinds in signatures.items() if len(kinds) > 1 and name not in SEVERAL}
    return {name: kinds for name, kinds in several.items() if not name.startswith("engine.geometry.vectors.")}


@pytest.mark.timeout(900)
def test_a_kernel_has_one_signature_and_all_are_there_after_the_warm_up() -> None:
    """Those that Python calls, in all systems together: they come from the cache, if they are not new."""
    late, signatures, inner_ones = warmed(*METHODS, run=AGGREGATION)
    signatures = {name: kinds for name, kinds in signatures.items() if name not in inner_ones}
    assert late == {"time-stepping": [], "event-driven": []}
    assert len(signatures) > 40
    assert "engine.merges.link_merges" in signatures  # what the window needs of a run, too
    assert with_several(signatures) == {}


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("method", METHODS)
def test_the_warm_up_of_a_method_alone_compiles_everything_for_one_set_of_types(method: str, tmp_path: Path) -> None:
    """Everything, compiled anew: what only kernels call is in no cache."""
    run = (method,) if method in AGGREGATION else ()
    late, signatures, _ = warmed(method, run=run, NUMBA_CACHE_DIR=str(tmp_path))
    assert late == {one: [] for one in run}
    assert len(signatures) > 60
    assert with_several(signatures) == {}


@inner
def shifted(array, k, down):
    return array[k] - 1 if down else array[k] + 1


@kernel
def summed(array, short, byte):
    return shifted(array, short[0], True) + shifted(array, byte[1], False) + shifted(array, 2, short[0] > 0)


def test_whole_numbers_of_any_width_are_one_type_to_an_inner_function() -> None:
    array = np.array([10, 200, 3000])
    summed.recompile()  # it may have come from the cache, and `shifted` with it
    assert summed(array, np.zeros(1, np.int32), np.ones(2, np.uint8)) == 9 + 201 + 3001
    assert len(shifted.signatures) == 1


def test_python_cannot_call_an_inner_function() -> None:
    with pytest.raises(TypeError, match="shifted is a part of kernels"):
        shifted(np.zeros(1), 0, True)
