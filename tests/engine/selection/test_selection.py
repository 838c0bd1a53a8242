"""Sets of discs, what clusters have, and how both are chosen by an expression."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine import analysis
from engine.boundary import Periodic
from engine.errors import InputError
from engine.fields import fields_in
from engine.files import FileFrame, read, write
from engine.frame import Frame, Network
from engine.selection import (
    CLUSTER_FIELDS,
    ClusterColumns,
    Expression,
    FrameClusters,
    Selection,
    disc_fields,
    example,
    numbers_in,
    where,
)
from engine.state import InitialState
from engine.system import system_of, systems
from tests.builders.boxes import every_boundary

sets = st.integers(1, 40).flatmap(
    lambda count: st.tuples(st.just(count), *[st.sets(st.integers(0, count - 1)) for _ in range(2)])
)


@given(sets)
def test_sets_of_discs_are_sets(drawn: tuple[int, set[int], set[int]]) -> None:
    count, one, other = drawn
    a, b = Selection.discs(one, count), Selection.discs(other, count)
    assert set(a.numbers.tolist()) == one
    assert len(a) == len(one)
    assert bool(a) == bool(one)
    assert [disc in a for disc in range(-1, count + 2)] == [disc in one for disc in range(-1, count + 2)]
    for found, wanted in ((a | b, one | other), (a & b, one & other), (a - b, one - other), (a ^ b, one ^ other)):
        assert found == Selection.discs(wanted, count)
        assert hash(found) == hash(Selection.discs(wanted, count))
    assert set((~a).numbers.tolist()) == set(range(count)) - one
    assert a == Selection.of(a.mask)
    assert (a == b) == (one == other)
    assert Selection.all(count) == ~Selection.none(count)


def test_a_disc_that_is_not_there() -> None:
    with pytest.raises(InputError, match="there is no disc 5; discs are numbered 0 to 4"):
        Selection.discs([1, 5], 5)
    with pytest.raises(ValueError, match="of 5 discs and one of 6"):
        Selection.none(5) | Selection.none(6)


def test_whole_clusters() -> None:
    cluster = np.array([0, 1, 1, 4, 4, 4])
    assert Selection.discs([2], 6).whole_clusters(cluster).numbers.tolist() == [1, 2]
    assert Selection.none(6).whole_clusters(cluster).numbers.tolist() == []


def test_numbers_that_are_typed() -> None:
    assert numbers_in("17") == [(17, 17)]
    assert numbers_in("3, 17 20-30") == [(3, 3), (17, 17), (20, 30)]
    assert numbers_in("size > 3") is None
    assert numbers_in("") is None
    assert numbers_in("-3") is None
    with pytest.raises(InputError, match="is in reverse order"):
        numbers_in("9-3")
    with pytest.raises(InputError, match="at most 64"):
        numbers_in("1 " * 65)


def hooks(rng: np.random.Generator, periodic: Periodic | bool) -> tuple[Frame, InitialState]:
    """Three chains that touch, one of them over a corner of the box, and some single discs."""
    box = np.array([60.0, 50.0])
    chains = [
        np.array([(2.0 * i, 0.0) for i in range(9)] + [(16.0, 2.0 * i) for i in range(1, 5)]) + np.array((50.0, 44.0)),
        np.array([(2.0 * i, 0.0) for i in range(5)]) + np.array((20.0, 30.0)),
        np.array([(0.0, 2.0 * i) for i in range(3)] + [(2.0, 4.0)]) + np.array((40.0, 20.0)),
        np.array([(5.0, 25.0)]),
    ]
    chains[0] -= np.where(periodic, 0.0, (49.0, 43.0))
    cluster = np.concatenate([np.full(len(chain), k) for k, chain in enumerate(chains)]).astype(np.int32) + 3
    places = np.concatenate(chains) % box
    order = rng.permutation(len(places))
    places, cluster = places[order], cluster[order]
    count = len(places)
    state = InitialState(
        places, rng.normal(size=(count, 2)), np.ones(count), rng.uniform(1, 2, count), cluster, box, periodic
    )
    frame = Frame(1.0, places, state.velocities, {"cluster": cluster}, 4, 0.0)
    return frame, state


@every_boundary(2)
def test_quantities_of_a_cluster_are_those_of_it_alone(periodic: Periodic) -> None:
    frame, discs = hooks(np.random.default_rng(3), periodic)
    clusters = FrameClusters(frame, discs)
    columns = ClusterColumns(clusters, CLUSTER_FIELDS)
    assert columns["cluster"].tolist() == [3, 4, 5, 6]
    for row, label in enumerate(columns["cluster"]):
        own = frame.cluster == label
        masses = discs.masses[own]
        assert columns["size"][row] == own.sum()
        assert columns["mass"][row] == pytest.approx(masses.sum())
        momentum = masses @ frame.velocities[own]
        assert (columns["vx"][row], columns["vy"][row]) == pytest.approx(tuple(momentum / masses.sum()))
        assert columns["speed"][row] == pytest.approx(np.hypot(*momentum) / masses.sum())
        assert columns["contacts"][row] == own.sum() - 1
        shape = analysis.gyration(frame.positions[own], discs.radii[own], discs.box, periodic=periodic)
        tensor = np.zeros((2, 2)) if shape.tensor is None else shape.tensor
        assert columns["gyration"][row] == pytest.approx(np.sqrt(np.trace(tensor)), abs=1e-12)
        assert columns["aspect"][row] == pytest.approx(shape.aspect_ratio or np.nan, nan_ok=True)
    # a single row across an edge: its middle lies in the box, where its discs are
    row = int(np.flatnonzero(columns["size"] == 5)[0])
    assert columns["y"][row] == pytest.approx(30.0)


def test_a_cluster_joined_to_its_own_image_has_no_shape() -> None:
    box = np.array([20.0, 30.0])
    places = np.array([(2.0 * i + 1.0, 5.0) for i in range(10)] + [(3.0, 20.0), (5.0, 20.0)])
    labels = np.array([0] * 10 + [10] * 2, np.int32)
    state = InitialState(places, np.zeros((12, 2)), np.ones(12), np.ones(12), labels, box, True)
    frame = Frame(0.0, places, state.velocities, {"cluster": labels}, 2, 0.0)
    clusters = FrameClusters(frame, state)
    assert np.isnan(clusters.radii_of_gyration[0])
    assert clusters.radii_of_gyration[1] == pytest.approx(1.0)
    assert clusters.sizes.tolist() == [10, 2]


def test_discs_that_are_named_alike_but_not_in_contact_have_no_shape() -> None:
    places = np.array([(3.0, 5.0), (5.0, 5.0), (3.0, 20.0), (9.0, 9.0)])
    labels = np.array([0, 0, 0, 3], np.int32)
    state = InitialState(places, np.zeros((4, 2)), np.ones(4), np.ones(4), labels, np.array([20.0, 30.0]), True)
    clusters = FrameClusters(Frame(0.0, places, state.velocities, {"cluster": labels}, 2, 0.0), state)
    assert np.isnan(clusters.radii_of_gyration[0])
    assert clusters.middles[1].tolist() == [9.0, 9.0]


def test_discs_are_chosen_by_an_expression_and_stay_the_same_through_merges() -> None:
    scenario = engine.Scenario.from_values({"seed": 4, "discs": {"count": 60}})
    simulation = engine.create(scenario)
    simulation.advance(until_clusters=20)
    frame = simulation.frame()
    sizes = np.bincount(frame.cluster)[frame.cluster]
    mask = engine.select(simulation, "size == max(size)")
    assert mask.tolist() == (sizes == sizes.max()).tolist()
    right = engine.select(simulation, "x > 0.5 * max(x) and disc < 30", frame)
    assert (
        right.tolist() == ((frame.positions[:, 0] > 0.5 * frame.positions[:, 0].max()) & (np.arange(60) < 30)).tolist()
    )
    simulation.advance(until_clusters=1)
    assert len(set(simulation.frame().cluster[mask].tolist())) == 1  # they are still in one cluster
    with pytest.raises(InputError, match=r"there is no sizes here .did you mean size"):
        engine.select(simulation, "sizes > 3")


def test_every_field_of_every_system_can_be_named() -> None:
    for system in systems():
        fields = disc_fields(system)
        names = [field.name for field in fields]
        assert len(set(names)) == len(names)
        own = {"disc", "x", "y", "radius", "mass", *(("vx", "vy") if system.moves else ())}
        assert own | {field.name for field in fields_in(system.fields, 2)} == set(names)


def test_there_is_an_example_of_a_condition_for_every_system() -> None:
    for system in systems():
        for fields in (disc_fields(system), system.cluster_fields):
            names = {field.name for field in fields}
            assert set(Expression(example(names)).names) <= names
    assert example(["mass"]) == ""


def test_fields_that_a_frame_does_not_hold_are_measured_or_unknown() -> None:
    scenario = engine.Scenario.from_values({"system": "hard-discs", "discs": {"count": 16}})
    simulation = engine.create(scenario)
    frame = simulation.frame()
    del frame.fields["collisions"]
    assert len(where("contacts >= 0", frame, simulation, system_of(scenario))) == 16
    assert len(where("collisions >= 0", frame, simulation, system_of(scenario))) == 0


def test_files_say_what_is_selected(tmp_path: Path) -> None:
    frame, discs = hooks(np.random.default_rng(3), True)
    mask = frame.cluster == 4
    state = FileFrame.of(frame, discs).marked(mask)
    for name in ("a.csv", "a.gsd"):
        write(tmp_path / name, state)
        (again,) = read(tmp_path / name)
        assert (again.fields["selected"] == mask).all()
    write(tmp_path / "a.xyz", state)
    text = (tmp_path / "a.xyz").read_text()
    assert "selected:I:1" in text.splitlines()[1]
    assert [line.split()[-1] == "1" for line in text.splitlines()[2:]] == mask.tolist()
    assert (read(tmp_path / "a.xyz")[0].positions == state.positions).all()
    write(tmp_path / "b.csv", FileFrame.of(frame, discs))
    assert "selected" not in (tmp_path / "b.csv").read_text()
    (tmp_path / "c.csv").write_text("x,y,selected\n1,2,3\n")
    with pytest.raises(InputError, match="line 2: selected must be 0 or 1, not 3"):
        read(tmp_path / "c.csv")


def test_only_the_selected_discs_in_a_file(tmp_path: Path) -> None:
    frame, discs = hooks(np.random.default_rng(3), True)
    mask = frame.cluster == 4
    chosen = FileFrame.of(frame, discs).only(mask)
    assert (chosen.positions == frame.positions[mask]).all()
    assert chosen.radii is not None
    assert len(chosen.radii) == 5
    assert chosen.box is discs.box
    write(tmp_path / "some.xyz", chosen)
    assert len(read(tmp_path / "some.xyz")[0].positions) == 5


def test_contacts_of_the_selected_discs_keep_their_ends() -> None:
    pairs = np.array([(0, 1), (1, 2), (2, -1), (3, 2)], np.int32)
    network = Network(pairs, np.arange(4.0), np.ones((4, 2)), np.array([True, False, False, True]))
    state = FileFrame(np.zeros((4, 2)), network=network)
    found = state.only(np.array([False, True, True, True])).network
    assert found.pairs.tolist() == [[0, 1], [1, -1], [2, 1]]
    assert found.forces.tolist() == [1.0, 2.0, 3.0]
    assert found.rattlers.tolist() == [False, False, True]
