"""Breaks of plots: labels, units, bars, rounding, errors of counts."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

PLOTS = (
    Mutant(
        "at-least-bar",
        "aggviewer/systems/contact_bars.py",
        'f"≥ {last_bar}"',
        'f"{last_bar}"',
        ("test_the_last_bar_stands_for_all_that_have_more",),
        "the last bar seems to be for one number alone",
    ),
    Mutant(
        "last-bar",
        "aggviewer/systems/contact_bars.py",
        "np.sum(found[last_bar:])",
        "np.sum(found[last_bar : last_bar + 1])",
        ("test_the_last_bar_stands_for_all_that_have_more",),
        "discs with more contacts are in no bar",
    ),
    Mutant(
        "axis-unit",
        "aggviewer/systems/hard_discs/motion.py",
        'Axes("time t", "⟨Δr²⟩ / σ²"',
        'Axes("time t", "⟨Δr²⟩ / R²"',
        ("test_axes_are_in_the_units_of_the_table",),
        "the axis says another unit",
    ),
    Mutant(
        "axis-energy",
        "aggviewer/systems/aggregation/coarsening.py",
        'Axes("time t", "M/N, E/E₀"',
        'Axes("time t", "M, E"',
        ("test_axes_are_in_the_units_of_the_table",),
        "the axis does not say over what",
    ),
    Mutant(
        "displacement-unit",
        "aggviewer/systems/hard_discs/motion.py",
        "squared[moved] / diameter**2",
        "squared[moved] / diameter",
        ("test_displacement_with_its_beginning_and_its_end",),
        "displacements are over the wrong power of the diameter",
    ),
    Mutant(
        "counts-error",
        "aggviewer/plots/error_text.py",
        "n * (1.0 - n / total)",
        "n",
        ("test_errors_of_counts_are_binomial",),
        "errors of shares are those of free counts",
    ),
    Mutant(
        "value-digits",
        "aggviewer/plots/axes.py",
        "if 1000 <= value < 9999.5",
        "if 1000 <= value < 99999.5",
        ("test_numbers_of_plots_are_plain_up_to_four_digits",),
        "five digits",
    ),
    Mutant(
        "power-rounding",
        "aggviewer/plots/axes.py",
        'f"{value:.{digits - 1}e}"',
        'f"{value:.{digits}e}"',
        ("test_powers_of_ten",),
        "a digit too many",
    ),
    Mutant(
        "error-sign",
        "aggviewer/plots/error_text.py",
        'text.replace("-", "−")',
        "text",
        ("test_a_value_has_the_digits_that_its_error_leaves",),
        "a hyphen is a minus",
    ),
    Mutant(
        "ticks-below",
        "aggviewer/style/ticks.py",
        "range(ceil(low / step - _CLOSE)",
        "range(floor(low / step)",
        ("test_ticks",),
        "a tick lies before the beginning",
    ),
    Mutant(
        "thinned-end",
        "aggviewer/plots/axes.py",
        "parts = [np.array([0, count - 1]), count - 1 -",
        "parts = [np.array([0]), count - 2 -",
        ("test_thinning_keeps_the_ends_and_is_dense_on_log_axes",),
        "a thinned history loses its end",
    ),
)
