"""Jamming as a simulation: one iteration at a time, exact checkpoints, interruption, growth before, what is refused."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from engine.errors import InputError
from engine.files import FileFrame, write
from engine.jamming.fields import JammingHistory
from engine.jamming.simulation import JammingPacking
from engine.scenario import Scenario
from tests.reference.jamming import DENSE, IN_SPACE

GROWN = {"jamming__start": "grown", "discs__volume_fraction": 0.4}
SPHERES = {key.replace(".", "__"): value for key, value in IN_SPACE.items()}


def created(**changes: Any) -> JammingPacking:
    values = DENSE | {key.replace("__", "."): value for key, value in changes.items()}
    simulation = engine.create(Scenario().with_values(values))
    assert isinstance(simulation, JammingPacking)
    return simulation


def goes_on(simulation: JammingPacking) -> None:
    """A checkpoint of it is accepted, and goes on to the same end bit for bit."""
    copy = simulation.checkpoint()
    engine.check_checkpoint(copy)
    again = engine.restore(copy)
    assert isinstance(again, JammingPacking)
    same(simulation, again)
    simulation.advance()
    again.advance()
    same(simulation, again)


def same(one: JammingPacking, other: JammingPacking) -> None:
    """Bit for bit."""
    a, b = one.checkpoint(), other.checkpoint()
    assert a.scenario == b.scenario
    assert a.arrays.keys() == b.arrays.keys()
    for name, value in a.arrays.items():
        if name == "iterations":
            value["seconds"] = b.arrays[name]["seconds"] = 0.0
        np.testing.assert_array_equal(value, b.arrays[name], name)
    for mine, theirs in zip(one.frame().__dict__.values(), other.frame().__dict__.values(), strict=True):
        if isinstance(mine, np.ndarray):
            np.testing.assert_array_equal(mine, theirs)


def test_a_run_ends_with_a_jammed_packing() -> None:
    simulation = created()
    before = simulation.frame()
    assert (before.network, before.radius_factor, before.time) == (None, 1.0, 0.0)
    progress = simulation.advance()
    assert progress.finished
    assert progress.events["program"] == progress.time == simulation.time == progress.happened
    packing = simulation.packing()
    assert packing.jammed
    assert packing.force_mismatch < 1e-10
    assert packing.min_gap > -1e-12
    words = f"jammed: {len(packing.forces)} contacts, "
    assert progress.stop_reason.startswith(words)
    assert f"volume fraction {packing.volume_fraction:.4f}" in progress.stop_reason
    assert ("isostatic, " in progress.stop_reason and " than " not in progress.stop_reason) == packing.isostatic
    assert simulation.invariants()["max_overlap"] < 1e-12


@pytest.mark.parametrize("changes", [{}, SPHERES])
def test_a_frame_shows_the_network_of_the_packing(changes: dict[str, Any]) -> None:
    simulation = created(**changes)
    simulation.advance()
    frame, packing = simulation.frame(), simulation.packing()
    net = frame.network
    np.testing.assert_array_equal(net.pairs, packing.contacts)
    np.testing.assert_array_equal(net.forces, packing.forces)
    np.testing.assert_array_equal(net.rattlers, packing.rattlers)
    i, j = net.pairs.T
    way = frame.positions[j] - frame.positions[i]
    way -= simulation.box * np.round(way / simulation.box)
    radii = simulation.radii * frame.radius_factor
    np.testing.assert_allclose(way, net.vectors * (radii[i] + radii[j])[:, None], atol=1e-9)
    assert frame.clusters == simulation.count
    assert (frame.velocities == 0.0).all()
    assert frame.nbytes > net.nbytes


@pytest.mark.parametrize("changes", [{}, SPHERES])
def test_contacts_with_walls_point_to_the_wall(changes: dict[str, Any]) -> None:
    simulation = created(**changes, box__boundary="walls")
    simulation.advance()
    frame = simulation.frame()
    radii = simulation.radii * frame.radius_factor
    touched = 0
    for (i, j), vector in zip(frame.network.pairs, frame.network.vectors, strict=True):
        if j == -1:
            touched += 1
            end = frame.positions[i] + vector * radii[i]
            nearest = np.minimum(np.abs(end), np.abs(end - simulation.box)).min()
            assert nearest < 1e-9
    assert touched > 4


def test_iterations_one_at_a_time_and_at_a_pace_give_the_same() -> None:
    whole, single, paced = created(), created(), created()
    whole.advance()
    iterations = 0
    while not single.advance(max_events=1).finished:
        iterations += 1
        assert single.time == iterations
    while True:
        target = paced.time + 0.25
        progress = paced.advance(target, budget=1e-3)
        if progress.finished:
            break
        assert progress.reached
        assert paced.time == pytest.approx(target)
        assert paced.frame().time == progress.events["program"] == int(paced.time)
    same(whole, single)
    same(whole, paced)


def test_history_has_a_row_for_each_iteration() -> None:
    simulation = created()
    simulation.advance()
    history = simulation.history()
    assert isinstance(history, JammingHistory)
    solved = int(simulation.time)
    np.testing.assert_array_equal(history.time, np.arange(solved + 1))
    assert np.isnan([history.inflation[0], history.displacement[0], history.isostatic_gap[0], history.seconds[0]]).all()
    assert history.volume_fraction[0] == pytest.approx(0.78)
    assert history.inflation[-1] < 1e-8
    assert history.displacement[-1] < 1e-8
    assert (history.displacement[1:] <= history.displacement_all[1:]).all()
    assert (history.min_gap > -1e-12).all()
    steps = np.log(history.volume_fraction[1:] / history.volume_fraction[:-1])
    np.testing.assert_allclose(np.expm1(0.5 * steps), history.inflation[1:], atol=1e-12)
    cut = history.up_to(2.0)
    assert isinstance(cut, JammingHistory)
    assert len(cut.contacts) == 3


@pytest.mark.parametrize("iterations", [0, 3, None])
@pytest.mark.parametrize("changes", [{}, {"box__boundary": "walls"}, {"jamming__rules": "calippso"}, SPHERES])
def test_a_checkpoint_goes_on_bit_for_bit(iterations: int | None, changes: dict[str, Any]) -> None:
    simulation = created(**changes)
    simulation.advance(max_events=iterations)
    goes_on(simulation)


@pytest.mark.parametrize("changes", [{}, SPHERES | {"discs__volume_fraction": 0.2}])
def test_discs_that_are_grown_first(changes: dict[str, Any]) -> None:
    simulation = created(**GROWN | changes)
    seen = []
    while simulation.advance(budget=1e-3, max_events=1).time < 1.0:
        frame = simulation.frame()
        assert (frame.time, frame.network, float(np.abs(frame.velocities).max())) == (0.0, None, 0.0)
        assert simulation.invariants()["max_overlap"] < 1e-12
        seen.append(frame.radius_factor)
    assert len(seen) > 2
    assert (np.diff(seen) >= 0.0).all()
    start = simulation.history().volume_fraction[0]
    assert start > (0.6 if changes else 0.78)
    assert simulation.advance().finished
    assert simulation.packing().jammed
    assert simulation.packing().volume_fraction > start


@pytest.mark.parametrize("changes", [{}, SPHERES | {"discs__volume_fraction": 0.2}])
def test_a_checkpoint_while_discs_grow(changes: dict[str, Any]) -> None:
    simulation = created(**GROWN | changes)
    while simulation.frame().radius_factor == 1.0:  # how soon the first of them has grown depends on the machine
        simulation.advance(budget=1e-3, max_events=1)
    goes_on(simulation)


def test_interruption_keeps_the_last_good_state() -> None:
    simulation, other = created(), created()
    simulation.advance(max_events=2)
    other.advance(max_events=2)
    simulation.interrupt()
    progress = simulation.advance()
    assert (progress.time, progress.finished, progress.reached) == (2.0, False, False)
    same(simulation, other)
    assert simulation.advance().finished
    other.advance()
    same(simulation, other)


@pytest.mark.parametrize("question", [3, 6, 12])
def test_interruption_inside_an_iteration_ends_it(question: int) -> None:
    """At a question that the solver asks amid the second one: that is not counted and has changed nothing."""
    simulation, other = created(discs__count=400), created(discs__count=400)
    for one in (simulation, other):
        one.advance(max_events=1)

    class Late(threading.Event):
        """Somebody interrupts just before the n-th time that it is looked at."""

        asked = 0

        def is_set(self) -> bool:
            self.asked += 1
            if self.asked == question:
                self.set()
            return super().is_set()

    late = simulation._stop = simulation._run._stop = Late()
    progress = simulation.advance()
    assert question <= late.asked <= question + 5  # nothing went on for long
    assert (progress.time, progress.events["program"]) == (1.0, 1)
    assert not progress.finished
    assert not progress.reached
    same(simulation, other)
    # the next one solves that linear program anew
    for one in (simulation, other):
        one.advance(max_events=1)
    assert simulation.time == 2.0
    same(simulation, other)


def test_limits_change_while_it_runs() -> None:
    simulation = created(jamming__max_iterations=2)
    progress = simulation.advance()
    assert (progress.finished, progress.stop_reason) == (True, "not jammed after 2 iterations")
    assert not simulation.packing().jammed
    simulation.set("jamming.max_iterations", 500)
    simulation.set("jamming.tolerance_inflation", 1e-3)
    simulation.set("jamming.tolerance_displacement", 0.5)
    assert simulation.advance().stop_reason.startswith("jammed: ")
    loose = simulation.time
    simulation.set("jamming.tolerance_inflation", 1e-8)
    simulation.set("jamming.tolerance_displacement", 1e-8)
    assert simulation.advance().stop_reason.startswith("jammed: ")
    assert simulation.time > loose
    assert simulation.scenario.jamming.max_iterations == 500
    for key, value in (("jamming.solver", "highs"), ("jamming.max_iterations", 0), ("discs.count", 3)):
        with pytest.raises(InputError) as caught:
            simulation.set(key, value)
        assert caught.value.key == key


def test_a_solver_that_fails_leaves_the_last_good_packing(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.jamming.linear_program import nothing_found

    simulation = created()
    simulation.advance(max_events=2)
    before = simulation.frame().positions
    solver = simulation._run._solver
    monkeypatch.setattr(solver, "solve", lambda program, *_, **__: nothing_found(program, "failed: no luck", 0.1))
    progress = simulation.advance()
    assert progress.finished
    assert progress.stop_reason == "the solver failed: no luck; the last good packing is kept"
    assert progress.time == 2.0
    np.testing.assert_array_equal(simulation.frame().positions, before)
    again = engine.restore(simulation.checkpoint())
    assert again.advance().stop_reason == progress.stop_reason


def test_carrying_on_is_refused() -> None:
    simulation = created()
    with pytest.raises(InputError, match="jamming has only one method"):
        engine.carry_on(simulation, simulation.scenario)


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        ({"discs__volume_fraction": 0.93, "discs__radii": "equal"}, "discs.volume_fraction", "at most"),
        (GROWN | {"discs__count": 3}, "box.size", "too small"),
    ],
)  # fmt: skip
def test_states_that_cannot_be_jammed_are_refused(changes: dict[str, Any], key: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        created(**changes)
    assert caught.value.key == key


def test_a_file_that_overlaps_or_is_too_dense_is_refused(tmp_path: Path) -> None:
    x, y = np.meshgrid(np.arange(4.0) + 0.5, np.arange(4.0) + 0.5)
    places = np.column_stack((x.ravel(), y.ravel()))
    for radius, words in ((0.51, "overlap"), (0.56, "overlap|volume fraction")):
        path = tmp_path / "state.csv"
        write(path, FileFrame(places, radii=np.full(16, radius), box=np.array([4.0, 4.0]), periodic=True))
        with pytest.raises(InputError, match=words):
            created(discs__arrangement="file", discs__file=str(path), discs__radii="equal", box__size=4.0)
