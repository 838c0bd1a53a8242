"""Ballistic aggregation of clusters that also turn, event-driven and exact."""
