"""The libraries that only studies need; they come with ``pip install aggviewer[study]``."""

from __future__ import annotations

from importlib.util import find_spec

from engine.errors import InputError

NEEDED = ("distributed", "pandas", "pyarrow", "matplotlib", "jinja2")
"""Their names as they are imported."""


def require(*names: str) -> None:
    """Raise InputError with the command to install them if any of these (default: all that are needed) is missing."""
    missing = [name for name in names or NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(f"studies need {', '.join(missing)}: pip install 'aggviewer[study]'", "study")
