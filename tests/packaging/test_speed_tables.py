"""Tables of speed in docs/ are what the kept measurements say (`python -m benchmarks.speed_tables --write`)."""

from __future__ import annotations

import pytest

from benchmarks.pages import DOCS
from benchmarks.speed_tables import BENCH, PEERS, tables


@pytest.mark.parametrize(("page", "name", "lines"), tables(BENCH, PEERS), ids=lambda value: str(value)[:20])
def test_the_page_has_what_was_measured(page: str, name: str, lines: list[str]) -> None:
    measured = "\n".join(lines)
    assert f"<!-- {name}: begin -->\n{measured}\n<!-- {name}: end -->" in (DOCS / page).read_text(encoding="utf-8")
