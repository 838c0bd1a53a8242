"""`make figures`: what it writes has its place in docs/, and its tables say what the runs have given."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import studies
from benchmarks.studies import FIGURES, REPORTS, SCALES, TABLES, exponent_below
from benchmarks.tables import DOCS
from engine.analysis.packing import power_law
from engine.study import bundled, load_study
from engine.study.grid import Grid

PAGES = "".join(path.read_text(encoding="utf-8") for path in DOCS.glob("*.md"))


@pytest.mark.parametrize(("page", "marks"), [(page, marks) for page, marks, *_ in TABLES])
def test_every_table_has_its_marks(page: str, marks: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    _, _, rest = text.partition(f"<!-- {marks}: begin -->\n")
    found, _, _ = rest.partition(f"\n<!-- {marks}: end -->")
    assert text.count(f"<!-- {marks}: begin -->") == text.count(f"<!-- {marks}: end -->") == 1
    assert found.startswith("|")
    assert "nan" not in found


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_one_of_its_study_and_is_shown(name: str) -> None:
    study, title = FIGURES[name]
    assert [one.title for one in load_study(study, scale=SCALES[study]).figure].count(title) == 1
    assert (DOCS / "images" / f"{name}.svg").exists()
    assert f"](images/{name}.svg)" in PAGES


def test_the_studies_are_bundled_and_their_reports_are_linked() -> None:
    assert set(SCALES) <= set(bundled())
    for name in REPORTS:
        assert (DOCS / "reports" / f"{name}.html").exists()
        assert f"](reports/{name}.html)" in PAGES


def test_an_exponent_of_bins_is_that_of_the_values_in_them() -> None:
    rng = np.random.default_rng(3)
    values = rng.random(20_000) ** (1.0 / 1.4)  # P ~ x^0.4 below 1
    counts = {k: float(n) for k, n in Counter(np.floor(5.0 * np.log10(values)).astype(int).tolist()).items()}
    for end in (0, -2):
        exponent, error, count = exponent_below(counts, end)
        exact = power_law(values, 10.0 ** (end / 5.0))
        assert count == exact.count
        assert exponent == pytest.approx(exact.exponent, abs=0.5 * exact.error)
        assert exponent == pytest.approx(0.4, abs=3.0 * error)
        assert 1.0 <= error / exact.error < 1.05  # bins tell little less
    assert np.isnan(exponent_below({}, 0)[0])


def test_the_table_of_exponents_is_of_the_largest_packings_that_are_no_crystals(monkeypatch) -> None:
    pooled: list[list[int]] = []
    monkeypatch.setattr(studies, "pooled_counts", lambda result, curve, points: pooled.append(points) or {})
    grid = Grid(load_study("jamming-density", scale="quick"))
    studies.exponents(SimpleNamespace(grid=grid))
    largest = {512: {"bidisperse"}}
    found: dict[int, set[str]] = {}
    for number in (number for points in pooled for number in points):
        values = grid.points[number].values
        found.setdefault(values["discs.count"], set()).add(values["discs.radii"])
    assert found == largest
    assert [len(points) for points in pooled[:4]] == [1] * 4
