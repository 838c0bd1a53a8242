"""Kernels that check their indices (NUMBA_BOUNDSCHECK=1): what fuzzing relies on."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import kernels

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

def answers():
    for look in (with_elements, with_borrowed):
        for k in (0, 4, 5, -1):
            try:
                yield look(State(np.arange(5.0), np.arange(5)), k)
            except IndexError:
                yield "IndexError"

if __name__ == "__main__":
    print(kernels.CACHE_DIR, *answers())
"""


def where_indices_are_checked(tmp_path, code):
    """The folder of machine code, and the answers, in a process of its own: the setting is read on import."""
    home = {name: str(tmp_path) for name in ("XDG_CACHE_HOME", "HOME")}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment |= home | {"PYTHONPATH": str(ROOT), "NUMBA_BOUNDSCHECK": "1"}
    done = subprocess.run([sys.executable, str(code)], env=environment, capture_output=True, text=True, check=True)
    folder, *answers = done.stdout.split()
    return Path(folder), answers


def answers_here(code):
    """The answers in this process, where indices are not checked."""
    spec = importlib.util.spec_from_file_location("look", code)
    look = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(look)
    return list(look.answers())


@pytest.mark.skipif(sys.platform == "win32", reason="the folder of caches is another one")
def test_indices_are_checked_where_that_is_asked_for_and_only_there(tmp_path):
    code = tmp_path / "look.py"
    code.write_text(LOOK)
    folder, answers = where_indices_are_checked(tmp_path, code)
    assert answers == ["0.0", "4.0", "IndexError", "IndexError"] * 2
    assert folder.name != kernels.CACHE_DIR.name, "a cache of their own: numba's key does not hold the flag"
    assert not kernels.CHECKED
    answers = answers_here(code)
    assert answers[:2] == answers[4:6] == [0.0, 4.0]
    assert "IndexError" not in answers
