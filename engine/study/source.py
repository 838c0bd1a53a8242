"""Studies as files: TOML, and the bundled ones.

One of its scales, or the command line, changes the tables of a study before they are checked (`with_scale`,
`with_changes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from engine.errors import InputError, typed_path
from engine.scenario import parse_setting
from engine.scenario.section import Section
from engine.scenario.source import bundled_text, parse_toml, read_text
from engine.study.model import KeptQuantities, Seeds, Study, StudyLimits, flat


def bundled() -> dict[str, str]:
    """The texts of the studies that come with the program, by name."""
    folder = resources.files("resources") / "studies"
    return {
        entry.name.removesuffix(".toml"): entry.read_text(encoding="utf-8")
        for entry in sorted(folder.iterdir(), key=lambda one: one.name)
        if entry.name.endswith(".toml")
    }


def is_study(values: Mapping[str, Any]) -> bool:
    """Whether the tables of a TOML file are those of a study: it names a scenario, which a scenario does not."""
    return isinstance(values.get("scenario"), str)


def load_study(path_or_name: str | Path, *, scale: str = "standard", changes: Mapping[str, Any] | None = None) -> Study:
    """The study in a TOML file, or a bundled one by its name.

    Parameters
    ----------
    scale : one of the scales of the study; ``standard`` always exists.
    changes : keys that are set, of the study or of its scenario, see `with_changes`.

    Raises
    ------
    InputError
        There is no such study, or it is invalid.
    """
    values, _ = read_study(path_or_name)
    return Study.from_values(with_changes(with_scale(values, scale), changes or {}))


def read_study(path_or_name: str | Path) -> tuple[dict[str, Any], Path | None]:
    """The tables of a study, and the folder that its scenario is relative to; None for a bundled one. InputError."""
    path = typed_path(path_or_name)
    known = bundled()
    name = str(path_or_name)
    if name in known and not path.is_file():
        return parse_toml(known[name], f"{name}.toml"), None
    if not path.exists() and bundled_text(name) is not None:
        raise InputError(f'{name} is a scenario, not a study; a study of it begins with: scenario = "{name}"', name)
    if not path.exists() and path.suffix != ".toml" and path.name == name:
        raise InputError(f"{name} is neither a file nor a bundled study; the bundled ones are {', '.join(known)}", name)
    values = parse_toml(read_text(path), name)
    if not is_study(values):
        raise InputError(f'{name} is not a study: a study names its scenario = "..."', name)
    values.pop("made_with", None)  # study.toml of a folder of results
    return values, path.resolve().parent


def as_changes(settings: Iterable[str]) -> dict[str, Any]:
    """Settings as the command line takes them, ``key=value``. InputError."""
    return dict(parse_setting(text) for text in settings)


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
