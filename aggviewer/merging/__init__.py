"""The history of merges: which clusters became one, drawn as a tree over time, linked with the picture."""

from aggviewer.merging.panel import MergePanel

__all__ = ["MergePanel"]
