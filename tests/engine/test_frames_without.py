"""Frames that are made without what nobody looks at: the rest is the same, and what is missing is named."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import engine
from engine.capabilities import Sparing, frame_with
from engine.fields import SPEED, Field, all_read, fields_in
from engine.files import FileFrame
from engine.frame import Frame, FrameDiscs, LeftOutError
from engine.scenario import Scenario
from engine.simulation import Simulation
from engine.system import system

RUNS = {
    "event-driven": {"discs.count": 100, "discs.volume_fraction": 0.2},
    "time-stepping": {"discs.count": 100, "discs.volume_fraction": 0.2, "aggregation.method": "time-stepping"},
    "hard-discs": {
        "system": "hard-discs",
        "discs.count": 64,
        "discs.volume_fraction": 0.3,
        "box.boundary": "periodic",
        "velocities.distribution": "maxwell",
    },
    "jamming": {"system": "jamming", "discs.count": 16, "discs.arrangement": "random", "box.boundary": "periodic"},
}
SPARING = ("event-driven", "time-stepping", "hard-discs")
"""Those that leave something out."""


def run_of(name: str) -> Simulation:
    """A simulation in the middle of its run."""
    simulation = engine.create(Scenario().with_values(RUNS[name]))
    simulation.advance(max_events=2 if name == "jamming" else 60)
    return simulation


def arrays_of(frame: Frame) -> dict[str, np.ndarray]:
    """All arrays of each disc that a frame has."""
    own = {name: values for name, values in vars(frame).items() if isinstance(values, np.ndarray)}
    return own | dict(frame.fields)


@pytest.mark.parametrize("name", SPARING)
def test_what_is_wanted_is_there_to_the_bit_and_nothing_else(name: str) -> None:
    simulation = run_of(name)
    whole = simulation.frame()
    names = sorted({"velocities", *whole.fields} - {"cluster"})
    assert any(arrays_of(whole)[each].any() for each in names), "or there is nothing to be compared"
    buffer = Frame.empty(simulation.count)
    for some in [combination for k in range(len(names) + 1) for combination in combinations(names, k)]:
        for values in arrays_of(buffer).values():
            values[:] = 77
        part = frame_with(simulation, some, buffer)
        assert part is buffer
        there = arrays_of(part)
        assert set(there) == {"positions", *some} | ({"cluster"} & set(whole.fields))
        for each, values in there.items():
            assert np.array_equal(values, arrays_of(whole)[each]), each
        assert part.left_out == set(names) - set(some)
        told = (part.time, part.clusters, part.kinetic_energy, part.radius_factor, part.remark)
        assert told == (whole.time, whole.clusters, whole.kinetic_energy, whole.radius_factor, whole.remark)
        assert part.impacts is not None
        assert whole.impacts is not None
        assert np.array_equal(part.impacts.time, whole.impacts.time)
    again = simulation.frame(buffer)
    assert not again.left_out
    for each, values in arrays_of(again).items():
        assert np.array_equal(values, arrays_of(whole)[each]), f"{each} of the same buffer afterwards"


@pytest.mark.parametrize("name", SPARING)
def test_times_of_merges_are_right_also_where_frames_before_were_made_without(name: str) -> None:
    simulation, other = run_of(name), run_of(name)
    for time in np.linspace(simulation.time, 3.0 * simulation.time, 6)[1:]:
        for one in (simulation, other):
            one.advance(time)
        frame_with(simulation, ())
        other.frame()
    found, usual = arrays_of(simulation.frame()), arrays_of(other.frame())
    for each, values in usual.items():
        assert np.array_equal(found[each], values), each


@pytest.mark.parametrize("name", RUNS)
def test_every_field_reads_no_more_than_it_says(name: str) -> None:
    simulation = run_of(name)
    discs, whole = FrameDiscs.of(simulation), simulation.frame()
    for field in fields_in(system(simulation.system).fields, 2):
        part = frame_with(simulation, field.reads)
        for read in (field.values, field.measure):
            if read is not None:
                found, usual = read(part, discs), read(whole, discs)
                assert (found is None) == (usual is None), field.name
                assert found is None or np.array_equal(found, usual, equal_nan=True), field.name
        assert field.of_disc(part, discs, 3) == field.of_disc(whole, discs, 3), field.name


def test_what_was_left_out_is_refused_by_its_name() -> None:
    simulation = run_of("event-driven")
    part = frame_with(simulation, ("velocities",))
    for ask in (lambda: part.fields["last_merge"], lambda: part.fields.get("last_merge")):
        with pytest.raises(LeftOutError, match="this frame was made without last_merge"):
            ask()
    assert part.fields.get("collisions") is None, "another system has that"
    with pytest.raises(KeyError, match="collisions"):
        part.fields["collisions"]
    part = frame_with(simulation, ("last_merge",), part)
    with pytest.raises(LeftOutError, match="made without velocities"):
        part.velocities  # noqa: B018
    with pytest.raises(AttributeError, match="velocity"):
        part.velocity  # type: ignore[attr-defined]  # noqa: B018
    discs = FrameDiscs.of(simulation)
    with pytest.raises(LeftOutError, match="velocities"):
        SPEED.values(part, discs)
    with pytest.raises(LeftOutError, match="last_merge and velocities"):
        FileFrame.of(frame_with(simulation, ()), discs)
    with pytest.raises(LeftOutError, match="last_merge"):
        FileFrame.of(frame_with(simulation, ("velocities",)), discs)


def test_copies_lack_the_same_and_become_whole_again() -> None:
    simulation = run_of("hard-discs")
    whole, part = simulation.frame(), frame_with(simulation, ("collisions",))
    other = Frame.empty(simulation.count)
    room = other.velocities
    other.take(part)
    for copy in (other, deepcopy(part)):
        assert copy.left_out == {"velocities", "images", "last_contact"}
        assert np.array_equal(copy.fields["collisions"], whole.fields["collisions"])
        with pytest.raises(LeftOutError, match="velocities"):
            copy.velocities  # noqa: B018
        with pytest.raises(LeftOutError, match="images"):
            copy.fields.get("images")
    other.take(whole)
    assert not other.left_out
    assert other.velocities is room, "no memory is asked for anew"
    for each, values in arrays_of(whole).items():
        assert np.array_equal(arrays_of(other)[each], values)


def test_a_simulation_that_does_not_care_gives_everything() -> None:
    simulation = run_of("jamming")
    assert not isinstance(simulation, Sparing)
    frame = frame_with(simulation, ())
    assert not frame.left_out
    assert not frame.lacks(None)
    assert not frame.velocities.any()


def test_what_several_read_together() -> None:
    assert all_read([(), ("velocities",), ["images", "velocities"]]) == {"velocities", "images"}
    assert all_read([]) == frozenset()
    assert all_read([(), None]) is None
    part = frame_with(run_of("event-driven"), ())
    assert part.lacks(None)
    assert part.lacks(("images", "velocities"))
    assert not part.lacks(("images",)), "its system has none"
    assert not part.lacks(())
    assert replace(SPEED).reads == ("velocities",)
    assert Field("mine", "Mine", lambda frame, discs: None).reads is None, "one of a plug-in may read all"
