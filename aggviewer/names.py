"""Names that people type and files hold. Nothing is imported with them: help on the command line comes at once."""

from __future__ import annotations

BACKGROUNDS: dict[str, str] = {"dark": "#14171c", "light": "#f6f7f9", "black": "#000000", "white": "#ffffff"}
"""The named backgrounds of the picture, as #rrggbb."""

OFFSCREEN = ("-platform", "offscreen")
"""Arguments that make Qt open no display on Linux, whatever the environment says."""

COMPLETION = "_AGGVIEWER_COMPLETE"
"""A variable of the environment: set where a shell asks how the words of a command line may continue."""
