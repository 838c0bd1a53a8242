"""The history of the benchmarks, and whether something has become slower.

    python -m benchmarks.history keep [FILE]
    python -m benchmarks.history check [FILE]

FILE : what pytest-benchmark has written, benchmarks/results/latest.json if none is named. `keep` adds its figures to
benchmarks/results/history, a file for each commit. `check` compares them with those kept last on a processor of the
same kind, prints what has changed by more than a tenth, and ends with status 1 where something is slower than that.

A figure is the least time of a benchmark's rounds over the time of a fixed piece of work (`reference_loop`) that was
done just before and after it, so that a machine that is slower today does not count.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
HISTORY = RESULTS / "history"
LOOP = "reference loop, s"
"""Where a benchmark's `extra_info` has the time of the fixed work."""

WORSE = 1.10

TIMED = 1e-6
"""Seconds below which a benchmark has timed nothing: it reports figures of its own."""


def figures(bench: dict[str, Any]) -> dict[str, Any]:
    """Commit, date, processor, and by benchmark the least seconds of a round (``seconds``) and those of the fixed work
    (``loop``), from what pytest-benchmark has written. Benchmarks without the fixed work, and those that report figures
    of their own, are left out."""
    found = {
        run["fullname"].removeprefix("benchmarks/"): {
            "seconds": float(f"{run['stats']['min']:.4g}"),
            "loop": float(f"{run['extra_info'][LOOP]:.4g}"),
        }
        for run in bench["benchmarks"]
        if LOOP in run["extra_info"] and run["stats"]["min"] >= TIMED
    }
    commit = bench["commit_info"]
    return {
        "commit": commit["id"][:10] + ("+" if commit.get("dirty") else ""),
        "date": bench["datetime"][:19],
        "processor": bench["machine_info"]["cpu"].get("brand_raw", "unknown"),
        "figures": found,
    }


def keep(now: dict[str, Any], folder: Path = HISTORY) -> Path:
    """Add figures to the history; those of the same commit are replaced, but for benchmarks that were not run again."""
    folder.mkdir(parents=True, exist_ok=True)
    same = [path for path in folder.glob("*.json") if _read(path)["commit"] == now["commit"]]
    for path in same:
        now = now | {"figures": _read(path)["figures"] | now["figures"]}
        path.unlink()
    path = folder / f"{now['date'].replace(':', '')}-{now['commit'].rstrip('+')}.json"
    path.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return path


def last_of(processor: str, folder: Path = HISTORY) -> dict[str, dict[str, Any]]:
    """By benchmark what was kept last on such a processor, with its commit."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.json")):  # their names begin with the date
        entry = _read(path)
        if entry["processor"] == processor:
            found |= {name: one | {"commit": entry["commit"]} for name, one in entry["figures"].items()}
    return found


def changes(now: dict[str, Any], before: dict[str, dict[str, Any]]) -> list[tuple[float, str]]:
    """Ratio of each figure to the one before, and the benchmark, the worst first."""
    ratios = []
    for name, one in now["figures"].items():
        if name in before:
            old = before[name]
            ratios.append(((one["seconds"] / one["loop"]) / (old["seconds"] / old["loop"]), name))
    return sorted(ratios, reverse=True)


def check(now: dict[str, Any], folder: Path = HISTORY) -> tuple[list[str], bool]:
    """What to say, and whether nothing is slower."""
    before = last_of(now["processor"], folder)
    compared = changes(now, before)
    if not compared:
        return [f"Nothing was kept of these benchmarks on this processor ({now['processor']})"], True
    lines = []
    for ratio, name in compared:
        if not 1.0 / WORSE <= ratio <= WORSE:
            word = "slower" if ratio > 1.0 else "faster"
            change = 100.0 * (ratio - 1.0) if ratio > 1.0 else 100.0 * (1.0 - ratio)
            lines.append(f"{change:4.0f} % {word} than at {before[name]['commit']}: {name}")
    slower = sum(ratio > WORSE for ratio, _ in compared)
    lines.append(f"{len(compared)} benchmarks compared, {slower} slower by more than 10 %")
    missing = len(now["figures"]) - len(compared)
    if missing:
        lines.append(f"{missing} have nothing to be compared with")
    return lines, slower == 0


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def main() -> int:
    """Keep or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["keep", "check"])
    parser.add_argument("file", type=Path, nargs="?", default=RESULTS / "latest.json")
    given = parser.parse_args()
    now = figures(_read(given.file))
    if given.what == "keep":
        print(f"Kept: {keep(now)}")
        return 0
    lines, good = check(now)
    print("\n".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
