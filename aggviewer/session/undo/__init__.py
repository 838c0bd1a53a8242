"""Undo and redo, with the runs they need to come back to."""
