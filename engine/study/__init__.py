"""Studies: runs of a scenario over a grid of parameters and seeds, and their means with error bars.

    if __name__ == "__main__":  # needed in a script, since the workers import it
        study = engine.study.load_study("degond-2024", scale="quick")
        result = engine.study.run(study, out="results", workers=2)
        result.summary()

They need ``pip install aggviewer[study]``. See docs/studies.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.study.model import Study
from engine.study.source import bundled, load_study

if TYPE_CHECKING:
    from engine.study.report import StudyResult


def run(study: Study, **options: Any) -> StudyResult:
    """Run a study, or the runs still missing in its folder; see `engine.study.running.run`."""
    from engine.study.running import run as start

    return start(study, **options)


__all__ = ["Study", "bundled", "load_study", "run"]
