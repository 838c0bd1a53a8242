"""Contacts of a packing in CSV and in GSD."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import ase.io
import gsd.hoomd
import numpy as np
import pytest

from engine.errors import InputError
from engine.files import FileFrame, open_trajectory, read, write, write_contacts
from engine.files.contacts import contact_gaps
from engine.files.gsd.schema import contact_chunks
from engine.frame import Network


def packing(dimensions: int = 2) -> FileFrame:
    """Two discs that touch across the edge of a periodic box and leave a gap inside it, and one that lies about."""
    net = Network(
        np.array([[0, 1], [0, -1]], np.int32),
        np.array([1.5, 0.5]),
        np.array([[-1.0, 0.0], [0.0, -1.0]]),
        np.array([False, False, True]),
    )
    places = np.array([[1.0, 1.0], [9.0, 1.0], [5.0, 5.0]])
    box = np.array([10.0, 8.0])
    if dimensions > 2:  # they lie in a plane across z
        net = replace(net, vectors=np.column_stack((net.vectors, np.zeros(2))))
        places, box = np.column_stack((places, (1.0, 1.0, 2.0))), np.append(box, 6.0)
    return FileFrame(places, np.zeros_like(places), np.full(3, 0.99), None, None, box, True, 4.0, "", net)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_csv_of_contacts(tmp_path: Path, dimensions: int) -> None:
    path = tmp_path / "contacts.csv"
    write_contacts(path, packing(dimensions))
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["i", "j", "force", *("nx", "ny", "nz")[:dimensions], "gap"]
    assert [(row["i"], row["j"], row["force"]) for row in rows] == [("0", "1", "1.5"), ("0", "-1", "0.5")]
    assert [float(row["gap"]) for row in rows] == pytest.approx([0.02, 0.01])
    with pytest.raises(InputError, match="not a packing"):
        write_contacts(path, replace(packing(), network=None))


def test_contacts_with_images_are_all_kept_and_bonds_are_of_two_discs(tmp_path: Path) -> None:
    """A disc that touches its own image, and another one on both sides."""
    net = Network(
        np.array([[0, 0], [0, 1], [0, 1]], np.int32),
        np.ones(3),
        np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]]),
        np.zeros(2, bool),
    )
    places, box = np.array([[1.0, 1.0], [3.0, 1.0]]), np.array([4.0, 2.0])
    frame = FileFrame(places, np.zeros_like(places), np.ones(2), None, None, box, True, 0.0, "", net)
    np.testing.assert_allclose(contact_gaps(places, frame.radii, box, net), 0.0, atol=1e-12)
    write(tmp_path / "t.gsd", frame)
    again = read(tmp_path / "t.gsd")[0].network
    assert again.pairs.tolist() == net.pairs.tolist()
    with gsd.hoomd.open(tmp_path / "t.gsd") as file:
        assert file[0].bonds.group.tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize("dimensions", [2, 3])
def test_gsd_keeps_contacts(tmp_path: Path, dimensions: int) -> None:
    path = tmp_path / "packing.gsd"
    write(path, packing(dimensions))
    found = read(path)[0].network
    wanted = packing(dimensions).network
    for name, value in vars(wanted).items():
        np.testing.assert_array_equal(getattr(found, name), value)


def test_recordings_that_have_their_contacts_in_the_log_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As they were before contacts were bonds, with a row (-1, -1) where there are none."""
    path = tmp_path / "old.gsd"

    def as_it_was(net: Network | None, count: int, **_: bool) -> dict[str, np.ndarray]:
        if net is None:
            net = Network(np.full((1, 2), -1, np.int32), np.zeros(1), np.array([[1.0, 0.0]]), np.ones(count, bool))
        parts = (net.pairs, net.forces, net.vectors, net.rattlers.astype(np.uint8))
        names = ("contacts/pairs", "contacts/forces", "contacts/vectors", "particles/rattler")
        return {f"log/{name}": part for name, part in zip(names, parts, strict=True)}

    monkeypatch.setattr("engine.files.gsd.writer.contact_chunks", as_it_was)
    write(path, [replace(packing(), network=None), packing()])
    monkeypatch.undo()
    first, second = read(path)
    assert first.network is None
    for name, value in vars(packing().network).items():
        np.testing.assert_array_equal(getattr(second.network, name), value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("contacts/pairs", np.array([[0, 3], [0, 1]], np.int32), "names a disc"),
        ("contacts/pairs", np.array([[-1, 1], [0, 1]], np.int32), "names a disc"),
        ("contacts/pairs", np.array([[0, 1]], np.int32), "fit together"),
        ("contacts/forces", np.array([-1.0, 1.0]), "above 0"),
        ("contacts/forces", np.array([np.nan, 1.0]), "above 0"),
        ("contacts/vectors", np.array([[5.0, 0.0], [0.0, 1.0]]), "length 1"),
        ("log/particles/rattler", np.array([1], np.uint8), "fit together"),
        ("contacts/vectors", None, "a part of the contacts is missing"),
    ],
)
def test_contacts_that_cannot_be_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: np.ndarray | None, words: str
) -> None:
    path = tmp_path / "bad.gsd"

    def spoiled(net: Network | None, count: int, **about: bool) -> dict[str, np.ndarray]:
        chunks = contact_chunks(net, count, **about)
        del chunks[name]
        return chunks if value is None else {**chunks, name: value}

    monkeypatch.setattr("engine.files.gsd.writer.contact_chunks", spoiled)
    write(path, packing())
    with pytest.raises(InputError, match=words), open_trajectory(path) as trajectory:
        trajectory[0]


@pytest.mark.parametrize("name", ["t.xyz", "t.dump"])
def test_contacts_of_formats_that_have_none_stand_beside_them(tmp_path: Path, name: str) -> None:
    frames = [replace(packing(), network=None), packing()]
    write(tmp_path / name, frames)
    assert (tmp_path / "t.contacts.local").read_text() == "".join(
        f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ENTRIES\n{count}\nITEM: BOX BOUNDS pp pp pp\n0.0 10.0\n0.0 8.0\n"
        f"-0.5 0.5\nITEM: ENTRIES batom1 batom2 force\n{rows}"
        for step, count, rows in ((0, 0, ""), (1, 1, "1 2 1.5\n"))
    )
    again = read(tmp_path / name)
    assert again[1].positions.tolist() == packing().positions.tolist()
    assert ("id:I:1" in (tmp_path / name).read_text()) == (name == "t.xyz")  # which the bonds name


def test_forces_of_walls_are_columns_of_the_discs_and_radii_are_types(tmp_path: Path) -> None:
    """Walls are no particles, so a bond cannot name them; in a corner both walls push."""
    frame = replace(packing(), periodic=False, radii=np.array([0.99, 0.5, 0.99]))
    frame.network = Network(
        np.array([[0, 1], [0, -1], [0, -1]], np.int32),
        np.array([1.5, 0.5, 1.0]),
        np.array([[1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]]),
        np.zeros(3, bool),
    )
    for name in ("t.xyz", "t.dump"):
        write(tmp_path / name, [frame])
        np.testing.assert_array_equal(read(tmp_path / name)[0].positions, frame.positions)
    np.testing.assert_array_equal(ase.io.read(tmp_path / "t.xyz").arrays["wall_force"][:2], [[1.0, 0.5, 0], [0, 0, 0]])
    deep = replace(
        packing(3), periodic=False, network=replace(packing(3).network, vectors=np.array([[1, 0, 0], [0, 0, 1]]))
    )
    for name in ("d.xyz", "d.dump"):
        write(tmp_path / name, [deep])
    assert ase.io.read(tmp_path / "d.xyz").arrays["wall_force"][0].tolist() == [0.0, 0.0, -0.5]
    assert " wall_fx wall_fy wall_fz\n" in (tmp_path / "d.dump").read_text()
    *_, head, first, second, third = (tmp_path / "t.dump").read_text().splitlines()
    assert head == "ITEM: ATOMS id type x y z vx vy vz radius wall_fx wall_fy"
    assert first.split()[1] == "2"
    assert first.split()[-2:] == ["1.0", "0.5"]
    assert [line.split()[1] for line in (second, third)] == ["1", "2"]
    write(
        tmp_path / "many.dump",
        replace(frame, network=None, positions=np.ones((40, 2)), velocities=None, radii=np.linspace(0.1, 0.2, 40)),
    )
    assert {line.split()[1] for line in (tmp_path / "many.dump").read_text().splitlines()[9:]} == {"1"}


def test_contacts_alone_as_a_local_dump(tmp_path: Path) -> None:
    write_contacts(tmp_path / "c.local", packing())
    assert (tmp_path / "c.local").read_text().endswith("ITEM: ENTRIES batom1 batom2 force\n1 2 1.5\n")


def test_gaps_of_contacts_by_hand() -> None:
    """Two discs in a small periodic box meet on both sides; between walls a disc has the distance to its wall."""
    box, radii = np.array([4.2, 6.0]), np.array([1.0, 1.0])
    places = np.array([[1.0, 2.0], [3.05, 2.0]])
    right, left = np.array([1.0, 0.0]), np.array([-1.0, 0.0])
    both = Network(np.array([[0, 1], [0, 1]], np.int32), np.ones(2), np.array([right, left]), np.zeros(2, bool))
    np.testing.assert_allclose(contact_gaps(places, radii, box, both), [0.05, 0.15])
    pairs = np.array([[0, -1], [1, -1], [0, -1], [1, -1]], np.int32)  # the direction says which wall
    ways = np.array([left, right, [0.0, -1.0], [0.0, 1.0]])
    walls = Network(pairs, np.ones(4), ways, np.zeros(2, bool))
    np.testing.assert_allclose(contact_gaps(places, radii, box, walls), [0.0, 0.15, 1.0, 3.0], atol=1e-12)
