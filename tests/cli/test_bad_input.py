"""Bad input: exit status 2 and exactly one line on stderr that names the key or the file and says what is allowed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Call, refused, settings

LATTICE = ("run", "lattice-100")


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("discs.volume_fraction=0.8", "discs.volume_fraction must be at most 0.785"),
        ("discs.volume_fraction=1.2", "discs.volume_fraction must be a number above 0 and below 1, not 1.2"),
        ("discs.volume_fraction=nan", "discs.volume_fraction must be a number"),
        ("discs.count=0", "discs.count must be a whole number from 1 to 10000000, not 0"),
        ("discs.count=-5", "discs.count"),
        ("discs.cuont=5", "did you mean discs.count?"),
        ("velocities.speed=inf", "velocities.speed must be a number from 0 to 1000000, not inf"),
        ("box.size=-1", "box.size must be a number above 0"),
        ("box.size=1e300", "box.size must be from 1e-15 to 1e+15, not 1e+300"),
        ("box.size=[1, 1e-40]", "box.size must be from 1e-15 to 1e+15, not 1e-40"),
        ("discs.volume_fraction=1e-30", "the smallest radius"),
        ("nonsense", "section.key=value"),
        ("system=liquid", 'system must be "aggregation", "hard-discs" or "jamming", not "liquid"'),
        ("discs.arrangement=file", "discs.file must name a file"),
    ],
)
def test_settings(call: Call, setting: str, words: str) -> None:
    assert words in refused(call(*LATTICE, "--set", setting))


def test_random_discs_too_dense(call: Call) -> None:
    words = refused(call(*LATTICE, *settings("discs.arrangement=random", "discs.volume_fraction=0.85")))
    assert "at most 0.8 for a random arrangement" in words


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("x,y,radius\n1,1,0.5\n3,3,-0.5\n", "line 3: radius must be above 0, not -0.5"),
        ("x,y,radius\n1,1,0.5\n3,nan,0.5\n", "line 3: y must be a finite number"),
        ("x,y,radius\n1,1,0.5\n1.5,1,0.5\n", "discs 0 and 1 overlap by 0.5"),
        ("x,y,radius\n1,1,0.5\n3,3\n", "line 3: 2 values for 3 columns; the file seems to be cut off"),
        ("x,y,radius\n1,1,0.5\n9,3,0.5\n", "disc 1 at (9, 3) with radius 0.5 is not inside the box of 5 x 5"),
        ("", "is empty"),
    ],
)
def test_states_in_files(call: Call, tmp_path: Path, state: str, words: str) -> None:
    (tmp_path / "s.csv").write_text(state, encoding="utf-8")
    scenario = tmp_path / "s.toml"
    scenario.write_text('[box]\nsize = 5\n[discs]\narrangement = "file"\nfile = "s.csv"\n', encoding="utf-8")
    message = refused(call("run", scenario))
    assert words in message
    assert "s.csv" in message


def test_a_box_beyond_all_limits_is_refused_by_every_command(call: Call, tmp_path: Path) -> None:
    state = tmp_path / "s.csv"
    state.write_text("# box = 1e51 1e51 walls\nx,y,radius\n1e50,1e50,1e49\n5e50,5e50,1e49\n", encoding="utf-8")
    for command in (("analyse", state), ("run", state), ("render", state, "--out", tmp_path / "s.png")):
        assert "s.csv: the position of disc 0 is farther than 1e+15 from the origin" in refused(call(*command))
    state.write_text("# box = 1e51 1e51 walls\nx,y,radius\n1,1,0.5\n3,3,0.5\n", encoding="utf-8")
    assert "s.csv: the sides of the box must be from 1e-15 to 1e+15" in refused(call("analyse", state))


@pytest.mark.parametrize("command", ["run", "study"])
def test_an_empty_file_is_nobodys_scenario(call: Call, tmp_path: Path, command: str) -> None:
    (tmp_path / "s.toml").write_bytes(b"\xef\xbb\xbf# nothing\n")
    assert "s.toml is empty: it needs at least one key" in refused(call(command, tmp_path / "s.toml"))


def test_velocities_whose_squares_overflow(call: Call, tmp_path: Path) -> None:
    state = tmp_path / "s.csv"
    state.write_text("# box = 5 5 walls\nx,y,vx,vy,radius\n1,1,0,0,0.5\n3,3,0,1e200,0.5\n", encoding="utf-8")
    assert "disc 1 is faster than 1e+15" in refused(call("run", state))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[discs]\ncolour = 3\n", "discs.colour is not a key"),
        ("[discs\n", "not valid TOML"),
        ("[discs]\ncount = '5'\n", 'not "5"'),
        ("\x00", "not valid TOML"),
    ],
)
def test_scenario_files(call: Call, tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text, encoding="utf-8")
    assert words in refused(call("run", path))


@pytest.mark.parametrize(
    "arguments",
    [
        ("run",),
        ("run", "no-such-scenario"),
        ("run", "missing.toml"),
        ("run", "lattice-100", "--wrong"),
        ("run", "lattice-100", "extra"),
        ("run", "lattice-100", "--until-time", "soon"),
        ("run", "lattice-100", "--until-time", "nan"),
        ("run", "lattice-100", "--until-time", "-1"),
        ("run", "lattice-100", "--until-clusters", "0"),
        ("run", "lattice-100", "--until-clusters", "1.5"),
        ("run", "lattice-100", "--until-events", "-1"),
        ("run", "lattice-100", "--max-wall", "0"),
        ("run", "lattice-100", "--out", "/dev/null/x"),
        ("run", "lattice-100", "--out", "/proc"),
        ("analyse",),
        ("analyse", "missing.csv"),
        ("analyse", "missing.gsd"),
        ("doctor", "extra"),
        ("--wrong",),
        ("missing.toml",),
        ("lattice-25",),
    ],
)
def test_calls(call: Call, arguments: tuple[str, ...]) -> None:
    refused(call(*arguments))


def test_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "aggviewer", "run", "lattice-100", "--set", "discs.count=0"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "aggviewer: discs.count must be a whole number from 1 to 10000000, not 0\n"


def test_a_fault_of_the_program_is_one_line_and_status_1(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    import engine

    def fail(*_: object) -> None:
        raise RuntimeError("the sky\nfalls")

    monkeypatch.setattr(engine, "create", fail)
    done = call(*LATTICE)
    assert done.status == 1
    assert done.err.startswith("aggviewer: RuntimeError: the sky falls (")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("number", "status", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_a_signal_before_the_start_is_one_line(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, status: int, word: str
) -> None:
    import engine

    def interrupt(*_: object) -> None:
        signal.raise_signal(number)

    monkeypatch.setattr(engine, "create", interrupt)
    before = signal.getsignal(number)
    done = call(*LATTICE, "--out", tmp_path / "out")
    assert done.status == status
    assert done.err == f"aggviewer: {word}; all files written so far are complete\n"
    assert signal.getsignal(number) is before
    assert not list((tmp_path / "out").iterdir())
