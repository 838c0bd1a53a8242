"""Breaks of the analysis of a state: diffusion, dimensions, speeds, power laws, bars."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

ANALYSIS = (
    Mutant(
        "diffusion-dimensions",
        "engine/analysis/diffusion.py",
        "_DIMENSIONS = 2",
        "_DIMENSIONS = 3",
        ("test_diffusion_coefficient_of_a_random_walk",),
        "D as in space",
    ),
    Mutant(
        "diffusion-range",
        "engine/analysis/diffusion.py",
        "(time <= high * (1.0 + 1e-9))",
        "(time < high)",
        ("test_diffusion_coefficient_of_a_random_walk",),
        "the last point of the range is left out",
    ),
    Mutant(
        "dimension-freedom",
        "engine/analysis/fractal.py",
        "max(len(x) - 2, 1)",
        "max(len(x), 1)",
        ("test_the_scatter_of_the_dimension_is_the_error_of_the_slope",),
        "the scatter of D_f divides by n",
    ),
    Mutant(
        "speeds-freedom",
        "engine/analysis/gas.py",
        "max(count - 1, 1) if periodic else count",
        "count",
        ("test_speeds_as_numpy_counts_them",),
        "the temperature of a periodic gas has N degrees of freedom",
    ),
    Mutant(
        "displacement-images",
        "engine/analysis/gas.py",
        "sample.positions + sample.images * sample.box - sample.start",
        "sample.positions - sample.start",
        ("test_mean_square_displacement_goes_through_the_edge",),
        "discs that cross the edge jump back",
    ),
    Mutant(
        "power-law-error",
        "engine/analysis/power_laws.py",
        "slope / float(np.sqrt(len(small)))",
        "slope / float(np.sqrt(len(values)))",
        ("test_a_power_law_is_found",),
        "the error of an exponent counts values outside of its range",
    ),
    Mutant(
        "power-law-limit",
        "engine/analysis/power_laws.py",
        "small = values[values <= high]",
        "small = values[values <= 2.0 * high]",
        ("test_a_power_law_is_found",),
        "the fit takes values beyond its range",
    ),
    Mutant(
        "contact-distance",
        "engine/analysis/contact_network.py",
        "CONTACT = 1.05",
        "CONTACT = 1.1",
        ("test_contacts_agree_with_the_definition",),
        "discs farther apart are in contact",
    ),
    Mutant(
        "pairs-of-itself",
        "engine/analysis/distances.py",
        "0.5 * count * (count - 1) * np.diff",
        "0.5 * count * count * np.diff",
        ("test_pair_correlation_as_counted_pair_by_pair",),
        "an ideal gas of few discs has too many pairs",
    ),
    Mutant(
        "gyration",
        "engine/analysis/clusters.py",
        "centred.T @ centred / len(points)",
        "centred.T @ centred / (len(points) - 1)",
        ("test_shape_between_walls_agrees_with_numpy",),
        "the gyration tensor divides by n - 1",
    ),
    Mutant(
        "dimension-range",
        "engine/analysis/fractal.py",
        "_FIT_FROM = 3.0",
        "_FIT_FROM = 2.0",
        ("test_the_scatter_of_the_dimension_is_the_error_of_the_slope",),
        "the dimension is fitted from smaller boxes on",
    ),
    Mutant(
        "autocorrelation",
        "engine/analysis/velocities.py",
        "float((now * then).sum()) / squared",
        "float((now * then).mean()) / squared",
        ("test_velocity_autocorrelation_as_summed_disc_by_disc",),
        "the velocity autocorrelation begins at 1/2N",
    ),
)
