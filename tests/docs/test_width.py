"""Documents are at most 120 characters wide, and decisions at most 400 words long, but for tables, pictures and
code."""

from __future__ import annotations

from pathlib import Path

PROJECT = Path(__file__).parents[2]
PAGES = [*sorted((PROJECT / "docs").rglob("*.md")), *sorted(PROJECT.glob("*.md"))]
DECISIONS = sorted((PROJECT / "docs/decisions").glob("*.md"))


def prose(text: str) -> list[str]:
    """Lines that belong neither to a table nor to a picture or a block of code."""
    found, code = [], False
    for line in text.splitlines():
        code ^= line.lstrip().startswith("```")
        if not code and not line.lstrip().startswith(("|", "![", "```")):
            found.append(line)
    return found


def wide(text: str) -> list[str]:
    """Lines of prose that are too long."""
    return [line for line in prose(text) if len(line) > 120]


def words(text: str) -> int:
    """The number of words of prose."""
    return sum(len(line.split()) for line in prose(text))


def test_prose_is_at_most_120_characters_wide() -> None:
    found = {page.name: lines for page in PAGES if (lines := wide(page.read_text(encoding="utf-8")))}
    assert found == {}


def test_a_decision_has_at_most_400_words() -> None:
    counts = {page.name: words(page.read_text(encoding="utf-8")) for page in DECISIONS}
    assert {name: count for name, count in counts.items() if count > 400} == {}
