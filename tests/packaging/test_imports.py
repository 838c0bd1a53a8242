"""The graph of imports: no file depends on itself by way of others, no kernel on what its cache leaves out.

Imports for type checking count.
"""

from __future__ import annotations

import re
from pathlib import Path

import grimp
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from engine.kernel_cache import WITHOUT_KERNELS, reaches_kernels

ROOT = Path(__file__).parents[2]
DECORATORS = ("engine.kernels", "engine.inner")


def _circles(graph: grimp.ImportGraph) -> list[list[str]]:
    """The sets of modules that reach one another."""
    names = sorted(graph.modules)
    place = {name: number for number, name in enumerate(names)}
    pairs = [(place[a], place[b]) for a in names for b in graph.find_modules_directly_imported_by(a)]
    rows, columns = zip(*pairs, strict=True)
    links = coo_array(([1] * len(pairs), (rows, columns)), shape=(len(names), len(names)))
    count, labels = connected_components(links, directed=True, connection="strong")
    circles: list[list[str]] = [[] for _ in range(count)]
    for name, label in zip(names, labels.tolist(), strict=True):
        circles[label].append(name)
    return [circle for circle in circles if len(circle) > 1]


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Who imports whom, wherever in a file."""
    return grimp.build_graph("engine", "aggviewer", "resources", cache_dir=None)


def test_circles_are_found() -> None:
    graph = grimp.ImportGraph()
    for importer, imported in ("ab", "bc", "ca", "da"):
        graph.add_import(importer=importer, imported=imported)
    assert _circles(graph) == [["a", "b", "c"]]


def test_no_file_depends_on_itself(graph: grimp.ImportGraph) -> None:
    assert len(graph.modules) > 300
    assert _circles(graph) == []


def test_kernels_use_nothing_of_the_folders_that_their_cache_does_not_depend_on(graph: grimp.ImportGraph) -> None:
    """A change in these keeps the machine code, which would be wrong where a kernel is compiled from them."""
    users = set().union(*map(graph.find_modules_that_directly_import, DECORATORS))
    kernels = {name for name in users if name.startswith("engine.")}
    assert "engine.hard_discs.loop" in kernels
    behind = kernels.union(*map(graph.find_upstream_modules, kernels))
    assert "engine.geometry.impact" in behind
    engine = ROOT / "engine"
    for left_out in WITHOUT_KERNELS:
        assert (engine / left_out).exists()
        if left_out.endswith(".py"):  # numba's name of a tuple's type does not tell its fields
            assert not re.search(r"\(NamedTuple|namedtuple|numba", (engine / left_out).read_text()), left_out
    names = {path: ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in engine.rglob("*.py")}
    left = [name.removesuffix(".__init__") for path, name in names.items() if not reaches_kernels(path)]
    assert len(left) > len(WITHOUT_KERNELS)
    assert sorted(behind.intersection(left)) == []
