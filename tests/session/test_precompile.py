"""The child process that fills the cache: it is told of, ended, and not run twice."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from aggviewer.session import precompile


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
