"""The history of the benchmarks: what is slower than before is found, a machine that is slower is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import history


def bench(commit: str, date: str, seconds: dict[str, float], loop: float = 0.02, cpu: str = "A") -> dict[str, Any]:
    """As pytest-benchmark writes it."""
    return {
        "machine_info": {"cpu": {"brand_raw": cpu}},
        "commit_info": {"id": commit * 10, "dirty": False},
        "datetime": f"{date}T10:00:00.5+00:00",
        "benchmarks": [
            {
                "fullname": f"benchmarks/{name}",
                "stats": {"min": value, "median": 2.0 * value},
                "extra_info": {history.LOOP: loop, "rows": 7},
            }
            for name, value in seconds.items()
        ],
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two commits were kept, and one of another machine."""
    for one in (
        bench("a", "2026-01-01", {"old": 3.0, "both": 2.0}),
        bench("b", "2026-01-02", {"both": 1.0}),
        bench("c", "2026-01-03", {"both": 0.1}, cpu="B"),
    ):
        history.keep(history.figures(one), tmp_path)
    return tmp_path


def checked(folder: Path, **given: Any) -> tuple[list[str], bool]:
    return history.check(history.figures(bench("d", "2026-01-04", **given)), folder)


@pytest.mark.parametrize(
    ("both", "loop", "good"),
    [(1.0, 0.02, True), (1.09, 0.02, True), (1.12, 0.02, False), (1.5, 0.03, True), (1.05, 0.018, False)],
)
def test_only_what_is_slower_than_the_machine_fails(folder: Path, both: float, loop: float, good: bool) -> None:
    lines, found = checked(folder, seconds={"both": both}, loop=loop)
    assert found is good
    assert any("slower than at bbbbbbbbbb: both" in line for line in lines) is not good


def test_each_figure_is_compared_with_its_last_one(folder: Path) -> None:
    lines, good = checked(folder, seconds={"both": 0.5, "old": 3.6, "new": 9.0})
    assert not good
    assert lines == [
        "  20 % slower than at aaaaaaaaaa: old",
        "  50 % faster than at bbbbbbbbbb: both",
        "2 benchmarks compared, 1 slower by more than 10 %",
        "1 have nothing to be compared with",
    ]


def test_figures_that_are_no_times_are_kept_and_not_compared(folder: Path) -> None:
    found = history.figures(bench("d", "2026-01-04", {"both": 3e-7, "fast": 2e-6}))
    assert found["figures"]["both"] == {"extra": {"rows": 7}}
    assert found["figures"]["fast"] == {"extra": {"rows": 7}, "seconds": 2e-6, "median": 4e-6, "loop": 0.02}
    assert history.check(found, folder)[0] == ["Nothing was kept of these benchmarks on this processor (A)"]


def test_the_newest_figures_come_from_any_processor(folder: Path) -> None:
    found = history.newest(folder)
    assert [(name, found[name]["commit"][0]) for name in sorted(found)] == [("both", "c"), ("old", "a")]
    assert found["both"]["median"] == 0.2


def test_a_commit_has_one_file_and_keeps_what_was_not_run_again(folder: Path) -> None:
    history.keep(history.figures(bench("b", "2026-01-05", {"more": 4.0})), folder)
    files = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    assert [one["commit"][0] for one in files] == ["a", "c", "b"]
    assert set(files[-1]["figures"]) == {"both", "more"}


def test_the_fixed_work_is_timed() -> None:
    from benchmarks import reference_loop

    assert 1e-4 < reference_loop.seconds() < 60.0
