"""What makes the command line quick to type: completion, -h, --seed, a scenario on stdin, the list of scenarios."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aggviewer.__main__ import COMMANDS
from aggviewer.cli import study as study_command
from engine.scenario import bundled, load_scenario
from engine.study.source import as_changes, load_study
from tests.cli.conftest import Call, refused

SMALL = "seed = 3\n[discs]\ncount = 9\n"
PROJECT = Path(__file__).parents[2]


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Puts bytes on stdin."""

    def put(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


@pytest.mark.parametrize("command", ["", *sorted(COMMANDS)])
def test_h_is_help_everywhere(call: Call, command: str) -> None:
    short, long = call(*command.split(), "-h"), call(*command.split(), "--help")
    assert short == long
    assert short.status == 0
    assert short.out.startswith("Usage: aggviewer")
    assert "-h, --help" in short.out


def test_the_seed_is_that_of_set(call: Call) -> None:
    small = ("--set", "discs.count=9")
    one, other = (
        call("run", "lattice-100", *small, *seed, "--json").json for seed in (("--seed", "7"), ("--set", "seed=7"))
    )
    assert one["seed"] == 7
    assert one["sim_time"] == other["sim_time"]
    assert one["sim_time"] != call("run", "lattice-100", *small, "--json").json["sim_time"]
    assert "seed" in refused(call("run", "lattice-100", "--seed", "-1"))
    assert "--seed" in refused(call("run", "lattice-100", "--seed", "x"))


def test_the_seed_of_a_study_is_that_of_its_first_runs(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(study_command, "run_study", lambda name, settings, *rest: asked.append(settings) or 0)
    assert call("study", "degond-2024", "--seed", "40", "--set", "stop.until_time=5").status == 0
    (settings,) = asked
    study = load_study("degond-2024", scale="quick", changes=as_changes(settings))
    assert (study.seeds.first, study.stop.until_time) == (40, 5.0)
    monkeypatch.undo()
    assert "seeds.first" in refused(call("study", "degond-2024", "--seed", "-4", "--out", "nowhere"))


def test_a_scenario_may_come_on_stdin(call: Call, piped: Callable[[bytes], None], tmp_path: Path) -> None:
    piped(SMALL.encode())
    found = call("run", "-", "--json").json
    assert (found["count"], found["seed"]) == (9, 3)
    piped(SMALL.encode())
    assert call("run", "-", "--seed", "4", "--json").json["seed"] == 4
    piped(SMALL.encode())
    assert call("render", "-", "--until-time", "0.5", "--out", tmp_path / "x.svg").status == 0
    assert (tmp_path / "x.svg").is_file()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "stdin is empty; write a scenario in TOML to it"),
        (b"\xff\xfe\x00", "stdin is not text; a scenario is TOML in UTF-8"),
        (b"seed = ", "the scenario on stdin"),
        (b"speed = 3\n", "speed"),
        (b"#" * (2 << 20), "stdin is too large for a scenario (more than 1 MiB)"),
    ],
)
def test_errors_in_a_scenario_on_stdin_are_reported(
    call: Call, piped: Callable[[bytes], None], content: bytes, words: str
) -> None:
    piped(content)
    assert words in refused(call("run", "-"))


def test_the_bundled_scenarios_are_listed_by_system(call: Call) -> None:
    listed = call("scenarios", "--json").json
    assert set(listed) == {one.name for one in bundled()}
    for one in bundled():
        scenario = load_scenario(one.name)
        assert listed[one.name] == {
            "title": one.title, "description": one.description, "system": scenario.system,
            "dimensions": scenario.dimensions, "count": scenario.discs.count,
        }  # fmt: skip
    lines = call("scenarios").out.splitlines()
    assert [line for line in lines if line.startswith("Discs that")] == [
        "Discs that stick", "Discs that bounce", "Discs that jam",
    ]  # fmt: skip
    assert lines.index("Discs that bounce") < lines.index("Spheres that bounce") < lines.index("Discs that jam")
    for one in bundled():
        (line,) = (line for line in lines if line.startswith(f"  {one.name} "))
        assert line.endswith(f"{one.title}: {one.description}")
    at = [next(k for k, line in enumerate(lines) if line.startswith(f"  {name} ")) for name in listed]
    assert at == sorted(at)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_and_options_and_no_window_opens(tmp_path: Path) -> None:
    program = tmp_path / "aggviewer"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m aggviewer "$@"\n')
    program.chmod(0o755)
    asks = """
    aggviewer --show-completion > script
    source script
    COMP_WORDS=(aggviewer ren) COMP_CWORD=1
    _aggviewer_completion aggviewer
    echo ${COMPREPLY[@]}
    COMP_WORDS=(aggviewer run --see) COMP_CWORD=2
    _aggviewer_completion aggviewer
    echo ${COMPREPLY[@]}
    """
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", asks],
        cwd=tmp_path,
        env=os.environ | {"PATH": path, "PYTHONPATH": str(PROJECT), "DISPLAY": "", "WAYLAND_DISPLAY": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["render", "--seed"]
