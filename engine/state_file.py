"""States and scenarios that start from a file."""

from __future__ import annotations

from math import isclose
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.files import FileFrame, Trajectory, open_trajectory
from engine.scenario import Scenario, load_scenario
from engine.state import volume_fraction


def open_scenario(path_or_name: str | Path) -> Scenario:
    """The scenario of anything that can be opened: TOML, a bundled name, or a file with states, which becomes a
    scenario that starts from its last frame, with the velocities, the box and the boundary that the file gives and
    the other settings of the scenario that a recording has with it. InputError where the file has no radii."""
    path = Path(path_or_name).expanduser()
    if path.suffix.lower() == ".toml" or not path.is_file():
        return load_scenario(path_or_name)
    frame = read_frame(path)
    if frame.radii is None:
        raise InputError(
            f"{path} has no radii; add them to the file, or name it as discs.file in a scenario that sets "
            "discs.volume_fraction",
            "discs.file",
        )
    changes: dict[str, Any] = {
        "discs.arrangement": "file",
        "discs.file": str(path.resolve()),
        "discs.count": len(frame.positions),
        "velocities.distribution": "file",
        "box.boundary": "periodic" if frame.periodic else "walls",
        "hard_discs.equilibration": 0.0,  # the discs stay where the file has them
    }
    scenario = _scenario_in(path, frame.scenario)
    if frame.box is not None:
        changes["box.size"] = frame.box.tolist()
        changes |= _filled(scenario, frame.radii, frame.box)
    return scenario.with_values(changes)


def as_in_file(scenario: Scenario, radii: NDArray[np.float64], box: NDArray[np.float64]) -> Scenario:
    """The scenario of discs with these radii (N,) in this box (2,): where a file decides them, count and volume
    fraction are those of its discs, whatever the scenario says."""
    if scenario.discs.arrangement != "file":
        return scenario
    changes = _filled(scenario, radii, box)
    if scenario.discs.count != len(radii):
        changes["discs.count"] = len(radii)
    return scenario.with_values(changes) if changes else scenario


def _filled(scenario: Scenario, radii: NDArray[np.float64], box: NDArray[np.float64]) -> dict[str, Any]:
    """The volume fraction, where it is not that of the scenario but for rounding. Discs of one cluster may overlap, and
    then there may be more than a scenario can say."""
    found = volume_fraction(radii, box)
    same = isclose(found, scenario.discs.volume_fraction, rel_tol=1e-9)
    return {} if same or not 0.0 < found < 1.0 else {"discs.volume_fraction": found}


def start_notice(scenario: Scenario) -> str:
    """What a person should know of how the file was read that a scenario starts from: "the file is cut off …".

    Empty where there is nothing to say, or no such file; what is wrong with it is told where the state is made.
    """
    if scenario.discs.arrangement != "file":
        return ""
    try:
        with open_trajectory(scenario.discs.file) as trajectory:
            return trajectory.notice
    except InputError:
        return ""


def _scenario_in(path: Path, text: str) -> Scenario:
    """The scenario that a recording has with it, else the default one."""
    if not text:
        return Scenario()
    try:
        return Scenario.from_toml(text, name=f"the scenario in {path}")
    except InputError:
        raise
    except (ValueError, RecursionError):  # numbers of thousands of digits, brackets in brackets
        raise InputError(f"the scenario in {path} cannot be read", str(path)) from None


def read_frame(path: str | Path, frame: int = -1) -> FileFrame:
    """One frame of a file that can be analysed or started from, with a box; the last one unless told."""
    with open_trajectory(path) as trajectory:
        return frame_of(trajectory, frame)


def frame_of(trajectory: Trajectory, frame: int) -> FileFrame:
    """One frame; a number that the file does not have is bad input, as a damaged frame is."""
    try:
        return trajectory[frame]
    except IndexError as error:
        raise InputError(str(error), str(trajectory.path)) from None


def box_of(frame: FileFrame, path: str | Path) -> NDArray[np.float64]:
    """The box of a frame: as the file says, else the smallest square [0, L]² that holds all its discs."""
    if frame.box is not None:
        return frame.box
    assert frame.radii is not None
    edge = frame.radii[:, None]
    if frame.periodic or float((frame.positions - edge).min()) < 0.0:
        raise InputError(
            f"{path} does not say its box, and its discs are not inside [0, L]²; set box.size in a scenario, or write "
            'a line such as "# box = 50 50 periodic"',
            "box.size",
        )
    side = float((frame.positions + edge).max())
    return np.array([side, side])
