"""A plug-in file that is loaded again while the program runs: all of it is exchanged, or nothing."""

from __future__ import annotations

import inspect
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from engine import indicators, plugins
from engine.checkpoint_checks import checked_scenario
from engine.errors import InputError
from engine.files import formats
from engine.plugins import PlugIn, load_file
from engine.registry import Registry, all_or_nothing
from engine.scenario import Scenario, describe, fields, tables
from engine.system import find, systems
from tests.extension.conftest import POINTS

TEXT = POINTS.read_text(encoding="utf-8")
HEAT = """    heat: float = about(
        "Heat",
        "Every speed is that of the start times this factor.",
        1.0,
        symbol="h",
        unit="",
        gt=0.0,
        le=1e3,
        restart=False,
    )
"""
DRAG = HEAT + '    drag: float = about("Drag", "What slows points down.", 0.25, ge=0.0, le=1.0, restart=False)\n'
FORMAT = """\
    from engine.files.formats import Format
    points.format(Format("mine", "Mine", (".csv",), reads=int))
    points.view"""
Edit = Callable[..., PlugIn]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(TEXT, encoding="utf-8")
    assert load_file(path).problem == ""
    return path


@pytest.fixture
def edit(file: Path) -> Edit:
    """Change pieces of the file and load it again."""

    def change(*pairs: tuple[str, str]) -> PlugIn:
        text = file.read_text(encoding="utf-8")
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")
        return load_file(file, again=True)

    return change


def everything() -> list[tuple[Any, ...]]:
    """What stands in all registries, and what is known of plug-ins."""
    found: list[tuple[Any, ...]] = [tables.SYSTEMS.parts, indicators.INDICATORS.parts, formats.FORMATS.parts]
    return [*found, plugins.LATE_PARTS.parts, plugins.known()]


def test_all_parts_are_exchanged_in_their_places(edit: Edit, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text(TEXT.replace("points", "others").replace("mean_height", "other_height"), encoding="utf-8")
    assert load_file(other).problem == ""
    before = find("points")
    again = edit(("Free points", "Quick points"))
    assert (again.problem, again.adds) == (
        "",
        ("system points", "indicator mean_height", "view points", "command points.heat_up"),
    )
    assert [known.name for known in systems()][-2:] == ["points", "others"]
    assert find("points") is not before
    assert find("points").title == "Quick points"  # type: ignore[union-attr]
    assert [one.name for one in indicators.registered()] == ["mean_height", "other_height"]
    assert [late.source for late in plugins.late_parts("view")] == [one.source for one in plugins.known()]


def test_what_it_does_not_add_any_more_is_gone(edit: Edit) -> None:
    again = edit(('    points.indicator(Indicator("mean_height", "mean height", mean_height, "⟨y⟩", "length"))\n', ""))
    assert again.adds == ("system points", "view points", "command points.heat_up")
    assert indicators.registered() == ()


def test_the_text_of_now_runs_whatever_its_date_and_its_size(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    time = os.stat(file).st_mtime_ns
    for title in ("Fast points", "Slow points", "Some points"):
        before = find("points")
        file.write_text(TEXT.replace("Free points", title), encoding="utf-8")
        os.utime(file, ns=(time, time))
        assert load_file(file, again=True).problem == ""
        system = find("points")
        assert system is not None
        assert system.title == title
        assert f'"{title}"' in inspect.getsource(type(system))
        for one in (system, before):  # code of before may go on, and looks up its module
            assert vars(sys.modules[type(one).__module__])["PointSystem"] is type(one)
    assert not list(file.parent.glob("__pycache__/*"))


def test_kernels_of_the_text_of_now_are_compiled(tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    text = (
        "import numba\nfrom engine.indicators import Indicator\n\nPLUG_POINTS = 1\n\n\n@numba.njit\n"
        "def one():\n    return 1.5\n\n\ndef register(points):\n"
        "    points.indicator(Indicator('one_and_a_half', '', lambda sample: one()))\n"
    )
    for number in (1.5, 2.5):
        path.write_text(text.replace("1.5", str(number)), encoding="utf-8")
        assert load_file(path, again=True).problem == ""
        assert [one.measure(None) for one in indicators.registered()] == [number]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("def register(", "def register((", "SyntaxError: "),
        ("PLUG_POINTS = 1", "PLUG_POINTS = 1\n1 / 0", "ZeroDivisionError: division by zero"),
        ("PLUG_POINTS = 1", "PLUG_POINTS = 1\nraise SystemExit(3)", "SystemExit: 3"),
        (
            "PLUG_POINTS = 1",
            "PLUG_POINTS = 2",
            "it is for version 2 of the plug points, and this program has version 1",
        ),
        ("def register(", "def registers(", "it has no function register(points)"),
        ('"mean_height",', '"contacts_relative",', "there is an indicator contacts_relative already"),
        ('"points", "Free points", "points"', '"points", "Free points", "jamming"', "there is a system jamming"),
        (
            "    points.view",
            FORMAT,
            "files that end in .csv are CSV; mine has to say in `recognizes` which of them are its own",
        ),
    ],
)
def test_whatever_fails_in_it_leaves_all_as_it_was(edit: Edit, old: str, new: str, problem: str) -> None:
    before = everything()
    again = edit((old, new))
    assert problem in again.problem
    assert "\n" not in again.problem
    assert bool(again.details) == ("Error: " in problem or "Exit" in problem), "a traceback where it is one"
    assert "engine/plugins.py" not in again.details
    assert ("mine.py" in again.details) == bool(again.details)
    assert all(one is other for a, b in zip(before, everything(), strict=True) for one, other in zip(a, b, strict=True))
    assert edit((new, old)).problem == ""


def test_a_file_that_is_gone_leaves_all_as_it_was(file: Path) -> None:
    before = everything()
    file.unlink()
    assert load_file(file, again=True).problem == "there is no such file any more"
    assert everything() == before
    with pytest.raises(InputError, match="there is no plug-in"):
        load_file(file.with_name("never.py"), again=True)


def test_one_that_could_not_be_loaded_is_loaded_when_it_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("PLUG_POINTS = 1\n1 / 0\n", encoding="utf-8")
    assert load_file(path).problem
    path.write_text(TEXT, encoding="utf-8")
    assert load_file(path).problem, "once is once"
    assert load_file(path, again=True).problem == ""
    assert plugins.known()[0].problem == ""
    assert find("points") is not None


@pytest.fixture
def watched() -> Iterator[list[str]]:
    """What a window would do: it refuses what its first name begins with a capital letter."""
    seen: list[str] = []

    def follow() -> None:
        seen.append(systems()[-1].title)

    def refuse() -> None:
        if systems()[-1].title == "No":
            raise InputError("the key Ctrl+Q belongs to file.quit already")

    ends = [plugins.watch(follow), plugins.watch(refuse)]
    yield seen
    for end in ends:
        end()


def test_who_watches_follows_and_may_refuse(edit: Edit, watched: list[str]) -> None:
    assert edit(("Free points", "Yes")).problem == ""
    assert watched == ["Yes"]
    before = everything()
    assert edit(('"Yes"', '"No"')).problem == "the key Ctrl+Q belongs to file.quit already"
    assert watched == ["Yes", "No", "Yes"]
    assert everything() == before


def test_parts_of_the_application_are_made_while_one_watches(
    edit: Edit, watched: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fits(part: Any, others: Any) -> None:
        if part in others:
            raise InputError(f"there is a layer {part} already")

    monkeypatch.setattr(plugins, "_checks", {"layer": fits})
    layer = "    points.layer('red', lambda: 'red')\n    points.view"
    assert edit(("    points.view", layer)).problem == ""
    assert plugins.made("layer") == ("red",)
    before = everything()
    assert edit((layer, layer.replace("    points.view", layer))).problem == "there is a layer red already"
    assert everything() == before
    assert watched == ["Free points"]


def test_a_registry_keeps_its_order_and_gives_back_what_it_had() -> None:
    def fits(part: str, others: Any) -> None:
        if part in others:
            raise InputError(f"there is {part} already")

    registry: Registry[str] = Registry(fits)
    b, d, x = "b", "d", "x"
    for part in ("a", b, "c", d):
        registry.add(part)
    registry.exchange([b, d], [x, "y", "z"])
    assert "".join(registry.parts) == "axyzc"
    with pytest.raises(InputError, match="there is c already"):
        registry.exchange([x], ["q", "c"])
    assert "".join(registry.parts) == "axyzc"

    def half_way() -> None:
        with all_or_nothing():
            registry.exchange(registry.parts, [])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half_way()
    assert "".join(registry.parts) == "axyzc"
    registry.exchange([], ["e"])
    assert registry.add(b, before=x) == b
    assert "".join(registry.parts) == "abxyzce"


def test_no_thread_ever_finds_the_system_missing(file: Path) -> None:
    """The thread of the simulation looks systems up at any moment."""
    missed, looked, over = [], [0], threading.Event()

    def look() -> None:
        while not over.is_set():
            looked[0] += 1
            if find("points") is None:
                missed.append(looked[0])

    thread = threading.Thread(target=look)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        thread.start()
        for _ in range(20):
            assert load_file(file, again=True).problem == ""
    finally:
        over.set()
        thread.join()
        sys.setswitchinterval(before)
    assert looked[0] > 100
    assert missed == []


def points_of(**values: Any) -> Scenario:
    changes = {"system": "points", "discs.count": 16} | {f"points.{key}": value for key, value in values.items()}
    return Scenario().with_values(changes)


def test_a_scenario_made_before_has_the_keys_of_now(edit: Edit) -> None:
    old = points_of(heat=3.0)
    assert old.of_now() is old
    assert edit((HEAT, DRAG)).problem == ""
    assert "points.drag" in fields()
    assert (old.value("points.heat"), old.value("points.drag")) == (3.0, 0.25)
    now = old.of_now()
    assert (now.value("points.heat"), now.value("points.drag")) == (3.0, 0.25)
    assert old.with_values({"points.drag": 0.5}).value("points.drag") == 0.5
    assert Scenario.from_toml(now.to_toml()) == now
    assert edit((DRAG, HEAT)).problem == ""
    assert Scenario.from_toml(now.to_toml()) == old, "a key that is gone is not written"
    assert now.of_now().value("points.heat") == 3.0
    assert edit(("le=1e3", "le=2.0")).problem == ""
    with pytest.raises(InputError, match=r"points\.heat must be a number above 0 and at most 2, not 3\.0"):
        old.of_now()


def test_a_scenario_made_before_a_system_came_can_become_one_of_it(tmp_path: Path) -> None:
    old = Scenario()
    path = tmp_path / "mine.py"
    path.write_text(TEXT, encoding="utf-8")
    load_file(path)
    assert old.value("points.heat") == describe("points.heat").default
    assert old.with_values({"system": "points", "points.heat": 2.0}).value("points.heat") == 2.0


def test_a_simulation_goes_on_with_its_own_code(edit: Edit) -> None:
    """Keys of the table of now reach the table that it knows, and its checkpoint can be read."""
    run, twin = engine.create(points_of(heat=2.0)), engine.create(points_of(heat=2.0))
    assert (
        edit((HEAT, DRAG), ("self._velocity[point, axis] *= -1.0", "self._velocity[point, axis] *= -0.5")).problem == ""
    )
    assert type(engine.create(points_of())) is not type(run)
    for simulation in (run, twin):
        simulation.advance(5.0)
        slow = simulation.frame().kinetic_energy
        simulation.set("points.heat", 4.0)
        assert simulation.frame().kinetic_energy == pytest.approx(4.0 * slow)
    assert run.scenario.value("points.heat") == 4.0
    checkpoint = run.checkpoint()
    assert checked_scenario(checkpoint.scenario).value("points.heat") == 4.0
    copy = type(run).from_checkpoint(checkpoint)  # type: ignore[attr-defined]
    energy = run.frame().kinetic_energy
    for simulation in (run, twin, copy):
        simulation.advance(30.0)
        assert simulation.frame().kinetic_energy == pytest.approx(energy), "these walls take nothing"
    np.testing.assert_array_equal(run.frame().positions, copy.frame().positions)
    with pytest.raises(InputError, match=r"points\.drag cannot change while points fly"):
        run.set("points.drag", 0.5)


def test_a_system_that_is_gone_leaves_no_table_in_other_scenarios(edit: Edit) -> None:
    old = Scenario()
    assert edit(("    points.system(PointSystem())\n", "")).problem == ""
    assert "points" not in old.to_toml()
    assert Scenario.from_toml(old.to_toml()) == old.of_now()
