"""Writes gas.npz beside it: a checkpoint of hard discs, and the frame at its time. Run with the code of that commit:

git worktree add old 66f60e2
PYTHONPATH=old python tests/data/66f60e2/write.py tests/data/66f60e2
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from engine import Scenario
from engine.hard_discs.simulation import HardDiscGas
from engine.initial import initial_state

SCENARIO = """
system = "hard-discs"
[discs]
count = 40
volume_fraction = 0.3
arrangement = "random"
radii = "lognormal"
spread = 0.5
[velocities]
distribution = "maxwell"
[box]
boundary = "periodic"
"""

if __name__ == "__main__":
    scenario = Scenario.from_toml(SCENARIO)
    gas = HardDiscGas(scenario, initial_state(scenario))
    gas.advance(max_events=1000)
    checkpoint, frame = gas.checkpoint(), gas.frame()
    frame_arrays = {
        "frame_positions": frame.positions,
        "frame_velocities": frame.velocities,
        **{f"frame_{name}": frame.fields[name] for name in ("collisions", "last_contact", "images")},
    }
    arrays: dict[str, Any] = {"scenario": np.array(checkpoint.scenario), **frame_arrays, **checkpoint.arrays}
    np.savez_compressed(Path(sys.argv[1]) / "gas.npz", **arrays)
