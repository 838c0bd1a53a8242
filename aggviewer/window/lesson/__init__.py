"""Lessons in the window: their panel, and their access to other parts."""
