"""The child process that fills the cache: it is told of, ended, and not run twice."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from aggviewer.session import precompile
from engine.system import systems
from tests.session.driving import until


class StopError(Exception):
    """What the session raises out of a report when it closes."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "kernels"
    monkeypatch.setattr("engine.kernels.CACHE_DIR", folder)
    return folder


def child(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(precompile, "_CHILD", code)


def test_progress_is_passed_on_and_a_full_cache_is_left_alone(
    cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    go_on = tmp_path / "go_on"
    child(
        monkeypatch,
        "import pathlib, time\n"
        "print(2, 7, 'two words', flush=True)\n"
        f"while not pathlib.Path({str(go_on)!r}).exists(): time.sleep(0.01)",
    )
    told: list[tuple[int, int, str]] = []

    def report(done: int, total: int, what: str) -> None:
        told.append((done, total, what))
        if what == "two words":
            go_on.touch()

    precompile.fill_cache(report)
    assert told[-1] == (2, 7, "two words")
    told.clear()
    precompile.fill_cache(report)
    assert told == []


def test_the_child_ends_when_the_session_closes(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    child(
        monkeypatch,
        f"import os, pathlib, time\npathlib.Path({str(pid_file)!r}).write_text(str(os.getpid()))\n"
        "print(1, 2, 'long', flush=True)\ntime.sleep(600)",
    )

    def report(done: int, total: int, what: str) -> None:
        if what == "long":
            raise StopError

    begun = time.monotonic()
    with pytest.raises(StopError):
        precompile.fill_cache(report)
    assert time.monotonic() - begun < 300.0
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    assert not (cache / "complete-engine.txt").exists()


def test_a_child_that_fails_leaves_the_cache_to_this_process(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, "raise SystemExit(3)")
    precompile.fill_cache(lambda done, total, what: None)
    assert not (cache / "complete-engine.txt").exists()


def test_changed_sources_are_compiled_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, "")
    precompile.fill_cache(lambda done, total, what: None)
    marker = cache / "complete-engine.txt"
    assert precompile._is_current(marker, "engine")
    os.utime(marker, ns=(0, 0))  # as if the sources had been written since
    assert not precompile._is_current(marker, "engine")
    marker.write_text("another Python")
    assert not precompile._is_current(marker, "engine")


def test_each_module_has_a_cache_to_fill_and_sources_of_its_own(
    cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "painting"
    package.mkdir()
    (package / "__init__.py").write_text("")
    source = package / "warm.py"
    source.write_text(f"import pathlib\ndef warm_up(report):\n    pathlib.Path({str(tmp_path / 'warmed')!r}).touch()\n")
    precompile.fill_cache(lambda done, total, what: None, "painting.warm")
    assert (tmp_path / "warmed").exists()
    marker = cache / "complete-painting.warm.txt"
    assert precompile._is_current(marker, "painting.warm")
    assert not (cache / "complete-engine.txt").exists()
    later = marker.stat().st_mtime_ns + 10**9
    os.utime(source, ns=(later, later))
    assert not precompile._is_current(marker, "painting.warm")


def test_nothing_is_done_without_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.kernels.CACHE_DIR", None)
    child(monkeypatch, "raise SystemExit(3)")
    precompile.fill_cache(lambda done, total, what: pytest.fail("a child was started"))


def test_two_programs_do_not_do_the_same_work(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    starts, go_on = tmp_path / "starts", tmp_path / "go_on"
    child(
        monkeypatch,
        f"import pathlib, time\nwith open({str(starts)!r}, 'a') as file: file.write('x')\n"
        "print(1, 2, 'half', flush=True)\n"
        f"while not pathlib.Path({str(go_on)!r}).exists(): time.sleep(0.01)",
    )
    told: list[list[str]] = [[], []]

    def report(of: int) -> Callable[[int, int, str], None]:
        def tell(done: int, total: int, what: str) -> None:
            told[of].append(what)
            if all("half" in one for one in told):  # who waits is told what the other one has done
                go_on.touch()

        return tell

    threads = [threading.Thread(target=precompile.fill_cache, args=(report(k), "engine")) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert starts.read_text() == "x"


def test_the_rest_gives_way_and_goes_on_afterwards(
    cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log, go_on = tmp_path / "log", tmp_path / "go_on"
    child(
        monkeypatch,
        "import os, pathlib, sys, time\n"
        f"with open({str(log)!r}, 'a') as file: print(sys.argv[3], os.nice(0), os.sched_getscheduler(0), file=file)\n"
        f"while sys.argv[3] == 'slow' and not pathlib.Path({str(go_on)!r}).exists(): time.sleep(0.01)",
    )
    monkeypatch.setattr(precompile, "_sources", lambda module: [])

    def lines() -> list[str]:
        return log.read_text().splitlines() if log.exists() else []

    rest = precompile.Rest([("slow",), ("other",)])
    rest.start()
    until(lambda: len(lines()) == 1)
    precompile.fill_cache(lambda done, total, what: None, "wanted")
    assert lines()[1].startswith("wanted ")
    go_on.touch()
    until(lambda: (cache / "complete-other.txt").exists())
    assert [line.split()[0] for line in lines()] == ["slow", "wanted", "slow", "other"]
    assert int(lines()[3].split()[1]) == 19
    rest.close()
    assert not rest._thread.is_alive()


def test_closing_ends_the_child_of_the_rest(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    child(
        monkeypatch,
        f"import os, pathlib, time\npathlib.Path({str(pid_file)!r}).write_text(str(os.getpid()) + ' ')\n"
        "time.sleep(600)",
    )
    rest = precompile.Rest([("engine", "jamming")])
    rest.start()
    until(lambda: pid_file.exists() and pid_file.read_text().endswith(" "))
    rest.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    precompile.Rest([]).close()  # one that has not begun


def test_a_child_that_nobody_waits_for_goes_on_and_is_found_again(
    cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pids, go_on = tmp_path / "pids", tmp_path / "go_on"
    child(
        monkeypatch,
        f"import os, pathlib, time\nwith open({str(pids)!r}, 'a') as file: print(os.getpid(), file=file)\n"
        f"print(1, 2, 'long', flush=True)\nwhile not pathlib.Path({str(go_on)!r}).exists(): time.sleep(0.01)",
    )

    def leave(done: int, total: int, what: str) -> None:
        if what == "long":
            raise precompile.LeaveError

    for _ in range(2):
        with pytest.raises(precompile.LeaveError):
            precompile.fill_cache(leave, "painting")
    (pid,) = map(int, pids.read_text().split())
    os.kill(pid, 0)
    go_on.touch()
    precompile.fill_cache(lambda done, total, what: None, "painting")
    assert (cache / "complete-painting.txt").exists()
    assert pids.read_text().split() == [str(pid)], "the work of the first one was used"

    go_on.unlink()
    with pytest.raises(precompile.LeaveError):
        precompile.fill_cache(leave, "other")
    precompile.end_left()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pids.read_text().split()[-1]), 0)
    assert not (cache / "complete-other.txt").exists()


def test_a_child_without_its_parent_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "endless.py").write_text("import time\ndef warm_up(report):\n    time.sleep(600)\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    nobody = 2**22 + 1  # above the largest number of a process
    done = subprocess.run(
        [sys.executable, "-P", "-c", precompile._CHILD, str(nobody), "part", "endless"],
        env=environment,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1


def test_a_folder_that_cannot_be_written_leaves_it_to_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("engine.kernels.CACHE_DIR", tmp_path / "file" / "kernels")
    child(monkeypatch, "raise SystemExit(3)")
    precompile.fill_cache(lambda done, total, what: pytest.fail("a child was started"))


def test_all_sets_of_kernels_and_the_picture_are_parts() -> None:
    parts = precompile.all_parts()
    assert precompile.PICTURE in parts
    sets = {name for system in systems() if not system.origin for name in system.kernel_sets()}
    assert {part[1] for part in parts if part[0] == "engine"} == sets
    assert len(set(parts)) == len(parts)
    importlib.import_module(precompile.PICTURE[0]).warm_up  # noqa: B018


@pytest.mark.slow
def test_an_empty_cache_is_filled_by_several_processes_and_nothing_is_left_to_compile(tmp_path: Path) -> None:
    """The kernel that has a process of its own is found by the others: it is compiled for the right types."""
    code = (
        "from aggviewer.session.precompile import fill_cache\n"
        "fill_cache(lambda done, total, what: None, 'engine', 'event-driven')\n"
        "from engine.kernels import CACHE_DIR\n"
        "before = sorted(CACHE_DIR.rglob('*.nbc'))\n"
        "import engine\n"
        "engine.warm_up()\n"
        "assert before and sorted(CACHE_DIR.rglob('*.nbc')) == before\n"
        "assert len([path for path in before if path.name.startswith('loop.run')]) == 1, before\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-P", "-c", code], env=environment, timeout=600, check=True)
