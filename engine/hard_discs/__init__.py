"""Hard discs that bounce: event-driven dynamics with stable event detection."""
