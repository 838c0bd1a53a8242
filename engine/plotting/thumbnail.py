"""The small picture with which simulations and frames show themselves in a notebook."""

from __future__ import annotations

from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING

from engine.errors import InputError

if TYPE_CHECKING:
    from engine.files import FileFrame
    from engine.frame import Frame
    from engine.simulation import Simulation

_LONGEST = 3.4
"""The longer side of the box in inches."""
_PIXELS = 110
"""In an inch."""


def png(shown: Simulation | Frame | FileFrame) -> bytes | None:
    """A small PNG of a state, made in some tenths of a second whatever the number of discs.

    None if there is nothing to draw: without matplotlib, and for a frame that does not say which discs it is of.
    """
    if find_spec("matplotlib") is None:
        return None
    from matplotlib.figure import Figure

    from engine.plotting.colors import colors_of
    from engine.plotting.discs import draw, size_of
    from engine.plotting.drawable import seen

    try:
        state = seen(shown)
        first = next(field for field in state.fields if field.measure is None)  # one that is not computed at length
        colors = colors_of(state, first, None)
    except InputError:
        return None
    # without pyplot: nothing is left behind that somebody has to close
    figure = Figure(figsize=size_of(state, colors, _LONGEST), layout="constrained")
    axes = figure.add_subplot()
    draw(axes, state, colors, quick=True)
    axes.tick_params(labelsize="small")
    file = BytesIO()
    figure.savefig(file, format="png", dpi=_PIXELS)
    return file.getvalue()
