"""Arrays in session files: every plain kind of number comes back, nothing is written that could not be read again."""

from __future__ import annotations

import zipfile
from dataclasses import replace

import numpy as np
import pytest

from aggviewer.session.saved.arrays import KINDS, read_array, write_array
from aggviewer.session.saved.session_file import write_session
from engine import InputError
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
        np.zeros(2, np.dtype([("x", "<f8")])),
        np.zeros((1, 1, 1, 1)),
        np.zeros(2, "<M8[s]"),
    ],
    ids=lambda array: f"{array.dtype} {array.ndim}",
)
def test_what_could_not_be_read_is_not_written(tmp_path, array):
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
    for more in ({"Upper": np.zeros(2)}, {"../x": np.zeros(2)}, {"a" * (k + 1): np.zeros(2) for k in range(200)}):
        lane = replace(whole.lanes[0], arrays=whole.lanes[0].arrays | more)
        with pytest.raises(InputError, match=r"does not belong|more than a session file can"):
            write_session(path, replace(whole, lanes=[lane]))
    assert list(tmp_path.iterdir()) == []


def test_a_truth_value_is_0_or_1(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as file:
        write_array(file, "x.npy", np.array([0, 1, 2], np.uint8), lambda: False)
        data = file.read("x.npy").replace(b"|u1", b"|b1")
        file.writestr("y.npy", data)
    with zipfile.ZipFile(path) as file, pytest.raises(InputError, match=r"y\.npy is damaged"):
        read_array(path, file, "y.npy")
