"""Breaks of aggregation: minimum image, impacts, the active set of links, minimisation."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

AGGREGATION = (
    Mutant(
        "half-box",
        "engine/geometry/minimum_image.py",
        "if delta > half:",
        "if delta >= half:",
        ("test_a_place_half_a_box_away_is_not_moved",),
        "at exactly half a box the other image is taken",
    ),
    Mutant(
        "half-box-below",
        "engine/geometry/minimum_image.py",
        "if delta < -half:",
        "if delta <= -half:",
        ("test_a_place_half_a_box_away_is_not_moved",),
        "at exactly half a box below the other image is taken",
    ),
    Mutant(
        "axis-distance",
        "engine/geometry/minimum_image.py",
        "return min(distance, period - distance)",
        "return distance",
        ("test_the_nearest_image_is_never_farther_than_half_a_box",),
        "searches do not look across the edge",
    ),
    Mutant(
        "images-touching",
        "engine/geometry/minimum_image.py",
        "int(-((other_high - low) // side))",
        "int(-((other_high - low) // side)) + 1",
        ("test_intervals_meet_in_every_image_in_which_they_have_a_point_in_common",),
        "an image of a wide cluster is left out",
    ),
)
