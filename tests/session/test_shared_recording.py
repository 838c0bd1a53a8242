"""A recording is opened once: whoever plays, measures or films it reads the same open file."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from aggviewer.session.past.recording import Recording, open_recording, shared
from aggviewer.session.past.replay import Replay
from engine.errors import InputError
from engine.files import FileFrame, TrajectoryWriter, write
from engine.hard_discs.simulation import HardDiscGas
from tests.builders.file_frames import some_frames
from tests.builders.states import gas

FRAMES = 12


@pytest.fixture
def recording(tmp_path: Path) -> Iterator[Recording]:
    """Open, of a file that is gone: nothing can open it again."""
    path = tmp_path / "run.gsd"
    write(path, some_frames(FRAMES))
    made = open_recording(path)
    path.unlink()
    yield made
    assert made.wait_closed()


def test_any_frame_after_any_other_one(recording: Recording) -> None:
    expected = some_frames(FRAMES)
    for number in (0, 7, 3, 11, 0, -1):
        assert np.array_equal(recording.at(number).positions, expected[number].positions)
    with pytest.raises(InputError, match="has no frame 12"):
        recording.at(FRAMES)
    recording.close()


def test_the_file_stays_open_until_the_last_one_has_let_go_of_it(recording: Recording) -> None:
    with shared(recording) as film:
        replay = Replay(recording, recording.scenario)
        assert replay.close()
        assert replay.close(), "a second time changes nothing"
        assert film.at(5).time == recording.times[5]
    with pytest.raises(InputError, match="has been closed"):
        recording.at(5)
    with pytest.raises(InputError, match="has been closed"):
        recording.share()


def test_a_run_goes_on_from_a_frame_of_a_recording_with_its_flow(tmp_path: Path) -> None:
    run = gas(30, 0.2, shear__rate=2.0)
    with TrajectoryWriter(tmp_path / "t.gsd", run.scenario.to_toml()) as writer:
        for until in (0.0, 0.7, 1.9):
            run.advance(until)
            run.set("shear.rate", 2.0 - until)
            writer.append(FileFrame.from_any(run))
    made = open_recording(tmp_path / "t.gsd")
    replay = Replay(made, made.scenario)
    replay.advance(until_time=1.9)
    wanted, found = run.state(), replay.state()
    assert replay.frame().kinetic_energy == pytest.approx(run.frame().kinetic_energy)
    assert replay.close()
    assert (found.strain, found.shear_rate) == (wanted.strain, wanted.shear_rate)
    again = HardDiscGas(run.scenario, found)
    assert again.frame().velocities == pytest.approx(run.frame().velocities, abs=1e-12)
    assert again.invariants()["max_overlap"] < 1e-9


def test_threads_read_side_by_side_while_all_frames_are_measured(recording: Recording) -> None:
    expected = [frame.positions for frame in some_frames(FRAMES)]
    wrong: list[int] = []

    def read(first: int) -> None:
        for number in (*range(first, FRAMES), *range(first)):
            if not np.array_equal(recording.at(number).positions, expected[number]):
                wrong.append(number)

    threads = [threading.Thread(target=read, args=(first,)) for first in (0, 4, 8)]
    for thread in threads:
        thread.start()
    recording.wait_for(FRAMES - 1)
    for thread in threads:
        thread.join()
    assert not wrong
    history = recording.history(4)
    assert history.time.tolist() == recording.times[:5].tolist()
    recording.close()
