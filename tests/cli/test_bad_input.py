"""Bad input: exit status 2 and exactly one line on stderr that names the key or the file and says what is allowed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import GAS, Call, refused, settings

LATTICE = ("run", "lattice-100")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "discs.count must be a whole number from 1 to 10000000, not 0"),
        (settings("discs.cuont=5"), "did you mean discs.count?"),
        (settings("nonsense"), "section.key=value"),
        (("--overwrite",), "--overwrite needs --out DIR"),
        ((*GAS, "--until-clusters", "1"), "--until-clusters is only for discs that stick"),
        (GAS, "collisions never end; set an end with --until-time"),
        (settings("dimensions=3", "box.size=[9,9]"), "box.size must be a number or three numbers [x, y, z]"),
    ],
)
def test_a_scenario_or_option_that_cannot_be_is_named(call: Call, options: tuple[str, ...], words: str) -> None:
    """Which values are refused is tested in tests/engine; here, that the command line tells it."""
    wrong = options or settings("discs.count=0")
    assert words in refused(call(*LATTICE, *wrong))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("s.csv", "x,y,radius\n1,1,0.5\n3,nan,0.5\n", "s.csv, line 3: y must be a finite number"),
        ("s.csv", "x,y,radius\n1,1,0.5\n1.5,1,0.5\n", "s.csv: discs 0 and 1 overlap by 0.5"),
        ("s.toml", "[discs]\ncolour = 3\n", "discs.colour is not a key"),
        ("s.toml", "\ufeff# nothing\n", "s.toml is empty: it needs at least one key"),
        ("s.aggsession", "nothing", "s.aggsession is not a session file"),
    ],
)
def test_a_file_that_cannot_be_run_is_named(call: Call, tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert words in refused(call("run", tmp_path / name))


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
def test_a_wrong_call_is_one_line_with_status_2(call: Call, arguments: tuple[str, ...]) -> None:
    refused(call(*arguments))


def test_the_program_ends_with_status_2_and_one_sentence() -> None:
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
