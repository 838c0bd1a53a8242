"""The folder of a study. It belongs to one study, and one process at a time writes to it."""

from __future__ import annotations

import importlib.metadata
import platform
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tomli_w

import engine
from engine.errors import InputError
from engine.files.writing import FOLDER_LOCK, locked_folder, replacing
from engine.study.model import Study

STUDY = "study.toml"
_MADE_WITH = "made_with"  # a table of study.toml with versions and machine, not part of the study
_LIBRARIES = ("numpy", "scipy", "numba", "distributed", "pandas", "pyarrow", "matplotlib")


@contextmanager
def opened(path: Path, study: Study, scenario: str) -> Iterator[Path]:
    """Lock the folder of a study, creating it with its study.toml if necessary.

    Parameters
    ----------
    study : what is in the folder, or will be.
    scenario : TOML of the scenario with its [base]; a folder keeps to it, whatever becomes of a bundled one.

    A study that differs only in having more seeds continues in the same folder.

    Raises
    ------
    InputError
        It is no folder, cannot be written to, has no file locks, contains another study, or another process works in
        it.
    """
    with locked_folder(path, needed=True):  # SQLite locks the file of rows
        _clear(path)
        _keep_to(path, study, scenario)
        yield path


def read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tables of the study in a folder and the versions with which it was made, both from its study.toml. Raises
    InputError if there is none."""
    file = path / STUDY
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path} contains no study", str(path)) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{file} cannot be read: {error}", str(file)) from None
    made_with = values.pop(_MADE_WITH, {})
    return values, made_with if isinstance(made_with, dict) else {}


def check_room(path: Path, needed: int) -> None:
    """Raise InputError if the disk has less free space than this many bytes."""
    free = shutil.disk_usage(path).free
    if needed > free:
        raise InputError(
            f"--out {path} has room for {_size(free)}, and this study needs about {_size(needed)}", str(path)
        )


def machine() -> str:
    """A description of the machine."""
    return f"{platform.node()}, {platform.machine()}, {platform.system()} {platform.release()}"


def versions() -> dict[str, str]:
    """The versions behind the numbers: this program, Python, the libraries."""
    found = {"aggviewer": engine.__version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def plugin_files() -> tuple[str, ...]:
    """The files of the plug-ins that are loaded, for the workers to load too."""
    from engine import plugins

    return tuple(one.source for one in plugins.known() if not one.problem and Path(one.source).is_file())


def _clear(path: Path) -> None:
    """Remove incomplete files of a killed process."""
    try:
        for partial in (*path.glob(".*.partial"), *path.glob("figures/.*.partial")):
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"--out {path} cannot be written to: {error.strerror or error}", str(path)) from None


def _keep_to(path: Path, study: Study, scenario: str) -> None:
    values = {**study.to_values(), _MADE_WITH: _made_with(scenario)}
    if not (path / STUDY).exists():
        others = [entry.name for entry in path.iterdir() if entry.name != FOLDER_LOCK]
        if others:
            raise InputError(
                f"--out {path} already contains something else ({', '.join(sorted(others)[:3])}); choose another "
                "folder",
                str(path),
            )
        _write(path, values)
        return
    there, made_with = read(path)
    wanted = tomllib.loads(tomli_w.dumps(study.to_values()))
    more_seeds = _has_more_seeds(wanted, there)
    if (there != wanted and not more_seeds) or made_with.get("scenario") != scenario:
        key = _difference(there, wanted)
        raise InputError(
            f"--out {path} contains another study{f': {key} differs' if key else ''}; choose another folder", str(path)
        )
    versions = made_with.get("versions")
    begun_with = versions.get("aggviewer") if isinstance(versions, dict) else None
    if begun_with != engine.__version__:
        raise InputError(
            f"--out {path} was started with {f'version {begun_with}' if begun_with else 'an unknown version'}"
            f", and this is {engine.__version__}; their numbers cannot be combined",
            str(path),
        )
    if more_seeds:
        _write(path, {**wanted, _MADE_WITH: made_with})


def _write(path: Path, values: Mapping[str, Any]) -> None:
    try:
        with replacing(path / STUDY) as partial:
            partial.write_text(tomli_w.dumps(values), encoding="utf-8")
    except OSError as error:
        raise InputError(f"--out {path} cannot be written to: {error.strerror or error}", str(path)) from None


def _has_more_seeds(wanted: Mapping[str, Any], there: Mapping[str, Any]) -> bool:
    """Whether the requested study differs from the existing one only in having more seeds: all existing rows belong to
    it too."""
    try:
        new, old = Study.from_values(wanted), Study.from_values(there)
    except InputError:  # its file was cut, or changed by hand
        return False
    return (
        new.seeds.count > old.seeds.count
        and new.model_copy(update={"seeds": old.seeds}) == old
        and (new.seeds.first == old.seeds.first)
    )


def _difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    return next((key for key in {**one, **other} if one.get(key) != other.get(key)), "scenario")


def _made_with(scenario: str) -> dict[str, Any]:
    from engine import plugins

    return {
        "command": shlex.join(sys.argv[1:]) if Path(sys.argv[0]).name in ("aggviewer", "__main__.py") else "",
        "machine": machine(),
        "versions": versions(),
        "plugins": [f"{one.name} ({one.source})" for one in plugins.known() if not one.problem],
        "scenario": scenario,
    }


def _size(number: int) -> str:
    size = float(number)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000.0:
            return f"{size:.3g} {unit}"
        size /= 1000.0
    return f"{size:.3g} TB"
