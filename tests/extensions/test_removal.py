"""Each extension can be taken out: its folder and its name in the list, and nothing else."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aggviewer.extensions import EXTENSIONS

PROJECT = Path(__file__).parents[2]
QUICK = "merging"  # the others are taken out by make soak
SPINE = ("document", "session", "parameters", "plots", "widgets", "window")
"""Folders of tests whose files run without an extension, apart from files that import one."""


def copy_without(name: str, folder: Path) -> Path:
    """A copy of the program without an extension."""
    copy = folder / "copy"
    shutil.copytree(PROJECT / "aggviewer", copy / "aggviewer", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(copy / "aggviewer" / "extensions" / name)
    names = copy / "aggviewer" / "extensions" / "__init__.py"
    text, taken = re.subn(rf'    "{name}",\n', "", names.read_text(encoding="utf-8"))
    assert taken == 1
    names.write_text(text, encoding="utf-8")
    for shared in ("engine", "resources", "tests", "docs", "pyproject.toml"):
        (copy / shared).symlink_to(PROJECT / shared)
    return copy


def run_in(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a copy of the program."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == QUICK else pytest.mark.slow) for name in EXTENSIONS]
)
def test_the_window_runs_undoes_saves_and_reopens_without_an_extension(name: str, tmp_path: Path) -> None:
    copy = copy_without(name, tmp_path)
    done = run_in(copy, str(PROJECT / "tests" / "extensions" / "spine_alone.py"), str(tmp_path), *EXTENSIONS)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["without:", name, "from", str(copy)]


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", EXTENSIONS)
def test_the_tests_of_the_spine_pass_without_an_extension(name: str, tmp_path: Path) -> None:
    copy = copy_without(name, tmp_path)
    files = [path for folder in SPINE for path in (PROJECT / "tests" / folder).rglob("test_*.py")]
    alone = [path for path in files if "aggviewer.extensions" not in path.read_text(encoding="utf-8")]
    assert len(alone) > 0.7 * len(files)
    chosen = [str(path.relative_to(PROJECT)) for path in alone]
    done = run_in(
        copy, "-m", "pytest", "--no-xvfb", "--benchmark-disable", "-q", "-n0", "-m", "not slow", *sorted(chosen)
    )
    assert done.returncode == 0, done.stdout[-4000:]
