"""The closed forms against the values of the specification, against each other and against exact arithmetic."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from engine.hard_discs import theory
from tests.reference import theory as reference

SMALL_PHI = [row for row in theory.REFERENCE_Z if row.phi < 0.69]


@pytest.mark.parametrize(
    ("law", "phi", "percent", "slack"),
    [
        (theory.henderson, 0.30, 0.02, 0.01),
        (theory.henderson, 0.50, 0.4, 0.05),
        (theory.henderson, 0.65, 2.2, 0.1),
        (theory.henderson, 0.698, 12.7, 0.1),
        (theory.luding, 0.30, 0.0, 0.01),
        (theory.luding, 0.50, 0.06, 0.03),
        (theory.luding, 0.65, 0.0, 0.05),
        (theory.luding, 0.698, 8.4, 0.1),
    ],
)
def test_an_equation_of_state_is_as_high_as_it_is_known_to_be(law, phi, percent, slack):
    z = next(row.z for row in theory.REFERENCE_Z if row.phi == phi)
    assert 100.0 * (law(phi) / z - 1.0) == pytest.approx(percent, abs=slack)


def test_the_fluid_of_discs_is_within_a_tenth_of_a_percent():
    rows = [row for row in theory.REFERENCE_Z if row.phi <= theory.FLUID_TO[2]]
    assert len(rows) == 3
    assert_allclose(theory.fluid_z([row.phi for row in rows]), [row.z for row in rows], rtol=1e-3)


def test_the_fluid_of_spheres_is_within_seven_hundredths_of_a_percent():
    """Kolafa, Labik and Malijevsky 2004; Carnahan and Starling's equation is 0.25 % low at 0.3."""
    phi, z = np.array(reference.SPHERES_Z).T
    assert_allclose(theory.fluid_z(phi, 3), z, rtol=7e-4)
    low = 100.0 * (1.0 - theory.carnahan_starling(phi) / z)
    assert_allclose(low[[1, 3, 6]], [0.03, 0.25, 0.11], atol=0.006)


def test_the_collision_rate_of_spheres_is_that_of_their_pressure():
    """Z - 1 = sqrt(pi) / 6 omega sigma sqrt(m / kT), exact: omega of equal spheres within 0.1 % of the literature's."""
    for phi, z in reference.SPHERES_Z:
        spheres = 4.0 / 3.0 * np.pi * 100 * 0.3**3 / phi  # the volume of 100 of them
        omega = theory.mixture_collision_rate(np.full(100, 0.3), np.full(100, 2.0), spheres, 3.0, 3)
        scaled = omega * 0.6 * np.sqrt(2.0 / 3.0)
        assert scaled == pytest.approx(6.0 / np.sqrt(np.pi) * (z - 1.0), rel=1e-3)
        assert theory.enskog_rate(phi, 3) == pytest.approx(scaled, rel=1e-12)


def test_the_virial_series_is_close_at_low_density_and_too_low_at_high():
    z = {row.phi: row for row in SMALL_PHI}
    assert abs(reference.virial_series(0.30) - z[0.30].z) < 3 * z[0.30].error
    assert 0.005 < 1.0 - reference.virial_series(0.50) / z[0.50].z < 0.01
    assert 0.05 < 1.0 - reference.virial_series(0.65) / z[0.65].z < 0.06


def test_the_virial_series_by_hand():
    assert reference.virial_series(0.1, 1) == 1.0
    assert reference.virial_series(0.1, 3) == pytest.approx(1.0 + 0.2 + 0.782004 * 0.04, rel=1e-15)
    assert_allclose(reference.virial_series([0.0, 0.1], 2), [1.0, 1.2])
    for terms in (0, 11):
        with pytest.raises(ValueError, match=r"1 … 10"):
            reference.virial_series(0.1, terms)


def test_henderson_begins_as_the_virial_series():
    # B_2 exactly; his third coefficient, 3.125 phi^2, against 3.128 phi^2
    phi = np.array([1e-3, 1e-2])
    assert_allclose(theory.henderson(phi), reference.virial_series(phi), atol=0.004 * 1e-4)


@pytest.mark.parametrize("row", SMALL_PHI, ids=lambda row: f"phi={row.phi}")
def test_collision_rate_and_pressure_are_one_relation(row):
    omega = dict(reference.REFERENCE_COLLISION_RATE)[row.phi]
    assert abs(reference.z_from_collision_rate(omega) - row.z) < 2 * row.error
    assert reference.collision_rate(row.phi, z=row.z) == pytest.approx(omega, rel=4e-4)
    z = theory.fluid_z(row.phi)
    assert reference.z_from_collision_rate(reference.collision_rate(row.phi)) == pytest.approx(float(z), rel=1e-14)


def test_collision_rate_scales_with_speed_and_size():
    # a disc twice as large, four times as hot, a quarter of the mass: the clock runs at twice the rate
    assert_allclose(reference.collision_rate(0.3, 4.0, 2.0, 0.25), 2.0 * reference.collision_rate(0.3), rtol=1e-14)
    omega = reference.collision_rate(0.3, 4.0, 2.0, 0.25)
    assert_allclose(reference.z_from_collision_rate(omega, 4.0, 2.0, 0.25), theory.fluid_z(0.3), rtol=1e-14)


def test_the_contact_value_of_a_dilute_gas_is_one():
    assert theory.contact_value(0.0) == 1.0
    assert theory.contact_value(0.3, 2.0634) == pytest.approx(1.0634 / 0.6)


def test_pressures_of_the_references():
    by_phi = {row.phi: row for row in theory.REFERENCE_Z}
    assert by_phi[0.698].pressure == pytest.approx(9.1696, abs=1e-12)
    # the loop: the pressure falls although the density rises
    assert by_phi[0.714].pressure < by_phi[0.702].pressure
    narrow, square = reference.SMALL_SYSTEM_Z
    assert (narrow.count, narrow.aspect) == (72, pytest.approx(0.8660254))
    assert narrow.pressure == pytest.approx(6.945931, abs=1e-12)
    # a small system against the infinite one: kT = K / N would be off by 1 / 72
    assert narrow.z == pytest.approx(8.393, abs=1e-3)
    assert square.z < narrow.z
    assert narrow.error == pytest.approx(narrow.z * 6.6e-5 / 6.945931)


def test_haff_in_time_and_in_collisions_are_one_law():
    eps, omega = 0.95, 2.4
    tau = theory.haff_time(eps, omega)
    time = np.linspace(0.0, 50.0, 20_001)
    temperature = theory.haff(time, eps, omega, 3.0)
    # the rate follows the root of the temperature; its integral is the number of collisions per disc
    rate = omega * np.sqrt(temperature / 3.0)
    collisions = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(time))])
    assert_allclose(reference.haff_by_collisions(collisions, eps, 3.0), temperature, rtol=1e-6)
    assert theory.haff(tau, eps, omega, 3.0) == pytest.approx(0.75)
    assert tau == pytest.approx(4.0 / (0.0975 * 2.4))


def test_elastic_discs_do_not_cool():
    assert np.isinf(theory.haff_time(1.0, 2.4))
    assert theory.haff(1e9, 1.0, 2.4, 2.0) == 2.0
    assert reference.haff_by_collisions(1e9, 1.0, 2.0) == 2.0


def test_maxwell_distributions_are_normalised_with_the_right_moments():
    temperature, mass = 2.5, 0.7
    v = np.linspace(0.0, 40.0, 400_001)
    speeds = theory.maxwell_speed(v, temperature, mass)
    assert np.trapezoid(speeds, v) == pytest.approx(1.0, abs=1e-9)
    assert np.trapezoid(0.5 * mass * v**2 * speeds, v) == pytest.approx(temperature, rel=1e-8)
    assert np.trapezoid(v * speeds, v) == pytest.approx(np.sqrt(np.pi * temperature / (2 * mass)), rel=1e-8)
    both = np.concatenate([-v[:0:-1], v])
    component = reference.maxwell_component(both, temperature, mass)
    assert np.trapezoid(component, both) == pytest.approx(1.0, abs=1e-9)
    assert np.trapezoid(mass * both**2 * component, both) == pytest.approx(temperature, rel=1e-8)
    assert theory.maxwell_speed(-1.0) == 0.0
    spheres = theory.maxwell_speed(v, temperature, mass, 3)
    assert np.trapezoid(spheres, v) == pytest.approx(1.0, abs=1e-9)
    assert np.trapezoid(mass * v**2 * spheres, v) == pytest.approx(3.0 * temperature, rel=1e-8)
    assert np.trapezoid(v * spheres, v) == pytest.approx(np.sqrt(8.0 * temperature / (np.pi * mass)), rel=1e-8)
    assert theory.maxwell_speed(-1.0, dimensions=3) == 0.0


@pytest.mark.parametrize("eps", [0.0, 0.1, 0.5, 0.9, 0.999, 1.0 - 2.0**-52])
def test_bounce_times_against_exact_arithmetic(eps):
    n = np.array([1, 2, 3, 10, 57, 400])
    with mpmath.workdps(60):
        e, root = mpmath.mpf(eps), mpmath.sqrt(2 * mpmath.mpf(5) / mpmath.mpf(9.81))
        exact = [float(root * (1 + 2 * mpmath.fsum(e**j for j in range(1, int(k))))) for k in n]
        limit = float(root * (1 + e) / (1 - e))
    assert_allclose(reference.bounce_times(5.0, 9.81, eps, n), exact, rtol=1e-14)
    assert theory.rest_time(5.0, 9.81, eps) == pytest.approx(limit, rel=1e-14)


def test_an_elastic_ball_never_rests():
    assert_allclose(reference.bounce_times(2.0, 1.0, 1.0, [1, 2, 3]), [2.0, 6.0, 10.0])
    assert theory.rest_time(2.0, 1.0, 1.0) == np.inf
    assert_allclose(reference.bounce_speeds(2.0, 1.0, 0.5, [1, 2]), [1.0, 0.5])


def test_the_flights_between_impacts_follow_the_speeds():
    times = reference.bounce_times(0.5, 1.0, 0.7, np.arange(1, 20))
    assert_allclose(np.diff(times), 2.0 * reference.bounce_speeds(0.5, 1.0, 0.7, np.arange(1, 19)), rtol=1e-12)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_the_contact_value_is_that_of_the_equation_of_state(dimensions):
    """Z = 1 + 2 phi g of discs, 1 + 4 phi g of spheres."""
    phi = np.array([0.05, 0.2, 0.45, 0.69])
    z = theory.fluid_z(phi, dimensions)
    want = (z - 1.0) / (2.0 * (dimensions - 1) * phi)
    assert_allclose(theory.contact_value(phi, dimensions=dimensions), want, rtol=1e-12)
    assert_allclose(theory.contact_value(phi, z, dimensions), want, rtol=1e-12)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_the_collision_rate_of_a_mixture_disc_by_disc(dimensions):
    """Enskog's rate summed over all pairs, with the contact values of Jenkins and Mancini (1987) in the plane, of
    Boublik (1970) and Mansoori et al. (1971) in space, and beside them what the equation of state has more than
    Henderson's or Carnahan and Starling's: a term in the highest power of
    z = 2 R_i R_j / (R_i + R_j) <R^(d-1)> / <R^d>."""
    radii, masses = np.array([0.3] * 7 + [1.1] * 3), np.array([0.5] * 7 + [4.0] * 3)
    size, temperature = 40.0, 1.7
    phi = (np.pi * (radii**2).sum() if dimensions == 2 else 4.0 / 3.0 * np.pi * (radii**3).sum()) / size
    filled = 1.0 - phi
    total = 0.0
    for one, mass in zip(radii, masses, strict=True):
        for other, other_mass in zip(radii, masses, strict=True):
            harmonic = 2.0 * one * other / (one + other)
            speed = np.sqrt(temperature * (1.0 / mass + 1.0 / other_mass) * np.pi / 2.0)  # <|v_i - v_j|>
            if dimensions == 2:
                z = harmonic * radii.mean() / (radii**2).mean()
                g = 1.0 / filled + 9.0 * phi / 16.0 / filled**2 * z - phi**3 / 128.0 / filled**4 * z
                total += 2.0 * (one + other) * g * speed / size
            else:
                z = harmonic * (radii**2).mean() / (radii**3).mean()
                g = 1.0 / filled + 1.5 * phi * z / filled**2 + 0.5 * (phi * z) ** 2 / filled**3
                g += (phi * z) ** 2 * (1.0 - 2.0 * phi) / 12.0 / filled**3
                total += np.pi * (one + other) ** 2 * g * speed * 4.0 / np.pi / size
    found = theory.mixture_collision_rate(radii, masses, size, temperature, dimensions)
    assert found == pytest.approx(total / 10.0, rel=1e-12)
