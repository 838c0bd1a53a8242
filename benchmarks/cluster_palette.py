"""The colours of clusters: one family of muted hues for a dark ground, the same hues for a light one.

``python -m benchmarks.cluster_palette`` writes engine/plotting/palettes.py and the table of
docs/decisions/cluster-colors.md. It needs glasbey 0.4 (``pip install glasbey`` in an environment of its
own), which brings colorspacious; the program itself needs neither.

glasbey finds palettes within bounds of lightness and chroma, for normal sight. From each of them a search goes on
among colours within our own bounds, on both grounds at once: the two colours that are hardest to tell apart are
found, and one of them is exchanged for the colour that is furthest from all others, until this helps no more. The
palette whose least difference is largest is written.
"""

from __future__ import annotations

from itertools import product

import colorspacious
import glasbey
import numpy as np
from numpy.typing import NDArray

from benchmarks.pages import DOCS, put

Floats = NDArray[np.float64]

COUNT = 12
BANDS = {"dark": (62.5, 79.5), "light": (38.5, 57.5)}
"""CIELAB lightness, a little inside the bounds of look.md, so that rounding to whole numbers stays within them."""
CHROMA = (22.0, 28.0, 34.0, 40.0, 46.0)
"""CIELAB chroma: enough of it that no cluster looks like a lone disc, and not so much that one shouts."""
LESS = (1.0, 0.9, 0.8, 0.7)
"""Shares of the chroma that a colour may have where the screen has no more."""
HUES = np.arange(0.0, 360.0, 5.0)
STEPS = np.linspace(0.0, 1.0, 7)
"""Lightness within the band, from its lower end to its upper one: the same on both grounds."""
PLAIN = 0.5
"""A difference in normal sight counts half: it is that of many people, and the smaller ones are hard to reach."""
GRIDS = tuple(range(20, 65, 4))
"""Sizes of glasbey's grid of colours: each gives another palette to start from."""

SIGHTS = {"normal": None, "protan": "protanomaly", "deutan": "deuteranomaly", "tritan": "tritanomaly"}

TARGET = DOCS.parent / "engine" / "plotting" / "palettes.py"
_MODULE = '''"""The colours of clusters, written by ``python -m benchmarks.cluster_palette``."""

from __future__ import annotations

PALETTE_ON_DARK: tuple[str, ...] = (
{dark}
)  # fmt: skip
"""Twelve muted hues for clusters on a dark ground: CIELAB lightness 62 to 80, chroma below 60."""

PALETTE_ON_LIGHT: tuple[str, ...] = (
{light}
)  # fmt: skip
"""The same hues in the same order for a light ground, paper and a projector: CIELAB lightness 38 to 58."""

PALETTE_SIZE = len(PALETTE_ON_LIGHT)
'''


def seen(colors: Floats, sight: str | None) -> Floats:
    """sRGB colours (n, 3), 0…1, as somebody with this deficiency sees them (Machado et al. 2009, severity 100)."""
    if sight is None:
        return colors
    space = {"name": "sRGB1+CVD", "cvd_type": sight, "severity": 100}
    found: Floats = np.clip(colorspacious.cspace_convert(colors, space, "sRGB1"), 0.0, 1.0)
    return found


def differences(colors: Floats, sight: str | None) -> Floats:
    """(n, n), in CAM02-UCS."""
    places = colorspacious.cspace_convert(seen(colors, sight), "sRGB1", "CAM02-UCS")
    found: Floats = np.linalg.norm(places[:, None] - places, axis=-1)
    return found


def candidates() -> dict[str, Floats]:
    """The colours to choose from on each ground, row by row of the same hue and the same place in the band."""
    hue, step, chroma = np.array(list(product(HUES, STEPS, CHROMA))).T
    colors = {}
    for ground, (low, high) in BANDS.items():
        found = np.full((len(hue), 3), np.nan)
        for share in LESS:
            wanted = np.stack([low + (high - low) * step, share * chroma, hue], axis=1)
            rgb = colorspacious.cspace_convert(wanted, "CIELCh", "sRGB1")
            free = np.isnan(found[:, 0]) & ((rgb >= 0.0) & (rgb <= 1.0)).all(axis=1)
            found[free] = rgb[free]
        colors[ground] = np.rint(255.0 * found) / 255.0
    both = ~np.isnan(sum(colors.values())).any(axis=1)
    return {ground: found[both] for ground, found in colors.items()}


def least(colors: dict[str, Floats]) -> Floats:
    """(n, n): the least difference on both grounds and for every sight."""
    found = np.full((len(colors["dark"]),) * 2, np.inf)
    for one in colors.values():
        for sight in SIGHTS.values():
            found = np.minimum(found, (PLAIN if sight is None else 1.0) * differences(one, sight))
    return found


def starts(dark: Floats) -> list[NDArray[np.int64]]:
    """glasbey's palettes, as the nearest of the candidates."""
    places = colorspacious.cspace_convert(dark, "sRGB1", "CAM02-UCS")
    found = []
    for grid in GRIDS:
        palette = glasbey.create_palette(
            COUNT, grid_size=grid, lightness_bounds=BANDS["dark"], chroma_bounds=(CHROMA[0], CHROMA[-1]), as_hex=False
        )
        wanted = colorspacious.cspace_convert(np.clip(palette, 0.0, 1.0), "sRGB1", "CAM02-UCS")
        nearest = np.linalg.norm(wanted[:, None] - places, axis=-1).argmin(axis=1)
        found.append(nearest)
    return found


def exchanged(chosen: NDArray[np.int64], apart: Floats) -> tuple[float, NDArray[np.int64]]:
    """The palette after the exchanges, and its least difference."""
    chosen = chosen.copy()
    while True:
        among = apart[np.ix_(chosen, chosen)] + np.diag(np.full(COUNT, np.inf))
        worst = among.min()
        for place in np.unravel_index(among.argmin(), among.shape):
            others = np.delete(chosen, place)
            room = apart[others].min(axis=0)
            if room.max() > worst + 1e-9:
                chosen[place] = room.argmax()
                break
        else:
            return float(worst), chosen


def spread(chosen: NDArray[np.int64], apart: Floats, dark: Floats) -> NDArray[np.int64]:
    """In an order in which each colour differs much from those before it: a few clusters are told apart best.

    The first one, of which a single cluster is, is the lighter one of the two that differ most.
    """
    among = apart[np.ix_(chosen, chosen)]
    most = np.unravel_index(among.argmax(), among.shape)
    order = sorted((int(k) for k in most), key=lambda k: -float(dark[chosen[k]].sum()))
    while len(order) < len(chosen):
        left = [k for k in range(len(chosen)) if k not in order]
        order.append(max(left, key=lambda k: among[k, order].min()))
    return chosen[order]


def name(color: Floats) -> str:
    """``#rrggbb``."""
    return "#" + "".join(f"{round(255.0 * value):02x}" for value in color)


def table(colors: dict[str, Floats]) -> str:
    """The least differences, in Markdown."""
    rows = ["| sight | dark ground | light ground |", "|---|---|---|"]
    upper = np.triu_indices(COUNT, 1)
    for sight, kind in SIGHTS.items():
        found = [differences(colors[ground], kind)[upper] for ground in BANDS]
        rows.append(f"| {sight} | " + " | ".join(f"{one.min():.1f} ({np.median(one):.0f})" for one in found) + " |")
    return "\n".join(rows)


def main() -> None:
    """Find the palette, and write it."""
    choice = candidates()
    apart = least(choice)
    found = [exchanged(start, apart) for start in starts(choice["dark"])]
    worst, chosen = max(found, key=lambda one: one[0])
    print(f"least differences: {', '.join(f'{one[0]:.1f}' for one in found)}; the best is {worst:.2f}")
    chosen = spread(chosen, apart, choice["dark"])
    colors = {ground: one[chosen] for ground, one in choice.items()}
    written = {}
    for ground, one in colors.items():
        names = [f'"{name(color)}"' for color in one]
        written[ground] = "\n".join(f"    {', '.join(names[k : k + 6])}," for k in range(0, COUNT, 6))
    TARGET.write_text(_MODULE.format(**written), encoding="utf-8")
    put("decisions/cluster-colors.md", "differences", table(colors))


if __name__ == "__main__":
    main()
