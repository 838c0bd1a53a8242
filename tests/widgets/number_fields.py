"""Typing into number fields, as a user does."""

from __future__ import annotations

from aggviewer.widgets.number_edit import NumberEdit


def enter(field: NumberEdit, value: float | str) -> None:
    """Write a number, or any text, into a field and leave it, with no need of an active window."""
    whole = isinstance(value, int | float) and float(value).is_integer()
    line = field.lineEdit()
    assert line is not None
    line.setText(str(int(value)) if whole else str(value))
    field.commit()
