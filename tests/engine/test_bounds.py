"""Kernels that check their indices (NUMBA_BOUNDSCHECK=1): what fuzzing relies on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

LOOK = """
import sys
from typing import NamedTuple
import numpy as np
from engine import kernels
from engine.kernels import borrowed, elements, inlined, inner, kernel

class State(NamedTuple):
    x: np.ndarray
    number: np.ndarray

@inlined
def small(st, k):
    return st.x[k]

@inner
def larger(st, k):
    return small(st, k)

@kernel
def with_elements(st, k):
    return larger(State(elements(st.x), elements(st.number)), k)

@kernel
def with_borrowed(st, k):
    return larger(borrowed(st), k)

print(kernels.CACHE_DIR)
for look in (with_elements, with_borrowed):
    for k in (0, 4, 5, -1):
        try:
            print(look(State(np.arange(5.0), np.arange(5)), k))
        except IndexError:
            print("IndexError")
"""


def said(tmp_path, checked):
    code = tmp_path / "look.py"
    code.write_text(LOOK)
    home = {name: str(tmp_path) for name in ("XDG_CACHE_HOME", "HOME")}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment |= home | {"PYTHONPATH": str(ROOT)} | ({"NUMBA_BOUNDSCHECK": "1"} if checked else {})
    done = subprocess.run([sys.executable, str(code)], env=environment, capture_output=True, text=True, check=True)
    folder, *answers = done.stdout.split()
    return folder, answers


@pytest.mark.skipif(sys.platform == "win32", reason="the folder of caches is another one")
def test_indices_are_checked_where_that_is_asked_for_and_only_there(tmp_path):
    folder, answers = said(tmp_path, checked=True)
    assert answers == ["0.0", "4.0", "IndexError", "IndexError"] * 2
    plain, answers = said(tmp_path, checked=False)
    assert answers[:2] == ["0.0", "4.0"]
    assert "IndexError" not in answers
    assert folder != plain, "a cache of their own: numba's key does not hold the flag"
