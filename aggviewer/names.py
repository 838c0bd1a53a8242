"""Names that people type and that files contain. Nothing else is imported here, so that help is immediate."""

from __future__ import annotations

BACKGROUNDS: dict[str, str] = {"dark": "#14171c", "light": "#f6f7f9", "black": "#000000", "white": "#ffffff"}
"""The named backgrounds of the picture, as #rrggbb."""

OFFSCREEN = ("-platform", "offscreen")
"""Arguments that keep Qt from opening a display on Linux, whatever the environment says."""
