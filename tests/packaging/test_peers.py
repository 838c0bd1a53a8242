"""What `python -m benchmarks.peers` reads from other programs, and the tables it writes of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import peer_edmd
from benchmarks.peers import keep
from benchmarks.speed_tables import against_edmd, beside_libraries

SETTINGS = peer_edmd.Settings(shell=1.9, schedule=1.0, block=1.25, stretch=0.5)
SAID = """Seed: 1
Done adding collisions
Starting
Simtime: 0.000000, Collisions: 0, Press: 0.000000, T: 0.666667, Listsizes: (0.000000, 0), Neigh: 3 - 9
Processor: 0.250000
Simtime: 0.500000, Collisions: 4000, Press: 2.5, T: 0.666667, Listsizes: (4.100000, 0), Neigh: 2 - 9
Processor: 0.254000
Simtime: 1.000000, Collisions: 10000, Press: 2.5, T: 0.666667, Listsizes: (4.200000, 3), Neigh: 2 - 10
Processor: 0.262000
"""
ROW = {"count": 16_384, "fraction": 0.3, "here": 1.2e6, "c": 8e5, "least": 1.4, "most": 1.625}
WHEN = {"date": "2026-11-23", "commit": "66f60e2"}


def test_output_of_edmd_is_read() -> None:
    assert list(peer_edmd.readings(SAID.splitlines())) == [(0.0, 0, 0.25), (0.5, 4000, 0.254), (1.0, 10000, 0.262)]


@pytest.mark.skipif(sys.platform == "win32", reason="runs a script by its first line")
def test_a_stretch_is_what_is_new_in_it(tmp_path: Path) -> None:
    """A stand-in that says the same and waits for its turn in the same way."""
    script = f"""#!{sys.executable}
for line in {SAID!r}.splitlines():
    print(line, flush=True)
    if line.startswith("Processor"):
        input()
"""
    (tmp_path / "md").write_text(script)
    (tmp_path / "md").chmod(0o755)
    with peer_edmd.running(tmp_path) as peer:
        assert peer.stretch() == (4000, pytest.approx(0.004))
        assert peer.stretch() == (6000, pytest.approx(0.008))
        with pytest.raises(RuntimeError, match="ended by itself"):
            peer.stretch()


def test_the_code_is_changed_in_each_place_once() -> None:
    source = "\n".join(change.before for change in peer_edmd.changes_for(2))
    made = peer_edmd.changed(source, SETTINGS)
    for line in ("shellsize = 1.9;", "eventlisttimemultiplier = 1.25;", "writeinterval = 0.5;", "p->vz = 0.0;"):
        assert line in made
    assert "{" not in made
    in_space = peer_edmd.changed(source, SETTINGS, 3)
    assert "shellsize = 1.9;" in in_space
    assert all(change.before in in_space for change in peer_edmd.PLANE)
    with pytest.raises(ValueError, match=r"`usethermostat = 1;` should stand in it once"):
        peer_edmd.changed(source.replace("usethermostat = 1;", "usethermostat = 2;"), SETTINGS)


def test_its_start_is_one_layer_inside_the_box() -> None:
    lines = peer_edmd.start_file(np.array([[-1.0, 2.0], [3.0, 9.0]]), np.array([8.0, 8.0]), 1.9).splitlines()
    assert lines[:2] == ["2", "8.000000000000 8.000000000000 3.000000000000"]
    assert sorted(tuple(map(float, line.split()[1:])) for line in lines[2:]) == [
        (3.0, 1.0, 1.5, 0.5),
        (7.0, 2.0, 1.5, 0.5),
    ]


def test_spheres_start_where_they_are() -> None:
    places = np.array([[-1.0, 2.0, 1.0], [3.0, 9.0, 5.0]])
    lines = peer_edmd.start_file(places, np.array([8.0, 8.0, 6.0]), 1.5).splitlines()
    assert lines[:2] == ["2", "8.000000000000 8.000000000000 6.000000000000"]
    assert sorted(tuple(map(float, line.split()[1:])) for line in lines[2:]) == [
        (3.0, 1.0, 5.0, 0.5),
        (7.0, 2.0, 1.0, 0.5),
    ]


def test_collision_rate_is_that_of_the_literature() -> None:
    assert peer_edmd.collision_rate(0.3) == pytest.approx(2.400, abs=1e-3)
    # Z = 1 + √π/6 · ω √(m/kT) σ of spheres (Enskog), 3.984 at 0.3
    assert 1.0 + np.sqrt(np.pi) / 6.0 * peer_edmd.collision_rate(0.3, 3) == pytest.approx(3.984, abs=1e-3)


def test_by_hand_names_each_change() -> None:
    text = peer_edmd.by_hand(SETTINGS)
    assert peer_edmd.WHERE in text
    for change in peer_edmd.changes_for(2):
        assert change.before.strip() in text
        assert change.why in text


def test_rows_measured_again_replace_those_before(tmp_path: Path) -> None:
    path = tmp_path / "peers.json"
    first: list[dict[str, Any]] = [ROW, ROW | {"count": 4096}]
    path.write_text(json.dumps({"edmd": first, "libraries": [1]}))
    keep("edmd", [ROW | {"here": 1.3e6}, ROW | {"fraction": 0.01}], ("count", "fraction"), path)
    found = json.loads(path.read_text())
    assert found["libraries"] == [1]
    assert [(row["count"], row["fraction"], row["here"]) for row in found["edmd"]] == [
        (4096, 0.3, 1.2e6),
        (16_384, 0.01, 1.2e6),
        (16_384, 0.3, 1.3e6),
    ]


def test_tables() -> None:
    assert against_edmd([ROW | WHEN, ROW | WHEN | {"date": "2026-11-24", "commit": "be9fa7f"}]) == [
        "Measured on 2026-11-23 to 2026-11-24, commit 66f60e2, be9fa7f.",
        "",
        "| N | φ | here | C code | ratio | single stretches |",
        "|---|---|---|---|---|---|",
        *["| 16 384 | 0.3 | 1.2e6 | 8e5 | 1.50 | 1.40 to 1.62 |"] * 2,
    ]
    row = {"order": 0, "work": "contacts", "size": "9 discs", "peer": "freud", "here": 0.01, "there": 0.27}
    assert beside_libraries([row | WHEN])[-1] == "| contacts | 9 discs | 0.01 | freud | 0.27 | 27 |"
