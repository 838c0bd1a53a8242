"""`aggviewer run` with discs that bounce: the JSON, the limits, the files, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from engine.files import open_trajectory, read
from engine.scenario import load_scenario
from tests.cli import conftest
from tests.cli.conftest import Call

GAS = ("run", "lattice-100", *conftest.GAS)
KEYS = (
    "collision_rate",
    "compressibility",
    "temperature",
    "energy_drift",
    "stabilising_events",
    "three_body_events",
    "collapsed",
)


def test_json_has_the_stable_keys(call: Call) -> None:
    done = call(*GAS, "--set", "box.boundary=periodic", "--until-events", "5000", "--json")
    assert (done.status, done.err) == (0, "")
    found = done.json
    assert set(KEYS) <= set(found)
    assert (found["system"], found["method"], found["count"]) == ("hard-discs", "event-driven", 100)
    assert found["events"]["collision"] == 5000
    assert found["stop_reason"] == "events"
    assert found["clusters"] == 100
    assert found["collapsed"] is False
    assert abs(found["energy_drift"]) < 1e-12
    assert found["momentum_error"] < 1e-12
    # Z - 1 = (sqrt(pi) / 4) omega sigma sqrt(m / kT): two measurements of one thing
    sigma = 2 * np.sqrt(0.2 / np.pi)
    omega = found["collision_rate"] * sigma / np.sqrt(found["temperature"])
    assert found["compressibility"] - 1 == pytest.approx(np.sqrt(np.pi) / 4 * omega, rel=0.05)
    for name in ("fractal_dimension", "box_counting", "cluster_sizes"):
        assert found["indicators"][name] is None
    assert found["indicators"]["speeds"]["temperature"] == pytest.approx(found["temperature"])
    assert len(found["indicators"]["pair_correlation"]["g"]) > 10


def test_files_of_a_run(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "gas"
    done = call(*GAS, "--until-time", "2", "--out", out, "--record", "--every", "0.5")
    assert done.status == 0
    assert "collisions per disc" in done.out
    with (out / "series.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    collisions = [int(row["collisions"]) for row in rows]
    assert collisions == sorted(collisions)
    assert collisions[-1] > 0
    assert float(rows[-1]["kinetic_energy"]) == pytest.approx(float(rows[0]["kinetic_energy"]), rel=1e-12)
    values = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert values["sim_time"] == 2.0
    with open_trajectory(out / "trajectory.gsd") as trajectory:
        assert trajectory.times.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]
    final = read(out / "final.gsd")[-1]
    again = call("run", str(out / "scenario.toml"), "--until-time", "2", "--out", tmp_path / "again")
    assert again.status == 0
    np.testing.assert_array_equal(read(tmp_path / "again" / "final.gsd")[-1].positions, final.positions)


def test_a_picture_of_a_gas_needs_a_time(call: Call, tmp_path: Path) -> None:
    gas = ("render", *GAS[1:], "--out", tmp_path / "gas.png", "--size", "200x200")
    refused = call(*gas)
    assert refused.status == 2
    assert "set the time of the picture with --until-time T" in refused.err
    assert call(*gas, "--until-time", "1").status == 0
    assert (tmp_path / "gas.png").stat().st_size > 1000


def test_a_run_with_walls_along_one_axis(call: Call, tmp_path: Path) -> None:
    setting = ("--set", "box.boundary=periodic,walls")
    done = call(*GAS, *setting, "--until-time", "20", "--json", "--out", tmp_path / "gas", "--record", "--every", "10")
    assert (done.status, done.err) == (0, "")
    found = done.json
    assert found["boundary"] == ["periodic", "walls"]
    assert found["momentum_error"] < 1e-12  # along x
    assert abs(found["energy_drift"]) < 1e-12
    for name in ("final.csv", "trajectory.gsd"):
        again = call("analyse", tmp_path / "gas" / name, "--json").json
        assert again["boundary"] == found["boundary"]
        assert again["max_overlap"] == pytest.approx(found["max_overlap"], rel=1e-9)
    assert load_scenario(tmp_path / "gas" / "scenario.toml").box.boundary == ("periodic", "walls")
    done = call(*GAS, "--set", "box.boundary=periodic,walls,walls", "--until-time", "1")
    assert done.status == 2
    assert 'box.boundary must be "walls", "periodic" or a list of 2 of them' in done.err
