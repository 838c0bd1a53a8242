"""The bouncing ball against figure 7, against exact arithmetic and against itself, compiled and not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from engine.errors import InputError
from engine.hard_discs import ball, theory
from engine.hard_discs.ball import Drop, exact_contact, exact_impacts, fall, sample
from tests.reference import theory as reference


def origins(count: int, seed: int = 7) -> np.ndarray:
    """Uniform in [0, 1] with all the digits of a float: a generator's own have 53 bits after the point, and three of
    four would make a contact that is a float."""
    rng = np.random.default_rng(seed)
    return rng.random(count) + rng.random(count) * 2.0**-53


PLATES = origins(40_000)


def test_figure_7_naive_detection_halts_in_half_of_the_samples_after_thirty_events():
    found = sample(PLATES[:20_000], "naive")
    assert found.fraction_halted == pytest.approx(0.50, abs=0.01)
    assert found.mean_events_at_halt == pytest.approx(30.4, abs=0.5)
    assert not (found.halted & found.at_rest).any()


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.7, 0.9, 0.95])
@pytest.mark.parametrize("detection", ["stable", "gap"])
def test_stable_detection_never_halts_and_rests_when_the_closed_form_does(detection, restitution):
    drop = Drop(restitution=restitution)
    found = sample(PLATES[:10_000], detection, drop)
    assert found.at_rest.all()
    assert not found.halted.any()
    assert found.mean_events_at_halt is None
    off = np.abs(found.time - theory.rest_time(drop.drop, drop.gravity, restitution)).max()
    # what is left of the time when the rebound is lost is that of bounces of 1e-8; a stored gap loses none
    assert off < (1e-13 if detection == "gap" else 2e-7 / (1.0 - restitution))
    if detection == "gap":
        assert len(np.unique(found.events)) == 1  # the plate does not matter any more: what figure 7 asks for


def test_a_few_naive_balls_bounce_for_ever():
    # they hover above the plate by less than a unit in the last place and fall through that again and again
    found = sample(PLATES[:2000], "naive")
    endless = ~(found.halted | found.at_rest)
    assert 0.06 < endless.mean() < 0.11
    assert (found.events[endless] == ball.LIMIT).all()
    event = fall(Drop(PLATES[np.flatnonzero(endless)[0]]), "naive", 200).events[-1]
    assert 0.0 < event.gap_ulps < 1.0
    assert event.flight > 1e-9


@pytest.mark.parametrize("detection", ball.DETECTIONS)
def test_compiled_and_plain_are_the_same_bits(detection):
    for drop in (Drop(), Drop(restitution=0.9, gravity=9.81, drop=1.3, sigma=0.7)):
        plates = PLATES[:60]
        found = sample(plates, detection, drop, limit=2000)
        for k, plate in enumerate(plates.tolist()):
            single = fall(replace(drop, plate=plate), detection, limit=2000)
            assert single.count == found.events[k]
            assert single.halted == found.halted[k]
            assert single.rests == found.at_rest[k]
            assert single.events[-1].time == found.time[k]


@pytest.mark.parametrize(("restitution", "bounces"), [(0.5, 26), (0.7, 50), (0.9, 167), (0.95, 342)])
def test_the_rebound_is_lost_after_as_many_bounces_as_specified(restitution, bounces):
    # contact at height 5, where a unit in the last place is 8.9e-16; a drop of 1.39 … 1.53 gives just these four
    for detection in ball.DETECTIONS:
        assert fall(Drop(4.5, 1.5, restitution), detection).bounces_before_lost() == bounces
    ulp, rise = np.spacing(5.0), 1.5 * restitution ** (2.0 * bounces)
    assert rise < ulp <= rise / restitution**2
    assert fall(Drop(4.5, 1.5, 1.0), "naive", 50).bounces_before_lost() is None


def test_every_flight_against_exact_roots():
    """The flight of each event solves f = 0 (or ends at the peak) to a few units in its last place."""
    seen = set()
    with mpmath.workdps(60):
        for plate in PLATES[:15].tolist():
            for detection in ball.DETECTIONS:
                drop = Drop(plate, restitution=0.7, gravity=9.81)
                events = fall(drop, detection, 500).events
                g = mpmath.mpf(drop.gravity)
                for before, event in pairwise(events):
                    seen.add(event.kind)
                    v, gap = mpmath.mpf(before.velocity), mpmath.mpf(before.gap)
                    argument = v * v + 2 * g * gap
                    touching = (
                        detection != "naive" and before.gap > 0 and before.position - before.gap == before.position
                    )
                    if event.kind == "impact" and not touching:
                        # where v^2 and 2 g f nearly cancel, the argument is known to a unit of v^2 only
                        exact = (v + mpmath.sqrt(max(argument, 0))) / g
                        near = (v + mpmath.sqrt(max(argument, 0) + v * v * 1e-15)) / g
                        assert abs(event.flight - exact) <= 4e-16 * exact + abs(near - exact)
                    elif event.kind == "peak":
                        assert argument <= v * v * 1e-15
                        assert event.flight == pytest.approx(float(v / g), rel=1e-15)
                        assert event.velocity == 0.0
                    elif event.kind == "halt":
                        assert argument < 0
                        assert event.argument == pytest.approx(float(argument), rel=1e-6)
    assert seen == {"impact", "peak", "rest", "halt"}


def test_the_gap_that_is_computed_is_the_exact_one():
    for plate in PLATES[:50].tolist():
        drop = Drop(plate)
        for event in fall(drop, "stable").events[1:]:
            assert Fraction(event.gap) == Fraction(event.position) - exact_contact(drop)
            assert abs(event.gap_ulps) <= 1.0


def test_impacts_follow_the_closed_form_as_long_as_the_rebound_is_more_than_a_rounding():
    drop = Drop(0.3, 2.0, 0.9, 9.81)
    closed = reference.bounce_times(2.0, 9.81, 0.9, np.arange(1, 101))
    for detection, relative in (("stable", 1e-12), ("gap", 4e-15)):
        times = [event.time for event in fall(drop, detection).events[1:101]]
        np.testing.assert_allclose(times, closed, rtol=relative)
    speeds = [event.velocity for event in fall(drop, "gap").events[1:101]]
    np.testing.assert_allclose(speeds, reference.bounce_speeds(2.0, 9.81, 0.9, np.arange(1, 101)), rtol=1e-13)


def test_exact_impacts_are_those_of_mpmath():
    drop = Drop(0.1, 0.7, 0.9, 9.81)
    found = exact_impacts(drop, 30)
    with mpmath.workdps(80):
        h, g, e = (mpmath.mpf(x) for x in (0.7, 9.81, 0.9))
        for n in (1, 2, 30):
            time = mpmath.sqrt(2 * h / g) * (1 + e - 2 * e**n) / (1 - e)
            speed = e**n * mpmath.sqrt(2 * g * h)
            for exact, value in ((time, found[n - 1].time), (speed, found[n - 1].velocity)):
                assert abs(mpmath.mpf(value.numerator) / value.denominator / exact - 1) < mpmath.mpf(10) ** -55
    assert exact_contact(drop) == Fraction(0.1) + Fraction(1, 2)


def test_a_ball_inside_the_plate_that_comes_down_is_stopped_at_once():
    # no negative time, whatever the rounding
    for v, gap in ((-1.0, -1e-17), (-1e-9, 0.0)):
        assert ball._next_event(1, 1.0, gap, v, 1.0)[:2] == (1, 0.0)
    kind, dt, _ = ball._next_event(1, 1.0, -1e-3, 1.0, 1.0)
    assert (kind, dt) == (1, pytest.approx(1.0 + np.sqrt(1.0 - 2e-3)))


def test_a_ball_at_extreme_heights_and_restitutions_ends_as_expected():
    at_rest = fall(Drop(0.25, 0.0), "stable")
    assert [event.kind for event in at_rest.events] == ["release", "rest"]
    assert at_rest.count == 0
    clay = fall(Drop(0.25, 0.5, 0.0), "stable")
    assert clay.rests
    assert clay.count <= 2
    elastic = fall(Drop(0.25, 0.5, 1.0), "stable", limit=300)
    assert not elastic.rests
    assert elastic.count == 300
    assert elastic.events[-1].rebound == pytest.approx(0.5, rel=1e-12)
    assert fall(Drop(1e9, 1e-12), "stable").rests  # less than a unit in the last place above the plate


@pytest.mark.parametrize(
    ("key", "value"),
    [("restitution", 1.1), ("restitution", -0.1), ("gravity", 0.0), ("sigma", 0.0), ("drop", -1.0)]
    + [(key, value) for key in ("plate", "drop", "restitution", "gravity", "sigma") for value in (np.nan, np.inf)],
)
def test_a_ball_that_cannot_be_calculated_is_refused(key, value):
    with pytest.raises(InputError, match=key):
        Drop(**{key: value})
    with pytest.raises(InputError, match="origins"):
        sample([0.1, np.nan], "stable")
