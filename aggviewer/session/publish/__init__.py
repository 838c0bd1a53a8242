"""Publishes the newest frame, its colours and its measurements to the window."""
