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


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == QUICK else pytest.mark.slow) for name in EXTENSIONS]
)
def test_the_window_runs_undoes_saves_and_reopens_without_an_extension(name: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(PROJECT / "aggviewer", copy / "aggviewer", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(copy / "aggviewer" / "extensions" / name)
    names = copy / "aggviewer" / "extensions" / "__init__.py"
    text, taken = re.subn(rf'    "{name}",\n', "", names.read_text(encoding="utf-8"))
    assert taken == 1
    names.write_text(text, encoding="utf-8")
    for shared in ("engine", "resources", "tests", "pyproject.toml"):
        (copy / shared).symlink_to(PROJECT / shared)
    script = PROJECT / "tests" / "extensions" / "spine_alone.py"
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path), *EXTENSIONS],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["without:", name, "from", str(copy)]
