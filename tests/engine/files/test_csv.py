"""States as CSV: bit-exact both ways, read by others, refused with the line where they are wrong."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from engine import __version__
from engine.boundary import Periodic
from engine.errors import InputError
from engine.files import FileFrame, open_trajectory, read, write
from engine.files.csv_format import metadata_path
from engine.geometry.nearest import wrapped
from engine.initial import initial_state
from engine.scenario import Scenario, load_scenario
from engine.state_file import open_scenario
from tests.builders.boxes import EVERY
from tests.builders.file_frames import put

finite = st.floats(-1e15, 1e15)
COLUMNS = "x,y,vx,vy,radius,cluster"


@settings(max_examples=40)
@given(st.data())
def test_round_trip_is_bit_exact(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 20))
    pairs = hnp.arrays(np.float64, (count, 2), elements=finite)
    frame = FileFrame(
        positions=data.draw(pairs),
        velocities=data.draw(pairs),
        radii=data.draw(hnp.arrays(np.float64, count, elements=st.floats(1e-3, 1e15))),
        cluster=data.draw(hnp.arrays(np.int32, count)),
        box=np.array([data.draw(st.floats(1e-3, 1e4)), 2.5]),
        periodic=data.draw(st.sampled_from(EVERY[2])),
        time=data.draw(st.floats(0.0, 1e300)),
    )
    path = tmp_path_factory.getbasetemp() / "exact.csv"
    write(path, frame)
    (again,) = read(path)
    frame.positions = wrapped(frame.positions, frame.box, frame.periodic)
    for name in ("positions", "velocities", "radii", "cluster", "box"):
        assert getattr(again, name).tobytes() == getattr(frame, name).tobytes(), name
        assert getattr(again, name).dtype == getattr(frame, name).dtype
    assert again.periodic == frame.periodic
    assert again.time == frame.time


def some() -> FileFrame:
    return FileFrame(
        positions=np.array([[1.0, 1.0], [0.1 + 0.2, 3.0]]),
        velocities=np.array([[1.0, -1e-300], [0.0, -0.0]]),
        radii=np.array([0.25, 1 / 3]),
        cluster=np.array([1, 1], np.int32),
        box=np.array([4.0, 5.0]),
        periodic=True,
    )


def test_other_programs_read_it(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    write(path, some())
    text = path.read_text(encoding="utf-8")
    assert text.splitlines()[0] == COLUMNS
    assert "#" not in text
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert float(rows[1]["x"]) == 0.1 + 0.2
    table = np.genfromtxt(path, delimiter=",", names=True)
    assert table["radius"][1] == 1 / 3
    assert np.loadtxt(path, delimiter=",", skiprows=1).shape == (2, 6)


def test_columns_in_any_order_with_gaps_filled(tmp_path: Path) -> None:
    (frame,) = read(put(tmp_path, "s.csv", '\ufeff# made by hand\n "y" , x\r\n\r\n1, 2\r\n3, 4 # here\r\n'))
    assert frame.positions.tolist() == [[2.0, 1.0], [4.0, 3.0]]
    assert frame.velocities is None
    assert frame.radii is None
    assert frame.cluster is None
    assert frame.box is None


@pytest.mark.parametrize(
    ("comment", "box", "periodic"),
    [
        ("# box = 4 5 periodic", [4.0, 5.0], Periodic((True, True))),
        ("#box=4 walls", [4.0, 4.0], Periodic((False, False))),
        ("# box = 4 5 periodic walls", [4.0, 5.0], Periodic((True, False))),
        ("#BOX: 4, 5, Walls, Periodic", [4.0, 5.0], Periodic((False, True))),
        ("# box 4 x 5 periodic periodic", [4.0, 5.0], Periodic((True, True))),
        ("# box = 4 5", [4.0, 5.0], None),
    ],
)
@pytest.mark.parametrize("place", ["{c}\nx,y\n1,2\n", "x,y\n{c}\n1,2\n", "x,y\n1,2\n{c}\n", "x,y\n1,2\n{c}"])
def test_a_comment_says_the_box(
    tmp_path: Path, comment: str, box: list[float], periodic: Periodic | None, place: str
) -> None:
    (frame,) = read(put(tmp_path, "s.csv", place.format(c=comment)))
    assert frame.box.tolist() == box
    assert frame.periodic == periodic


SPREADSHEETS = [
    ("X;Y;Radius\r\n1,5;2,25;0,5\r\n3;4;1e-1\r\n", "German Excel"),
    ("\ufeffsep=;\nx;y;radius;;\n1,5;2,25;0,5;;\n;;;;\n3;4;0,1;;\n", "empty columns and rows"),
    ("x\ty\tradius\n1,5\t2,25\t0,5\n3\t4\t0,1\n", "tabs"),
    ('"sep=;"\n"x";"y";"radius"\n"1.5";"2.25";"0.5"\n"3";"4";"0.1"\n', "quotes"),
    ("x,y,radius,\n1.5,2.25,0.5,\n,,,\n3,4,0.1,\n", "English Excel"),
    ('"# box = 9 9 walls",,\nx,y,radius\n"1.5",2.25,0.5\n3,4,"0.1"\n', "a comment in quotes"),
    (" y | x | radius \n2.25|1.5|0.5\n4|3|0.1\n", "bars"),
]


@pytest.mark.parametrize("text", [text for text, _ in SPREADSHEETS], ids=[name for _, name in SPREADSHEETS])
def test_tables_written_by_spreadsheets_are_read(tmp_path: Path, text: str) -> None:
    with open_trajectory(put(tmp_path, "s.csv", text)) as found:
        assert found.notice == ""
        frame = found[0]
    assert frame.positions.tolist() == [[1.5, 2.25], [3.0, 4.0]]
    assert frame.radii.tolist() == [0.5, 0.1]


@pytest.mark.parametrize(
    "comment",
    [
        "# Box = 4 5 Periodic",
        "#BOX: 4, 5, periodic",
        "## box 4 x 5 periodic",
        '"# box = 4 5 periodic";;',
        "# box = 4;5;",
    ],
)
def test_the_comment_with_the_box_may_be_written_in_other_ways(tmp_path: Path, comment: str) -> None:
    with open_trajectory(put(tmp_path, "s.csv", f"x,y\n1,2\n{comment}\n")) as found:
        assert found.notice == ""
        frame = found[0]
    assert frame.box.tolist() == [4.0, 5.0]
    assert frame.periodic == (Periodic((True, True)) if "eriodic" in comment else None)


def test_comments_that_are_not_understood_are_said(tmp_path: Path) -> None:
    text = "# made by hand: no key\n# Bxo = 4 5 walls\n# time step = 3\nx,y\n1,2\n"
    with open_trajectory(put(tmp_path, "s.csv", text)) as found:
        assert found.notice == (
            'its comments "# Bxo = …", "# time step = …" are not understood; '
            'the only one allowed is "# box = 50 50 walls"'
        )
        assert found[0].box is None


@pytest.mark.parametrize("boundary", ['["periodic"]', '["periodic", "walls", "walls"]', '["periodic", "open"]', "7"])
def test_a_boundary_beside_it_that_is_none_is_refused(tmp_path: Path, boundary: str) -> None:
    frame = replace(some(), periodic=Periodic((True, False)))
    write(tmp_path / "s.csv", frame)
    beside = tmp_path / "s.csv-metadata.json"
    about = json.loads(beside.read_text())
    assert about["aggviewer:boundary"] == ["periodic", "walls"]
    beside.write_text(json.dumps(about | {"aggviewer:boundary": json.loads(boundary)}))
    with pytest.raises(InputError, match=r"does not give the box of s.csv; remove or correct it"):
        read(tmp_path / "s.csv")


def test_a_state_without_a_box_forgets_that_of_an_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    write(path, some())
    frame = some()
    frame.scenario = "seed = 5\n"
    write(path, frame)
    about = json.loads(metadata_path(path).read_text())
    assert (about["aggviewer:version"], about["aggviewer:scenario"]) == (__version__, "seed = 5\n")
    frame.box = None
    write(path, frame)
    assert read(path)[0].box is None


def from_file(tmp_path: Path, text: str, rest: str = "") -> Scenario:
    put(tmp_path, "s.csv", text)
    path = tmp_path / "s.toml"
    path.write_text(rest.format(file='arrangement = "file"\nfile = "s.csv"'), encoding="utf-8")
    return load_scenario(path)


STATE = "x,y,vx,vy,radius,cluster\n1,1,3,4,0.5,7\n2,1,3,4,0.5,7\n3,3,0,1,0.25,2\n"


def test_a_scenario_starts_from_a_file(tmp_path: Path) -> None:
    scenario = from_file(
        tmp_path, STATE, '[discs]\n{file}\n[velocities]\ndistribution = "file"\n[box]\nsize = [4, 5]\n'
    )
    state = initial_state(scenario)
    assert state.positions.tolist() == [[1, 1], [2, 1], [3, 3]]
    assert state.velocities.tolist() == [[3, 4], [3, 4], [0, 1]]
    assert state.radii.tolist() == [0.5, 0.5, 0.25]
    assert np.allclose(state.masses, [4 / 3, 4 / 3, 1 / 3])
    assert state.cluster.tolist() == [7, 7, 2]
    assert state.box.tolist() == [4.0, 5.0]


def test_columns_missing_in_a_table_come_from_the_scenario(tmp_path: Path) -> None:
    scenario = from_file(tmp_path, "x,y\n1,1\n3,3\n", "[discs]\n{file}\nvolume_fraction = 0.1\n[box]\nsize = 4\n")
    state = initial_state(scenario)
    assert math.pi * (state.radii**2).sum() == pytest.approx(1.6)
    assert np.allclose(np.hypot(*state.velocities.T), 1.0)
    assert state.cluster.tolist() == [0, 1]


def test_a_box_that_nobody_says_is_the_smallest_square(tmp_path: Path) -> None:
    assert initial_state(from_file(tmp_path, STATE, "[discs]\n{file}\n")).box.tolist() == [3.25, 3.25]
    for text, rest in ((STATE.replace("1,1", "0,1"), ""), (STATE, '[box]\nboundary = "periodic"\n')):
        with pytest.raises(InputError, match="does not give its box"):
            initial_state(from_file(tmp_path, text, "[discs]\n{file}\n" + rest))


def test_opening_a_state_file_makes_a_scenario(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    frame = some()
    frame.positions = np.array([[3.9, 2.0], [0.2, 2.0]])
    write(path, frame)
    scenario = open_scenario(path)
    assert scenario.box.boundary == "periodic"
    assert scenario.box.size == (4.0, 5.0)
    assert scenario.discs.count == 2
    state = initial_state(scenario)
    assert state.velocities.tobytes() == frame.velocities.tobytes()
    assert Scenario.from_toml(scenario.to_toml()) == scenario
    assert open_scenario("lattice-100").discs.count == 100
