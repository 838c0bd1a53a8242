"""Packings that are kept for pooling: by settings and seed, each counted once."""

from __future__ import annotations

import numpy as np

from aggviewer.session.saved.packing_pool import PackingPool
from engine.analysis import Samples
from engine.scenario import Scenario

PACKING = Scenario(system="jamming")


def samples(seed: int) -> Samples:
    rng = np.random.default_rng(seed)
    return Samples(rng.random(100) + 0.01, rng.random(40) + 0.01, rng.random(80) + 0.01)


def of_seed(seed: int, **changes: object) -> Scenario:
    return PACKING.with_values({"seed": seed} | {f"jamming.{name}": value for name, value in changes.items()})


def test_seeds_are_pooled_and_settings_are_not() -> None:
    pool = PackingPool()
    assert pool.pooled(PACKING).packings == 0
    for seed in (1, 2, 3):
        pool.add(of_seed(seed), samples(seed))
    pool.add(of_seed(4, rules="calippso"), samples(4))
    pooled = pool.pooled(of_seed(99))
    assert pooled.packings == 3
    np.testing.assert_array_equal(
        pooled.samples.extended, np.concatenate([samples(seed).extended for seed in (1, 2, 3)])
    )
    assert pool.pooled(of_seed(1, rules="calippso")).packings == 1


def test_a_packing_counts_once() -> None:
    pool = PackingPool()
    pool.add(of_seed(1), samples(1))
    pool.add(of_seed(1), samples(1))
    pool.add(of_seed(2), samples(1))  # a seed that makes no difference
    assert pool.pooled(PACKING).packings == 1
    pool.add(of_seed(1), samples(5))  # the same seed, which has ended otherwise
    assert pool.pooled(PACKING).packings == 1
    np.testing.assert_array_equal(pool.pooled(PACKING).samples.gaps, samples(5).gaps)


def test_what_is_pooled_is_made_once() -> None:
    pool = PackingPool()
    pool.add(of_seed(1), samples(1))
    assert pool.pooled(of_seed(1)) is pool.pooled(of_seed(2))
    before = pool.pooled(PACKING)
    pool.add(of_seed(2), samples(2))
    assert pool.pooled(PACKING) is not before


def test_packings_of_a_file_come_beside_those_that_are_there() -> None:
    pool, other = PackingPool(), PackingPool()
    for seed in (1, 2):
        pool.add(of_seed(seed), samples(seed))
    for seed in (2, 3):
        other.add(of_seed(seed), samples(seed))
    assert pool.version - pool.saved_version == 2
    pool.take_in(other.kept())
    assert pool.pooled(PACKING).packings == 3
    assert [one.scenario.seed for one in pool.kept()] == [1, 2, 3]
    assert pool.version - pool.saved_version == 2  # the third one is in a file
