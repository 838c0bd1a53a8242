"""Averages on the command line: of `run` over states at even times, of `analyse` over the frames of a file."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from engine.files import open_trajectory, write
from tests.builders.file_frames import some_frames
from tests.cli.conftest import GAS, Call, refused, settings

PERIODIC = (*GAS, *settings("box.boundary=periodic"))


def test_averages_of_a_run_are_those_over_the_frames_of_its_recording(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "out"
    limits = ("--until-time", "20", "--every", "0.5", "--average-from", "0")
    run = call("run", "lattice-100", *PERIODIC, *limits, "--record", "--out", out, "--json").json["averages"]
    file = call("analyse", out / "trajectory.gsd", "--frames", ":41", "--json").json["averages"]
    assert {key: run[key] for key in ("states", "from", "to", "every")} == {
        "states": 41, "from": 0.0, "to": 20.0, "every": 0.5
    }  # fmt: skip
    for name in (
        "pair_correlation",
        "structure_factor",
        "speeds",
        "mean_square_displacement",
        "velocity_autocorrelation",
    ):
        assert run["indicators"][name]["error"], name
        assert file["indicators"][name] == run["indicators"][name], name
    assert run["indicators"]["contacts_relative"]["error"] > 0.0
    assert run["problems"] is None
    with (out / "series.csv").open(encoding="utf-8") as read:
        rows = [row for row in csv.DictReader(read) if row["contacts_relative_average"]]
    assert len(rows) == 41
    assert float(rows[-1]["contacts_relative_average"]) == run["indicators"]["contacts_relative"]["value"]
    assert float(rows[-1]["contacts_relative_error"]) == run["indicators"]["contacts_relative"]["error"]
    assert rows[3]["contacts_relative_error"] == ""
    told = call("analyse", out / "trajectory.gsd", "--every", "2").out
    assert "21 states, t = 0 to 20\n" in told
    assert "mean relative contacts N_c" in told
    assert " ± " in told


def test_the_average_of_a_curve_over_frames_is_the_mean_of_theirs(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "t.gsd"
    write(path, some_frames(5))
    each = [call("analyse", path, "--frame", str(k), "--json").json["indicators"] for k in (1, 3)]
    found = call("analyse", path, "--frames", "1:", "--every", "2", "--json").json
    with open_trajectory(path) as frames:
        assert (found["sim_time"], found["averages"]["states"]) == (frames[3].time, 2)
    mean = np.mean([one["pair_distribution"]["p"] for one in each], axis=0)
    average = found["averages"]["indicators"]["pair_distribution"]
    np.testing.assert_allclose(average["value"]["p"], mean)
    assert average["error"] is None  # of two states


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--frames", "3"), "--frames must be A:B, such as 100: or 0:50, not 3"),
        (("--frames", "7:"), "--frames 7: has no frames; those of the file are 0 to 4"),
        (("--every", "0"), "--every must be a whole number of at least 1, not 0"),
        (("--frames", ":", "--frame", "1"), "--frames and --every average over frames of one file, without --frame"),
    ],
)
def test_frames_that_cannot_be_averaged_are_refused(
    call: Call, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "t.gsd"
    write(path, some_frames(5))
    assert refused(call("analyse", path, *options)) == f"aggviewer: {message}\n"


def test_a_run_is_averaged_from_a_time_on_and_without_the_option_not_at_all(call: Call) -> None:
    plain = call("run", "lattice-100", *PERIODIC, "--until-time", "5", "--json").json
    found = call("run", "lattice-100", *PERIODIC, "--until-time", "5", "--average-from", "2", "--json").json
    assert "averages" not in plain
    assert found["averages"]["from"] >= 2.0
    assert found["events"] == plain["events"]
    assert found["indicators"] == plain["indicators"]
    assert refused(call("run", "lattice-100", "--average-from", "-1")).startswith("aggviewer: --average-from must be")
