from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

import engine
from aggviewer.canvas import colors
from aggviewer.document.view import ColorScale, ViewModel, chosen_of, fields_of
from aggviewer.session.coloring import Coloring, Colorist, as_chosen, color_groups, one_scale
from engine import Scenario
from engine.fields import CLUSTER, Field
from engine.frame import Frame
from engine.plotting.colors import PALETTE_SIZE, color_index
from tests.builders.colorists import colorist_of, discs_of

from .conftest import frame


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("method", ["event-driven", "time-stepping"])
def test_colours_change_at_merges_only_and_are_those_of_the_heavier_part(method: str, dimensions: int) -> None:
    """A whole run, merge by merge: a disc has another colour only where its cluster has joined one that is not lighter,
    or where it was alone."""
    given = {"seed": 4, "aggregation.method": method, "dimensions": dimensions, "discs.count": 8**dimensions}
    simulation = engine.create(Scenario().with_values(given | {"discs.volume_fraction": 0.2}))
    colorist = Colorist(fields_of("aggregation"), simulation)
    before, old = simulation.frame(), colorist.color(simulation.frame(), "cluster")[0]
    changed = 0
    while not simulation.advance(max_events=1).finished and before.clusters > 1:
        frame = simulation.frame()
        new = colorist.color(frame, "cluster")[0]
        mass = np.bincount(before.cluster, weights=simulation.masses, minlength=simulation.count)
        alone = np.bincount(before.cluster, minlength=simulation.count)[before.cluster] == 1
        joined = frame.cluster != before.cluster
        other = new != old
        assert (joined | (alone & (frame.clusters < before.clusters)))[other].all()
        if frame.clusters == before.clusters - 1:
            into, gone = mass[frame.cluster[joined]], mass[before.cluster[joined]]
            assert ((into > gone) | np.isclose(into, gone)).all()
        np.testing.assert_array_equal(new % PALETTE_SIZE, color_index(frame.cluster))
        changed += int(other.sum())
        before, old = frame, new
    assert changed > simulation.count / 2


@pytest.mark.parametrize("background", ["dark", "light"])
def test_a_field_without_any_value_is_grey_until_it_has_one(background: str) -> None:
    """As one of a plug-in that fails; the lowest colour would be a value."""
    count, given = 5, np.full(5, np.nan)
    heat = Field("heat", "Heat", lambda frame, discs: given, unit="K")
    colorist = Colorist((heat,), discs_of(np.ones(count)), kernels=False)
    scalar, coloring = colorist.color(Frame.empty(count), "heat")
    shown = colors.table(coloring, ViewModel(background=background, colormap="plasma"))[:, :3]
    assert (shown == shown[0]).all()
    assert np.ptp(shown[0].astype(int)) < 40
    assert coloring.classes == ("Heat: no value",)
    assert as_chosen(coloring, ColorScale(low=0.0, high=9.0, colormap="plasma")) == coloring
    given[2:] = 3.0
    scalar, coloring = colorist.color(Frame.empty(count), "heat")
    assert (coloring.classes, coloring.limits) == ((), (0.0, 3.0))
    np.testing.assert_array_equal(scalar, given.astype(np.float32))


@pytest.mark.parametrize("read_only", [False, True])
def test_colours_are_the_same_with_and_without_kernels(read_only: bool) -> None:
    """Labels may be larger than the number of discs."""
    rng = np.random.default_rng(5)
    for highest in (300, 40, 1500):
        cluster = rng.integers(0, highest, 300).astype(np.int32)
        cluster.setflags(write=not read_only)
        plain, _ = color_groups(CLUSTER, cluster, kernels=False)
        scalar, _ = color_groups(CLUSTER, cluster)
        assert scalar.dtype == plain.dtype == np.float32
        np.testing.assert_array_equal(scalar, plain)
        index, sizes = color_index(cluster), np.bincount(cluster)
        np.testing.assert_array_equal(plain, index + PALETTE_SIZE * (sizes[cluster] == 1))


def test_size_counts_discs_and_keeps_its_limits() -> None:
    colorist = colorist_of()
    scalar, coloring = colorist.color(frame([0, 0, 0, 3, 3, 5]), "size")
    np.testing.assert_array_equal(scalar, [3, 3, 3, 2, 2, 1])
    assert scalar.dtype == np.float32
    _, later = colorist.color(frame([0] * 6), "size")
    assert coloring == later
    assert (coloring.limits, coloring.log) == ((1.0, 6.0), True)


def test_speed_limits_only_widen_during_a_run() -> None:
    colorist = colorist_of()
    _, first = colorist.color(frame([0, 1], 0.9), "speed")
    assert first.limits == (0.0, 1.0)
    _, slower = colorist.color(frame([0, 1], 0.1), "speed")
    assert slower == first
    _, faster = colorist.color(frame([0, 1], 2.7), "speed")
    assert faster.limits == (0.0, 3.0)
    assert colorist_of().color(frame([0, 1], 0.1), "speed")[1].limits == (0.0, 0.1)


def test_speed_limits_follow_a_gas_that_cools_in_large_steps() -> None:
    def gas(speed: float) -> Frame:
        moving = frame([0, 1], speed)
        moving.fields["collisions"] = np.zeros(2, np.int32)
        return moving

    colorist = colorist_of("hard-discs")
    limits = [colorist.color(gas(speed), "speed")[1].limits[1] for speed in (0.9, 0.5, 0.4, 0.3, 0.2, 0.01)]
    assert limits == pytest.approx([1.0, 1.0, 1.0, 0.3, 0.3, 0.01])


def test_speeds_far_above_the_typical_share_the_last_colour() -> None:
    moving = frame([0] * 100, 0.1)
    moving.velocities[0] = 5.0, 0.0
    scalar, coloring = colorist_of().color(moving, "speed")
    assert scalar[0] == 5.0
    assert coloring.limits == (0.0, 1.5)  # twice the root mean square, rounded up
    assert coloring.open_top
    assert not colorist_of().color(frame([0, 1], 0.0), "speed")[1].open_top


def test_contacts_are_shown_as_measured_and_none_before() -> None:
    colorist = colorist_of()
    scalar, coloring = colorist.color(frame([0, 0]), "contacts", lambda field: np.array([1, 8]))
    assert scalar.tolist() == [1.0, 8.0]
    assert coloring.limits == (0.0, 8.0)
    assert colorist.color(frame([0, 0]), "contacts")[0].tolist() == [0.0, 0.0]
    assert colorist.color(frame([0, 0]), "contacts", lambda field: np.array([1, 2, 3]))[0].tolist() == [0.0, 0.0]


def test_a_ramp_reaches_from_first_to_last_entry() -> None:
    for coloring in (
        Coloring("size", "", "", (1.0, 1000.0), log=True),
        Coloring("speed", "", "", (0.0, 3.0)),
    ):
        ramp = colors.ramp(coloring)
        low, high = np.log(coloring.limits) if coloring.log else coloring.limits
        assert (low - ramp.lower) * ramp.entries == pytest.approx(0.0)
        assert (high - ramp.lower) * ramp.entries == pytest.approx(256.0)


def test_view_refuses_what_it_does_not_know_and_tells_what_changes() -> None:
    view = ViewModel()
    heard: list[str] = []
    view.events.background.connect(heard.append)
    view.background = "#ffeecc"
    assert heard == ["#ffeecc"]
    assert (view.background_rgb, view.dark) == ((255, 238, 204), False)
    for field, value in (("background", "grün"), ("colormap", "nothing"), ("color_by", "taste"), ("theme", "pink")):
        with pytest.raises(ValidationError):
            setattr(view, field, value)
    assert (view.background, view.colormap, view.color_by) == ("#ffeecc", "viridis", "cluster")


def test_each_system_has_its_colours() -> None:
    def color_of(system: str, chosen: str) -> str:
        return chosen_of(fields_of(system), chosen).name

    assert color_of("aggregation", "cluster") == "cluster"
    assert color_of("hard-discs", "cluster") == "speed"  # no clusters there
    assert color_of("hard-discs", "collisions") == "collisions"
    assert color_of("aggregation", "since_contact") == "cluster"
    assert color_of("jamming", "speed") == "contacts"  # nothing has a speed there


def test_collisions_begin_at_the_fewest_and_end_at_round_numbers() -> None:
    bouncing = frame([0, 1, 2, 3, 4])
    bouncing.fields["collisions"] = np.array([1003, 1010, 1050, 1020, 1031], np.int32)
    scalar, coloring = colorist_of("hard-discs").color(bouncing, "collisions")
    assert scalar.tolist() == [1003, 1010, 1050, 1020, 1031]
    assert coloring.limits == (990.0, 1050.0)  # four steps of 15
    assert (coloring.label, coloring.unit) == ("Collisions", ""), "which is of discs and of spheres"
    assert not coloring.open_top
    bouncing.fields["collisions"] = np.zeros(5, np.int32)
    low, high = colorist_of("hard-discs").color(bouncing, "collisions")[1].limits
    assert low == 0.0 < high
    bouncing = frame([*range(100)])
    bouncing.fields["collisions"] = np.append(np.full(99, 10), 5000).astype(np.int32)
    coloring = colorist_of("hard-discs").color(bouncing, "collisions")[1]
    assert coloring.limits[1] < 5000.0
    assert coloring.open_top


def test_time_since_contact_counts_from_the_start_where_there_was_none() -> None:
    bouncing = frame([0, 1, 2])
    bouncing.time = 3.0
    bouncing.fields["last_contact"] = np.array([2.5, -np.inf, 3.0])
    scalar, coloring = colorist_of("hard-discs").color(bouncing, "since_contact")
    assert scalar.tolist() == [0.5, 3.0, 0.0]
    assert coloring.limits == (0.0, 4.0)  # three times the mean, rounded up
    assert coloring.unit == "time"


def test_the_scale_of_waiting_times_stays_while_it_is_near_enough() -> None:
    colorist, bouncing = colorist_of("hard-discs"), frame([0, 1])
    limits = []
    for waiting in (1.0, 0.7, 0.5, 0.1, 2.0):
        bouncing.time = 10.0
        bouncing.fields["last_contact"] = np.full(2, 10.0 - waiting)
        limits.append(colorist.color(bouncing, "since_contact")[1].limits[1])
    assert limits == [3.0, 3.0, 3.0, pytest.approx(0.3), 6.0]


def test_a_frame_of_a_file_that_does_not_say_is_coloured_by_speed() -> None:
    for asked in ("collisions", "since_contact"):
        assert colorist_of("hard-discs").color(frame([0, 1]), asked)[1].by == "speed"


def test_side_by_side_there_is_one_scale_for_both():
    one = Coloring("speed", "Speed", "length / time", (0.0, 1.5))
    other = Coloring("speed", "Speed", "length / time", (0.0, 2.0), open_top=True)
    both = one_scale([one, other])
    assert both == [other, other]
    low = Coloring("collisions", "Collisions", "", (20.0, 30.0))
    high = Coloring("collisions", "Collisions", "", (5.0, 25.0))
    assert {coloring.limits for coloring in one_scale([low, high])} == {(5.0, 30.0)}
    assert one_scale([one, low]) == [one, low], "what means another thing keeps its own"
    assert one_scale([one]) == [one]
