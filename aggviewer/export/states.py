"""States in films and pictures: coloured with fixed limits, and put into a scene."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.layers import marks, selection
from aggviewer.canvas.layers.layer import Moment
from aggviewer.canvas.layers.registry import Memories, in_scene, of_frame
from aggviewer.canvas.scene import Scene
from aggviewer.document.marks.run_marks import RunMarks
from aggviewer.document.view import ViewModel, chosen_of, fields_of
from aggviewer.export.sources import FrameSource
from aggviewer.session.publish.coloring import Coloring, Colorist, coloring_of
from aggviewer.style.numbers import TIME
from engine.errors import InputError
from engine.fields import Field, fields_in
from engine.frame import Frame
from engine.scales import ColorLimits
from engine.system import find, known_fields


def fields_shown(source: FrameSource) -> tuple[Field, ...]:
    """The fields that the discs of a source may have; those of every system if the source does not say which it is."""
    return fields_in(fields_of(source.system) if source.system else known_fields(), len(source.box))


class FilmColors:
    """The colours of the window with fixed limits.

    Parameters
    ----------
    source : of the states.
    color_by : the name of the field that is shown by colour.
    like : a colouring whose limits are used for the film; without it they are found in ``source.samples()``. Values
        above them have the last colour, and the legend says so.

    Raises
    ------
    InputError
        The file does not contain that field.
    """

    def __init__(self, source: FrameSource, color_by: str, like: Coloring | None = None) -> None:
        fields = fields_shown(source)
        field = chosen_of(fields, color_by)
        if not source.system and self._lacks(source, field):
            raise InputError(f"the file has no {field.needs}, which colouring by {field.name} needs", "color-by")
        self._source = source
        self._field = field
        self._by = field.name
        self._colorist = Colorist(fields, source)
        self._coloring = like if like is not None and like.by == field.name else self._found(field)

    def color(self, frame: Frame) -> tuple[NDArray[np.float32], Coloring]:
        """One value per disc, and its colouring."""
        scalar, coloring = self._colorist.color(frame, self._by, partial(self._measured, frame))
        return scalar, coloring if coloring.categorical else self._coloring

    def follow(self) -> None:
        """Find the limits in the source again, for a film whose end is not known at its start."""
        self._coloring = self._found(self._field)

    @staticmethod
    def _lacks(source: FrameSource, field: Field) -> bool:
        if field.needs in source.lacks:
            return True
        return field.measure is None and field.values(next(source.samples()), source) is None

    def _found(self, field: Field) -> Coloring:
        """The widest limits of all samples."""
        scale, low, high, largest = field.new_scale(), inf, -inf, -inf
        if field.groups:  # they have no limits
            return coloring_of(field, ColorLimits(0.0, 1.0))
        for frame in self._source.samples():
            values = self._colorist.values(frame, field, partial(self._measured, frame))
            values = np.zeros(0) if values is None else values
            limits = scale.follow(values)
            low, high = min(low, limits.low), max(high, limits.high)
            largest = max(largest, float(values.max()) if len(values) else -inf)
            if scale.constant:
                break
        beyond = largest > high * (1.0 + 1e-9) or scale.may_exceed(self._source.radii)
        return coloring_of(field, ColorLimits(low, high, beyond))

    def _measured(self, frame: Frame, field: Field) -> NDArray[Any] | None:
        return None if field.measure is None else field.measure(frame, self._source)


def show_state(
    scene: Scene,
    source: FrameSource,
    frame: Frame,
    film_colors: FilmColors,
    view: ViewModel,
    run_marks: RunMarks | None = None,
    memories: Memories | None = None,
) -> None:
    """Put the state of the source into the scene; radii and box may differ from frame to frame.

    Parameters
    ----------
    run_marks : selected and hidden discs, measurements and notes.
    memories : what layers remember of earlier states.
    """
    if not (scene.shown and scene.count == len(source.radii)):
        known = find(source.system)
        ran = known or find(source.scenario().system)  # what a file holds: a packing counts iterations
        clock, has_forces = TIME if ran is None else ran.clock, known is not None and known.has_forces
        scene.set_system(source.radii, source.box, source.periodic, clock=clock, has_forces=has_forces)
        if run_marks is not None and run_marks.count == scene.count:
            scene.hide(run_marks.hidden.mask)
            scene.pinned[selection.NAME] = run_marks.selected.numbers
            if run_marks.marks:
                scene.pinned[marks.NAME] = marks.MarkList(run_marks.marks)
    scalar, coloring = film_colors.color(frame)
    scene.set_discs(source)
    moment = in_scene(Moment(frame, source.radii, source.box, source.periodic, of=source), scene)
    layers = of_frame(moment, view, memories=memories)
    scene.set_frame(frame.positions, scalar, coloring, frame.time, frame.radius_factor, layers)
