"""Names that people type and files hold. Nothing is imported with them: help on the command line comes at once."""

from __future__ import annotations

from typing import Literal

ColorBy = Literal["cluster", "size", "speed", "contacts", "collisions", "since_contact", "rattlers", "radius"]
"""What a colour of a disc can stand for."""

BACKGROUNDS: dict[str, str] = {"dark": "#14171c", "light": "#f6f7f9", "black": "#000000", "white": "#ffffff"}
"""The named backgrounds of the picture, as #rrggbb."""
