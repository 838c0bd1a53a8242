"""The commands that open lessons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aggviewer.lessons.lessons import LESSONS
from aggviewer.window.commands.command import Command

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow


def declare_lessons(w: MainWindow) -> None:
    """Declare one for each lesson."""
    for name, (text, tooltip, opens) in LESSONS.items():
        w.commands.add(
            Command(name, text, lambda opens=opens: opens(w.lessons), tooltip=tooltip, icon="mdi6.school-outline")  # type: ignore[misc]
        )
