"""The data of plots as a table in a file or as text."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from aggviewer.export.files import new_file
from engine.files.text import cell_text


def table_text(columns: Mapping[str, ArrayLike]) -> str:
    """CSV for every reader: a line with the names, then the values in full precision or as text, without quotation
    marks (`cell_text`).

    Shorter columns end earlier, NaN is left empty.
    """
    lists = [[_text(value) for value in np.asarray(values).tolist()] for values in columns.values()]
    rows = [map(cell_text, columns), *zip_longest(*lists, fillvalue="")]
    return "".join(",".join(row) + "\n" for row in rows)


def write_table(path: Path, columns: Mapping[str, ArrayLike]) -> None:
    """Write `table_text` into a file. InputError if it cannot be written."""
    with new_file(path) as partial:
        partial.write_bytes(table_text(columns).encode())


def _text(value: float | str) -> str:
    return cell_text(value) if isinstance(value, str) else "" if value != value else repr(value)
