"""What the inspector has for discs that jam."""

from __future__ import annotations

from aggviewer.parameters.editors import Control
from aggviewer.parameters.layout import Layout

_LIMITS = ("jamming.tolerance_inflation", "jamming.tolerance_displacement", "jamming.max_iterations")
SECTIONS = {"Jamming": ("jamming.rules", "jamming.solver", "jamming.start"), "End of the chain": _LIMITS}
CONTROLS = {
    "jamming.tolerance_inflation": Control(step=1e-14, slider=(1e-14, 1e-2), log=True),
    "jamming.tolerance_displacement": Control(step=1e-14, slider=(1e-14, 1e-2), log=True),
    "jamming.max_iterations": Control(step=1, slider=(10, 1e4), log=True),
}

LAYOUT = Layout(SECTIONS, CONTROLS, without=frozenset({"Motion"}))  # they begin at rest
