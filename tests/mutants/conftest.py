"""The table of mutants at the end of a run of the tests."""

from __future__ import annotations

import pytest

from tests.mutants.mutant import Outcome, table

_OUTCOMES = pytest.StashKey[list[Outcome]]()


@pytest.fixture(scope="session")
def outcomes(pytestconfig: pytest.Config) -> list[Outcome]:
    """What has become of the mutants, to be added to."""
    return pytestconfig.stash.setdefault(_OUTCOMES, [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the table, if any mutant was tried."""
    found = config.stash.get(_OUTCOMES, [])
    if found:
        terminalreporter.write_line(table(found))
