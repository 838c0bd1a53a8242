"""Studies in the window: asked for in a dialog, run by a process of their own, seen while they run."""
