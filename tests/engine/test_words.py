"""Texts about discs in the plane and about spheres in space."""

from __future__ import annotations

import pytest

from engine.fields import fields_in
from engine.indicators import registered
from engine.scenario import scenario_keys
from engine.selection.quantities import disc_fields
from engine.system import systems
from engine.words import body_names

NAMES = body_names(2)._fields


def test_a_text_is_about_discs_in_the_plane_and_about_spheres_in_space() -> None:
    text = r"{Discs} per {area}, each {disc} on a {x}, $\frac{1}{2}$; {Square} lattice"
    assert body_names(2).fill(text) == r"Discs per area, each disc on a {x}, $\frac{1}{2}$; Square lattice"
    assert body_names(3).fill(text) == r"Spheres per volume, each sphere on a {x}, $\frac{1}{2}$; Cubic lattice"


@pytest.mark.parametrize("dimensions", [2, 3])
def test_texts_of_keys_and_quantities_have_no_gap_left(dimensions: int) -> None:
    texts = [
        text
        for key in scenario_keys(dimensions).values()
        for text in (key.label, key.unit, key.tooltip, *map(str, key.choices.values()))
    ]
    for system in systems():
        quantities = (*disc_fields(system, dimensions), *fields_in(system.fields, dimensions))
        texts += [text for one in quantities for text in (one.label, one.unit, one.meaning)]
    for text in texts:
        assert not any(f"{{{name}}}" in text for name in NAMES), text


def test_labels_have_only_gaps_that_are_filled() -> None:
    """A mistyped one, such as {dics}, would be shown."""
    labels = [one.label for one in registered()] + [one.label for system in systems() for one in system.results]
    headings = [system.heading for system in systems()]
    for text in (*labels, *headings):
        assert "{" not in body_names(3).fill(text), text


def test_keys_of_spheres_speak_of_spheres() -> None:
    assert scenario_keys(2)["discs.count"].label == "Number of discs"
    assert scenario_keys(3)["discs.count"].label == "Number of spheres"
    assert scenario_keys(3)["discs.arrangement"].choices["lattice"] == "Cubic lattice"
    assert scenario_keys(3)["system"].choices["hard-discs"] == "Hard spheres"
    assert scenario_keys(3)["hard_discs.gravity"].default == (0.0, 0.0, 0.0)
