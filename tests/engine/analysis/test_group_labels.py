"""Counting discs by label, against counting with numpy."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis.rims import count_to_two, look_up
from tests.reference import groups


def cases():
    rng = np.random.default_rng(7)
    yield "all alone", np.arange(60)
    yield "pairs", np.repeat(np.arange(0, 200, 2), 2)
    yield "one group", np.full(50, 3)
    yield "few", rng.integers(0, 5, 100)
    yield "many sizes", np.minimum(rng.geometric(0.05, 3000), 199)
    yield "rising", np.repeat(np.arange(80), np.arange(80))
    yield "falling", np.repeat(np.arange(80), np.arange(80)[::-1])
    yield from ((f"random {seed}", rng.integers(0, seed * 40 + 1, 500) // 3) for seed in range(20))


@pytest.mark.parametrize(("name", "labels"), [pytest.param(*case, id=case[0]) for case in cases()])
def test_against_the_reference(name, labels):
    del name
    labels = np.random.default_rng(1).permutation(labels).astype(np.int32)
    count = int(labels.max()) + 1
    found = np.zeros(count, np.uint8)
    assert count_to_two(labels, found)
    np.testing.assert_array_equal(found, groups.counts_to_two(labels, count))
    value = np.arange(count).astype(np.uint8)
    out = np.empty(len(labels), np.float32)
    look_up(labels, value, out)
    np.testing.assert_array_equal(out, value[labels])


@pytest.mark.parametrize("label", [-1, 5, 2**31 - 1])
def test_a_label_without_a_place_is_told_and_nothing_is_written_there(label):
    found = np.zeros(8, np.uint8)
    assert not count_to_two(np.array([1, label], np.int32), found[:5])
    assert not found[5:].any()
