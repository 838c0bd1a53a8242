"""What plots draw, as a table in a file."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from aggviewer.export.files import new_file


def write_table(path: Path, columns: Mapping[str, ArrayLike]) -> None:
    """CSV: a line with the names, then the values in full precision; shorter columns end earlier, NaN is left empty.

    InputError where it cannot be written.
    """
    lists = [[_text(value) for value in np.asarray(values).tolist()] for values in columns.values()]
    with new_file(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        table.writerows(zip_longest(*lists, fillvalue=""))


def _text(value: float) -> str:
    return "" if value != value else repr(value)
