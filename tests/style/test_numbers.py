"""Numbers in words, around each place where the way of writing changes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest

import aggviewer
import engine.study
from aggviewer.canvas.overlays import limit_text, scale_text
from aggviewer.cli.summary import in_digits
from aggviewer.document.mark_kinds import digits
from aggviewer.extensions.inspector.tables import cell
from aggviewer.extensions.lessons.answers import number_text
from aggviewer.extensions.studies.plan import mean_and_error
from aggviewer.parameters.layout import rounded
from aggviewer.plots.axes import value_text
from aggviewer.plots.drawing import number_with
from aggviewer.plots.fits import exponent_text
from aggviewer.session.commands.changes import change_of_key
from aggviewer.session.saved.state import described_run
from aggviewer.style import numbers
from aggviewer.window.status_bar import in_words
from engine.fields import Field
from engine.scenario.kinds import DiscKind
from engine.simulation import Progress
from engine.study.labels import value
from engine.study.report import written_with_error
from engine.system import Clock, system
from engine.words import THIN_SPACE, typeset, typeset_text

ITERATIONS = Clock("k", "iteration", "", True, "Single iteration", "Pause")

# a way of writing, values, and their words
WRITTEN = {
    numbers.simulation_time: "0.0 0.00, 12.404 12.40, 999.99 999.99, 1000.0 1_000.0, 99999.9 99_999.9, 1e5 1.000·10⁵",
    numbers.rate: "0.04 0, 0.05 0.1, 8.34 8.3, 42.4 42, 964.0 960, 9949.0 9_900, 9951.0 1.0·10⁴, 3.1e5 3.1·10⁵",
    numbers.speed: "0.0123 0.012, 0.3 0.30, 2.04 2.0, 12.4 12, 150.4 150, 2500 2_500, inf ∞",
    numbers.duration: "0.4 a second, 40 40 s, 90 2 min, 5399 90 min, 5400 1.5 h, 172440 47.9 h, 172800 2.0 days",
}


@pytest.mark.parametrize("write", WRITTEN, ids=lambda write: write.__name__)
def test_numbers_have_the_digits_that_are_of_use(write: Callable[[float], str]) -> None:
    pairs = [pair.split(" ", 1) for pair in WRITTEN[write].split(", ")]
    assert [write(float(value)) for value, _ in pairs] == [thin(words) for _, words in pairs]


def thin(text: str) -> str:
    """A text with thin spaces for underscores."""
    return text.replace("_", THIN_SPACE)


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (0, ".0f", "0"), (999, ".0f", "999"), (1000, ".0f", "1_000"), (1234567, ".0f", "1_234_567"),
        (-0.0004, ".3f", "0.000"), (-0.0, "g", "0"), (-0.25, ".3g", "−0.25"), (-12345.6, ".1f", "−12_345.6"),
        (0.3, "+.2f", "+0.30"), (-0.3, "+.2f", "−0.30"), (np.float32(-0.5), "g", "−0.5"),
        (np.int64(2500), "g", "2_500"),
        (89000.0, ".3g", "89_000"), (1234.5, ".2g", "1_234"), (89012.3, ".2g", "8.9·10⁴"), (1e5, ".4g", "100_000"),
        (-1e9, ".4g", "−10⁹"), (3.6e-7, ".3g", "3.6·10⁻⁷"), (1.2345e5, ".3e", "1.234·10⁵"), (5.0, ".1e", "5.0"),
        (inf, ".3g", "∞"), (-inf, ".3g", "−∞"), (nan, ".3g", "–"),
    ],
)  # fmt: skip
def test_a_number_is_written_as_a_textbook_prints_it(value: float, spec: str, text: str) -> None:
    assert typeset(value, spec) == thin(text)


def test_a_sentence_with_numbers_keeps_its_names_and_dates() -> None:
    given = "exponent -0.25(3) from 1e-05 to 8.9(1)e4 (N = 2500): lattice-2500, two-body, 2-5, N-1, 2026-01-02, C2e5"
    assert typeset_text(given) == thin(
        "exponent −0.25(3) from 10⁻⁵ to 8.9(1)·10⁴ (N = 2_500): lattice-2500, two-body, 2-5, N-1, 2026-01-02, C2e5"
    )


SPREAD = Field("spread", "Spread", lambda *_: None, unit="length / time")

# where a person reads the number, and how it says -0.25 or another number
READ = {
    "status bar": (lambda: in_words(SPREAD, -0.25), "spread −0.25 length/time"),
    "table": (lambda: cell(SPREAD, np.float64(-123456.7)), "−1.2346·10⁵"),
    "table of whole numbers": (lambda: cell(SPREAD, np.int64(2500)), "2_500"),
    "legend": (lambda: limit_text(-89000.0), "−89_000"),
    "scale bar": (lambda: scale_text(2500.0, 2.0), "2_500 units (1_250 diameters)"),
    "measured length": (lambda: digits(-0.25), "−0.2500"),
    "head of a plot": (lambda: number_with(0.012, -1.795, ""), "−1.795 ± 0.012"),
    "exponent": (lambda: exponent_text(-0.0001), "0.000"),
    "fit range": (lambda: value_text(89012.0), "8.9·10⁴"),
    "undo": (lambda: change_of_key("hard_discs.gravity", (0.0, -0.25), None), "g = 0, −0.25"),
    "undo of kinds": (
        lambda: change_of_key("discs.kinds", (DiscKind(radius=0.5), DiscKind(radius=2500.0, mass=3.0)), None),
        "Kinds = 0.5, 2_500",
    ),
    "undo without kinds": (lambda: change_of_key("discs.kinds", (), None), "Kinds = none"),
    "undo of a count": (lambda: change_of_key("discs.count", 2500, None), "N = 2_500"),
    "list of sessions": (
        lambda: described_run(2500, 40, 1234.5, ["event-driven"], "aggregation"),
        "N = 2_500, event-driven, t = 1_234, 40 clusters",
    ),
    "derived value": (lambda: rounded(-1.234e-7, 3), "−1.23·10⁻⁷"),
    "study": (lambda: mean_and_error(-0.25, 0.012), ("−0.250", "0.012")),
    "parameter in a study": (lambda: value([2500, -0.25]), "2_500 × −0.25"),
    "report": (lambda: written_with_error(-8.9e7, 1e6), "−8.90(10)·10⁷"),
    "answer in a lesson": (lambda: number_text(-0.25), "−0.25"),
    "terminal": (lambda: in_digits(-8.9e7), "−8.9·10⁷"),
    "progress": (
        lambda: system("aggregation").words(Progress(1234.5, 2500, {}, 0, False, ""), 3.1e5),
        "t = 1_234  M = 2_500  310_000 events/s",
    ),
}


@pytest.mark.parametrize("where", READ)
def test_numbers_are_typeset_wherever_a_person_reads_them(where: str) -> None:
    write, expected = READ[where]
    assert write() == (thin(expected) if isinstance(expected, str) else expected)


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
    "script.name",
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
            typed = told in OTHERS or "count(" in told or "typeset(" in told
            if ((thing or number) and not typed) or "," in spec:
                yield f"{path.name}: {ast.unparse(text)}"


def test_every_count_that_a_person_reads_has_its_thousands_apart() -> None:
    roots = Path(aggviewer.__file__).parent, Path(engine.study.__file__).parent
    files = [path for root in roots for path in root.rglob("*.py") if path.name != "claims.py"]  # it writes for JSON
    assert [text for path in files for text in uncounted(path)] == []


def test_a_moment_is_a_time_or_a_whole_number_of_steps() -> None:
    assert numbers.moment(12.404) == "t = 12.40"
    assert numbers.moment(0.0, ITERATIONS) == "start"
    assert numbers.moment(12.0, ITERATIONS) == "iteration 12"
    assert (numbers.pace(2.0), numbers.pace(2.0, ITERATIONS)) == ("2.0 t/s", "2.0 iterations/s")
