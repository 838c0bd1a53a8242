"""The view into one time step."""
