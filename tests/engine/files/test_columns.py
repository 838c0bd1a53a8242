"""Each number of a sphere stands in the column of its own name, as written and as read: a round trip does not show it,
since two exchanges cancel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.files import FileFrame, read, write
from tests.builders.file_frames import dump_text, put

VALUES = {"x": 1.0, "y": 2.0, "z": 3.5, "vx": -4.0, "vy": 5.0, "vz": -6.0, "radius": 0.5, "mass": 7.0, "cluster": 8}
PLACE, SPEED = [1.0, 2.0, 3.5], [-4.0, 5.0, -6.0]


def sphere(dimensions: int) -> FileFrame:
    return FileFrame(
        np.array([PLACE[:dimensions]]), np.array([SPEED[:dimensions]]), np.array([0.5]), np.array([7.0]),
        np.array([8], np.int32), np.array([10.0, 20.0, 30.0])[:dimensions], False,
    )  # fmt: skip


def columns_of(path: Path) -> dict[str, float]:
    """The columns of the only disc in a file, by name."""
    *_, names, row = path.read_text().splitlines()
    if path.suffix == ".csv":
        return dict(zip(names.split(","), map(float, row.split(",")), strict=True))
    if path.suffix == ".dump":
        return dict(zip(names.split()[2:], map(float, row.split()), strict=True))
    parts = next(word for word in names.split() if word.startswith("Properties=")).removeprefix("Properties=")
    found, words = {}, row.split()
    for name, _, size in zip(*[iter(parts.split(":"))] * 3, strict=True):
        axes = {"pos": "xyz", "velo": ("vx", "vy", "vz"), "masses": ("mass",)}.get(name, (name,) * int(size))
        found |= dict(zip(axes, words[: int(size)], strict=True))
        words = words[int(size) :]
    return {name: float(word) for name, word in found.items() if name in VALUES}


@pytest.mark.parametrize("ending", [".csv", ".xyz", ".dump"])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_each_column_that_is_written_has_its_own_numbers(tmp_path: Path, ending: str, dimensions: int) -> None:
    path = tmp_path / f"t{ending}"
    write(path, sphere(dimensions))
    found = columns_of(path)
    for name, value in VALUES.items():
        if dimensions == 2 and name in ("z", "vz"):
            value = 0.0
        if name in found:
            assert found[name] == value, name
    if ending == ".csv":
        in_order = ("x", "y", "z", "vx", "vy", "vz", "radius", "cluster")
        assert list(found) == [name for name in in_order if dimensions == 3 or "z" not in name]
    assert {"x", "y", "vx", "vy", "radius", "cluster"} <= found.keys()
    assert {"z", "vz"} <= found.keys() or (ending, dimensions) == (".csv", 2)


@pytest.mark.parametrize("order", ["x y z vx vy vz radius", "vz radius z vx y vy x", "z y x vz vy vx radius"])
@pytest.mark.parametrize("ending", [".csv", ".dump", ".xyz"])
def test_columns_are_read_by_their_names(tmp_path: Path, ending: str, order: str) -> None:
    names = order.split()
    numbers = [str(VALUES[name]) for name in names]
    texts = {
        ".csv": f"{','.join(names)}\n{','.join(numbers)}\n",
        ".dump": dump_text(order, " ".join(numbers), bounds="0 10\n0 20\n0 30"),
        # the properties of extended XYZ have their axes in this order
        ".xyz": "1\nProperties=velo:R:3:radius:R:1:pos:R:3\n-4 5 -6 0.5 1 2 3.5\n",
    }
    (frame,) = read(put(tmp_path, f"t{ending}", texts[ending]))
    assert frame.positions.tolist() == [PLACE]
    assert frame.velocities.tolist() == [SPEED]
    assert frame.radii.tolist() == [0.5]
