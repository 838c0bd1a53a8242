"""The tree in files: its merges as a table, in the Newick format, and as a picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PyQt6.QtCore import QRectF

from aggviewer.export.files import new_file
from aggviewer.export.tables import write_table
from aggviewer.merging.branches import Branches
from aggviewer.merging.item import ROW, MergeAxis, line_width
from aggviewer.style.numbers import count
from aggviewer.style.theme import LIGHT
from engine.errors import InputError

FILTER = (
    "Table of merges (*.csv);;Newick tree (*.nwk);;Picture as vectors (*.svg);;Picture as PDF (*.pdf);;"
    "Picture as pixels (*.png)"
)
TEXTS: dict[str, Callable[[Path, Branches], None]] = {
    ".csv": lambda path, branches: write_table(path, branches.table()),
    ".nwk": lambda path, branches: _write_text(path, branches.tree.newick(branches.node) + "\n"),
}
"""What writes numbers and names, by the ending of the file."""

PICTURES = (".svg", ".pdf", ".png")

_INCHES, _DPI = (7.0, 4.0), 200.0
_POINTS = 72.0


def write(path: Path, branches: Branches, axis: MergeAxis, seen: QRectF) -> None:
    """Write all merges, or what is seen of the tree, by the ending of the file; on any thread.

    Parameters
    ----------
    axis : of time; seen : the part of the plot that a picture shows.

    Raises
    ------
    InputError
        The ending is another one, or the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix in TEXTS:
        TEXTS[suffix](path, branches)
    elif suffix in PICTURES:
        _write_picture(path, branches, axis, seen)
    else:
        allowed = ", ".join((*TEXTS, *PICTURES))
        raise InputError(f"{path}: a history of merges must end in one of {allowed}", str(path))


def _write_picture(path: Path, branches: Branches, axis: MergeAxis, seen: QRectF) -> None:
    """What is seen, in the colours of paper."""
    from matplotlib.figure import Figure  # takes a second to import

    figure = Figure(_INCHES, dpi=_DPI, layout="constrained")
    axes = figure.add_subplot(xlabel="time $t$", ylabel="discs")
    left, right = (10.0**x if axis.log else x for x in (seen.left(), seen.right()))
    axes.set(xscale="log" if axis.log else "linear", xlim=(left, right), ylim=(seen.bottom(), seen.top()))
    shown = branches.with_rows(ROW / (_INCHES[1] * _POINTS) * seen.height())
    branch, begin, end, level = branches.pieces()
    for one in np.unique(level).tolist():
        which = np.isin(branch, shown) & (level == one)
        begins, ends = (np.clip(times[which], axis.low, axis.high) for times in (begin, end))
        axes.hlines(branch[which], begins, ends, LIGHT.muted, linewidth=line_width(one))
    ending = shown[shown > 0]
    axes.vlines(branches.ends[ending], branches.into[ending], ending, LIGHT.muted, linewidth=line_width(0))
    axes.plot(branches.ends[ending], branches.into[ending], "o", color=LIGHT.text, markersize=4.0)
    inside = shown[(shown >= seen.top()) & (shown <= seen.bottom())]
    axes.set_yticks(inside, [count(int(size)) for size in branches.sizes[inside]])
    axes.spines[["top", "right", "left"]].set_visible(False)
    with new_file(path) as partial:
        figure.savefig(partial, format=path.suffix.lower()[1:])


def _write_text(path: Path, text: str) -> None:
    with new_file(path) as partial:
        partial.write_text(text, encoding="utf-8")
