"""`aggviewer run` with discs that jam: the JSON, the limits, the files, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from engine.files import open_trajectory, read
from tests.cli import conftest
from tests.cli.conftest import Call

JAM = ("run", "lattice-100", *conftest.JAM)
KEYS = {
    "iterations",
    "contacts",
    "contacts_by_gap",
    "rattlers",
    "isostatic",
    "self_stresses",
    "force_mismatch",
    "min_gap",
    "jammed",
}


def test_json_has_the_stable_keys_and_it_runs_to_the_end(call: Call) -> None:
    done = call(*JAM, "--json")
    assert (done.status, done.err) == (0, "")
    found = done.json
    assert set(found) >= KEYS
    assert (found["system"], found["method"], found["count"]) == ("jamming", "linear-programs", 100)
    assert found["jammed"] is True
    assert found["stop_reason"] == "finished"
    assert found["stop_detail"].startswith(f"jammed: {found['contacts']} contacts, ")
    assert found["events"] == {"program": found["iterations"]}
    assert found["sim_time"] == found["iterations"]
    assert found["contacts"] == found["contacts_by_gap"]
    stable = 100 - found["rattlers"]
    assert found["isostatic"] == (found["contacts"] == 2 * (stable - 1) + 1)
    assert found["contacts"] - 2 * (stable - 1) - 1 == found["self_stresses"]
    assert found["force_mismatch"] < 1e-10
    assert found["min_gap"] > -1e-12
    assert found["max_overlap"] < 1e-12
    assert 0.8 < found["volume_fraction"] < 0.86
    assert found["momentum_error"] is None
    assert found["kinetic_energy"] is None
    assert found["indicators"]["fractal_dimension"] is None
    packing = found["indicators"]["packing"]
    assert packing["contacts"] == found["contacts"]
    assert sum(packing["contacts_histogram"]) == 100


def test_files_of_a_run(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "packing"
    done = call(*JAM, "--out", out, "--record")
    assert done.status == 0
    assert "contacts with a force" in done.out
    assert "isostatic" in done.out
    values = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    with (out / "series.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == values["iterations"] + 1
    assert (rows[0]["inflation"], rows[0]["contacts_relative"], rows[0]["time"]) == ("", "", "0.0")
    assert float(rows[-1]["inflation"]) < 1e-8
    assert float(rows[-1]["volume_fraction"]) == pytest.approx(values["volume_fraction"])
    with (out / "final-contacts.csv").open(encoding="utf-8") as file:
        contacts = list(csv.DictReader(file))
    assert len(contacts) == values["contacts"]
    assert np.mean([float(row["force"]) for row in contacts]) == pytest.approx(1.0)
    assert max(abs(float(row["gap"])) for row in contacts) < 1e-7
    final = read(out / "final.gsd")[-1]
    assert len(final.network.forces) == values["contacts"]
    with open_trajectory(out / "trajectory.gsd") as trajectory:
        assert trajectory.times.tolist() == list(range(values["iterations"] + 1))
        assert trajectory[0].network is None
        assert trajectory[-1].network is not None
    analysed = call("analyse", str(out / "final.gsd"), "--json").json
    assert analysed["indicators"]["packing"]["contacts"] == values["contacts"]
    again = call("run", str(out / "scenario.toml"), "--out", tmp_path / "again")
    assert again.status == 0
    np.testing.assert_array_equal(read(tmp_path / "again" / "final.gsd")[-1].positions, final.positions)


def test_limits_are_iterations(call: Call) -> None:
    for limit in (("--until-events", "3"), ("--until-time", "3")):
        found = call(*JAM, *limit, "--json").json
        assert (found["iterations"], found["jammed"]) == (3, False)
        assert found["stop_reason"] == limit[0].removeprefix("--until-")
    found = call(*JAM, "--set", "jamming.max_iterations=2", "--json").json
    assert (found["stop_reason"], found["stop_detail"]) == ("finished", "not jammed after 2 iterations")
