"""Discs that turn, in files: bit by bit in those of ours, as HOOMD and LAMMPS mean it in those of others."""

from __future__ import annotations

from pathlib import Path

import ase.io
import gsd.hoomd
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import engine
from engine import InputError, Scenario
from engine.files import FileFrame, read, write
from engine.initial import initial_state, validate_state
from engine.state import moments_of_inertia
from engine.state_file import open_scenario
from tests.builders.file_frames import data_text, put, some_frames
from tests.engine.files.test_gsd_read import hoomd_file, hoomd_frame

TURNS = {"aggregation.rotation": True}


def turning_frames(number: int, dimensions: int = 2) -> list[FileFrame]:
    rng = np.random.default_rng(4)
    frames = some_frames(number, dimensions=dimensions)
    for frame in frames:
        if dimensions == 2:
            frame.fields = {"angle": rng.uniform(-np.pi, np.pi, 7), "spin": rng.normal(size=7) * 1e3}
        else:
            turned = rng.normal(size=(7, 4))
            turned /= np.linalg.norm(turned, axis=1, keepdims=True)
            frame.fields = {"orientation": turned, "spin": rng.normal(size=(7, 3)) * 1e3}
    return frames


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("name", ["t.gsd", "t.xyz", "t.dump", "t.csv"])
def test_angles_orientations_and_spins_come_back_bit_by_bit(tmp_path: Path, name: str, dimensions: int) -> None:
    frames = turning_frames(1 if name.endswith("csv") else 3, dimensions)
    write(tmp_path / name, frames)
    for wanted, found in zip(frames, read(tmp_path / name), strict=True):
        assert found.fields.keys() == wanted.fields.keys()
        for field, values in wanted.fields.items():
            assert found.fields[field].tobytes() == values.tobytes()


def turned(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors (N, 3) in the frames of bodies along the axes of the box, by matrices. quaternions : (N, 4), w first."""
    return Rotation.from_quat(quaternions, scalar_first=True).apply(vectors)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_other_programs_find_them_under_their_own_names(tmp_path: Path, dimensions: int) -> None:
    (frame,) = turning_frames(1, dimensions)
    assert frame.radii is not None
    assert frame.masses is not None
    spin = frame.fields["spin"]
    if dimensions == 2:
        half = 0.5 * frame.fields["angle"]
        wanted = np.column_stack([np.cos(half), 0 * half, 0 * half, np.sin(half)])
        about = np.column_stack([0 * spin, 0 * spin, spin])
    else:
        wanted, about = frame.fields["orientation"], spin
    write(tmp_path / "t.gsd", frame)
    with gsd.hoomd.open(str(tmp_path / "t.gsd")) as file:
        found = file[0].particles
    q, p, inertia = (values.astype(float) for values in (found.orientation, found.angmom, found.moment_inertia))
    assert np.allclose(q, wanted, atol=1e-6)
    # HOOMD: half of conj(q) p is the angular momentum in the frame of the particle
    own = 0.5 * (q[:, :1] * p[:, 1:] - p[:, :1] * q[:, 1:] - np.cross(q[:, 1:], p[:, 1:]))
    moments = moments_of_inertia(frame.masses, frame.radii, dimensions)
    assert np.allclose(inertia, moments[:, None] * ([0, 0, 1] if dimensions == 2 else [1, 1, 1]))
    assert np.allclose(turned(q, own) / moments[:, None], about, rtol=1e-4, atol=0.1)
    write(tmp_path / "t.dump", frame)
    names, *rows = (tmp_path / "t.dump").read_text().split("ITEM: ATOMS ")[1].splitlines()
    dumped = dict(zip(names.split(), np.array([row.split() for row in rows], float).T, strict=True))
    write(tmp_path / "t.csv", frame)
    table = np.genfromtxt(tmp_path / "t.csv", delimiter=",", names=True)
    write(tmp_path / "t.xyz", frame)
    atoms = ase.io.read(tmp_path / "t.xyz", format="extxyz")
    assert np.column_stack([dumped[f"omega{axis}"] for axis in "xyz"]).tolist() == about.tolist()
    assert atoms.arrays["omega"].tolist() == about.tolist()
    if dimensions == 2:
        assert table.dtype.names[-2:] == ("angle", "spin")
        assert table["spin"].tolist() == spin.tolist()
        assert dumped["angle"].tolist() == atoms.arrays["angle"].tolist() == frame.fields["angle"].tolist()
        return
    for there in (dumped, table):
        assert np.column_stack([there[f"omega{axis}"] for axis in "xyz"]).tolist() == spin.tolist()
        assert np.column_stack([there[f"quat{part}"] for part in "wijk"]).tolist() == wanted.tolist()
    assert np.roll(atoms.arrays["orientation"], 1, axis=1).tolist() == wanted.tolist()  # as OVITO has it: w last


def test_what_hoomd_and_lammps_say_of_turning_is_read(tmp_path: Path) -> None:
    frame = hoomd_frame()
    half = np.array([0.1, -0.7, 1.5, 3.0])
    frame.particles.orientation = np.column_stack([np.cos(half), 0 * half, 0 * half, np.sin(half)])
    momentum = np.array([1.0, -2.0, 3.0, 4.0])
    frame.particles.angmom = (
        2.0 * momentum[:, None] * np.column_stack([-np.sin(half), 0 * half, 0 * half, np.cos(half)])
    )
    frame.particles.moment_inertia = [[0, 0, 2.0]] * 3 + [[0, 0, 0]]
    (found,) = read(hoomd_file(tmp_path / "h.gsd", frame))
    assert np.allclose(found.fields["angle"], [0.2, -1.4, 3.0, 6.0 - 2.0 * np.pi], atol=1e-6)
    assert np.allclose(found.fields["spin"], [0.5, -1.0, 1.5, 0.0], atol=1e-6)  # HOOMD does not turn the last one
    text = data_text(" # sphere\n\n1 1 0.5 1 1 1 0\n2 1 0.5 1 3 3 0\n\nVelocities\n\n1 1 2 0 0 0 7\n2 3 4 0 0 0 -8\n")
    (found,) = read(put(tmp_path, "t.data", text))
    assert found.fields["spin"].tolist() == [7.0, -8.0]
    (found,) = read(put(tmp_path, "s.data", text), dimensions=3)
    assert found.fields["spin"].tolist() == [[0.0, 0.0, 7.0], [0.0, 0.0, -8.0]]


def test_what_hoomd_says_of_bodies_that_turn_in_space_is_read(tmp_path: Path) -> None:
    """Also of those whose moments of inertia differ, and of those that have none about an axis."""
    rng = np.random.default_rng(1)
    frame = hoomd_frame()
    frame.configuration.dimensions, frame.configuration.box = 3, [10, 8, 6, 0, 0, 0]
    q = rng.normal(size=(4, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    own, inertia = (
        rng.normal(size=(4, 3)),
        np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0], [2.0, 2.0, 0.0], [0.0, 0.0, 0.0]]),
    )
    momentum = inertia * own
    # p = 2 q (0, L), by the matrix of the product
    w, x, y, z = q.T
    times = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]).transpose(2, 0, 1)
    frame.particles.orientation, frame.particles.moment_inertia = q, inertia
    frame.particles.angmom = 2.0 * np.einsum("nij,nj->ni", times, np.column_stack([np.zeros(4), momentum]))
    (found,) = read(hoomd_file(tmp_path / "h.gsd", frame))
    assert found.fields.keys() == {"orientation", "spin"}
    assert np.allclose(found.fields["orientation"], q, atol=1e-6)
    assert np.allclose(found.fields["spin"], turned(q, np.where(inertia > 0.0, own, 0.0)), atol=1e-5)


@pytest.mark.parametrize(
    ("orientation", "words"),
    [
        ([0, 0, 0, 0], "the orientation of disc 2 must be a unit quaternion, not one of length 0"),
        ([2, 0, 0, 0], "the orientation of disc 2 must be a unit quaternion, not one of length 2"),
        ([np.nan, 0, 0, 0], "the orientation of disc 2 must be a unit quaternion, not one of length nan"),
        ([0.8, 0.6, 0, 0], "the orientation of disc 2 is not a rotation in the plane"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_orientations_that_are_none_are_refused(tmp_path: Path, orientation: list[float], words: str) -> None:
    frame = hoomd_frame()
    frame.particles.orientation = np.array([[1, 0, 0, 0]] * 4, np.float32)
    frame.particles.orientation[2] = orientation
    with pytest.raises(InputError, match=f"frame 0: {words}"):
        read(hoomd_file(tmp_path / "h.gsd", frame))


@pytest.mark.parametrize(
    ("name", "words"),
    [("t.csv", "line 3: spin must be a finite number, not inf"), ("t.gsd", "frame 0: the spin of disc 1 is not a fin")],
)
def test_spins_that_are_no_numbers_are_refused(tmp_path: Path, name: str, words: str) -> None:
    (frame,) = turning_frames(1)
    frame.fields["spin"][1] = np.inf
    write(tmp_path / name, frame)
    with pytest.raises(InputError, match=words):
        read(tmp_path / name)


@pytest.mark.parametrize("name", ["t.gsd", "t.xyz", "t.dump", "t.csv"])
def test_an_orientation_in_space_that_is_no_unit_quaternion_is_refused_in_every_format(
    tmp_path: Path, name: str
) -> None:
    (frame,) = turning_frames(1, 3)
    frame.fields["orientation"][3] *= 2.0
    write(tmp_path / name, frame)
    with pytest.raises(InputError, match="the orientation of disc 3 must be a unit quaternion, not one of length 2"):
        read(tmp_path / name)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("x,y,quatw,quati,quatj,quatk", "quati needs a column z"),
        ("x,y,omegax", "omegax needs a column z"),
        ("x,y,z,quatw,quati,quatj", "quati, quatj, quatk and quatw go together"),
        ("x,y,z,omegaz", "omegax, omegay and omegaz go together"),
    ],
)
def test_columns_of_bodies_that_turn_in_space_go_together(tmp_path: Path, header: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(put(tmp_path, "t.csv", f"{header}\n{','.join('1' for _ in header.split(','))}\n"))


@pytest.mark.parametrize("boundary", ["walls", "periodic"])
@pytest.mark.parametrize("name", ["t.gsd", "t.csv"])
def test_a_run_goes_on_from_its_file(tmp_path: Path, name: str, boundary: str) -> None:
    thermal = {"velocities.spin": "thermal", "discs.count": 40, "box.boundary": boundary, "discs.volume_fraction": 0.2}
    first = engine.create(Scenario().with_values(TURNS | thermal))
    first.advance(until_clusters=20)
    write(tmp_path / name, first)
    scenario = open_scenario(tmp_path / name).with_values(TURNS)
    again, wanted = engine.create(scenario).frame(), first.frame()
    for field in ("angle", "spin"):
        np.testing.assert_allclose(again.fields[field], wanted.fields[field], rtol=0.0, atol=1e-13)
    assert again.kinetic_energy == pytest.approx(wanted.kinetic_energy, rel=1e-12)
    assert initial_state(scenario.with_values({"aggregation.rotation": False, "velocities.spin": 0.0})).spin is None
    if name == "t.gsd":
        drawn = initial_state(scenario.with_values({"velocities.distribution": "circle", "velocities.spin": 2.0}))
        assert (drawn.spin == 2.0).all(), "spins of a file come with its velocities"


@pytest.mark.parametrize(
    ("spin", "words"),
    [
        (np.zeros(39), "do not fit together: spin is of shape"),
        (np.full(40, np.nan), "the spin of disc 0 is not a finite number"),
        (np.full(40, 1e16), "disc 0 turns faster than 1e"),
    ],
)
def test_a_state_with_other_spins_cannot_start(spin: np.ndarray, words: str) -> None:
    state = initial_state(Scenario().with_values(TURNS | {"discs.count": 40}))
    validate_state(state)
    state.spin = spin
    with pytest.raises(InputError, match=words):
        validate_state(state)
    state.spin, state.orientation = None, np.zeros((40, 4))
    with pytest.raises(InputError, match="do not fit together: orientation is of shape"):
        validate_state(state)  # in the plane
