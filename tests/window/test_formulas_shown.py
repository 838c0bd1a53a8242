"""Symbols and formulas in everything that the window says of parameters and plots: none is left as it is typed."""

from __future__ import annotations

import re
from html import unescape

import pytest
from PyQt6.QtCore import QPoint
from PyQt6.QtGui import QHelpEvent
from PyQt6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.extensions.studies.dialog import name_of
from aggviewer.parameters.editors import Control
from aggviewer.parameters.field_row import FieldRow
from aggviewer.parameters.form import ReadOuts
from aggviewer.plots.card import PlotCard
from aggviewer.style.formulas import plain_text, problem, replace_formulas
from aggviewer.systems.registry import views
from aggviewer.widgets.labels import set_tip
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


def test_texts_were_found() -> None:
    assert len(TEXTS) > 100
    assert sum(len(formulas_of(text)[1]) for text in TEXTS.values()) > 120


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


@pytest.fixture
def row(qtbot: QtBot) -> FieldRow:
    """The row of the volume fraction."""
    made = FieldRow(scenario_keys()["discs.volume_fraction"], Control())
    qtbot.addWidget(made)
    made.show()
    return made


def point_at(widget: QWidget) -> str:
    """The text of the tool tip that appears for a pointer at rest over a widget."""
    corner = QPoint(2, 2)
    QApplication.sendEvent(widget, QHelpEvent(QHelpEvent.Type.ToolTip, corner, widget.mapToGlobal(corner)))
    labels = [one for one in QApplication.allWidgets() if one.metaObject().className() == "QTipLabel"]  # type: ignore[union-attr]
    (label,) = [one for one in labels if isinstance(one, QLabel) and one.isVisible()]
    return label.text()


def test_the_tip_of_a_parameter_shows_formulas_and_tells_them(row: FieldRow) -> None:
    for widget in (row.label, row.editor):
        assert "V_f = Σ_i π R_i²/(L_x L_y)".replace("/", " / ") in widget.toolTip()
        assert "$" not in widget.toolTip()
        shown = point_at(widget)
        assert shown.count("<img") == 4
        assert "$" not in shown
    assert row.label.text() == "Volume fraction <i>V</i><sub>f</sub>"


def test_a_tip_follows_its_words(row: FieldRow) -> None:
    row.set_inert("Not used.")
    row.set_inert("")
    assert "Not used." not in row.label.toolTip()
    widget = QLabel("x")
    row.layout().addWidget(widget)  # type: ignore[union-attr]
    set_tip(widget, "<p>$a$</p>")
    assert "<img" in point_at(widget)
    set_tip(widget, "<p>nothing</p>")
    assert "<img" not in point_at(widget)


def test_numbers_that_follow_have_formulas_too(qtbot: QtBot) -> None:
    outs = ReadOuts()
    qtbot.addWidget(outs)
    outs.show()
    assert "λ = 1 / (2 √2 n d χ)" in outs.values["mean_free_path"].toolTip()
    assert point_at(outs.values["mean_free_path"]).count("<img") == 3


def test_the_help_of_a_plot_shows_its_formulas(qtbot: QtBot) -> None:
    kinds = [plot for view in views() for plot in view.plots()]
    kind = max(kinds, key=lambda plot: len(formulas_of(plot.definition)[1]))
    plot = PlotCard(kind, 1)
    qtbot.addWidget(plot)
    plot.show()
    expected = len(formulas_of(kind.definition)[1])
    assert expected > 2
    plot.head.help.click()
    labels = [one for one in QApplication.allWidgets() if one.metaObject().className() == "QTipLabel"]  # type: ignore[union-attr]
    (label,) = [one for one in labels if isinstance(one, QLabel) and one.isVisible()]
    assert label.text().count("<img") == expected
    assert "$" not in plot.head.help.toolTip()
