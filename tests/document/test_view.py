"""The view model: what files have kept of it."""

from __future__ import annotations

from typing import Any

import pytest

from aggviewer.document.view import ViewModel


@pytest.mark.parametrize(
    ("kept", "layers"),
    [
        ({}, ("forces",)),
        ({"layers": ["velocities"]}, ("velocities",)),
        ({"show_forces": False}, ()),
        ({"show_forces": True, "layers": []}, ("forces",)),
        ({"show_forces": True, "layers": ["velocities"]}, ("forces", "velocities")),
        ({"show_forces": False, "layers": ["velocities"]}, ("velocities",)),
        ({"show_forces": False, "layers": 5}, ()),
    ],
)
def test_the_force_network_is_a_layer_and_was_a_field_of_its_own(kept: dict[str, Any], layers: tuple[str]) -> None:
    view = ViewModel()
    view.take(kept)
    assert view.layers == layers
    assert ViewModel(**kept).layers == layers


def test_what_is_not_allowed_is_passed_over() -> None:
    view = ViewModel()
    view.take({"colormap": "none", "theme": 3, "no_field": 1, "layers": 5, "background": "white"})
    assert view == ViewModel(background="white")
