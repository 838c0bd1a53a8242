"""Machine code is stored by version and module, and is found if the program moves to another folder. If files cannot be
used, or folders cannot be written to, kernels are compiled."""

from __future__ import annotations

import errno
import importlib
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest

from aggviewer.session.notices import Notice, Notices
from engine import kept_kernels, kernel_cache

ROOT = Path(__file__).parents[2]
PRINT = "0123456789abcdef"

TWICE = """
from engine.kernels import kernel

@kernel
def twice(x):
    return 2.0 * x

print(twice(3.0), sum(twice.stats.cache_hits.values()))
"""

PACKAGE = {
    "engine/__init__.py": "",
    "engine/kernels.py": (
        "from pathlib import Path\nfrom engine import kernel_cache\n"
        f"PRINT = '{PRINT}'\n"
        "FOLDER = kernel_cache.folder_of(PRINT, Path.home())\n"
        "kernel_cache.prepare(FOLDER)\n"
        "import numba\nfrom engine.kept_kernels import keep\n"
        "def kernel(function):\n    compiled = numba.njit(function)\n    keep(compiled, FOLDER)\n    return compiled\n"
    ),
    "engine/kept/__init__.py": "",
    "engine/kept/twice.py": TWICE,
    "engine/changed/__init__.py": "",
    "engine/changed/twice.py": TWICE,
}


def program(folder: Path) -> Path:
    """A small program with two kernels in folders of their own, whose machine code is kept as that of the engine is."""
    for name, text in PACKAGE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name in ("kernel_cache.py", "kept_kernels.py"):
        shutil.copy(ROOT / "engine" / name, folder / "engine")
    return folder


def run(folder: Path, cache: Path) -> list[str]:
    """What the small program prints: of each kernel the result, and how often it came from the disk; then warnings."""
    done = subprocess.run(
        [sys.executable, "-c", "import engine.kept.twice, engine.changed.twice"],
        cwd=folder,
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return (done.stdout + done.stderr).splitlines()


def test_machine_code_is_found_again_wherever_the_program_lies(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    here = program(tmp_path / "here")
    assert run(here, cache) == ["6.0 0", "6.0 0"]
    assert [path.name for path in cache.iterdir()] == [PRINT]
    assert sorted(path.name for path in (cache / PRINT).iterdir() if path.is_dir()) == ["engine-changed", "engine-kept"]
    there = shutil.copytree(here, tmp_path / "elsewhere" / "there", copy_function=shutil.copy)  # other dates
    changed = there / "engine" / "changed" / "twice.py"
    changed.write_text(changed.read_text().replace("2.0 * x", "x + x + 0.0"))
    # a child process is given the folder of the version; another source file has other machine code
    assert run(there, cache / PRINT) == ["6.0 1", "6.0 0"]


def test_without_a_cache_folder_the_program_runs_and_warns_once(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.write_text("")
    said = run(program(tmp_path / "here"), cache)
    assert said[:2] == ["6.0 0", "6.0 0"]
    (sentence,) = said[2:]
    assert "cannot be written to" in sentence
    assert str(cache) in sentence


def test_the_fingerprint_stands_below_the_folder_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine import kernels

    own = kernels._fingerprint()
    assert kernels.CACHE_DIR.name == own
    assert os.environ["NUMBA_CACHE_DIR"] == numba.config.CACHE_DIR == str(kernels.CACHE_DIR)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert kernel_cache.folder_of(own, Path("elsewhere")) == tmp_path / own
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / own))
    assert kernel_cache.folder_of(own, Path("elsewhere")) == tmp_path / own
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert kernel_cache.folder_of(own, tmp_path) == tmp_path / own


def test_only_folders_of_other_versions_are_removed(tmp_path: Path) -> None:
    versions = [tmp_path / f"{number:016x}" for number in range(7)]
    for age, folder in enumerate([*versions, tmp_path / "of_another_program"]):
        folder.mkdir()
        os.utime(folder, (age, age))
    assert kernel_cache.prepare(versions[0])
    assert sorted(tmp_path.iterdir()) == [versions[0], *versions[3:], tmp_path / "of_another_program"]


def test_the_versions_used_last_are_kept_whatever_the_dates_of_their_folders(tmp_path: Path) -> None:
    """Four folders were used while the clock was ten years ahead; then the clock was set right."""
    versions = [tmp_path / f"{number:016x}" for number in range(9)]
    for folder in versions:
        assert kernel_cache.prepare(folder)
        ahead = 4e9 if folder in versions[:4] else 1.7e9
        os.utime(folder, (ahead, ahead))
        assert folder.is_dir()
    assert sorted(tmp_path.iterdir()) == versions[4:]
    assert kernel_cache.prepare(versions[4])
    assert kernel_cache.prepare(versions[0])
    assert sorted(tmp_path.iterdir()) == [versions[0], versions[4], *versions[6:]], "versions[5] is longest unused"


def one_more(x: float) -> float:
    """A kernel."""
    return x + 1.0


@pytest.fixture
def warnings(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """The warnings since the last call, as in a new process."""
    monkeypatch.setattr(kernel_cache, "_has_warned", False)

    def told() -> list[str]:
        found = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
        caplog.clear()
        monkeypatch.setattr(kernel_cache, "_has_warned", False)
        return found

    return told


def hits(folder: Path, *values: Any) -> int:
    """How many overloads of the kernel came from the disk; checks its results."""
    kernel: Any = numba.njit(one_more)
    kept_kernels.keep(kernel, folder)
    assert [kernel(value) for value in values] == [value + 1 for value in values]
    return sum(kernel.stats.cache_hits.values())


def in_its_place(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGE: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "halved": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "one bit": lambda path: path.write_bytes(path.read_bytes()[:-1] + bytes([path.read_bytes()[-1] ^ 1])),
    "folder": in_its_place,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_compiled_anew_and_told_once(
    damage: str, tmp_path: Path, warnings: Callable[[], list[str]]
) -> None:
    assert hits(tmp_path, 1.0, 1) == 0
    assert hits(tmp_path, 1.0, 1) == 2
    assert warnings() == []
    for path in list(tmp_path.rglob("*.kernel")):
        DAMAGE[damage](path)
    assert hits(tmp_path, 1.0, 1) == 0
    assert len(warnings()) == 1
    if damage != "folder":  # a folder stays: another program may have created it
        assert hits(tmp_path, 1.0, 1) == 2
        assert warnings() == []


def test_machine_code_for_other_types_is_not_taken(tmp_path: Path, warnings: Callable[[], list[str]]) -> None:
    """The file says for which types it is, not only its name."""
    assert hits(tmp_path, 1.0, 1) == 0
    first, second = sorted(tmp_path.rglob("*.kernel"))
    first.write_bytes(second.read_bytes())
    assert hits(tmp_path, 1.0, 1) == 1


def test_symbols_of_machine_code_name_records_alike_in_every_process() -> None:
    """Kernels compiled in two processes would mix up their functions for discs and for spheres."""
    code = (
        "import engine.kernels, numpy as np; from numba.core.itanium_mangler import mangle_type; "
        "from numba.np.numpy_support import from_dtype; "
        "[from_dtype(np.dtype([(f'unlike_{n}', 'f8')])) for n in range(COUNT)]; "
        "print(*(mangle_type(from_dtype(np.dtype([(axis, 'f8') for axis in axes]))) for axes in ('xy', 'xyz')))"
    )
    names = [
        subprocess.run(
            [sys.executable, "-c", code.replace("COUNT", str(others))], capture_output=True, text=True, check=True
        ).stdout.split()
        for others in (0, 1)
    ]
    assert names[0] == names[1]
    assert names[0][0] != names[0][1]


def test_a_full_disk_and_a_removed_folder_cost_only_time(
    tmp_path: Path, warnings: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_bytes", full)
        assert hits(tmp_path / "cache", 1.0, 1) == 0
        (told,) = warnings()
    assert "No space left on device" in told
    assert str(tmp_path / "cache") in told
    assert hits(tmp_path / "cache", 1.0) == 0
    kernel: Any = numba.njit(one_more)
    kept_kernels.keep(kernel, tmp_path / "cache")
    shutil.rmtree(tmp_path / "cache")
    assert kernel(1.0) == 2.0
    assert hits(tmp_path / "cache", 1.0) == 1
    assert warnings() == []


def test_a_kernel_of_a_plug_in_belongs_to_the_files_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their functions may be compiled into it."""
    (tmp_path / "once.py").write_text("import numba\ndef once(x):\n    return x\n")
    (tmp_path / "other.py").write_text("y = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    once = importlib.import_module("once").once

    def from_disk() -> bool:
        kernel: Any = numba.njit(once)
        kept_kernels.keep(kernel, tmp_path / "cache")
        return kernel(1.0) == 1.0 and sum(kernel.stats.cache_hits.values()) == 1

    assert [from_disk(), from_disk()] == [False, True]
    (tmp_path / "other.py").write_text("y = 2\n")
    assert [from_disk(), from_disk()] == [False, True]


def test_the_window_is_told_what_the_engine_warns_of(tmp_path: Path, warnings: Callable[[], list[str]]) -> None:
    notices, sent = Notices(), list[Notice]()
    notices.sent.connect(sent.append)
    notices.install(tmp_path)
    try:
        kernel_cache.tell("one")
        kernel_cache.tell("another one")
    finally:
        notices.uninstall()
    assert [(notice.level, notice.text) for notice in sent] == [("warning", "One")]
