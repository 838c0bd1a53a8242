"""Aggregation by time steps with the damped Arrow–Hurwicz minimisation."""
