"""`aggviewer run` with spheres: the JSON, and what refuses three dimensions."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.hard_discs.theory import carnahan_starling
from tests.cli.conftest import Call, refused, settings

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
    assert found["compressibility"] == pytest.approx(float(carnahan_starling(0.2)), rel=0.05)
    assert abs(found["energy_drift"]) < 1e-13
    assert found["indicators"] == {}
    words = call("run", spheres, "--until-events", "200").out
    assert "256" in words


def test_discs_say_that_they_are_in_the_plane(call: Call) -> None:
    assert call("run", "lattice-100", "--until-events", "3", "--json").json["dimensions"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--out", "out"), "dimensions must be 2 for --out, since files hold discs"),
        (settings("box.size=[9,9]"), "box.size must be a number or three numbers [x, y, z] where dimensions = 3"),
        (settings("dimensions=2", "box.size=[9,9,9]"), "two numbers [x, y] where dimensions = 2, not [9, 9, 9]"),
        (
            settings("discs.arrangement=sierpinski"),
            'discs.arrangement must be "lattice" or "random"',
        ),
        (settings("system=jamming"), 'dimensions must be 2 where system = "jamming"'),
    ],
)
def test_bad_input(
    call: Call, spheres: Path, arguments: tuple[str, ...], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(spheres.parent)
    assert words in refused(call("run", spheres, "--until-events", "9", *arguments))
    assert [file.name for file in spheres.parent.iterdir()] == ["spheres.toml"]


def test_there_are_no_pictures_of_spheres(call: Call, spheres: Path, tmp_path: Path) -> None:
    words = refused(call("render", spheres, "--until-time", "1", "--out", tmp_path / "a.png"))
    assert "dimensions must be 2 for pictures" in words
