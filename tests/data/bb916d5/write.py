"""Writes the files beside it. Run with the code of commit bb916d5 (version 0.1.0), which they are to come from:

git worktree add old bb916d5
PYTHONPATH=old python tests/data/bb916d5/write.py tests/data/bb916d5
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from aggviewer.session.saved_state import SessionState
from aggviewer.session.session_file import write_session
from aggviewer.session.view import ViewModel

import engine
from aggviewer.__main__ import main
from engine.files import FileFrame, read, write

SMALL = '[discs]\ncount = {count}\nvolume_fraction = {fraction}\narrangement = "random"\n'
SCENARIOS = {
    "event-driven": (8, SMALL.format(count=12, fraction=0.2) + '[box]\nboundary = "periodic"\n'),
    "deformable": (
        5,
        SMALL.format(count=12, fraction=0.2)
        + 'radii = "uniform"\nspread = 0.3\n[aggregation]\nmethod = "time-stepping"\n'
        + '[aggregation.time_stepping]\nclusters = "deformable"\n',
    ),
    "rigid": (
        5,
        SMALL.format(count=12, fraction=0.2)
        + '[aggregation]\nmethod = "time-stepping"\n[aggregation.time_stepping]\nclusters = "rigid"\nfraction = 0.25\n',
    ),
    "hard-discs": (
        60,
        'system = "hard-discs"\n'
        + SMALL.format(count=12, fraction=0.3)
        + 'radii = "bidisperse"\nspread = 1.4\n[velocities]\ndistribution = "maxwell"\n'
        + "[hard_discs]\nrestitution = 0.9\nwall_restitution = 0.95\ngravity = [0.0, -0.5]\n",
    ),
    "growth": (
        60,
        'system = "hard-discs"\n'
        + SMALL.format(count=12, fraction=0.3)
        + '[velocities]\ndistribution = "maxwell"\n[box]\nboundary = "periodic"\n[hard_discs]\ngrowth_rate = 0.05\n',
    ),
    "jamming": (
        4,
        'system = "jamming"\n'
        + SMALL.format(count=24, fraction=0.6)
        + 'radii = "bidisperse"\nspread = 1.4\n[velocities]\ndistribution = "rest"\n[box]\nboundary = "periodic"\n',
    ),
    "jamming-grown": (
        60,
        'system = "jamming"\n'
        + SMALL.format(count=24, fraction=0.6)
        + 'radii = "bidisperse"\nspread = 1.4\n[velocities]\ndistribution = "rest"\n[box]\nboundary = "periodic"\n'
        + '[jamming]\nstart = "grown"\n',
    ),
}
KEPT = ("scenario.toml", "final.csv", "final.csv-metadata.json", "final-contacts.csv")
RECORDED = ("event-driven", "growth", "jamming")  # every .gsd file takes 35 kB and more
FORMATS = (".gsd", ".xyz", ".extxyz", ".dump", ".lammpstrj", ".csv")


def numbers(frame: FileFrame) -> dict[str, object]:
    """What a frame says, as few numbers of which each depends on all of an array."""
    found: dict[str, object] = {"time": frame.time, "periodic": frame.periodic, "scenario": bool(frame.scenario)}
    for name in ("positions", "velocities", "radii", "masses", "cluster", "box"):
        array = getattr(frame, name)
        if array is not None:
            weights = np.sqrt(np.arange(1, array.size + 1))
            found[name] = [list(array.shape), float(weights @ array.reshape(-1).astype(np.float64))]
    if frame.network is not None:
        network = frame.network
        found["network"] = [len(network.forces), float(np.sum(network.forces))]
    return found


def state_of(simulation: engine.simulation.Simulation) -> SessionState:
    """What the window would have saved."""
    return SessionState(
        lanes=[simulation.checkpoint()],
        scenarios=[simulation.scenario.to_toml()],
        time=simulation.time,
        clusters=simulation.frame().clusters,
        count=simulation.count,
        view=ViewModel().model_dump(),
    )


def write_all(folder: Path) -> None:
    """The files, and what is in them in expected.json."""
    expected: dict[str, dict[str, object]] = {"files": {}, "runs": {}}
    for name, (events, text) in SCENARIOS.items():
        scenario = folder / f"{name}.toml"
        scenario.write_text(f"# title: {name}\nformat = 1\nseed = 7\n{text}".replace("seed = 7\nsystem", "system", 1))
        simulation = engine.create(engine.load_scenario(scenario))
        start = FileFrame.of(simulation.frame(), simulation)
        with tempfile.TemporaryDirectory() as out:
            command = ["run", str(scenario), "--until-events", str(events), "--out", out, "--record"]
            assert main(command) == 0
            for kept in (*KEPT, "trajectory.gsd") if name in RECORDED else KEPT:
                if (Path(out) / kept).exists():
                    shutil.copy(Path(out) / kept, folder / f"{name}-{kept}")
            summary = json.loads((Path(out) / "summary.json").read_text())
        simulation.advance(max_events=events // 2)
        if name in ("event-driven", "jamming"):
            write_session(folder / f"{name}.aggsession", state_of(simulation))
        expected["runs"][name] = {"events": events, "start": numbers(start), "summary": summary}
    frames = read(folder / "event-driven-trajectory.gsd")
    for suffix in FORMATS:
        write(folder / f"event-driven{suffix}", frames[-1] if suffix == ".csv" else frames[:: len(frames) // 3][:4])
    for path in sorted(folder.iterdir()):
        if path.suffix in FORMATS and not path.name.endswith("contacts.csv"):
            expected["files"][path.name] = [numbers(frame) for frame in read(path)]
    lines = {part: ",\n".join(f'"{k}": {json.dumps(v)}' for k, v in of.items()) for part, of in expected.items()}
    text = ",\n".join(f'"{part}": {{\n{of}\n}}' for part, of in lines.items())
    (folder / "expected.json").write_text(f"{{\n{text}\n}}\n")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
