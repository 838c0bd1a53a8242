"""Measured tables into the pages of docs/, between the marks that name them."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def put(page: str, name: str, text: str) -> None:
    """Replace what stands between ``<!-- name: begin -->`` and ``<!-- name: end -->`` of a page."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    document = (DOCS / page).read_text(encoding="utf-8")
    head, rest = document.split(begin)
    tail = rest.split(end)[1]
    (DOCS / page).write_text(f"{head}{begin}\n{text}\n{end}{tail}", encoding="utf-8")
