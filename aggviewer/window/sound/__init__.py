"""A sound for discs that meet, off until somebody wants it."""
