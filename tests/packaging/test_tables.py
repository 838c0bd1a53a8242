"""Tables of speed in docs/ are what the kept measurements say (`python -m benchmarks.tables --write`)."""

from __future__ import annotations

import pytest

from benchmarks.tables import DOCS, beside_edmd, beside_libraries, in_the_window, tables

WHEN = {"date": "2026-11-23T10:00:00", "commit": "66f60e2000"}


@pytest.mark.parametrize(("page", "name", "lines"), tables(), ids=lambda value: str(value)[:20])
def test_the_page_has_what_was_measured(page: str, name: str, lines: list[str]) -> None:
    measured = "\n".join(lines)
    assert f"<!-- {name}: begin -->\n{measured}\n<!-- {name}: end -->" in (DOCS / page).read_text(encoding="utf-8")


def test_rows_stand_in_the_order_of_what_was_measured_with_all_dates_and_commits() -> None:
    row = {"discs": 16_384, "fraction": 0.3, "here": 1.2e6, "c": 8e5, "least": 1.4, "most": 1.625}
    name = "test_peers_speed.py::test_beside_edmd[discs-"
    later = WHEN | {"date": "2026-11-24T10:00:00", "commit": "be9fa7f000"}
    found = {f"{name}b]": {"extra": row | {"discs": 262_144}} | later, f"{name}a]": {"extra": row} | WHEN}
    assert beside_edmd(found, "discs") == [
        "Measured on 2026-11-23 to 2026-11-24, commit 66f60e2, be9fa7f.",
        "",
        "| N | φ | here | C code | ratio | single stretches |",
        "| --- | --- | --- | --- | --- | --- |",
        "| 16 384 | 0.3 | 1.2e6 | 8e5 | 1.50 | 1.40 to 1.62 |",
        "| 262 144 | 0.3 | 1.2e6 | 8e5 | 1.50 | 1.40 to 1.62 |",
    ]


def test_times_of_libraries_stand_beside_those_of_this_program() -> None:
    row = {"order": 0, "work": "contacts", "size": "9 discs", "peer": "freud", "here": 0.01, "there": 0.27}
    found = {"test_peers_speed.py::test_beside_freud[0]": {"extra": row} | WHEN}
    assert beside_libraries(found)[-1] == "| contacts | 9 discs | 0.01 | freud | 0.27 | 27 |"


def test_the_run_in_the_window_stands_beside_the_run_alone() -> None:
    row = {"discs": 10_000, "window, s": 0.14, "alone, s": 0.0307, "ratio": 4.56}
    found = {"test_window_speed.py::test_to_one_cluster_without_a_pace[10000]": {"extra": row} | WHEN}
    assert in_the_window(found)[-1] == "| 10 000 | 0.14 s | 0.0307 s | 4.56 |"
    assert len(in_the_window({})) == 1
