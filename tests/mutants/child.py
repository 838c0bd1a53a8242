"""A plug-in of pytest for the process that runs the tests of a mutant: it has machine code, and tells what failed.

Kernels that do not depend on what is broken have their machine code from the whole tree.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from engine.kernels import CACHE_DIR

_ASKED: dict[str, Any] = json.loads(os.environ["AGGVIEWER_MUTANT"])


def _take_machine_code(source: Path, target: Path, stale: list[str]) -> None:
    """Take machine code over into an empty folder, but that of kernels in the files `stale`."""
    if any(target.iterdir()):
        return
    beginnings = tuple(f"{Path(file).stem}." for file in stale)

    def unwanted(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if name.startswith(beginnings) and name.endswith(".kernel")]

    shutil.copytree(source, target, ignore=unwanted, copy_function=_link, dirs_exist_ok=True)


def _link(source: str, target: str) -> None:
    """Give a file a second name, or copy it to another disk: machine code is replaced, never written into."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


if _ASKED["kernels"] and CACHE_DIR is not None:
    _take_machine_code(Path(_ASKED["kernels"]), CACHE_DIR, _ASKED["stale"])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Tell of the first test that fails whether it is by an assertion."""
    report = yield
    told = Path(_ASKED["told"])
    if report.failed and call.excinfo is not None and not told.exists():
        error = call.excinfo.value
        in_time = "Timeout" not in str(error).partition("\n")[0]
        assertion = call.when == "call" and in_time and isinstance(error, AssertionError | pytest.fail.Exception)
        told.write_text(
            json.dumps({"test": report.nodeid, "assertion": assertion, "error": f"{call.when}: {error!r}"[:300]}),
            encoding="utf-8",
        )
    return report
