"""Averages over a run while it goes on: over the same states at any speed, until the run is changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np
import pytest

import engine
from aggviewer.session import Session
from aggviewer.session.averaging import AveragesSoFar, RunningAverages, even_interval
from aggviewer.systems.registry import view_of
from engine.analysis import GAS, Averages, Sample
from engine.errors import InputError
from engine.files import FileFrame, open_trajectory, write
from engine.scenario import Scenario
from engine.simulation import Stride
from engine.system import system_of
from tests.session.driving import analysis, real_session, settle, until

NAMES = frozenset({"pair_correlation", "contact_value", "mean_square_displacement"})
SCENARIO = Scenario().with_values(
    {"system": "hard-discs", "box.boundary": "periodic", "discs.count": 100, "discs.volume_fraction": 0.3}
)
END = 12.0
TWO = frozenset({"pair_correlation", "speeds"})


def directly() -> tuple[Averages, bytes]:
    """The averages over states at multiples of the interval, from the engine alone, and the last positions."""
    simulation = engine.create(SCENARIO)
    averages, every = Averages([one for one in GAS if one.name in NAMES]), even_interval(simulation)
    for k in range(round(END / every) + 1):
        simulation.advance(k * every)
        averages.add(simulation.time, system_of(SCENARIO).sample(simulation, simulation.frame()))
    simulation.advance(END)
    return averages, simulation.frame().positions.tobytes()


def averaged(session: Session, having: Callable[[AveragesSoFar], bool]) -> AveragesSoFar:
    return analysis(session, lambda found: having(found.averaged)).averaged


def run_to(session: Session, time: float) -> None:
    session.hold_at(Stride(time=time))
    session.run()
    until(lambda: session.status().state == "paused" and session.status().time >= time)


@pytest.mark.parametrize("speed", [1e9, 40.0])
def test_a_run_is_averaged_over_the_same_states_at_any_speed_and_keeps_its_bits(speed: float) -> None:
    wanted, positions = directly()
    with real_session(measuring_view_of=view_of) as session:
        session.set_speed(speed)
        session.publishers.average(NAMES)
        session.load(SCENARIO, run=False)
        settle(session)
        run_to(session, END)
        found = averaged(session, lambda one: one.begins > END)
        shown = session.publishers.latest_frame()
        assert shown is not None
        assert shown.frame.positions.tobytes() == positions
    assert found.averages.keys() == wanted.averages().keys()
    for name, average in wanted.averages().items():
        same = found.averages[name]
        assert (same.states, same.first, same.last) == (average.states, average.first, average.last)
        for part, error in average.errors.items():
            np.testing.assert_array_equal(same.errors[part], error)
    np.testing.assert_array_equal(
        found.averages["pair_correlation"].value.g, wanted.averages()["pair_correlation"].value.g
    )


def test_an_average_begins_again_when_a_parameter_changes_when_asked_and_with_another_run() -> None:
    with real_session(measuring_view_of=view_of) as session:
        session.publishers.average(NAMES)
        session.load(SCENARIO, run=False)
        settle(session)
        run_to(session, 5.0)
        before = averaged(session, lambda one: "pair_correlation" in one.averages and one.begins > 5.0)
        assert before.averages["pair_correlation"].first == 0.0
        assert before.note == ""
        session.set_parameter("hard_discs.restitution", 0.9)
        settle(session)
        run_to(session, 8.0)
        changed = averaged(session, lambda one: "pair_correlation" in one.averages and one.begins > 8.0)
        assert 5.0 <= changed.averages["pair_correlation"].first < 6.0
        assert changed.note == "It began again when the run was changed."
        session.publishers.average_again(frozenset({"pair_correlation"}))
        run_to(session, 10.0)
        again = averaged(session, lambda one: "pair_correlation" in one.averages and one.begins > 10.0)
        assert 8.0 <= again.averages["pair_correlation"].first < 9.0
        assert 5.0 <= again.averages["mean_square_displacement"].first < 6.0
        session.load(SCENARIO, run=False)
        settle(session)
        run_to(session, 2.0)
        other = averaged(session, lambda one: "pair_correlation" in one.averages and one.begins > 2.0)
        assert other.averages["pair_correlation"].first == 0.0


def test_discs_at_rest_are_not_averaged() -> None:
    still, averages = engine.create(SCENARIO.with_values({"velocities.speed": 0.0})), RunningAverages()
    assert even_interval(still) == inf
    averages.want(NAMES)
    assert averages.due(still) == inf
    assert averages.so_far().begins == inf


def test_nothing_is_averaged_that_nobody_wants() -> None:
    with real_session(measuring_view_of=view_of) as session:
        session.load(SCENARIO, run=False)
        settle(session)
        run_to(session, 3.0)
        assert analysis(session).averaged.averages == {}
        session.publishers.average(NAMES)
        settle(session)
        run_to(session, 6.0)
        found = averaged(session, lambda one: bool(one.averages))
        assert found.averages["pair_correlation"].first >= 3.0
        session.publishers.average(frozenset())
        assert averaged(session, lambda one: not one.averages).averages == {}


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """21 frames of the gas, 0.5 apart."""
    simulation = engine.create(SCENARIO)
    frames = []
    for k in range(21):
        simulation.advance(0.5 * k)
        frames.append(FileFrame.of(simulation.frame(), simulation))
    write(tmp_path / "gas.gsd", [replace(frame, scenario=SCENARIO.to_toml()) for frame in frames])
    return tmp_path / "gas.gsd"


def over_frames(path: Path, first: int, last: int) -> Averages:
    """The averages over these frames of the file, from the engine alone."""
    averages = Averages([one for one in GAS if one.name in TWO])
    with open_trajectory(path) as file:
        for number in range(first, last + 1):
            frame = file[number]
            assert frame.radii is not None
            assert frame.time is not None
            sample = Sample(
                frame.positions, frame.radii, frame.box, periodic=True, velocities=frame.velocities,
                masses=frame.masses, images=frame.fields["images"], joins=False,
            )  # fmt: skip
            averages.add(frame.time, sample)
    return averages


def assert_averages(session: Session, path: Path, last: int, **firsts: int) -> None:
    """Wait for the averages of these indicators from their first frames to the last one: they have the bits of the
    engine's."""
    wanted = {name: over_frames(path, first, last).average(name) for name, first in firsts.items()}

    def there(so_far: AveragesSoFar) -> bool:
        known = {name: (one.first, one.last) for name, one in so_far.averages.items()}
        return known == {name: (one.first, one.last) for name, one in wanted.items() if one is not None}

    found = averaged(session, there).averages
    for name, one in wanted.items():
        assert one is not None
        assert found[name].states == one.states == last - firsts[name] + 1
        assert found[name].errors.keys() == one.errors.keys()
        for part, error in one.errors.items():
            np.testing.assert_array_equal(found[name].errors[part], error)
        part = "g" if name == "pair_correlation" else "density"
        np.testing.assert_array_equal(getattr(found[name].value, part), getattr(one.value, part))


def test_a_recording_is_averaged_from_the_chosen_frame_to_the_one_that_is_shown(recording: Path) -> None:
    with real_session(measuring_view_of=view_of) as session:
        session.open(recording, run=False)
        settle(session)
        session.look_at(2.0)
        settle(session)
        session.publishers.average(frozenset({"pair_correlation"}))
        assert_averages(session, recording, 4, pair_correlation=4)
        session.look_at(9.0)
        assert_averages(session, recording, 18, pair_correlation=4)
        session.publishers.average(TWO)  # a second plot, from here
        assert_averages(session, recording, 18, pair_correlation=4, speeds=18)
        session.look_at(10.0)
        assert_averages(session, recording, 20, pair_correlation=4, speeds=18)
        session.look_at(5.0)  # back, before the second began
        assert_averages(session, recording, 10, pair_correlation=4, speeds=10)
        session.look_at(7.0)
        settle(session)
        session.publishers.average_again(frozenset({"pair_correlation"}))
        assert_averages(session, recording, 14, pair_correlation=14, speeds=10)
        session.look_at(8.0)
        assert_averages(session, recording, 16, pair_correlation=14, speeds=10)
        session.set_speed(inf)
        session.run()
        assert_averages(session, recording, 20, pair_correlation=14, speeds=10)


def test_a_damaged_frame_is_left_out_of_the_average(recording: Path) -> None:
    averages, added = RunningAverages(), list[Callable[[], None]]()
    averages.want(NAMES)

    def read(number: int) -> tuple[float, Callable[[], Sample]]:
        if number == 1:
            raise InputError("it is damaged")
        simulation = engine.create(SCENARIO)
        return float(number), lambda: system_of(SCENARIO).sample(simulation, simulation.frame())

    assert averages.next_frame(0) == 0
    for _ in range(4):
        averages.take_frame("hard-discs", 2, read, added.append)
        while added:
            added.pop()()
    assert averages.so_far().averages["pair_correlation"].states == 2
    assert averages.next_frame(2) is None
