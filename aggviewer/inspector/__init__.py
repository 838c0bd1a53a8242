"""The inspector: a table of the discs or the clusters of the frame on the screen, linked with the picture."""

from aggviewer.inspector.panel import InspectorPanel

__all__ = ["InspectorPanel"]
