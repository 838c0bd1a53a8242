"""Every function is compiled for one set of types: each further one is time that people wait at the first start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.kernels import inner, kernel

# functions that have several on purpose, with the reason
SEVERAL = {
    "engine.kernels.whole": "whole numbers and floats; two instructions",
}

RUN = """
import json, sys
import engine

for method in sys.argv[1:]:
    engine.warm_up(method=method)
print(json.dumps({
    f"{function.__module__}.{function.__name__}": [str(kinds) for kinds in function.signatures]
    for name, module in list(sys.modules.items()) if name.startswith("engine.")
    for function in vars(module).values() if isinstance(getattr(function, "signatures", None), list)
}))
"""

SYSTEMS = ("event-driven", "time-stepping", "hard-discs", "jamming")


def signatures(*systems: str, **environment: str) -> dict[str, list[str]]:
    """Of every function compiled or loaded by warm-ups in a process of their own: the types it is compiled for."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *systems],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | environment,
    )
    found: dict[str, list[str]] = json.loads(done.stdout)
    return {name: kinds for name, kinds in found.items() if kinds}


@pytest.mark.timeout(900)
def test_a_kernel_has_one_signature() -> None:
    """Those that Python calls, in all systems together: they come from the cache."""
    found = signatures(*SYSTEMS)
    assert len(found) > 40
    assert "engine.merges.link_merges" in found  # what the window needs of a run, too
    assert {name: kinds for name, kinds in found.items() if len(kinds) > 1 and name not in SEVERAL} == {}


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("system", SYSTEMS)
def test_what_kernels_call_has_one_signature(system: str, tmp_path: Path) -> None:
    """Everything, compiled anew: what only kernels call is in no cache."""
    found = signatures(system, NUMBA_CACHE_DIR=str(tmp_path))
    assert len(found) > 60
    assert {name: kinds for name, kinds in found.items() if len(kinds) > 1 and name not in SEVERAL} == {}


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
