"""Scales of colours: each rule at its edge, so that no constant can drift."""

from __future__ import annotations

import numpy as np
import pytest

from engine.scales import Balanced, Cooling, OneToAll, Scale, SmallCount, Steps, Typical, Waiting


def test_speeds_go_to_twice_their_root_mean_square() -> None:
    for high, limit in ((0.999, 1.0), (1.001, 1.5)):
        values = np.append(np.full(9999, 0.5 * high), 3.0)
        values[:-1] *= np.sqrt((10_000 * 0.25 * high**2 - 9.0) / np.square(values[:-1]).sum())
        assert Typical().follow(values) == pytest.approx((0.0, limit, True))
    assert Typical().follow(np.array([0.7, 0.7])) == pytest.approx((0.0, 0.8, False))  # the fastest is below that


def test_signed_amounts_go_as_far_to_both_sides_of_0() -> None:
    assert Balanced().follow(np.array([-1.0, 0.5, 0.5])) == pytest.approx((-1.0, 1.0, False))
    assert Balanced().follow(np.append(np.zeros(99), -5.0)) == pytest.approx((-1.0, 1.0, True))
    assert Balanced().follow(np.zeros(3)) == (-1.0, 1.0, False)


def test_a_scale_that_cools_begins_anew_below_four_tenths() -> None:
    for now, limit in ((0.401, 1.0), (0.399, 0.4)):
        cooling, typical = Cooling(), Typical()
        for scale in (cooling, typical):
            scale.follow(np.ones(2))
        assert cooling.follow(np.full(2, now)).high == pytest.approx(limit)
        assert typical.follow(np.full(2, now)).high == 1.0


def test_waiting_times_go_to_three_times_their_mean_and_stay_while_that_is_near() -> None:
    assert Waiting().follow(np.full(2, 0.999 / 3)).high == pytest.approx(1.0)
    assert Waiting().follow(np.full(2, 1.001 / 3)).high == pytest.approx(1.5)
    for now, limit in ((0.401 / 3, 1.0), (0.399 / 3, 0.4)):
        scale = Waiting()
        scale.follow(np.full(2, 1.0 / 3))
        assert scale.follow(np.full(2, now)).high == pytest.approx(limit)


def test_counts_end_at_numbers_that_can_be_read() -> None:
    counts = SmallCount()
    for most, limits in ((3, (0.0, 8.0, False)), (9, (0.0, 12.0, False)), (4, (0.0, 12.0, False)), (13, (0, 12, True))):
        assert counts.follow(np.array([0, most])) == limits
    assert SmallCount().may_exceed(np.array([1.0, 2.0]))
    assert not SmallCount().may_exceed(np.ones(2))
    assert Steps().follow(np.array([40, 80])) == (40.0, 80.0, False)
    assert Steps().follow(np.append(np.full(99, 10), 14)) == (10.0, 12.0, True)  # mean + 3 standard deviations: 11.2
    assert OneToAll().follow(np.ones(50)) == (1.0, 50.0, False)


def test_limits_of_any_numbers_are_round_and_only_widen() -> None:
    scale = Scale()
    assert scale.follow(np.array([0.2, 2.2])) == pytest.approx((0.0, 3.0, False))
    assert scale.follow(np.array([-0.3, 0.1])) == pytest.approx((-0.3, 3.0, False))
    assert scale.follow(np.zeros(3)) == pytest.approx((-0.3, 3.0, False))
    assert Scale().follow(np.zeros(0)) == (0.0, 1.0, False)
