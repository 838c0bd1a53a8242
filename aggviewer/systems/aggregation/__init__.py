"""The view of ballistic aggregation."""
