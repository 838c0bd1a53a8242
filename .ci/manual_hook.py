"""Puts the manual into a wheel: the pages that `make docs` has built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManualHook(BuildHookInterface):
    """Called by hatchling for each wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the pages where there are some; a checkout has them where they are."""
        pages = Path(self.root) / "build" / "docs"
        if version == "standard" and (pages / "index.html").is_file():
            build_data["force_include"][str(pages)] = "resources/manual"
