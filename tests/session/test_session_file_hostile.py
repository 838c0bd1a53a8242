"""Session files that somebody has made to do harm, or that were spoiled at random: one sentence, no memory taken,
nothing written. `AGGVIEWER_FUZZ_SESSIONS` sets how many are tried of each kind (`make fuzz`)."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import struct
import tracemalloc
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aggviewer.session.saved.session_file import describe_session, read_session, write_session
from engine import InputError
from engine.files import session_arrays as arrays
from tests.fuzz.mutation import spoiled
from tests.session.session_files import amid, state_of

MOST_MEMORY = 1 << 26  # bytes
Members = dict[str, bytes]

cases = settings(
    max_examples=int(os.environ.get("AGGVIEWER_FUZZ_SESSIONS", "60")),
    derandomize="AGGVIEWER_FUZZ_SESSIONS" not in os.environ,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Members:
    path = tmp_path_factory.mktemp("real") / "real.aggsession"
    write_session(path, state_of(amid("event-driven", "walls")))
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.aggsession"


def pack(path: Path, members: Iterable[tuple[str, bytes]], compression: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, data in members:
            file.writestr(name, data)


def refusal(path: Path) -> str:
    """Why a file is refused, "" if it is read. In one sentence that names the file, with little memory."""
    refused = None
    tracemalloc.start()
    try:
        read_session(path)
    except InputError as error:
        refused = error
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < MOST_MEMORY
    if refused is None:
        return ""
    message = str(refused)
    assert refused.key == str(path)
    assert str(path) in message
    assert message.isprintable()
    assert len(message) < 600 + len(str(path))
    return message


def refused(path: Path, words: str) -> None:
    message = refusal(path)
    assert re.search(words, message), message


def header(descr: str, shape: tuple[int, ...]) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": descr, "fortran_order": False, "shape": shape})
    return out.getvalue()


def with_head(real: Members, head: Any) -> Members:
    return real | {"session.json": json.dumps(head).encode()}


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all values within lists and dictionaries."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way, *(place for key, part in inside for place in places(part, (*way, key)))]


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.sampled_from([-1, 0, 1, 7, 65, 1 << 31, 1 << 40, 1 << 50]),
    st.floats(),
    st.text(max_size=50),
    st.sampled_from(["<f8", "|O", "<c16", "../x", "x" * 10_000, "\x1b[31m" * 100, "jamming", "[discs]\ncount = -1"]),
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=70) | st.dictionaries(st.text(max_size=41), inner, max_size=70)
)


@cases
@given(data=st.data())
def test_a_head_with_any_value_in_any_place_is_read_or_refused(tmp_path, real: Members, data: st.DataObject) -> None:
    head = json.loads(real["session.json"])
    way = data.draw(st.sampled_from(places(head)[1:]))
    *before, last = way
    inside = head
    for key in before:
        inside = inside[key]
    how = data.draw(st.sampled_from(["other", "other", "gone", "twice", "more"]))
    if how == "gone":
        del inside[last]
    elif how == "twice" and isinstance(inside, list):
        inside.append(inside[last])
    elif how == "more" and isinstance(inside, dict):
        inside[data.draw(st.text(max_size=41))] = data.draw(VALUES)
    else:
        inside[last] = data.draw(VALUES)
    pack(tmp_path / "a.aggsession", with_head(real, head).items())
    refusal(tmp_path / "a.aggsession")


KINDS = st.sampled_from(["<f8", ">f8", "<f4", "<i4", "<i8", "|b1", "|O", "<c16", "<U3", "<M8[s]"])
SHAPES = st.lists(st.sampled_from([0, 1, 2, 10, 60, 119, 120, 121, 1 << 30, 1 << 60]), max_size=4)
NAMES = st.sampled_from(
    ["../evil.npy", "/etc/passwd", "lane0/../evil.npy", "lane2/x.npy", "lane1/radii.npy", "evil.py"]
)


@cases
@given(data=st.data())
def test_a_member_of_any_name_with_any_bytes_is_read_or_refused(tmp_path, real: Members, data: st.DataObject) -> None:
    names = sorted(real)
    victim = data.draw(st.sampled_from(names))
    name = data.draw(st.just(victim) | NAMES | st.just(victim.upper()) | st.just(victim.replace(".npy", ".x.npy")))
    contents = data.draw(
        st.sampled_from(names).map(real.__getitem__)
        | st.builds(lambda kind, shape: header(kind, tuple(shape)) + real[victim][128:], KINDS, SHAPES)
        | st.builds(lambda seed: spoiled(".json", seed, real[victim]), st.integers(0, 2**64))
        | st.binary(max_size=200)
    )
    members = {key: value for key, value in real.items() if key != victim} | {name: contents}
    path = tmp_path / "sub" / "a.aggsession"
    path.parent.mkdir(exist_ok=True)
    pack(path, members.items())
    assert (refusal(path) != "") or name in real
    assert [found.name for found in tmp_path.rglob("*") if found.is_file()] == ["a.aggsession"]


@cases
@given(seed=st.integers(0, 2**64))
def test_a_file_with_bytes_changed_or_cut_off_is_read_or_refused(tmp_path, real: Members, seed: int) -> None:
    path = tmp_path / "a.aggsession"
    pack(path, real.items(), zipfile.ZIP_DEFLATED if seed % 2 else zipfile.ZIP_STORED)
    path.write_bytes(spoiled(".aggsession", seed, path.read_bytes()))
    refusal(path)


def test_a_folder_or_file_that_is_no_zip_is_refused(path: Path) -> None:
    refused(path, "does not exist")
    for data, words in ((b"", "is empty"), (b"PK", "not a session file"), (b"x" * 100_000, "not a session file")):
        path.write_bytes(data)
        refused(path, words)
    path.unlink()
    path.mkdir()
    refused(path, "is not a file")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": 8}, "newer version, aggviewer"),
        ({"format": 3, "program": "\x1b[31m" * 100}, "was written by aggviewer ·.31m·"),
        ({"format": -1, "program": 7}, "another version"),
        ({"extra": 1}, "session.json is damaged at extra"),
        ({"document": {"view": {"color_by": "evil"}}}, "view.color_by cannot be used: color_by must be"),
        ({"variant": {"seed": 1}}, "two simulations"),
        ({"count": 119}, "another number of discs"),
    ],
)
def test_a_wrong_value_in_a_head_is_named(path: Path, real: Members, changes: dict[str, Any], words: str) -> None:
    pack(path, with_head(real, json.loads(real["session.json"]) | changes).items())
    refused(path, words)


@pytest.mark.parametrize(
    "head",
    [b"", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"format": 1' + b"0" * 5000 + b"}", b'{"a": NaN}', b" " * (9 << 20)],
)
def test_heads_that_are_none_are_refused(path: Path, real: Members, head: bytes) -> None:
    pack(path, (real | {"session.json": head}).items())
    refused(path, "session.json|newer version")
    pack(path, [(name, data) for name, data in real.items() if name != "session.json"])
    refused(path, "has no session.json")


def test_a_scenario_of_another_method_and_arrays_out_of_range_are_refused(path: Path, real: Members) -> None:
    head = json.loads(real["session.json"])
    head["lanes"][0]["method"] = "time-stepping"
    pack(path, with_head(real, head).items())
    refused(path, "belongs to another method")
    pack(path, (real | {"lane0/label.npy": header("<i4", (120,)) + b"\xff\x00\xff\x00" * 120}).items())
    refused(path, "the saved state is damaged: label must be from 0 to 119")
    assert describe_session(path)[1].startswith("N = 120")  # it does not look at the arrays


def test_a_file_that_unpacks_to_a_thousand_times_its_size_is_refused(path: Path, real: Members) -> None:
    pack(path, (real | {"lane0/past.npy": header("<f8", (1 << 24,)) + bytes(1 << 27)}).items())
    assert path.stat().st_size < 1 << 20
    refused(path, "too much memory")


def test_a_list_of_members_that_lies_about_sizes_is_refused(path: Path, real: Members) -> None:
    pack(path, [("lane0/past.npy", header("<f8", (3, 1 << 20)) + bytes(3 << 23)), *real.items()])
    data = bytearray(path.read_bytes())
    for signature, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        where = data.index(signature) + at
        data[where : where + 4] = struct.pack("<I", 128 + 48)
    path.write_bytes(data)
    refused(path, "damaged")


def test_objects_are_not_unpickled(path: Path, real: Members) -> None:
    harm = path.with_name("harm")

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return (open, (str(harm), "w"))

    out = io.BytesIO()
    np.lib.format.write_array(out, np.array([Evil()], dtype=object), allow_pickle=True)
    for data in (out.getvalue(), pickle.dumps(Evil()), header("|O", (120,)) + pickle.dumps(Evil())):
        pack(path, (real | {"lane0/radii.npy": data}).items())
        refused(path, "damaged")
    assert not harm.exists()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_twice_is_refused(path: Path, real: Members) -> None:
    pack(path, [*real.items(), ("lane0/radii.npy", real["lane0/radii.npy"])])
    refused(path, "does not belong")


def test_a_list_of_a_million_members_is_not_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack(path, [(f"{k}", b"") for k in range(600)])
    monkeypatch.setattr(zipfile, "ZipFile", None)  # it must not come to that
    refused(path, "more than a session file can")


def test_encrypted_members_and_other_compressions_are_refused(path: Path, real: Members) -> None:
    pack(path, real.items(), zipfile.ZIP_BZIP2)
    refused(path, "compressed in an unsupported way")
    pack(path, real.items())
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    refused(path, "encrypted")


def test_a_wrong_check_sum_is_noticed(path: Path, real: Members) -> None:
    pack(path, real.items(), zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    data[data.index(real["lane0/masses.npy"]) + 200] ^= 1
    path.write_bytes(data)
    refused(path, "is damaged")


def test_a_file_that_is_too_large_or_for_which_there_is_no_memory_is_refused(
    path: Path, real: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing_left(*_: object) -> None:
        raise MemoryError

    pack(path, real.items())
    monkeypatch.setattr("engine.files.session_file.MAX_BYTES", 1000)
    refused(path, "too large")
    monkeypatch.undo()
    monkeypatch.setattr(arrays.np, "empty", nothing_left)
    refused(path, "not enough memory")
