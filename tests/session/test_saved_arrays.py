"""Arrays in session files: every plain kind of number and every record of such comes back, nothing is written that
could not be read again."""

from __future__ import annotations

import zipfile
from dataclasses import replace

import numpy as np
import pytest

from aggviewer.session.saved.session_file import read_session, write_session
from engine import InputError
from engine.files.session_arrays import KINDS, read_array, write_array
from tests.session.session_files import started, state_of

PLAIN = [np.dtype(code) for code in "?bhiqBHIQefd"]


def through(tmp_path, array):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as file:
        write_array(file, "x.npy", array, lambda: False)
    with zipfile.ZipFile(path) as file:
        return read_array(path, file, "x.npy")


@pytest.mark.parametrize("dtype", PLAIN, ids=str)
def test_plain_numbers_of_every_kind_come_back(tmp_path, dtype):
    numbers = np.random.default_rng(1).integers(0, 2, (3, 4)).astype(dtype)
    for array in (numbers, numbers.T, numbers[0], numbers[:0], numbers[0, 0], numbers[None]):
        array = np.asarray(array)
        again = through(tmp_path, array)
        assert again.dtype == array.dtype
        assert again.shape == array.shape
        np.testing.assert_array_equal(again, array)
    assert dtype.str in KINDS


def test_an_array_longer_than_a_piece_comes_back(tmp_path):
    rng = np.random.default_rng(1)
    rows = np.zeros(600_000, [("x", "f8"), ("owners", "i4", (3,)), ("flag", "?")])
    rows["x"], rows["owners"] = rng.random(600_000), rng.integers(0, 99, (600_000, 3))
    for array in (rows["x"], rows["owners"], rows["flag"], rng.random((600_000, 2)).T, rng.random((3, 300_000, 2))):
        np.testing.assert_array_equal(through(tmp_path, array), array)


def test_the_order_of_bytes_of_another_machine_is_turned_round(tmp_path):
    array = np.arange(5, dtype=">u4")
    assert through(tmp_path, array).dtype == np.dtype("<u4")
    np.testing.assert_array_equal(through(tmp_path, array), array)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(3, np.complex128),
        np.array([None]),
        np.array(["text"]),
        np.zeros(2, np.dtype([("x", "<f8"), ("y", "O")])),
        np.zeros(2, np.dtype([("x", [("deeper", "<f8")])])),
        np.zeros((2, 2), np.dtype([("x", "<f8")])),
        np.zeros((1, 1, 1, 1)),
        np.zeros(2, "<M8[s]"),
    ],
    ids=lambda array: f"{str(array.dtype)[:60]} {array.ndim}",
)
def test_an_array_that_could_not_be_read_is_not_written(tmp_path, array):
    if array.dtype.names is None:
        with pytest.raises(InputError, match=r"x\.npy cannot be saved"):
            through(tmp_path, array)
    state = state_of(started("event-driven", "walls"))
    state.lanes[0].arrays["more"] = array
    with pytest.raises(InputError, match="cannot be saved"):
        write_session(tmp_path / "b.aggsession", state)
    assert not (tmp_path / "b.aggsession").exists()


def test_names_and_numbers_of_arrays_that_could_not_be_read_are_not_written(tmp_path):
    path = tmp_path / "b.aggsession"
    whole = state_of(started("event-driven", "walls"))
    for more in (
        {"Upper": np.zeros(2)},
        {"x": np.zeros(2, [("Upper", "<f8")])},
        {"../x": np.zeros(2)},
        {"a" * (k + 1): np.zeros(2) for k in range(200)},
    ):
        lane = replace(whole.lanes[0], arrays=whole.lanes[0].arrays | more)
        with pytest.raises(InputError, match=r"does not belong|more than a session file can"):
            write_session(path, replace(whole, lanes=[lane]))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("count", [0, 7])
@pytest.mark.parametrize("aligned", [False, True])
def test_records_come_back_field_by_field_and_numpy_alone_can_read_them(tmp_path, count, aligned):
    path = tmp_path / "a.aggsession"
    array = np.zeros(count, np.dtype([("live", "?"), ("x", ">f8"), ("child", "<i4", (2, 2))], align=aligned))
    array["live"], array["x"] = np.arange(count) % 2, np.random.default_rng(4).random(count)
    array["child"] = np.arange(4 * count).reshape(count, 2, 2)
    state = state_of(started("event-driven", "walls"))
    state.lanes[0].arrays["nodes"] = array
    write_session(path, state)
    (lane,) = read_session(path).lanes
    assert lane.arrays["nodes"].dtype.names == array.dtype.names
    with zipfile.ZipFile(path) as file:
        for field in array.dtype.names:
            np.testing.assert_array_equal(lane.arrays["nodes"][field], array[field])
            with file.open(f"lane0/nodes.{field}.npy") as source:
                np.testing.assert_array_equal(np.lib.format.read_array(source, allow_pickle=False), array[field])


def test_a_truth_value_is_0_or_1(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as file:
        write_array(file, "x.npy", np.array([0, 1, 2], np.uint8), lambda: False)
        data = file.read("x.npy").replace(b"|u1", b"|b1")
        file.writestr("y.npy", data)
    with zipfile.ZipFile(path) as file, pytest.raises(InputError, match=r"y\.npy is damaged"):
        read_array(path, file, "y.npy")
