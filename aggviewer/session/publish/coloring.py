"""What a colour stands for: one number per disc and how a view is to read it. No Qt."""

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
    """How to read the scalar of the discs.

    by : what it stands for; label, unit : for the legend.
    log : the colour scale is logarithmic, both limits are positive.
    cyclic : both limits mean the same, and have the same colour.
    categorical : the scalar is an index, 0…`PALETTE_SIZE` - 1 for a disc in a cluster, `PALETTE_SIZE` more for a lone
        disc, which is shown in a muted version of the same colour, from 2 `PALETTE_SIZE` on for one of `fades`. Else it
        is a quantity between `limits`.
    open_top : there may be values above the upper limit; they have its colour.
    classes : names of the values 0, 1, …, where there are no others.
    fades : colours on the way from one of the palette to another one; changed : clusters that have another colour than
        that of their label, see `ClusterColors.changed`.
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
    """The same colours for pictures side by side: one scale that holds those of all, where they mean the same."""
    first = colorings[0]
    if any(replace(one, limits=first.limits, open_top=first.open_top) != first for one in colorings):
        return list(colorings)
    low = min(one.limits[0] for one in colorings)
    high = max(one.limits[1] for one in colorings)
    beyond = any(one.open_top for one in colorings)
    return [replace(one, limits=(low, high), open_top=beyond) for one in colorings]


def coloring_of(field: Field, limits: Limits, colors: ClusterColors | None = None) -> Coloring:
    """How colours of `field` are read between `limits`; colors : of a field that says which discs belong together."""
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
    """The next frame of a field that says which discs belong together: labels (N,), positions (N, 2)."""
    scalar = colors.color(labels.astype(np.int32, copy=False), positions)
    return scalar, coloring_of(field, Limits(0.0, 2.0 * PALETTE_SIZE), colors)


class Colorist:
    """Colours the frames of one run. Each field has a scale (`engine.scales`) as long as the run lives, so that a
    colour keeps its meaning.

    fields : those that the discs of its system have. discs : of the system. apart : large groups that look alike are
    kept apart, which needs kernels. changed : see `ClusterColors`.

    Owned by one thread. Make a new one when another system is loaded.
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
        """One number per disc, (N,) float32, newly made, and how to read it.

        color_by : the name of a field; the system's first one where it has none of that name, and where this frame does
        not say it. measured : asked for the values, (N,), of a field that takes long and is measured beside the
        simulation; where it knows none, nothing has been measured yet.
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
        if values.dtype.kind == "f" and not isfinite(float(scalar @ scalar)):  # a file or a plug-in may say anything
            values = values[np.isfinite(values)]
        return scalar, coloring_of(field, scale.follow(values))

    def values(self, frame: Frame, field: Field, measured: Measured = lambda field: None) -> NDArray[Any] | None:
        """The values of a field, (N,): as the frame says them, else as they were measured, else what counts while
        nothing is known; None where nothing does."""
        count = len(frame.positions)
        values = field.values(frame, self._discs)
        if values is None and field.measure is not None:
            values = measured(field)
        if values is not None and values.shape == (count,):  # what was measured may belong to other discs
            return values
        return None if field.absent is None else np.full(count, field.absent)

    def _groups_of(self, field: Field) -> ClusterColors:
        found = self._groups.get(field.name)
        if found is None:
            discs, changed = self._discs, self._changed
            box = discs.box if self._apart else None
            found = self._groups[field.name] = ClusterColors(discs.radii, box, discs.periodic, changed)
        return found
