"""The graph of imports: no file depends on itself by way of others, no kernel on what its cache leaves out.

Imports for type checking count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from engine.kernels import WITHOUT_KERNELS

ROOT = Path(__file__).parents[2]
WINDOW = "aggviewer.window.main_window"


def _modules(packages: tuple[str, ...]) -> dict[str, Path]:
    found = {}
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements of a module, those within others too; expressions hold no imports."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, field, ()):
            yield inner
            yield from _statements(inner)


def _imports(name: str, path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules that a file names in its imports, wherever they stand."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in _statements(_tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            inner = {f"{base}.{alias.name}" for alias in node.names}
            found |= {one if one in modules else base for one in inner}
    return {one for one in found if one in modules and one != name}


def _decorates(path: Path) -> bool:
    """Whether a file imports the decorators of kernels, at its head; imports within functions have other uses."""
    imports = (node for node in _tree(path).body if isinstance(node, ast.ImportFrom))
    return any(node.module in ("engine.kernels", "engine.inner") for node in imports)


def _circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The sets of modules that reach one another (Tarjan's algorithm, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []
    for start in graph:
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    work.append((other, iter(sorted(graph[other]))))
                    break
                if other in stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    circle, stack[at:] = sorted(stack[at:]), []
                    if len(circle) > 1:
                        found.append(circle)
    return found


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    """Module to the modules that it imports."""
    modules = _modules(("engine", "aggviewer", "resources"))
    return {name: _imports(name, path, modules) for name, path in modules.items()}


def test_circles_are_found() -> None:
    assert _circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set()}) == [["a", "b", "c"]]


def test_no_file_depends_on_itself(graph: dict[str, set[str]]) -> None:
    assert len(graph) > 300
    assert _circles(graph) == []


def test_nobody_imports_the_window_but_its_start_and_the_demonstration(graph: dict[str, set[str]]) -> None:
    assert {name for name, found in graph.items() if WINDOW in found} == {
        "aggviewer.window.app",
        "aggviewer.window.from_python",
        "aggviewer.window.demo",
    }


def test_kernels_use_nothing_of_the_folders_that_their_cache_does_not_depend_on(graph: dict[str, set[str]]) -> None:
    """A change in these keeps the machine code, which would be wrong where a kernel is compiled from them."""
    kernels = {name for name, path in _modules(("engine",)).items() if _decorates(path)}
    assert "engine.hard_discs.loop" in kernels
    behind, rest = set(), sorted(kernels)
    while rest:
        name = rest.pop()
        if name not in behind:
            behind.add(name)
            rest += graph[name]
    assert "engine.geometry.swept" in behind
    for folder in WITHOUT_KERNELS:
        assert (ROOT / "engine" / folder).is_dir()
        assert [name for name in sorted(behind) if name.split(".")[:2] == ["engine", folder]] == []
