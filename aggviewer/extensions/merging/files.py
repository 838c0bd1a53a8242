"""Export of the tree: a table of merges, a Newick tree, or a picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from aggviewer.export.files import new_file
from aggviewer.export.sheet import MATPLOTLIB, Sheet, write_page
from aggviewer.export.tables import write_table
from aggviewer.extensions.merging.branches import Branches
from aggviewer.plots.page import PagePane, draw_panes
from aggviewer.plots.paper import PAPER
from engine.errors import InputError

FILTER = "Table of merges (*.csv);;Newick tree (*.nwk);;SVG picture (*.svg);;PDF picture (*.pdf);;PNG picture (*.png)"
_SIZE = 504.0, 288.0  # points


def write(path: Path, branches: Branches, pane: PagePane) -> None:
    """Write all merges or the visible part of the tree, depending on the file ending. Any thread.

    Parameters
    ----------
    pane : the plot, drawn for paper in the colours `PAPER`.

    Raises
    ------
    InputError
        The ending is not supported, or the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in _WRITERS:
        raise InputError(f"{path}: the file name must end in one of {', '.join(_WRITERS)}", str(path))
    _WRITERS[suffix](path, branches, pane)


def _write_table(path: Path, branches: Branches, _pane: PagePane) -> None:
    write_table(path, branches.table())


def _write_newick(path: Path, branches: Branches, _pane: PagePane) -> None:
    with new_file(path) as partial:
        partial.write_text(branches.tree.newick(branches.node) + "\n", encoding="utf-8")


def _write_picture(path: Path, _branches: Branches, pane: PagePane) -> None:
    with MATPLOTLIB, new_file(path) as partial:
        sheet = Sheet.whole(*_SIZE, unit=1.0)
        sheet.figure.set_facecolor(PAPER.window)
        draw_panes([pane], sheet, PAPER)
        write_page(sheet.figure, partial, path.suffix.lower()[1:], "History of merges")


_WRITERS: dict[str, Callable[[Path, Branches, PagePane], None]] = {
    ".csv": _write_table,
    ".nwk": _write_newick,
    ".svg": _write_picture,
    ".pdf": _write_picture,
    ".png": _write_picture,
}
"""Writers by file ending."""
