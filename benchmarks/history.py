"""What the benchmarks have measured, commit by commit, and whether something has become slower.

    python -m benchmarks.history keep FILE
    python -m benchmarks.history check FILE

FILE : what pytest-benchmark has written. `keep` adds its figures to benchmarks/results/history, a file for each commit,
of which `benchmarks.tables` makes the tables of docs/. `check` compares them with those kept last on a processor of the
same kind, prints what has changed by more than a tenth, and ends with status 1 where something is slower than that.

What is compared is the least time of a benchmark's rounds over the time of a fixed piece of work (`reference_loop`)
that was done just before and after it, so that a machine that is slower today does not count.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HISTORY = Path(__file__).parent / "results" / "history"
LOOP = "reference loop, s"
"""Where a benchmark's `extra_info` has the time of the fixed work."""

WORSE = 1.10

TIMED = 1e-6
"""Seconds below which a benchmark has timed nothing: it reports figures of its own."""

Figure = dict[str, Any]
"""Of one benchmark: ``extra`` (what it reports), and where it has timed something the least ``seconds`` of its rounds,
their ``median`` and the seconds of the fixed work (``loop``)."""


def figures(bench: dict[str, Any]) -> dict[str, Any]:
    """Commit, date, processor, and the figures by benchmark, from what pytest-benchmark has written."""
    found = {}
    for run in bench["benchmarks"]:
        one: Figure = {"extra": {name: value for name, value in run["extra_info"].items() if name != LOOP}}
        if LOOP in run["extra_info"] and run["stats"]["min"] >= TIMED:
            times = run["stats"]["min"], run["stats"]["median"], run["extra_info"][LOOP]
            one |= {key: float(f"{time:.5g}") for key, time in zip(("seconds", "median", "loop"), times, strict=True)}
        found[run["fullname"].removeprefix("benchmarks/")] = one
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
    path.write_text(json.dumps(now, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def newest(folder: Path = HISTORY, *, processor: str | None = None, key: str = "extra") -> dict[str, Figure]:
    """By benchmark the newest figure that has this key, on such a processor or on any, with its commit and date."""
    found: dict[str, Figure] = {}
    for path in sorted(folder.glob("*.json")):  # their names begin with the date
        entry = _read(path)
        if processor in (None, entry["processor"]):
            origin = {"commit": entry["commit"], "date": entry["date"]}
            found |= {name: one | origin for name, one in entry["figures"].items() if key in one}
    return found


def check(now: dict[str, Any], folder: Path = HISTORY) -> tuple[list[str], bool]:
    """What to say, and whether nothing is slower."""
    before = newest(folder, processor=now["processor"], key="loop")
    timed = {name: one for name, one in now["figures"].items() if "loop" in one}
    compared = sorted(
        ((_relative(timed[name]) / _relative(before[name]), name) for name in timed.keys() & before), reverse=True
    )
    if not compared:
        return [f"Nothing was kept of these benchmarks on this processor ({now['processor']})"], True
    lines = []
    for ratio, name in compared:
        if not 1.0 / WORSE <= ratio <= WORSE:
            word = "slower" if ratio > 1.0 else "faster"
            lines.append(f"{100.0 * abs(ratio - 1.0):4.0f} % {word} than at {before[name]['commit']}: {name}")
    slower = sum(ratio > WORSE for ratio, _ in compared)
    lines.append(f"{len(compared)} benchmarks compared, {slower} slower by more than 10 %")
    missing = len(timed) - len(compared)
    if missing:
        lines.append(f"{missing} have nothing to be compared with")
    return lines, slower == 0


def _relative(one: Figure) -> float:
    return float(one["seconds"] / one["loop"])


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def main(words: list[str]) -> int:
    """Keep or check."""
    if len(words) != 2 or words[0] not in ("keep", "check"):
        print(__doc__, file=sys.stderr)
        return 2
    now = figures(_read(Path(words[1])))
    if words[0] == "keep":
        print(f"Kept: {keep(now)}")
        return 0
    lines, good = check(now)
    print("\n".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
