"""`engine.plot`: discs as circles in the units of the scenario, with their box and the legend of their colours.

Spheres are circles too, in perspective, paler towards the back of their box. In a notebook, simulations and frames show
themselves as a small picture of this kind (`png`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.boundary import Periodic
from engine.errors import InputError, either
from engine.geometry.nearest import wrapped
from engine.plotting import PICTURES, is_rendered
from engine.plotting.colors import PALER, DiscColors, DrawableState, colors_of, seen
from engine.plotting.projection import FlatView, checked_slab, checked_turn, flat_view, shaded

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from engine.files import FileFrame
    from engine.frame import Frame
    from engine.simulation import Simulation


_INK = "#20252c"
_RIM = 0.35
"""Width in points of the line around discs that are large enough for one."""
_FEW = 4000
"""Up to this many discs have a line around them."""
_WIDER = 3.0
"""How much wider the line is around discs with the rim that tells near clusters of one colour apart."""
_EDGE, _DARKER = 0.7, 0.75
"""In an image of spheres: where the edge of one begins, as a share of its area, and how bright it is there."""
_MARGIN = 0.015
"""What is left free around the box, as a share of its longer side."""


def plot(
    shown: Simulation | Frame | FileFrame,
    ax: Axes | None = None,
    color_by: str | None = None,
    colormap: str | None = None,
    turn: Sequence[float] | None = None,
    slab: Sequence[float] | None = None,
    picture: str = "auto",
) -> Axes:
    """Draw discs with matplotlib (`engine.plot`)."""
    if picture not in PICTURES:
        raise InputError(f"picture must be {either(PICTURES)}, not {picture!r}")
    if find_spec("matplotlib") is None:
        raise InputError("engine.plot needs matplotlib: pip install matplotlib")
    state = seen(shown)
    if turn is not None:
        state = replace(state, turn=_allowed("turn must be four numbers", checked_turn, turn))
    if slab is not None:
        state = replace(state, slab=_allowed("slab must be two numbers", checked_slab, slab))
    import matplotlib.axes

    if not isinstance(ax, matplotlib.axes.Axes | None):
        raise InputError(f"ax must be axes of matplotlib, not {type(ax).__name__}")
    colors = colors_of(state, state.field(color_by), colormap)
    if ax is None:
        from matplotlib import pyplot

        _, ax = pyplot.subplots(figsize=size_of(state, colors), layout="constrained")
    draw(ax, state, colors, rendered=is_rendered(picture, len(state.discs.box), len(state.radii)))
    return ax


def _allowed(what: str, check: Callable[[Any], Any], value: Any) -> Any:
    """The result of `check`. Raises InputError with its sentence, or with `what` for values of other types."""
    try:
        return check(value)
    except TypeError:
        raise InputError(f"{what}, not {value!r}") from None
    except ValueError as error:
        raise InputError(str(error)) from None


def size_of(state: DrawableState, colors: DiscColors, longest: float = 5.6) -> tuple[float, float]:
    """The size of a figure in inches whose axes have the shape of the box, with room for the legend."""
    width, height = flat_view(state.frame.positions[:0], state.radii[:0], state.discs.box, state.turn).size
    scale = longest / max(width, height)
    beside = 1.1 if colors.scale is not None or colors.classes else 0.0
    return max(scale * width, 1.6) + 0.4 + beside, max(scale * height, 1.2) + 0.6


def draw(ax: Axes, state: DrawableState, colors: DiscColors, *, quick: bool = False, rendered: bool = False) -> None:
    """Draw a state into axes. `quick` draws very many discs as an image, whatever their number; `rendered` makes an
    image of them in vector files, at the resolution with which the figure is saved."""
    view = state.view
    width, height = view.size
    as_image = quick and len(state.radii) > _FEW
    if as_image:
        image = _as_image(state, colors, view)
        ax.imshow(image, extent=(0.0, width, 0.0, height), origin="lower", interpolation="antialiased", zorder=1)
    if len(state.discs.box) > 2:
        _spheres(ax, state, colors, view, as_image=as_image, rendered=rendered)
    else:
        if not as_image:
            _circles(ax, state, colors, rendered=rendered)
        ax.add_artist(_outline(state))
        ax.tick_params(length=3, width=0.6)
    free = _MARGIN * max(width, height)
    ax.set_aspect("equal")
    ax.set_xlim(-free, width + free)
    ax.set_ylim(-free, height + free)
    for side in ax.spines.values():
        side.set_visible(False)
    if not ax.get_title():
        ax.set_title(state.title, fontsize="medium")
    colors.add_legend(ax)


def _outline(state: DrawableState) -> Artist:
    """The edges of the box: lines for walls, dashed where it is periodic."""
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Rectangle

    width, height = (float(side) for side in state.discs.box)
    if state.discs.periodic.mixed:
        corners = np.array([(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)])
        sides = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)  # below, right, above, left
        styles = ["--" if state.discs.periodic[axis] else "-" for axis in (1, 0, 1, 0)]
        return LineCollection([*sides], colors=_INK, linewidths=0.8, linestyles=styles, zorder=3)
    style = "--" if state.discs.periodic else "-"
    return Rectangle((0.0, 0.0), width, height, fill=False, edgecolor=_INK, linewidth=0.8, linestyle=style, zorder=3)


def _circles(ax: Axes, state: DrawableState, colors: DiscColors, *, rendered: bool) -> None:
    from matplotlib.patches import Rectangle

    from engine.plotting.circles import DiscCollection

    places, which = images(state.frame.positions, state.radii, state.discs.box, state.around)
    faces, edges, widths = _looks(colors, _RIM if len(state.radii) <= _FEW else 0.0)
    circles = DiscCollection(ax, places, state.radii[which], faces[which], edges[which], widths[which])
    circles.set_rasterized(rendered)
    if state.discs.periodic.any:  # beside the axes, which cut off a part after zooming in
        box, far = state.discs.box, np.where(state.discs.periodic, 0.0, state.discs.box)
        within = Rectangle(tuple(-far), *(box + 2.0 * far).tolist())
        circles.set_clip_path(within.get_path().transformed(within.get_patch_transform()), ax.transData)


def _spheres(
    ax: Axes, state: DrawableState, colors: DiscColors, view: FlatView, *, as_image: bool, rendered: bool
) -> None:
    """Spheres from behind to the front, between the edges of their box, without axes: lengths depend on the depth."""
    from matplotlib.collections import LineCollection

    from engine.plotting.solids import add_spheres

    for edges, dashed, order in zip(view.edges, view.dashed, (0, 3), strict=True):
        styles = np.where(dashed, "--", "-").tolist()
        ax.add_collection(LineCollection([*edges], colors=_INK, linewidths=0.8, linestyles=styles, zorder=order))
    if not as_image:
        faces, rims, widths = _looks(colors, _RIM)
        add_spheres(ax, view, faces, rims, widths > _RIM).set_rasterized(rendered)
    ax.set(xticks=[], yticks=[])


def _looks(colors: DiscColors, width: float) -> tuple[Floats, Floats, Floats]:
    """The faces (N, 4), the lines around them (N, 4) and their widths (N,) of discs around which is a line of a width.

    A disc with a rim (`engine.analysis.rims`) is paler, and the line around it has its colour.
    """
    from matplotlib.colors import to_rgba

    faces = colors.faces.copy()
    edges, widths = np.tile(to_rgba(_INK), (len(faces), 1)), np.full(len(faces), width)
    rims = np.zeros(len(faces), np.uint8) if colors.rims is None or not width else colors.rims
    for look, paler in enumerate(PALER, start=1):
        these = rims == look
        edges[these], widths[these] = faces[these], _WIDER * width
        faces[these] = (1.0 - paler) * faces[these] + paler
    return faces, edges, widths


def images(positions: Floats, radii: Floats, box: Floats, periodic: Periodic | bool) -> tuple[Floats, NDArray[np.intp]]:
    """The places where discs are seen in the box, and which disc is at each.

    A disc that reaches across a periodic edge is seen at the opposite edge too, and one that reaches across a corner
    of such edges at all four.

    Parameters
    ----------
    positions, radii, box : (N, 2), (N,) and (2,).
    periodic : along which axes the box is periodic, or one truth value for all.

    Returns
    -------
    The places (M, 2), those of the discs themselves first, and the index of the disc at each, (M,).
    """
    places, which = positions, np.arange(len(positions))
    steps = np.diag(box)
    around = Periodic.of(periodic, 2)
    steps[1, 0] = around.offset
    for axis in reversed(around.axes):
        side, reach, step = box[axis], radii[which], steps[axis]
        low = places[:, axis] < reach
        high = places[:, axis] > side - reach
        copies = np.concatenate([places[low] + step, places[high] - step])
        if axis and around.offset:
            copies[:, 0] %= box[0]
        places = np.concatenate([places, copies])
        which = np.concatenate([which, which[low], which[high]])
    return places, which


def _as_image(state: DrawableState, colors: DiscColors, view: FlatView, pixels: int = 480) -> Floats:
    """The discs as an image, (rows, columns, 4): in each pixel the mean colour of the discs there, or the colour of the
    sphere in front.

    The more of a pixel the discs cover, the less of the background is seen. A disc counts at its centre; one that is
    larger than a pixel is spread over its surroundings.
    """
    box, radii = np.array(view.size), view.radii
    across = float(box.max()) / pixels
    columns, rows = (max(1, round(float(side) / across)) for side in box)
    in_space = len(state.discs.box) > 2
    places, areas, faces = view.places, np.pi * radii**2, shaded(colors.faces[view.which], view.near)
    large = int(np.ceil(float(np.median(radii)) / across))
    if large > 1:  # so many points on each disc that there is one in every pixel
        steps = (np.arange(2 * large + 1) - large) / (large + 0.5)
        points = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
        away = np.square(points).sum(axis=1)
        points, away = points[away <= 1.0], away[away <= 1.0]
        places = (places[:, None] + points * radii[:, None, None]).reshape(-1, 2)
        areas = np.repeat(areas / len(points), len(points))
        faces = np.repeat(faces, len(points), axis=0)
        if in_space:  # a darker edge tells spheres from those behind
            faces[:, :3] *= np.tile(np.where(away > _EDGE, _DARKER, 1.0), len(radii))[:, None]
    if not in_space and state.around.offset and len(places):
        places = wrapped(places, box, state.around)
    cell = np.floor(places / box * (columns, rows)).astype(np.int64)
    if not in_space:
        cell = np.where(state.discs.periodic, cell % (columns, rows), cell)
    cell = np.clip(cell, 0, (columns - 1, rows - 1))
    flat = cell[:, 1] * columns + cell[:, 0]
    size = rows * columns
    image = np.zeros((size, 4))
    if in_space:
        image[flat] = faces  # of many at one place the last, which is in front
        return image.reshape(rows, columns, 4)
    covered = np.bincount(flat, areas, size)
    for channel in range(3):
        sums = np.bincount(flat, areas * faces[:, channel], size)
        np.divide(sums, covered, out=image[:, channel], where=covered > 0.0)
    image[:, 3] = np.minimum(1.0, covered / across**2)
    return image.reshape(rows, columns, 4)


_LONGEST = 3.4
"""The longer side of the box in inches."""
_PIXELS = 110
"""In an inch."""


def png(shown: Simulation | Frame | FileFrame) -> bytes | None:
    """A small PNG of a state, made in some tenths of a second whatever the number of discs.

    None if there is nothing to draw: without matplotlib, and for a frame that does not say which discs it is of.
    """
    if find_spec("matplotlib") is None:
        return None
    from matplotlib.figure import Figure

    try:
        state = seen(shown)
        first = next(field for field in state.fields if field.measure is None)  # one that is not computed at length
        colors = colors_of(state, first, None)
    except InputError:
        return None
    # without pyplot: nothing is left behind that somebody has to close
    figure = Figure(figsize=size_of(state, colors, _LONGEST), layout="constrained")
    axes = figure.add_subplot()
    draw(axes, state, colors, quick=True)
    axes.tick_params(labelsize="small")
    file = BytesIO()
    figure.savefig(file, format="png", dpi=_PIXELS)
    return file.getvalue()
