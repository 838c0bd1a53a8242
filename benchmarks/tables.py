"""Tables of Markdown, and those of speed that stand in docs/, made from what was kept of the benchmarks.

    python -m benchmarks.tables [--write]

The newest figures of `benchmarks.history` are taken. `--write` puts the tables between the marks of their pages, as
``<!-- speed: begin -->``; without it they are printed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.history import Figure, newest

DOCS = Path(__file__).parents[1] / "docs"
_TARGET = {10_000: "0.1 s", 100_000: "1.3 s", 1_000_000: "10 s"}  # what the project aims at
_AGGREGATION = "test_event_driven_speed.py::"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    return ["| " + " | ".join(row) + " |" for row in (heads, ["---"] * len(heads), *rows)]


def put(page: str, name: str, lines: Sequence[str]) -> None:
    """Replace what stands between ``<!-- name: begin -->`` and ``<!-- name: end -->`` of a page of docs/."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    document = (DOCS / page).read_text(encoding="utf-8")
    head, rest = document.split(begin)
    tail = rest.split(end)[1]
    (DOCS / page).write_text("\n".join([head + begin, *lines, end + tail]), encoding="utf-8")


def spaced(count: int) -> str:
    """10000 as 10 000."""
    return f"{count:,}".replace(",", " ")


def to_one_cluster(found: dict[str, Figure]) -> list[str]:
    """Times to one cluster with the work per merge, memory, and the method that looks at all pairs."""
    rows = []
    runs = _of(found, f"{_AGGREGATION}test_to_one_cluster[")
    for run in runs:
        extra = run["extra"]
        work = [extra["work per merge"][name] for name in ("pair_walks", "node_visits", "disc_tests")]
        per_merge = ", ".join(f"{value:.1f}" for value in work) + f", {extra['events per merge']['horizon']:.2f}"
        count = extra["discs"]
        rows.append([spaced(count), f"{run['median']:.3g} s", _TARGET.get(count, ""), per_merge])
    heads = ["N", "time", "target", "per merge: tree walks, node pairs visited, disc pairs tested, horizons"]
    median = {run["extra"]["discs"]: run["median"] for run in runs}
    exponent = math.log(median[1_000_000] / median[10_000]) / math.log(100)
    memory, largest, pairs = (
        found[f"{_AGGREGATION}{name}"]["extra"]
        for name in ("test_memory_of_a_million", "test_ten_million", "test_all_pairs_reference_at_2500")
    )
    from_nothing, peak, whole = largest["from nothing, s"], largest["peak memory, MB"], pairs["all-pairs run, s"]
    size, lattice, method = (
        "10 000 000 discs",
        "building the lattice",
        "The all-pairs method, also compiled and timed on its first events",
    )
    words = [
        f"The cost grows as N^{exponent:.2f} from 10⁴ to 10⁶ (target 1.15).",
        f"Peak memory of the process at 10⁶: {memory['peak memory, MB']} MB.",
        f"{size}: {from_nothing:.0f} s including {lattice} (target 300 s), peak memory {peak} MB (target 8000).",
        f"{method}, would take {whole:.0f} s for N = 2 500.",
    ]
    return [*_measured(runs), *table(heads, rows), "", *words]


def in_the_window(found: dict[str, Figure]) -> list[str]:
    """Times to one cluster in the window without a pace, beside those of the run alone."""
    runs = _of(found, "test_window_speed.py::test_to_one_cluster_without_a_pace[")
    if not runs:
        return ["(`make bench` has not measured this yet.)"]
    extras = [run["extra"] for run in runs]
    rows = [
        [spaced(one["discs"]), f"{one['window, s']:.3g} s", f"{one['alone, s']:.3g} s", f"{one['ratio']:.2f}"]
        for one in extras
    ]
    return [*_measured(runs), *table(["N", "in the window", "alone", "ratio"], rows)]


def beside_not_turning(found: dict[str, Figure]) -> list[str]:
    """Times to one cluster of clusters that turn beside those of the same discs whose clusters do not."""
    runs = _of(found, "test_turning_speed.py::test_beside_not_turning[")
    rows = [
        [one["run"], spaced(one["discs"]), f"{one['turning']:.3g} s", f"{one['without']:.3g} s", f"{one['ratio']:.2f}"]
        for one in (run["extra"] for run in runs)
    ]
    return [*_measured(runs), *table(["", "N", "turning", "not turning", "ratio"], rows)]


def beside_edmd(found: dict[str, Figure], kind: str) -> list[str]:
    """Collisions a second beside those of the C code. kind : ``"discs"`` or ``"spheres"``."""
    runs = _of(found, f"test_peers_speed.py::test_beside_edmd[{kind}-")
    rows = []
    for one in (run["extra"] for run in runs):
        here, other = (f"{one[key]:.3g}".replace("e+0", "e") for key in ("here", "c"))
        ends = f"{one['least']:.2f} to {one['most']:.2f}"
        rows.append([spaced(one["discs"]), f"{one['fraction']:g}", here, other, f"{one['here'] / one['c']:.2f}", ends])
    return [*_measured(runs), *table(["N", "φ", "here", "C code", "ratio", "single stretches"], rows)]


def beside_libraries(found: dict[str, Figure]) -> list[str]:
    """Seconds of the same work here and by libraries."""
    runs = [run for run in _of(found, "test_peers_speed.py::") if "peer" in run["extra"]]
    rows = []
    for one in (run["extra"] for run in runs):
        here, there = one["here"], one["there"]
        rows.append([one["work"], one["size"], f"{here:.3g}", one["peer"], f"{there:.3g}", f"{there / here:.2g}"])
    return [*_measured(runs), *table(["work", "size", "here", "by", "seconds", "ratio"], rows)]


def tables() -> list[tuple[str, str, list[str]]]:
    """Page, name and lines of each table of speed."""
    found = newest()
    return [
        ("event-driven.md", "speed", to_one_cluster(found)),
        ("event-driven.md", "window", in_the_window(found)),
        ("event-driven.md", "turning", beside_not_turning(found)),
        ("hard-discs.md", "edmd", beside_edmd(found, "discs")),
        ("hard-discs.md", "edmd-spheres", beside_edmd(found, "spheres")),
        ("peers.md", "libraries", beside_libraries(found)),
    ]


def _of(found: dict[str, Figure], beginning: str) -> list[Figure]:
    """The figures whose names begin so, in the order of what they were measured of."""
    chosen = [name for name in found if name.startswith(beginning)]
    return [found[name] for name in sorted(chosen, key=lambda name: _order(found[name]["extra"]))]


def _order(extra: dict[str, Any]) -> list[Any]:
    return [extra[name] for name in ("order", "peer", "discs", "fraction") if name in extra]


def _measured(runs: Sequence[Figure]) -> list[str]:
    """When, and at which commits."""
    days = sorted({run["date"][:10] for run in runs})
    commits = sorted({run["commit"][:7] for run in runs})
    return [f"Measured on {' to '.join(dict.fromkeys([days[0], days[-1]]))}, commit {', '.join(commits)}.", ""]


if __name__ == "__main__":
    for page, name, lines in tables():
        if "--write" in sys.argv[1:]:
            put(page, name, lines)
        else:
            print(f"\n{page}, {name}", *lines, sep="\n")
