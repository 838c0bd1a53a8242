"""`make recorded`: compute the first minute of the scenarios of a start and write it into resources/recordings/.

The window plays it while kernels are compiled or loaded. It holds the run at the default speed of the window, 60 frames
a second of wall time.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import engine
from aggviewer.document.window import DEFAULT_SPEED
from aggviewer.session.past.replay import CLUSTER_COLUMNS
from aggviewer.session.run.pacing import FRAME_INTERVAL
from aggviewer.window.app import DEFAULT_SCENARIO, FIRST_SCENARIO
from engine.records import columns
from engine.scenario import Scenario

FRAMES = 3601
"""A minute of wall time."""

_FOLDER = Path(__file__).parent.parent / "resources" / "recordings"


def record(scenario: Scenario, frames: int = FRAMES) -> dict[str, NDArray[Any]]:
    """The arrays that `aggviewer.session.past.replay.RecordedRun` takes, with the scenario's text."""
    simulation = engine.create(scenario)
    times = DEFAULT_SPEED * FRAME_INTERVAL * np.arange(frames)
    cluster_rows: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
    disc_rows: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]] = []
    clusters, energy = np.zeros(frames, np.int32), np.zeros(frames)
    before: tuple[NDArray[Any], ...] | None = None
    for index, time in enumerate(times):
        simulation.advance(until_time=float(time))
        arrays = simulation.checkpoint().arrays
        state, places, labels = _states(arrays), _places(arrays), arrays["label"]
        if before is None:
            changed = moved = np.ones(len(labels), bool)
        else:
            changed = (state != before[0]).any(axis=1)
            moved = (places != before[1]).any(axis=1) | (labels != before[2])
        alive = np.isin(np.arange(len(labels)), labels)  # nobody looks at a cluster that is gone
        which = np.flatnonzero(changed & alive)
        cluster_rows.append((np.full(len(which), index), which, state[which]))
        which = np.flatnonzero(moved)
        disc_rows.append((np.full(len(which), index), which, places[which], labels[which]))
        frame = simulation.frame()
        clusters[index], energy[index] = frame.clusters, frame.kinetic_energy
        before = state, places, labels
    frame_of, cluster, cluster_state = (np.concatenate(part) for part in zip(*cluster_rows, strict=True))
    disc_frame, disc, place, label = (np.concatenate(part) for part in zip(*disc_rows, strict=True))
    return {
        "scenario": np.array(scenario.to_toml()),
        "times": times,
        "radii": simulation.radii,
        "masses": simulation.masses,
        "box": simulation.box,
        "periodic": np.array(simulation.periodic.code),
        "original": arrays["original"],
        "clusters": clusters,
        "energy": energy,
        "cluster_frame": frame_of.astype(np.int32),
        "cluster": cluster.astype(np.int32),
        "cluster_state": cluster_state,
        "disc_frame": disc_frame.astype(np.int32),
        "disc": disc.astype(np.int32),
        "disc_place": place,
        "disc_label": label.astype(np.int32),
    }


def write(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """The same arrays always give the same bytes: every part has the same date."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", (2000, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w") as file:
                np.lib.format.write_array(file, np.asarray(array, order="C"), allow_pickle=False)


def _states(arrays: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """`CLUSTER_COLUMNS` of each cluster, (N, 5), by the number of the disc that names it; zeros where there is none."""
    live = arrays["clusters"]
    states = np.zeros((len(arrays["label"]), len(CLUSTER_COLUMNS)))
    velocity = columns(live, "px", "py") / live["mass"][:, None]
    states[arrays["live"]] = np.column_stack([columns(live, "x", "y"), velocity, live["time"]])
    return states


def _places(arrays: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """Where each disc is in the frame of its cluster, (N, 2)."""
    return columns(arrays["discs"], "x", "y")


def main() -> None:
    for name in (FIRST_SCENARIO, DEFAULT_SCENARIO):
        path = _FOLDER / f"{name}.npz"
        write(path, record(engine.open_scenario(name)))
        print(f"Written: {path.relative_to(Path.cwd())}, {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
