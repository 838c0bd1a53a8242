"""Contacts of a packing in CSV and in GSD."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import gsd.hoomd
import numpy as np
import pytest

from engine.errors import InputError
from engine.files import FileFrame, TrajectoryWriter, open_trajectory, read, write, write_contacts
from engine.simulation import Network


def packing() -> FileFrame:
    """Two discs that touch across the edge of a periodic box and leave a gap inside it, and one that lies about."""
    net = Network(
        np.array([[0, 1], [0, -1]], np.int32),
        np.array([1.5, 0.5]),
        np.array([[-1.0, 0.0], [0.0, -1.0]]),
        np.array([False, False, True]),
    )
    places = np.array([[1.0, 1.0], [9.0, 1.0], [5.0, 5.0]])
    return FileFrame(places, np.zeros((3, 2)), np.full(3, 0.99), None, None, np.array([10.0, 8.0]), True, 4.0, "", net)


def test_csv_of_contacts(tmp_path: Path) -> None:
    path = tmp_path / "contacts.csv"
    write_contacts(path, packing())
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["i", "j", "force", "nx", "ny", "gap"]
    assert [(row["i"], row["j"], row["force"]) for row in rows] == [("0", "1", "1.5"), ("0", "-1", "0.5")]
    assert [float(row["gap"]) for row in rows] == pytest.approx([0.02, 0.01])
    with pytest.raises(InputError, match="not a packing"):
        write_contacts(path, replace(packing(), network=None))


def test_gsd_keeps_contacts(tmp_path: Path) -> None:
    path = tmp_path / "packing.gsd"
    write(path, packing())
    found = read(path)[0].network
    wanted = packing().network
    assert found is not None
    assert wanted is not None
    for name, value in vars(wanted).items():
        np.testing.assert_array_equal(getattr(found, name), value)


def test_a_recording_whose_first_frames_have_none(tmp_path: Path) -> None:
    path = tmp_path / "run.gsd"
    first = replace(packing(), network=None, time=0.0)
    with TrajectoryWriter(path, contacts=True) as writer:
        for frame in (first, packing(), replace(packing(), time=5.0)):
            writer.append(frame)
    with open_trajectory(path) as trajectory:
        assert [frame.network is None for frame in trajectory] == [True, False, False]
        assert trajectory[2].network.forces.tolist() == [1.5, 0.5]
    with gsd.hoomd.open(path) as others:  # and others can read it
        assert [len(frame.log["contacts/forces"]) for frame in others] == [1, 2, 2]
        assert others[0].log["particles/rattler"].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("pairs", np.array([[0, 3], [0, 1]], np.int32), "names a disc"),
        ("pairs", np.array([[-1, 1], [0, 1]], np.int32), "names a disc"),
        ("pairs", np.array([[0, 1]], np.int32), "fit together"),
        ("forces", np.array([-1.0, 1.0]), "above 0"),
        ("forces", np.array([np.nan, 1.0]), "above 0"),
        ("vectors", np.array([[5.0, 0.0], [0.0, 1.0]]), "length 1"),
        ("rattlers", np.array([True]), "fit together"),
    ],
)
def test_contacts_that_cannot_be_are_refused(tmp_path: Path, name: str, value: np.ndarray, words: str) -> None:
    path = tmp_path / "bad.gsd"
    net = packing().network
    assert net is not None
    write(path, replace(packing(), network=replace(net, **{name: value})))
    with pytest.raises(InputError, match=words), open_trajectory(path) as trajectory:
        trajectory[0]
