"""The result of a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.study.claims import Verdict
from engine.study.figures import draw, named_figures, nothing_to_draw
from engine.study.grid import Grid
from engine.study.store import Store
from engine.study.tables import StudyTables

if TYPE_CHECKING:
    import matplotlib.figure


class StudyResult(StudyTables):
    """The tables and figures of a study, or of its runs so far.

    Attributes
    ----------
    folder : the folder of its files; None if none were written.
    verdicts : the verdicts on the claims of the study, if its report was written.
    """

    def __init__(self, grid: Grid, store: Store, folder: Path | None) -> None:
        super().__init__(grid, store)
        self.folder = folder
        self.verdicts: list[Verdict] = []

    def figures(self) -> dict[str, matplotlib.figure.Figure]:
        """The figures of the study, for matplotlib, by the names that their files have in ``figures/``; those without
        data are left out."""
        return {name: draw(self, wanted) for name, wanted in named_figures(self) if not nothing_to_draw(self, wanted)}
