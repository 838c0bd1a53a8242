"""The open panels of the window, and how much they show."""

from __future__ import annotations

from typing import Annotated, ClassVar

from aggviewer.document.model import DocumentModel, FieldUse

_LAYOUT = FieldUse(undo=False, session=False, layout=True)


class PanelsModel(DocumentModel):
    """The open panels beside the picture. The layout of the window keeps them for the next start.

    everything : whether all parameters, plots and tools are offered, not only the few that a beginner needs.
    """

    namespace: ClassVar[str] = "panels"

    parameters: Annotated[bool, _LAYOUT] = True
    plots: Annotated[bool, _LAYOUT] = True
    everything: Annotated[bool, FieldUse(undo=False, session=False, settings=True)] = True
