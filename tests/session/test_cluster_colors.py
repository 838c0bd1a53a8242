"""One colour per cluster: large neighbours never look alike, and colours change seldom and softly."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from aggviewer.canvas import colors
from aggviewer.document.view import ViewModel
from aggviewer.session.publish.cluster_colors import ALIKE, CLEAR, FADING, LARGEST, NEAR, PALETTE_SIZE, ClusterColors
from engine import Scenario
from engine.analysis.near_clusters import near_clusters
from engine.frame import Frame
from engine.plotting.colors import color_index
from tests.builders.color_vision import MACHADO, differences
from tests.builders.colorists import colorist_of


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
            gap = np.hypot(d[..., 0], d[..., 1]) - radii[one][:, None] - radii[other]
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
    """A whole run, a frame every few merges: at each of them no two of the largest with a gap below three mean
    diameters look alike, in both palettes and for every sight; and colours change seldom."""
    simulation = engine.create(Scenario().with_values(RUNS[name] | {"seed": 3}))
    radii, box, periodic = simulation.radii, simulation.box, simulation.periodic
    colorist = colorist_of("aggregation", radii, box, periodic)
    near = NEAR * 2.0 * radii.mean()
    count, frames, checked, begun, before, jumps = simulation.count, 0, 0, 0, {}, 0
    while simulation.frame().clusters > 1 and frames < 400:
        simulation.advance(until_clusters=max(1, int(simulation.frame().clusters * 0.97)))
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
    assert jumps <= begun


def test_a_colour_that_no_neighbour_has_stays():
    """Of more clusters than colours those that are far apart keep the colour of their label, whatever it is."""
    labels = np.flatnonzero(color_index(np.arange(900, dtype=np.int32)) == 5)[: PALETTE_SIZE + 1]
    cluster = np.repeat(labels, 3).astype(np.int32)
    positions = np.array([[20.0 * (k // 3) + 0.5 * (k % 3), 5.0] for k in range(len(cluster))])
    chosen = ClusterColors(np.full(len(cluster), 0.25), np.array([300.0, 10.0]))
    assert set(chosen.color(cluster, positions)) == {5.0}
    assert chosen.changed == ()


def test_no_more_clusters_than_colours_have_a_colour_each():
    """At any distance, so that a late picture has no two clusters of one colour."""
    cluster = np.repeat(np.flatnonzero(color_index(np.arange(900, dtype=np.int32)) == 5)[:PALETTE_SIZE], 3)
    positions = np.array([[20.0 * (k // 3) + 0.5 * (k % 3), 5.0] for k in range(len(cluster))])
    chosen = ClusterColors(np.full(len(cluster), 0.25), np.array([250.0, 10.0]))
    assert len(set(chosen.color(cluster.astype(np.int32), positions).tolist())) == PALETTE_SIZE


def test_another_colour_differs_plainly_from_those_around():
    """A cluster amid three others, one of which has its colour."""
    labels = [int(np.flatnonzero(color_index(np.arange(400, dtype=np.int32)) == k)[0]) for k in (5, 0, 8)]
    labels.append(int(np.flatnonzero(color_index(np.arange(400, dtype=np.int32)) == 5)[1]))
    far = np.arange(1000, 1000 + 3 * PALETTE_SIZE, 3)  # so many that not each has a colour of its own
    cluster = np.concatenate([np.repeat(labels, [9, 8, 7, 3]), np.repeat(far, 2)]).astype(np.int32)
    rows = [(0.5 * k, 0.8 * row) for row, count in enumerate((9, 8, 7, 3)) for k in range(count)]
    rows += [(40.0 + 20.0 * k + 0.5 * n, 5.0) for k in range(len(far)) for n in range(2)]
    frame = frame_of(np.array(rows) + 1.0, cluster)
    scalar, coloring = colorist_of("aggregation", np.full(len(cluster), 0.25), [900.0, 20.0]).color(frame, "cluster")
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


def test_the_smaller_one_changes_once_and_softly():
    chosen = colorist_of("aggregation", RADII, BOX)
    seen, frames = [], list(meeting(240))
    for frame in frames:
        scalar, coloring = chosen.color(frame, "cluster")
        table = colors.table(coloring, ViewModel())
        assert (scalar[:6] == 5.0).all()  # the larger one keeps its colour
        assert len(set(scalar[6:9].tolist())) == 1
        seen.append(table[int(scalar[6]), :3].astype(float))
    steps = np.linalg.norm(np.diff(seen, axis=0), axis=1)
    moved = np.flatnonzero(steps)
    assert 3 <= len(moved) <= FADING
    assert (np.diff(moved) == 1).all()  # one change
    assert steps.max() < 0.75 * np.linalg.norm(seen[-1] - seen[0])  # and no jump
    assert not np.array_equal(seen[-1], seen[0])
    assert coloring.fades == ()


def test_what_is_shown_first_has_its_colours_at_once():
    frame = list(meeting(240))[-1]
    chosen = ClusterColors(RADII, BOX)
    scalar = chosen.color(frame.cluster, frame.positions)
    assert chosen.fades == ()
    assert scalar[0] == 5.0
    assert scalar[6] != 5.0
    np.testing.assert_array_equal(chosen.color(frame.cluster, frame.positions), scalar)


def test_a_film_goes_on_with_the_colours_of_the_window():
    window = colorist_of("aggregation", RADII, BOX)
    for frame in meeting(300):
        scalar, coloring = window.color(frame, "cluster")
    assert coloring.changed
    apart = next(meeting(1))  # far from each other again: nothing but memory keeps the colour
    film = colorist_of("aggregation", RADII, BOX, changed=coloring.changed)
    np.testing.assert_array_equal(film.color(apart, "cluster")[0], scalar)
    plain = colorist_of("aggregation", RADII, BOX).color(apart, "cluster")[0]
    assert (plain != scalar).any()


def test_lone_discs_are_muted_and_never_recoloured():
    chosen = ClusterColors(np.full(40, 0.25), np.array([5.0, 5.0]))
    positions = np.random.default_rng(1).uniform(0, 5, (40, 2))
    scalar = chosen.color(np.arange(40, dtype=np.int32), positions)
    np.testing.assert_array_equal(scalar, color_index(np.arange(40, dtype=np.int32)) + PALETTE_SIZE)
    assert chosen.changed == ()


@pytest.mark.parametrize("read_only", [False, True])
def test_colours_are_the_same_with_and_without_kernels(read_only):
    """Without a box none are kept apart, which needs no kernels; far from each other they keep theirs with one, too.
    Labels may be larger than the number of discs."""
    rng = np.random.default_rng(5)
    for highest in (300, 40, 1500):
        cluster = rng.integers(0, highest, 300).astype(np.int32)
        cluster.setflags(write=not read_only)
        positions = np.column_stack((cluster, np.zeros(300))) + rng.uniform(0.1, 0.2, (300, 2))
        plain = ClusterColors().color(cluster, positions)
        chosen = ClusterColors(np.full(300, 0.01), np.array([5001.0, 1.0]))
        scalar = chosen.color(cluster, positions)
        assert chosen.changed == ()
        assert scalar.dtype == plain.dtype == np.float32
        np.testing.assert_array_equal(scalar, plain)
        sizes = np.bincount(cluster)
        np.testing.assert_array_equal(plain, color_index(cluster) + PALETTE_SIZE * (sizes[cluster] == 1))


def test_a_cluster_that_falls_apart_stops_changing_its_colour():
    """As in a recording that is played backwards."""
    chosen = ClusterColors(RADII, BOX)
    frames = list(meeting(240))
    while not chosen.fades:
        frame = frames.pop(0)
        chosen.color(frame.cluster, frame.positions)
    other = frame.cluster.copy()
    other[7:9] = other[0]
    scalar = chosen.color(other, frame.positions)
    assert chosen.fades == ()
    assert scalar[6] >= PALETTE_SIZE  # it is alone


@pytest.mark.parametrize("seed", range(40))
def test_near_clusters_against_all_pairs(seed):
    rng = np.random.default_rng(seed)
    count, periodic = int(rng.integers(5, 150)), bool(seed % 2)
    box = rng.uniform(3.0, 30.0, 2)
    radii = np.full(count, 0.4) if seed % 3 else rng.uniform(0.1, 1.2, count)
    frame = frame_of(rng.uniform(0.0, 1.0, (count, 2)) * box, rng.integers(0, count, count) // 8 * 8)
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
