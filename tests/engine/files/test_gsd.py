"""States as GSD, read back with the gsd package as other programs do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import gsd.hoomd
import numpy as np
import pytest

from engine.boundary import Periodic
from engine.errors import InputError
from engine.files import FileFrame, read, write
from engine.scenario import Scenario
from engine.state import masses_of


def frame_at(time: float) -> FileFrame:
    rng = np.random.default_rng(3)
    radii = rng.uniform(0.1, 0.2, 7)
    return FileFrame(
        positions=rng.uniform(0.0, 1.0, (7, 2)) * [8.0, 6.0] + time,
        velocities=rng.normal(size=(7, 2)),
        radii=radii,
        masses=masses_of(radii),
        cluster=np.arange(7, dtype=np.int32) // 2,
        box=np.array([10.0, 8.0]),
        periodic=True,
        time=time,
        scenario=Scenario().to_toml(),
    )


def test_gsd_follows_hoomds_schema_and_keeps_the_exact_state(tmp_path: Path) -> None:
    path = tmp_path / "t.gsd"
    frames = [frame_at(0.0), frame_at(0.5)]
    write(path, frames)
    with gsd.hoomd.open(str(path)) as file:
        assert len(file) == 2
        for wanted, found in zip(frames, file, strict=True):
            assert found.configuration.dimensions == 2
            assert found.configuration.box.tolist() == [10.0, 8.0, 0.0, 0.0, 0.0, 0.0]
            assert np.allclose(found.particles.position[:, :2], wanted.positions - wanted.box / 2, atol=1e-6)
            assert not found.particles.position[:, 2].any()
            assert np.allclose(found.particles.diameter, 2 * wanted.radii)
            assert np.allclose(found.particles.mass, wanted.masses)
            assert np.array_equal(found.log["particles/position"], wanted.positions)
            assert np.array_equal(found.log["particles/velocity"], wanted.velocities)
            assert np.array_equal(found.log["particles/radius"], wanted.radii)
            assert np.array_equal(found.log["particles/cluster"], wanted.cluster)
            assert found.log["time"].tolist() == [wanted.time]
            assert found.log["periodic"].tolist() == [1]
        text = bytes(file[0].log["scenario"]).decode()
        assert Scenario.from_toml(text) == Scenario()


def test_a_channel_is_said_for_each_axis_and_what_fits_neither_is_refused(tmp_path: Path) -> None:
    """HOOMD has no walls: to other programs the box is periodic, and ours says what it is in the log."""
    path, channel = tmp_path / "t.gsd", Periodic((False, True))
    write(path, [replace(frame_at(0.0), periodic=channel), replace(frame_at(0.5), periodic=channel)])
    with gsd.hoomd.open(str(path)) as file:
        assert [frame.log["periodic"].tolist() for frame in file] == [[0, 1]] * 2
    assert [frame.periodic for frame in read(path)] == [channel] * 2
    with gsd.hoomd.open(str(path), "w") as file:
        frame = gsd.hoomd.Frame()
        frame.particles.N, frame.particles.position = 1, [[1, 0, 0]]
        frame.configuration.box = [4, 4, 4, 0, 0, 0]
        frame.log["periodic"] = np.array([1, 0], np.uint8)
        file.append(frame)
    with pytest.raises(InputError, match="log/periodic must be one number, or 3"):
        read(path)
