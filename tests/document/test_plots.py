"""What is kept of the plots: which values can be used, and what *Undo* calls their changes."""

from __future__ import annotations

from typing import Any

import pytest

from aggviewer.document.document import Document
from aggviewer.document.registry import read_part
from aggviewer.document.window import AxesLook, PlotsModel
from engine.errors import InputError


def reference(**changes: Any) -> dict[str, Any]:
    return {"name": "a", "slot": 0, "curves": {"P": {"c": [[1, 2], [2, None]]}}} | changes


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("chosen", [0]),
        ("chosen", ["first"]),
        ("looks", 3),
        ("looks", {"a": [{"logarithmic": [True]}]}),
        ("looks", {"a": [{"range": [1, 2, 3]}]}),
        ("looks", {"a": [{"range": [1.0, 2.0, 3.0, float("nan")]}]}),
        ("looks", {"a": [{"range": [1, 2, 3, 10**400]}]}),
        ("looks", {"a": [{}] * 9}),
        ("looks", {"a": [{"evil": 1}]}),
        ("ranges", {"a": [2, 1]}),
        ("ranges", {"a": [0, 1]}),
        ("ranges", {"a": [1]}),
        ("ranges", {"a": [1, float("inf")]}),
        ("references", {"a": "text"}),
        ("references", {"a": [reference(name="")]}),
        ("references", {"a": [reference(name="x" * 121)]}),
        ("references", {"a": [reference(slot=9)]}),
        ("references", {"a": [reference(curves={})]}),
        ("references", {"a": [reference(curves={"P": {"c": 5}})]}),
        ("references", {"a": [reference(curves={"P": {"c": [["x"], [2]]}})]}),
        ("references", {"a": [reference(curves={"P": {"c": [[1.0] * 2000, [2.0] * 2000]}})]}),
        ("references", {"a": [reference(), reference(name="b")]}),
        ("references", {"a": [reference(), reference(slot=1)]}),
    ],
)
def test_values_that_cannot_be_used_are_named(field: str, value: Any) -> None:
    with pytest.raises(InputError, match=rf"^plots\.{field}"):
        read_part(PlotsModel, {field: value}, "settings" if field != "chosen" else "session")


def test_changes_are_steps_but_which_plots_are_shown() -> None:
    document, said = Document(), []
    plots = document.plots
    document.history.changed.connect(lambda: said.append(document.history.undo_text))
    plots.chosen = (2, 3)
    plots.looks = {"a/P": (AxesLook(logarithmic=(True, False)),)}
    plots.ranges = {"a/P": (1.0, 3.0)}
    plots.references = read_part(PlotsModel, {"references": {"a": [reference()]}}, "settings")["references"]
    plots.references = {}
    assert said == [
        "Undo scales of the plots",
        "Undo fit range",
        "Undo keeping a reference",
        "Undo removing a reference",
    ]
    for _ in said[:4]:
        document.history.undo()
    assert plots == PlotsModel(chosen=(2, 3))
