"""Sessions of the time before version 0.2.0 was complete (tests/data/4bd6a2fc): refused in one sentence, or opened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import engine
from aggviewer.session.saved.session_file import read_session
from engine import InputError

FOLDER = Path(__file__).parents[1] / "data" / "4bd6a2fc"


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
