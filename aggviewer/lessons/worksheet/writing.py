"""Writes the sheet of a lesson in the format that the name of its file says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from aggviewer.lessons.source import Found
from aggviewer.lessons.worksheet.sheet import Compose, pieces
from engine.errors import InputError, either
from engine.files.atomic import replacing


def _html(found: Found, compose: Compose, path: Path) -> None:
    from aggviewer.lessons.worksheet.page import page

    path.write_text(page(found, compose), encoding="utf-8")


def _pdf(found: Found, compose: Compose, path: Path) -> None:
    from aggviewer.canvas.picture import ensure_gui
    from aggviewer.lessons.worksheet.printed import write_pdf

    ensure_gui()
    write_pdf(found, compose, path)


FORMATS: Mapping[str, Callable[[Found, Compose, Path], None]] = {".html": _html, ".pdf": _pdf}
"""What writes a sheet, by the suffix of the file."""


def write_worksheet(found: Found, path: Path) -> None:
    """Write the sheet of a lesson; a file that is there is replaced when the sheet is complete.

    Raises
    ------
    InputError
        The suffix is none of `FORMATS`, or the file cannot be written.
    """
    writes = FORMATS.get(path.suffix.lower())
    if writes is None:
        raise InputError(f"--worksheet {path} must end in {either(FORMATS)}", str(path))
    try:
        with replacing(path) as partial:
            writes(found, pieces, partial)
    except OSError as error:
        raise InputError(f"--worksheet {path} cannot be written: {error.strerror or error}", str(path)) from None
