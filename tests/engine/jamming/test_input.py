"""What cannot be jammed is refused with the reason; rules: those of the public package, and what a checkpoint keeps."""

import sys
from math import sqrt

import numpy as np
import pytest

from engine.errors import InputError
from engine.jamming import jam
from engine.jamming.rules import RULES, Outcome, PackageRules, TrustRegion
from tests.reference.jamming import crystal

GOOD = {"positions": [[1.0, 1.0], [3.0, 1.0], [2.0, 3.0]], "radii": [0.4, 0.4, 0.4], "box": [4.0, 4.0]}
THREE = np.array([0.8, 1.0, 1.1])  # radii
CRYSTAL = dict(zip(("positions", "radii", "box"), crystal(4, 4), strict=True)) | {"radii": [0.6] * 16}

FCC = np.array([[0.25, 0.25, 0.25], [0.75, 0.75, 0.25], [0.75, 0.25, 0.75], [0.25, 0.75, 0.75]])
SPHERES = {"positions": FCC, "radii": np.full(4, 0.36), "box": np.ones(3)}  # 0.78: too dense for spheres, not for discs


@pytest.mark.parametrize(
    ("change", "message", "key"),
    [
        ({"positions": [[1.0, 1.0], [1.5, 1.0], [2.0, 3.0]]}, "the start overlaps", "discs.file"),
        ({"positions": np.zeros((3, 4))}, r"\(N, 2\) or \(N, 3\)", ""),
        ({"positions": np.zeros(3)}, r"\(N, 2\) or \(N, 3\)", ""),
        ({"positions": [[1.0, 1.0]], "radii": [0.4]}, "only its own images, cannot jam: at least 2", "discs.count"),
        ({"positions": np.zeros((0, 2)), "radii": []}, "an empty box cannot jam: at least 2", "discs.count"),
        ({"positions": np.zeros((0, 2)), "radii": [], "periodic": False}, "at least 1", "discs.count"),
        ({"positions": [[1.0, np.nan], [3.0, 1.0], [2.0, 3.0]]}, "disc 0 is not a finite", "discs.file"),
        ({"positions": [["a", "b"]]}, "array of numbers", ""),
        ({"radii": [0.4, 0.4]}, r"shape \(3,\)", ""),
        ({"radii": [0.4, -0.4, 0.4]}, "radius of disc 1 must be above 0, not -0.4", "discs.file"),
        ({"radii": [0.4, 0.4, np.inf]}, "radius of disc 2", "discs.file"),
        ({"box": [4.0, 0.0]}, "sides of the box must be numbers above 0", "box.size"),
        ({"box": [4.0, np.nan]}, "sides of the box", "box.size"),
        ({"box": [4.0]}, "must have 2 sides", "box.size"),
        (CRYSTAL, r"close packing of equal discs \(0.9069\)", "discs.volume_fraction"),
        (SPHERES, r"close packing of equal discs \(0.74048\)", "discs.volume_fraction"),
        ({"radii": [1.4, 2.0, 1.0]}, "a full box", "discs.volume_fraction"),
        ({"periodic": False, "positions": [[-1.0, 1.0], [3.0, 1.0], [2.0, 3.0]]}, "not inside the box", "discs.file"),
        ({"periodic": False, "positions": [[0.3, 1.0], [3.0, 1.0], [2.0, 3.0]]}, "the start overlaps", "discs.file"),
        ({"radii": [0.2, 0.2, 0.2], "box": [9.0, 0.3]}, "the start overlaps", "discs.file"),
        ({"rules": "none"}, "rules must be one of calippso, trust-region", "jamming.rules"),
        ({"solver": "none"}, "solver must be one of interior-point, highs", "jamming.solver"),
        ({"tolerance_inflation": 0.0}, "above 0 and below 1", "jamming.tolerance_inflation"),
        ({"tolerance_displacement": -1e-3}, "above 0 and below 1", "jamming.tolerance_displacement"),
        ({"tolerance_displacement": np.nan}, "above 0 and below 1", "jamming.tolerance_displacement"),
        ({"tolerance_inflation": "small"}, "must be a number", "jamming.tolerance_inflation"),
        ({"max_iterations": 0}, "whole number above 0", "jamming.max_iterations"),
        ({"max_iterations": 2.5}, "whole number above 0", "jamming.max_iterations"),
        ({"tolerance": 1e-3}, "no tolerance 'tolerance'", "jamming.tolerance"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_the_reason(change, message, key):
    with pytest.raises(InputError, match=message) as caught:
        jam(**{**GOOD, **change})
    assert caught.value.key == key


def test_input_is_left_as_it_is_and_overlap_by_rounding_is_accepted():
    positions = np.array([[1.0, 1.0], [1.8 - 1e-11, 1.0], [2.0, 3.0], [3.0, 2.0]])
    radii = np.full(4, 0.4)
    kept = positions.copy(), radii.copy()
    packing = jam(positions, radii, [4.0, 4.0], max_iterations=1)
    np.testing.assert_array_equal(positions, kept[0])
    np.testing.assert_array_equal(radii, kept[1])
    assert packing.min_gap > -1e-12


def test_rules_of_the_package():
    """Cutoff and bound for every line of its table, d = 3; R is the largest radius."""
    radii = np.array([0.5, 1.0])
    rules = PackageRules(radii, 3)
    assert (rules.tolerance_inflation, rules.tolerance_displacement) == (1e-12, 1e-9)
    # at the start √Γ = 1.01, l_0 = 4 R
    reach = rules.reach(radii)
    assert (reach.cutoff, reach.bound) == pytest.approx((4.0, (2.0 - 1.5) / sqrt(3.0)))

    def after(inflation, factor=1.0):
        rules.learn(Outcome(inflation, 1e-3, True, False, 1e-4))
        reach = rules.reach(radii * factor)
        return reach.cutoff, reach.bound

    assert after(0.6e-3, 1.2) == pytest.approx((4.0, (2.0 - 1.5 * 1.2) / sqrt(3.0)))
    assert after(5e-4, 1.2) == pytest.approx((4.0, 0.12))  # min(4.8, l_0)
    assert after(1.1e-5) == pytest.approx((4.0, 0.1))
    assert after(1e-5, 1.2) == pytest.approx((3.24, 0.012))
    assert after(1e-13) == pytest.approx((2.7, 0.01))
    # discs without a row: at least the cutoff apart, each moves by √3 s_b at most
    apart = (2.7 - 2.0 * sqrt(3.0) * 0.01) / 2.0
    assert rules.reach(radii).most == pytest.approx(apart**2 - 1.0)
    kept = rules.memory()
    other = PackageRules(radii * 2.0, 3)
    other.recall(kept)
    assert other.reach(radii) == rules.reach(radii)


def test_trust_region_follows_the_displacements():
    radii = np.array([0.5, 1.0])
    rules = TrustRegion(radii, 2)
    first = rules.reach(radii).bound

    def after(moved, balanced=True, capped=False):
        rules.learn(Outcome(1e-4, moved, balanced, capped, 3e-5))
        return rules.reach(radii).bound

    assert after(0.01) == pytest.approx(0.03)  # three times what was moved
    assert after(0.03) == pytest.approx(0.09)  # at the bound: three times the bound
    assert after(0.001, balanced=False) == pytest.approx(0.27)
    assert after(0.02, capped=True) == pytest.approx(0.5 / sqrt(2.0))  # at most
    assert after(0.0) == pytest.approx(1e-7)  # at least
    assert first < 0.5 / sqrt(2.0)
    assert rules.reach(radii).left == 3e-5
    kept = rules.memory()
    other = TrustRegion(radii, 2)
    other.recall(kept)
    assert other.reach(radii) == rules.reach(radii)


@pytest.mark.parametrize("name", RULES)
def test_the_memory_of_a_rule_is_restored_to_the_last_bit(name):
    rng = np.random.default_rng(1)
    rule, radii = RULES[name](THREE, 2), THREE.copy()
    for _ in range(300):
        growth = min(10.0 ** rng.uniform(-14, 0), 0.5)
        moved, left = 10.0 ** rng.uniform(-12, -0.5), 10.0 ** rng.uniform(-12, -0.5)
        rule.learn(Outcome(growth, moved, bool(rng.integers(2)), bool(rng.integers(2)), left))
        radii = radii * (1.0 + 1e-3 * growth)
        reach, again = rule.reach(radii), RULES[name](radii, 2)
        again.recall(rule.memory())
        assert again.memory() == rule.memory()
        assert again.reach(radii) == reach


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("memory", [(1e300, 1e300), (1e300, 1e-300), (1e-300, 1e300), (1e-300, 1e-300)])
def test_memories_out_of_range_ask_for_no_more_than_a_run(name, memory):
    rule = RULES[name](THREE, 2)
    rule.recall(memory)
    reach = rule.reach(THREE)
    assert 0.0 <= reach.cutoff <= 4.1 * THREE.max()
    assert 0.0 < reach.bound <= THREE.max()
    assert reach.most >= 0.0


def test_highs_that_is_not_installed_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(InputError, match=r"HiGHS is not installed: pip install 'aggviewer\[highs\]'") as caught:
        jam(**GOOD, solver="highs")
    assert caught.value.key == "jamming.solver"
