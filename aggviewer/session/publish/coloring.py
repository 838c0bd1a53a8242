"""What colours mean: one number per disc, and how a view turns it into a colour. This module does not use Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.publish.cluster_colors import PALETTE_SIZE, ClusterColors, Fade
from aggviewer.session.view import chosen_of
from engine.fields import Field
from engine.scales import Limits, Scale
from engine.simulation import Frame
from engine.state import Discs

Measured = Callable[[Field], "NDArray[Any] | None"]


@dataclass(frozen=True)
class Coloring:
    """How the number of each disc is turned into a colour.

    Parameters
    ----------
    by : the name of the field.
    label, unit : for the legend.
    limits : the values of the first and the last colour.
    log : whether the colour scale is logarithmic; both limits are above 0 then.
    categorical : whether the numbers are palette indices, as `ClusterColors.color` gives them; else they are values of
        a quantity. A single disc has a muted version of its palette colour.
    open_top : whether there may be values above the upper limit; they have its colour.
    classes : the names of the values 0, 1, …, where there are no others.
    fades : the mixtures of palette colours, see `ClusterColors.fades`.
    changed : the clusters that do not have the colour of their label, see `ClusterColors.changed`.
    cyclic : whether both limits mean the same, as for angles, and have the same colour.
    """

    by: str
    label: str
    unit: str
    limits: tuple[float, float]
    log: bool = False
    categorical: bool = False
    open_top: bool = False
    classes: tuple[str, ...] = ()
    fades: tuple[Fade, ...] = ()
    changed: tuple[tuple[int, int], ...] = ()
    cyclic: bool = False


def one_scale(colorings: Sequence[Coloring]) -> list[Coloring]:
    """A common colour scale for pictures side by side, where they show the same field; else they stay as they are."""
    first = colorings[0]
    if any(replace(one, limits=first.limits, open_top=first.open_top) != first for one in colorings):
        return list(colorings)
    low = min(one.limits[0] for one in colorings)
    high = max(one.limits[1] for one in colorings)
    beyond = any(one.open_top for one in colorings)
    return [replace(one, limits=(low, high), open_top=beyond) for one in colorings]


def coloring_of(field: Field, limits: Limits, colors: ClusterColors | None = None) -> Coloring:
    """The colouring by a field between limits. `colors` is for a field whose values are labels of clusters."""
    return Coloring(
        field.name,
        field.label,
        field.unit or ("per disc" if field.kind == "integer" else ""),
        (limits.low, limits.high),
        log=field.log,
        categorical=field.groups,
        open_top=limits.beyond,
        classes=field.classes,
        fades=() if colors is None else colors.fades,
        changed=() if colors is None else colors.changed,
        cyclic=field.kind == "angle",
    )


def color_groups(
    field: Field, colors: ClusterColors, labels: NDArray[Any], positions: NDArray[np.float64]
) -> tuple[NDArray[np.float32], Coloring]:
    """The scalar and the colouring of the next frame for a field whose values are labels (N,) of clusters.

    `positions` (N, 2) says which clusters are near each other.
    """
    scalar = colors.color(labels.astype(np.int32, copy=False), positions)
    return scalar, coloring_of(field, Limits(0.0, 2.0 * PALETTE_SIZE), colors)


class Colorist:
    """Colours the frames of one run. It belongs to one thread.

    Each field keeps its scale (`engine.scales`) throughout the run, so that a colour keeps its meaning. Another run
    needs another colorist.

    Parameters
    ----------
    fields : the fields of the system.
    discs : radii, masses, box and boundary.
    apart : whether near clusters are kept from looking alike, which needs kernels.
    changed : see `ClusterColors`.
    """

    def __init__(
        self,
        fields: tuple[Field, ...],
        discs: Discs,
        *,
        apart: bool = True,
        changed: tuple[tuple[int, int], ...] = (),
    ) -> None:
        self._fields = fields
        self._discs = discs
        self._apart = apart
        self._changed = changed
        self._scales: dict[str, Scale] = {}
        self._groups: dict[str, ClusterColors] = {}

    def color(
        self, frame: Frame, color_by: str, measured: Measured = lambda field: None
    ) -> tuple[NDArray[np.float32], Coloring]:
        """One number per disc, and what it means.

        Parameters
        ----------
        frame : the next frame.
        color_by : the name of a field. The first field of the system takes its place where there is none of this name,
            and where the frame does not hold it.
        measured : gives the values (N,) of a field that is measured on another thread, None where there are none yet.

        Returns
        -------
        scalar : (N,) float32; the caller may keep it.
        coloring : how to read it.
        """
        field = chosen_of(self._fields, color_by)
        values = self.values(frame, field, measured)
        if values is None:
            field = self._fields[0]
            values = self.values(frame, field, measured)
        if values is None:
            values = np.zeros(len(frame.positions))
        if field.groups:
            return color_groups(field, self._groups_of(field), values, frame.positions)
        scale = self._scales.get(field.name) or self._scales.setdefault(field.name, field.new_scale())
        scalar = values.astype(np.float32)
        # values of a file or a plug-in may be NaN or infinite
        if values.dtype.kind == "f" and not isfinite(float(scalar @ scalar)):
            values = values[np.isfinite(values)]
        return scalar, coloring_of(field, scale.follow(values))

    def values(self, frame: Frame, field: Field, measured: Measured = lambda field: None) -> NDArray[Any] | None:
        """The values of a field, (N,): from the frame, else as measured, else `Field.absent` for every disc.

        None where there is none of these.
        """
        count = len(frame.positions)
        values = field.values(frame, self._discs)
        if values is None and field.measure is not None:
            values = measured(field)
        if values is not None and values.shape == (count,):  # measured values may belong to other discs
            return values
        return None if field.absent is None else np.full(count, field.absent)

    def _groups_of(self, field: Field) -> ClusterColors:
        """The colours of clusters for a field, made at the first call."""
        found = self._groups.get(field.name)
        if found is None:
            discs, changed = self._discs, self._changed
            box = discs.box if self._apart else None
            found = self._groups[field.name] = ClusterColors(discs.radii, box, discs.periodic, changed)
        return found
