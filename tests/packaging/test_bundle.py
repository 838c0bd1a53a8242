"""The archive for computers without Python: made whole, unpacked elsewhere, and run."""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCENARIO = ("run", "lattice-400", "--until-clusters", "1", "--json")


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, unpacked in a folder with a space, with other dates than those that it was made with."""
    subprocess.run(["make", "bundle"], cwd=ROOT, check=True, timeout=3000)
    (archive,) = (ROOT / "dist").glob("aggviewer-*-linux-x86_64.tar.xz")
    folder = tmp_path_factory.mktemp("school computer")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    for path in folder.rglob("*.py"):
        os.utime(path)
    return folder / "aggviewer" / "aggviewer"


def run(program: Path, folder: Path, *arguments: str) -> dict[str, object]:
    """What a command of the bundle prints as JSON, for somebody who has never started the program."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    done = subprocess.run(
        [program, *arguments], env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_the_bundle_runs_without_compiling_and_gives_the_same_bits(unpacked: Path, tmp_path: Path) -> None:
    # for the same processors: sums of fused kernels have other last bits for others (`engine.kernels.fused`)
    baseline = os.environ | {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
    command = [ROOT / ".venv" / "bin" / "aggviewer", *SCENARIO]
    own = subprocess.run(command, env=baseline, capture_output=True, text=True, check=True)
    expected = json.loads(own.stdout)
    found = run(unpacked, tmp_path, *SCENARIO)
    assert found["compile_s"] < 5.0  # type: ignore[operator]  # loaded: compiling takes half a minute
    for key in ("sim_time", "kinetic_energy", "events", "indicators"):
        assert found[key] == expected[key], key


@pytest.mark.slow
def test_the_bundle_starts_its_own_processes(unpacked: Path, tmp_path: Path) -> None:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    code = "import sys; print(sys.argv[1:])"
    done = subprocess.run(
        [unpacked, "-P", "-c", code, "a", "b"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['a', 'b']"
    done = subprocess.run(
        [unpacked, "-m", "aggviewer", "--version"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("aggviewer ")
