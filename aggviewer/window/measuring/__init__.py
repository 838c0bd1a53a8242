"""Measuring in the picture: tools, the ends of marks that can be dragged, and the list of marks with their numbers."""
