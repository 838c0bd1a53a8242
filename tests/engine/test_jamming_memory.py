"""What a rule of jamming remembers may come from a file: a run keeps its bits, no program exceeds its range."""

from __future__ import annotations

import numpy as np
import pytest

from engine.jamming.rules import RULES, Outcome

RADII = np.array([0.8, 1.0, 1.1])


@pytest.mark.parametrize("name", RULES)
def test_what_a_run_remembers_is_recalled_to_the_last_bit(name):
    rng = np.random.default_rng(1)
    rule, radii = RULES[name](RADII, 2), RADII.copy()
    for _ in range(300):
        growth = min(10.0 ** rng.uniform(-14, 0), 0.5)
        rule.learn(Outcome(growth, 10.0 ** rng.uniform(-12, -0.5), bool(rng.integers(2)), bool(rng.integers(2))))
        radii = radii * (1.0 + 1e-3 * growth)
        reach, again = rule.reach(radii), RULES[name](radii, 2)
        again.recall(rule.memory())
        assert again.memory() == rule.memory()
        assert again.reach(radii) == reach


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("memory", [(1e300, 1e300), (1e300, 1e-300), (1e-300, 1e300), (1e-300, 1e-300)])
def test_memories_out_of_range_ask_for_no_more_than_a_run(name, memory):
    rule = RULES[name](RADII, 2)
    rule.recall(memory)
    reach = rule.reach(RADII)
    assert 0.0 <= reach.cutoff <= 4.1 * RADII.max()
    assert 0.0 < reach.bound <= RADII.max()
    assert reach.most >= 0.0
