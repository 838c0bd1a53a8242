"""One look for the figures of the documentation. matplotlib without a window."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from cycler import cycler

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

IMAGES = Path(__file__).parent.parent / "docs" / "images"
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a7a00", "#56b4e9")  # Okabe and Ito
_STYLE = {
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#d8dce2",
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=COLORS),
    "legend.frameon": False,
    "svg.hashsalt": "aggviewer",  # the same figure gives the same file
}


def new_figure(columns: int = 1, width: float = 6.4, height: float = 3.8) -> tuple[Figure, list[Axes]]:
    """A figure with `columns` axes beside each other, sizes in inches."""
    plt.rcParams.update(_STYLE)
    figure, axes = plt.subplots(1, columns, figsize=(width, height), layout="constrained", squeeze=False)
    return figure, list(axes[0])


def save(figure: Figure, name: str) -> None:
    """Into docs/images as SVG."""
    figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)
