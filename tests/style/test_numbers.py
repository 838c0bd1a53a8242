"""Numbers in words, around each place where the way of writing changes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import aggviewer
from aggviewer.style import numbers
from engine.system import Clock

ITERATIONS = Clock("k", "iteration", "", True, "Single iteration", "Pause")

# a way of writing, values, and their words
WRITTEN = {
    numbers.simulation_time: "0.0 0.00, 12.404 12.40, 999.99 999.99, 1000.0 1000.0, 99999.9 99999.9, 1e5 1.000e5",
    numbers.rate: "0.04 0, 0.05 0.1, 8.34 8.3, 42.4 42, 964.0 960, 9949.0 9900, 9951.0 1.0e4, 3.14e5 3.1e5",
    numbers.speed: "0.0123 0.012, 0.3 0.30, 2.04 2.0, 12.4 12, 150.4 150, inf ∞",
    numbers.duration: "0.4 a second, 40 40 s, 90 2 min, 5399 90 min, 5400 1.5 h, 172440 47.9 h, 172800 2.0 days",
}


@pytest.mark.parametrize("write", WRITTEN, ids=lambda write: write.__name__)
def test_numbers_have_the_digits_that_are_of_use(write: Callable[[float], str]) -> None:
    pairs = [pair.split(" ", 1) for pair in WRITTEN[write].split(", ")]
    assert [write(float(value)) for value, _ in pairs] == [words for _, words in pairs]


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (999, "999"), (1000, "1\u2009000"), (1234567, "1\u2009234\u2009567")]
)
def test_whole_numbers_have_their_thousands_apart(value: int, text: str) -> None:
    assert numbers.count(value) == text


MANY = (
    r"(discs?|spheres?|frames?|runs|points?|rows?|events|merges|clusters?|groups?|iterations?|rounds|contacts|pictures|"
    r"states|collisions|answers)\b"
)
"""What there may be thousands of."""
OTHERS = (
    "states",
    "self.count",
    "len(discs.radii)",
    "name",
    "slope.name",
    "now.title",
    "per_time",
    "_words(at)",
    "numbers.rate(status.events_per_second)",
)
"""What stands before such a word and is no count, or is for the developer of a plug-in."""


def uncounted(path: Path) -> Iterator[str]:
    """The texts of a file in which a number of things is not written by `count`."""
    for text in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(text, ast.JoinedStr):
            continue
        parts = [part.value if isinstance(part, ast.Constant) else part for part in text.values]
        for before, part, after in zip(["", *parts], parts, [*parts[1:], ""], strict=False):
            if not isinstance(part, ast.FormattedValue):
                continue
            told, spec = ast.unparse(part.value), "" if part.format_spec is None else ast.unparse(part.format_spec)
            thing = isinstance(after, str) and re.match(rf"(\s|&nbsp;)(stored |recorded )?{MANY}", after)
            number = isinstance(before, str) and re.search(r"\b(disc|sphere|frame|iteration) $", before)
            if ((thing or number) and told not in OTHERS and "count(" not in told) or "," in spec:
                yield f"{path.name}: {ast.unparse(text)}"


def test_every_count_that_a_person_reads_in_the_window_has_its_thousands_apart() -> None:
    root = Path(aggviewer.__file__).parent
    files = [path for path in root.rglob("*.py") if "cli" not in path.parts]
    assert [text for path in files for text in uncounted(path)] == []


def test_a_moment_is_a_time_or_a_whole_number_of_steps() -> None:
    assert numbers.moment(12.404) == "t = 12.40"
    assert numbers.moment(0.0, ITERATIONS) == "start"
    assert numbers.moment(12.0, ITERATIONS) == "iteration 12"
    assert (numbers.pace(2.0), numbers.pace(2.0, ITERATIONS)) == ("2.0 t/s", "2.0 iterations/s")
