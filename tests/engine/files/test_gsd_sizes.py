"""Sizes and shapes in GSD files of HOOMD: discs have their radii, and a notice names other shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gsd.fl
import gsd.hoomd
import numpy as np
import pytest

from engine.errors import InputError
from engine.files import open_trajectory, read

TYPES = [0, 1, 0, 2]
POLYGON = {"type": "Polygon", "rounding_radius": 0.0, "vertices": [[-1, 0], [1, 0], [0, 1]]}


def frame_with(*shapes: dict[str, Any], diameter: list[float] | None = None, step: int = 0) -> gsd.hoomd.Frame:
    """Four discs of the types A, B, A and C."""
    frame = gsd.hoomd.Frame()
    frame.configuration.step = step
    frame.configuration.box = [20.0, 20.0, 0.0, 0.0, 0.0, 0.0]
    frame.particles.N = 4
    frame.particles.types = ["A", "B", "C"]
    frame.particles.typeid = TYPES
    frame.particles.position = [[-6, 0, 0], [-2, 0, 0], [2, 0, 0], [6, 0, 0]]
    frame.particles.type_shapes = list(shapes) or None
    frame.particles.diameter = diameter
    return frame


def written(path: Path, *frames: gsd.hoomd.Frame, state: dict[str, list[float]] | None = None) -> Path:
    """A file with these frames; `state` is added to the first one, as a Monte Carlo simulation does."""
    with gsd.hoomd.open(str(path), "w") as file:
        file.extend(frames)
    if state is None:
        return path
    chunks: dict[str, Any] = {}
    with gsd.fl.open(str(path), "r") as file:
        for name in file.find_matching_chunk_names(""):
            chunks[name] = file.read_chunk(frame=0, name=name)
    chunks |= {f"state/hpmc/{name}": np.array(values, np.float32) for name, values in state.items()}
    with gsd.fl.open(str(path), "w", "hoomd", "hoomd", (1, 4)) as file:
        for name, values in chunks.items():
            file.write_chunk(name, values)
        file.end_frame()
        file.write_chunk("configuration/step", np.array([1], np.uint64))  # a second frame: nothing else has changed
        file.end_frame()
    return path


def told(path: Path) -> tuple[list[list[float]], str]:
    """The radii of each frame, and the notice."""
    with open_trajectory(path) as trajectory:
        return [frame.radii.tolist() for frame in trajectory if frame.radii is not None], trajectory.notice


def test_radii_of_a_monte_carlo_simulation_hold(tmp_path: Path) -> None:
    radii = {"sphere/radius": [0.25, 1.5, 0.75], "integrate/d": [0.1]}
    path = written(tmp_path / "a.gsd", frame_with(diameter=[0.5, 3.0, 0.5, 1.5]), state=radii)
    assert told(path) == ([[0.25, 1.5, 0.25, 0.75]] * 2, "")
    path = written(tmp_path / "b.gsd", frame_with(diameter=[9.0] * 4), state=radii)
    assert told(path) == (
        [[0.25, 1.5, 0.25, 0.75]] * 2,
        "the sizes in particles/diameter differ from those in state/hpmc, which are used",
    )


def test_spheres_for_pictures_have_sizes_which_may_change(tmp_path: Path) -> None:
    sizes = [{"type": "Sphere", "diameter": size} for size in (0.5, 3.0, 1.5)]
    larger = [{"type": "Sphere", "diameter": 2.0}, {}, {"type": "Ellipsoid", "a": 0.75, "b": 0.75, "c": 0.1}]
    path = written(tmp_path / "a.gsd", frame_with(*sizes), frame_with(*larger, step=1))
    assert told(path) == ([[0.25, 1.5, 0.25, 0.75], [1.0, 0.5, 1.0, 0.75]], "")
    path = written(tmp_path / "b.gsd", frame_with(*sizes, diameter=[1.0, 3.0, 0.75, 1.5]))
    assert told(path) == (
        [[0.5, 1.5, 0.375, 0.75]],  # the diameter of each disc
        "the sizes in particles/type_shapes differ from those in particles/diameter, which are used",
    )


def test_other_shapes_are_said(tmp_path: Path) -> None:
    sphere, ellipse = {"type": "Sphere", "diameter": 3.0}, {"type": "Ellipsoid", "a": 1.0, "b": 2.0, "c": 1.0}
    path = written(tmp_path / "a.gsd", frame_with(sphere, sphere, sphere), frame_with(POLYGON, sphere, ellipse, step=1))
    radii, notice = told(path)
    assert radii == [[1.5] * 4, [0.5, 1.5, 0.5, 0.5]]
    assert notice.startswith("it has shapes other than discs (Polygon, Ellipsoid); they are read as discs")
    state = {"convex_polygon/vertices": [[0.0, 0.0]] * 3, "convex_polygon/N": [3.0]}
    radii, notice = told(written(tmp_path / "b.gsd", frame_with(diameter=[2.0] * 4), state=state))
    assert radii == [[1.0] * 4] * 2
    assert notice.startswith("it has shapes other than discs (convex_polygon)")


def test_ellipses_of_a_simulation_are_discs_where_their_axes_are_equal(tmp_path: Path) -> None:
    axes = {"ellipsoid/a": [1.0, 2.0, 3.0], "ellipsoid/b": [1.0, 2.0, 3.0], "ellipsoid/c": [1.0, 1.0, 1.0]}
    assert told(written(tmp_path / "a.gsd", frame_with(), state=axes)) == ([[1.0, 2.0, 1.0, 3.0]] * 2, "")
    radii, notice = told(written(tmp_path / "b.gsd", frame_with(), state=axes | {"ellipsoid/b": [1.0, 1.0, 3.0]}))
    assert radii == [[1.0, 0.5, 1.0, 3.0]] * 2
    assert "(ellipsoid)" in notice


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"sphere/radius": [0.5, float("nan"), 1.0]}, "frame 0: state/hpmc/sphere/radius must have one number in each"),
        ({"sphere/radius": [0.5, -1.0, 1.0]}, "frame 0: the radius of disc 1 must be above 0, not -1"),
    ],
)
def test_sizes_that_are_none_are_refused(tmp_path: Path, state: dict[str, list[float]], words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(written(tmp_path / "a.gsd", frame_with(), state=state))


def test_a_shape_that_is_no_json_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "a.gsd", frame_with({"type": "Sphere", "diameter": 2.0}, {}, {}))
    path.write_bytes(path.read_bytes().replace(b'{"type": "Sphere"', b'{"type"; "Sphere"'))
    with pytest.raises(InputError, match="frame 0: particles/type_shapes does not say the shape of type 0 in JSON"):
        read(path)
