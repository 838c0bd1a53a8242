"""Studies in the window: set up in a dialog, run in a separate process, and shown while they run."""
