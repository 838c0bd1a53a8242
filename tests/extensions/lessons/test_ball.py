"""What is shown and said of the bouncing ball is what engine.hard_discs.ball says. Without widgets."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from aggviewer.extensions.lessons.bouncing_ball import digits
from aggviewer.extensions.lessons.bouncing_ball.digits import digit_rows, event_cells
from aggviewer.extensions.lessons.bouncing_ball.explanation import explain
from aggviewer.extensions.lessons.bouncing_ball.model import BallStory
from aggviewer.extensions.lessons.bouncing_ball.picture import (
    HIGH,
    LOW,
    axis_ticks,
    ball_drawing,
    ball_text,
    plates,
    plates_drawing,
    plates_text,
    sampled,
    state,
)
from engine.hard_discs.ball import Drop, exact_impacts, fall, sample

HALTS = 0.1  # the plate that the lesson begins with


@pytest.fixture(scope="module")
def story() -> BallStory:
    return BallStory(Drop(HALTS))


@pytest.mark.parametrize("name", ["naive", "stable"])
def test_the_table_is_the_fall_of_the_engine(story: BallStory, name: str) -> None:
    found = fall(Drop(HALTS), "naive" if name == "naive" else "stable")
    assert story.fall(name) == found
    for row, event in enumerate(found.events[1:], 1):
        number, kind, gap, time, _ = event_cells(story, story.fall(name), row)
        assert (number, kind, gap) == (str(row), event.kind, digits.in_ulps(event.gap_ulps))
        # cut to fifteen places, so at most one unit in them below
        assert 0 <= Decimal(event.time) - Decimal(time.text) < Decimal("1e-15")


def test_only_wrong_digits_are_marked(story: BallStory) -> None:
    exact = exact_impacts(Drop(HALTS), 27)
    for row in (5, 20, 27):
        *_, time, _ = event_cells(story, story.naive, row)
        off = abs(Fraction(story.naive.events[row].time) - exact[row - 1].time)
        places = time.same - time.text.index(".") - 1
        # right by less than half of the last right digit, and not by half of the next
        assert 2 * off < Fraction(1, 10**places)
        assert time.same == len(time.text) or 2 * off >= Fraction(1, 10 ** (places + 1))
    *_, time, _ = event_cells(story, story.naive, 1)
    assert time.same == len(time.text)  # the first impact is exact: t = 1
    *_, velocity = event_cells(story, story.naive, 27)
    assert velocity.same == 0  # 6e-9 where 7e-9 is right
    assert velocity.html("red").startswith("<span style='color:red'>6.08")


def test_digits_in_every_base_are_those_of_the_float(story: BallStory) -> None:
    event, exact = story.naive.events[20], story.exact(20)
    assert exact is not None
    for name, (base, _) in digits.BASES.items():
        rows = digit_rows(story, 20, name)
        assert [row.whose for row in rows] == ["exact", "naive", "stable"] * 3
        for row, value in ((rows[0], story.contact), (rows[1], Fraction(event.position)), (rows[7], event.time)):
            whole, places = row.digits.text.split(".")
            read = int(whole, base) + Fraction(int(places, base), base ** len(places))
            assert 0 <= Fraction(value) - read < Fraction(1, base ** len(places))
        assert rows[1].digits.same < len(rows[1].digits.text)  # 0.1 and the contact are no floats


def test_a_stored_gap_touches_exactly_where_the_height_does_not(story: BallStory) -> None:
    line = digit_rows(story, 10, "Decimal")[2].digits
    assert line.same < len(line.text)
    line = digit_rows(BallStory(Drop(HALTS), "gap"), 10, "Decimal")[2].digits
    assert line.same == len(line.text)


def test_the_ball_flies_from_event_to_event(story: BallStory) -> None:
    shown = story.picture_at(story.naive, 1, 0.5)  # half of a flight: the peak
    assert shown.gap == pytest.approx(story.naive.events[1].rebound, rel=1e-9)
    assert shown.peak == pytest.approx(shown.gap)
    assert shown.gap < shown.top
    end = story.picture_at(story.naive, 1, 1.0)
    assert end.gap == pytest.approx(0.0, abs=1e-15)
    assert end.top == pytest.approx(story.picture_at(story.naive, 2, 0.0).top)


def test_at_the_halt_naive_falls_through_and_stable_is_held(story: BallStory) -> None:
    halt = len(story.naive.events) - 1
    argument = story.naive.events[halt].argument
    assert argument < 0
    words = explain(story, halt)
    assert digits.short(argument, 2) in words.naive
    assert "no event is found" in words.naive
    assert "peak" in words.stable
    naive, stable = (story.picture_at(story.fall(name), halt, 0.0) for name in ("naive", "stable"))
    assert (state(naive), state(stable)) == ("no next event", "stopped")
    assert story.picture_at(story.naive, halt, 0.99).gap < -naive.top
    naive, stable = (story.picture_at(story.fall(name), halt + 1, 0.0) for name in ("naive", "stable"))
    assert (state(naive), state(stable)) == ("fell through", "at rest")
    assert "<span style='color:red'>fell through" in ball_text("naive", naive, story.ulp, "purple", "red")
    assert "At rest at t = 2.99999996978 after 28 events" in explain(story, halt + 1).stable


def test_the_picture_has_the_gap_under_the_ball_and_a_line_for_each_float(story: BallStory) -> None:
    offset, pixels = float(Fraction(story.drop.contact) - story.contact), 300.0
    for number in (3, 27):
        shown = story.picture_at(story.naive, number, 0.3)
        drawn = ball_drawing(shown, story.ulp, offset, pixels)
        below = drawn["ball"].y[0] * pixels / (HIGH - LOW) - drawn["ball"].size / 2.0
        assert below == pytest.approx(shown.gap / shown.top * pixels / (HIGH - LOW), abs=1e-6)
        assert shown.peak is not None
        assert drawn["peak"].y[0] == pytest.approx(shown.peak / shown.top)
    assert ball_drawing(story.picture_at(story.naive, 3, 0.3), story.ulp, offset, pixels).find("floats") is None
    lines = drawn["floats"].y * shown.top
    np.testing.assert_allclose(np.diff(lines), story.ulp)
    assert np.abs(lines - offset).min() < 1e-3 * story.ulp
    assert drawn.panes[0].bounds is not None
    assert lines.min() - story.ulp < LOW * shown.top < lines.min()
    assert "dotted: floats" in ball_text("naive", shown, story.ulp, "purple", "red")
    for at, text in axis_ticks(shown.top)[1:]:
        assert float(text.replace("·10⁻¹⁶", "e-16")) / shown.top == pytest.approx(at)


def test_every_event_of_many_stories_has_words() -> None:
    for plate in plates()[::100].tolist():
        for stored in ("stable", "gap"):
            for restitution in (0.0, 0.5):
                story = BallStory(Drop(plate, restitution=restitution), stored)
                for number in range(story.last + 1):
                    words = explain(story, number)
                    assert words.naive
                    assert words.both != bool(words.stable)
                    assert "nan" not in words.naive + words.stable
                    for one in (story.naive, story.stable):
                        for share in (0.0, 0.3, 0.99):
                            shown = story.picture_at(one, number, share)
                            assert np.isfinite(shown.gap)
                            assert shown.top > 0.0


def test_the_plates_are_counted_as_the_engine_does() -> None:
    naive, stable = sampled(Drop(HALTS))
    found = sample(plates(), "naive", Drop(HALTS))
    assert 450 < found.halted.sum() < 550
    words = plates_text(naive, stable, "purple")
    assert f"{found.halted.sum()} of 1000 halt, on average after {found.mean_events_at_halt:.0f} events" in words
    assert "stable: none halts, all come to rest" in words
    drawn = plates_drawing(naive, HALTS)
    np.testing.assert_array_equal(drawn["halted"].x, plates()[found.halted])
    np.testing.assert_array_equal(drawn["halted"].y, found.events[found.halted])
    assert sum(len(drawn[key].x) for key in ("halted", "rest", "endless")) == len(plates())
    assert drawn["now"].x.tolist() == [HALTS]
