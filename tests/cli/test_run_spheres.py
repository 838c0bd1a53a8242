"""`aggviewer run` with spheres: the JSON, and what refuses three dimensions."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from engine.files import FileFrame, open_trajectory, read
from engine.hard_discs.theory import fluid_z
from tests.cli.conftest import Call, refused

SCENARIO = """format = 1
system = "hard-discs"
dimensions = 3
[discs]
count = 256
volume_fraction = 0.2
[box]
boundary = "periodic"
[velocities]
distribution = "maxwell"
[hard_discs]
equilibration = 5
"""


@pytest.fixture
def spheres(tmp_path: Path) -> Path:
    file = tmp_path / "spheres.toml"
    file.write_text(SCENARIO)
    return file


def test_a_gas_of_spheres_runs_from_a_file(call: Call, spheres: Path) -> None:
    done = call("run", spheres, "--until-events", "20000", "--json")
    assert (done.status, done.err) == (0, "")
    found = done.json
    assert (found["system"], found["dimensions"], found["count"]) == ("hard-discs", 3, 256)
    assert found["box"] == pytest.approx([256 ** (1 / 3)] * 3)
    assert found["volume_fraction"] == pytest.approx(0.2)
    assert found["compressibility"] == pytest.approx(float(fluid_z(0.2, 3)), rel=0.05)
    assert abs(found["energy_drift"]) < 1e-13
    indicators = found["indicators"]
    assert indicators["volume_fraction"] == pytest.approx(0.2)
    assert (len(indicators["contacts_histogram"]), indicators["fractal_dimension"]) == (13, None)
    assert indicators["mean_square_displacement"] > 0.0
    assert sum(indicators["speeds"]["component_temperatures"]) == pytest.approx(3.0 * found["temperature"])
    words = call("run", spheres, "--until-events", "200").out
    assert "256" in words


def test_a_run_is_written_read_and_carried_on(call: Call, spheres: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = call("run", spheres, "--until-time", "1", "--out", out, "--record", "--every", "0.25", "--json")
    assert done.status == 0
    state, (last,) = read(out / "final.csv"), read(out / "final.gsd")
    assert (out / "final.csv").read_text().startswith("x,y,z,vx,vy,vz,radius,cluster\n")
    assert np.array_equal(state[0].positions, last.positions)
    assert np.array_equal(state[0].velocities, last.velocities)
    assert last.box.tolist() == pytest.approx(done.json["box"])
    with open_trajectory(out / "trajectory.gsd") as recorded:
        assert recorded.times.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
        assert recorded[-1].positions.tolist() == last.positions.tolist()
        assert recorded[-1].fields["images"].shape == (256, 3)
    whole = call("run", spheres, "--until-time", "2", "--out", tmp_path / "whole", "--json").json
    ahead = call("run", out / "final.aggsession", "--until-time", "2", "--out", tmp_path / "ahead", "--json").json
    assert ahead["kinetic_energy"] == whole["kinetic_energy"]
    csv = [(folder / "final.csv").read_text() for folder in (tmp_path / "whole", tmp_path / "ahead")]
    assert csv[0] == csv[1]
    again = call("run", out / "scenario.toml", "--until-time", "1", "--json").json
    assert again["kinetic_energy"] == done.json["kinetic_energy"]
    measured = call("analyse", out / "final.gsd", "--json").json
    assert measured["dimensions"] == 3
    for name in ("pair_correlation", "structure_factor", "contacts_relative", "pair_distribution"):
        assert measured["indicators"].get(name) == done.json["indicators"].get(name) or name == "pair_correlation"
    assert call("analyse", out / "final.csv").status == 0
    begun = call("run", out / "final.gsd", "--until-events", "100", "--json").json
    assert (begun["system"], begun["dimensions"], begun["count"]) == ("hard-discs", 3, 256)
    assert begun["kinetic_energy"] == pytest.approx(last_energy(last), rel=1e-12)
    begun = call("run", out / "final.csv", "--until-time", "1e-9", "--json").json  # which holds no scenario
    assert (begun["system"], begun["dimensions"], begun["count"]) == ("aggregation", 3, 256)
    assert begun["kinetic_energy"] == pytest.approx(last_energy(last), rel=1e-12)


def last_energy(frame: FileFrame) -> float:
    return 0.5 * float((frame.masses[:, None] * frame.velocities**2).sum())


def test_overlaps_of_spheres_in_a_file_are_fixed(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "touching.csv"
    file.write_text("# box = 9 9 9 walls\nx,y,z,radius\n2,2,0.49,0.5\n2.5,2.6,1.1,0.5\n5,5,5,0.5\n5,5.4,5.9,0.5\n")
    assert "overlap" in refused(call("run", file, "--until-events", "0"))
    done = call("run", file, "--fix-overlaps", "--until-time", "0.1", "--json")
    assert done.status == 0
    assert done.json["max_overlap"] < 1e-9


def test_pictures_of_a_scenario_and_of_its_recording_are_the_same(call: Call, spheres: Path, tmp_path: Path) -> None:
    small = ("--size", "200x150", "--color-by", "radius", "--hide", "time")
    made, again = tmp_path / "a.png", tmp_path / "b.png"
    assert (
        call("run", spheres, "--until-time", "0.5", "--out", tmp_path / "out", "--record", "--every", "0.25").status
        == 0
    )
    assert call("render", spheres, "--until-time", "0.5", "--out", made, *small).status == 0
    assert call("render", tmp_path / "out" / "trajectory.gsd", "--out", again, *small).status == 0
    one, other = (np.asarray(Image.open(file).convert("RGB"), int) for file in (made, again))
    assert np.abs(one - other).max() <= 2, "files may have positions of single precision"
    assert len(np.unique(one.reshape(-1, 3), axis=0)) > 100, "spheres are lit"
    file = tmp_path / "turned.mp4"
    film = call(
        "render", spheres, "--until-time", "1e-9", "--length", "0.5", "--turn", "--size", "160x120", "--out", file
    )
    assert film.status == 0
    with av.open(str(file)) as opened:
        first, *_, opposite = [frame.to_ndarray(format="gray").astype(int) for frame in opened.decode(video=0)][:8]
    assert np.abs(first - opposite).mean() > 2.0, "nothing moves but the box"
    state = tmp_path / "state.csv"
    state.write_text("x,y,z,radius\n1,1,1,0.5\n3,2,1,0.5\n")
    film = call("render", state, "--turn", "--length", "0.5", "--size", "160x120", "--out", file, "--json")
    assert film.json["frames"] == 15, "a file with one state turns as well"
    flat = call("render", "lattice-100", "--turn", "--length", "1", "--out", file)
    assert "--turn is for spheres" in refused(flat)
