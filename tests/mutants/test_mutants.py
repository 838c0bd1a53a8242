"""Small breaks of the program die by an assertion of a test that is about them, and their table stays true."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutants.mutant import (
    DIED,
    ROOT,
    SURVIVED,
    Mutant,
    Outcome,
    copy_of_the_tree,
    place_of,
    run_tests,
    try_mutant,
)
from tests.mutants.tables import MUTANTS


def test_every_mutant_can_be_made_and_its_tests_are_there() -> None:
    wrong = []
    for mutant in MUTANTS:
        count = (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.text)
        if count != 1:
            wrong.append(f"{mutant.name}: its text occurs {count} times in {mutant.file}")
        if mutant.instead == mutant.text:
            wrong.append(f"{mutant.name}: nothing is broken")
        for test in mutant.tests:
            try:
                place_of(test)
            except ValueError as error:
                wrong.append(f"{mutant.name}: {error}")
    assert not wrong, "\n".join(wrong)
    assert all(mutant.tests for mutant in MUTANTS)
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 60


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree, which each mutant breaks and repairs."""
    return copy_of_the_tree(tmp_path_factory.mktemp("mutants") / "tree")


@pytest.mark.slow
def test_the_tests_pass_where_nothing_is_broken(tree: Path) -> None:
    names = dict.fromkeys(test for mutant in MUTANTS for test in mutant.tests)
    assert run_tests(names, tree) == (SURVIVED, "")


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_it_dies(mutant: Mutant, tree: Path, outcomes: list[Outcome]) -> None:
    outcome = try_mutant(mutant, tree)
    outcomes.append(outcome)
    assert outcome.verdict == DIED, f"{mutant.breaks}: {outcome.verdict}"
