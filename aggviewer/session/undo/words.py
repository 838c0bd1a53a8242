"""What was changed, in a few words: for "Undo N = 500"."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.scenario import Scenario

_MOST_NAMED = 2  # changes that are named one by one

_VIEW_WORDS = {"color_by": "colour by", "colormap": "colour map", "background": "background", "theme": "theme"}
_VIEW_SWITCHES = {
    "show_scale_bar": "scale bar",
    "show_legend": "legend",
    "show_time": "time in the picture",
    "show_box": "outline of the box",
    "flash_contacts": "flashes of contacts",
}


def change_of_key(key: str, value: Any) -> str:
    """A key of a scenario with its new value: "N = 500", "Arrangement: Random"."""
    from engine.scenario import fields

    field = fields().get(key)
    if field is None:  # the session will say so
        return key
    if isinstance(value, str) and value in field.choices:
        return f"{field.label}: {field.choices[value]}"
    if isinstance(value, bool):
        return f"{field.label} {'on' if value else 'off'}"
    return f"{field.symbol or field.label} = {_value(value)}"


def change_of_scenario(before: Scenario | None, now: Scenario) -> str:
    """What another scenario changes: one or two values, or how many."""
    from engine.scenario import fields

    if before is None:
        return "opening"
    changed = [key for key in fields() if now.value(key) != before.value(key)]
    if not changed:
        return "restart"
    if changed == ["seed"]:
        return "new seed"
    if len(changed) > _MOST_NAMED:
        return f"{len(changed)} parameters"
    return ", ".join(change_of_key(key, now.value(key)) for key in changed)


def change_of_view(name: str, before: Any, value: Any) -> str:
    """A field of the view with its new value: "colour by speed", "hiding the legend", "showing the velocities"."""
    if name == "layers":
        words = "showing" if len(value) > len(before) else "hiding"
        return f"{words} the {' and the '.join(sorted({*value} ^ {*before}))}"
    if name in _VIEW_SWITCHES:
        return f"{'showing' if value else 'hiding'} the {_VIEW_SWITCHES[name]}"
    return f"{_VIEW_WORDS.get(name, name.replace('_', ' '))} {str(value).replace('_', ' ')}"


def opening(source: str | Path) -> str:
    """A file or a bundled scenario."""
    path = Path(source)
    return f"opening {path.name}"


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_value(one) for one in value)
    return "none" if value is None else str(value)
