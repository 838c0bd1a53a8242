"""`aggviewer run --out`: one run in a folder, and sessions that are carried on in it."""

from __future__ import annotations

import errno
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aggviewer.cli import output
from aggviewer.cli.output import NAMES
from aggviewer.session.saved.session_file import read_session
from engine.files import FileFrame, open_trajectory
from engine.files.gsd.writer import GsdWriter
from engine.scenario import Scenario
from tests.cli.conftest import GAS, JAM, Call, refused, settings

STEPS = settings("aggregation.method=time-stepping")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_results_of_an_earlier_run_are_kept(call: Call, tmp_path: Path) -> None:
    assert call("run", "lattice-100", "--until-clusters", "50", "--out", tmp_path).status == 0
    before = contents(tmp_path)
    message = refused(call("run", "lattice-100", "--until-clusters", "20", "--out", tmp_path))
    assert f"--out {tmp_path} already holds results (scenario.toml, final.aggsession, final.gsd, …)" in message
    assert "--overwrite" in message
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", NAMES)
def test_any_file_that_would_be_replaced_is_a_result(call: Call, tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / name).write_text("mine", encoding="utf-8")
    assert f"({name})" in call("run", "lattice-100", "--out", tmp_path).err
    assert (tmp_path / name).read_text(encoding="utf-8") == "mine"


def test_overwriting_leaves_the_results_of_one_run(call: Call, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert call("run", "lattice-100", *JAM, "--until-events", "3", "--out", first, "--record").status == 0
    assert {"trajectory.gsd", "final-contacts.csv"} < set(os.listdir(first))
    (first / "notes.txt").write_text("mine", encoding="utf-8")
    for folder, more in ((first, ("--overwrite",)), (second, ())):
        assert call("run", "lattice-100", "--until-clusters", "50", "--out", folder, *more).status == 0
    found, wanted = contents(first), contents(second)
    assert found.pop("notes.txt") == b"mine"
    assert set(found) == set(wanted)
    for name in ("scenario.toml", "final.csv", "final.gsd", "series.csv"):
        assert found[name] == wanted[name]


def full(*_: Any, **__: Any) -> None:
    """A function that writes, on a full disk."""
    raise OSError(errno.ENOSPC, "No space left on device")


def test_earlier_results_stay_if_the_new_run_fails(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("run", "lattice-100", "--until-clusters", "50", "--out", tmp_path).status == 0
    before = contents(tmp_path)
    monkeypatch.setattr(output, "_write_session", full)
    done = call("run", "lattice-100", "--until-clusters", "20", "--out", tmp_path, "--overwrite", "--json")
    assert (done.status, done.json["clusters"]) == (1, 20)
    (beside,) = tmp_path.glob(".unfinished-*")
    assert f"files written so far are in {beside}; the earlier results are unchanged" in done.err
    assert json.loads((beside / "summary.json").read_text())["clusters"] == 20
    shutil.rmtree(beside)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_full_disk_at_the_end_costs_only_the_files_that_it_has_no_room_for(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    monkeypatch.setattr(output, "write", full)
    done = call("run", "lattice-100", "--until-clusters", "50", "--out", tmp_path, *form)
    assert done.status == 1
    assert done.json["clusters"] == 50 if form else "simulating" in done.out
    assert done.err == (
        "aggviewer: final.csv and final.gsd cannot be written: no space left on device; files written so far are "
        f"in {tmp_path}\n"
    )
    assert sorted(contents(tmp_path)) == ["final.aggsession", "scenario.toml", "series.csv", "summary.json"]


def test_a_full_disk_at_the_start_is_said_before_the_run(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "_write_text", full)
    message = refused(call("run", "lattice-100", "--out", tmp_path))
    assert f"{tmp_path / 'scenario.toml'} cannot be written: no space left on device" in message


def test_a_recording_that_finds_the_disk_full_ends_and_the_run_goes_on(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = GsdWriter.append

    def until_the_third(self: GsdWriter, frame: FileFrame) -> None:
        append(self, frame) if self.bytes < first[-1] * 1.5 else full()
        first[:] = first if first[-1] > 1 else [self.bytes]

    first = [1]
    monkeypatch.setattr(GsdWriter, "append", until_the_third)
    done = call("run", "lattice-100", "--until-time", "3", "--out", tmp_path, "--record", "--every", "0.5", "--json")
    assert (done.status, done.json["sim_time"]) == (1, 3.0)
    assert f"{tmp_path / 'trajectory.gsd'}: recording stopped, No space left on device" in done.err
    assert {"final.gsd", "summary.json"} < set(contents(tmp_path))
    with open_trajectory(tmp_path / "trajectory.gsd") as trajectory:
        assert 0 < len(trajectory) < 7


def test_the_state_that_a_run_starts_from_is_not_replaced(call: Call, tmp_path: Path) -> None:
    assert call("run", "lattice-100", "--until-clusters", "50", "--out", tmp_path).status == 0
    before = contents(tmp_path)
    message = refused(call("run", tmp_path / "final.csv", "--out", tmp_path, "--overwrite"))
    assert "would replace final.csv, which scenario.toml there would have to start from" in message
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("settings", "half", "whole"),
    [
        ((), ("--until-clusters", "40"), ("--until-clusters", "5")),
        (STEPS, ("--until-time", "1.0"), ("--until-time", "3")),
        (GAS, ("--until-events", "1000"), ("--until-events", "3000")),
        pytest.param(
            (*GAS, *settings("hard_discs.growth_rate=0.02")), ("--until-time", "3"), (), marks=pytest.mark.slow
        ),
        (JAM, ("--until-events", "3"), ()),
        pytest.param(
            (*JAM, *settings("jamming.start=grown", "discs.volume_fraction=0.4")),
            ("--max-wall", "1e-6"),
            (),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_session_is_carried_on_bit_for_bit(
    call: Call, tmp_path: Path, settings: tuple[str, ...], half: tuple[str, ...], whole: tuple[str, ...]
) -> None:
    parts, once = tmp_path / "parts", tmp_path / "once"
    first = call("run", "lattice-100", *settings, *half, "--out", parts, "--json")
    assert first.status == 0
    assert first.json["stop_reason"] != "finished"
    second = call("run", parts / "final.aggsession", *whole, "--out", parts, "--overwrite", "--json")
    assert (second.status, second.err) == (0, "")
    wanted = call("run", "lattice-100", *settings, *whole, "--out", once, "--json").json
    for key in ("sim_time", "clusters", "events", "steps", "stop_reason", "stop_detail", "kinetic_energy", "seed"):
        assert second.json[key] == wanted[key], key
    for name in ("scenario.toml", "final.csv", "final.gsd"):
        assert (parts / name).read_bytes() == (once / name).read_bytes(), name
    a, b = (read_session(folder / "final.aggsession").lanes[0].arrays for folder in (parts, once))
    assert a.keys() == b.keys()


def test_the_series_of_a_session_goes_back_to_the_start(call: Call, tmp_path: Path) -> None:
    assert call("run", "lattice-100", "--until-clusters", "50", "--out", tmp_path / "a").status == 0
    assert call("run", tmp_path / "a" / "final.aggsession", "--out", tmp_path / "b").status == 0
    rows = np.genfromtxt(tmp_path / "b" / "series.csv", delimiter=",", names=True)
    assert (rows["clusters"][0], rows["clusters"][-1]) == (100, 1)


def test_a_recording_of_a_session_begins_with_it(call: Call, tmp_path: Path) -> None:
    session = tmp_path / "a" / "final.aggsession"
    assert call("run", "lattice-100", *GAS, "--until-time", "2", "--out", session.parent).status == 0
    more = ("--until-time", "3.1", "--out", tmp_path / "b", "--record", "--every", "0.5")
    assert call("run", session, *more).status == 0
    with open_trajectory(tmp_path / "b" / "trajectory.gsd") as trajectory:
        assert trajectory.times.tolist() == [2.0, 2.5, 3.0, 3.1]


def test_a_continued_session_keeps_its_view_marks_and_selection(call: Call, tmp_path: Path) -> None:
    from aggviewer.session.saved.session_file import write_session

    session = tmp_path / "a" / "final.aggsession"
    assert call("run", "lattice-100", "--until-clusters", "50", "--out", session.parent).status == 0
    state = read_session(session)
    others = {("view", "color_by"): "size", ("pace", "speed"): 7.0}
    state.document = replace(state.document, values={**state.document.values, **others})
    write_session(session, state)
    assert call("run", session, "--until-clusters", "30", "--out", session.parent, "--overwrite").status == 0
    again = read_session(session)
    assert {path: again.document.values[path] for path in others} == others
    assert again.clusters == 30


def test_live_parameters_can_be_set_for_a_session(call: Call, tmp_path: Path) -> None:
    session = tmp_path / "final.aggsession"
    assert call("run", "lattice-100", *GAS, "--until-time", "1", "--out", tmp_path).status == 0
    more = ("--set", "hard_discs.restitution=0.9", "--until-time", "4", "--json")
    found = call("run", session, *more, "--out", tmp_path / "b").json
    assert found["energy_drift"] is None
    assert Scenario.from_toml((tmp_path / "b" / "scenario.toml").read_text()).hard_discs.restitution == 0.9
    done = call("run", session, "--set", "discs.count=7", "--until-time", "4")
    assert (done.status, done.err) == (2, "aggviewer: discs.count cannot change while hard discs run\n")


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (("--until-time", "0.5"), "--until-time must be at least the time that the session has reached, 1, not 0.5"),
        ((), "collisions never end"),
    ],
)
def test_limits_that_a_session_cannot_have(call: Call, tmp_path: Path, limits: tuple[str, ...], words: str) -> None:
    assert call("run", "lattice-100", *GAS, "--until-time", "1", "--out", tmp_path).status == 0
    assert words in refused(call("run", tmp_path / "final.aggsession", *limits))


def test_a_session_does_not_need_the_file_that_it_began_from(call: Call, tmp_path: Path) -> None:
    state, out = tmp_path / "state.csv", tmp_path / "out"
    state.write_text("# box = 9 9 walls\nx,y,vx,vy,radius\n1,1,1,0,0.5\n5,1,0,0,0.5\n7,7,0,1,0.5\n", encoding="utf-8")
    assert call("run", state, "--until-events", "1", "--out", out).status == 0
    state.unlink()
    done = call("run", out / "final.aggsession", "--until-clusters", "1", "--out", out, "--overwrite", "--json")
    assert (done.status, done.json["clusters"]) == (0, 1)
    assert f"{state} does not exist" in refused(call("run", out / "scenario.toml", "--out", out, "--overwrite"))
