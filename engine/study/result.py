"""What a study has given."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from engine.study import tables
from engine.study.claims import Verdict
from engine.study.grid import Grid
from engine.study.model import Study
from engine.study.store import Store

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd


class StudyResult:
    """The tables of a study that has run, or of what of it is there.

    Attributes
    ----------
    study, grid : what was asked for.
    folder : where its files are, None where they were not wanted.
    complete : whether all runs are recorded; failed : how many of them have failed.
    verdicts : what the data say of the claims of the study, where its report was written.
    """

    def __init__(self, grid: Grid, store: Store, folder: Path | None) -> None:
        self.grid, self.folder = grid, folder
        self.study: Study = grid.study
        self._store = store
        counts = store.counts()
        self.failed = counts.get("failed", 0)
        self.verdicts: list[Verdict] = []
        self.complete = sum(counts.values()) >= len(grid)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """A row for each run, see `engine.study.tables.runs`."""
        return tables.runs(self._store, self.grid)

    def summary(self) -> pd.DataFrame:
        """A row for each point and quantity, see `engine.study.tables.summary`."""
        return self._summary

    @cached_property
    def _summary(self) -> pd.DataFrame:
        return tables.summary(self.runs, self.grid)

    def curves(self, name: str = "") -> pd.DataFrame:
        """The curves of all runs, or those of one name, see `engine.study.tables.curves`."""
        found = self._curves
        return found[found["curve"] == name] if name else found

    @cached_property
    def _curves(self) -> pd.DataFrame:
        return tables.curves(self._store, self.grid)

    def figures(self) -> dict[str, matplotlib.figure.Figure]:
        """The figures of the study, for matplotlib, by the names that their files have in ``figures/``; those without
        data are left out."""
        from engine.study.figures import draw, named_figures, nothing_to_draw

        return {name: draw(self, wanted) for name, wanted in named_figures(self) if not nothing_to_draw(self, wanted)}

    @property
    def store(self) -> Store:
        """Where the rows are, with curves and final states."""
        return self._store
