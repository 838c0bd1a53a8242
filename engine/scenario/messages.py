"""One sentence out of pydantic's errors."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from engine.errors import InputError
from engine.scenario.fields import fields, sections, unknown_key


def input_error(error: ValidationError, values: Any) -> InputError:
    """The first error as an InputError with its dotted key; `values` is what was validated (nested dicts)."""
    first = min(error.errors(include_url=False), key=lambda e: e["type"] != "extra_forbidden")
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return cause
    location = [str(part) for part in first["loc"]]
    if first["type"] == "extra_forbidden":
        key = ".".join(location)
        return InputError(unknown_key(key), key)
    # pydantic appends the member of a union and the index of a pair: the key is what is known of the path
    for length in range(len(location), 0, -1):
        key = ".".join(location[:length])
        if key in fields():
            return InputError(f"{key} must be {fields()[key].allowed}, not {_shown(values, key)}", key)
        if key in sections():
            return InputError(f"{key} must be a table [{key}], not {_shown(values, key)}", key)
    return InputError("a scenario must be a TOML table")


def _shown(values: Any, key: str) -> str:
    for part in key.split("."):
        values = values.get(part) if isinstance(values, dict) else None
    if isinstance(values, bool):
        return str(values).lower()
    if isinstance(values, tuple):
        values = list(values)
    text = f'"{values}"' if isinstance(values, str) else repr(values)
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."
