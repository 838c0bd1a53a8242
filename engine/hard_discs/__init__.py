"""Hard discs that bounce: detection of collisions that stays stable in floating point, and what is known exactly."""
