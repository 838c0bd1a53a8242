"""How changes of a scenario are named in the history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.scenario import fields

if TYPE_CHECKING:
    from engine.scenario import Scenario

_MOST_NAMED = 2  # changes that are named one by one


def change_of_key(key: str, value: Any) -> str:
    """A key of a scenario with its value: "N = 500", "Arrangement: Random"."""
    field = fields().get(key)
    if field is None:  # the command will be refused
        return key
    if isinstance(value, str) and value in field.choices:
        return f"{field.label}: {field.choices[value]}"
    if isinstance(value, bool):
        return f"{field.label} {'on' if value else 'off'}"
    name = field.label if "_" in field.symbol else field.symbol or field.label  # menus have no subscripts
    return f"{name} = {_value(value)}"


def change_of_scenario(before: Scenario | None, now: Scenario) -> str:
    """Describe the changes by another scenario: one or two values, or their number."""
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


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_value(one) for one in value)
    return "none" if value is None else str(value)
