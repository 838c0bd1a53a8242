"""What ballistic aggregation looks like."""
