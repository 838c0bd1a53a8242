"""The view model: what files have kept of it."""

from __future__ import annotations

from aggviewer.document.view import ViewModel


def test_a_view_takes_the_values_of_a_file() -> None:
    view = ViewModel()
    view.set_for_lesson({})
    assert view.layers == ("forces",)
    view.set_for_lesson({"layers": ["velocities"]})
    assert view.layers == ("velocities",)


def test_a_view_ignores_values_that_are_not_allowed() -> None:
    view = ViewModel()
    view.set_for_lesson({"colormap": "none", "theme": 3, "no_field": 1, "layers": 5, "background": "white"})
    assert view == ViewModel(background="white")
