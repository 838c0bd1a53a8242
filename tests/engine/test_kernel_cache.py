"""Machine code lies by module, is found again in another folder, and is brought along for a baseline of processors."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine import kernel_cache

ROOT = Path(__file__).parents[2]

PACKAGE = {
    "engine/__init__.py": "",
    "engine/kernels.py": (
        "import os\nfrom pathlib import Path\nfrom engine import kernel_cache\n"
        "BROUGHT = kernel_cache.carried('print')\n"
        "if BROUGHT is not None:\n    kernel_cache.use_baseline()\n"
        "CACHE = Path(os.environ['CACHE'])\n"
        "if BROUGHT is not None:\n    kernel_cache.take_over(BROUGHT, CACHE)\n"
        "import numba\nkernel_cache.install(CACHE)\n"
    ),
    "engine/room/__init__.py": "",
    "engine/room/twice.py": (
        "from engine.kernels import numba\n@numba.njit(cache=True)\ndef twice(x):\n    return 2.0 * x\n"
        "print(twice(3.0), sum(twice.stats.cache_hits.values()))\n"
    ),
}


def program(folder: Path) -> Path:
    """A small program with one kernel, whose machine code is kept as that of the engine is."""
    for name, text in PACKAGE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    shutil.copy(ROOT / "engine" / "kernel_cache.py", folder / "engine")
    return folder


def run(folder: Path, cache: Path, **environment: str) -> str:
    """What the small program prints: the result, and how many kernels came from the disk."""
    done = subprocess.run(
        [sys.executable, "-c", "import engine.room.twice"],
        cwd=folder,
        env=os.environ | {"CACHE": str(cache), "PYTHONPATH": str(folder)} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_machine_code_is_found_again_wherever_the_program_lies(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    here = program(tmp_path / "here")
    assert run(here, cache) == "6.0 0"
    assert [path.name for path in cache.iterdir()] == ["engine-room"]
    there = shutil.copytree(here, tmp_path / "elsewhere" / "there", copy_function=shutil.copy)  # other dates
    assert run(there, cache) == "6.0 1"
    changed = there / "engine" / "room" / "twice.py"
    changed.write_text(changed.read_text().replace("2.0 * x", "x + x + 0.0"))
    assert run(there, cache) == "6.0 0", "another source file has other machine code"


@pytest.mark.skipif(not kernel_cache._has_baseline(), reason="this processor lacks the baseline")
def test_carried_machine_code_is_taken_over_at_the_first_start(tmp_path: Path) -> None:
    folder = program(tmp_path / "program")
    made = tmp_path / "made"
    baseline = {"NUMBA_CPU_NAME": kernel_cache.BASELINE, "NUMBA_CPU_FEATURES": ""}
    assert run(folder, made, **baseline) == "6.0 0"
    shutil.copytree(made, folder / "kernels" / "print")
    cache = tmp_path / "cache"
    assert run(folder, cache) == "6.0 1"
    assert (cache / "engine-room").is_dir()
    assert run(folder, cache) == "6.0 1"


def test_a_processor_without_the_baseline_gets_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "print").mkdir()
    monkeypatch.setattr(kernel_cache, "_CARRIED", tmp_path)
    monkeypatch.setattr(kernel_cache, "_has_baseline", lambda: False)
    assert kernel_cache.carried("print") is None
    monkeypatch.setattr(kernel_cache, "_has_baseline", lambda: True)
    assert kernel_cache.carried("print") == tmp_path / "print"
    assert kernel_cache.carried("other") is None


def test_a_cache_that_is_there_is_left_alone(tmp_path: Path) -> None:
    brought, cache = tmp_path / "brought", tmp_path / "cache"
    for folder, text in ((brought, "carried"), (cache, "own")):
        folder.mkdir()
        (folder / "one.nbi").write_text(text)
    kernel_cache.take_over(brought, cache)
    assert (cache / "one.nbi").read_text() == "own"
    shutil.rmtree(cache)
    kernel_cache.take_over(brought, cache)
    assert (cache / "one.nbi").read_text() == "carried"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["brought", "cache"]
