"""Checking whether results can be written to a place, before they are computed."""

from __future__ import annotations

import tempfile
from pathlib import Path

from engine.errors import InputError
from engine.paths import typed_path


def check_folder(path: Path, option: str = "--out") -> None:
    """Raise InputError if a folder cannot be written to, or created.

    option : the command-line option that names it.
    """
    typed_path(path.absolute())
    there = next((place for place in (path, *path.absolute().parents) if place.exists()), path)
    if not there.is_dir():
        raise InputError(f"{option} {path} cannot be written to: {there} is not a folder", str(path))
    reason = _refused(there)
    if reason:
        raise InputError(f"{option} {path} cannot be written to: {reason}", str(path))


def check_file(path: Path) -> None:
    """Raise InputError if the file of the option ``--out`` cannot be written; its folder must exist."""
    typed_path(path.absolute())
    if path.is_dir():
        raise InputError(f"--out {path} is a folder; choose a file in it", str(path))
    if not path.parent.is_dir():
        raise InputError(f"--out {path}: there is no folder {path.parent}", str(path))
    reason = _refused(path.parent)
    if reason:
        raise InputError(f"--out {path} cannot be written: {reason}", str(path))


def _refused(folder: Path) -> str:
    """Why no file can be created in a folder; "" if one can."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)
