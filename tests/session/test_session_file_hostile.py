"""Session files that somebody has made to do harm: one sentence, no memory taken, nothing written."""

from __future__ import annotations

import io
import json
import pickle
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from aggviewer.session.saved import arrays
from aggviewer.session.saved.records import RecordHead, column, columns_of
from aggviewer.session.saved.session_file import describe_session, read_session, write_session
from engine import InputError
from tests.session.session_files import amid, state_of

MOST_MEMORY = 1 << 26  # bytes


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    path = tmp_path_factory.mktemp("real") / "real.aggsession"
    write_session(path, state_of(amid("event-driven", "walls")))
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def pack(path, members, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, data in members:
            file.writestr(name, data)


def refused(path, match):
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=match) as caught:
            read_session(path)
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()
    assert caught.value.key == str(path)
    assert str(path) in str(caught.value)
    assert str(caught.value).isprintable()


def array_bytes(array):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, allow_pickle=True)
    return out.getvalue()


def header(descr, shape):
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": descr, "fortran_order": False, "shape": shape})
    return out.getvalue()


def with_head(real, **changes):
    head = json.loads(real["session.json"]) | changes
    return [("session.json", json.dumps(head).encode()), *((n, d) for n, d in real.items() if n != "session.json")]


def test_the_real_one_packed_again_is_read(tmp_path, real):
    path = tmp_path / "a.aggsession"
    for compression in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        pack(path, real.items(), compression)
        assert read_session(path).count == 120


def test_what_is_no_file_or_no_zip(tmp_path, real):
    path = tmp_path / "a.aggsession"
    refused(path, "does not exist")
    path.mkdir()
    refused(path, "is not a file")
    path = tmp_path / "b.aggsession"
    for data, words in ((b"", "is empty"), (b"PK", "not a session file"), (b"x" * 100_000, "not a session file")):
        path.write_bytes(data)
        refused(path, words)


def test_every_place_to_cut_it_off(tmp_path, real):
    path = tmp_path / "a.aggsession"
    pack(path, real.items())
    whole = path.read_bytes()
    for length in {*range(0, len(whole), len(whole) // 40), len(whole) - 1, len(whole) - 21}:
        path.write_bytes(whole[:length])
        refused(path, "not a session file|is empty|is damaged")
    path.write_bytes(whole + b"more")
    refused(path, "not a session file")


def test_a_file_that_unpacks_to_a_thousand_times_its_size(tmp_path, real):
    path = tmp_path / "bomb.aggsession"
    zeros = header("<f8", (1 << 24,)) + bytes(1 << 27)
    pack(path, [*((n, d) for n, d in real.items() if n != "lane0/past.npy"), ("lane0/past.npy", zeros)])
    assert path.stat().st_size < 1 << 20
    refused(path, "too much memory")


def test_sizes_that_lie(tmp_path, real):
    """The list of members says little, and much is unpacked; or the header of an array asks for more than there is."""
    path = tmp_path / "lies.aggsession"
    pack(path, [("lane0/past.npy", header("<f8", (3, 1 << 20)) + bytes(3 << 23)), *real.items()])
    data = bytearray(path.read_bytes())
    for signature, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        where = data.index(signature) + at
        data[where : where + 4] = struct.pack("<I", 128 + 48)
    path.write_bytes(data)
    refused(path, "damaged")
    for shape in ((1 << 60,), (1 << 30, 1 << 30, 1 << 30), (10,) * 3, (0,) * 3):
        members = dict(real) | {"lane0/radii.npy": header("<f8", shape) + bytes(80)}
        pack(path, members.items())
        refused(path, "damaged")


def test_objects_are_not_unpickled(tmp_path, real):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "harm"), "w"))

    path = tmp_path / "evil.aggsession"
    evil = array_bytes(np.array([Evil()], dtype=object))
    for data in (evil, pickle.dumps(Evil()), header("|O", (120,)) + pickle.dumps(Evil())):
        pack(path, (dict(real) | {"lane0/radii.npy": data}).items())
        refused(path, "damaged")
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize(
    "data",
    [
        header("<f8", (120,))[:60],
        header("<f4", (120,)) + bytes(480),
        header(">f8", (120,)) + bytes(960),
        header("<c16", (60,)) + bytes(960),
        header([("x", "<f8")], (120,)) + bytes(960),
        b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535,
        b"\x93NUMPY\x03\x00" + header("<f8", (120,))[8:] + bytes(960),
        b"\x93NUMPY\x01\x00\x10\x00{'descr': " + bytes(960),
        b"",
    ],
)
def test_arrays_of_other_kinds(tmp_path, real, data):
    path = tmp_path / "a.aggsession"
    pack(path, (dict(real) | {"lane0/radii.npy": data}).items())
    refused(path, "damaged")


@pytest.mark.parametrize(
    "name", ["../evil.npy", "/etc/passwd", "lane0/../evil.npy", "lane2/x.npy", "evil.py", "lane0/X.npy"]
)
def test_members_of_other_names(tmp_path, real, name):
    path = tmp_path / "sub" / "a.aggsession"
    path.parent.mkdir()
    pack(path, [*real.items(), (name, b"evil")])
    refused(path, "does not belong")
    assert [found.name for found in tmp_path.rglob("*") if found.is_file()] == ["a.aggsession"]


def test_a_second_lane_that_nobody_has_announced(tmp_path, real):
    path = tmp_path / "a.aggsession"
    pack(path, [*real.items(), ("lane1/radii.npy", real["lane0/radii.npy"])])
    refused(path, "does not belong")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_twice(tmp_path, real):
    path = tmp_path / "a.aggsession"
    pack(path, [*real.items(), ("lane0/radii.npy", real["lane0/radii.npy"])])
    refused(path, "does not belong")


def test_a_list_of_a_million_members_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "many.aggsession"
    pack(path, [(f"lane0/{'a' * (k % 20)}.npy", b"") for k in range(2)] + [(f"{k}", b"") for k in range(600)])
    monkeypatch.setattr(zipfile, "ZipFile", None)  # it must not come to that
    refused(path, "more than a session file can")


def test_what_is_encrypted_or_compressed_otherwise(tmp_path, real):
    path = tmp_path / "a.aggsession"
    pack(path, real.items(), zipfile.ZIP_BZIP2)
    refused(path, "compressed in an unsupported way")
    pack(path, real.items())
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    refused(path, "encrypted")


def test_a_file_that_is_too_large(tmp_path, real, monkeypatch):
    path = tmp_path / "a.aggsession"
    pack(path, real.items())
    monkeypatch.setattr("aggviewer.session.saved.session_file.MAX_BYTES", 1000)
    refused(path, "too large")


def test_a_check_sum_that_is_wrong(tmp_path, real):
    path = tmp_path / "a.aggsession"
    pack(path, real.items(), zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    at = data.index(real["lane0/masses.npy"]) + 200
    data[at] ^= 1
    path.write_bytes(data)
    refused(path, "is damaged")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": 8}, "newer version, aggviewer"),
        ({"format": 3, "program": "\x1b[31m" * 100}, "was written by aggviewer ·.31m·"),
        ({"format": -1, "program": 7}, "another version"),
        ({"format": 10**30}, "newer version"),
        ({"format": True}, "session.json"),
        ({"saved_as": "flying"}, "saved_as"),
        ({"saved_as": 1}, "saved_as"),
        ({"extra": 1}, "session.json is damaged at extra"),
        ({"lanes": []}, "lanes"),
        ({"format": 5, "speed": -1.0}, "speed"),
        ({"format": 5, "speed": "fast"}, "speed"),
        ({"format": 5, "picked": 7}, "run.marks.* cannot be used: discs must be a text"),
        ({"format": 5, "marks": "evil"}, "run.marks"),
        ({"format": 5, "marks": [{"kind": []}]}, "run.marks"),
        ({"time": 1e400}, "not valid JSON|time"),
        ({"document": 5}, "document"),
        ({"document": {"view": 7}}, "in session.json, view has no fields"),
        (
            {"document": {"view": {"colormap": "x" * 10_000}}},
            "in session.json, view.colormap cannot be used: no colour",
        ),
        (
            {"document": {"view": {"turn": [0.0, 0.0, 0.0, 0.0]}}},
            "view.turn cannot be used: a turn must be four finite",
        ),
        ({"document": {"view": {"color_by": "evil"}}}, "view.color_by cannot be used: color_by must be"),
        ({"document": {"view": {"\x1b[31m" * 9999: True}}}, "view.·.31m·.*"),
        ({"document": {"plots": {"chosen": [0]}}}, "plots.chosen.*cannot be used"),
        ({"document": {"plots": {"looks": {"a": [{"range": [1, 2, 3]}]}}}}, "plots.looks.a.0.range"),
        ({"document": {"pace": {"speed": 0.0}}}, "pace.speed cannot be used"),
        ({"document": {"run": {"camera": {"x": 0.0, "y": 0.0, "scale": 0.0}}}}, "run.camera.scale cannot be used"),
        (
            {"document": {"run": {"marks": {"discs": "9" * (5 << 20)}}}},
            "run.marks.* cannot be used: discs must be a text",
        ),
        ({"document": {"run": {"marks": {"evil": 1}}}}, "run.marks.* cannot be used: marks of a run have"),
        ({"document": {"x" * 41: {}}}, "document"),
        ({"document": {str(k): 0 for k in range(65)}}, "document"),
        ({"variant": {"seed": 1}}, "two simulations"),
        ({"count": -1}, "count"),
        ({"count": 119}, "another number of discs"),
        ({"program": "\x1b[31m" * 100}, "program"),
    ],
)
def test_heads_that_are_wrong(tmp_path, real, changes, words):
    path = tmp_path / "a.aggsession"
    pack(path, with_head(real, **changes))
    refused(path, words)


@pytest.mark.parametrize(
    "head",
    [b"", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"format": 1' + b"0" * 5000 + b"}", b'{"a": NaN}', b" " * (9 << 20)],
)
def test_heads_that_are_none(tmp_path, real, head):
    path = tmp_path / "a.aggsession"
    pack(path, (dict(real) | {"session.json": head}).items())
    refused(path, "session.json|newer version")
    pack(path, [(name, data) for name, data in real.items() if name != "session.json"])
    refused(path, "has no session.json")


RECORD = np.dtype([("live", "?"), ("x", "<f8"), ("box", [("low", "<f8", (2,))])], align=True)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A session with a record in it, which no simulation has: refused by its name where it could be read."""
    path = tmp_path_factory.mktemp("records") / "real.aggsession"
    state = state_of(amid("event-driven", "walls"))
    state.lanes[0].arrays["boxes"] = np.zeros(5, RECORD)
    write_session(path, state)
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def test_the_columns_of_a_record(tmp_path, recorded):
    path = tmp_path / "a.aggsession"
    pack(path, recorded.items())
    read_session(path)  # of an array that its method does not have nothing is used
    whole = recorded["lane0/boxes.x.npy"]
    for name, data, words in (
        ("lane0/boxes.x.npy", None, r"boxes\.x\.npy is damaged"),
        ("lane0/boxes.y.npy", whole, "does not belong"),
        ("lane0/boxes.npy", whole, "does not belong"),
        ("lane0/boxes.x.x.npy", whole, "does not belong"),
        ("lane0/masses.x.npy", whole, "does not belong"),
        ("lane0/boxes.x.y.z.w.npy", whole, "does not belong"),
        ("lane0/boxes.x.npy", array_bytes(np.zeros(4)), r"boxes\.x\.npy is damaged"),
        ("lane0/boxes.x.npy", array_bytes(np.zeros((5, 1))), r"boxes\.x\.npy is damaged"),
        ("lane0/boxes.x.npy", array_bytes(np.zeros(5, "<i8")), r"boxes\.x\.npy is damaged"),
        ("lane0/boxes.live.npy", array_bytes(np.full(5, 2, np.uint8)).replace(b"|u1", b"|b1"), "live.npy is damaged"),
    ):
        members = {key: value for key, value in (recorded | {name: data}).items() if value is not None}
        pack(path, members.items())
        refused(path, words)


@pytest.mark.parametrize(
    "of",
    [
        {"shape": [1 << 50]},
        {"shape": [-1]},
        {"shape": [1, 1, 1, 1]},
        {"shape": [6]},
        {"shape": [True]},
        {"aligned": 1},
        {"size": 0},
        {"size": 31},
        {"size": 36},
        {"size": 1 << 40},
        {"fields": []},
        {"fields": "x"},
        {"fields": [["x", "<f8"]] * 2},
        {"fields": [["x", "|O"]]},
        {"fields": [["x", "<c16"]]},
        {"fields": [["../x", "<f8"]]},
        {"fields": [["x", "<f8", [1 << 40]]]},
        {"fields": [["x", "<f8", [0]]]},
        {"fields": [["x", "<f8", [2, 2, 2]]]},
        {"fields": [["x", "<f8", 2]]},
        {"fields": [["x"]]},
        {"fields": [["x", [["y", [["z", [["w", "<f8"]]]]]]]]},
        {"fields": [["x", [["y", [["z", "<f8", [64, 64]]], [64, 64]]], [64, 64]]]},
        {"fields": [[f"x{k}", "<f8"] for k in range(65)]},
        {"fields": [[f"x{k}", [[f"y{m}", "<f8"] for m in range(60)]] for k in range(60)]},
        {"more": 1},
    ],
    ids=str,
)
def test_records_that_are_none(tmp_path, recorded, of):
    path = tmp_path / "a.aggsession"
    lanes = json.loads(recorded["session.json"])["lanes"]
    lanes[0]["records"]["boxes"].update(of)
    pack(path, with_head(recorded, lanes=lanes))
    refused(path, "is damaged|does not belong")


def test_what_alignment_adds_to_a_record_counts(tmp_path, recorded, monkeypatch):
    path = tmp_path / "a.aggsession"
    pack(path, recorded.items())
    with zipfile.ZipFile(path) as file:
        held = sum(info.file_size for info in file.infolist())
    for head in json.loads(recorded["session.json"])["lanes"][0]["records"].values():
        record = np.zeros(head["shape"], RecordHead(**head).dtype())
        held += record.nbytes - sum(column(record, way).nbytes for way in columns_of(record.dtype))
    monkeypatch.setattr(arrays, "MAX_BYTES", held)
    read_session(path)
    monkeypatch.setattr(arrays, "MAX_BYTES", held - 1)
    refused(path, "too much memory")


def test_a_scenario_or_a_state_that_is_wrong(tmp_path, real):
    path = tmp_path / "a.aggsession"
    lanes = json.loads(real["session.json"])["lanes"]
    for key, value in (
        ("scenario", "seed = 1" + "0" * 5000),
        ("scenario", "nonsense"),
        ("scenario", lanes[0]["scenario"].replace("event-driven", "time-stepping")),
        ("checkpoint", "[discs]\ncount = -1"),
        ("method", "time-stepping"),
        ("system", "jamming"),
    ):
        pack(path, with_head(real, lanes=[lanes[0] | {key: value}]))
        refused(path, "scenario|discs.count|session.json|cannot restore")
    label = np.lib.format.read_array(io.BytesIO(real["lane0/label.npy"]))
    label[3] = 1 << 20
    pack(path, (dict(real) | {"lane0/label.npy": array_bytes(label)}).items())
    refused(path, "the saved state is damaged")
    assert describe_session(path)[1].startswith("N = 120")  # it does not look at the arrays


def test_memory_that_is_not_there_is_said(tmp_path, real, monkeypatch):
    path = tmp_path / "a.aggsession"
    pack(path, real.items())

    def nothing_left(*_):
        raise MemoryError

    monkeypatch.setattr(arrays.np, "empty", nothing_left)
    refused(path, "not enough memory")
