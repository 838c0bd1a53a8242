"""`make figures`: the figures of docs/ that come from a study, and what the study says of the paper's statements.

The study goes on where an earlier call was stopped; what is in docs/ is then written anew.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import matplotlib as mpl

from engine.study import load_study, run
from engine.study.figures import draw
from engine.study.result import StudyResult
from engine.study.style import STYLE

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "studies.md"
CLAIMS = re.compile(r"(<!-- claims: make figures -->\n).*?(<!-- end -->)", re.DOTALL)
FIGURES = {"contacts": "contacts_relative", "dimension": "fractal_dimension", "aspect": "aspect_ratio"}
"""File in docs/images, ``study-NAME.svg``, and the quantity that it shows over the number of discs."""


def figures(result: StudyResult) -> None:
    """Write them; of several figures of one quantity the one with V_f = 0.2."""
    for name, quantity in FIGURES.items():
        wanted = next(
            one
            for one in result.study.figure
            if (one.y, one.x) == (quantity, "discs.count") and one.at.get("discs.volume_fraction", 0.2) == 0.2
        )
        with mpl.rc_context(STYLE):
            path = PROJECT / "docs" / "images" / f"study-{name}.svg"
            draw(result, wanted).savefig(path, metadata={"Date": None})
        path.write_text(re.sub(r"[ \t]+$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE), encoding="utf-8")


def claims(result: StudyResult) -> str:
    """A row of a table for each claim."""
    rows = ["| statement | | data |", "|---|---|---|"]
    for one in result.verdicts:
        source = f" ({one.claim.source})" if one.claim.source else ""
        rows.append(f"| {one.claim.says}{source} | **{one.verdict}** | {one.because} |")
    return "\n".join(row.replace("_", r"\_") for row in rows) + "\n"


def main() -> int:
    """Run the study, write figures and table."""
    study = load_study("degond-2024", changes={"seeds.count": 8})
    result = run(study, out=PROJECT / "build" / "figures" / "degond-2024")
    figures(result)
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(CLAIMS.sub(lambda found: found[1] + claims(result) + found[2], page), encoding="utf-8")
    return 1 if result.failed else 0


if __name__ == "__main__":
    sys.exit(main())
