"""The structure factor of packings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aggviewer.session.data import Analysis
from aggviewer.systems.state_plots import StructureFactorPlot

if TYPE_CHECKING:
    from engine.analysis import StructureFactor


class JamStructureFactorPlot(StructureFactorPlot):
    """S(k), even before contacts are known."""

    def measured(self, analysis: Analysis) -> StructureFactor | None:
        """The structure factor of the arrangement of the discs."""
        found: StructureFactor | None = analysis.data.arrangement.structure_factor
        return found
