"""Making a film: states of a source, painted and encoded. No window, no thread of Qt's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from aggviewer.canvas import colors, warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.layer import Moment
from aggviewer.canvas.layers.registry import of_frame
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import Scene
from aggviewer.export.coloring import FilmColors
from aggviewer.export.encoders import encoder
from aggviewer.export.formats import format_of
from aggviewer.export.gif_colors import GifColors
from aggviewer.export.pipeline import EncodingThread
from aggviewer.export.sources import Cancelled, CancelledError, FrameSource
from aggviewer.export.spec import Estimate, FilmSpec, estimate
from aggviewer.session.publish.coloring import Coloring
from aggviewer.session.view import ViewModel
from aggviewer.style.numbers import TIME
from engine.simulation import Frame
from engine.system import find

__all__ = ["CancelledError", "Estimate", "FilmSpec", "estimate", "show_state", "write_film"]

Progress = Callable[[int, int], None]


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
) -> int:
    """Write the film that `spec` describes; returns its number of frames. Any thread, after `picture.ensure_gui`.

    path : its ending says the format, none means a folder of pictures; complete at the end or not there at all.
    view : colours and background; what lies over the discs is `spec.over`. camera : the world rectangle that is in
    view, of any size in pixels; None is the whole box. progress : called with (frames done, frames in all).
    cancelled : looked at between two frames; then CancelledError is raised. keep_cut : a film that is cancelled ends
    there instead, where it has a frame already. like : the colouring that the person sees,
    whose limits hold for the film. Raises InputError for what cannot be made or written.
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
    show_state(scene, source, frame, film_colors, view)
    looked_at = camera or Camera.fitting((float(source.box[0]), float(source.box[1])), spec.size)
    looked_at = painter.looking(scene, looked_at, spec.size)
    expected = colors.scene_table(scene, view)[:, :3]
    gif = GifColors(max(form.levels[spec.quality], 2), np.unique(expected, axis=0), np.array(view.background_rgb))
    with (
        encoder(path, form, spec.size, spec.fps, spec.quality, gif) as open_encoder,
        EncodingThread(open_encoder) as encoding,
    ):
        for index in range(len(moments)):
            try:
                if cancelled():
                    raise CancelledError
                if index > 0:
                    show_state(scene, source, state(index), film_colors, view)
            except CancelledError:
                if not keep_cut or index == 0:
                    raise
                return index
            encoding.add(painter.paint(scene, looked_at))
            progress(index + 1, len(moments))
    return len(moments)


def show_state(scene: Scene, source: FrameSource, frame: Frame, film_colors: FilmColors, view: ViewModel) -> None:
    """Bring the state of the source into the scene; radii and box may differ from frame to frame."""
    same = scene.shown and np.array_equal(scene.system_radii, source.radii) and np.array_equal(scene.box, source.box)
    if not same:
        known = find(source.system)
        clock, has_forces = (TIME, False) if known is None else (known.clock, known.has_forces)
        scene.set_system(source.radii, source.box, source.periodic, clock=clock, has_forces=has_forces)
    scalar, coloring = film_colors.color(frame)
    layers = of_frame(Moment(frame, source.radii, source.box, source.periodic), view)
    scene.set_frame(frame.positions, scalar, coloring, frame.time, frame.radius_factor, layers)
