"""The extensions of the program: everything that the window can do without, each in a folder of its own.

An extension adds its parts through the plug points that plug-ins use (`engine.plugins`, docs/extending.md). Nothing
outside its folder imports it, and it imports no other extension. To take one out, delete its folder and its name here.
"""

from __future__ import annotations

from engine.plugins import load_own

EXTENSIONS: tuple[str, ...] = (
    "inspector",
    "merging",
    "stepping",
    "measuring",
    "export_dialogs",
    "lessons",
    "studies",
    "gallery",
    "console",
)
"""In the order in which their parts are created: panels below the picture become tabs from left to right."""


def load() -> None:
    """Load all extensions. Call it on the main thread, before there is a document. Further calls do nothing."""
    load_own([f"{__name__}.{name}" for name in EXTENSIONS])
