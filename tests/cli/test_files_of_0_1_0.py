"""What version 0.1.0 has written opens (tests/data/bb916d5): scenarios, states, recordings, names of the summary; its
sessions are refused with the version that wrote them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from aggviewer.session.saved.session_file import read_session
from engine import InputError
from engine.boundary import Periodic
from engine.files import FileFrame, open_trajectory, read
from tests.cli.conftest import Call

FOLDER = Path(__file__).parents[1] / "data" / "bb916d5"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())


def assert_is(frame: FileFrame, expected: dict[str, Any]) -> None:
    """The numbers of a frame, each of which depends on the whole of an array."""
    around = expected["periodic"]
    assert frame.periodic == (None if around is None else Periodic.of(around, frame.dimensions))
    assert bool(frame.scenario) == expected["scenario"]
    assert frame.time == (None if expected["time"] is None else pytest.approx(expected["time"], rel=1e-12))
    for name in ("positions", "velocities", "radii", "masses", "cluster", "box"):
        array = getattr(frame, name)
        assert (array is not None) == (name in expected), name
        if array is not None:
            shape, weighted = expected[name]
            assert list(array.shape) == shape
            total = np.sqrt(np.arange(1, array.size + 1)) @ array.reshape(-1).astype(np.float64)
            assert total == pytest.approx(weighted, rel=1e-12), name
    assert (frame.network is not None) == ("network" in expected)
    if frame.network is not None:
        count, forces = expected["network"]
        assert len(frame.network.forces) == count
        assert float(np.sum(frame.network.forces)) == pytest.approx(forces, rel=1e-12)


@pytest.mark.parametrize("name", EXPECTED["files"])
def test_a_state_or_recording_opens(name: str) -> None:
    frames = read(FOLDER / name)
    assert len(frames) == len(EXPECTED["files"][name])
    for frame, expected in zip(frames, EXPECTED["files"][name], strict=True):
        assert_is(frame, expected)


@pytest.mark.parametrize("name", EXPECTED["runs"])
def test_a_scenario_begins_as_it_did(name: str) -> None:
    """The one that a person has written, and the one with every default that the program has written."""
    for path in (FOLDER / f"{name}.toml", FOLDER / f"{name}-scenario.toml"):
        simulation = engine.create(engine.load_scenario(path))
        assert_is(FileFrame.of(simulation.frame(), simulation), EXPECTED["runs"][name]["start"])


@pytest.mark.parametrize("name", EXPECTED["runs"])
def test_the_command_line_says_what_it_said(name: str, call: Call) -> None:
    run = EXPECTED["runs"][name]
    done = call("run", FOLDER / f"{name}.toml", "--until-events", str(run["events"]), "--json")
    assert done.status == 0
    summary = run["summary"]
    if name in ("hard-discs", "growth"):  # energy is not conserved there, which is said by null since then
        assert summary.pop("energy_drift") is not None
        assert done.json["energy_drift"] is None
        key = "mean_square_displacement"  # measured since a run keeps its start
        assert summary["indicators"].pop(key) is None
        assert done.json["indicators"][key] > 0.0
        del summary["events"]["shell"]  # how often neighbours were looked for, which another method does less often
        assert done.json["events"]["shell"] > 0
    if name == "growth":  # one distance is at the edge of two bins, where rounding decides
        before, now = (np.array(one["indicators"]["pair_correlation"].pop("g")) for one in (summary, done.json))
        assert set(np.flatnonzero(~np.isclose(before, now, rtol=1e-6))) <= EDGE
    if name in ("jamming", "jamming-grown"):  # since 0.2.0 an iteration goes farther, and packings are others
        summary = {key: value for key, value in summary.items() if key not in PACKED}
        assert done.json.keys() >= PACKED
        assert done.json["indicators"].keys() >= run["summary"]["indicators"].keys()
        assert done.json["indicators"]["packing"].keys() >= run["summary"]["indicators"]["packing"].keys()
    if name == "jamming-grown":
        assert done.json["jammed"]
        assert done.json["force_mismatch"] < 1e-10
    assert_same_names(summary, done.json)


ROUNDING = {"momentum_error", "max_overlap", "force_mismatch", "min_gap"}
"""Errors of rounding."""

EDGE = {19, 20}
"""The bins of g(r) on both sides of that distance."""

PACKED = {
    "sim_time",
    "events",
    "iterations",
    "stop_detail",
    "indicators",
    "volume_fraction",
    "contacts",
    "contacts_by_gap",
    "rattlers",
    "isostatic",
}
"""What another path to another packing changes."""


def assert_same_names(before: Any, now: Any, where: str = "") -> None:
    """Every name is still there, and every number is the same."""
    if isinstance(before, dict):
        assert before.keys() <= now.keys(), where
        for key in before.keys() - ROUNDING - {"version"}:
            if key.endswith("_s"):  # seconds that the computer took
                continue
            assert_same_names(before[key], now[key], f"{where}.{key}")
    elif isinstance(before, list):
        assert len(before) == len(now), where
        for one, other in zip(before, now, strict=True):
            assert_same_names(one, other, where)
    elif isinstance(before, float):
        assert now == pytest.approx(before, rel=1e-6, abs=1e-9), where
    else:
        assert now == before, where


def test_a_recording_can_be_gone_on_from() -> None:
    for name in ("event-driven", "growth", "jamming"):
        path = FOLDER / f"{name}-trajectory.gsd"
        with open_trajectory(path) as trajectory:
            assert engine.Scenario.from_toml(trajectory.scenario).discs.count == trajectory.count
        scenario = engine.open_scenario(path)
        assert engine.create(scenario).count == scenario.discs.count


@pytest.mark.parametrize("name", ["event-driven", "jamming"])
def test_a_session_is_refused_with_the_version_that_wrote_it(name: str) -> None:
    with pytest.raises(
        InputError, match=r"was written by aggviewer 0\.1\.0, and 0\.2\.0 cannot continue from its state"
    ):
        read_session(FOLDER / f"{name}.aggsession")
