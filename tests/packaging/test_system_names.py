"""Nothing outside a system's rooms asks which system it is: no literal names it, no attribute is tried out, no class of
a simulation or history is asked for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.system import systems

ROOT = Path(__file__).parents[2]
ROOMS = tuple(
    Path(package, room)
    for package in ("engine", "aggviewer/systems")
    for room in ("aggregation", "hard_discs", "jamming")
)
NAMED_IN = {
    Path("aggviewer/systems/registry.py"),  # the one list of views
    Path("engine/scenario/model.py"),  # what a scenario is that says nothing
}
# modules whose functions differ from one operating system to the other, and what matplotlib draws with, which it wraps
OF_THE_MACHINE = {"os", "signal", "renderer"}
CONCRETE = {"EventDriven", "TimeStepping", "HardDiscGas", "JammingPacking", "GasHistory", "JammingHistory"}


def sources() -> list[Path]:
    return sorted(
        path.relative_to(ROOT) for package in ("engine", "aggviewer") for path in (ROOT / package).rglob("*.py")
    )


OUTSIDE = [path for path in sources() if not any(path.is_relative_to(room) for room in ROOMS)]


def texts(tree: ast.AST) -> Iterator[ast.Constant]:
    """Every text in the code but docstrings and other statements that are a text alone."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node


def called(node: ast.AST) -> str:
    """The name of the function that is called, empty for anything else."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


NAMES = {system.name for system in systems() if not system.origin}
TOLD_BY = re.compile("|".join(sorted(map(re.escape, {"hasattr", "getattr"} | CONCRETE | NAMES))))
"""What a file holds that does anything of this: others need not be read."""


def offences(path: Path, text: str) -> list[str]:
    """What a file does that it must not, with the line."""
    if not TOLD_BY.search(text):
        return []
    tree = ast.parse(text, str(path))
    found = []
    if path not in NAMED_IN:
        found += [f"{path}:{node.lineno} names {node.value}" for node in texts(tree) if node.value in NAMES]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or len(node.args) < 2:
            continue
        first, second = node.args[:2]
        machine = isinstance(first, ast.Name) and first.id in OF_THE_MACHINE
        if called(node) == "hasattr" and not machine:
            found.append(f"{path}:{node.lineno} hasattr")
        if called(node) == "getattr" and isinstance(second, ast.Constant) and not machine:
            found.append(f"{path}:{node.lineno} getattr of {second.value!r}")
        if called(node) == "isinstance":
            asked = {one.id for one in ast.walk(second) if isinstance(one, ast.Name)} & CONCRETE
            found += [f"{path}:{node.lineno} isinstance of {name}" for name in sorted(asked)]
    return found


@pytest.mark.parametrize("package", ["engine", "aggviewer"])
def test_no_file_outside_the_rooms_asks_which_system_it_is(package: str) -> None:
    found = [
        offence
        for path in OUTSIDE
        if path.parts[0] == package
        for offence in offences(path, (ROOT / path).read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "offence"),
    [
        ('if scenario.system == "jamming": pass', "names jamming"),
        ('WORDS = {"hard-discs": "bounce"}', "names hard-discs"),
        ('match system:\n    case "aggregation": pass', "names aggregation"),
        ('packing = getattr(simulation, "packing", None)', "getattr of 'packing'"),
        ('if hasattr(simulation, "interrupt"): pass', "hasattr"),
        ("if isinstance(history, (GasHistory, int)): pass", "isinstance of GasHistory"),
    ],
)
def test_each_of_these_would_be_found(text: str, offence: str) -> None:
    (found,) = offences(Path("aggviewer/window/new.py"), text)
    assert found.endswith(offence)


def test_names_of_systems_outside_conditions_are_allowed() -> None:
    text = '"""aggregation"""\nx = "aggregation.method"\nhasattr(os, "setpriority")\ngetattr(items, field)\n'
    assert offences(Path("aggviewer/window/new.py"), text) == []
