"""A small break of the program, and the run of the tests that must see it, in a copy of the tree."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path

from engine.kernels import CACHE_DIR

ROOT = Path(__file__).parents[2]
CODE = ("engine", "aggviewer")
_COPIED = (*CODE, "resources", "tests", "benchmarks", "docs", "pyproject.toml")
_LONGEST = 1200.0  # seconds of all tests of one mutant: one that changes a kernel has it compiled

DIED, SURVIVED = "died", "survived"


@dataclass(frozen=True)
class Mutant:
    """A change of one place of one file that tests must not pass.

    Parameters
    ----------
    name : short, unique.
    file : relative to the root of the tree.
    text : of the file, where it occurs once.
    instead : what takes its place.
    tests : names of test functions, wherever they are in ``tests``, or ``folder/file.py::function`` where several files
        have a function of that name.
    breaks : what is wrong with the program then, in a line.
    """

    name: str
    file: str
    text: str
    instead: str
    tests: tuple[str, ...]
    breaks: str


@dataclass(frozen=True)
class Outcome:
    """What the tests said of a mutant.

    Parameters
    ----------
    mutant : which one.
    verdict : `DIED` if an assertion of a test failed, `SURVIVED` if all tests passed, else what happened.
    by : the test whose assertion failed, "" if none.
    seconds : that the run took.
    """

    mutant: Mutant
    verdict: str
    by: str
    seconds: float


@cache
def _files_of_tests() -> dict[str, list[str]]:
    """The files with a test function, relative to the root, by the name of the function."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in re.findall(r"^def (test_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            found.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    return found


def place_of(test: str) -> str:
    """What pytest calls a test of `Mutant.tests`. Raises ValueError if there is not exactly one of this name."""
    if test.startswith("tests/"):
        return test
    folder, _, name = test.rpartition("::")
    files = [file for file in _files_of_tests().get(name, []) if file.endswith(folder)]
    if len(files) != 1:
        raise ValueError(f"there are {len(files)} tests {test}: {', '.join(files)}")
    return f"{files[0]}::{name}"


def copy_of_the_tree(target: Path) -> Path:
    """Copy what tests need into `target`, a folder that does not exist."""
    target.mkdir()
    for name in _COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
        elif source.exists():
            shutil.copy2(source, target / name)
    return target


def try_mutant(mutant: Mutant, tree: Path) -> Outcome:
    """Break a copy of the tree (see `copy_of_the_tree`), run the tests of the mutant in it, and repair it."""
    file = tree / mutant.file
    original = file.read_text(encoding="utf-8")
    if original.count(mutant.text) != 1:
        raise ValueError(f"{mutant.name}: its text occurs {original.count(mutant.text)} times in {mutant.file}")
    began = time.monotonic()
    _write(file, original.replace(mutant.text, mutant.instead))
    try:
        verdict, by = run_tests(mutant.tests, tree, depending_on(mutant.file))
    finally:
        _write(file, original)
    return Outcome(mutant, verdict, by, time.monotonic() - began)


def _write(file: Path, text: str) -> None:
    """Write a source file, and remove its bytecode: Python would use that of a text of the same length that was written
    in the same second."""
    file.write_text(text, encoding="utf-8")
    Path(cache_from_source(str(file))).unlink(missing_ok=True)


def run_tests(tests: Iterable[str], tree: Path, stale: Collection[str] = ()) -> tuple[str, str]:
    """Run tests (see `Mutant.tests`) in a copy of the tree until one fails.

    stale : files whose kernels are compiled anew.

    Returns
    -------
    The verdict (see `Outcome`), and the test that failed, "" if none.
    """
    told = tree.with_name(f"{tree.name}-failure.json")
    told.unlink(missing_ok=True)
    asked = {"told": str(told), "kernels": str(CACHE_DIR or ""), "stale": sorted(stale)}
    environment = os.environ | {
        "PYTHONPATH": str(tree),
        "PYTHONDONTWRITEBYTECODE": "",  # the tests of many mutants import the same files
        "NUMBA_CACHE_DIR": str(tree.with_name(f"{tree.name}-kernels")),
        "AGGVIEWER_MUTANT": json.dumps(asked),
    }
    command = [sys.executable, "-m", "pytest", "-p", "tests.mutants.child", "--no-xvfb", "-x", "-q", "--timeout=600",
               *map(place_of, tests)]  # fmt: skip
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LONGEST
        )
    except subprocess.TimeoutExpired:
        return f"no end within {_LONGEST:g} s", ""
    if done.returncode == 0:
        return SURVIVED, ""
    failure = json.loads(told.read_text(encoding="utf-8")) if told.exists() else {}
    if failure.get("assertion"):
        return DIED, failure["test"]
    last = (done.stdout + done.stderr).decode(errors="replace").strip().splitlines()[-25:]
    return f"{failure.get('error', f'exit {done.returncode}')}\n" + "\n".join(last), failure.get("test", "")


def depending_on(file: str) -> set[str]:
    """Files with kernels that import names from this one, directly or through others, and the file itself, relative to
    the root.

    The code of a function that only kernels call is linked into kernels of other files.
    """
    imports = _imports_of_kernels()
    found: set[str] = set()
    new = {file}
    while new:
        found |= new
        new = {name for name, others in imports.items() if others & new} - found
    return found if file in imports else {file}


@cache
def _imports_of_kernels() -> dict[str, set[str]]:
    """The files with kernels, and the files of the program that each of them imports names from; relative to the
    root."""
    found: dict[str, set[str]] = {}
    for path in (path for folder in CODE for path in (ROOT / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "from engine.kernels import" not in text:
            continue
        nodes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom) and node.module)
        names = {name for node in nodes for name in (node.module, *(f"{node.module}.{a.name}" for a in node.names))}
        files = {Path(*str(name).split(".")).with_suffix(".py") for name in names}
        found[path.relative_to(ROOT).as_posix()] = {one.as_posix() for one in files if (ROOT / one).is_file()}
    return found


def table(outcomes: Sequence[Outcome]) -> str:
    """A line for each mutant: name, died or survived, seconds, and the test that saw it."""
    rows = [(one.mutant.name, one.verdict.partition("\n")[0], f"{one.seconds:.0f} s", one.by) for one in outcomes]
    if not rows:
        return ""
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    lines = [f"{a:{widths[0]}}  {b:{widths[1]}}  {c:>{widths[2]}}  {d}".rstrip() for a, b, c, d in rows]
    died = sum(one.verdict == DIED for one in outcomes)
    return "\n".join([*lines, f"{died} of {len(rows)} mutants died"])
