"""Errors of pydantic in a study as one plain sentence."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from engine.errors import InputError
from engine.scenario.section import Section

KeyPath = tuple[int | str, ...]
ModelAt = Callable[[KeyPath], type[Section]]

_ALLOWED = {
    "bool_type": "true or false",
    "dict_type": "a table",
    "float_type": "a number",
    "int_type": "a whole number",
    "model_type": "a table",
    "string_type": "a string",
    "tuple_type": "a list",
    "finite_number": "a number that is not nan and not infinite",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
}


def input_error(error: ValidationError, model_at: ModelAt) -> InputError:
    """The first error as one sentence with its key, such as ``vary[2].values``, counted from 1.

    model_at : the model of the table at a place.
    """
    first = min(error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden")
    key = _located(first["loc"])
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        inner = key.rpartition(".")[0] if cause.key.startswith("stop.") else key
        return InputError(f"{key}: {cause}" if key and inner else str(cause), key or cause.key)
    if first["type"] == "extra_forbidden":
        table = key.rpartition(".")[0]
        model = model_at(first["loc"][:-1])
        known = [info.alias or name for name, info in model.model_fields.items()]
        close = get_close_matches(str(first["loc"][-1]), known, n=1)
        hint = f"did you mean {close[0]}? {table or 'A study'}" if close else table or "a study"
        return InputError(f"{key} is not a key of a study; {hint} has {', '.join(known)}", key)
    if first["type"] == "missing":
        return InputError(f"{key} is missing", key)
    if first["type"] in _BOUNDS:
        name, words = _BOUNDS[first["type"]]
        return InputError(f"{key} must be {words} {first['ctx'][name]:g}, not {_shown(first.get('input'))}", key)
    if first["type"] == "tuple_type" and isinstance(first.get("input"), dict):
        return InputError(f"{key} must be a list of tables: write [[{key}]], with two brackets", key)
    allowed = _ALLOWED.get(first["type"])
    if ".reference[" in key and first["type"] == "tuple_type":
        allowed = "a pair [x, y]"
    if key.endswith(".range") and allowed is not None:
        allowed = "a table such as { from = 1, to = 9, steps = 3 }"
    if allowed is None:
        text = first["msg"]
        text = text[0].lower() + text[1:]
        text = text.removeprefix("input ").removeprefix("value ").replace("should be", "must be")
        shown = f", not {_shown(first.get('input'))}" if first["type"] == "literal_error" else ""
        return InputError(f"{key} {text}{shown}", key)
    return InputError(f"{key} must be {allowed}, not {_shown(first.get('input'))}", key)


def _located(location: KeyPath) -> str:
    text = ""
    for part in location:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = " ".join((f'"{value}"' if isinstance(value, str) else repr(value)).split())
    return text if len(text) <= 60 else text[:57] + "..."
