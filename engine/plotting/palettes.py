"""The colours of clusters, found as docs/decisions/cluster-colors.md says."""

from __future__ import annotations

PALETTE_ON_DARK: tuple[str, ...] = (
    "#9eb3fc", "#9b9b45", "#f5849a", "#77a186", "#deb9e7", "#c4cb73",
    "#cd9d6d", "#b08cab", "#92d1c8", "#77aec8", "#a38ada", "#fdb3a6",
)  # fmt: skip
"""Twelve muted hues for clusters on a dark ground: CIELAB lightness 62 to 80, chroma below 60."""

PALETTE_ON_LIGHT: tuple[str, ...] = (
    "#6078bc", "#5b5f03", "#b0465f", "#3b634b", "#a17eaa", "#87903b",
    "#8b6235", "#71506d", "#57958d", "#387189", "#634e98", "#c1766a",
)  # fmt: skip
"""The same hues in the same order for a light ground, paper and a projector: CIELAB lightness 38 to 58."""

PALETTE_SIZE = len(PALETTE_ON_LIGHT)

PALER = 0.65, 1.0
"""The share of the background in the colour of a disc within its rim, for the looks 1 and 2 of
`engine.analysis.rims.rims`."""
