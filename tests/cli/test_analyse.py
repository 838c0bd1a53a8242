"""`aggviewer analyse`: the indicators of a CSV state."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.analysis import contact_counts
from engine.files import write
from tests.builders.file_frames import data_text, dump_text, some_frames
from tests.builders.states import gas
from tests.cli.conftest import JAM, Call, refused, settings


def test_json_of_a_state(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(
        "# box = 10 8 walls\nx,y,vx,vy,radius,cluster\n1,1,1,0,0.5,0\n2,1,1,0,0.5,0\n5,5,0,2,0.5,2\n", encoding="utf-8"
    )
    found = call("analyse", path, "--json").json
    assert found["count"] == 3
    assert found["clusters"] == 2
    assert found["kinetic_energy"] == 0.5 * (1 + 1 + 4)
    assert found["max_overlap"] == 0.0
    assert found["box"] == [10.0, 8.0]
    assert found["indicators"]["cluster_sizes"] == {"1": 1, "2": 1}
    assert found["indicators"]["contacts_histogram"][:2] == [1, 2]
    for key in ("system", "method", "seed", "events", "wall_s", "stop_reason", "momentum_error"):
        assert found[key] is None


def test_a_state_that_flows_is_measured_with_its_images_and_relative_to_the_flow(call: Call, tmp_path: Path) -> None:
    run = gas(60, 0.5, shear__rate=3.0)
    run.advance(0.9)
    write(tmp_path / "t.gsd", run)
    found = call("analyse", tmp_path / "t.gsd", "--json").json
    assert found["max_overlap"] < 1e-9
    assert found["kinetic_energy"] == pytest.approx(run.frame().kinetic_energy)
    contacts = contact_counts(run.frame().positions, run.radii, run.box, periodic=run.frame().around(run))
    assert found["indicators"]["contacts_histogram"] == np.bincount(contacts, minlength=7).tolist()
    assert found["indicators"]["aspect_ratio"] is None, "clusters are not followed past images that flow"


def test_a_state_may_overlap_and_lack_velocities(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("x,y,radius\n1,1,0.5\n1.5,1,0.5\n", encoding="utf-8")
    found = call("analyse", path, "--json").json
    assert found["max_overlap"] == 0.5
    assert found["kinetic_energy"] is None
    assert found["clusters"] is None
    assert found["indicators"]["cluster_sizes"] is None
    assert "relative contacts N_c" in call("analyse", path).out


def test_a_dimension_that_depends_on_the_mesh_is_told(call: Call, tmp_path: Path) -> None:
    for side, told in ((64, ""), (100, "the minimum cover does not, and gives 2")):
        path = tmp_path / f"{side}.csv"
        rows = "\n".join(f"{x + 0.5},{y + 0.5},0.5" for x in range(64) for y in range(64))
        path.write_text(f"# box = {side} {side} walls\nx,y,radius\n{rows}\n", encoding="utf-8")
        found = call("analyse", path, "--json")
        assert found.json["indicators"]["minimum_cover_dimension"] == pytest.approx(2.0)
        assert (told in found.err) if told else not found.err


def test_a_file_without_radii_or_the_asked_frame_is_not_analysed(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("x,y\n1,1\n", encoding="utf-8")
    assert refused(call("analyse", path)) == f"aggviewer: {path} has no radii, which the indicators need\n"
    path.write_text("x,y,radius\n1,1,0.5\n", encoding="utf-8")
    message = refused(call("analyse", path, "--frame", "1"))
    assert message == f"aggviewer: {path} has no frame 1; its frames are 0 to 0\n"
    assert call("analyse", path, "--frame", "0").status == 0


@pytest.mark.parametrize("name", ["t.gsd", "t.xyz", "t.dump"])
def test_a_frame_of_a_trajectory(call: Call, tmp_path: Path, name: str) -> None:
    frames = some_frames(3)
    path = tmp_path / name
    write(path, frames, times=True)
    done = call("analyse", path, "--json")
    assert done.err == ""
    assert done.json["count"] == 7
    assert done.json["sim_time"] == frames[2].time
    assert done.json["boundary"] == "periodic"
    assert done.json["box"] == [7.1, 5.3]
    assert call("analyse", path, "--frame", "1", "--json").json["sim_time"] == frames[1].time
    assert call("analyse", path, "--frame", "-3", "--json").json["sim_time"] == frames[0].time
    done = call("analyse", path, "--frame", "3")
    assert (done.status, done.err) == (2, f"aggviewer: {path} has no frame 3; its frames are 0 to 2\n")


def test_a_recording_that_is_cut_off_is_told(call: Call, tmp_path: Path) -> None:
    """By every command that reads it, in one line."""
    path = tmp_path / "t.gsd"
    frames = some_frames(3)
    for frame in frames:
        frame.positions = np.array([[k + 0.5, 0.5] for k in range(7)])
        frame.box = np.array([8.0, 8.0])
    write(path, frames)
    path.write_bytes(path.read_bytes()[:-10])
    told = f"aggviewer: {path}: the file is cut off; everything after frame 1 is left out\n"
    done = call("analyse", path, "--json")
    assert (done.status, done.err) == (0, told)
    assert done.json["sim_time"] == 0.1
    done = call("run", path, "--until-events", "1", "--json")
    assert (done.status, done.err) == (0, told)
    done = call("render", path, "--out", tmp_path / "t.png", "--size", "64x64")
    assert (done.status, done.err) == (0, told)
    scenario = tmp_path / "s.toml"  # also where a scenario names the file
    scenario.write_text('[discs]\narrangement = "file"\nfile = "t.gsd"\n', encoding="utf-8")
    done = call("run", scenario, "--until-events", "1")
    assert (done.status, done.err) == (0, told)


def test_several_packings_are_pooled(call: Call, tmp_path: Path) -> None:
    found = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        assert call("run", "lattice-100", *JAM, "--set", f"seed={seed}", "--out", out).status == 0
        found.append(call("analyse", out / "final.gsd", "--json").json)
    files = [tmp_path / seed / "final.gsd" for seed in ("1", "2")]
    pooled = call("analyse", *files, "--json").json
    assert set(pooled) == set(found[0])
    assert pooled["count"] == 200
    packing = pooled["indicators"]["packing"]
    assert packing["packings"] == 2
    for name in ("extended_forces", "buckler_forces", "gaps"):
        counts = [one["indicators"]["packing"][name]["count"] for one in found]
        assert packing[name]["count"] == sum(counts)
    text = call("analyse", *files)
    assert text.status == 0
    assert "gaps γ" in text.out
    state = tmp_path / "s.csv"
    state.write_text("x,y,radius\n1,1,0.5\n", encoding="utf-8")
    assert f"{state} has no contacts with forces" in refused(call("analyse", files[0], state))


FAR = {  # two discs or spheres of which the centre of the second is outside of walls
    ".csv": "# box = 4 4 walls\nx,y,radius\n1,1,0.5\n{},3,0.5\n",
    ".xyz": '2\nLattice="4 0 0 0 4 0 0 0 4" pbc="F F F" Properties=pos:R:3:radius:R:1\n1 1 1 0.5\n{} 3 2 0.5\n',
    ".dump": dump_text("x y radius", "1 1 0.5", "{} 3 0.5", bounds="0 4\n0 4\n-0.5 0.5", about=" ff ff pp"),
    ".data": data_text(" # sphere\n\n1 1 1 1 1 1 1\n2 1 1 1 {} 3 2\n", bounds="0 4 xlo xhi\n0 4 ylo yhi\n0 4 zlo zhi"),
}


@pytest.mark.parametrize("ending", FAR)
def test_a_centre_outside_of_walls_is_refused(call: Call, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"s{ending}"
    path.write_text(FAR[ending].format(-0.25), encoding="utf-8")
    message = refused(call("analyse", path))
    assert f"{path}: the centre of disc 1 at (-0.25, 3" in message
    assert "is not inside the box of 4 x 4" in message
    assert ("nothing says that the box is periodic" in message) is (ending == ".data")
    assert refused(call("run", path, "--until-events", "1"))
    path.write_text(FAR[ending].format(3.75), encoding="utf-8")  # it reaches beyond the wall by half of its radius
    assert call("analyse", path, "--json").json["max_overlap"] == 0.5


OPEN = "2\nProperties=pos:R:3:radius:R:1\n1 1 0 0.5\n3 3 0 0.5\n"


def test_missing_values_of_a_file_are_reported_and_can_be_given(call: Call, tmp_path: Path) -> None:
    path, out = tmp_path / "s.xyz", tmp_path / "s.png"
    path.write_text(OPEN.replace("2\nP", '2\nLattice="4 0 0 0 4 0 0 0 4" P'))
    plane = f"aggviewer: {path}: all z are 0, which is read as discs in the plane; dimensions = 3 (--set "
    space = f"aggviewer: {path}: all z are 0, which is read as spheres, as dimensions = 3 says\n"
    asked = settings("dimensions=3")
    for command, options in (
        ("analyse", ("--json",)),
        ("run", ("--until-time", "0", "--json")),
        ("render", ("--out", out, "--size", "64x64")),
    ):
        done = call(command, path, *options)
        assert done.status == 0
        assert done.err.startswith(plane)
        found = call(command, path, *options, *asked)
        assert (found.status, found.err) == (0, space)
        if "--json" in options:
            assert (len(done.json["box"]), len(found.json["box"])) == (2, 3)
    assert "--set of analyse takes only dimensions" in refused(call("analyse", path, *settings("seed=1")))
    assert "dimensions must be 2 or 3, not 4" in refused(call("analyse", path, *settings("dimensions=4")))


@pytest.mark.parametrize(("ending", "dimensions"), [(".csv", 3), (".gsd", 2)])
def test_dimensions_given_by_a_file_cannot_be_replaced(
    call: Call, tmp_path: Path, ending: str, dimensions: int
) -> None:
    path, out = tmp_path / f"s{ending}", tmp_path / "s.png"
    write(path, some_frames(1, dimensions=dimensions))
    words = f"dimensions must be {dimensions} for {path}, not {5 - dimensions}"
    for command in (("analyse", path), ("run", path, "--until-time", "0"), ("render", path, "--out", out)):
        assert words in refused(call(*command, *settings(f"dimensions={5 - dimensions}")))
