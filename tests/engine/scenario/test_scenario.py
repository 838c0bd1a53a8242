"""The scenario's models: what is taken, what is refused and how, what is known about each key."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.arrangements.table import ARRANGEMENTS
from engine.errors import MOST_SLENDER, InputError
from engine.scenario import FieldDescription, Scenario, describe, load_scenario, scenario_keys
from engine.scenario.kinds import DiscKind

positive = st.floats(1e-6, 1e6)


def number(about: FieldDescription) -> st.SearchStrategy[Any]:
    """Numbers that a field takes."""
    low = -1e9 if about.minimum is None else about.minimum
    high = 1e9 if about.maximum is None else about.maximum
    if about.kind == "integer":
        return st.integers(int(low), int(high))
    return st.floats(low, high, exclude_min=about.open_minimum, exclude_max=about.open_maximum)


def values(about: FieldDescription) -> st.SearchStrategy[Any]:
    """Values that a field takes by itself."""
    by_kind: dict[str, Callable[[], st.SearchStrategy[Any]]] = {
        "choice": lambda: st.sampled_from(list(about.choices)),
        "switch": st.booleans,
        "text": lambda: st.text(st.characters(codec="utf-8"), max_size=20),
        "pair": lambda: st.tuples(st.floats(-10, 10), st.floats(-10, 10)).map(list),
        "size": lambda: st.one_of(positive, st.tuples(positive, positive).map(list)),
        "step": lambda: st.one_of(st.sampled_from(list(about.choices)), positive),
        "kinds": lambda: st.lists(
            st.builds(DiscKind, radius=st.floats(0.5, 2.0), mass=st.just(2.0), share=st.floats(0.1, 9.0)), max_size=3
        ),
    }
    return by_kind[about.kind]() if about.kind in by_kind else number(about)


def usable(changes: dict[str, Any]) -> dict[str, Any]:
    """Make keys that depend on one another fit."""
    if changes.get("discs.radii", "equal") != "equal":
        changes["discs.spread"] = 1.4
        changes.pop("discs.kinds", None)
    sides = changes.get("box.size")
    if isinstance(sides, list) and max(sides) > MOST_SLENDER[changes.get("dimensions", 2)] * min(sides):
        changes["box.size"] = [1.0, 1.5]
    if changes.get("dimensions") == 3:
        changes |= {"system": "hard-discs", "discs.arrangement": "lattice", "hard_discs.plates": 0}
        for key in ("box.size", "hard_discs.gravity"):
            if isinstance(changes.get(key), list):
                changes[key] = [*changes[key], changes[key][0]]
        if isinstance(ends := changes.get("box.boundary"), tuple):
            changes["box.boundary"] = (*ends, ends[0])
    if changes.get("discs.arrangement") == "file":
        changes["discs.file"] = "state.csv"
    elif changes.get("velocities.distribution") == "file":
        changes["velocities.distribution"] = "rest"
    unable = {"dimensions": 3, "aggregation.method": "time-stepping", "aggregation.event_driven.search": "all-pairs"}
    if any(changes.get(key) == value for key, value in unable.items()):
        changes.pop("aggregation.rotation", None)
    if changes.get("shear.rate"):
        changes |= {"system": "hard-discs", "box.boundary": "periodic"}
        changes.pop("hard_discs.gravity", None)
    if "hard_discs.gravity" in changes:
        changes["box.boundary"] = "walls"
    placed = ARRANGEMENTS.get(changes.get("discs.arrangement", ""))
    if placed is not None and placed.crystal is not None:
        changes.pop("box.size", None)
        changes["discs.count"] = placed.crystal.fitting(changes.get("discs.count", 2500))[0]
    return changes


changes = st.fixed_dictionaries({}, optional={key: values(about) for key, about in scenario_keys().items()}).map(usable)


@settings(max_examples=30)
@given(changes)
def test_round_trip_through_toml(given_values: dict[str, Any]) -> None:
    scenario = Scenario().with_values(given_values)
    text = scenario.to_toml()
    again = Scenario.from_toml(text)
    assert again == scenario
    assert again.to_toml() == text
    for key, value in given_values.items():
        assert scenario.value(key) == (tuple(value) if isinstance(value, list) else value)


@settings(max_examples=30)
@given(changes)
def test_settings_of_the_command_line_give_the_same(given_values: dict[str, Any]) -> None:
    texts = [f"{key}={_as_toml(key, value)}" for key, value in given_values.items()]
    assert Scenario().with_settings(texts) == Scenario().with_values(given_values)


def _as_toml(key: str, value: Any) -> str:
    if key == "discs.kinds":
        return _kinds_as_toml(value)
    if isinstance(value, str | float | bool):
        return tomli_w.dumps({"v": [value]})[4:].strip()[1:-1].strip().rstrip(",")
    return str(list(value) if isinstance(value, tuple) else value)


def _kinds_as_toml(kinds: list[DiscKind]) -> str:
    return f"[{', '.join(f'{{radius = {one.radius}, mass = {one.mass}, share = {one.share}}}' for one in kinds)}]"


def test_toml_has_every_key_but_those_left_out() -> None:
    tables = tomllib.loads(Scenario().to_toml())
    written = set()

    def walk(table: dict[str, Any], prefix: str) -> None:
        for name, value in table.items():
            if isinstance(value, dict):
                walk(value, f"{prefix}{name}.")
            else:
                written.add(prefix + name)

    walk(tables, "")
    assert written == set(scenario_keys()) - {"box.size"}


@pytest.mark.parametrize(
    ("setting", "key", "words"),
    [
        ("discs.count=0", "discs.count", "a whole number from 1 to 10000000, not 0"),
        ("discs.count=2.5", "discs.count", "not 2.5"),
        ("discs.volume_fraction=nan", "discs.volume_fraction", "above 0 and below 1, not nan"),
        (
            "box.size=0",
            "box.size",
            "a number above 0, or two of them [x, y], or three [x, y, z] in three dimensions, not 0",
        ),
        ("box.size=[1,2,3]", "box.size", "not [1, 2, 3]"),
        ("box.size=[1,-2]", "box.size", "not [1, -2]"),
        ("box.boundary=wall", "box.boundary", 'such as ["periodic", "walls"], not "wall"'),
        ("box.boundary=walls,walls,walls", "box.boundary", "a list of 2 of them when dimensions = 2, not a list of 3"),
        ("aggregation.time_stepping.step=fast", "aggregation.time_stepping.step", '"adaptive" or a number above 0'),
        ("hard_discs.gravity=[0,nan]", "hard_discs.gravity", "two numbers [x, y]"),
        ("hard_discs.gravity=[0,-1e10]", "hard_discs.gravity", "two numbers from -1e+09 to 1e+09"),
        ("hard_discs.growth_to_fraction=1", "hard_discs.growth_to_fraction", "above 0 and below 1"),
        ("hard_discs.wall_restitution=1.1", "hard_discs.wall_restitution", "from 0 to 1, not 1.1"),
        ("hard_discs.on_collapse=wait", "hard_discs.on_collapse", '"stop" or "continue"'),
        ("jamming.rules=newton", "jamming.rules", '"trust-region" or "calippso", not "newton"'),
        ("jamming.tolerance_inflation=1", "jamming.tolerance_inflation", "above 0 and below 1, not 1"),
        ("discs.radii=bidisperse", "discs.spread", "the ratio of the two radii"),
        ("discs.arrangement=file", "discs.file", "must name a file"),
        ("velocities.distribution=file", "velocities.distribution", 'only when discs.arrangement is "file"'),
        ("seed=-1", "seed", "not -1"),
        ("format=2", "format", "must be 1, not 2"),
        ("discs.cuont=3", "discs.cuont", "did you mean discs.count?"),
        ("discs.colour=3", "discs.colour", "discs has count, volume_fraction"),
        ("aggregation.damping=3", "aggregation.damping", "is a table"),
    ],
)
def test_bad_values_are_one_sentence_with_the_key(setting: str, key: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        Scenario().with_settings([setting])
    assert caught.value.key == key
    assert words in str(caught.value)
    assert str(caught.value).startswith(key)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[discs]\ncount = 0", "discs.count"),
        ("discs = 3", "discs"),
        ("[dsics]\ncount = 3", "dsics"),
        ("[discs]\ncolour = 3", "discs.colour"),
    ],
)
def test_bad_toml_names_the_key(text: str, key: str) -> None:
    with pytest.raises(InputError) as caught:
        Scenario.from_toml(text)
    assert caught.value.key == key


def test_a_syntax_error_in_toml_names_its_line() -> None:
    with pytest.raises(InputError, match=r"not valid TOML.*line 2"):
        Scenario.from_toml("format = 1\n[discs\ncount = 3\n")


@pytest.mark.parametrize("text", [b"", b"\n \r\n", b"\xef\xbb\xbf", b'# system = "jamming"\n'])
def test_an_empty_file_is_not_the_default_scenario(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(text)
    for name in (path, str(path)):
        with pytest.raises(InputError, match=r"a\.toml is empty: it needs at least one key, such as format = 1"):
            load_scenario(name)
    path.write_bytes(b"\xef\xbb\xbfformat = 1\r\n")
    assert load_scenario(path) == Scenario()


def test_setting_a_key_to_none_restores_its_default() -> None:
    scenario = Scenario().with_values({"box.size": 10.0, "discs.count": 4})
    assert scenario.with_values({"box.size": None, "discs.count": None}) == Scenario()


def test_every_field_is_described() -> None:
    for key, about in scenario_keys().items():
        assert about.key == key
        assert about.label
        assert about.allowed
        assert len(about.tooltip) > 20 or key == "format", key
        if about.kind in ("integer", "number"):
            assert about.minimum is not None, key
        if about.kind == "choice":
            assert about.default in about.choices or str(about.default) in map(str, about.choices)


def test_description_of_a_field() -> None:
    about = describe("discs.volume_fraction")
    assert (about.symbol, about.minimum, about.maximum) == ("V_f", 0.0, 1.0)
    assert about.open_minimum
    assert about.open_maximum
    assert about.restart
    assert r"\sum_i \pi R_i^2" in about.tooltip
    assert not describe("aggregation.damping.alpha").restart
    assert describe("box.size").kind == "size"
    with pytest.raises(InputError, match=r"did you mean discs\.count"):
        describe("discs.coutn")


@pytest.mark.parametrize(
    ("changes", "size"),
    [
        ({}, (50.0, 50.0)),
        ({"discs.count": 1}, (1.0, 1.0)),
        ({"discs.count": 6}, (3.0, 2.0)),
        ({"discs.count": 50, "discs.arrangement": "random"}, (math.sqrt(50), math.sqrt(50))),
        ({"box.size": 7.0}, (7.0, 7.0)),
        ({"box.size": [7.0, 8.0]}, (7.0, 8.0)),
    ],
)
def test_box_size(changes: dict[str, Any], size: tuple[float, float]) -> None:
    assert Scenario().with_values(changes).box_size() == size
