"""Colours that mean the same from the first frame of a film to the last."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from aggviewer.export.sources import FrameSource
from aggviewer.session.publish.coloring import Coloring, Colorist, color_of
from aggviewer.session.view import ColorBy
from engine.errors import InputError
from engine.simulation import Frame


class FilmColors:
    """The colours of the window with limits that stay.

    like : the colouring that a person sees, whose limits hold for the film; without it they are found in
    ``source.samples()``. What lies above them has the last colour, and the legend says so.
    """

    def __init__(self, source: FrameSource, color_by: ColorBy, like: Coloring | None = None) -> None:
        color_by = color_of(source.system, color_by) if source.system else color_by
        if color_by == "speed" and not source.has_velocities:
            raise InputError("the file has no velocities, and a colour by speed needs them", "color-by")
        if color_by == "rattlers" and not source.system and next(source.samples()).network is None:
            raise InputError("the file has no contacts with forces, and a colour by rattlers needs them", "color-by")
        if color_by in ("collisions", "since_contact") and not source.system:
            raise InputError("a file does not say who has collided when; colour by speed, for instance", "color-by")
        self._source = source
        self._by: ColorBy = color_by
        changed = () if like is None else like.changed  # clusters keep the colours that the person sees
        self._colorist = Colorist(source.radii, source.box, source.periodic, changed)
        self._coloring = like if like is not None and like.by == color_by else self._found()

    def color(self, frame: Frame) -> tuple[NDArray[np.float32], Coloring]:
        """One number per disc, and how to read it."""
        scalar, coloring = self._colorist.color(frame, self._by, self._contacts(frame))
        return scalar, coloring if coloring.categorical else self._coloring

    def _found(self) -> Coloring:
        coloring = None
        if self._by == "cluster":  # has no limits; to look ahead would begin with later colours
            return Coloring("cluster", "Cluster", "", (0.0, 1.0), categorical=True)
        for frame in self._source.samples():
            coloring = self._colorist.color(frame, self._by, self._contacts(frame))[1]
            if self._by == "size":  # its limits follow from the number of discs
                return coloring
        assert coloring is not None  # every source has a state
        # more than six contacts need unequal discs, and not every frame was looked at
        unequal = self._by == "contacts" and float(np.ptp(self._source.radii)) > 0.0
        return replace(coloring, open_top=coloring.open_top or unequal)

    def _contacts(self, frame: Frame) -> NDArray[np.int32] | None:
        if self._by != "contacts":
            return None
        from engine.analysis import contact_counts

        source = self._source
        radii = source.radii * frame.radius_factor
        return contact_counts(frame.positions, radii, source.box, periodic=source.periodic)
