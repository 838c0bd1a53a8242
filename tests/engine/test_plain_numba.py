"""With a version of numba that was not tried with `engine.inner`, plain numba compiles everything: the same bits.

To add a version: install it into an environment of its own, add it to `engine.kernels.TRIED`, and run this file there,
the slow test too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import kernels

ROOT = Path(__file__).parents[2]

SMALL = """
import numpy as np
from engine import kernels
from engine.kernels import inlined, inner, kernel, whole

@inlined
def shifted(x, k):
    return x[k] + 0.1 * k

@inner
def summed(x, number):
    total = 0.0
    for k in number:
        total += shifted(x, whole(k))
    return total

@kernel
def run(x, number):
    return summed(x, number)

print(kernels.PLAIN, run(np.sqrt(np.arange(50.0)), np.arange(50, dtype=np.int32)).hex())
"""

RUNS = """
import hashlib
import sys
import engine
from engine import kernels

name = sys.argv[1]
simulation = engine.create(engine.load_scenario(name).with_settings(sys.argv[2:]))
simulation.advance(max_events=2000)
frame = simulation.frame()
state = frame.positions.tobytes() + frame.velocities.tobytes()
print(kernels.PLAIN, frame.time.hex(), hashlib.sha256(state).hexdigest())
"""

CASES = (
    ("lattice-400",),
    ("lattice-400", "aggregation.method=time-stepping"),
    ("gas-10000", "discs.count=400"),
    ("jam-256",),
)


def said(code: str, folder: Path, plain: bool, *words: str) -> list[str]:
    path = folder / "look.py"
    path.write_text(code)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "AGGVIEWER_PLAIN_NUMBA": "1" if plain else "0"}
    run = [sys.executable, str(path), *words]
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
    assert "Warning" not in done.stderr
    return done.stdout.split()


def test_versions_that_were_not_tried_and_a_wish_choose_plain_numba() -> None:
    assert not any(kernels._plain(f"{tried}.1", "") for tried in kernels.TRIED)
    assert all(kernels._plain(version, "") for version in ("0.69.0", "1.0", "0.6.8"))
    assert kernels._plain("0.68.1", "1")
    assert not kernels._plain("0.68.1", "0")


def test_plain_numba_gives_the_same_number(tmp_path: Path) -> None:
    (plain, plainly), (linked, as_always) = said(SMALL, tmp_path, True), said(SMALL, tmp_path, False)
    assert (plain, linked) == ("True", str(kernels._plain(kernels.version("numba"), "")))
    assert plainly == as_always


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_plain_numba_gives_the_same_runs(case: tuple[str, ...], tmp_path: Path) -> None:
    assert said(RUNS, tmp_path, True, *case)[1:] == said(RUNS, tmp_path, False, *case)[1:]
