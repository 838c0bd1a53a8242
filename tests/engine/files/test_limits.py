"""Files keep to the limits of lengths, speeds and masses that scenarios have, in every format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import MAX_SIDE, MIN_SIDE, MOST_SLENDER, SMALLEST, InputError
from engine.files import FileFrame, read, write
from engine.scenario import Scenario
from engine.state_file import box_of

DATA = "made by hand\n\n2 atoms\n1 atom types\n0 {0!r} xlo xhi\n0 {1!r} ylo yhi\n\nAtoms # sphere\n\n"


def frame(**changes: Any) -> FileFrame:
    """Two discs at the edge of what is allowed."""
    parts = {
        "positions": np.array([[0.3, 0.3], [0.6, 0.6]]) * MAX_SIDE,
        "velocities": np.array([[1e15, 0.0], [0.0, -1e15]]),
        "radii": np.array([2.0 * SMALLEST, 0.1]) * MAX_SIDE,
        "masses": np.array([1e-30, 1e30]),
        "box": np.array([MAX_SIDE, MAX_SIDE]),
        "periodic": False,
    }
    return FileFrame(**(parts | changes))


def with_data_file(path: Path, state: FileFrame) -> None:
    """Write a LAMMPS data file, which this program cannot write."""
    rows = [
        f"{number} 1 {2.0 * radius!r} 1.0 {x!r} {y!r} 0.0"
        for number, (radius, (x, y)) in enumerate(zip(state.radii.tolist(), state.positions.tolist(), strict=True), 1)
    ]
    text = DATA.format(*state.box.tolist()) + "\n".join(rows) + "\n\nMasses\n\n1 1.0\n"
    path.write_text(text, encoding="utf-8")


WRITERS: dict[str, Callable[[Path, FileFrame], None]] = {
    ".csv": write,
    ".xyz": write,
    ".dump": write,
    ".gsd": write,
    ".data": with_data_file,
}
BEYOND = [
    ({"box": np.array([1e30, 1e30])}, r"the sides of the box must be from 1e-15 to 1e\+15, not 1e\+30 x 1e\+30"),
    ({"box": np.array([1e-5, 1.0]) * MAX_SIDE}, r"the longest side of the box may be at most 10000 times the shortest"),
    ({"box": np.array([0.5 * MIN_SIDE, 0.5 * MIN_SIDE])}, r"the sides of the box must be from 1e-15 to 1e\+15"),
    (
        {"radii": np.array([0.5 * SMALLEST, 0.1]) * MAX_SIDE},
        "the smallest radius, 500, is less than 1e-12 of",
    ),
    ({"radii": np.array([0.1, 1e30])}, r"the radius of disc 1 is larger than 1e\+15"),
    ({"positions": np.array([[0.1, 0.1], [1.1, 0.5]]) * MAX_SIDE}, r"the position of disc 1 is farther than 1e\+15"),
]
MOVING = [
    ({"velocities": np.array([[0.0, 0.0], [2e15, 0.0]])}, r"disc 1 is faster than 1e\+15"),
    ({"masses": np.array([1.0, 1e31])}, r"the mass of disc 1 must be from 1e-30 to 1e\+30, not 1e\+31"),
]


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize(("changes", "words"), BEYOND, ids=lambda one: one if isinstance(one, str) else "")
def test_lengths_beyond_the_limits_of_scenarios_are_refused(
    tmp_path: Path, ending: str, changes: dict[str, Any], words: str
) -> None:
    path = tmp_path / f"a{ending}"
    WRITERS[ending](path, frame())
    assert len(read(path)[0].positions) == 2
    WRITERS[ending](path, frame(**changes))
    with pytest.raises(InputError, match=words):
        read(path)


@pytest.mark.parametrize(("changes", "words"), MOVING)
def test_motion_beyond_the_limits_of_scenarios_is_refused(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    for ending in (".xyz", ".gsd") if "masses" in changes else (".csv", ".xyz", ".dump", ".gsd"):
        path = tmp_path / f"a{ending}"
        write(path, frame(**changes))
        with pytest.raises(InputError, match=words):
            read(path)


def test_a_box_that_no_file_says_keeps_to_the_limits_too() -> None:
    tiny = frame(box=None, positions=np.array([[0.1, 0.1], [0.5, 0.5]]), radii=np.array([1e-3, 1e-13]))
    with pytest.raises(InputError, match="the smallest radius, 1e-13, is less than 1e-12"):
        box_of(tiny, "a.csv")


def test_scenarios_have_the_same_limits() -> None:
    for side in (MIN_SIDE, MAX_SIDE):
        assert Scenario().with_values({"box.size": side}).box.size == side
    for side in (0.5 * MIN_SIDE, 2.0 * MAX_SIDE):
        with pytest.raises(InputError, match=r"box\.size must be from 1e-15"):
            Scenario().with_values({"box.size": side})
    for dimensions, most in MOST_SLENDER.items():
        sides = [1.0] * (dimensions - 1) + [most]
        values = {"dimensions": dimensions, "box.size": sides}
        assert Scenario().with_values(values).box.size == tuple(sides)
        for wrong in ([*sides[:-1], 2.0 * most], [2.0 * most, *sides[:-1]]):
            with pytest.raises(InputError, match=f"the longest side of the box may be at most {most:g} times the shor"):
                Scenario().with_values(values | {"box.size": wrong})
