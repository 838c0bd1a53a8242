"""Marks in the picture: tools to set them, draggable ends, and the panel with their values."""
