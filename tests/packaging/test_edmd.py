"""EDMD beside this program: what is changed in its code, where it starts, and what is read from it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import edmd

SETTINGS = edmd.Settings(shell=1.9, schedule=1.0, block=1.25, stretch=0.5)
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


def test_output_of_edmd_is_read() -> None:
    assert list(edmd.readings(SAID.splitlines())) == [(0.0, 0, 0.25), (0.5, 4000, 0.254), (1.0, 10000, 0.262)]


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
    with edmd.running(tmp_path) as stretch:
        assert stretch() == (4000, pytest.approx(0.004))
        assert stretch() == (6000, pytest.approx(0.008))
        with pytest.raises(RuntimeError, match="ended by itself"):
            stretch()


def test_the_code_is_changed_in_each_place_once() -> None:
    source = "\n".join(change["before"] for change in edmd.changes_for(2))
    made = edmd.changed(source, SETTINGS)
    for line in ("shellsize = 1.9;", "eventlisttimemultiplier = 1.25;", "writeinterval = 0.5;", "p->vz = 0.0;"):
        assert line in made
    assert "{" not in made
    in_space = edmd.changed(source, SETTINGS, 3)
    assert "shellsize = 1.9;" in in_space
    assert "p->vz *= fac;" in in_space
    with pytest.raises(ValueError, match=r"`usethermostat = 1;` should stand in it once"):
        edmd.changed(source.replace("usethermostat = 1;", "usethermostat = 2;"), SETTINGS)


def test_the_start_file_of_edmd_has_one_layer_inside_the_box() -> None:
    lines = edmd.start_file(np.array([[-1.0, 2.0], [3.0, 9.0]]), np.array([8.0, 8.0]), 1.9).splitlines()
    assert lines[:2] == ["2", "8.000000000000 8.000000000000 3.000000000000"]
    assert sorted(tuple(map(float, line.split()[1:])) for line in lines[2:]) == [
        (3.0, 1.0, 1.5, 0.5),
        (7.0, 2.0, 1.5, 0.5),
    ]


def test_a_stretch_has_so_many_collisions_at_the_rate_of_the_literature() -> None:
    assert edmd.settings_for(0.3, 12.0).stretch == pytest.approx(24.0 / 2.400, rel=1e-3)
    # Z = 1 + √π/6 · ω √(m/kT) σ of spheres (Enskog), 3.984 at 0.3
    assert 24.0 / edmd.settings_for(0.3, 12.0, 3).stretch == pytest.approx(6.0 / np.sqrt(np.pi) * 2.984, rel=1e-3)
