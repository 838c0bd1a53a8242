"""Hard discs that bounce: event-driven dynamics with stable event detection, and exact results."""
