"""Settings of what is around the picture: how fast a run is played, which panels are open, and what the plots show.

Of plots these are which are shown, their scales and ranges, and references.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

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
    def every_frame(self) -> bool:
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


T = TypeVar("T")

MOST_REFERENCES = 5
"""The most references of a system: as many as there are colours."""

LONGEST_NAME = 120
"""The most characters in the name of a reference."""

_PLOTS, _CURVES, _POINTS, _AREAS = 256, 64, 1001, 8  # limits for files from strangers

Finite = Annotated[float, Field(allow_inf_nan=False)]
PositiveFinite = Annotated[Finite, Gt(0.0)]
CurveRow = Annotated[tuple[Finite | None, ...], MaxLen(_POINTS)]
"""The numbers of a curve; None for a gap."""


def _ordered(ends: tuple[float, float]) -> tuple[float, float]:
    if not ends[0] < ends[1]:
        raise ValueError(f"a fit range must have two different limits, not {ends[0]:g} and {ends[1]:g}")
    return ends


FitEnds = Annotated[tuple[PositiveFinite, PositiveFinite], AfterValidator(_ordered)]
"""The range over which a plot fits power laws, in units of its x axis."""


class AxesLook(BaseModel):
    """The axes of one drawing area of a plot. None: determined by the plot and its data.

    Attributes
    ----------
    logarithmic : whether x and y have a logarithmic scale.
    range : fixed limits of x and of y.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    logarithmic: tuple[bool, bool] | None = None
    range: tuple[float, float, float, float] | None = None


class KeptReference(BaseModel):
    """Curves of an earlier run that stay in the plots for comparison.

    Attributes
    ----------
    name : of the run.
    slot : 0 … 4, its colour and dashes.
    curves : by plot, the name of its class: for each curve x, y and, if known, standard errors of y.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, MinLen(1), MaxLen(LONGEST_NAME)]
    slot: Annotated[int, Ge(0), Le(MOST_REFERENCES - 1)]
    curves: Annotated[
        Mapping[str, Annotated[Mapping[str, Annotated[tuple[CurveRow, ...], MinLen(2), MaxLen(3)]], MaxLen(_CURVES)]],
        MinLen(1),
        MaxLen(_PLOTS),
    ]


def _told_apart(kept: tuple[KeptReference, ...]) -> tuple[KeptReference, ...]:
    if len({one.name for one in kept}) < len(kept) or len({one.slot for one in kept}) < len(kept):
        raise ValueError("references of a system must have different names and slots")
    return kept


def _references_changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    kept, removed = (sum(map(len, one.values())) for one in (after, before))
    return "removing a reference" if kept < removed else "keeping a reference"


class PlotsModel(DocumentModel):
    """The settings of the plots. Plots are named by system and class, ``hard-discs/MotionPlot``.

    Attributes
    ----------
    chosen : the numbers of the plots that are shown, none of them for all; None if no plot is shown.
    enlarged : the number of the plot that is shown alone and large, beside the picture; None for none.
    looks : scales and ranges, by plot: one for each drawing area. Plots that are not in it have their defaults.
    ranges : fit ranges, by plot.
    references : curves of earlier runs, by system.
    averaged : the plots that show averages over the run.
    """

    namespace: ClassVar[str] = "plots"

    chosen: Annotated[
        Annotated[tuple[Annotated[int, Ge(1)], ...], MaxLen(_PLOTS)] | None, FieldUse(undo=False, layout=True)
    ] = ()
    enlarged: Annotated[Annotated[int, Ge(1)] | None, FieldUse(undo=False, session=False, layout=True)] = None
    looks: Annotated[
        Mapping[str, Annotated[tuple[AxesLook, ...], MaxLen(_AREAS)]],
        MaxLen(_PLOTS),
        FieldUse("scales of the plots", settings=True, by_system=True, keeps_redo=True),
    ] = Field(default_factory=dict)
    ranges: Annotated[
        Mapping[str, FitEnds],
        MaxLen(_PLOTS),
        FieldUse("fit range", session=False, settings=True, keeps_redo=True),
    ] = Field(default_factory=dict)
    references: Annotated[
        Mapping[str, Annotated[tuple[KeptReference, ...], MaxLen(MOST_REFERENCES), AfterValidator(_told_apart)]],
        FieldUse(session=False, settings=True, words=_references_changed, keeps_redo=True),
    ] = Field(default_factory=dict)

    averaged: Annotated[
        Annotated[tuple[Annotated[str, MaxLen(LONGEST_NAME)], ...], MaxLen(_PLOTS)],
        FieldUse("averages in a plot", keeps_redo=True),
    ] = ()

    def keep_averaged(self, plot: str, on: bool) -> None:
        """Keep whether a plot shows averages over the run."""
        others = tuple(one for one in self.averaged if one != plot)
        self.averaged = (*others, plot) if on else others

    def keep_look(self, plot: str, look: Sequence[Mapping[str, Any]]) -> None:
        """Keep the scales and ranges of a plot, as fields of `AxesLook` for each drawing area; empty for its
        defaults."""
        self.looks = _with(self.looks, plot, tuple(AxesLook(**one) for one in look))

    def plain_look(self, plot: str) -> list[dict[str, Any]]:
        """What `keep_look` has kept."""
        return [one.model_dump(mode="json", exclude_none=True) for one in self.looks.get(plot, ())]

    def keep_range(self, plot: str, ends: FitEnds | None) -> None:
        """Keep the fit range of a plot; None if the plot chooses it."""
        self.ranges = _with(self.ranges, plot, ends)

    def keep_references(self, system: str, kept: tuple[KeptReference, ...]) -> None:
        """Keep these references of a system."""
        self.references = _with(self.references, system, kept)


def _with(kept: Mapping[str, T], name: str, value: T | None) -> dict[str, T]:
    """A copy of stored values with another one of this name, or without it if it is empty or None."""
    others = {key: one for key, one in kept.items() if key != name}
    return others | {name: value} if value else others
