"""Indicators of packings: power laws that are known, bucklers, gaps, contacts."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from engine.analysis import Samples, analyse_packing, pool_packings
from engine.analysis.packing import BUCKLER_RANGE, CLOSED, FORCE_RANGE, GAP_RANGE, power_law
from engine.indicators import plain
from engine.jamming import jam
from tests.reference.jamming import scattered


@pytest.mark.parametrize("exponent", [0.42, 0.17, -0.41])
def test_a_power_law_is_found(exponent: float) -> None:
    rng = np.random.default_rng(1)
    values = rng.random(20_000) ** (1.0 / (exponent + 1.0))  # P(x) = (θ + 1) x^θ on [0, 1]
    found = power_law(values, 0.3)
    assert found.exponent == pytest.approx(exponent, abs=3.0 * found.error)
    assert found.count == int((values <= 0.3).sum())
    assert found.error == pytest.approx((found.exponent + 1.0) / np.sqrt(found.count))  # of the values that are fitted
    assert found.high == 0.3
    assert found.low == values.min()
    assert found.amplitude == pytest.approx(exponent + 1.0, rel=0.05)


def test_too_few_values_have_no_power_law() -> None:
    assert power_law(np.linspace(0.01, 0.2, 19), 0.3) is None
    assert power_law(np.full(100, 0.3), 0.3) is None
    assert power_law(np.zeros(0), 0.3) is None


def packing(**changes: object) -> SimpleNamespace:
    """Four discs around a fifth that touches three of them."""
    positions = np.array([[2.0, 2.0], [3.0, 2.0], [1.0, 2.0], [2.0, 3.0], [2.0, 0.9]])
    values = {
        "positions": positions,
        "radii": np.full(5, 0.5),
        "box": np.array([4.0, 4.0]),
        "periodic": False,
        "contacts": np.array([[0, 1], [0, 2], [0, 3], [1, -2], [2, -1], [3, -4]], np.int32),
        "forces": np.array([3.0, 1.0, 2.0, 1.0, 1.0, 4.0]),
        "rattlers": np.array([False, False, False, False, True]),
    }
    return SimpleNamespace(**(values | changes))


def test_contacts_bucklers_and_gaps_by_hand() -> None:
    found = analyse_packing(packing())  # type: ignore[arg-type]
    assert found.contacts == 6
    assert found.rattlers == 1
    assert found.contacts_histogram.tolist() == [1, 0, 3, 1]
    assert found.isostatic_gap == 6 - (2 * 4 + 1)
    assert found.volume_fraction == pytest.approx(5 * np.pi / 64)
    assert (found.buckler_forces.count, found.extended_forces.count) == (3, 3)
    assert found.gaps.count == 2  # 1 and 2 with 3; the rattler has none
    assert found.gaps.edges[0] <= np.sqrt(2.0) - 1.0 <= found.gaps.edges[-1]
    assert np.sort(found.samples.bucklers).tolist() == [0.5, 1.0, 1.5]
    for density in (found.extended_forces, found.buckler_forces, found.gaps):
        assert float(density.density @ np.diff(density.edges)) == pytest.approx(1.0)
    plain = found.to_dict()
    assert plain["gaps"]["fit"] is None
    assert plain["contacts_histogram"] == [1, 0, 3, 1]
    assert "samples" not in plain


def test_a_pair_that_touches_on_one_side_has_its_gap_on_the_other() -> None:
    """And a disc has one to its own image; of two contacts of a pair none is a gap."""
    positions = np.array([[1.0, 1.0], [2.0, 1.0]])
    values = {
        "positions": positions, "radii": np.full(2, 0.5), "periodic": True, "contacts": np.array([[0, 1]], np.int32),
        "forces": np.ones(1), "rattlers": np.zeros(2, bool),
    }  # fmt: skip
    found = analyse_packing(packing(**values | {"box": np.array([2.3, 9.0])}))  # type: ignore[arg-type]
    assert found.samples.gaps == pytest.approx([0.3])
    own = analyse_packing(packing(**values | {"box": np.array([9.0, 1.4])}))  # type: ignore[arg-type]
    assert sorted(own.samples.gaps) == pytest.approx([0.4, 0.4])
    both = {"box": np.array([2.0 + 2e-6, 9.0]), "contacts": np.array([[0, 1], [0, 1]], np.int32), "forces": np.ones(2)}
    assert analyse_packing(packing(**values | both)).samples.gaps.tolist() == []  # type: ignore[arg-type]


def test_without_contacts_there_is_little_to_say() -> None:
    nothing = packing(contacts=np.zeros((0, 2), np.int32), forces=np.zeros(0), rattlers=np.ones(5, bool))
    found = analyse_packing(nothing)  # type: ignore[arg-type]
    assert (found.extended_forces, found.buckler_forces, found.gaps, found.isostatic_gap) == (None,) * 4
    assert found.contacts_histogram.tolist() == [5]


def test_a_real_packing() -> None:
    rng = np.random.default_rng(3)
    count, side = 256, 16.0
    x, y = np.meshgrid(np.arange(16) + 0.5, np.arange(16) + 0.5)
    places = np.column_stack((x.ravel(), y.ravel())) + 0.05 * rng.random((count, 2))
    radii = np.where(np.arange(count) % 2, 0.3, 0.42)
    jammed = jam(places, radii, [side, side])
    assert jammed.jammed
    found = analyse_packing(jammed)
    assert found.contacts == len(jammed.forces)
    assert found.isostatic_gap is not None
    assert (found.isostatic_gap == 0) == jammed.isostatic
    assert int(found.contacts_histogram @ np.arange(len(found.contacts_histogram))) == 2 * found.contacts
    assert found.gaps.edges[0] > CLOSED
    # gaps and their power law again, from all pairs
    delta = jammed.positions[:, None] - jammed.positions
    delta -= side * np.round(delta / side)
    grown = jammed.radii
    h = (np.hypot(delta[..., 0], delta[..., 1]) - grown[:, None] - grown) / (2.0 * grown.mean())
    touching = np.zeros((count, count), bool)
    touching[tuple(jammed.contacts.T)] = True
    held = np.bincount(jammed.contacts.ravel(), minlength=count) > 0
    near = np.triu(~(touching | touching.T) & (h > CLOSED) & (h <= 0.5), 1) & held & held[:, None]
    gaps = np.sort(h[near])
    np.testing.assert_allclose(np.sort(found.samples.gaps), gaps, rtol=1e-9)
    assert found.gaps.count == len(gaps)
    small = gaps[gaps <= GAP_RANGE]
    assert found.gaps.fit.count == len(small) >= 20
    assert found.gaps.fit.exponent == pytest.approx(1.0 / np.log(GAP_RANGE / small).mean() - 1.0)
    np.testing.assert_array_equal(found.gaps.density > 0.0, np.histogram(gaps, found.gaps.edges)[0] > 0)
    assert found.extended_forces.count + found.buckler_forces.count == found.contacts


def drawn(rng: np.random.Generator, count: int = 600) -> Samples:
    """Forces and gaps of a packing, from power laws that are known."""

    def law(exponent: float, count: int) -> np.ndarray:
        return rng.random(count) ** (1.0 / (exponent + 1.0))  # on [0, 1]

    return Samples(law(0.42, count), law(0.17, count // 2), law(-0.41, 3 * count))


def test_many_packings_find_the_exponents_that_their_values_are_drawn_from() -> None:
    rng = np.random.default_rng(7)
    packings = [drawn(rng) for _ in range(64)]
    pooled = pool_packings(packings)
    assert pooled.packings == 64
    found = (pooled.extended_forces, pooled.buckler_forces, pooled.gaps)
    alone = packings[0].densities()
    for density, one, exponent in zip(found, alone, (0.42, 0.17, -0.41), strict=True):
        assert density.fit.exponent == pytest.approx(exponent, abs=3.0 * density.fit.error)
        assert density.fit.high == one.fit.high
        assert density.fit.error == pytest.approx(one.fit.error / 8.0, rel=0.25)  # a root of 64 better
        assert density.fit.error < 0.04


def test_pooling_is_the_fit_of_all_values_together() -> None:
    rng = np.random.default_rng(8)
    packings = [drawn(rng, count) for count in (200, 300, 50)]
    pooled = pool_packings(packings)
    for name in ("extended", "bucklers", "gaps"):
        values = np.concatenate([getattr(one, name) for one in packings])
        np.testing.assert_array_equal(getattr(pooled.samples, name), values)
    for density, values, limit in (
        (pooled.extended_forces, pooled.samples.extended, FORCE_RANGE),
        (pooled.buckler_forces, pooled.samples.bucklers, BUCKLER_RANGE),
        (pooled.gaps, pooled.samples.gaps, GAP_RANGE),
    ):
        assert density.count == len(values)
        assert density.fit == power_law(values, limit)
    one = pool_packings(packings[:1])
    assert one.to_dict()["gaps"] == plain(packings[0].densities()[2])


def test_no_packing_has_no_distribution() -> None:
    pooled = pool_packings([])
    assert pooled.to_dict() == {"packings": 0, "extended_forces": None, "buckler_forces": None, "gaps": None}


@pytest.mark.parametrize("dimensions", [2, 3])
def test_bucklers_have_one_contact_more_than_dimensions(dimensions: int) -> None:
    """Counted by hand, disc by disc: a contact is that of a buckler if either of its discs has d + 1 contacts."""
    rng = np.random.default_rng(dimensions)
    found = jam(*scattered(30, dimensions, 0.15, True, rng, 1.4))
    assert found.jammed
    number = np.bincount(found.contacts.ravel(), minlength=30)
    assert {dimensions + 1, dimensions + 2} <= set(number.tolist())
    wanted = [
        force
        for (i, j), force in zip(found.contacts.tolist(), found.forces, strict=True)
        if dimensions + 1 in (number[i], number[j])
    ]
    samples = analyse_packing(found).samples
    assert sorted(samples.bucklers) == pytest.approx(sorted(wanted), rel=1e-12)
    assert 0 < len(samples.bucklers) < len(found.forces)
    assert len(samples.extended) == len(found.forces) - len(wanted)
