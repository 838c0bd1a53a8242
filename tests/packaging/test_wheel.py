"""The wheel in an environment of its own, used from a folder that is not the project's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[2]
CACHE = PROJECT / ".mypy_cache" / "script"  # for what the wheel depends on; its own folder is a new one each time

_DESCRIBE = """
import json
from importlib import metadata, resources

import aggviewer, engine, resources as resource_package

def contents(folder, prefix=""):
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from contents(entry, f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}", len(entry.read_bytes())

print(json.dumps({
    "files": [aggviewer.__file__, engine.__file__, resource_package.__file__],
    "version": aggviewer.__version__,
    "metadata_version": metadata.version("aggviewer"),
    "resources": dict(contents(resources.files("resources"))),
}))
"""

_LOAD_ALL = """
from importlib import resources
import engine

for entry in (resources.files("resources") / "scenarios").iterdir():
    if entry.name.endswith(".toml"):
        print(engine.load_scenario(entry.name.removesuffix(".toml")).discs.count)
"""


@dataclass(frozen=True)
class Installation:
    """An environment with the wheel in it, a folder to work in, and the folder of what is installed."""

    environment: Path
    folder: Path
    own: Path

    def call(self, *command: str) -> str:
        """Standard output of one of the environment's programs, which has to succeed."""
        ours = ("PYTHON", "VIRTUAL_ENV", "NUMBA_CACHE_DIR")
        variables = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
        variables["XDG_CACHE_HOME"] = str(self.folder)  # what is compiled here is of no use to anybody later
        program = str(self.environment / "bin" / command[0])
        done = subprocess.run(
            [program, *command[1:]], cwd=self.folder, env=variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The wheel as `pip install` puts it into a new environment; its dependencies are those of this one."""
    folder = tmp_path_factory.mktemp("wheel")
    environment = folder / "environment"
    python = str(environment / "bin" / "python")
    built = ["-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(PROJECT)]
    subprocess.run([sys.executable, *built], check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    install = [
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-compile",
        str(wheel),
    ]
    subprocess.run([sys.executable, *install], check=True)
    # after the wheel's own folder in sys.path, and without the .pth file there that leads to this checkout
    own = Path(sysconfig.get_path("purelib", vars={"base": str(environment), "platbase": str(environment)}))
    (own / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    work = folder / "elsewhere"
    work.mkdir()
    return Installation(environment, work, own)


@pytest.fixture(scope="module")
def described(installation: Installation) -> dict[str, Any]:
    """Places, version and resources, as a program finds them."""
    return json.loads(installation.call("python", "-c", _DESCRIBE))


def test_everything_comes_from_the_wheel(installation: Installation, described: dict[str, Any]) -> None:
    for file in described["files"]:
        assert Path(file).is_relative_to(installation.environment)
    assert described["version"] == described["metadata_version"]
    assert all((Path(file).parent / "py.typed").is_file() for file in described["files"][:2])


@pytest.mark.slow
def test_a_script_is_type_checked_against_what_is_installed(installation: Installation) -> None:
    script = installation.folder / "script.py"
    script.write_text(
        "import aggviewer\nimport engine\nfrom engine.files import write\n"
        "simulation = engine.create(engine.load_scenario('lattice-100'))\n"
        "progress = simulation.run(until_time=1.0, callback=lambda now: now.time > 0.5)\n"
        "reveal_type(progress.clusters)\nwrite('x.gsd', simulation)\naggviewer.open(simulation)\n"
        "engine.plot(simulation.frame(), color_by=3)\n"
    )
    mypy = ["-m", "mypy", "--python-executable", str(installation.environment / "bin" / "python"), script.name]
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, *mypy, "--strict", "--follow-imports=silent", "--cache-dir", str(CACHE)],
        cwd=installation.folder, env=variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("script.py")]
    assert 'Revealed type is "int"' in lines[0] or "builtins.int" in lines[0], done.stdout
    assert 'Argument "color_by" to "plot" has incompatible type "int"' in lines[1]
    assert len(lines) == 2, done.stdout


def test_resources_are_those_of_the_source(described: dict[str, Any]) -> None:
    found = described["resources"]
    source = PROJECT / "resources"
    expected = {
        path.relative_to(source).as_posix(): path.stat().st_size
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert ("manual/index.html" in found) == (PROJECT / "build" / "docs" / "index.html").is_file(), "see `make docs`"
    packed = {name: size for name, size in found.items() if not name.startswith("manual/")}
    assert {name: size for name, size in packed.items() if "__pycache__" not in name} == expected
    assert {"shaders/disc.vert", "shaders/disc.frag", "scenarios/lattice-2500.toml"} <= expected.keys()


def test_every_bundled_scenario_loads(installation: Installation) -> None:
    counts = installation.call("python", "-c", _LOAD_ALL).split()
    assert len(counts) == len(list((PROJECT / "resources" / "scenarios").glob("*.toml")))


@pytest.mark.slow
def test_help_as_a_module_and_as_a_program(installation: Installation) -> None:
    as_module = installation.call("python", "-m", "aggviewer", "--help")
    assert "doctor" in as_module
    assert installation.call("aggviewer", "--help") == as_module


def test_every_module_is_in_the_wheel(installation: Installation) -> None:
    for package in ("aggviewer", "engine"):
        found, source = (
            {path.relative_to(root).as_posix() for path in (root / package).rglob("*.py")}
            for root in (installation.own, PROJECT)
        )
        assert len(found) > 100
        assert found == source


@pytest.mark.slow
def test_every_module_can_be_imported(installation: Installation) -> None:
    """Nothing that is needed was left out of the wheel."""
    code = (
        "import importlib, pkgutil, aggviewer, engine\n"
        "names = [m.name for p in (aggviewer, engine) for m in pkgutil.walk_packages(p.__path__, p.__name__ + '.')]\n"
        "[importlib.import_module(name) for name in names if not name.endswith('__main__')]\n"
        "print(len(names))"
    )
    assert int(installation.call("python", "-c", code)) > 150


@pytest.mark.slow
def test_a_bundled_scenario_runs_to_one_cluster(installation: Installation) -> None:
    """Compiles the kernels anew, which takes a minute: machine code is kept by the place of the source."""
    found = json.loads(installation.call("aggviewer", "run", "lattice-100", "--until-clusters", "1", "--json"))
    assert found["clusters"] == 1
    assert found["count"] == 100
    assert found["stop_reason"] == "clusters"
    assert found["indicators"]["cluster_sizes"] == {"100": 1}
