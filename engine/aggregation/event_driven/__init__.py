"""The exact, event-driven method of aggregation."""
