"""`python -m tests.mutants [NAME …]`: try mutants whose names begin so, all without names, and print a table."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.mutants.mutant import DIED, Outcome, copy_of_the_tree, table, try_mutant
from tests.mutants.tables import MUTANTS


def main() -> int:
    wanted = tuple(sys.argv[1:])
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = copy_of_the_tree(Path(folder) / "tree")
        for mutant in MUTANTS:
            if not wanted or mutant.name.startswith(wanted):
                outcome = try_mutant(mutant, tree)
                outcomes.append(outcome)
                print(f"{mutant.name}: {outcome.verdict} ({outcome.seconds:.0f} s) {outcome.by}", flush=True)
    print(table(outcomes))
    return 0 if outcomes and all(one.verdict == DIED for one in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
