"""Sessions of the time before version 0.2.0 was complete (tests/data): refused in one sentence, or opened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import engine
from aggviewer.session.saved.session_file import describe_session, read_session, write_session
from engine import InputError

DATA = Path(__file__).parents[1] / "data"
FOLDER = DATA / "4bd6a2fc"
WITH_POOL = DATA / "ad63f2cf" / "pool.aggsession"


@pytest.mark.parametrize("name", ["event-driven", "deformable", "rigid", "hard-discs"])
def test_a_state_that_held_what_is_rebuilt_today_is_refused_with_its_version(name: str) -> None:
    with pytest.raises(InputError, match=rf"{name}\.aggsession: the saved state is of an early version 0\.2\.0"):
        read_session(FOLDER / f"{name}.aggsession")


def test_a_packing_opens_with_its_state_and_goes_on() -> None:
    (checkpoint,) = read_session(FOLDER / "jamming.aggsession").lanes
    simulation = engine.restore(checkpoint)
    assert (simulation.time, simulation.frame().clusters) == (2.0, 100)
    simulation.advance(until_time=3.0)
    assert np.isfinite(simulation.frame().positions).all()
    engine.check_checkpoint(simulation.checkpoint())


def test_a_session_with_a_pool_of_packings_opens_without_it_and_says_so(tmp_path: Path) -> None:
    state = read_session(WITH_POOL)
    (checkpoint,) = state.lanes
    simulation = engine.restore(checkpoint)
    assert (simulation.time, simulation.count, state.saved_as) == (8.0, 16, "finished")
    assert state.left_out.startswith("its pool of packings was not loaded")
    assert describe_session(WITH_POOL)[1] == "N = 16, jamming, iteration 8"
    again = tmp_path / "again.aggsession"
    write_session(again, state)
    assert read_session(again).left_out == "", "it was said once"
    assert read_session(FOLDER / "jamming.aggsession").left_out == "", "an empty pool is no loss"
