"""What is said about the disc under the pointer."""

from __future__ import annotations

from math import degrees
from typing import Any

from aggviewer.session import Shown
from aggviewer.session.view import fields_of
from aggviewer.style import numbers
from engine.fields import Field


def describe(shown: Shown | None, disc: int) -> str:
    """One line about a disc: its number, its radius and all that its system says of each disc; empty where there is no
    disc."""
    if shown is None or not 0 <= disc < shown.system.count:
        return ""
    radius = float(shown.system.radii[disc]) * shown.frame.radius_factor
    parts = [f"disc {numbers.count(disc)}", f"R = {radius:.3g}"]
    for field in fields_of(shown.system.scenario.system):
        value = field.of_disc(shown.frame, shown.system, disc)
        if value is None and shown.coloring.by == field.name:  # what was measured for the colours
            value = shown.scalar[disc]
        if value is not None:
            parts.append(in_words(field, value))
    return ", ".join(parts)


def in_words(field: Field, value: Any) -> str:
    """A value of a field with its symbol, else its label, and its unit: ``|V| = 0.31 length/time``, ``contacts 3``."""
    if field.classes:
        return field.classes[int(value)]
    name = f"{field.symbol} =" if field.symbol else field.label[:1].lower() + field.label[1:]
    if field.kind == "angle":
        return f"{name} {degrees(value):.0f}°"
    if field.kind == "continuous":
        return f"{name} {float(value):.3g} {field.unit.replace(' / ', '/')}".rstrip()
    unit = field.unit.removesuffix("s") if int(value) == 1 else field.unit  # 1 disc, 2 discs
    return f"{name} {numbers.count(int(value))} {unit}".rstrip()
