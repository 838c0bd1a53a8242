"""Symbols and formulas in everything that the window says of parameters and plots: none is left as it is typed."""

from __future__ import annotations

import re
from html import unescape

import pytest

from aggviewer.extensions.studies.dialog import name_of
from aggviewer.style.formulas import plain_text, problem, replace_formulas
from aggviewer.systems.registry import views
from engine.scenario import scenario_keys

RAW = re.compile(r"(?<![\w.])[^\W\d_]_[A-Za-z]+\b|\^\d|\b[A-Za-z]²|√|[Σ∂½]")
"""A symbol as one types it, or a formula in characters, outside of dollar signs."""

TEXTS = {
    **{f"{key}: tool tip": one.tooltip for key, one in scenario_keys().items()},
    **{f"{key}: choices": " ".join(one.choices.values()) for key, one in scenario_keys().items()},
    **{f"{key}: in the list of a study": name_of(one).partition(" ")[0] for key, one in scenario_keys().items()},
    **{f"{plot.kept_as}: definition": plot.definition for view in views() for plot in view.plots()},
}
SHORT = {
    f"{plot.kept_as}: {name}": text
    for view in views()
    for plot in view.plots()
    for name, text in (
        ("title", plot.title),
        ("name", plot.name),
        ("empty", plot.empty_text),
        ("x", plot.axes.x),
        ("y", plot.axes.y),
        *((f"mark {symbol}", symbol) for symbol in plot.marks),
        *((f"slope {slope.symbol}", slope.symbol) for slope in plot.power_fit.slopes),
    )
}


def formulas_of(text: str) -> tuple[str, list[str]]:
    """A text without its formulas, and these."""
    found: list[str] = []

    def keep(latex: str, block: bool) -> str:
        found.append(unescape(latex))
        return "…"

    return replace_formulas(text, keep), found


@pytest.mark.slow
def test_no_formula_is_left_as_it_is_typed() -> None:
    wrong = {}
    for where, text in TEXTS.items():
        rest, found = formulas_of(text)
        typed = [*RAW.findall(rest), *(sign for sign in "$\\" if sign in rest), *filter(None, map(problem, found))]
        told = plain_text(text)  # for terminals and the manual
        typed += [sign for sign in ("$", "\\", "{", "}", "  ", "( ") if sign in told]
        if typed:
            wrong[where] = typed
    assert wrong == {}


def test_no_index_is_left_as_it_is_typed_in_titles_and_axes() -> None:
    assert {where: text for where, text in SHORT.items() if re.findall(r"[^\W\d_]_[A-Za-z]|\^\d|\$", text)} == {}
