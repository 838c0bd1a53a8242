"""What version 0.2.0 has written opens and goes on (tests/data)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import engine
from aggviewer.session.saved.session_file import describe_session, read_session, write_session

DATA = Path(__file__).parents[1] / "data"
FOLDER = DATA / "4bd6a2fc"
WITH_POOL = DATA / "ad63f2cf" / "pool.aggsession"


@pytest.mark.parametrize(
    ("name", "time", "clusters"),
    [
        ("event-driven", 2.0, 31),
        ("deformable", 1.0, 57),
        ("rigid", 1.0, 57),
        ("hard-discs", 5.0, 100),
        ("jamming", 2.0, 100),
    ],
)
def test_a_session_opens_with_its_state_and_goes_on(name: str, time: float, clusters: int) -> None:
    (checkpoint,) = read_session(FOLDER / f"{name}.aggsession").lanes
    simulation = engine.restore(checkpoint)
    assert (simulation.time, simulation.frame().clusters) == (time, clusters)
    before = simulation.frame().positions.copy()
    simulation.advance(until_time=time + 1.0)
    after = simulation.frame()
    assert np.isfinite(after.positions).all()
    assert name == "jamming" or not np.array_equal(after.positions, before)
    engine.check_checkpoint(simulation.checkpoint())
    if name in ("event-driven", "deformable", "rigid"):
        assert after.clusters < clusters
        assert len(engine.merge_tree(simulation).time) == 100 - after.clusters, "the record of merges came along"


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
