"""Settings of the window around the picture: how fast a run is played, and which panels are open and how much they
show."""

from __future__ import annotations

from math import inf
from typing import Annotated, ClassVar, Literal

from annotated_types import Gt, Lt

from aggviewer.document.model import DocumentModel, FieldUse

DEFAULT_SPEED = 2.0
"""Simulation time per second of wall time at the start."""

Limit = Literal["speed", "frames", "none"]


def _limited(_before: Limit, after: Limit) -> str:
    return {"speed": "playing at a speed", "frames": "playing fast", "none": "playing without limit"}[after]


class PaceModel(DocumentModel):
    """How fast a run is played.

    Attributes
    ----------
    speed : simulation time per second of wall time.
    limit : what limits it: the ``speed``; the ``frames``, each of which is shown, so that a run of any size is seen;
        or ``none``, as fast as the engine can.
    """

    namespace: ClassVar[str] = "pace"

    speed: Annotated[Annotated[float, Gt(0.0), Lt(inf)], FieldUse("speed", keeps_redo=True)] = DEFAULT_SPEED
    limit: Annotated[Limit, FieldUse(words=_limited, keeps_redo=True)] = "speed"

    @property
    def requested_speed(self) -> float:
        """Simulation time per second of wall time; inf if there is no fixed speed."""
        return self.speed if self.limit == "speed" else inf

    @property
    def fast(self) -> bool:
        """Whether a run without a set pace shows every frame."""
        return self.limit == "frames"


_LAYOUT = FieldUse(undo=False, session=False, layout=True)


class PanelsModel(DocumentModel):
    """The open panels beside the picture. The layout of the window keeps them for the next start.

    everything : whether all parameters, plots and tools are offered, not only the few that a beginner needs.
    """

    namespace: ClassVar[str] = "panels"

    parameters: Annotated[bool, _LAYOUT] = True
    plots: Annotated[bool, _LAYOUT] = True
    everything: Annotated[bool, FieldUse(undo=False, session=False, settings=True)] = True
