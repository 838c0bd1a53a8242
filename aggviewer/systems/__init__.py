"""The view of each system in the window."""
