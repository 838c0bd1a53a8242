"""What simulations and frames do for a person at a notebook: they show themselves, and run with a progress bar.

How that is done builds on simulations and frames. So it is not imported here but plugged in, by ``engine/__init__.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Plugged:
    """The functions that are plugged in.

    Attributes
    ----------
    picture : the PNG of a simulation or of a frame; None if none can be made.
    run : what `engine.slices.Steered.run` does.
    """

    picture: Callable[[Any], bytes | None] = staticmethod(lambda shown: None)
    run: Callable[..., Any]


class Pictured:
    """Something that a notebook shows as a picture."""

    def _repr_png_(self) -> bytes | None:
        """The hook of notebooks; None leaves them with the text."""
        return Plugged.picture(self)
