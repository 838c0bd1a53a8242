"""Writing a file so that it exists either complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a temporary file beside `path`, and move it over `path` at the end of the ``with`` block.

    Where the block raises, the temporary file is removed and a file at `path` stays as it was.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
