"""Documents are at most 120 characters wide, but for tables, pictures and code."""

from __future__ import annotations

from pathlib import Path

PROJECT = Path(__file__).parents[2]
PAGES = [*sorted((PROJECT / "docs").rglob("*.md")), *sorted(PROJECT.glob("*.md"))]


def wide(text: str) -> list[str]:
    """Lines of prose that are too long."""
    found, code = [], False
    for line in text.splitlines():
        code ^= line.lstrip().startswith("```")
        if len(line) > 120 and not code and not line.lstrip().startswith(("|", "![")):
            found.append(line)
    return found


def test_prose_is_at_most_120_characters_wide() -> None:
    found = {page.name: lines for page in PAGES if (lines := wide(page.read_text(encoding="utf-8")))}
    assert found == {}


def test_a_wide_line_is_found() -> None:
    text = f"{'word ' * 30}\n```\n{'code ' * 30}\n```\n| {'cell ' * 30} |\n{'more ' * 30}"
    assert [line.split()[0] for line in wide(text)] == ["word", "more"]
