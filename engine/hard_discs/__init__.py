"""Hard discs that bounce: event-driven dynamics with stable event detection, and what is known exactly."""
