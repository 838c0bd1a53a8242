"""Plug-ins: what is loaded, what is left out and why."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from aggviewer.cli import doctor
from engine import indicators, plugins
from engine.errors import InputError
from engine.files import formats
from engine.registry import Registry, all_or_nothing
from engine.scenario import Scenario, describe, section
from engine.system import systems
from tests.cli.conftest import Call
from tests.extension.conftest import POINTS

BUILT_IN = ["aggregation", "hard-discs", "jamming"]


@pytest.fixture(autouse=True)
def without_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    """`doctor` asks OpenGL by a process of its own, of which these tests want to know nothing."""
    monkeypatch.setattr(doctor, "_opengl", dict)


def a_file(folder: Path, text: str, name: str = "mine.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_is_loaded_once(points: plugins.PlugIn) -> None:
    assert (points.name, points.problem, points.notice) == ("points.py", "", "")
    assert "system points" in points.adds
    assert "indicator mean_height" in points.adds
    assert plugins.load_file(POINTS) is points
    assert [known.name for known in systems()] == [*BUILT_IN, "points"]


def test_a_name_that_is_taken_is_refused(tmp_path: Path, points: plugins.PlugIn) -> None:
    again = plugins.load_file(a_file(tmp_path, POINTS.read_text(encoding="utf-8")))
    assert "there is a system points" in again.problem
    assert [known.name for known in systems()] == [*BUILT_IN, "points"]


@pytest.mark.parametrize(
    "arguments", [("--plugin",), ("run", "lattice-100", "--plugin"), ("--plugin", "none.py", "doctor")]
)
def test_a_file_that_is_not_named_or_not_there_is_bad_input(call: Call, arguments: tuple[str, ...]) -> None:
    done = call(*arguments)
    assert done.status == 2
    assert len(done.err.splitlines()) == 1
    assert "plug" in done.err


def test_installed_packages_are_loaded_by_their_entry_points(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, call: Call
) -> None:
    a_file(tmp_path, POINTS.read_text(encoding="utf-8"), "free_points.py")
    a_file(tmp_path, "PLUG_POINTS = 7\n", "from_the_future.py")
    monkeypatch.syspath_prepend(tmp_path)
    found = (
        EntryPoint("points", "free_points", "aggviewer.systems"),
        EntryPoint("future", "from_the_future", "aggviewer.formats"),
        EntryPoint("other", "not_there", "of_another_program"),
    )
    monkeypatch.setattr(plugins, "entry_points", lambda: EntryPoints(found))
    done = call("run", "lattice-100", "--set", "system=points", "--until-time", "1", "--json")
    assert done.json["system"] == "points"
    assert "plug-in future is left out: it is for version 7" in done.err
    for name in ("free_points", "from_the_future"):
        sys.modules.pop(name, None)


def test_a_file_names_the_plug_in_that_it_needs_and_never_loads_it(points: plugins.PlugIn, monkeypatch) -> None:
    text = Scenario().with_values({"system": "points", "points.heat": 2.0}).to_toml()
    assert text.startswith('format = 1\nsystem = "points"\nplugin = "points.py"\n')
    assert Scenario.from_toml(text).to_toml() == text
    monkeypatch.setattr(section.SYSTEMS, "parts", tuple(of for of in section.SYSTEMS.parts if of.name in BUILT_IN))
    with pytest.raises(InputError, match=r'system "points" comes from the plug-in points\.py, which is not loaded'):
        Scenario.from_toml(text)
    with pytest.raises(InputError, match=r'not "points"; the system of a plug-in needs --plugin FILE\.py'):
        Scenario.from_toml(text.replace('plugin = "points.py"\n', ""))
    assert [known.name for known in systems()] == BUILT_IN


FORMAT = """\
    from engine.files.formats import Format
    points.format(Format("mine", "Mine", (".csv",), reads=int))
    points.view"""
TEXT = POINTS.read_text(encoding="utf-8")


def everything() -> list[tuple[Any, ...]]:
    """What stands in all registries."""
    found: list[tuple[Any, ...]] = [section.SYSTEMS.parts, indicators.INDICATORS.parts, formats.FORMATS.parts]
    return [*found, plugins.LATE_PARTS.parts]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("PLUG_POINTS = 1", "PLUG_POINTS = 1\n1 / 0", "ZeroDivisionError: division by zero"),
        ("PLUG_POINTS = 1", "PLUG_POINTS = 1\nimport not_there", "ModuleNotFoundError: No module named 'not_there'"),
        ("PLUG_POINTS = 1", "PLUG_POINTS = 1\nraise SystemExit(3)", "SystemExit: 3"),
        ("PLUG_POINTS = 1", "", "it does not give its version of the plug points"),
        ("PLUG_POINTS = 1", "PLUG_POINTS = ", "SyntaxError: "),
        (
            "PLUG_POINTS = 1",
            "PLUG_POINTS = 2",
            "it is for version 2 of the plug points, and this program has version 1",
        ),
        ('"mean_height",', '"contacts_relative",', "there is an indicator contacts_relative already"),
        ('"points", "Free points", "points"', '"points", "Free points", "jamming"', "there is a system jamming"),
        (
            "    points.view",
            FORMAT,
            "files that end in .csv are CSV; mine must define `recognizes` to tell its own files from them",
        ),
    ],
)
def test_one_that_fails_adds_nothing_is_named_and_is_loaded_when_it_is_mended(
    call: Call, tmp_path: Path, old: str, new: str, problem: str
) -> None:
    call("doctor")  # the parts of the program itself
    before = everything()
    path = a_file(tmp_path, TEXT.replace(old, new))
    done = call("doctor", "--plugin", path, "--json")
    assert done.err.startswith("aggviewer: the plug-in mine.py is left out: ")
    assert problem in done.json["plug_ins"]["mine.py"]
    found = plugins.load_file(path)
    assert problem in found.problem
    assert "\n" not in found.problem
    assert bool(found.details) == bool(re.match(r"\w+(Error|Exit): ", problem)), "a traceback where it is one"
    assert "engine/plugins.py" not in found.details
    assert ("mine.py" in found.details) == bool(found.details)
    assert found.adds == ()
    assert everything() == before
    assert plugins.load_file(a_file(tmp_path, TEXT)).problem == ""
    assert [one.problem for one in plugins.known()] == [""]


def test_a_registry_keeps_its_order_and_gives_back_what_it_had() -> None:
    def fits(part: str, others: Any) -> None:
        if part in others:
            raise InputError(f"there is {part} already")

    registry: Registry[str] = Registry(fits)
    a, b = "a", "b"
    for part in (a, b, "c"):
        registry.add(part)
    with pytest.raises(InputError, match="there is c already"):
        registry.add("c")
    registry.remove(b)
    registry.remove(b)
    assert registry.add("x") == "x"

    def half_way() -> None:
        with all_or_nothing():
            registry.remove(a)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half_way()
    assert "".join(registry.parts) == "acx"


def test_a_scenario_made_before_a_system_came_can_become_one_of_it(tmp_path: Path) -> None:
    old = Scenario()
    plugins.load_file(a_file(tmp_path, TEXT))
    assert old.value("points.heat") == describe("points.heat").default
    assert old.with_values({"system": "points", "points.heat": 2.0}).value("points.heat") == 2.0


GREET = """PLUG_POINTS = 1


def greet():
    from typing import Annotated

    import typer

    def greet(name: Annotated[str, typer.Argument(help="Who is greeted.")] = "world") -> int:
        \"\"\"Say hello.\"\"\"
        typer.echo(f"hello {name}")
        return 0

    return greet


def register(points):
    points.subcommand("greet", greet)
"""


def test_a_subcommand_of_a_plug_in_runs_and_is_in_the_help(tmp_path: Path) -> None:
    path = tmp_path / "greet.py"
    path.write_text(GREET, encoding="utf-8")
    for arguments, wanted in ((["greet", "Ada"], "hello Ada"), (["--help"], "Say hello.")):
        done = subprocess.run(
            [sys.executable, "-m", "aggviewer", "--plugin", str(path), *arguments], capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert wanted in done.stdout
