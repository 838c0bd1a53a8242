"""What a picture draws (a simulation as it is now, a frame, a state from a file), in which colours, with a legend."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic
from engine.errors import InputError, either
from engine.fields import Field, fields_in
from engine.files import FileFrame
from engine.frame import Frame, FrameDiscs, living
from engine.plotting.projection import FROM_ABOVE, WHOLE, FlatView, Quaternion, flat_view
from engine.scenario import Scenario
from engine.system import find, known_fields
from engine.words import body_names, typeset

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

    from engine.simulation import Simulation
    from engine.system import System

PALETTE_ON_DARK: tuple[str, ...] = (
    "#9eb3fc", "#9b9b45", "#f5849a", "#77a186", "#deb9e7", "#c4cb73",
    "#cd9d6d", "#b08cab", "#92d1c8", "#77aec8", "#a38ada", "#fdb3a6",
)  # fmt: skip
"""Twelve muted hues for clusters on a dark ground: CIELAB lightness 62 to 80, chroma below 60."""

PALETTE_ON_LIGHT: tuple[str, ...] = (
    "#6078bc", "#5b5f03", "#b0465f", "#3b634b", "#a17eaa", "#87903b",
    "#8b6235", "#71506d", "#57958d", "#387189", "#634e98", "#c1766a",
)  # fmt: skip
"""The same hues in the same order for a light ground, paper and a projector: CIELAB lightness 38 to 58."""

PALETTE_TO_PROJECT: tuple[str, ...] = (
    "#5068d1", "#393f02", "#8d2747", "#044430", "#865ea4", "#797900",
    "#755103", "#70007a", "#00816e", "#035c71", "#3727b0", "#cc353d",
)  # fmt: skip
"""The same hues in the same order, dark and saturated, for a poor projector in a bright room: on white at least
4.5 : 1."""

PALETTE_SIZE = len(PALETTE_ON_LIGHT)

DIVERGING_ON_DARK = "#5cb8ff", "#4d90cc", "#6f7884", "#d08a45", "#ffc04d"
"""The colours of a signed amount on a dark ground, from the most negative to the most positive: grey at 0."""

DIVERGING_ON_LIGHT = "#00429d", "#4a79b8", "#8d949d", "#c06a4a", "#93003a"
"""The same for a light ground, paper and a projector."""

COUNTS_ON_DARK: tuple[str, ...] = (
    "#1b61c8", "#636f5f", "#a95d02", "#85708e", "#14a3ff", "#89b33e", "#f48bac", "#ffdbb1", "#74fbff",
    "#a9b6df", "#208c49", "#ddeadd", "#bd8576",
)  # fmt: skip
"""The colours of 0, 1, 2 … contacts on a dark ground. A number has its colour for good, whatever the others are. From 0
to 8 they stand out more and more, and any two differ by at least 24 (CIEDE2000), for the colour-blind by 15; those
from 9 on are for spheres."""

COUNTS_ON_LIGHT: tuple[str, ...] = (
    "#0194e0", "#729371", "#bd7100", "#97768f", "#375cc9", "#5e5d4c", "#9a1c6d", "#561f00", "#043231",
    "#6b5990", "#018069", "#004c29", "#b04708",
)  # fmt: skip
"""Similar hues for a light ground and paper: any two from 0 to 8 differ by at least 22, for the colour-blind by 13."""

COUNTS_TO_PROJECT: tuple[str, ...] = (
    "#017bba", "#587b51", "#d32b07", "#84617b", "#0348b8", "#4f4f3f", "#7f0564", "#471e00", "#002d2a",
    "#1a0e96", "#097f08", "#094322", "#853200",
)  # fmt: skip
"""The same for a projector: any two from 0 to 8 differ by at least 19, for the colour-blind by 12."""

PALER = 0.65, 1.0
"""The share of the background in the colour of a disc within its rim, for the looks 1 and 2 of
`engine.analysis.rims.rims`."""

ALONE = "#828891"
"""The colour of a disc that belongs to no cluster, or that has no value."""

_USUAL, _CYCLIC = "viridis", "cmocean:phase"


@dataclass(frozen=True)
class DiscColors:
    """The colour of each disc and its legend.

    Parameters
    ----------
    faces : (N, 4), red, green, blue and opacity from 0 to 1.
    label : the quantity with its symbol and unit.
    scale : of a quantity with a colour bar; None otherwise.
    beyond : whether some values are above the upper end of the colour bar.
    both_ends : whether it is the same at the lower end.
    stepped : whether each whole number has a colour of its own.
    cyclic : whether the two ends of the bar are the same angle.
    classes : the names of the categories with their colours; none if the colours only tell clusters apart.
    rims : (N,), the look of each disc (`engine.analysis.rims`) where the colours tell clusters apart.
    """

    faces: NDArray[np.float64]
    label: str
    scale: ScalarMappable | None = None
    beyond: bool = False
    both_ends: bool = False
    cyclic: bool = False
    stepped: bool = False
    classes: tuple[tuple[str, Any], ...] = ()
    rims: NDArray[np.uint8] | None = None

    def add_legend(self, ax: Axes) -> None:
        """Draw the colour bar or the names of the categories beside the axes; nothing for clusters."""
        figure = ax.figure
        if self.scale is not None:
            beyond = ("both" if self.both_ends else "max") if self.beyond else "neither"
            bar = figure.colorbar(self.scale, ax=ax, label=self.label, extend=beyond, shrink=0.85, pad=0.02)
            if self.stepped:
                low, high = self.scale.get_clim()
                assert low is not None
                assert high is not None
                bar.set_ticks(np.arange(np.ceil(low), np.floor(high) + 1.0).tolist())
                bar.minorticks_off()
            bar.outline.set_linewidth(0.6)
            if self.cyclic:
                bar.set_ticks([-pi, -pi / 2, 0.0, pi / 2, pi], labels=["−π", "−π/2", "0", "π/2", "π"])
        elif self.classes:
            from matplotlib.lines import Line2D

            handles = [
                Line2D([], [], marker="o", linestyle="", markersize=8, color=color, label=name)
                for name, color in self.classes
            ]
            ax.legend(
                handles=handles, title=self.label, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0,
                frameon=False, alignment="left",
            )  # fmt: skip


def colors_of(seen: DrawableState, field: Field, colormap: str | None) -> DiscColors:
    """The colours of the discs by the values of a field.

    Raises
    ------
    InputError
        The state does not hold what the values follow from, or there is no colour map of this name.
    """
    values = seen.values(field)
    label = _label(field)
    if field.groups:
        return _of_groups(values, seen, label)
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm, Normalize

    colors = _map(colormap or (_CYCLIC if field.kind == "angle" else _USUAL), field.diverging and not colormap)
    if field.classes:
        named = [colors(at) for at in np.linspace(0.0, 0.9, len(field.classes))]
        found = np.clip(values.astype(np.int64), 0, len(named) - 1)
        return DiscColors(np.array(named)[found], label, classes=tuple(zip(field.classes, named, strict=True)))
    known = np.isfinite(values)
    limits = field.new_scale().follow(values[known])
    norm: Normalize
    if field.steps:  # a colour for each whole number
        ends = np.arange(round(limits.low), round(limits.high) + 2) - 0.5
        if colormap is None:
            numbers = np.clip(np.arange(ends[0] + 0.5, ends[-1]), 0, len(COUNTS_ON_LIGHT) - 1)
            colors = ListedColormap([COUNTS_ON_LIGHT[number] for number in numbers.astype(int)])
        norm = BoundaryNorm(ends, colors.N, clip=True)
    else:
        norm = (LogNorm if field.log else Normalize)(limits.low, limits.high, clip=True)
    scale = ScalarMappable(norm, colors)
    faces = np.array(scale.to_rgba(values), np.float64)
    if not known.all():
        faces[~known] = _rgba(ALONE)
    return DiscColors(faces, label, scale, limits.beyond, field.diverging, field.kind == "angle", field.steps)


def _label(field: Field) -> str:
    """The label of a colour bar, such as ``Speed |V| (length / time)``."""
    unit = f"({field.unit})" if field.unit else ""
    return " ".join(part for part in (field.label, field.symbol, unit) if part)


def color_index(labels: NDArray[Any]) -> NDArray[np.uint32]:
    """A palette index for each label (N,) of a cluster, which depends on the label only.

    The labels are hashed (by the finaliser of MurmurHash3), so that neighbours on a lattice do not form stripes.
    """
    h = labels.astype(np.uint32)
    h ^= h >> np.uint32(16)
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0xC2B2AE35)
    h ^= h >> np.uint32(16)
    return h % np.uint32(len(PALETTE_ON_LIGHT))


def _of_groups(labels: NDArray[np.float64], seen: DrawableState, label: str) -> DiscColors:
    """A colour of the palette for each group of discs, grey for discs that are alone."""
    from engine.analysis.rims import rims  # brings numba

    _, group, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    palette, index = np.array([_rgba(name) for name in PALETTE_ON_LIGHT]), color_index(labels)
    faces: NDArray[np.float64] = palette[index]
    faces[sizes[group] == 1] = _rgba(ALONE)
    discs = seen.discs
    found = rims(group, index, seen.frame.positions, seen.radii, discs.box, discs.periodic)
    return DiscColors(faces, label, rims=found)


def _rgba(name: str) -> tuple[float, float, float, float]:
    red, green, blue = (int(name[at : at + 2], 16) / 255.0 for at in (1, 3, 5))
    return red, green, blue, 1.0


def _map(name: str, diverging: bool = False) -> Any:
    """The colour map of this name for matplotlib, or the one for signed amounts."""
    import cmap

    if diverging:
        return cmap.Colormap(DIVERGING_ON_LIGHT).to_mpl()
    try:
        return cmap.Colormap(name).to_mpl()
    except Exception:  # of several kinds, by what the name looks like
        raise InputError(f"there is no colour map {name!r}; viridis, cividis and batlow are some") from None


@dataclass(frozen=True)
class DrawableState:
    """A state with all that is needed to draw it.

    Parameters
    ----------
    frame, discs : the state.
    system : the kind of simulation that it belongs to; None if a file does not say.
    turn, slab : how a box in space is seen, see `engine.plotting.projection.Pose`.
    """

    frame: Frame
    discs: FrameDiscs
    system: System | None
    turn: Quaternion = FROM_ABOVE
    slab: tuple[float, float] = WHOLE

    @property
    def view(self) -> FlatView:
        """The discs as circles in the plane of the picture."""
        return flat_view(self.frame.positions, self.radii, self.discs.box, self.turn, self.slab, self.discs.periodic)

    @property
    def around(self) -> Periodic:
        """The boundary of the box at that time."""
        return self.frame.around(self.discs)

    @property
    def radii(self) -> NDArray[np.float64]:
        """The present radii, (N,)."""
        return self.discs.radii * self.frame.radius_factor

    @property
    def fields(self) -> tuple[Field, ...]:
        """The quantities that these discs may have."""
        return fields_in(known_fields() if self.system is None else self.system.all_fields, self.frame.dimensions)

    @property
    def title(self) -> str:
        """The time, and the number of clusters where discs join."""
        clock = None if self.system is None else self.system.clock
        name, time = ("t", self.frame.time) if clock is None else (clock.symbol, self.frame.time)
        words = f"{name} = {typeset(time, '.0f' if clock is not None and clock.counts else '.4g')}"
        count, thing = len(self.frame.positions), body_names(self.frame.dimensions).disc
        joins = self.system.joins if self.system is not None else self.frame.clusters < count
        return f"{words}, {_number(self.frame.clusters, 'cluster') if joins else _number(count, thing)}"

    def field(self, name: str | None) -> Field:
        """The quantity of this name; without a name the one that discs of this system are coloured by.

        Raises InputError if these discs have no such quantity.
        """
        if name is None:
            return self.fields[0]
        for field in self.fields:
            if field.name == name:
                return field
        of = "" if self.system is None else f" for {self.system.name}"
        raise InputError(f"color_by must be {either(field.name for field in self.fields)}{of}, not {name!r}")

    def values(self, field: Field) -> NDArray[np.float64]:
        """One number for each disc, (N,). Raises InputError if the state does not hold what they follow from."""
        values = field.values(self.frame, self.discs)
        if values is None and field.measure is not None:
            values = field.measure(self.frame, self.discs)
        if values is None and field.absent is not None:
            values = np.full(len(self.frame.positions), field.absent)
        if values is None:
            raise InputError(f"color_by={field.name!r} needs {field.needs or field.label}, and this state has none")
        return np.asarray(values, np.float64)


def seen(shown: Simulation | Frame | FileFrame) -> DrawableState:
    """Whatever can be drawn, ready to be drawn.

    Raises
    ------
    InputError
        It is neither a simulation nor a frame, or it is a frame that does not say the radii or the box of its discs.
    """
    if isinstance(shown, FileFrame):
        return _from_file(shown)
    if isinstance(shown, Frame):
        if shown.discs is None:
            raise InputError("this frame does not know which discs it belongs to; pass the simulation instead")
        return DrawableState(shown, shown.discs, find(shown.discs.scenario.system))
    alive = living(shown)
    if alive is None:
        raise InputError(f"a simulation or one of its frames can be drawn, not {type(shown).__name__}")
    return DrawableState(alive.frame(), FrameDiscs.of(alive), find(alive.scenario.system))


def _from_file(frame: FileFrame) -> DrawableState:
    """A state from a file. Without a box in the file, the box just contains the discs."""
    if frame.radii is None:
        raise InputError("this frame has no radii, which are needed to draw the discs")
    scenario = _scenario_of(frame)
    box = frame.box
    if box is None:
        box = (frame.positions + frame.radii[:, None]).max(axis=0, initial=1e-300)
    masses = frame.radii**frame.dimensions if frame.masses is None else frame.masses
    discs = FrameDiscs(frame.radii, masses, box, frame.around, scenario or Scenario())
    state = frame.as_frame(0.0 if frame.time is None else frame.time, discs)
    return DrawableState(state, discs, None if scenario is None else find(scenario.system))


def _scenario_of(frame: FileFrame) -> Scenario | None:
    """The scenario that a file holds; None if it holds none, or one of a system that is not there."""
    if not frame.scenario:
        return None
    try:
        return Scenario.from_toml(frame.scenario)
    except InputError:
        return None


def _number(count: int, what: str) -> str:
    return f"{typeset(count, '.0f')} {what}{'' if count == 1 else 's'}"
