"""Any state as a start for jamming."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.errors import InputError
from engine.files import FileFrame


def jam(frame: FileFrame) -> tuple[FileFrame, dict[str, Any]]:
    """The discs of a state at rest, each for itself and none overlapping, and what is different in their scenario.

    What touches may overlap by up to 1 %, and all radii become smaller by that. InputError where it is more.
    """
    from engine.jamming.checks import FROM_OTHERS, without_overlap

    if frame.radii is None or frame.box is None:
        raise InputError("there is no state to jam")
    radii = without_overlap(frame.positions, frame.radii, frame.box, bool(frame.periodic), most=FROM_OTHERS)
    start = replace(frame, velocities=None, radii=radii, cluster=None, network=None)
    return start, {"system": "jamming"}
