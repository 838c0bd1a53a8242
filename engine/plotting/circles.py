"""Many discs as one artist of matplotlib, in files that stay small: each circle is written once, or as a circle."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist, allow_rasterization
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.collections import EllipseCollection
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from numpy.typing import NDArray

from engine.arrays import Floats

_STEP = 0.02
"""Dots of the figure: radii that differ by less are drawn as one."""


class DiscCollection(EllipseCollection):
    """Discs in the units of their axes, which have one scale for both directions.

    In an SVG each disc is a ``<circle>``, and those that look alike are a group; in other files the outline of each
    radius is written once. matplotlib itself writes the outline of every disc.

    Parameters
    ----------
    axes : that they are added to.
    places, radii : (N, 2) and (N,), in units of the axes.
    faces, edges : (N, 4) each or one colour for all, of the areas and of the lines around them.
    widths : (N,) or one number, of the lines, in points; 0 for none.
    """

    def __init__(self, axes: Axes, places: Floats, radii: Floats, faces: Any, edges: Any, widths: Any) -> None:
        self._radii = radii
        super().__init__(
            2.0 * radii,
            2.0 * radii,
            np.zeros(len(radii)),
            units="xy",
            offsets=places,
            offset_transform=axes.transData,
            facecolors=faces,
            edgecolors=edges,
            linewidths=widths,
        )
        axes.add_collection(self, autolim=False)

    @allow_rasterization
    def draw(self, renderer: Any) -> None:
        """Draw the discs, those of one radius together."""
        if not self.get_visible() or not len(self._radii):
            return
        renderer.open_group("DiscCollection", self.get_gid())
        if writes_svg(self, renderer):
            self._write_circles(renderer)
        else:
            self._draw_by_radius(renderer)
        renderer.close_group("DiscCollection")
        self.stale = False

    def _context(self, renderer: Any) -> Any:
        """A graphics context with the clipping of the discs."""
        gc = renderer.new_gc()
        gc.set_clip_rectangle(self.get_clip_box())
        gc.set_clip_path(self.get_clip_path())
        return gc

    def _each(self, values: Any) -> NDArray[Any]:
        """Values repeated in turn, so that there is one for each disc."""
        return np.resize(values, (len(self._radii), *np.shape(values)[1:]))

    def _dots(self) -> Floats:
        """The radii of the circles in dots of the figure."""
        assert self.axes is not None
        return np.asarray(self._radii * abs(self.axes.transData.get_matrix()[0, 0]))

    def _draw_by_radius(self, renderer: Any) -> None:
        gc, dots = self._context(renderer), np.rint(self._dots() / _STEP).astype(np.int64)
        faces, edges = self._each(self.get_facecolor()), self._each(self.get_edgecolor())
        widths, offsets = self._each(self.get_linewidth()), self._each(self.get_offsets())
        for which in _alike(dots):
            size = Affine2D().scale(max(dots[which[0]], 1) * _STEP).get_matrix()
            renderer.draw_path_collection(
                gc,
                Affine2D().frozen(),
                [Path.unit_circle()],
                [size],
                offsets[which],
                self.get_offset_transform(),
                faces[which],
                edges[which] if widths[which].any() else edges[:0],
                widths[which],
                [(0.0, None)],
                [True],
                [None],
                "screen",
            )
        gc.restore()

    def _write_circles(self, renderer: Any) -> None:
        """Write the circles as elements of an SVG, whose units are points from the upper left corner."""
        gc, dots = self._context(renderer), self._dots()
        clip = renderer._get_clip_attrs(gc)
        places = self.get_offset_transform().transform(self._each(self.get_offsets()))
        x, y = places[:, 0], renderer.height - places[:, 1]
        faces, edges = self._each(self.get_facecolor()), self._each(self.get_edgecolor())
        widths = self._each(self.get_linewidth())
        write = renderer.writer
        write.start("g", attrib=clip)
        looks = np.column_stack([np.rint(255.0 * faces), np.rint(255.0 * edges), widths])
        for which in _alike(looks):
            first = which[0]
            line = {}
            if widths[first] > 0.0:
                line = {"stroke": hex_of(edges[first]), "stroke-width": f"{widths[first]:g}"}
            write.start("g", attrib={"fill": hex_of(faces[first]), **line})
            for k in which.tolist():
                write.element("circle", attrib={"cx": f"{x[k]:.2f}", "cy": f"{y[k]:.2f}", "r": f"{dots[k]:.3f}"})
            write.end("g")
        write.end("g")
        gc.restore()


def _alike(keys: NDArray[Any]) -> list[NDArray[np.int64]]:
    """The numbers of the rows that are equal, together."""
    _, group = np.unique(keys, axis=0, return_inverse=True)
    order = np.argsort(group, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group[order])) + 1)


def writes_svg(artist: Artist, renderer: Any) -> bool:
    """Whether `renderer` draws an artist as vectors of an SVG, not as a part that is an image there."""
    figure = artist.get_figure()
    return figure is not None and isinstance(figure.canvas, FigureCanvasSVG) and hasattr(renderer, "writer")


def hex_of(color: Any) -> str:
    """``#rrggbb`` of a colour, 0…1."""
    red, green, blue, *_ = np.rint(255.0 * np.asarray(color)).astype(int).tolist()
    return f"#{red:02x}{green:02x}{blue:02x}"
