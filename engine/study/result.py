"""What a study has given."""

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
    """The tables and figures of a study that has run, or of what of it is there.

    Attributes
    ----------
    folder : where its files are, None if they were not wanted.
    verdicts : what the data say of the claims of the study, where its report was written.
    """

    def __init__(self, grid: Grid, store: Store, folder: Path | None) -> None:
        super().__init__(grid, store)
        self.folder = folder
        self.verdicts: list[Verdict] = []

    def figures(self) -> dict[str, matplotlib.figure.Figure]:
        """The figures of the study, for matplotlib, by the names that their files have in ``figures/``; those without
        data are left out."""
        return {name: draw(self, wanted) for name, wanted in named_figures(self) if not nothing_to_draw(self, wanted)}
