"""Tables of speed in docs/, from what was measured and kept in benchmarks/results.

    python -m benchmarks.speed_tables [--bench FILE] [--peers FILE] [--write]

--bench : what `make bench` has written, for docs/event-driven.md. --peers : what `python -m benchmarks.peers --keep`
has written, for docs/hard-discs.md and docs/peers.md. What was measured against versions that are gone, or on a machine
that was left alone, stands with its date, and its command where that was recorded, in benchmarks/results/kept.json, for
docs/time-stepping.md.
`--write` puts the tables between their marks; without it, they are printed.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from textwrap import wrap
from typing import Any

from benchmarks.pages import put

RESULTS = Path(__file__).parent / "results"
BENCH, PEERS = RESULTS / "latest.json", RESULTS / "peers.json"
_TO_ONE_CLUSTER = "benchmarks/test_event_driven_speed.py::test_to_one_cluster["
_ALL_PAIRS = "benchmarks/test_event_driven_speed.py::test_all_pairs_reference_at_2500"
_MEMORY = "benchmarks/test_event_driven_speed.py::test_memory_of_a_million"
_TEN_MILLION = "benchmarks/test_event_driven_speed.py::test_ten_million"
_TARGET = {10_000: "0.1 s", 100_000: "1.3 s", 1_000_000: "10 s"}  # what the project aims at


def spaced(count: int) -> str:
    """10000 as 10 000."""
    return f"{count:,}".replace(",", " ")


def event_driven(bench: dict[str, Any]) -> list[str]:
    """Times to one cluster, with the work per merge."""
    runs = {run["fullname"]: run for run in bench["benchmarks"]}
    lines = [
        f"Measured on {bench['datetime'][:10]}, commit {bench['commit_info']['id'][:7]}.",
        "",
        "| N | time | target | per merge: tree walks, node pairs visited, disc pairs tested, horizons |",
        "|---|---|---|---|",
    ]
    exponent = None
    for name, run in runs.items():
        if not name.startswith(_TO_ONE_CLUSTER):
            continue
        extra = run["extra_info"]
        count = run["params"]["count"]
        work = extra["work per merge"]
        per_merge = [work[key] for key in ("pair_walks", "node_visits", "disc_tests")]
        text = ", ".join(f"{value:.1f}" for value in per_merge) + f", {extra['events per merge']['horizon']:.2f}"
        lines.append(f"| {spaced(count)} | {run['stats']['median']:.3g} s | {_TARGET.get(count, '')} | {text} |")
        exponent = extra.get("cost exponent 1e4 to 1e6", exponent)
    told = []
    if exponent is not None:
        told.append(f"The cost grows as N^{exponent:.2f} from 10⁴ to 10⁶ (target 1.15).")
    if _MEMORY in runs:
        told.append(f"Peak memory of the process at 10⁶: {runs[_MEMORY]['extra_info']['peak memory, MB']} MB.")
    if _TEN_MILLION in runs:
        large = runs[_TEN_MILLION]["extra_info"]
        told.append(
            f"10 000 000 discs: {large['from nothing, s']:.0f} s including building the lattice (target 300 s), peak "
            f"memory {large['peak memory, MB']} MB (target 8000)."
        )
    if _ALL_PAIRS in runs:
        seconds = runs[_ALL_PAIRS]["extra_info"]["all-pairs run, s"]
        told.append(
            f"The all-pairs method, also compiled and timed on its first events, would take {seconds:.0f} s for "
            "N = 2 500."
        )
    return [*lines, "", *told]


def against_edmd(rows: list[dict[str, Any]]) -> list[str]:
    """Collisions a second beside those of the C code."""
    lines = [_measured(rows), "", "| N | φ | here | C code | ratio | single stretches |", "|---|---|---|---|---|---|"]
    for row in rows:
        here, other = (f"{row[key]:.3g}".replace("e+0", "e") for key in ("here", "c"))
        lines.append(
            f"| {spaced(row['count'])} | {row['fraction']:g} | {here} | {other} | {row['here'] / row['c']:.2f} | "
            f"{row['least']:.2f} to {row['most']:.2f} |"
        )
    return lines


def beside_libraries(rows: list[dict[str, Any]]) -> list[str]:
    """Seconds of the same work here and by libraries."""
    lines = [_measured(rows), "", "| work | size | here | by | seconds | ratio |", "|---|---|---|---|---|---|"]
    for row in rows:
        lines.append(
            f"| {row['work']} | {row['size']} | {row['here']:.3g} | {row['peer']} | {row['there']:.3g} | "
            f"{row['there'] / row['here']:.2g} |"
        )
    return lines


def _measured(rows: list[dict[str, Any]]) -> str:
    """When, and at which commits."""
    days = sorted({row["date"] for row in rows})
    commits = sorted({row["commit"] for row in rows})
    return f"Measured on {' to '.join(dict.fromkeys([days[0], days[-1]]))}, commit {', '.join(commits)}."


def kept(table: dict[str, Any]) -> list[str]:
    """A table as it stands in benchmarks/results/kept.json."""
    rows = [table["header"], ["---"] * len(table["header"]), *table["rows"]]
    return [
        *wrap(f"Measured up to {table['date']}: {table['command']}.", 120, break_on_hyphens=False),
        "",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]


def tables(bench: Path, peers: Path) -> list[tuple[str, str, list[str]]]:
    """Page, name and lines of each table."""
    return [
        ("event-driven.md", "speed", event_driven(_read(bench))),
        ("hard-discs.md", "edmd", against_edmd(_read(peers)["edmd"])),
        ("hard-discs.md", "edmd-spheres", against_edmd(_read(peers)["edmd-spheres"])),
        ("peers.md", "libraries", beside_libraries(_read(peers)["libraries"])),
        *((table["page"], table["name"], kept(table)) for table in _read(RESULTS / "kept.json")),
    ]


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def main() -> None:
    """Make the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--peers", type=Path, default=PEERS)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    for page, name, lines in tables(given.bench, given.peers):
        if given.write:
            put(page, name, "\n".join(lines))
        else:
            print("\n".join(lines))


if __name__ == "__main__":
    main()
