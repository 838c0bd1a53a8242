"""The history of merges as a tree: against sets of discs, against scipy, and against the clusters of frames."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster import hierarchy

import engine
from engine import InputError, Scenario
from engine.aggregation.event_driven.simulation import EventDriven
from engine.aggregation.time_stepping.simulation import TimeStepping
from engine.capabilities import merging
from engine.merges import MergeLog, merge_tree
from tests.builders.states import CLUSTERS, discs, gas, random_state, stepping, through_a_file
from tests.reference.merging import clusters_of

METHODS = {
    "event-driven": {"aggregation.method": "event-driven"},
    "deformable": {"aggregation.method": "time-stepping", CLUSTERS: "deformable"},
    "rigid": {"aggregation.method": "time-stepping", CLUSTERS: "rigid"},
}


def begun(method="event-driven", count=120, joined=0, seed=3, periodic=False):
    state = random_state(np.random.default_rng(seed), count, periodic=periodic, spread=0.3, joined=joined)
    return engine.create(Scenario().with_values(METHODS[method]), state)


def saved(simulation):
    """The simulation as it comes back from a file, whose arrays are checked."""
    kept = through_a_file(simulation.checkpoint())
    engine.check_checkpoint(kept)
    return engine.restore(kept)


def same_partition(one, other):
    """Whether two labels of the same discs put the same ones together."""
    return len(np.unique(one)) == len(np.unique(other)) == len(np.unique(np.stack([one, other]), axis=1).T)


@st.composite
def logs(draw):
    """Clusters to begin with, and merges of clusters that are there, at times that do not decrease."""
    count = draw(st.integers(1, 12))
    leaves = draw(st.lists(st.integers(0, 40), min_size=count, max_size=count))
    label = list(leaves)
    time, merges = 1.5, []
    for _ in range(draw(st.integers(0, len(set(label)) - 1))):
        i = draw(st.integers(0, count - 1))
        others = [disc for disc in range(count) if label[disc] != label[i]]
        j = draw(st.sampled_from(others))
        time += draw(st.sampled_from([0.0, 0.25, 1.0]))
        merges.append((time, i, j))
        label = [label[i] if number == label[j] else number for number in label]
    return leaves, merges


@settings(max_examples=60)
@given(logs())
def test_every_node_is_the_cluster_of_the_reference(given_log):
    leaves, merges = given_log
    expected = clusters_of(leaves, merges, since=1.5)
    number = {cluster: k for k, cluster in enumerate(expected)}
    table = np.array(merges, float).reshape(-1, 3)
    tree = merge_tree(MergeLog(table[:, 0], table[:, 1:].astype(np.int32), np.array(leaves, np.int32), 1.5))
    assert tree.leaf_count == len(set(leaves))
    for node, cluster in enumerate(expected):
        assert set(tree.discs_of(node)) == cluster.discs
        assert tree.sizes[node] == len(cluster.discs)
        assert tree.time_of(node) == cluster.time
        assert tree.leaf_counts[node] == len({leaves[disc] for disc in cluster.discs})
        below = [
            k - tree.leaf_count for k in range(tree.leaf_count, len(expected)) if expected[k].discs <= cluster.discs
        ]
        assert list(tree.merges_of(node)) == below
        assert len(below) == tree.leaf_counts[node] - 1
        if cluster.parts:
            pair = tree.children[node - tree.leaf_count]
            assert set(pair) == {number[part] for part in cluster.parts}
            assert tree.sizes[pair[0]] >= tree.sizes[pair[1]]
            assert all(tree.parent[part] == node for part in pair)
    gone = {part for cluster in expected for part in cluster.parts}
    assert set(tree.roots) == {number[cluster] for cluster in expected if cluster not in gone}
    for disc in range(len(leaves)):
        for when in (1.5, 2.0, 3.0, np.inf):
            then = [c for c in expected if disc in c.discs and c.time <= when]
            assert set(tree.discs_of(tree.node_of(disc, when))) == max(then, key=lambda c: len(c.discs)).discs


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_a_run_to_one_cluster(method, periodic):
    simulation = begun(method, periodic=periodic, joined=4)
    for until in (60, 10, 1):
        simulation.advance(until_clusters=until)
        tree, frame = engine.merge_tree(simulation), simulation.settled()
        assert tree.leaf_count == 116
        assert len(tree.time) == 116 - frame.clusters
        assert len(tree.roots) == frame.clusters
        assert (np.diff(tree.time) >= 0.0).all()
        assert tree.time[-1] <= simulation.time
        assert tree.sizes[tree.roots].sum() == 120
        roots = [tree.node_of(disc) for disc in range(120)]
        assert same_partition(frame.cluster, roots)
        # a disc that touched in a merge was in one of the two clusters, the other disc in the other one
        for k, (i, j) in enumerate(tree.pairs):
            one, two = (set(tree.discs_of(node)) for node in tree.children[k])
            assert (i in one and j in two) or (i in two and j in one)
        last = {disc: tree.time_of(node) for disc, node in enumerate(roots)}
        np.testing.assert_array_equal(frame.fields["last_merge"], [last[disc] for disc in range(120)])
    assert simulation.time > 0.0


@pytest.mark.parametrize("method", ["deformable", "rigid"])
def test_several_merges_of_a_step_have_the_time_of_its_end(method):
    state = random_state(np.random.default_rng(1), 150, periodic=True, fraction=0.5)
    simulation = TimeStepping(stepping(**METHODS[method]), state)
    history = []
    while simulation.advance(max_events=1).clusters > 50:
        history.append((simulation.time, simulation.frame().clusters))
    tree, log = engine.merge_tree(simulation), simulation.history()
    fell = np.repeat(log.time[1:], -np.diff(log.clusters))
    np.testing.assert_array_equal(tree.time, fell)
    assert len(np.unique(fell)) < len(fell)


def test_methods_that_carry_on_continue_the_record():
    simulation = begun("event-driven", joined=5)
    leaves = simulation.frame().cluster.copy()
    for left, method in ((70, "deformable"), (40, "event-driven"), (20, "rigid"), (2, "event-driven")):
        simulation.advance(until_clusters=left)
        simulation.advance(budget=1e-7)
        simulation = engine.carry_on(simulation, simulation.scenario.with_values(METHODS[method]))
        simulation = saved(simulation)
        tree = engine.merge_tree(simulation)
        frame = simulation.settled()
        assert len(tree.time) == 115 - frame.clusters
        assert (np.diff(tree.time) >= 0.0).all()
        assert same_partition(frame.cluster, [tree.node_of(disc) for disc in range(120)])
    assert same_partition(simulation.merge_log().leaves, leaves)


def test_scipy_reads_the_linkage_of_a_merge_tree():
    simulation = begun(count=90)
    simulation.advance()
    tree = engine.merge_tree(simulation)
    linkage = tree.linkage()
    assert hierarchy.is_valid_linkage(linkage)
    assert hierarchy.is_monotonic(linkage)
    for clusters in (60, 20, 3):
        other = begun(count=90)
        other.advance(until_clusters=clusters)
        assert same_partition(hierarchy.fcluster(linkage, clusters, "maxclust"), other.frame().cluster)
    other = begun(count=90)
    other.advance(until_clusters=12)
    part = engine.merge_tree(other)
    node = max(part.roots, key=lambda root: part.sizes[root])
    own = part.linkage(node)
    assert hierarchy.is_valid_linkage(own)
    drawn = hierarchy.dendrogram(own, no_plot=True)
    assert len(drawn["leaves"]) == part.leaf_counts[node] == len(own) + 1
    # the leaves of a node are numbered in the order in which they stand: each branch of it is a range of numbers
    for root in hierarchy.to_tree(own, rd=True)[1]:
        below = root.pre_order()
        assert sorted(below) == list(range(min(below), max(below) + 1))


def test_a_tree_of_merges_is_written_in_newick():
    state = discs([[1, 5], [3, 5], [8, 5], [1, 1]], [[1, 0], [0, 0], [0, 0], [0, 0]], 0.5, 10)
    simulation = EventDriven(Scenario(), state)
    simulation.advance(until_clusters=2)
    tree = engine.merge_tree(simulation)
    times = tree.time
    assert times[0] == 1.0
    root = tree.node_of(0)
    text = tree.newick(root)
    found = re.fullmatch(r"\(\(d0:1,d1:1\):(\S+?),d2:(\S+?)\):0;", text)
    assert found
    assert [float(number) for number in found.groups()] == pytest.approx([times[1] - 1.0, times[1]], rel=1e-11)
    assert tree.newick(tree.node_of(3)) == "d3:0;"
    assert tree.time_of(root) == times[1]


def test_a_long_chain_in_newick_costs_as_much_as_it_is_long():
    """Each merge adds a disc to the one large cluster: a text that is copied at each would be billions of letters."""
    count = 30_000
    pairs = np.stack([np.zeros(count - 1), np.arange(1, count)], axis=1).astype(np.int32)
    tree = merge_tree(MergeLog(np.arange(1.0, count), pairs, np.arange(count, dtype=np.int32)))
    assert tree.leaf_counts[-1] == count
    text = tree.newick(2 * count - 2)
    assert text.startswith("(" * (count - 1) + "d0:1,d1:1):1,d2:2)")
    assert text.count(",") == count - 1


def test_one_disc_alone_and_what_has_no_merges():
    alone = EventDriven(Scenario(), discs([[5, 5]], [[1, 0]], 0.5, 10))
    tree = engine.merge_tree(alone)
    assert (tree.leaf_count, len(tree.time), tree.linkage().shape) == (1, 0, (0, 4))
    assert merging(gas(count=9)) is None
    with pytest.raises(InputError, match="only systems whose discs join"):
        engine.merge_tree(gas(count=9))


def test_a_log_that_is_none_is_refused():
    log = MergeLog(np.ones(2), np.array([[0, 1], [1, 0]], np.int32), np.arange(3, dtype=np.int32))
    with pytest.raises(InputError, match="two discs of one cluster"):
        merge_tree(log)
