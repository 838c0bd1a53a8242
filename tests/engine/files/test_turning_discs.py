"""Discs that turn, in files: bit by bit in those of ours, as HOOMD and LAMMPS mean it in those of others."""

from __future__ import annotations

from pathlib import Path

import gsd.hoomd
import numpy as np
import pytest

import engine
from engine import InputError, Scenario
from engine.files import FileFrame, read, write
from engine.initial import initial_state, validate_state
from engine.state import moments_of_inertia
from engine.state_file import open_scenario
from tests.builders.file_frames import data_text, put, some_frames
from tests.engine.files.test_gsd_read import hoomd_file, hoomd_frame

TURNS = {"aggregation.rotation": True}


def turning_frames(number: int) -> list[FileFrame]:
    rng = np.random.default_rng(4)
    frames = some_frames(number)
    for frame in frames:
        frame.fields = {"angle": rng.uniform(-np.pi, np.pi, 7), "spin": rng.normal(size=7) * 1e3}
    return frames


@pytest.mark.parametrize("name", ["t.gsd", "t.xyz", "t.dump", "t.csv"])
def test_angles_and_spins_come_back_bit_by_bit(tmp_path: Path, name: str) -> None:
    frames = turning_frames(1 if name.endswith("csv") else 3)
    write(tmp_path / name, frames)
    for wanted, found in zip(frames, read(tmp_path / name), strict=True):
        for field in ("angle", "spin"):
            assert found.fields[field].tobytes() == wanted.fields[field].tobytes()


def test_other_programs_find_them_under_their_own_names(tmp_path: Path) -> None:
    (frame,) = turning_frames(1)
    assert frame.radii is not None
    assert frame.masses is not None
    angle, spin = frame.fields["angle"], frame.fields["spin"]
    write(tmp_path / "t.gsd", frame)
    with gsd.hoomd.open(str(tmp_path / "t.gsd")) as file:
        found = file[0].particles
    q, p = found.orientation.astype(float), found.angmom.astype(float)
    assert np.allclose(np.exp(1j * angle), (q[:, 0] + 1j * q[:, 3]) ** 2, atol=1e-6)
    assert not q[:, 1:3].any()
    # HOOMD: half of conj(q) p is the angular momentum in the frame of the particle
    momentum = 0.5 * (q[:, 0] * p[:, 3] - q[:, 3] * p[:, 0])
    assert np.allclose(found.moment_inertia[:, 2], moments_of_inertia(frame.masses, frame.radii))
    assert np.allclose(momentum / found.moment_inertia[:, 2], spin, rtol=1e-5)
    write(tmp_path / "t.dump", frame)
    names, *rows = (tmp_path / "t.dump").read_text().split("ITEM: ATOMS ")[1].splitlines()
    at = names.split().index("omegaz")
    assert [float(row.split()[at]) for row in rows] == spin.tolist()
    assert {row.split()[at - 1] for row in rows} == {"0.0"}
    write(tmp_path / "t.csv", frame)
    table = np.genfromtxt(tmp_path / "t.csv", delimiter=",", names=True)
    assert table.dtype.names[-2:] == ("angle", "spin")
    assert table["spin"].tolist() == spin.tolist()


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
        (np.zeros(39), "the spin of a state of 40 discs must be 40 numbers"),
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
