"""The minimisation inside a time step: against theory, against the plain twin, and what must hold whenever it ends.

Two discs, linearised. Radii 1, distance 2 + u, λ = 1/2 + μ, u and μ small. Then φ = 4 - (2 + u)² ≈ -4 u, the distance
feels the forces of both discs, -α ∂L/∂X gives 8 α μ and the γ term -16 γ u, so that (3.23) with λ := λ + β φ(X_new)
becomes

    u_new = [(2 - 16 γ) u - (1 - c/2) u_old + 8 α μ] / (1 + c/2)        μ_new = μ - 4 β u_new

a linear map of (u, u_old, μ). Its characteristic polynomial, with p = 1 + c/2, q = 1 - c/2, is

    p z³ - (2 - 16 γ + p - 32 α β) z² + (q + 2 - 16 γ) z - q

and the residual falls by |z|_max in every iteration. For the plain scheme (3.17), u_new = u + 8 α μ, the map
z² - (2 - 32 α β) z + 1 has both roots on the unit circle: it goes round the solution for ever, which is why damping
is added.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders.minimising import Coefficients, minimise
from tests.reference import arrow_hurwicz as plain

PAIR = np.array([[0, 1]], np.int32)


def spectral_radius(alpha, beta, gamma, c):
    p, q = 1 + c / 2, 1 - c / 2
    roots = np.roots([p, -(2 - 16 * gamma + p - 32 * alpha * beta), q + 2 - 16 * gamma, -q])
    return np.abs(roots).max()


def chain(count, bend=0.0, seed=0, dimensions=2):
    """Discs, or spheres, of radius 1 in a row of contacts that turns by up to `bend` at each; (positions, radii,
    links)."""
    rng = np.random.default_rng(seed)
    angle = np.cumsum(rng.uniform(-bend, bend, count - 1))
    steps = 2.0 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    if dimensions > 2:
        tilt = np.cumsum(rng.uniform(-bend, bend, count - 1))[:, None]
        steps = np.concatenate([np.cos(tilt) * steps, 2.0 * np.sin(tilt)], axis=1)
    links = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1).astype(np.int32)
    return np.concatenate([np.zeros((1, dimensions)), np.cumsum(steps, axis=0)]), np.ones(count), links


def gamma_term(found, radii, links, gamma_over_alpha):
    """Most that Σ (γ/α) λ φ ∂φ/∂X can be on a disc."""
    phi, d = plain.overlap_function(found.positions, radii, links)
    weight = 2 * gamma_over_alpha * found.multipliers * np.abs(phi) * np.sqrt((d**2).sum(axis=1))
    return np.bincount(links.ravel(), np.repeat(weight, 2)).max()


def check_kkt(found, radii, links, tolerance, gamma_over_alpha=1.0):
    """The conditions with the multipliers of the scheme: forces balance to ten tolerances where all links are at
    contact, to one where some are stretched, and the γ term, two φ a link, comes on top (see test_stepping_kkt)."""
    phi, _ = plain.overlap_function(found.positions, radii, links)
    multiplier = found.multipliers
    assert (multiplier >= 0).all()
    assert phi.max() <= tolerance
    assert np.abs(np.minimum(multiplier, -phi)).max() <= tolerance
    balanced = 10 * tolerance if np.abs(phi).max() <= tolerance else tolerance
    assert np.abs(plain.gradient(found.positions, radii, links, multiplier)).max() <= balanced + gamma_term(
        found, radii, links, gamma_over_alpha
    )


@pytest.mark.parametrize(
    ("alpha", "beta", "gamma", "c"),
    [(0.1, 0.05, 0.1, 0.6), (0.1, 0.1, 0.1, 1.0), (0.05, 0.05, 0.05, 0.3), (0.1, 0.05, 0.02, 0.6)],
)
def test_two_discs_converge_at_the_rate_of_the_linearised_map(alpha, beta, gamma, c):
    values = Coefficients(alpha, beta, gamma, c, adaptive=False, tolerance=1e-11)
    found = minimise(np.array([[0, 0], [2 - 1e-4, 0]]), np.ones(2), PAIR, values)
    assert found.converged
    residual = found.residuals
    # envelope: the largest residual of a window long enough for the oscillation
    first, second = residual[20:45].max(), residual[60:85].max()
    rate = (second / first) ** (1 / 40)
    assert rate == pytest.approx(spectral_radius(alpha, beta, gamma, c), abs=0.015)


def test_the_best_damping_is_the_one_of_the_linearised_map():
    """For given α, β, γ the friction c with the smallest spectral radius takes the fewest iterations, to within a
    few."""
    frictions = np.arange(0.1, 2.0, 0.1)
    predicted = [spectral_radius(0.1, 0.1, 0.05, c) for c in frictions]
    start = np.array([[0, 0], [1.99, 0]])
    fixed = [Coefficients(0.1, 0.1, 0.05, c, adaptive=False, tolerance=1e-10) for c in frictions]
    taken = [minimise(start, np.ones(2), PAIR, values).iterations for values in fixed]
    best = int(np.argmin(predicted))
    assert 0 < best < len(frictions) - 1
    assert taken[best] <= min(taken) * 1.25
    assert taken[0] > 1.4 * taken[best]
    assert taken[-1] > 1.4 * taken[best]


def test_the_plain_scheme_goes_round_the_solution():
    start = np.array([[0, 0], [1.9, 0]])
    found = minimise(start, np.ones(2), PAIR, Coefficients(damped=False, tolerance=1e-9, adaptive=False))
    # it is seen not to converge, and the contact holds all the same
    assert not found.converged
    phi, _ = plain.overlap_function(found.positions, np.ones(2), PAIR)
    assert abs(phi[0]) <= 1e-9


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("damped", [True, False])
def test_iterations_are_those_of_the_plain_twin(damped, dimensions):
    rng = np.random.default_rng(3)
    x, radii, links = chain(8, 0.8, dimensions=dimensions)
    x = x + 0.02 * rng.normal(size=x.shape)
    radii = radii * rng.uniform(0.95, 1.05, len(radii))
    values = {"alpha": 0.07, "beta": 0.05, "gamma": 0.06, "c": 0.5, "damped": damped}
    expected, _ = plain.run(x, radii, links, 40, **values)
    merit = []
    for k in range(40):
        _, multiplier = plain.run(x, radii, links, k + 1, **values)
        phi, d = plain.overlap_function(expected[k + 1], radii, links)
        force = plain.gradient(expected[k + 1], radii, links, multiplier)
        if damped:
            term = (-2 * values["gamma"] / values["alpha"] * multiplier * phi)[:, None] * d
            np.add.at(force, links[:, 0], term)
            np.add.at(force, links[:, 1], -term)
        merit.append(max(np.abs(phi).max(), (np.sqrt((force**2).sum(axis=1)) / radii).max() / 10))
    # a tolerance that is just met for the first time ends the kernel exactly there
    ends = [k for k in range(40) if merit[k] == min(merit[: k + 1])]
    assert len(ends) > 3
    for k in ends:
        found = minimise(x, radii, links, Coefficients(**values, adaptive=False, tolerance=merit[k] * (1 + 1e-9)))
        assert found.iterations == k + 1
        np.testing.assert_allclose(found.positions, expected[k + 1], rtol=0, atol=1e-13)


def test_three_in_a_row_are_pushed_apart_symmetrically():
    found = minimise(
        np.array([[-1.7, 0], [0, 0], [1.7, 0]]), np.ones(3), np.array([[0, 1], [1, 2]], np.int32), Coefficients()
    )
    assert found.converged
    np.testing.assert_allclose(found.positions, [[-2, 0], [0, 0], [2, 0]], atol=1e-3)


def test_a_ring_grows_to_its_contacts():
    angle = np.arange(8) * 2 * np.pi / 8
    radius = 1 / np.sin(np.pi / 8)
    ring = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    links = np.stack([np.arange(8), (np.arange(8) + 1) % 8], axis=1).astype(np.int32)
    found = minimise(0.9 * ring, np.ones(8), links)
    assert found.converged
    np.testing.assert_allclose(found.positions, ring, atol=1e-3)
    check_kkt(found, np.ones(8), links, 1e-3)


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("count", [3, 10, 30])
def test_a_chain_pushed_at_one_end(count, dimensions):
    x, radii, links = chain(count, 0.5, dimensions=dimensions)
    x[0] += 0.4 * (x[1] - x[0]) / 2
    found = minimise(x, radii, links)
    assert found.converged
    check_kkt(found, radii, links, 1e-3)
    # forces are internal: the centre stays
    np.testing.assert_allclose(found.positions.mean(axis=0), x.mean(axis=0), atol=1e-12)


def test_links_that_cannot_all_be_at_contact_end_stretched_and_balanced():
    """Four discs, all six pairs linked: six contacts are impossible in the plane, the conditions hold all the same."""
    x = np.array([[0, 0], [1.9, 0.1], [1.9, 2.0], [0.1, 1.9]])
    links = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [1, 3]], np.int32)
    found = minimise(x, np.ones(4), links, Coefficients(tolerance=1e-4, max_iterations=100_000))
    phi, _ = plain.overlap_function(found.positions, np.ones(4), links)
    assert phi.min() < -0.1
    assert phi.max() <= 1e-4
    if found.converged:
        check_kkt(found, np.ones(4), links, 1e-3)


def test_four_spheres_that_all_touch_are_a_tetrahedron():
    """What four discs cannot be."""
    corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / np.sqrt(2)
    links = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [1, 3]], np.int32)
    found = minimise(0.9 * corners, np.ones(4), links)
    assert found.converged
    np.testing.assert_allclose(found.positions, corners, atol=1e-3)
    check_kkt(found, np.ones(4), links, 1e-3)


@settings(max_examples=60)
@given(
    st.integers(0, 2**32),
    st.sampled_from([2, 3]),
    st.integers(2, 12),
    st.floats(1e-3, 10.0),
    st.floats(1e-3, 10.0),
    st.floats(0.0, 10.0),
    st.floats(0.0, 1.99),
    st.booleans(),
    st.booleans(),
)
def test_no_coefficients_can_make_it_diverge(seed, dimensions, count, alpha, beta, gamma, c, damped, adaptive):
    rng = np.random.default_rng(seed)
    x, radii, links = chain(count, 1.0, seed, dimensions)
    x = x + 0.5 * rng.normal(size=x.shape)
    values = Coefficients(alpha, beta, gamma, c, damped, adaptive, max_iterations=2000)
    found = minimise(x, radii, links, values)
    assert np.isfinite(found.positions).all()
    phi, _ = plain.overlap_function(found.positions, radii, links)
    assert phi.max() <= 1e-3
    if found.converged:
        check_kkt(found, radii, links, 1e-3, gamma / alpha)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_discs_on_top_of_each_other_are_parted(dimensions):
    found = minimise(np.zeros((2, dimensions)), np.ones(2), PAIR)
    assert np.linalg.norm(found.positions[0] - found.positions[1]) == pytest.approx(2, abs=1e-3)
