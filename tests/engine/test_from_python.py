"""What `import engine` gives for measuring: all numbers of the JSON, sessions, packings, paths; and its messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from engine.analysis import Held, analyse_packing
from engine.errors import InputError
from engine.files import FileFrame, read, write
from engine.frame import Frame
from engine.scenario import Scenario
from engine.simulation import Simulation
from tests.cli.conftest import Call
from tests.cli.conftest import call as call

SYSTEMS: dict[str, dict[str, Any]] = {
    "clusters": {"system": "aggregation", "discs.volume_fraction": 0.1},
    "steps": {"system": "aggregation", "aggregation.method": "time-stepping", "discs.volume_fraction": 0.1},
    "gas": {"system": "hard-discs", "discs.volume_fraction": 0.3},
    "spheres": {"system": "hard-discs", "dimensions": 3, "discs.volume_fraction": 0.2},
    "packing": {"system": "jamming", "discs.volume_fraction": 0.1, "box.boundary": "walls"},
}


def made(name: str, **more: Any) -> Simulation:
    values = {"discs.count": 27, "discs.arrangement": "random", "box.boundary": "periodic", "seed": 5}
    return engine.create(Scenario().with_values(values | SYSTEMS.get(name, {}) | more))


@pytest.mark.parametrize("name", SYSTEMS)
def test_measures_are_those_of_the_json_of_every_system(name: str, call: Call, tmp_path: Path) -> None:
    simulation = made(name)
    (tmp_path / "a.toml").write_text(simulation.scenario.to_toml(), encoding="utf-8")
    done = call("run", tmp_path / "a.toml", "--until-events", "9", "--json")
    start = simulation.frame()
    simulation.run(until_events=9, progress=False)
    found = engine.measures(simulation, start=start)
    assert list(found) == list(done.json)
    unlike = {key for key in found if found[key] != done.json[key]}
    assert unlike <= {"wall_s", "compile_s", "setup_s", "stop_reason"}
    assert {found[key] for key in ("wall_s", "compile_s", "setup_s", "stop_reason")} == {None}
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_measures_of_chosen_names_and_without_a_start() -> None:
    gas = made("gas")
    gas.run(until_events=9, progress=False)
    found = engine.measures(gas, ["mean_square_displacement", "fluctuations"])["indicators"]
    assert list(found) == ["fluctuations", "mean_square_displacement"] or set(found) == {"fluctuations"}
    assert found.get("mean_square_displacement") is None
    assert set(engine.measures(gas, "fluctuations")["indicators"]) == {"fluctuations"}
    with pytest.raises(InputError, match=r"there is no indicator 'taste' of hard-discs; there are .*fluctuations"):
        engine.measures(gas, ["taste"])


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_session_file_gives_the_simulation_which_continues_bit_for_bit(name: str, call: Call, tmp_path: Path) -> None:
    first = made(name)
    (tmp_path / "a.toml").write_text(first.scenario.to_toml(), encoding="utf-8")
    call("run", tmp_path / "a.toml", "--until-events", "9", "--out", tmp_path / "out")
    again = engine.open_session(tmp_path / "out" / "final.aggsession")
    first.run(until_events=9, progress=False)
    for simulation in (first, again):
        simulation.run(until_events=15, progress=False)
    np.testing.assert_array_equal(first.frame().positions, again.frame().positions)
    assert again.time == first.time


def test_session_files_that_cannot_be_used_are_told_in_one_sentence_with_their_name(tmp_path: Path) -> None:
    from aggviewer.session.saved.session_file import write_session
    from tests.session.session_files import amid, state_of

    two, bad = tmp_path / "two.aggsession", tmp_path / "bad.aggsession"
    runs = [amid("event-driven", "walls"), amid("rigid", "walls")]
    write_session(two, state_of(*runs, variant={"aggregation.method": "time-stepping"}))
    with pytest.raises(InputError, match=r"two\.aggsession holds a comparison of two runs: pass lane=0 or lane=1"):
        engine.open_session(two)
    assert [engine.open_session(str(two), lane).method for lane in (0, 1)] == ["event-driven", "time-stepping"]
    with pytest.raises(InputError, match=r"lane must be 0 or 1 for .*two\.aggsession, not 2"):
        engine.open_session(two, 2)
    bad.write_bytes(two.read_bytes()[:-40])
    for path, says in ((bad, "is not a session file, or its end is missing"), (tmp_path / "no.aggsession", "no")):
        with pytest.raises(InputError, match=says) as caught:
            engine.open_session(path)
        assert path.name in str(caught.value)


def test_a_packing_is_measured_from_a_simulation_a_frame_and_arrays_alike() -> None:
    jam = made("packing")
    jam.run(progress=False)
    frame: Any = jam.frame()
    own = Held(frame.positions, jam.radii * frame.radius_factor, jam.box, jam.periodic, frame.network)
    found = [analyse_packing(one).to_dict() for one in (jam, frame, own)]
    assert found[0]["contacts"] > 27
    for other in found[1:]:
        for key, value in found[0].items():
            if isinstance(value, int | float):
                assert other[key] == pytest.approx(value, rel=1e-9), key
    gas = made("gas")
    for wrong, says in (
        (gas, "discs of the system hard-discs have no contacts with forces, so they are no packing"),
        (gas.frame(), "this frame has no contacts with forces, so it is no packing"),
        ("gas", "a packing, a simulation or a frame can be measured, not str"),
    ):
        with pytest.raises(InputError, match=says):
            analyse_packing(wrong)  # type: ignore[arg-type]


MOVING = {
    "bounce": {**SYSTEMS["gas"]},
    "stick": {**SYSTEMS["clusters"]},
    "stick in space": {**SYSTEMS["clusters"], "dimensions": 3},
    "stick in steps": {**SYSTEMS["steps"]},
    "stick and turn": {**SYSTEMS["clusters"], "aggregation.rotation": True},
    "stick between walls": {**SYSTEMS["clusters"], "box.boundary": "walls"},
}


def followed(simulation: Simulation, until: float, pieces: int) -> tuple[list[Frame], np.ndarray]:
    """Copies of the frames of a run, and the path of each disc through them, a small step at a time."""
    frames, box = [Frame.empty(0)], simulation.box
    frames[0].take(simulation.frame())
    path = [frames[0].positions.copy()]
    for piece in range(1, pieces + 1):
        simulation.advance(until * piece / pieces)
        frames.append(Frame.empty(0))
        frames[-1].take(simulation.frame())
        step = frames[-1].positions - frames[-2].positions
        path.append(path[-1] + step - (box * np.rint(step / box) if simulation.periodic else 0.0))
    return frames, np.array(path)


@pytest.mark.parametrize("how", MOVING)
def test_unwrapped_positions_are_those_of_discs_that_are_followed_step_by_step(how: str, tmp_path: Path) -> None:
    simulation = made(how, **MOVING[how])
    frames, path = followed(simulation, 40.0, 800)
    if simulation.periodic:
        assert (np.abs(path[-1] - simulation.frame().positions) > 1.0).any()  # edges were crossed
    np.testing.assert_allclose(engine.unwrapped(simulation), path[-1], atol=1e-6)
    np.testing.assert_allclose(engine.unwrapped(frames), path, atol=1e-6)
    np.testing.assert_allclose(engine.unwrapped(engine.restore(simulation.checkpoint())), path[-1], atol=1e-6)
    write(tmp_path / "a.gsd", [FileFrame.of(frame, simulation) for frame in frames[::20]])
    np.testing.assert_allclose(engine.unwrapped(read(tmp_path / "a.gsd")), path[::20], atol=1e-6)


def test_paths_that_are_not_known_are_refused_instead_of_guessed() -> None:
    simulation = made("clusters")
    frames, _ = followed(simulation, 40.0, 4)
    with pytest.raises(InputError, match="between the frames 0 and 1 a disc may have crossed half of the box"):
        engine.unwrapped(frames)
    with pytest.raises(InputError, match="this state does not say how often its discs have crossed the box"):
        engine.unwrapped(simulation.frame())
    thrown = engine.throw(simulation, 3, velocity=[0.3, 0.4])
    with pytest.raises(InputError, match="how often discs of this run have crossed the box is not known"):
        engine.unwrapped(thrown)
    with pytest.raises(InputError, match="a simulation, a frame or frames have paths, not int"):
        engine.unwrapped(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="there are no frames"):
        engine.unwrapped([])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"color_by": "taste"}, r"color_by must be speed, .* or \w+ for hard-discs, not 'taste'"),
        ({"color_by": 3}, r"color_by must be .*, not 3"),
        ({"color_by": ["speed"]}, r"color_by must be .*, not \['speed'\]"),
        ({"colormap": "rainbows"}, "there is no colour map 'rainbows'; viridis, cividis and batlow are some"),
        ({"colormap": 7}, "there is no colour map 7; viridis"),
        ({"turn": "up"}, "turn must be four numbers"),
        ({"turn": (1, 2)}, "a turn must be four finite numbers"),
        ({"slab": 0.5}, r"slab must be two numbers, not 0\.5"),
        ({"slab": (0.9, 0.1)}, "a slab must be two shares of the depth"),
        ({"ax": 3}, "ax must be axes of matplotlib, not int"),
    ],
)
def test_each_wrong_argument_of_plot_is_told_in_one_sentence_with_what_is_allowed(
    wrong: dict[str, Any], says: str
) -> None:
    pytest.importorskip("matplotlib").use("agg")
    spheres = "turn" in wrong or "slab" in wrong
    with pytest.raises(InputError, match=says) as caught:
        engine.plot(made("spheres" if spheres else "gas"), **wrong)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda gas: engine.select(gas, 3), "a condition must be a text such as 'speed > 1', not 3"),
        (lambda gas: engine.throw(gas, "a"), "there is no disc 'a'; discs are numbered 0 to 26"),
        (lambda gas: engine.throw(gas, 1, velocity="fast"), "the velocity must be two numbers, not 'fast'"),
        (lambda gas: engine.measures(3), "a simulation can be measured, not int"),
        (lambda gas: engine.measures(gas, start=3), "start must be a frame of the simulation, not int"),
    ],
)
def test_other_wrong_arguments_are_told_in_one_sentence_too(ask: Callable[[Simulation], object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        ask(made("gas"))
