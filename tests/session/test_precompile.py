"""The child process that fills the cache: it is told of, goes on without those who wait, and is not run twice."""

from __future__ import annotations

import importlib
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from aggviewer.session import precompile
from engine.system import systems
from tests.session.driving import PATIENCE, until


class StopError(Exception):
    """What somebody who does not wait any more raises out of a report."""


MakeModule = Callable[[str, str], Path]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "kernels"
    monkeypatch.setattr("engine.kernels.CACHE_DIR", folder)
    yield folder
    precompile.end_children()


@pytest.fixture
def make_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeModule:
    """Makes a module with a function ``warm_up`` that has this body; returns its file. In it, `pids` appends the number
    of the process to a file, and `wait` waits until there is the file ``go_on``."""
    monkeypatch.syspath_prepend(tmp_path)

    def make(name: str, body: str) -> Path:
        package = tmp_path / name
        package.mkdir()
        source = package / "__init__.py"
        source.write_text(
            "import os, pathlib, time\n"
            f"folder = pathlib.Path({str(tmp_path)!r})\n"
            "def pids():\n    with open(folder / 'pids', 'a') as file: print(os.getpid(), file=file)\n"
            "def wait():\n    while not (folder / 'go_on').exists(): time.sleep(0.01)\n"
            f"def warm_up(report):\n    pids()\n    {body}\n"
        )
        return source

    return make


def nobody(done: int, total: int, what: str) -> None:
    """A report that tells nobody."""


def unwanted(done: int, total: int, what: str) -> None:
    pytest.fail("a child was started")


def leave_at(word: str) -> precompile.Report:
    def report(done: int, total: int, what: str) -> None:
        if what == word:
            raise StopError

    return report


def test_progress_is_passed_on_and_a_full_cache_is_left_alone_until_its_sources_change(
    cache: Path, make_module: MakeModule, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = make_module("painting", "report(2, 7, 'two words'); wait()")
    told: list[tuple[int, int, str]] = []

    def report(done: int, total: int, what: str) -> None:
        told.append((done, total, what))
        if what == "two words":
            (tmp_path / "go_on").touch()

    precompile.fill_cache(report, "painting")
    assert told[-1] == (2, 7, "two words")
    assert not caplog.records, "the child has ended well"
    precompile.fill_cache(unwanted, "painting")
    complete = precompile.files_of(cache, ("painting",)).complete
    assert precompile.is_current(complete, "painting")
    later = complete.stat().st_mtime_ns + 10**18
    os.utime(source, ns=(later, later))
    assert precompile.is_current(complete, "painting"), "dates say nothing, since a clock may have been wrong"
    date = source.stat()
    source.write_text(source.read_text() + "# changed")
    os.utime(source, ns=(date.st_atime_ns, 10**9))
    assert not precompile.is_current(complete, "painting")
    complete.write_text("another Python")
    assert not precompile.is_current(complete, "painting")


@pytest.mark.slow
def test_a_child_that_nobody_waits_for_goes_on_and_is_found_again(
    cache: Path, make_module: MakeModule, tmp_path: Path
) -> None:
    make_module("painting", "report(1, 2, 'long'); wait()")
    for _ in range(2):
        with pytest.raises(StopError):
            precompile.fill_cache(leave_at("long"), "painting")
    (tmp_path / "go_on").touch()
    precompile.fill_cache(nobody, "painting")
    assert precompile.files_of(cache, ("painting",)).complete.exists()
    assert len((tmp_path / "pids").read_text().split()) == 1, "the work of the first one was used"


def test_no_child_is_left_in_the_end(cache: Path, make_module: MakeModule, tmp_path: Path) -> None:
    make_module("painting", "report(1, 2, 'long'); wait()")
    with pytest.raises(StopError):
        precompile.fill_cache(leave_at("long"), "painting")
    pid = int((tmp_path / "pids").read_text())
    os.kill(pid, 0)
    precompile.end_children()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert not precompile.files_of(cache, ("painting",)).complete.exists()


def test_a_child_without_its_parent_ends(make_module: MakeModule, tmp_path: Path) -> None:
    make_module("endless", "wait()")
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", precompile.CHILD, str(tmp_path), "endless"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.PIPE,
    )
    until(lambda: (tmp_path / "pids").exists())
    child.stdin.close()
    assert child.wait(PATIENCE) == 1


def test_a_child_that_fails_leaves_the_cache_to_this_process_and_the_reason_to_the_log(
    cache: Path, make_module: MakeModule, caplog: pytest.LogCaptureFixture
) -> None:
    make_module("painting", "raise RuntimeError('no such processor')")
    with caplog.at_level(logging.WARNING):
        precompile.fill_cache(nobody, "painting")
    assert "no such processor" in caplog.text
    assert not precompile.files_of(cache, ("painting",)).complete.exists()


@pytest.mark.slow
def test_a_program_waits_for_kernels_that_another_one_compiles(
    cache: Path, make_module: MakeModule, tmp_path: Path
) -> None:
    make_module("painting", "pass")
    files = precompile.files_of(cache, ("painting",))
    cache.mkdir()
    files.progress.write_text("1 2 half\n")
    told: list[str] = []
    with FileLock(str(files.lock)):
        waiting = threading.Thread(
            target=precompile.fill_cache, args=(lambda done, total, what: told.append(what), "painting")
        )
        waiting.start()
        until(lambda: "half" in told)
        files.complete.write_text(precompile.code_inputs("painting"))
    waiting.join()
    assert not (tmp_path / "pids").exists(), "nothing is compiled twice"


def test_no_child_is_started_without_a_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.kernels.CACHE_DIR", None)
    precompile.fill_cache(unwanted)


def test_a_folder_that_cannot_be_written_leaves_it_to_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("engine.kernels.CACHE_DIR", tmp_path / "file" / "kernels")
    precompile.fill_cache(unwanted)


def test_all_sets_of_kernels_and_the_picture_are_parts() -> None:
    parts = precompile.all_parts()
    assert precompile.PICTURE in parts
    sets = {name for system in systems() if not system.origin for name in system.kernel_sets()}
    assert {part[1] for part in parts if part[0] == "engine"} == sets
    assert len(set(parts)) == len(parts)
    importlib.import_module(precompile.PICTURE[0]).warm_up  # noqa: B018


@pytest.mark.slow
def test_a_child_compiles_every_kernel_into_an_empty_cache(tmp_path: Path) -> None:
    code = (
        "from aggviewer.session.precompile import fill_cache\n"
        "fill_cache(lambda done, total, what: None, 'engine', 'event-driven')\n"
        "from engine.kernels import CACHE_DIR\n"
        "before = sorted(CACHE_DIR.rglob('*.kernel'))\n"
        "import engine\n"
        "engine.warm_up()\n"
        "assert before and sorted(CACHE_DIR.rglob('*.kernel')) == before\n"
        "assert len([path for path in before if path.name.startswith('loop.run')]) == 1, before\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-P", "-c", code], env=environment, timeout=600, check=True)
