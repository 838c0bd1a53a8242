"""The exact method of aggregation: from event to event."""
