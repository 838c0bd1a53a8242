"""The view model: what files have kept of it."""

from __future__ import annotations

from aggviewer.document.view import ViewModel


def test_what_a_file_has_kept_is_taken_over() -> None:
    view = ViewModel()
    view.set_for_lesson({})
    assert view.layers == ("forces",)
    view.set_for_lesson({"layers": ["velocities"]})
    assert view.layers == ("velocities",)


def test_what_is_not_allowed_is_passed_over() -> None:
    view = ViewModel()
    view.set_for_lesson({"colormap": "none", "theme": 3, "no_field": 1, "layers": 5, "background": "white"})
    assert view == ViewModel(background="white")
