"""Colours that mean the same from the first frame of a film to the last."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.export.sources import FrameSource
from aggviewer.session.publish.coloring import Coloring, Colorist, coloring_of
from aggviewer.session.view import chosen_of, fields_of, known_fields
from engine.errors import InputError
from engine.fields import Field
from engine.scales import Limits
from engine.simulation import Frame


class FilmColors:
    """The colours of the window with limits that stay.

    like : the colouring that a person sees, whose limits hold for the film; without it they are found in
    ``source.samples()``. What lies above them has the last colour, and the legend says so.
    Raises InputError where a file does not hold what the colours are to stand for.
    """

    def __init__(self, source: FrameSource, color_by: str, like: Coloring | None = None) -> None:
        fields = fields_of(source.system) if source.system else known_fields()
        field = chosen_of(fields, color_by)
        if not source.system and self._lacks(source, field):
            raise InputError(f"the file has no {field.needs}, and a colour by {field.name} needs them", "color-by")
        self._source = source
        self._by = field.name
        changed = () if like is None else like.changed  # clusters keep the colours that the person sees
        self._colorist = Colorist(fields, source, changed=changed)
        self._coloring = like if like is not None and like.by == field.name else self._found(field)

    def color(self, frame: Frame) -> tuple[NDArray[np.float32], Coloring]:
        """One number per disc, and how to read it."""
        scalar, coloring = self._colorist.color(frame, self._by, partial(self._measured, frame))
        return scalar, coloring if coloring.categorical else self._coloring

    @staticmethod
    def _lacks(source: FrameSource, field: Field) -> bool:
        if field.needs in source.lacks:
            return True
        return field.measure is None and field.values(next(source.samples()), source) is None

    def _found(self, field: Field) -> Coloring:
        """The widest limits of all samples."""
        scale, low, high, largest = field.new_scale(), inf, -inf, -inf
        if field.groups:  # they have no limits
            return coloring_of(field, Limits(0.0, 1.0))
        for frame in self._source.samples():
            values = self._colorist.values(frame, field, partial(self._measured, frame))
            values = np.zeros(0) if values is None else values
            limits = scale.follow(values)
            low, high = min(low, limits.low), max(high, limits.high)
            largest = max(largest, float(values.max()) if len(values) else -inf)
            if scale.constant:
                break
        beyond = largest > high * (1.0 + 1e-9) or scale.may_exceed(self._source.radii)
        return coloring_of(field, Limits(low, high, beyond))

    def _measured(self, frame: Frame, field: Field) -> NDArray[Any] | None:
        return None if field.measure is None else field.measure(frame, self._source)
