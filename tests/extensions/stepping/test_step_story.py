"""The story of a step: from real traces, and from traces made by hand whose every number is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from aggviewer.extensions.stepping.story import FLIGHT_TICKS, StepStory
from engine.aggregation.time_stepping.trace import StepTrace
from engine.boundary import Periodic
from engine.geometry.nearest import nearest_image
from tests.extensions.stepping.steps import simulation, story_of


def by_hand(
    before: list[list[float]],
    velocities: list[list[float]],
    *,
    clusters: list[int] | None = None,
    after: list[list[float]] | None = None,
    flown: list[list[float]] | None = None,
    **given: object,
) -> StepTrace:
    """A step of length 1 without a collision, but for what is given."""
    count = len(before)
    start, speeds = np.array(before, float), np.array(velocities, float)
    labels = np.arange(count, dtype=np.int32) if clusters is None else np.array(clusters, np.int32)
    ends = start + speeds if flown is None else np.array(flown, float)
    none = np.empty((0, 2), np.int32)
    parts: dict[str, object] = {
        "overlapping": none, "links": none, "new_links": none,
        "velocities_after": speeds, "clusters_after": labels,
        "residual": np.empty(0), "round": np.empty(0, np.int64), "tolerance": 1e-3, "converged": True, "complete": True,
        "record_disc": np.empty(0, np.int32), "record_position": np.empty((0, 2)),
        "record_frame": np.empty(0, np.int64),
    }  # fmt: skip
    parts.update(given)
    return StepTrace(
        time=2.0, dt=1.0, before=start, flown=ends, after=ends if after is None else np.array(after, float),
        velocities_before=speeds, clusters_before=labels, **parts,
    )  # fmt: skip


def hand_story(
    trace: StepTrace, *, periodic: Periodic | bool = False, box: float = 10.0, radius: float = 0.5
) -> StepStory:
    return StepStory(trace, np.full(len(trace.before), radius), np.array([box, box]), periodic)


MOVES = [
    {},
    {"boundary": "periodic"},
    {"clusters": "rigid", "time": 3.0},
    {"boundary": "periodic", "fraction": 0.5, "time": 4.0},
    {"boundary": ("periodic", "walls"), "time": 3.0},
    {"boundary": ("walls", "periodic"), "clusters": "rigid", "time": 4.0},
]


@pytest.mark.parametrize("how", MOVES)
def test_every_picture_of_the_minimisation_is_that_of_the_trace_in_any_order(how: dict[str, object]) -> None:
    made = simulation(**how)
    story = story_of(made)
    trace = story.trace
    shown = [
        (tick, chapter.before + tick - chapter.first)
        for chapter in story.chapters
        if chapter.kind == "minimisation"
        for tick in range(chapter.first, chapter.last + 1)
    ]
    assert len(shown) > 10
    anywhere = np.random.default_rng(1).permutation(len(shown)).tolist()
    for order in (range(len(shown)), range(len(shown) - 1, -1, -1), anywhere):
        for tick, iteration in (shown[k] for k in order):
            np.testing.assert_array_equal(story.at(tick).positions, trace.positions(iteration))
    np.testing.assert_array_equal(story.at(story.last).positions, trace.after)


def test_a_disc_that_two_groups_of_a_round_move_follows_the_later_one() -> None:
    trace = by_hand(
        [[1.0, 1.0], [3.0, 1.0]],
        [[0.0, 0.0], [0.0, 0.0]],
        new_links=np.array([[0, 1]], np.int32),
        overlapping=np.array([[0, 1]], np.int32),
        residual=np.array([0.3, 0.2, 0.1, 0.05]),
        round=np.ones(4, np.int64),
        record_disc=np.array([0, 0, 0, 0, 1, 0, 0], np.int32),
        record_position=np.array([[1.1, 1], [1.2, 1], [1.3, 1], [1.4, 1], [2.9, 1], [1.5, 1], [1.6, 1]]),
        record_frame=np.array([0, 1, 2, 3, 0, 1, 2]),
    )
    story = hand_story(trace)
    first = story.chapters[2].first
    for iteration in (0, 4, 1, 3, 2, 0, 3, 4):
        np.testing.assert_array_equal(story.at(first + iteration).positions, trace.positions(iteration))


def test_the_chapters_follow_each_other_without_a_gap() -> None:
    story = story_of(simulation())
    assert [chapter.kind for chapter in story.chapters[:2]] == ["flight", "overlaps"]
    assert story.chapters[-1].kind == "velocities"
    assert {chapter.kind for chapter in story.chapters[2:-1]} == {"minimisation"}
    assert story.chapters[0].first == 0
    for one, other in zip(story.chapters, story.chapters[1:], strict=False):
        assert other.first == one.last + 1
        assert story.chapter_at(one.last) is one
        assert story.chapter_at(other.first) is other
    assert story.last == story.chapters[-1].last
    for index in range(len(story.trace.residual)):
        frame = story.at(story.tick_of_iteration(index))
        assert frame.residual == story.trace.residual[index]
        assert frame.chapter.before + (frame.iteration or 0) == index + 1


def test_overlaps_are_red_while_they_last() -> None:
    story = story_of(simulation())
    trace = story.trace
    found = story.at(story.chapters[1].last)
    np.testing.assert_array_equal(found.overlapping, trace.overlapping)
    assert found.strength == 1.0
    assert story.at(story.chapters[1].first).strength < 0.5
    rounds = [chapter for chapter in story.chapters if chapter.kind == "minimisation"]
    assert len(rounds) == 2
    start = story.at(rounds[0].first)
    assert {tuple(pair) for pair in trace.overlapping.tolist()} >= {tuple(pair) for pair in start.overlapping.tolist()}
    for chapter in rounds:
        for tick in range(chapter.first + 1, chapter.last + 1):
            frame = story.at(tick)
            i, j = frame.overlapping.T
            deep = 2.0 * story.radii[0] - np.hypot(*(frame.positions[i] - frame.positions[j]).T)
            assert (deep > 0.0).all()
    assert len(story.at(rounds[0].first + 1).overlapping) > len(story.at(rounds[-1].last).overlapping)
    assert len(story.at(story.last).overlapping) == 0


def test_links_that_the_motion_makes_come_in_a_later_round() -> None:
    story = story_of(simulation())
    trace = story.trace
    first, second = (chapter for chapter in story.chapters if chapter.kind == "minimisation")
    assert len(trace.new_links) > len(trace.overlapping)
    assert len(story.at(story.chapters[1].last).new_links) == 0
    np.testing.assert_array_equal(story.at(first.last).new_links, trace.overlapping)
    np.testing.assert_array_equal(story.at(second.first).new_links, trace.new_links)
    assert "new overlaps" in story.at(second.first).text
    np.testing.assert_array_equal(story.at(story.last).new_links, trace.new_links)


def test_the_flight_runs_along_the_velocities() -> None:
    story = hand_story(by_hand([[1.0, 1.0], [5.0, 5.0]], [[2.0, 1.0], [0.0, -4.0]]))
    half = story.at(FLIGHT_TICKS // 2)
    np.testing.assert_allclose(half.positions, [[2.0, 1.5], [5.0, 3.0]])
    assert half.time == pytest.approx(2.5)
    np.testing.assert_array_equal(story.at(0).positions, story.trace.before)
    np.testing.assert_array_equal(story.at(FLIGHT_TICKS).positions, story.trace.flown)


def test_in_a_periodic_box_a_disc_leaves_and_comes_back_at_the_other_side() -> None:
    story = hand_story(by_hand([[9.5, 5.0]], [[2.0, 0.0]], flown=[[1.5, 5.0]]), periodic=True)
    x = [float(story.at(tick).positions[0, 0]) for tick in range(FLIGHT_TICKS + 1)]
    assert np.allclose(np.diff(x) % 10.0, 2.0 / FLIGHT_TICKS)
    assert min(x) < 0.2


def test_between_walls_along_one_axis_a_disc_leaves_along_the_other_and_is_turned_round() -> None:
    # it would reach 10.5, half a unit behind the upper wall, and passes the right edge on its way
    trace = by_hand([[8.5, 8.5]], [[2.0, 2.0]], flown=[[0.5, 8.5]], velocities_after=np.array([[2.0, -2.0]]))
    story = hand_story(trace, periodic=Periodic((True, False)))
    places = np.concatenate([story.at(tick).positions for tick in range(FLIGHT_TICKS + 1)])
    share = np.arange(FLIGHT_TICKS + 1) / FLIGHT_TICKS
    np.testing.assert_allclose(places[:, 0], (8.5 + 2.0 * share) % 10.0, atol=1e-12)
    np.testing.assert_allclose(places[:, 1], 9.5 - np.abs(1.0 - 2.0 * share), atol=1e-12)


def test_a_wall_turns_a_whole_cluster_round_on_its_way() -> None:
    # the right disc would reach 10.5, half a unit behind the wall, which is met after half of the way
    start = [[8.0, 5.0], [9.0, 5.0], [2.0, 2.0]]
    velocities = [[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]
    turned = -np.array(velocities)
    trace = by_hand(start, velocities, clusters=[0, 0, 2], flown=start, velocities_after=turned)
    story = hand_story(trace)
    np.testing.assert_allclose(story.at(FLIGHT_TICKS // 2).positions, [[8.5, 5.0], [9.5, 5.0], [2.0, 2.0]])
    np.testing.assert_allclose(story.at(3 * FLIGHT_TICKS // 4).positions[:, 0], [8.25, 9.25, 2.0])
    assert "walls reflect" in story.at(0).text
    end = story.at(story.last)
    assert "1 cluster reflected" in end.text
    before, after = end.arrows
    assert len(after.vectors) == len(before.vectors) == 1
    np.testing.assert_allclose(after.vectors, -before.vectors)


@pytest.mark.parametrize("how", MOVES)
def test_no_disc_jumps_during_the_flight_of_a_real_step(how: dict[str, object]) -> None:
    story = story_of(simulation(**how))
    longest = float(np.hypot(*story.trace.velocities_before.T).max()) * story.trace.dt / FLIGHT_TICKS
    for tick in range(FLIGHT_TICKS):
        step = story.at(tick + 1).positions - story.at(tick).positions
        step = nearest_image(step, story.box, story.periodic)
        assert float(np.hypot(*step.T).max()) <= 1.001 * longest
        inside = story.at(tick).positions
        assert (inside >= 0.0).all()
        assert (inside <= story.box).all()


def test_joined_clusters_get_their_new_name_and_velocity_at_the_end() -> None:
    story = story_of(simulation())
    trace, chapter = story.trace, story.chapters[-1]
    assert story.at(chapter.first - 1).cluster is trace.clusters_before
    first, end = story.at(chapter.first), story.at(chapter.last)
    assert end.cluster is trace.clusters_after
    assert [arrows.role for arrows in end.arrows] == ["velocity_before", "velocity"]
    np.testing.assert_array_equal(first.arrows[0].vectors, first.arrows[1].vectors)
    discs = [int(np.flatnonzero((trace.after == start).all(axis=1))[0]) for start in end.arrows[1].starts]
    assert set(np.unique(trace.new_links).tolist()) <= set(discs)
    scale = np.hypot(*end.arrows[1].vectors.T) / np.hypot(*trace.velocities_after[discs].T)
    np.testing.assert_allclose(scale, scale[0])
    lost = len(np.unique(trace.clusters_before)) - len(np.unique(trace.clusters_after))
    words = end.text.split()
    assert int(words[0]) - int(words[3].rstrip(",")) == lost


def test_arrows_of_the_flight_stand_on_one_disc_of_every_cluster() -> None:
    for boundary in ("walls", "periodic"):
        story = story_of(simulation(time=3.0, boundary=boundary))
        (arrows,) = story.at(0).arrows
        trace = story.trace
        discs = [int(np.flatnonzero((trace.before == start).all(axis=1))[0]) for start in arrows.starts]
        assert sorted(trace.clusters_before[discs].tolist()) == np.unique(trace.clusters_before).tolist()


def test_a_cluster_across_a_periodic_edge_has_its_arrow_on_its_middle() -> None:
    rest = [[0.0, 0.0]] * 3
    story = hand_story(by_hand([[9.0, 5.0], [0.0, 5.0], [1.0, 5.0]], rest, clusters=[0, 0, 0]), periodic=True)
    np.testing.assert_array_equal(story.at(0).arrows[0].starts, [[0.0, 5.0]])
    places = [[9.0, 1.0], [0.0, 5.0], [1.0, 9.0]]
    story = hand_story(by_hand(places, rest, clusters=[0, 0, 0]), periodic=Periodic((True, False)))
    np.testing.assert_array_equal(story.at(0).arrows[0].starts, [[0.0, 5.0]])


def test_overlaps_within_the_tolerance_need_no_iteration() -> None:
    pair = np.array([[0, 1]], np.int32)
    trace = by_hand(
        [[4.0, 5.0], [5.4999, 5.0]],
        [[0.5, 0.0], [0.0, 0.0]],
        overlapping=pair,
        new_links=pair,
        clusters_after=np.array([0, 0], np.int32),
        velocities_after=np.full((2, 2), [0.25, 0.0]),
    )
    story = hand_story(trace)
    chapter = story.chapters[2]
    assert (chapter.kind, chapter.first) == ("minimisation", chapter.last)
    frame = story.at(chapter.first)
    assert "within the tolerance" in frame.text
    assert frame.residual is None
    assert len(frame.overlapping) == 0
    assert "2 clusters became 1" in story.at(story.last).text


def collisions(at: list[list[float]], **kwargs: object) -> StepStory:
    """Two discs that overlap at each of these places."""
    spots = [[x + side * 0.45, y] for x, y in at for side in (-1.0, 1.0)]
    pairs = np.arange(2 * len(at), dtype=np.int32).reshape(-1, 2)
    return hand_story(by_hand(spots, [[0.0, 0.0]] * len(spots), new_links=pairs, overlapping=pairs), **kwargs)


def holds(story: StepStory, x: float, y: float) -> Callable[[object], bool]:
    return lambda place: place.x <= x <= place.x + place.width and place.y <= y <= place.y + place.height


def test_places_gather_links_that_lie_together_and_the_largest_comes_first() -> None:
    story = collisions([[5.0, 5.0], [40.0, 40.0], [41.0, 41.2]], box=50.0)
    assert [place.links for place in story.places] == [2, 1]
    assert holds(story, 40.5, 40.6)(story.places[0])
    assert story.places[1].middle == pytest.approx((5.0, 5.0))


def test_a_place_may_lie_across_a_periodic_edge() -> None:
    at = [[49.6, 25.0], [0.6, 25.5]]
    assert [place.links for place in collisions(at, box=50.0).places] == [1, 1]
    (place,) = collisions(at, box=50.0, periodic=True).places
    assert place.links == 2
    assert place.width < 10.0
    assert len(collisions(at, box=50.0, periodic=Periodic((True, False))).places) == 1
    assert len(collisions(at, box=50.0, periodic=Periodic((False, True))).places) == 2


def test_every_collision_of_a_real_step_is_in_a_place() -> None:
    for boundary in ("walls", "periodic", ("walls", "periodic")):
        story = story_of(simulation(count=400, boundary=boundary))
        assert sum(place.links for place in story.places) == len(story.trace.new_links)
        for i, j in story.trace.new_links.tolist():
            between = nearest_image(story.trace.flown[j] - story.trace.flown[i], story.box, story.periodic)
            x, y = story.trace.flown[i] + between / 2
            images = [(x + a * story.box[0], y + b * story.box[1]) for a in (-1, 0, 1) for b in (-1, 0, 1)]
            assert any(holds(story, *image)(place) for place in story.places for image in images)
