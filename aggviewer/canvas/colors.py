"""From values to colours: a table of 256 colours and the index into it, the same for both surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import log

import cmap
import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.names import BACKGROUNDS
from aggviewer.session.coloring import NO_VALUE, Coloring, as_chosen
from engine.plotting.colors import (
    COUNTS_ON_DARK,
    COUNTS_ON_LIGHT,
    COUNTS_TO_PROJECT,
    DIVERGING_ON_DARK,
    DIVERGING_ON_LIGHT,
    PALETTE_ON_DARK,
    PALETTE_ON_LIGHT,
    PALETTE_TO_PROJECT,
)

ENTRIES = 256
_COUNTS = "counts"
DIVERGING = "diverging"
"""The colour map of signed amounts: grey at 0 (`engine.plotting.colors.DIVERGING_ON_DARK`)."""
CYCLIC = "cmocean:phase"
"""The colour map of angles: cyclic, with constant lightness."""
RIM = 0.45
"""How much darker the rim of a large disc is than its face."""

LINE = "#66707e", "#8b94a1", "#000000"
"""Of thin lines, such as the outline of the box, on dark and on light backgrounds and for a projector."""

LEAST_CONTRAST = 3.0
"""The least contrast of a disc to the dark or light background (WCAG). A sequential map begins near the background,
dark to bright on a dark one and light to dark on a light one; what would have less contrast is left out of it."""
_BOLD_CONTRAST = 4.5  # the same for a projector
_LUMA = np.array([0.299, 0.587, 0.114])
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])  # of linear red, green and blue
_RISE = 0.25  # least rise of the luma from end to end of a map that has a dark end

# Colour of a lone disc: this share of its colour, the rest a grey near the background, so that clusters stand out.
_LONE_SHARE = 0.38
_LONE_GREY_ON_DARK = np.array([84.0, 92.0, 104.0])
_LONE_GREY_ON_LIGHT = np.array([130.0, 136.0, 145.0])
_LONE_GREY_TO_PROJECT = np.array([112.0, 116.0, 122.0])

# Below a force network: this share of a colour, the rest the background.
_DIMMED = 0.42
_DIMMED_COUNTS = 0.7  # of numbers that are read one by one
_DIMMING_STEPS = 30  # up to the undimmed colour, of classes that would have too little contrast


@dataclass(frozen=True)
class Ramp:
    """Entry of the table = clamp((f(s) - lower) * entries, 0, 255); f the natural logarithm if `log`, else identity."""

    lower: float
    entries: float
    log: bool


def ramp(coloring: Coloring) -> Ramp:
    """How values are turned into indices of the 256 colours of a colouring."""
    if coloring.categorical:
        return Ramp(0.0, 1.0, False)
    low, high = coloring.limits
    if coloring.whole:  # a whole number has its colour up to half a step to either side
        low, high = low - 0.5, high + 0.5
    if coloring.log:
        low, high = log(low), log(high)
    return Ramp(low, ENTRIES / max(high - low, 1e-30), coloring.log)


def table(coloring: Coloring, view: ViewModel, *, dimmed: bool = False) -> NDArray[np.uint8]:
    """The colours, (256, 4) uint8 RGBA, opaque; read only.

    Parameters
    ----------
    coloring : what the colours show: clusters have a palette, angles a cyclic map, signed amounts a diverging one,
        small counts a colour for each number unless a map was chosen, all else the map of `view`.
    view : its background decides which end of a map comes first, see `_map`.
    dimmed : whether colours are mixed with the background, so that lines over the discs stand out.
    """
    usual = DIVERGING if coloring.diverging else CYCLIC if coloring.cyclic else view.colormap
    name = coloring.colormap or usual
    if coloring.whole and not coloring.colormap and name == ViewModel.model_fields["colormap"].default:
        name = _COUNTS
    ground = view.background_rgb if dimmed else None
    if coloring.categorical:
        return _table("", view.dark, ground, bold=view.bold)
    apart, first = bool(coloring.classes), round(coloring.limits[0]) if name == _COUNTS else 0
    return _table(name, view.dark, ground, steps_of(coloring), coloring.cyclic, apart, first, bold=view.bold)


def line_color(view: ViewModel) -> str:
    """The colour of thin lines in a picture, one of `LINE`."""
    return LINE[0 if view.dark else 2 if view.bold else 1]


def stroke(view: ViewModel) -> float:
    """The width of the outline of the box and of other thin lines, in pixels."""
    return 2.0 if view.bold else 1.0


def steps_of(coloring: Coloring) -> int:
    """The number of colours of a scale, 0 if it is smooth."""
    return round(coloring.limits[1] - coloring.limits[0]) + 1 if coloring.whole else coloring.steps


def coloring_in_view(scene: Scene, view: ViewModel) -> Coloring:
    """The colouring of the scene, with the user's scale."""
    return as_chosen(scene.coloring, view.scales.get(scene.coloring.by))


def scene_table(scene: Scene, view: ViewModel) -> NDArray[np.uint8]:
    """The colour table of the scene, (256, 4) uint8 RGBA, dimmed below a force network."""
    return table(coloring_in_view(scene, view), view, dimmed=scene.shows_forces("forces" in view.layers))


def entries_of(scalar: NDArray[np.float32], coloring: Coloring) -> NDArray[np.int64]:
    """The index in the table, 0…255, of each value, (N,); 0 for NaN. scalar : (N,), in the unit of the colouring."""
    scale = ramp(coloring)
    values = np.log(np.maximum(scalar, 1e-30)) if scale.log else scalar
    places = np.nan_to_num((values - scale.lower) * scale.entries, nan=0.0)
    found: NDArray[np.int64] = np.clip(places, 0, ENTRIES - 1).astype(np.int64)
    return found


@lru_cache(maxsize=16)
def _table(
    name: str,
    dark: bool,
    dimmed_on: tuple[int, int, int] | None,
    steps: int = 0,
    cyclic: bool = False,
    classes: bool = False,
    first: int = 0,
    *,
    bold: bool = False,
) -> NDArray[np.uint8]:
    """name : of the map, "" for the palette of clusters, `_COUNTS` for that of small counts; dimmed_on : the
    background, None for bright colours; classes : whether each colour has a meaning of its own, and so keeps the least
    contrast where it is dimmed; first : the number that has the first colour of small counts; bold : see
    `ViewModel.bold`."""
    least = _BOLD_CONTRAST if bold else LEAST_CONTRAST
    colors = np.full((ENTRIES, 4), 255, np.uint8)
    if name == _COUNTS:
        counts = rgb(COUNTS_ON_DARK if dark else COUNTS_TO_PROJECT if bold else COUNTS_ON_LIGHT)
        numbers = first + np.arange(ENTRIES) * steps // ENTRIES
        found = np.rint(255.0 * counts[np.clip(numbers, 0, len(counts) - 1)])
    else:
        found = np.rint(255.0 * (_map(name, dark, least) if name else _palette(dark, bold)))
    if steps and name != _COUNTS:  # the first and last steps have the end colours, which are equal for a cyclic map
        step = np.arange(ENTRIES) * steps // ENTRIES
        share = (step + 0.5) / steps if cyclic else step / (steps - 1)
        found = found[np.rint(share * (ENTRIES - 1)).astype(int)]
    colors[: len(found), :3] = found
    if dimmed_on is not None:
        bright = colors[:, :3].astype(np.float64)
        share = np.full(ENTRIES, _DIMMED_COUNTS if name == _COUNTS else _DIMMED)
        for more in np.linspace(_DIMMED, 1.0, _DIMMING_STEPS) if classes else ():
            share[_contrasts(_mixed(bright, share, dimmed_on) / 255.0, dark) < least] = more
        colors[:, :3] = np.rint(_mixed(bright, share, dimmed_on))
    colors.setflags(write=False)
    return colors


def _mixed(
    colors: NDArray[np.float64], share: NDArray[np.float64], ground: tuple[int, int, int]
) -> NDArray[np.float64]:
    """Colours (n, 3) mixed with the background. share : (n,), of the colours."""
    mixed: NDArray[np.float64] = share[:, np.newaxis] * colors + (1.0 - share[:, np.newaxis]) * np.array(ground)
    return mixed


def _palette(dark: bool, bold: bool) -> NDArray[np.float64]:
    """The colours of clusters and of lone discs: (K, 3), 0…1."""
    grey = _LONE_GREY_ON_DARK if dark else _LONE_GREY_TO_PROJECT if bold else _LONE_GREY_ON_LIGHT
    vivid = rgb(PALETTE_ON_DARK if dark else PALETTE_TO_PROJECT if bold else PALETTE_ON_LIGHT)
    muted = _LONE_SHARE * vivid + (1.0 - _LONE_SHARE) * grey / 255.0
    return np.vstack([vivid, muted])


def rgb(names: tuple[str, ...]) -> NDArray[np.float64]:
    """Colours ``#rrggbb`` as numbers 0…1, (n, 3)."""
    return np.array([[int(name[at : at + 2], 16) for at in (1, 3, 5)] for name in names]) / 255.0


def _contrasts(colors: NDArray[np.float64], dark: bool) -> NDArray[np.float64]:
    """The contrasts (n,) of colours (n, 3), 0…1, to the dark or light background, by WCAG."""
    ground = rgb((BACKGROUNDS["dark" if dark else "light"],))
    both = np.vstack([ground, colors])
    linear = np.where(both <= 0.04045, both / 12.92, ((both + 0.055) / 1.055) ** 2.4)
    light = linear @ _LUMINANCE + 0.05
    ratios: NDArray[np.float64] = np.maximum(light[1:] / light[0], light[0] / light[1:])
    return ratios


def _map(name: str, dark: bool, least: float = LEAST_CONTRAST) -> NDArray[np.float64]:
    """A colour map, (256, 3), 0…1, with at least this contrast to the background. A sequential one begins with its
    end near the background, or ends with it if its name says that it is reversed (``viridis_r``)."""
    if name == DIVERGING:
        ends = DIVERGING_ON_DARK if dark else DIVERGING_ON_LIGHT
        return np.asarray(cmap.Colormap(ends)(np.linspace(0.0, 1.0, ENTRIES)))[:, :3]
    if name == NO_VALUE:
        return np.tile(rgb((LINE[0 if dark else 1],)), (ENTRIES, 1))
    base = cmap.Colormap(name.removesuffix("_r"))
    low, high = np.asarray(base([0.0, 1.0]))[:, :3] @ _LUMA
    places = np.linspace(0.0, 1.0, ENTRIES)
    if abs(high - low) >= _RISE:
        turned = (low < high) != dark
        away = np.asarray(base(places[::-1] if turned else places))[:, :3]
        sunk = places[np.argmax(_contrasts(away, dark) >= least)]
        places = sunk + (1.0 - sunk) * places
        if turned:
            places = 1.0 - places
    found = np.asarray(base(places))[:, :3]
    return found[::-1] if name.endswith("_r") else found
