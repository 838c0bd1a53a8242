"""Which words are commands, which are files, and what is imported for them."""

from __future__ import annotations

import atexit
import gc
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import engine
from aggviewer.__main__ import main
from tests.cli.conftest import Call
from tests.extension.conftest import POINTS


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Calls of `run_window`, which opens nothing here."""
    calls: list[list[str]] = []
    module = ModuleType("aggviewer.window.app")

    def run_window(files: list[str]) -> int:
        calls.append(files)
        return 0

    module.run_window = run_window  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "aggviewer.window.app", module)
    return calls


def test_files_and_names_open_the_window(
    opened: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my.toml").write_text("seed = 1\n", encoding="utf-8")
    Path("state.csv").write_text("broken", encoding="utf-8")  # the window tells what is wrong inside
    for arguments in ([], ["lattice-2500"], ["my.toml"], ["state.csv", "my.toml"]):
        assert main(arguments) == 0
        assert opened[-1] == arguments


def test_the_status_of_the_window_is_that_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("aggviewer.window.app")
    module.run_window = lambda files: 3  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "aggviewer.window.app", module)
    assert main([]) == 3


def test_help_and_version(call: Call) -> None:
    assert call("--version").out == f"aggviewer {engine.__version__}\n"
    for arguments in (("--help",), ("run", "--help"), ("analyse", "--help"), ("doctor", "--help")):
        done = call(*arguments)
        assert done.status == 0
        assert "Usage" in done.out
    assert "--until-clusters" in call("run", "--help").out


def test_version_is_that_of_the_package() -> None:
    import tomllib

    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["project"]["version"] == engine.__version__


def test_large_libraries_are_imported_on_use() -> None:
    calls = [["doctor", "--help"], ["--version"], ["missing.toml"], ["--plugin", str(POINTS), "run", "--help"]]
    code = (
        "import json, sys; from aggviewer.__main__ import main; "
        "[main(arguments) for arguments in json.loads(sys.argv[1])]; "
        "sys.stderr.write('loaded ' + ','.join(m for m in ('numba', 'scipy', 'PyQt6', 'vispy', 'gsd') "
        "if m in sys.modules) + '.')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(calls)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stderr.endswith("loaded .")


def test_python_ends_without_a_last_look_for_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all objects of all libraries, which took up to half a second."""
    at_the_end: list[object] = []
    monkeypatch.setattr(atexit, "register", at_the_end.append)
    main(["scenarios"])
    assert gc.freeze in at_the_end
