"""Colouring of discs: one number per disc, and how a view turns it into a colour. This module does not use Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.document.view import ColorScale, chosen_of
from engine.fields import Field
from engine.frame import Frame, discs_of
from engine.plotting.colors import PALETTE_SIZE, color_index
from engine.scales import ColorLimits, Scale
from engine.state import Discs

_LOG_SPAN = 1e-3  # lower over upper end of a logarithmic scale where values may be 0

MeasureField = Callable[[Field], "NDArray[Any] | None"]


MOST_WHOLE = 16
"""Up to this many integers between the limits may have their own colours; more could not be told apart."""


@dataclass(frozen=True)
class Coloring:
    """How the number of each disc is turned into a colour.

    Parameters
    ----------
    by : the name of the field.
    label, unit : for the legend.
    limits : the values of the first and the last colour.
    log : whether the colour scale is logarithmic; both limits are above 0 then.
    categorical : whether the numbers are palette indices from `color_groups`; else they are values of a quantity.
    open_top : whether values may exceed the upper limit; they get its colour.
    classes : names of the values 0, 1, …, if these are the only values.
    cyclic : whether both limits mean the same, as for angles, and have the same colour.
    whole : whether each whole number from limit to limit has a colour of its own.
    steps : the number of colours; 0 for a smooth scale.
    open_bottom : as `open_top`, of the lower limit.
    diverging : whether colours differ to both sides of a neutral middle.
    colormap : the chosen colour map; "" for the default.
    """

    by: str
    label: str
    unit: str
    limits: tuple[float, float]
    log: bool = False
    categorical: bool = False
    open_top: bool = False
    classes: tuple[str, ...] = ()
    cyclic: bool = False
    whole: bool = False
    steps: int = 0
    open_bottom: bool = False
    diverging: bool = False
    colormap: str = ""

    @property
    def title(self) -> str:
        """Label and unit of the field, as the legend shows them."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    @property
    def measures(self) -> bool:
        """Whether the colours stand for numbers on a scale, which can be edited, and not for groups."""
        return not self.categorical and not self.classes


def one_scale(colorings: Sequence[Coloring]) -> list[Coloring]:
    """A common colour scale for pictures side by side if they show the same field; else they are unchanged."""
    first = colorings[0]

    def like(one: Coloring, other: Coloring) -> Coloring:
        ends = replace(one, limits=other.limits, open_top=other.open_top, open_bottom=other.open_bottom)
        return replace(ends, whole=other.whole)

    if any(like(one, first) != first for one in colorings):
        return list(colorings)
    low = min(one.limits[0] for one in colorings)
    high = max(one.limits[1] for one in colorings)
    beyond, below = any(one.open_top for one in colorings), any(one.open_bottom for one in colorings)
    whole = first.whole and high - low <= MOST_WHOLE
    common = replace(first, limits=(low, high), open_top=beyond, open_bottom=below, whole=whole)
    return [like(one, common) for one in colorings]


def as_chosen(coloring: Coloring, chosen: ColorScale | None) -> Coloring:
    """A colouring with the user's scale for its field, if any.

    Other limits are kept if they fit: a logarithmic scale starts at a thousandth of its upper limit if the lower one
    would not be positive.
    """
    if chosen is None or not coloring.measures:
        return coloring
    usual_low, usual_high = coloring.limits
    low = usual_low if chosen.low is None else chosen.low
    high = usual_high if chosen.high is None else chosen.high
    log = coloring.log if chosen.log is None else chosen.log
    if not low < high:
        low, high = (low, low + 1.0) if chosen.high is None else (high - 1.0, high)
    if log and low <= 0.0:
        if high <= 0.0:
            log = False
        else:
            low = _LOG_SPAN * high
    automatic = chosen.steps is None
    return replace(
        coloring,
        limits=(low, high),
        log=log,
        open_top=coloring.open_top or high < usual_high,
        open_bottom=coloring.open_bottom or (low > usual_low and not (log and usual_low <= 0.0)),
        whole=coloring.whole and automatic and not log and low == round(low) and high == round(high),
        steps=0 if chosen.steps is None else chosen.steps,
        colormap=chosen.colormap,
    )


NO_VALUE = "no value"
"""What the legend says where no disc has a value; also the name of the colour map of that case, which is grey."""


def without_values(field: Field) -> Coloring:
    """The colouring of discs by a field that has no value for any of them, as one of a plug-in that has failed."""
    return Coloring(
        field.name, field.label, field.unit, (0.0, 1.0), classes=(f"{field.label}: {NO_VALUE}",), colormap=NO_VALUE
    )


def coloring_of(field: Field, limits: ColorLimits) -> Coloring:
    """The colouring of discs by a field, for values between two limits."""
    return Coloring(
        field.name,
        field.label,
        field.unit,
        (limits.low, limits.high),
        log=field.log,
        categorical=field.groups,
        open_top=limits.beyond,
        classes=field.classes,
        cyclic=field.kind == "angle",
        whole=field.steps and limits.high - limits.low <= MOST_WHOLE,
        open_bottom=limits.beyond and field.diverging,
        diverging=field.diverging,
    )


def color_groups(field: Field, labels: NDArray[Any], *, kernels: bool = True) -> tuple[NDArray[np.float32], Coloring]:
    """The colours of clusters, each of which follows from the label alone.

    Parameters
    ----------
    labels : (N,), of each disc's cluster, the values of `field`.
    kernels : whether kernels may be used.

    Returns
    -------
    scalar : (N,). A palette index for a disc in a cluster; `PALETTE_SIZE` more for a single disc, which has a muted
        version of that colour.
    coloring : its meaning.
    """
    labels = labels.astype(np.int32, copy=False)
    if kernels and not (labels.flags.c_contiguous and labels.flags.writeable):
        labels = labels.copy()  # kernels are compiled for no other kind of array
    seen = _how_many(labels, kernels)
    look = _vivid(len(seen)) + np.uint8(PALETTE_SIZE) * (seen == 1)
    scalar = np.empty(len(labels), np.float32)
    if kernels:
        from engine.analysis.rims import look_up

        look_up(labels, look, scalar)
    else:
        scalar[:] = look[labels]
    return scalar, coloring_of(field, ColorLimits(0.0, 2.0 * PALETTE_SIZE))


@lru_cache(maxsize=4)
def _vivid(count: int) -> NDArray[np.uint8]:
    """For each label below `count`, the index of its colour in the palette of bright colours."""
    return color_index(np.arange(count, dtype=np.int32)).astype(np.uint8)


def _how_many(labels: NDArray[np.int32], kernels: bool) -> NDArray[np.uint8]:
    """Whether a label has no disc, one, or more: 0, 1 or 2, (L,) uint8."""
    if kernels:
        from engine.analysis.rims import count_to_two

        seen = np.zeros(len(labels), np.uint8)  # labels are mostly numbers of discs
        if count_to_two(labels, seen):
            return seen
    return np.minimum(np.bincount(labels), 2).astype(np.uint8)


class Colorist:
    """Colours the frames of one run. It belongs to one thread.

    Each field keeps its scale (`engine.scales`) throughout the run, so that a colour keeps its meaning. Another run
    needs another colorist.

    Parameters
    ----------
    fields : the fields of the system.
    discs : radii, masses, box and boundary.
    kernels : whether kernels may be used.
    """

    def __init__(self, fields: tuple[Field, ...], discs: Discs, *, kernels: bool = True) -> None:
        self._fields = fields
        self._discs = discs
        self._kernels = kernels
        self._scales: dict[str, Scale] = {}

    def color(
        self, frame: Frame, color_by: str, measured: MeasureField = lambda field: None
    ) -> tuple[NDArray[np.float32], Coloring]:
        """One number per disc, and what it means.

        Parameters
        ----------
        frame : the next frame.
        color_by : the name of a field. If it does not exist or the frame lacks it, the first field of the system is
            used.
        measured : returns the values (N,) of a field measured on another thread, None if not yet available.

        Returns
        -------
        scalar : (N,) float32; the caller may keep it.
        coloring : its meaning.
        """
        field = chosen_of(self._fields, color_by)
        values = self.values(frame, field, measured)
        if values is None:
            field = self._fields[0]
            values = self.values(frame, field, measured)
        if values is None:
            values = np.zeros(len(frame.positions))
        if field.groups:
            return color_groups(field, values, kernels=self._kernels)
        scale = self._scales.get(field.name) or self._scales.setdefault(field.name, field.new_scale())
        scalar = values.astype(np.float32)
        # values of a file or a plug-in may be NaN or infinite
        if values.dtype.kind == "f" and not isfinite(float(np.einsum("i,i->", scalar, scalar))):
            values = values[np.isfinite(values)]
            if not len(values):
                return scalar, without_values(field)
        return scalar, coloring_of(field, scale.follow(values))

    def values(self, frame: Frame, field: Field, measured: MeasureField = lambda field: None) -> NDArray[Any] | None:
        """The values of a field, (N,): from the frame, else as measured, else `Field.absent` for every disc.

        None if none of these exist.
        """
        count = len(frame.positions)
        values = field.values(frame, discs_of(frame, self._discs))
        if values is None and field.measure is not None:
            values = measured(field)
        if values is not None and values.shape == (count,):  # measured values may belong to other discs
            return values
        return None if field.absent is None else np.full(count, field.absent)
