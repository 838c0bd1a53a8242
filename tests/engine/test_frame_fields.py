"""What a frame holds of each disc beyond place and velocity, and how buffers are used again."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.frame import Frame
from engine.scenario import Scenario

LAYOUT = {"heat": np.dtype(np.float64), "turns": np.dtype((np.int32, (2,)))}


def test_buffers_that_fit_are_kept_and_others_made_anew() -> None:
    frame = Frame.empty(3)
    frame.lay_out(LAYOUT)
    assert {name: (one.dtype, one.shape) for name, one in frame.fields.items()} == {
        "heat": (np.float64, (3,)),
        "turns": (np.int32, (3, 2)),
    }
    heat = frame.fields["heat"]
    heat[:] = 2.0
    frame.lay_out(LAYOUT)
    assert frame.fields["heat"] is heat
    assert heat.tolist() == [2.0, 2.0, 2.0]
    frame.lay_out({"heat": np.dtype(np.float32)})
    assert list(frame.fields) == ["heat"]
    assert frame.fields["heat"].dtype == np.float32


def test_a_copy_has_the_same_fields_in_buffers_of_its_own() -> None:
    one, other = Frame.empty(3), Frame.empty(3)
    one.lay_out(LAYOUT)
    one.fields["heat"][:] = [1.0, 2.0, 3.0]
    other.take(one)
    kept = other.fields["heat"]
    assert kept.tolist() == [1.0, 2.0, 3.0]
    assert not np.shares_memory(kept, one.fields["heat"])
    one.fields["heat"][0] = 7.0
    assert kept[0] == 1.0
    other.take(one)
    assert other.fields["heat"] is kept
    assert kept[0] == 7.0
    one.lay_out({"heat": np.dtype(np.float64)})
    other.take(one)
    assert list(other.fields) == ["heat"]
    assert other.nbytes == one.nbytes == 3 * (2 + 2 + 1) * 8


@pytest.mark.parametrize(
    ("system", "held"),
    [
        ("aggregation", {"cluster", "last_merge"}),
        ("hard-discs", {"collisions", "last_contact", "images"}),
        ("jamming", {"force", "largest_force", "pressure"}),
    ],
)
def test_a_buffer_of_another_system_loses_what_that_said(system: str, held: set[str]) -> None:
    simulation = engine.create(Scenario().with_values({"system": system, "discs.count": 9}))
    buffer = Frame.empty(9)
    buffer.lay_out(LAYOUT | {"cluster": np.dtype(np.int64)})
    simulation.frame(buffer)
    assert set(buffer.fields) == held
    assert buffer.cluster.dtype == np.int32
    assert buffer.cluster.tolist() == list(range(9))
