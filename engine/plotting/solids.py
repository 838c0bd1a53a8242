"""Spheres with light and the rods between them as one artist of matplotlib, each over what it covers: radial gradients
in SVG and PDF, rings of one colour each where there are none (in images)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.artist import Artist, allow_rasterization
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import Name, Op, PdfFile
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from numpy.typing import NDArray

from engine.arrays import Bytes, Floats
from engine.plotting.circles import hex_of, writes_svg
from engine.plotting.light import FOCUS, STOPS, gradients
from engine.plotting.projection import HAZE, FlatView

_RINGS = 3, 24  # in an image, of a sphere, least and most
_DOTS = 1.5  # dots of an image for each ring
_SAMPLES = 21  # of a gradient in a PDF


class SolidCollection(Artist):
    """Spheres and rods in the units of their axes, which have one scale for both directions.

    Parameters
    ----------
    axes : that they are added to.
    places, radii : (N, 2) and (N,), of the spheres, in units of the axes.
    gradients, which : (G, S, 3) and (N,), of `engine.plotting.light.gradients`.
    corners, colors : (K, 4, 2) and (K, 4), of the surfaces of rods, each a quadrangle of one colour with its opacity,
        0…255.
    order : (N + K,), the numbers of spheres, and N more than those of quadrangles, from back to front.
    """

    def __init__(
        self,
        axes: Axes,
        places: Floats,
        radii: Floats,
        gradients: Bytes,
        which: NDArray[np.intp],
        corners: Floats | None = None,
        colors: Bytes | None = None,
        order: NDArray[np.intp] | None = None,
    ) -> None:
        super().__init__()
        self._places, self._radii, self._gradients, self._which = places, radii, gradients, which
        self._flat = (gradients == gradients[:, :1]).all(axis=(1, 2))
        self._corners = np.zeros((0, 4, 2)) if corners is None else corners
        self._colors = np.zeros((0, 4), np.uint8) if colors is None else colors
        self._order = np.arange(len(radii)) if order is None else order
        axes.add_artist(self)
        self.set_clip_path(axes.patch)

    @allow_rasterization
    def draw(self, renderer: Any) -> None:
        """Draw everything from back to front."""
        if not self.get_visible() or not len(self._order) or self.axes is None:
            return
        renderer.open_group("SolidCollection", self.get_gid())
        gc = renderer.new_gc()
        self._set_gc_clip(gc)  # type: ignore[attr-defined]
        if isinstance(getattr(renderer, "file", None), PdfFile):  # the part of a page that is not an image
            self._write_pdf(renderer, gc)
        elif writes_svg(self, renderer):
            self._write_svg(renderer, gc)
        else:
            self._draw_rings(renderer, gc)
        gc.restore()
        renderer.close_group("SolidCollection")
        self.stale = False

    def _on_page(self) -> tuple[Floats, Floats, Floats]:
        """Places, radii and corners in dots of the figure."""
        assert self.axes is not None
        to_dots = self.axes.transData
        corners = to_dots.transform(self._corners.reshape(-1, 2)).reshape(-1, 4, 2)
        return to_dots.transform(self._places), self._radii * abs(to_dots.get_matrix()[0, 0]), corners

    def _write_svg(self, renderer: Any, gc: Any) -> None:
        places, radii, corners = self._on_page()
        places[:, 1], corners[..., 1] = renderer.height - places[:, 1], renderer.height - corners[..., 1]
        write, names = renderer.writer, f"sphere-{self.get_gid() or id(self)}-"
        write.start("g", attrib=renderer._get_clip_attrs(gc))
        write.start("defs")
        x, y = 0.5 + FOCUS[0] / 2, 0.5 - FOCUS[1] / 2
        for number in np.flatnonzero(~self._flat).tolist():
            focus = {"fx": f"{x:g}", "fy": f"{y:g}"}
            write.start("radialGradient", attrib={"id": f"{names}{number}", **focus})
            for stop, color in zip(STOPS, self._gradients[number], strict=True):
                write.element("stop", attrib={"offset": f"{stop:g}", "stop-color": hex_of(color / 255.0)})
            write.end("radialGradient")
        write.end("defs")
        count = len(radii)
        for k in self._order.tolist():
            if k >= count:
                path = "L".join(f"{a:.2f} {b:.2f}" for a, b in corners[k - count])
                *_, opacity = color = self._colors[k - count] / 255.0
                pale = {} if opacity == 1.0 else {"fill-opacity": f"{opacity:.3g}"}
                write.element("path", attrib={"d": f"M{path}z", "fill": hex_of(color), **pale})
                continue
            number = int(self._which[k])
            fill = hex_of(self._gradients[number, 0] / 255.0) if self._flat[number] else f"url(#{names}{number})"
            (a, b), r = places[k], radii[k]
            write.element("circle", attrib={"cx": f"{a:.2f}", "cy": f"{b:.2f}", "r": f"{r:.3f}", "fill": fill})
        write.end("g")

    def _write_pdf(self, renderer: Any, gc: Any) -> None:
        places, radii, corners = self._on_page()
        file, count = renderer.file, len(radii)
        renderer.check_gc(gc)
        name_of = _shadings(file)
        names = [None if flat else name_of(row) for flat, row in zip(self._flat, self._gradients, strict=True)]
        circle = file.pathCollectionObject(gc, Path.unit_circle(), Affine2D(), 0.0, True, False)
        file.output(Op.gsave)
        opaque = 1.0
        for k in self._order.tolist():
            *color, opacity = (self._colors[k - count] / 255.0).tolist() if k >= count else (1.0,)
            if opacity != opaque:
                file.output(file.alphaState((opacity, opacity)), Op.setgstate)
                opaque = opacity
            if k >= count:
                file.output(*color, Op.setrgb_nonstroke)
                for number, corner in enumerate(np.round(corners[k - count], 3).tolist()):
                    file.output(*corner, Op.lineto if number else Op.moveto)
                file.output(Op.closepath, Op.fill)
                continue
            (x, y), r = np.round(places[k], 3).tolist(), round(float(radii[k]), 4)
            number = self._which[k]
            file.output(Op.gsave, r, 0, 0, r, x, y, Op.concat_matrix)
            file.output(*(self._gradients[number, -1] / 255.0).round(4).tolist(), Op.setrgb_nonstroke)
            file.output(circle, Op.use_xobject)  # smooth at its edge, where a clipped gradient need not be
            if names[number] is not None:
                file.output(*file.pathOperations(Path.unit_circle(), Affine2D()), Op.clip, Op.endpath)
                file.output(names[number], Op.shading)
            file.output(Op.grestore)
        file.output(Op.grestore)

    def _draw_rings(self, renderer: Any, gc: Any) -> None:
        """Each sphere as circles inside one another, and all surfaces of rods, as paths in one order."""
        places, radii, corners = self._on_page()
        count = len(radii)
        rings = int(np.clip(radii.max(initial=0.0) / _DOTS, *_RINGS)) if len(radii) else 1
        ends = 1.0 - np.arange(rings) / rings  # from the outline to the focus
        middles, stops = ends - 0.5 / rings, np.array(STOPS)
        shades = np.stack(
            [np.stack([np.interp(middles, stops, one) for one in row.T], axis=1) for row in self._gradients]
        )
        spheres = self._order < count
        parts = np.where(spheres, rings, 1)
        item = np.repeat(self._order, parts)
        ring = np.arange(len(item)) - np.repeat(np.cumsum(parts) - parts, parts)
        round_ = item < count
        faces, matrices = np.ones((len(item), 4)), np.tile(np.eye(3), (len(item), 1, 1))
        own, share = item[round_], ends[ring[round_]]
        faces[round_, :3] = shades[self._which[own], ring[round_]] / 255.0
        size = radii[own] * share
        matrices[round_, 0, 0] = matrices[round_, 1, 1] = size
        matrices[round_, :2, 2] = places[own] + (radii[own] * (1.0 - share))[:, np.newaxis] * FOCUS
        faces[~round_] = self._colors[item[~round_] - count] / 255.0
        paths = [Path.unit_circle() if k < count else Path([*corners[k - count], corners[k - count, 0]]) for k in item]
        renderer.draw_path_collection(
            gc, Affine2D().frozen(), paths, matrices, np.zeros((1, 2)), Affine2D(), faces, np.zeros((0, 4)),
            [0.0], [(0.0, None)],
            [True], [None], "screen",
        )  # fmt: skip


_INSIDE = 0.8  # share of the radius of a sphere inside its rim


def add_spheres(
    axes: Axes, view: FlatView, faces: Floats, rims: Floats | None = None, rimmed: NDArray[np.bool_] | None = None
) -> SolidCollection:
    """Draw the spheres of a view in its order, paler towards the back.

    faces, rims : (N, 3) or (N, 4), 0…1, in their own order; rimmed : (N,), which of them have a rim; None for none.
    """
    two = np.zeros(len(view.which), np.bool_) if rimmed is None else rimmed[view.which]
    own = np.repeat(np.arange(len(two)), 1 + two)
    rim = np.append(own[1:] == own[:-1], False)
    number, inside = view.which[own], two[own] & ~rim
    colors = np.where(rim[:, np.newaxis], (faces if rims is None else rims)[number, :3], faces[number, :3])
    looks = gradients(255.0 * colors, np.ones(len(own)), HAZE * (1.0 - view.near[own]), np.full(3, 255.0), rim)
    return SolidCollection(axes, view.places[own], np.where(inside, _INSIDE, 1.0) * view.radii[own], *looks)


def _shadings(file: Any) -> Callable[[Bytes], Any]:
    """A function that gives the name of a radial gradient (S, 3) on the page of a PDF.

    matplotlib has a dictionary for shadings on each page and writes its own, triangles, at the end; ours are added.
    """
    known: dict[bytes, tuple[Any, Any, Bytes]] = file.__dict__.setdefault("_radial_gradients", {})
    if "writeGouraudTriangles" not in file.__dict__:
        write, before = file.writeObject, file.writeGouraudTriangles

        def write_all() -> None:
            ours = {name: _radial(file, function, colors) for name, function, colors in known.values()}
            file.writeObject = lambda ob, said: write(ob, {**said, **ours} if ob is file.gouraudObject else said)
            before()
            file.writeObject = write

        file.writeGouraudTriangles = write_all

    def name_of(colors: Bytes) -> Any:
        key = colors.tobytes()
        if key not in known:
            known[key] = Name(f"R{len(known)}"), file.reserveObject("radial gradient"), colors
        return known[key][0]

    return name_of


def _radial(file: Any, function: Any, colors: Bytes) -> dict[str, Any]:
    """A gradient in the circle of radius 1 as a PDF has it; its colours, evenly sampled, are an object of their own."""
    even = np.linspace(0.0, 1.0, _SAMPLES)
    samples = np.stack([np.interp(even, STOPS, one) for one in colors.T], axis=1)
    about = {"FunctionType": 0, "Domain": [0, 1], "Range": [0, 1] * 3, "Size": [_SAMPLES], "BitsPerSample": 8}
    file.beginStream(function.id, None, about)
    file.currentstream.write(np.rint(samples).astype(np.uint8).tobytes())
    file.endStream()
    coords, extend = [*FOCUS, 0, 0, 0, 1], [True, True]
    return {
        "ShadingType": 3, "ColorSpace": Name("DeviceRGB"), "Coords": coords, "Function": function, "Extend": extend
    }  # fmt: skip
