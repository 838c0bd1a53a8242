"""What a window gives to files: pictures, figures and plots, films, recordings, and discs as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aggviewer.widgets.part import Context, Part
    from engine.plugins import PlugPoints

PLUG_POINTS = 1


def register(points: PlugPoints) -> None:
    """Add a part for each kind of file."""
    points.part("recording", _recording)
    points.part("exports", _exports)
    points.part("films", _films)


def _recording(context: Context) -> Part:
    from aggviewer.extensions.export_dialogs.film_files import RecordingFiles

    return RecordingFiles(context)


def _exports(context: Context) -> Part:
    from aggviewer.extensions.export_dialogs.exports import Exports

    return Exports(context)


def _films(context: Context) -> Part:
    from aggviewer.extensions.export_dialogs.film_files import FilmFiles

    return FilmFiles(context)
