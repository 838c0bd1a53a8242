"""Breaks of jamming: rows and forces of walls, gaps, counts of contacts."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

JAMMING = (
    Mutant(
        "wall-growth",
        "engine/jamming/linear_program.py",
        "direction, 0.5 * radius, (x - radius)",
        "direction, radius, (x - radius)",
        ("test_a_disc_grows_until_it_touches_the_wall",),
        "a disc grows half as far towards a wall",
    ),
    Mutant(
        "wall-direction",
        "engine/jamming/linear_program.py",
        "inwards * x / radius  #",
        "-inwards * x / radius  #",
        ("test_a_disc_grows_until_it_touches_the_wall",),
        "walls push outwards",
    ),
    Mutant(
        "wall-gap",
        "engine/jamming/finish.py",
        "radii[np.maximum(second, 0)], radii[first])",
        "radii[np.maximum(second, 0)], 0.0)",
        ("test_the_gap_to_a_wall_is_that_of_the_disc_alone",),
        "the gap to a wall leaves out half of the way",
    ),
    Mutant(
        "wall-forces",
        "engine/jamming/network.py",
        "vectors = direction * np.where(pairs, 2.0, 4.0)",
        "vectors = direction * np.where(pairs, 2.0, 2.0)",
        ("test_a_disc_squeezed_between_two_walls_has_equal_forces_on_both",),
        "a wall is half as far away in the network",
    ),
    Mutant(
        "wall-ends",
        "engine/jamming/network.py",
        "ends = int((packing.contacts >= 0).sum())",
        "ends = int(packing.contacts.size)",
        ("test_contacts_are_counted_by_their_ends_and_beyond_isostatic",),
        "a contact with a wall counts twice",
    ),
    Mutant(
        "isostatic",
        "engine/jamming/network.py",
        "(stable - 1 if periodic else stable) + 1",
        "stable + 1",
        ("test_contacts_are_counted_by_their_ends_and_beyond_isostatic",),
        "an isostatic packing has two contacts more",
    ),
    Mutant(
        "rattlers",
        "engine/jamming/network.py",
        "held[i] <= dimensions",
        "held[i] < dimensions",
        ("test_a_disc_with_as_many_contacts_as_dimensions_is_a_rattler",),
        "a disc with d contacts is held",
    ),
    Mutant(
        "rattlers-walls",
        "engine/jamming/network.py",
        "if rattling[i] or (j >= 0 and rattling[j]):",
        "if rattling[i] or j < 0 or rattling[j]:",
        ("test_a_disc_with_as_many_contacts_as_dimensions_is_a_rattler",),
        "walls hold nothing",
    ),
    Mutant(
        "highest-growth",
        "engine/jamming/rules.py",
        "fraction ** (-2.0 / len(box))",
        "fraction ** (-1.0 / len(box))",
        ("test_no_packing_grows_beyond_a_full_box",),
        "the greatest growth is that of radii, not of their squares",
    ),
    Mutant(
        "contact-gap-wall",
        "engine/files/contacts.py",
        "np.abs(edge - at[row, axis]) - radii[first], gap)",
        "np.abs(edge - at[row, axis]) - 2.0 * radii[first], gap)",
        ("test_gaps_of_contacts_by_hand",),
        "gaps to walls in files of contacts",
    ),
    Mutant(
        "contact-gap-image",
        "engine/frame.py",
        "np.rint((steps[pair] - between) / box)",
        "np.rint(-between / box)",
        ("test_gaps_of_contacts_by_hand",),
        "two contacts across a small box have one image",
    ),
)
