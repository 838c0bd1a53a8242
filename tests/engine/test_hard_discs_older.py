"""Checkpoints of hard discs that an older version has made, with its own layout of the arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine import InputError, check_checkpoint
from engine.hard_discs.simulation import HardDiscGas
from engine.simulation import Checkpoint

FOLDER = Path(__file__).parents[1] / "data" / "66f60e2"


def saved():
    with np.load(FOLDER / "gas.npz") as file:
        arrays = {name: file[name] for name in file.files}
    scenario = str(arrays.pop("scenario"))
    frame = {name.removeprefix("frame_"): arrays.pop(name) for name in list(arrays) if name.startswith("frame_")}
    return Checkpoint("hard-discs", "event-driven", scenario, arrays), frame


def test_it_opens_and_goes_on():
    checkpoint, expected = saved()
    check_checkpoint(checkpoint)
    gas = HardDiscGas.from_checkpoint(checkpoint)
    frame = gas.frame()
    found = {"positions": frame.positions, "velocities": frame.velocities, **frame.fields}
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-12, atol=1e-12, err_msg=name)
    assert gas.measures().pair_collisions == 1000
    assert len(gas.history().time) > 100
    progress = gas.advance(max_events=20_000)
    assert progress.events["collision"] == 21_000
    assert abs(gas.measures().energy_drift) < 1e-12
    assert gas.invariants()["max_overlap"] < 1e-12
    check_checkpoint(gas.checkpoint())


def test_what_was_changed_is_refused():
    for name in saved()[0].arrays:
        checkpoint, _ = saved()
        del checkpoint.arrays[name]
        with pytest.raises(InputError, match="damaged"):
            check_checkpoint(checkpoint)
        checkpoint, _ = saved()
        array = checkpoint.arrays[name]
        checkpoint.arrays[name] = array[:, None]
        with pytest.raises(InputError, match="damaged"):
            check_checkpoint(checkpoint)
    for field, value in (("x", np.nan), ("vx", 1e300), ("time", 1e9)):
        checkpoint, _ = saved()
        checkpoint.arrays["motion"][field][3] = value
        with pytest.raises(InputError, match="damaged"):
            check_checkpoint(checkpoint)
