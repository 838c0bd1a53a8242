"""Marks in the picture: the tools that set them, their ends that can be dragged, and the panel with their numbers."""
