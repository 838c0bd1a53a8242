"""Changes to a study, from one of its scales or from the command line, in its tables before they are checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import InputError
from engine.scenario.section import Section
from engine.study.model import KeptQuantities, Seeds, StudyLimits, flat

_TABLES: dict[str, type[Section]] = {"seeds": Seeds, "stop": StudyLimits, "measure": KeptQuantities}
"""Whose keys can be set one by one."""


def with_scale(values: Mapping[str, Any], scale: str) -> dict[str, Any]:
    """The tables of a study with the changes of a scale. InputError if it has no such scale.

    ``standard`` always exists; it is the unchanged study unless the file says otherwise.
    """
    scales = values.get("scales", {})
    changes = scales.get(scale) if isinstance(scales, dict) else None
    if changes is None:
        if scale == "standard":
            return dict(values)
        known = ", ".join(dict.fromkeys(["standard", *scales])) if isinstance(scales, dict) else "standard"
        raise InputError(f"--scale must be one of {known}, not {scale}", "scale")
    return with_changes(values, changes)


def with_changes(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a study with some keys set.

    A key is one of the study's tables (``seeds.count``, ``stop.until_time``, ``measure.quantities``), ``vary.`` and the
    key of an axis with a list of values or a range, or a key of the scenario, which goes to ``base``. None removes the
    key.
    """
    changed = {key: _copied(value) for key, value in values.items()}
    for key, value in flat(changes).items():
        table, _, rest = key.partition(".")
        if table == "vary":
            _vary(changed, rest, value)
        elif table in _TABLES and rest:
            changed.setdefault(table, {})[rest] = value
        elif table == "base" and rest:
            changed.setdefault("base", {})[rest] = value
        elif key in _TABLES:
            keys = ", ".join(f"{key}.{name}" for name in _TABLES[key].model_fields)
            raise InputError(f"{key} is a table of a study: set one of {keys}", key)
        elif key in ("title", "description", "scenario"):
            changed[key] = value
        else:
            if any(key in _keys_of(axis) for axis in changed.get("vary", [])):
                raise InputError(f"{key} is varied by this study; set vary.{key} to a list of values", key)
            changed.setdefault("base", {})[key] = value
    return changed


def _vary(values: dict[str, Any], key: str, value: Any) -> None:
    if not isinstance(value, list | dict):
        raise InputError(f"vary.{key} must be a list of values or a range {{ from, to, steps }}, not {value!r}", key)
    for axis in values.get("vary", []):
        if key in (axis.get("key"), ", ".join(axis.get("keys", [])), ",".join(axis.get("keys", []))):
            names = _kept_names(axis, value)
            for part in ("values", "range", "names"):
                axis.pop(part, None)
            axis["range" if isinstance(value, dict) else "values"] = value
            if names:
                axis["names"] = names
            return
    values.setdefault("vary", []).append({"key": key, "range" if isinstance(value, dict) else "values": value})


def _kept_names(axis: Any, values: Any) -> list[str]:
    """The names of these values of an axis; none if one of them is not among the values that have names."""
    known, names = axis.get("values", []), axis.get("names", [])
    if len(names) != len(known) or not isinstance(values, list) or any(value not in known for value in values):
        return []
    return [names[known.index(value)] for value in values]


def _keys_of(axis: Any) -> list[str]:
    return [axis["key"]] if "key" in axis else list(axis.get("keys", []))


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value
