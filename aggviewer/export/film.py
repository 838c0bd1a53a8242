"""Making a film: states of a source, painted and encoded. No window, no thread of Qt's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas import colors, warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers import measures, selection
from aggviewer.canvas.layers.layer import Moment
from aggviewer.canvas.layers.registry import Memories, in_scene, of_frame
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import Scene
from aggviewer.export.encoders import encoder
from aggviewer.export.gif_colors import GifColors
from aggviewer.export.sources import Cancelled, CancelledError, FrameSource
from aggviewer.export.spec import Estimate, FilmSpec, estimate, format_of
from aggviewer.session.marks.model import Mark
from aggviewer.session.picking import Picked
from aggviewer.session.publish.coloring import Coloring, Colorist, coloring_of
from aggviewer.session.view import ViewModel, chosen_of, fields_of
from aggviewer.style.numbers import TIME
from engine.errors import InputError
from engine.fields import Field
from engine.scales import Limits
from engine.simulation import Frame
from engine.system import find, known_fields

__all__ = ["CancelledError", "Estimate", "FilmSpec", "estimate", "show_state", "write_film"]

Progress = Callable[[int, int], None]


class FilmColors:
    """The colours of the window with limits that stay.

    Parameters
    ----------
    source : of the states.
    color_by : name of the field that colours stand for.
    like : a colouring whose limits hold for the film; without it they are found in ``source.samples()``. What lies
        above them has the last colour, and the legend says so.

    Raises
    ------
    InputError
        A file does not hold that field.
    """

    def __init__(self, source: FrameSource, color_by: str, like: Coloring | None = None) -> None:
        fields = fields_of(source.system) if source.system else known_fields()
        field = chosen_of(fields, color_by)
        if not source.system and self._lacks(source, field):
            raise InputError(f"the file has no {field.needs}, and a colour by {field.name} needs them", "color-by")
        self._source = source
        self._field = field
        self._by = field.name
        changed = () if like is None else like.changed  # clusters keep the colours that the person sees
        self._colorist = Colorist(fields, source, changed=changed)
        self._coloring = like if like is not None and like.by == field.name else self._found(field)

    def color(self, frame: Frame) -> tuple[NDArray[np.float32], Coloring]:
        """One number per disc, and how to read it."""
        scalar, coloring = self._colorist.color(frame, self._by, partial(self._measured, frame))
        return scalar, coloring if coloring.categorical else self._coloring

    def follow(self) -> None:
        """Find the limits anew in the source, for a film that does not know at its start how far it will go."""
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


def write_film(
    path: Path,
    spec: FilmSpec,
    source: FrameSource,
    view: ViewModel,
    camera: Camera | None = None,
    *,
    progress: Progress = lambda done, total: None,
    cancelled: Cancelled = lambda: False,
    keep_cut: bool = False,
    like: Coloring | None = None,
    picked: Picked | None = None,
    marks: tuple[Mark, ...] = (),
) -> int:
    """Write the film that `spec` describes; returns its number of frames. Any thread, after `picture.ensure_gui`.

    Parameters
    ----------
    path : its ending says the format, none means a folder of pictures; complete at the end or not there at all.
    view : colours and background; what lies over the discs is `spec.over`.
    camera : the world rectangle that is in view, of any size in pixels; None is the whole box.
    progress : called with (frames done, frames in all).
    cancelled : asked between two frames.
    keep_cut : a film that is cancelled after its first frame ends there instead of being given up.
    like : the colouring on the screen, whose limits hold for the film; None finds limits in the source.
    picked : which discs are selected, and which are left out.

    Raises
    ------
    CancelledError
        The film was cancelled.
    InputError
        It cannot be made or written.
    """
    form = format_of(path)
    spec.check(form)
    moments = spec.moments(source.first_time, source.last_time, source.frames)
    view = spec.over.on(view)
    film_colors = FilmColors(source, view.color_by, like)
    warmup.warm_up()
    scene, painter = Scene(), Painter(view)

    def state(index: int) -> Frame:
        value = moments.values[index]
        return source.frame_at(float(value), cancelled) if moments.by_time else source.frame(int(value))

    frame = state(0)
    memories: Memories = {}
    show_state(scene, source, frame, film_colors, view, picked, memories, marks)
    looked_at = camera or Camera.fitting((float(source.box[0]), float(source.box[1])), spec.size)
    looked_at = painter.looking(scene, looked_at, spec.size)
    expected = colors.scene_table(scene, view)[:, :3]
    gif = GifColors(max(form.levels[spec.quality], 2), np.unique(expected, axis=0), np.array(view.background_rgb))
    with encoder(path, form, spec.size, spec.fps, spec.quality, gif) as encoding:
        for index in range(len(moments)):
            try:
                if cancelled():
                    raise CancelledError
                if index > 0:
                    show_state(scene, source, state(index), film_colors, view, picked, memories, marks)
            except CancelledError:
                if not keep_cut or index == 0:
                    raise
                return index
            encoding.add(painter.paint(scene, looked_at))
            progress(index + 1, len(moments))
    return len(moments)


def show_state(
    scene: Scene,
    source: FrameSource,
    frame: Frame,
    film_colors: FilmColors,
    view: ViewModel,
    picked: Picked | None = None,
    memories: Memories | None = None,
    marks: tuple[Mark, ...] = (),
) -> None:
    """Bring the state of the source into the scene; radii and box may differ from frame to frame.

    Parameters
    ----------
    picked : which of the discs are selected, and which are left out.
    memories : what layers remember of the states before it.
    marks : what is measured and noted.
    """
    same = scene.shown and np.array_equal(scene.system_radii, source.radii) and np.array_equal(scene.box, source.box)
    if not same:
        known = find(source.system)
        clock, has_forces = (TIME, False) if known is None else (known.clock, known.has_forces)
        scene.set_system(source.radii, source.box, source.periodic, clock=clock, has_forces=has_forces)
        if picked is not None and picked.count == scene.count:
            scene.hide(picked.hidden.mask)
            scene.pinned[selection.NAME] = picked.selected.numbers
        if marks:
            scene.pinned[measures.NAME] = measures.Shown(marks)
    scalar, coloring = film_colors.color(frame)
    moment = in_scene(Moment(frame, source.radii, source.box, source.periodic), scene)
    layers = of_frame(moment, view, memories=memories)
    scene.set_frame(frame.positions, scalar, coloring, frame.time, frame.radius_factor, layers)
