"""Paths as people type them."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from engine.errors import InputError


def typed_path(text: str | Path) -> Path:
    """The path that a text means, with ~ for a home folder, if there is such a user; nothing need exist there.

    Raises
    ------
    InputError
        No file can have this name: it is too long, or holds a null character.
    """
    try:
        path = Path(os.path.expanduser(text))
        os.lstat(path)
    except ValueError:  # a null character, or one that file names cannot have here
        raise InputError(f"{ascii(str(text))[1:-1]} holds a character that a file name cannot have", "") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise InputError(f"the name {str(text)[:40]}… is too long for a file", str(text)) from None
    return path
