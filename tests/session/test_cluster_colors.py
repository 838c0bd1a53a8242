"""One colour per cluster: large neighbours never look alike, and colours change seldom."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from aggviewer.canvas import colors
from aggviewer.document.view import ViewModel
from aggviewer.session.cluster_colors import CLEAR, LARGEST, NEAR, PALETTE_SIZE, ColorWatch
from aggviewer.session.publish.coloring import color_groups
from engine import Scenario
from engine.analysis.near_clusters import near_clusters
from engine.fields import CLUSTER
from engine.frame import Frame
from engine.plotting.colors import color_index
from tests.builders.color_vision import MACHADO, differences
from tests.builders.colorists import DecidedColors, colorist_of

ALIKE = 7.5
"""Two colours look alike up to this distance in CIELAB."""


def frame_of(positions, cluster, time=0.0):
    cluster = np.asarray(cluster, np.int32)
    return Frame(
        time,
        np.asarray(positions, float),
        np.zeros((len(cluster), 2)),
        {"cluster": cluster},
        len(set(cluster.tolist())),
        0.0,
    )


def gaps(frame, radii, box, periodic, labels):
    """(k, k): gap between each two clusters, from all pairs of their discs."""
    discs = [np.flatnonzero(frame.cluster == label) for label in labels]
    found = np.full((len(labels), len(labels)), np.inf)
    for a, one in enumerate(discs):
        for b, other in enumerate(discs[:a]):
            d = frame.positions[one][:, None] - frame.positions[other]
            if periodic:
                d -= box * np.round(d / box)
            gap = np.linalg.norm(d, axis=-1) - radii[one][:, None] - radii[other]
            found[a, b] = found[b, a] = gap.min()
    return found


def largest(frame):
    """Labels of the largest clusters of two discs and more."""
    sizes = np.bincount(frame.cluster)
    labels = np.flatnonzero(sizes >= 2)
    return labels[np.lexsort((labels, -sizes[labels]))][:LARGEST]


def shown(frame, scalar, coloring, labels, background="dark"):
    """The colours of these clusters on the screen, (k, 3)."""
    table = colors.table(coloring, ViewModel(background=background))
    first = [int(np.flatnonzero(frame.cluster == label)[0]) for label in labels]
    return table[scalar[first].astype(int), :3]


RUNS = {
    "periodic": {"discs.count": 900, "box.boundary": "periodic"},
    "walls": {"discs.count": 900},
    "dense": {"discs.count": 900, "discs.volume_fraction": 0.4},
    "small": {"discs.count": 225, "box.boundary": "periodic"},
    "two sizes": {"discs.count": 600, "discs.radii": "bidisperse", "discs.spread": 2.0, "discs.arrangement": "random"},
}


@pytest.mark.parametrize(
    "name", [name if name == "small" else pytest.param(name, marks=pytest.mark.slow) for name in RUNS]
)
def test_large_neighbours_never_look_alike(name):
    """A whole run, a frame every few merges and decisions in between: at each frame no two of the largest with a gap
    below three mean diameters look alike, in both palettes and for every sight; and colours change seldom."""
    simulation = engine.create(Scenario().with_values(RUNS[name] | {"seed": 3}))
    radii, box, periodic = simulation.radii, simulation.box, simulation.periodic
    colorist, histories = colorist_of("aggregation", radii, box, periodic), {}
    colorist.follow(histories)
    watch = ColorWatch(simulation, [CLUSTER], histories)
    watch.look(simulation.advance(0.0))
    near = NEAR * 2.0 * radii.mean()
    count, frames, checked, begun, before, jumps = simulation.count, 0, 0, 0, {}, 0
    while simulation.frame().clusters > 1 and frames < 400:
        goal = max(1, int(simulation.frame().clusters * 0.97))
        while (reached := simulation.advance(watch.next_time, until_clusters=goal)).clusters > goal:
            watch.look(reached)
        frame = simulation.frame()
        scalar, coloring = colorist.color(frame, "cluster")
        frames += 1
        labels = largest(frame)
        close = gaps(frame, radii, box, periodic, labels) < near
        for background in ("dark", "light"):
            apart = differences(shown(frame, scalar, coloring, labels, background), MACHADO)
            assert apart[np.triu(close, 1)].min(initial=np.inf) > ALIKE, (name, frames, background)
        checked += int(np.triu(close, 1).sum())
        now = dict(zip(labels.tolist(), scalar[[np.flatnonzero(frame.cluster == k)[0] for k in labels]], strict=True))
        jumps += sum(
            1 for k, value in now.items() if k in before and value != before[k] and max(value, before[k]) < PALETTE_SIZE
        )
        before = now
        begun = len(coloring.changed)
    assert checked > 200
    assert begun < 0.2 * count  # of all clusters that ever were
    assert jumps < 0.3 * count


def test_a_colour_that_no_neighbour_has_stays():
    """Of more clusters than colours those that are far apart keep the colour of their label, whatever it is."""
    labels = np.flatnonzero(color_index(np.arange(900, dtype=np.int32)) == 5)[: PALETTE_SIZE + 1]
    cluster = np.repeat(labels, 3).astype(np.int32)
    positions = np.array([[20.0 * (k // 3) + 0.5 * (k % 3), 5.0] for k in range(len(cluster))])
    scalar, coloring = DecidedColors(np.full(len(cluster), 0.25), [300.0, 10.0]).color(frame_of(positions, cluster))
    assert set(scalar) == {5.0}
    assert coloring.changed == ()


def test_no_more_clusters_than_colours_have_a_colour_each():
    """At any distance, so that a late picture has no two clusters of one colour."""
    cluster = np.repeat(np.flatnonzero(color_index(np.arange(900, dtype=np.int32)) == 5)[:PALETTE_SIZE], 3)
    positions = np.array([[20.0 * (k // 3) + 0.5 * (k % 3), 5.0] for k in range(len(cluster))])
    scalar, _ = DecidedColors(np.full(len(cluster), 0.25), [250.0, 10.0]).color(frame_of(positions, cluster))
    assert len(set(scalar.tolist())) == PALETTE_SIZE


def test_another_colour_differs_plainly_from_those_around():
    """A cluster amid three others, one of which has its colour."""
    labels = [int(np.flatnonzero(color_index(np.arange(400, dtype=np.int32)) == k)[0]) for k in (5, 0, 8)]
    labels.append(int(np.flatnonzero(color_index(np.arange(400, dtype=np.int32)) == 5)[1]))
    far = np.arange(1000, 1000 + 3 * PALETTE_SIZE, 3)  # so many that not each has a colour of its own
    cluster = np.concatenate([np.repeat(labels, [9, 8, 7, 3]), np.repeat(far, 2)]).astype(np.int32)
    rows = [(0.5 * k, 0.8 * row) for row, count in enumerate((9, 8, 7, 3)) for k in range(count)]
    rows += [(40.0 + 20.0 * k + 0.5 * n, 5.0) for k in range(len(far)) for n in range(2)]
    frame = frame_of(np.array(rows) + 1.0, cluster)
    scalar, coloring = DecidedColors(np.full(len(cluster), 0.25), [900.0, 20.0]).color(frame)
    for background in ("dark", "light"):
        apart = differences(shown(frame, scalar, coloring, labels, background), MACHADO)
        assert apart[3, :3].min() >= CLEAR


FAR = np.repeat(np.arange(1000, 1000 + PALETTE_SIZE), 2)
"""More clusters, far from all others: there are more than colours then."""
FAR_PLACES = np.array([[60.0 + 20.0 * (k // 2) + 0.5 * (k % 2), 10.0] for k in range(len(FAR))])
RADII, BOX = np.full(9 + len(FAR), 0.25), np.array([400.0, 20.0])


def meeting(steps, start=12.0, speed=0.05):
    """Two clusters of the same colour that come near each other, the second of which is smaller."""
    one, other = (int(k) for k in np.flatnonzero(color_index(np.arange(400, dtype=np.int32)) == 5)[:2])
    cluster = np.concatenate([[one] * 6 + [other] * 3, FAR])
    still = np.array([[10.0 + 0.5 * k, 10.0] for k in range(6)])
    for k in range(steps):
        moving = np.array([[13.0 + start - speed * k + 0.5 * n, 10.0] for n in range(3)])
        yield frame_of(np.vstack([still, moving, FAR_PLACES]), cluster, k)


def test_the_smaller_one_changes_once():
    run, seen = DecidedColors(RADII, BOX), []
    for frame in meeting(240):
        scalar, coloring = run.color(frame)
        assert (scalar[:6] == 5.0).all()  # the larger one keeps its colour
        assert len(set(scalar[6:9].tolist())) == 1
        seen.append(scalar[6])
    assert seen[0] == 5.0
    assert np.count_nonzero(np.diff(seen)) == 1
    assert coloring.changed == ((frame.cluster[6], seen[-1]),)
    start = next(meeting(1))  # far from each other again: only an earlier time has the colours of then
    start.time = 1000.0
    np.testing.assert_array_equal(run.color(start)[0], scalar)


def test_lone_discs_are_muted_and_never_recoloured():
    positions = np.random.default_rng(1).uniform(0, 5, (40, 2))
    scalar, coloring = DecidedColors(np.full(40, 0.25), [5.0, 5.0]).color(frame_of(positions, np.arange(40)))
    np.testing.assert_array_equal(scalar, color_index(np.arange(40, dtype=np.int32)) + PALETTE_SIZE)
    assert coloring.changed == ()


@pytest.mark.parametrize("read_only", [False, True])
def test_colours_are_the_same_with_and_without_kernels(read_only):
    """Labels may be larger than the number of discs, and changes may be of labels that no disc has."""
    rng = np.random.default_rng(5)
    for highest in (300, 40, 1500):
        cluster = rng.integers(0, highest, 300).astype(np.int32)
        cluster.setflags(write=not read_only)
        for changed in ({}, {int(cluster[0]): 3, 5000: 4}):
            plain, coloring = color_groups(CLUSTER, cluster, changed, kernels=False)
            scalar, _ = color_groups(CLUSTER, cluster, changed)
            assert coloring.changed == tuple(changed.items())[:1]
            assert scalar.dtype == plain.dtype == np.float32
            np.testing.assert_array_equal(scalar, plain)
            index, sizes = color_index(cluster), np.bincount(cluster)
            if changed:
                index[cluster == cluster[0]] = 3
            np.testing.assert_array_equal(plain, index + PALETTE_SIZE * (sizes[cluster] == 1))


@pytest.mark.parametrize("seed", range(40))
def test_near_clusters_against_all_pairs(seed):
    rng = np.random.default_rng(seed)
    count, periodic = int(rng.integers(5, 150)), bool(seed % 2)
    axes = 2 if seed < 28 else 3
    box = rng.uniform(3.0, 30.0 if axes == 2 else 12.0, axes)
    radii = np.full(count, 0.4) if seed % 3 else rng.uniform(0.1, 1.2, count)
    frame = frame_of(rng.uniform(0.0, 1.0, (count, axes)) * box, rng.integers(0, count, count) // 8 * 8)
    labels = np.unique(frame.cluster)[:20]
    rank = np.full(count, -1, np.int8)
    rank[labels] = np.arange(len(labels))
    gap = 6.0 * radii.mean() * rng.uniform(0.1, 1.0)
    bits = near_clusters(frame.positions, radii, frame.cluster, rank, box, periodic, gap)
    found = np.array([[bool(int(bits[a]) >> b & 1) and a != b for b in range(len(labels))] for a in range(len(labels))])
    want = gaps(frame, radii, box, periodic, labels)
    assert found[want < gap].all()
    assert not found[(want > gap + 3.2 * 2.0 * radii.mean()) & np.isfinite(want)].any()
    np.testing.assert_array_equal(found, found.T)
