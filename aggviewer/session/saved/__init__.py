"""Session files, autosaves, and work kept for the next start."""
