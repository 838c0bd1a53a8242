"""Session files, autosaves and what is kept for the next start."""
