"""Packings to be pooled in session files: what goes in comes out, and what was spoiled is refused in one sentence."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

from aggviewer.session.saved import packing_pool as saved_pool
from aggviewer.session.saved.packing_pool import KeptPacking, PackingPool, newest
from aggviewer.session.saved.session_file import describe_session, read_session, write_session
from engine import InputError, Scenario
from engine.analysis import Samples
from tests.session.session_files import amid, state_of

PACKING = Scenario(system="jamming")
OTHER = PACKING.with_values({"jamming.rules": "calippso"})


def packing(seed, scenario=PACKING, sizes=(100, 40, 80)):
    rng = np.random.default_rng(seed)
    values = [rng.random(size) * 0.9 + 1e-9 for size in sizes]
    return KeptPacking(scenario.with_values({"seed": seed}), Samples(*values))


PACKINGS = [packing(7), packing(1, OTHER), packing(2, sizes=(3, 0, 5)), packing(2, OTHER), packing(2**63 - 1)]


@pytest.fixture(scope="module")
def simulation():
    return amid("event-driven", "walls")


@pytest.fixture(scope="module")
def members(simulation, tmp_path_factory):
    path = tmp_path_factory.mktemp("real") / "real.aggsession"
    write_session(path, state_of(simulation, packings=PACKINGS))
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def by_name(packings):
    return {(one.scenario.jamming.rules, one.scenario.seed): one for one in packings}


def assert_same(one, two):
    for name in ("extended", "bucklers", "gaps"):
        np.testing.assert_array_equal(getattr(one.samples, name), getattr(two.samples, name))
    assert one.scenario == two.scenario


def packed(path, members, **changes):
    """A file of these members, with other keys in the first entry of the packings."""
    head = json.loads(members["session.json"])
    head["packings"][0] |= changes
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name, json.dumps(head).encode() if name == "session.json" else data)
    return path


def array_bytes(array):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, allow_pickle=False)
    return out.getvalue()


def array_of(data):
    return np.lib.format.read_array(io.BytesIO(data))


def refused(path, words):
    with pytest.raises(InputError, match=words) as caught:
        read_session(path)
    assert str(path) in str(caught.value)
    assert str(caught.value).isprintable()


def test_packings_come_out_as_they_went_in(tmp_path, simulation):
    path = tmp_path / "a.aggsession"
    write_session(path, state_of(simulation, packings=PACKINGS))
    read = by_name(read_session(path).packings)
    assert read.keys() == by_name(PACKINGS).keys()
    for key, kept in by_name(PACKINGS).items():
        assert_same(read[key], kept)
    pool, before = PackingPool(), PackingPool()
    pool.take_in(read.values())
    before.take_in(PACKINGS)
    for scenario, count in ((PACKING, 3), (OTHER, 2)):
        assert pool.pooled(scenario).packings == count
        one, two = pool.pooled(scenario).gaps, before.pooled(scenario).gaps
        assert one is not None
        assert two is not None
        np.testing.assert_array_equal(one.density, two.density)
    assert describe_session(path)[1] == read_session(path).describe()
    assert describe_session(path)[1].endswith("5 packings to pool")


def test_none_of_them_has_any_values(tmp_path, simulation):
    path = tmp_path / "a.aggsession"
    write_session(path, state_of(simulation, packings=[packing(1, sizes=(4, 0, 0)), packing(2, sizes=(5, 0, 0))]))
    assert [len(one.samples.gaps) for one in read_session(path).packings] == [0, 0]


def test_a_file_has_packings_only_where_there_are_some(tmp_path, simulation):
    path = tmp_path / "a.aggsession"
    write_session(path, state_of(simulation))
    with zipfile.ZipFile(path) as file:
        assert json.loads(file.read("session.json"))["packings"] == []
        assert not [name for name in file.namelist() if name.startswith("packings")]
    assert read_session(path).packings == []
    write_session(path, state_of(simulation, packings=PACKINGS))
    with zipfile.ZipFile(path) as file:
        assert len(json.loads(file.read("session.json"))["packings"]) == 2
        assert [name for name in file.namelist() if name.startswith("packings")]


def test_other_programs_can_read_them(members):
    head = json.loads(members["session.json"])["packings"]
    assert [one["seeds"] for one in head] == [[7, 2, 2**63 - 1], [1, 2]]
    assert [one["gaps"] for one in head] == [[80, 5, 80], [80, 80]]
    np.testing.assert_array_equal(array_of(members["packings/gaps.npy"])[80:85], PACKINGS[2].samples.gaps)


def test_the_newest_go_into_a_file_where_there_are_too_many(monkeypatch):
    assert newest(PACKINGS) == PACKINGS
    assert newest([]) == []
    monkeypatch.setattr(saved_pool, "MAX_PACKINGS", 3)
    assert newest(PACKINGS) == PACKINGS[2:]
    monkeypatch.setattr(saved_pool, "MAX_PACKINGS", 100)
    monkeypatch.setattr(saved_pool, "MAX_VALUES", 2 * 220)
    assert newest(PACKINGS) == PACKINGS[3:]
    monkeypatch.setattr(saved_pool, "MAX_VALUES", 10_000)
    monkeypatch.setattr(saved_pool, "MAX_SETTINGS", 1)
    assert newest(PACKINGS) == PACKINGS[4:]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"settings": "nonsense"}, "scenario"),
        ({"settings": Scenario().to_toml()}, "not of a jamming scenario"),
        ({"settings": OTHER.to_toml(), "seeds": [1, 5, 6]}, "a packing appears more than once"),
        ({"seeds": [7, 7, 2]}, "a packing appears more than once"),
        ({"seeds": [7, 2]}, "number of values is wrong"),
        ({"seeds": [7, 2, -1]}, "seed"),
        ({"seeds": [7, 2, 2**63]}, "seed"),
        ({"seeds": [7, 2, "3"]}, "packings.0.seeds"),
        ({"seeds": []}, "packings.0.seeds"),
        ({"seeds": list(range(5000))}, "packings.0.seeds"),
        ({"gaps": [80, 5, 81]}, "number of values is wrong"),
        ({"gaps": [180, -95, 80]}, "number of values is wrong"),
        ({"gaps": [10**18, 5, 80]}, "number of values is wrong"),
        ({"gaps": [80.5, 4.5, 80]}, "packings.0.gaps"),
        ({"extra": 1}, "packings.0.extra"),
    ],
)
def test_entries_that_were_spoiled(tmp_path, members, changes, words):
    refused(packed(tmp_path / "a.aggsession", members, **changes), words)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf, 1.5, 1e-310])
def test_values_that_no_packing_has(tmp_path, members, value):
    gaps = array_of(members["packings/gaps.npy"]).copy()
    gaps[17] = value
    path = packed(tmp_path / "a.aggsession", members | {"packings/gaps.npy": array_bytes(gaps)})
    refused(path, "a value is out of range")


def test_arrays_that_do_not_fit(tmp_path, members):
    path = tmp_path / "a.aggsession"
    gaps = array_of(members["packings/gaps.npy"])
    for spoiled in (gaps[:-1], gaps.astype(np.float32), gaps.reshape(1, -1)):
        packed(path, members | {"packings/gaps.npy": array_bytes(spoiled)})
        refused(path, "number of values is wrong")
    packed(path, {name: data for name, data in members.items() if name != "packings/gaps.npy"})
    refused(path, "are missing")
    packed(path, members | {"packings/evil.npy": array_bytes(gaps)})
    refused(path, "does not belong")
    head = json.loads(members["session.json"])
    for packings in ([], head["packings"] * 40):  # values of none; more settings than there can be
        with zipfile.ZipFile(path, "w") as file:
            for name, data in members.items():
                text = json.dumps(head | {"packings": packings}).encode()
                file.writestr(name, text if name == "session.json" else data)
        refused(path, "packings")
