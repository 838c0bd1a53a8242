"""Scenarios that start from a file with a state, and reading single frames of such files."""

from __future__ import annotations

from math import isclose
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError, fault_of_box, fault_of_radii, typed_path
from engine.files import FileFrame, Trajectory, open_trajectory
from engine.scenario import Scenario, load_scenario
from engine.state import volume_fraction
from engine.system import system_of


def open_scenario(path_or_name: str | Path, dimensions: int = 0) -> Scenario:
    """The scenario of a TOML file, a bundled name, or a file with states.

    dimensions : how a file with states is read that may hold discs or spheres (`engine.files.open_trajectory`).

    For a file with states it is a scenario that starts from the last frame, with the velocities, the box and the
    boundary of the file. Other settings are those of the scenario that a recording holds, else the defaults: in the
    plane and in space the discs stick.

    Raises
    ------
    InputError
        The file cannot be read, or has no radii.
    """
    path = typed_path(path_or_name)
    if path.suffix.lower() == ".toml" or not path.is_file():
        return load_scenario(path_or_name)
    with open_trajectory(path, dimensions) as trajectory:
        return scenario_from(trajectory)


def scenario_from(trajectory: Trajectory) -> Scenario:
    """The scenario that starts from the last frame of an open file, see `open_scenario`. InputError as there."""
    path, frame = trajectory.path, frame_of(trajectory, -1)
    if frame.radii is None:
        raise InputError(
            f"{path} has no radii; add them to the file, or use it as discs.file in a scenario that sets "
            "discs.volume_fraction",
            "discs.file",
        )
    scenario = _scenario_in(path, frame.scenario)
    changes: dict[str, Any] = {
        "dimensions": frame.dimensions,
        "discs.arrangement": "file",
        "discs.file": str(path.resolve()),
        "discs.count": len(frame.positions),
        "velocities.distribution": "file",
        "box.boundary": "walls" if frame.periodic is None else frame.periodic.boundary,
        "hard_discs.equilibration": 0.0,  # the discs stay where the file has them
    }
    if system_of(scenario).shears:
        changes["shear.rate"] = frame.shear_rate
    if frame.box is not None:
        changes["box.size"] = frame.box.tolist()
        changes |= _filled(scenario, frame.radii, frame.box)
    return scenario.with_values(changes)


def as_in_file(scenario: Scenario, radii: NDArray[np.float64], box: NDArray[np.float64]) -> Scenario:
    """The scenario with the number and the volume fraction of discs that were read from its file.

    A scenario that does not start from a file is returned as it is.

    Parameters
    ----------
    scenario : the scenario, which may say other numbers.
    radii, box : (N,) and (d,), of the discs that were read.
    """
    if scenario.discs.arrangement != "file":
        return scenario
    changes = _filled(scenario, radii, box)
    if scenario.discs.count != len(radii):
        changes["discs.count"] = len(radii)
    return scenario.with_values(changes) if changes else scenario


def _filled(scenario: Scenario, radii: NDArray[np.float64], box: NDArray[np.float64]) -> dict[str, Any]:
    """The volume fraction as a change of the scenario; none if it differs by rounding only.

    Discs of a cluster may overlap. Their sum may then reach 1, which a scenario does not allow: no change either.
    """
    found = volume_fraction(radii, box)
    same = isclose(found, scenario.discs.volume_fraction, rel_tol=1e-9)
    return {} if same or not 0.0 < found < 1.0 else {"discs.volume_fraction": found}


def start_notice(scenario: Scenario) -> str:
    """A notice about how the file that a scenario starts from was read, such as "the file is cut off …".

    "" if there is nothing to say, and where the file cannot be read: making the state raises the error then.
    """
    if scenario.discs.arrangement != "file":
        return ""
    try:
        with open_trajectory(scenario.discs.file, scenario.dimensions) as trajectory:
            return trajectory.notice
    except InputError:
        return ""


def _scenario_in(path: Path, text: str) -> Scenario:
    """The scenario in the text that a recording holds; the default one for an empty text."""
    if not text:
        return Scenario()
    try:
        return Scenario.from_toml(text, name=f"the scenario in {path}")
    except InputError:
        raise
    except (ValueError, RecursionError):  # numbers with thousands of digits, deeply nested brackets
        raise InputError(f"the scenario in {path} cannot be read", str(path)) from None


def read_frame(path: str | Path, frame: int = -1, dimensions: int = 0) -> FileFrame:
    """Read one frame of a file, by default the last. Raises InputError if there is no such frame.

    dimensions : as of `engine.files.open_trajectory`.
    """
    with open_trajectory(path, dimensions) as trajectory:
        return frame_of(trajectory, frame)


def frame_of(trajectory: Trajectory, frame: int) -> FileFrame:
    """One frame of an open file. Raises InputError for a damaged frame and for a number that the file does not have."""
    try:
        return trajectory[frame]
    except IndexError as error:
        raise InputError(str(error), str(trajectory.path)) from None


def box_of(frame: FileFrame, path: str | Path) -> NDArray[np.float64]:
    """The box of a frame, (d,): that of the file, else the smallest square [0, L]² or cube [0, L]³ that holds all its
    discs.

    `path` is the file, for messages. Raises InputError if there is no such box, and where the frame is periodic but has
    no box.
    """
    if frame.box is not None:
        return frame.box
    assert frame.radii is not None
    edge = frame.radii[:, None]
    if (frame.periodic is not None and frame.periodic.any) or float((frame.positions - edge).min()) < 0.0:
        shape, sides = ("[0, L]²", "50 50") if frame.dimensions == 2 else ("[0, L]³", "50 50 50")
        raise InputError(
            f"{path} does not give its box, and its discs are not inside {shape}; set box.size in a scenario, or write "
            f'a line such as "# box = {sides} periodic"',
            "box.size",
        )
    side = float((frame.positions + edge).max())
    box = np.full(frame.dimensions, side)
    if fault := fault_of_box(box) or fault_of_radii(frame.radii, box):
        raise InputError(f"{path}: {fault}", str(path))
    return box


def box_of_all(trajectory: Trajectory) -> NDArray[np.float64]:
    """The box for frames of a file that have none, (d,): that of the first frame, else a square that contains the first
    and the last frame. Raises InputError as `box_of` does."""
    first = trajectory[0]
    box = box_of(first, trajectory.path)
    if first.box is None and len(trajectory) > 1:
        box = np.maximum(box, box_of(trajectory[-1], trajectory.path))
    return box
