"""Breaks of what is written: the columns and rows of series.csv."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

FILES = (
    Mutant(
        "series-place",
        "aggviewer/cli/series.py",
        '"contacts_relative", 3  #',
        '"contacts_relative", 2  #',
        ("test_a_gas_has_the_columns_of_its_history_and_no_contacts",),
        "a column of series.csv has moved",
    ),
    Mutant(
        "series-digits",
        "aggviewer/cli/series.py",
        "else repr(value) for",
        'else f"{value:.9g}" for',
        ("test_a_gas_has_the_columns_of_its_history_and_no_contacts",),
        "numbers lose digits",
    ),
    Mutant(
        "series-empty",
        "aggviewer/cli/series.py",
        '"" if value != value else',
        '"nan" if value != value else',
        ("test_a_gas_has_the_columns_of_its_history_and_no_contacts",),
        "what is not known is a word",
    ),
    Mutant(
        "series-order",
        "aggviewer/cli/series.py",
        "key=lambda row: (row[0], -row[1])",
        "key=lambda row: (row[0], row[1])",
        ("test_discs_that_join_have_contacts_where_they_were_sampled",),
        "merges at one time stand in the wrong order",
    ),
    Mutant(
        "series-sample",
        "aggviewer/cli/series.py",
        "if self._due and reached.clusters <= self._due[-1]:",
        "if self._due and reached.clusters < self._due[-1]:",
        ("test_discs_that_join_have_contacts_where_they_were_sampled",),
        "a sample that is due is left out",
    ),
)
