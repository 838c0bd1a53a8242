"""Scenarios from files, by name, and from settings."""

from __future__ import annotations

from pathlib import Path

import pytest

import engine
from engine.errors import InputError
from engine.initial import initial_state
from engine.scenario import Scenario, bundled, load_scenario, parse_setting, source


def test_bundled_scenarios_load_and_are_told() -> None:
    found = bundled()
    names = [scenario.name for scenario in found]
    assert names[:6] == [f"lattice-{n}" for n in (100, 400, 2500, 10000, 100000, 1000000)]
    assert {"spheres-13500", "spheres-cooling", "spheres-heap"} <= set(names)
    assert {"random-2500", "periodic-2500", "polydisperse-2500", "maxwell-2500"} <= set(names)
    for about in found:
        scenario = load_scenario(about.name)
        assert about.title != about.name
        assert about.description.endswith(".")
        size = about.name.rpartition("-")[2]
        assert not size.isdigit() or scenario.discs.count == int(size)


@pytest.mark.parametrize("name", [about.name for about in bundled() if about.name.endswith("-2500")])
def test_bundled_scenarios_can_start(name: str) -> None:
    state = initial_state(load_scenario(name))
    assert len(state.radii) == 2500


def test_default_scenario_is_the_bundled_one() -> None:
    assert load_scenario("lattice-2500") == Scenario()


def test_a_file_wins_over_a_bundled_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lattice-100").write_text("seed = 7\n", encoding="utf-8")
    assert load_scenario("lattice-100").seed == 7


def test_relative_state_file_belongs_to_the_folder_of_the_scenario(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('[discs]\narrangement = "file"\nfile = "sub/s.csv"\n', encoding="utf-8")
    assert load_scenario(path).discs.file == str((tmp_path / "sub" / "s.csv").resolve())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe\x00", "not a text file"),
        (b"seed = \n", "not valid TOML"),
        (b"# " + b"x" * (1 << 20), "too large"),
    ],
)
def test_files_that_are_no_scenarios(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=words) as caught:
        load_scenario(path)
    assert str(path) in str(caught.value)


def test_missing_files_and_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        load_scenario(tmp_path / "none.toml")
    with pytest.raises(InputError, match="is not a file"):
        load_scenario(tmp_path)
    with pytest.raises(InputError, match=r"neither a file nor a bundled scenario.*lattice-2500"):
        load_scenario("lattice")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a.b=1", 1),
        ("a.b = 1.5", 1.5),
        ("a.b=true", True),
        ("a.b=[1, 2]", [1, 2]),
        ('a.b="x y"', "x y"),
        ("a.b=periodic", "periodic"),
        ("a.b=periodic,walls", ["periodic", "walls"]),
        ("a.b=/tmp/x,y.csv", "/tmp/x,y.csv"),
        ("a.b=x=y", "x=y"),
        ("a.b=", ""),
        ("a.b=1\nc=2", "1\nc=2"),
    ],
)
def test_settings(text: str, value: object) -> None:
    assert parse_setting(text) == ("a.b", value)


@pytest.mark.parametrize("text", ["a.b", "=3", ""])
def test_an_argument_without_key_and_value_is_no_setting(text: str) -> None:
    with pytest.raises(InputError, match=r"section\.key=value"):
        parse_setting(text)


def test_importing_the_engine_is_light() -> None:
    import subprocess
    import sys

    code = "import sys, engine, engine.jamming; engine.Scenario(); print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(found.stdout.split())
    assert "engine.jamming" in loaded
    assert not loaded & {"numba", "scipy", "gsd", "matplotlib", "highspy"}


def test_warm_up_tells_how_far_it_is_and_can_be_called_again() -> None:
    told: list[tuple[int, int, str]] = []
    for _ in range(2):
        told.clear()
        assert engine.warm_up(lambda *stage: told.append(stage)) > 0.0
        done, totals, words = zip(*told, strict=True)
        assert done == tuple(range(totals[0] + 1))
        assert set(totals) == {len(told) - 1}
        assert all(words)


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation in which one bundled scenario is no text."""
    folder = tmp_path / "resources" / "scenarios"
    folder.mkdir(parents=True)
    (folder / "good.toml").write_text("# title: Good\nformat = 1\n")
    (folder / "bad.toml").write_bytes("# title: Gr\u00f6\u00dfe\n".encode("latin-1"))
    monkeypatch.setattr(source.resources, "files", lambda package: tmp_path / package)
    return folder


def test_a_bundled_scenario_that_is_no_text_is_left_out_and_named(damaged: Path) -> None:
    told: list[str] = []
    assert [one.name for one in bundled(told.append)] == ["good"]
    assert told == ["the bundled scenario bad.toml is damaged: it is not TOML in UTF-8"]
    assert [one.name for one in bundled()] == ["good"]
    assert load_scenario("good") == Scenario()
    with pytest.raises(InputError, match=r"bad\.toml is damaged"):
        load_scenario("bad")


def test_a_scenario_has_a_title_for_people_and_a_file_without_one_keeps_its_name(tmp_path: Path) -> None:
    own, plain, table = tmp_path / "own.toml", tmp_path / "plain.toml", tmp_path / "lattice-2500"
    own.write_text("# title: My gas\nformat = 1\n", encoding="utf-8")
    plain.write_text("format = 1\n", encoding="utf-8")
    table.write_text("1 2\n", encoding="utf-8")
    wanted = {"lattice-2500": "2 500 discs on a lattice", own: "My gas", plain: "plain.toml", table: "lattice-2500"}
    assert {name: source.title_of(name) for name in wanted} == wanted
    assert source.title_of(tmp_path / "missing.toml") == "missing.toml"
