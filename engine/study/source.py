"""Studies as files: TOML, and the bundled ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.paths import typed_path
from engine.scenario import parse_setting
from engine.scenario.source import bundled_text, parse_toml, read_text
from engine.study.changes import with_changes, with_scale
from engine.study.model import Study


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
    changes : keys that are set, of the study or of its scenario, see `engine.study.model.with_changes`.

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
