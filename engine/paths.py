"""The paths of discs, which go on across the edges of a periodic box (`engine.unwrapped`)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from engine.arrays import Floats, Longs
from engine.boundary import Periodic
from engine.capabilities import Merging, merging
from engine.errors import InputError
from engine.files import FileFrame
from engine.files.quantities import IMAGES
from engine.frame import Frame, living
from engine.geometry.nearest import nearest_image, unwrapped
from engine.initial import initial_state
from engine.merges import MergeTree, merge_tree
from engine.simulation import Simulation

_FARTHEST = 0.25  # of the box: how far a disc may be from where its clusters have carried it
_ALIKE = 1e-6  # of the typical speed at the start: how much velocities may differ from those of the record


def paths(shown: Simulation | Frame | FileFrame | Iterable[Frame | FileFrame]) -> Floats:
    """See `engine.unwrapped`: (N, d), or (K, N, d) of several frames. Raises InputError if paths are not known."""
    alive = living(shown)
    if alive is not None:
        simulation: Any = alive
        records = merging(simulation)
        if records is None or not simulation.periodic.any:
            return _of_frame(FileFrame.from_any(simulation))
        return _of_clusters(simulation, records)
    if isinstance(shown, Frame | FileFrame):
        return _of_frame(FileFrame.from_any(shown))
    if not isinstance(shown, Iterable):
        raise InputError(f"a simulation, a frame or frames have paths, not {type(shown).__name__}")
    frames = [FileFrame.from_any(one) for one in shown]
    if not frames:
        raise InputError("there are no frames, so there are no paths")
    if any(len(one.positions) != len(frames[0].positions) for one in frames):
        raise InputError("the frames have different numbers of discs, so that their paths are not known")
    return np.array(_followed(frames))


def _known(frame: FileFrame) -> bool:
    """Whether a frame says by itself where its paths are."""
    return (frame.periodic is not None and not frame.periodic.any) or IMAGES in frame.fields


def _of_frame(frame: FileFrame) -> Floats:
    if not _known(frame):
        raise InputError(
            "this state does not say how often its discs have crossed the box; pass all frames of its recording"
        )
    return unwrapped(frame.positions, frame.fields.get(IMAGES), _box_of(frame), frame.strain)


def _box_of(frame: FileFrame) -> Floats:
    if frame.box is None:
        raise InputError("the frames have no box, so that paths across its edges are not known", "box")
    return frame.box


def _followed(frames: list[FileFrame]) -> list[Floats]:
    """The paths through frames: known, or by the nearest image from each frame to the next."""
    if all(map(_known, frames)):
        return [_of_frame(frame) for frame in frames]
    if any(one.strain or one.shear_rate for one in frames):
        raise InputError(
            "in a shear flow, paths can only be followed if each frame says how often its discs have crossed the box"
        )
    found = [frames[0].positions.copy()]
    for number, (before, after) in enumerate(pairwise(frames), 1):
        box = _box_of(before)
        around = Periodic.of(True, len(box)) if before.periodic is None else before.periodic
        step = nearest_image(after.positions - before.positions, box, around)
        farthest = 2.0 * float(np.abs(step).max(initial=0.0))
        if before.velocities is not None and before.time is not None and after.time is not None:
            fastest = np.sqrt(np.square(before.velocities).sum(axis=1).max(initial=0.0))
            farthest = float(fastest) * (after.time - before.time)
        if farthest > 0.5 * float(around.periods(box).min()):
            raise InputError(
                f"between the frames {number - 1} and {number} a disc may have crossed half of the box, so that its "
                "path is not known: record frames more often"
            )
        found.append(found[-1] + step)
    return found


def _of_clusters(simulation: Simulation, records: Merging) -> Floats:
    """The paths of discs that join: where the clusters of each have carried it, in the image that is nearest to it.

    In a periodic box the velocity of a cluster follows from those of its discs at the start, so that the start and the
    record of merges say all. That a run began so, and was not changed by hand, shows in its velocities.
    """
    unknown = "how often discs of this run have crossed the box is not known: pass all frames of its recording"
    tree, frame, box = merge_tree(records.merge_log()), simulation.frame(), simulation.box
    try:
        start = initial_state(simulation.scenario, check=False)
    except InputError as error:
        raise InputError(f"{unknown}; {error}") from None
    if tree.since > 0.0 or start.positions.shape != frame.positions.shape or not np.array_equal(start.box, box):
        raise InputError(unknown)
    mass, momentum = _sums(tree, start.masses, start.velocities)
    node = momentum / mass[:, None]
    roots = _roots(tree)[tree.leaf]
    now = _by_group(roots, simulation.masses[:, None] * frame.velocities) / _by_group(roots, simulation.masses[:, None])
    typical = float(np.sqrt(np.square(start.velocities).sum(axis=1).mean()))
    path = start.positions + _carried(tree, node, frame.time)[tree.leaf]
    apart = nearest_image(path - frame.positions, box, simulation.periodic)
    if (np.abs(now - node[roots]) > _ALIKE * typical).any() or (np.abs(apart) > _FARTHEST * box).any():
        raise InputError(unknown)
    return frame.positions + box * np.rint((path - frame.positions) / box)


def _sums(tree: MergeTree, masses: Floats, velocities: Floats) -> tuple[Floats, Floats]:
    """Mass (n + K,) and momentum (n + K, d) of each node."""
    mass, momentum = np.zeros(len(tree.parent)), np.zeros((len(tree.parent), velocities.shape[1]))
    np.add.at(mass, tree.leaf, masses)
    np.add.at(momentum, tree.leaf, masses[:, None] * velocities)
    for node, (one, two) in enumerate(tree.children.tolist(), tree.leaf_count):
        mass[node] = mass[one] + mass[two]
        momentum[node] = momentum[one] + momentum[two]
    return mass, momentum


def _carried(tree: MergeTree, velocity: Floats, now: float) -> Floats:
    """How far each node and those above it move until now, (n + K, d)."""
    begin = np.concatenate([np.full(tree.leaf_count, tree.since), tree.time])
    end = np.where(tree.parent < 0, now, begin[tree.parent])
    carried: Floats = velocity * (end - begin)[:, None]
    above = tree.parent.copy()
    while (more := above >= 0).any():  # each round reaches twice as far up
        carried[more] += carried[above[more]]
        above[more] = above[above[more]]
    return carried


def _roots(tree: MergeTree) -> Longs:
    """The root above each node, (n + K,)."""
    root = np.where(tree.parent < 0, np.arange(len(tree.parent)), tree.parent)
    while (root != root[root]).any():
        root = root[root]
    return root


def _by_group(group: Longs, values: Floats) -> Floats:
    """The sum of values (N, k) over each group, for every member."""
    _, row = np.unique(group, return_inverse=True)
    sums: Floats = np.zeros((int(row.max(initial=-1)) + 1, values.shape[1]))
    np.add.at(sums, row, values)
    return sums[row]
